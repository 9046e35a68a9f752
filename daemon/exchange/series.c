#include "exchange/series.h"

#include "publish/topics.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const kind_name[SERIES_KINDS] = {"joints", "imu",   "skin",
                                                    "wrench", "state", "centroidal"};

/* -- what there is ---------------------------------------------------------------------------- */

static void add(struct series *series, const char *name, const char *unit, enum series_type type,
                enum series_of of, size_t count, size_t per) {
  if (series->n_arrays == SERIES_MOST_ARRAYS || count == 0) {
    return;
  }
  struct series_array *array = &series->array[series->n_arrays++];
  *array = (struct series_array){.unit = unit, .type = type, .of = of, .count = count, .per = per};
  snprintf(array->name, sizeof(array->name), "%s", name);
  array->at = series->width;
  series->width += count * per;
}

static void add_streams(struct series_set *set, const struct series_optional *optional) {
  const size_t joints = set->robot->model.n_joints, cells = set->robot->n_cells;
  struct series *s = &set->series[SERIES_JOINTS];
  add(s, "q", "rad or m", SERIES_DOUBLE, SERIES_OF_JOINTS, joints, 1);
  add(s, "dq", "rad/s or m/s", SERIES_DOUBLE, SERIES_OF_JOINTS, optional->dq ? joints : 0, 1);
  add(s, "tau", "N m or N", SERIES_DOUBLE, SERIES_OF_JOINTS, optional->tau ? joints : 0, 1);
  s = &set->series[SERIES_IMU];
  add(s, "specific_force", "m/s^2", SERIES_DOUBLE, SERIES_OF_ONE, 1, 3);
  add(s, "angular_rate", "rad/s", SERIES_DOUBLE, SERIES_OF_ONE, 1, 3);
  add(s, "orientation", "", SERIES_DOUBLE, SERIES_OF_ONE, optional->orientation ? 1 : 0, 4);
  s = &set->series[SERIES_SKIN];
  add(s, "acceleration", "m/s^2", SERIES_FLOAT, SERIES_OF_CELLS, cells, 3);
  add(s, "flags", "", SERIES_BYTE, SERIES_OF_CELLS, cells, 1);
  add(s, "proximity", "", SERIES_FLOAT, SERIES_OF_CELLS, optional->proximity ? cells : 0, 1);
  add(s, "force", "N", SERIES_FLOAT, SERIES_OF_CELLS, optional->force ? cells : 0, 1);
  s = &set->series[SERIES_WRENCH];
  add(s, "moment", "N m", SERIES_DOUBLE, SERIES_OF_SENSORS, set->robot->n_wrench, 3);
  add(s, "force", "N", SERIES_DOUBLE, SERIES_OF_SENSORS, set->robot->n_wrench, 3);
}

/* Numbers of one element of a field; 0: it is none that stands in a table. */
static size_t numbers_of(enum field_kind kind) {
  switch (kind) {
  case FIELD_REAL:
  case FIELD_COUNT:
    return 1;
  case FIELD_VEC3:
    return 3;
  case FIELD_QUAT:
    return 4;
  default:
    return 0;
  }
}

static void add_topic(struct series_set *set, enum series_kind kind,
                      const struct field_table *table) {
  struct series *s = &set->series[kind];
  add(s, "status", "", SERIES_DOUBLE, SERIES_OF_ONE, 1, 1);
  for (struct field_place at = {0}; field_next(table, &at);) {
    const struct field *field = at.field;
    const enum series_of of = field->per == FIELD_JOINT  ? SERIES_OF_JOINTS
                              : field->per == FIELD_FOOT ? SERIES_OF_FEET
                                                         : SERIES_OF_ONE;
    const size_t count = of == SERIES_OF_JOINTS ? set->robot->model.n_joints
                         : of == SERIES_OF_FEET ? set->robot->n_feet
                                                : 1;
    if (numbers_of(field->kind) != 0) {
      add(s, field->key, field->unit, SERIES_DOUBLE, of, count, numbers_of(field->kind));
    }
  }
}

void series_init(struct series_set *set, const struct robot *robot,
                 const struct series_optional *optional, bool results) {
  *set = (struct series_set){.robot = robot};
  for (int kind = 0; kind < SERIES_KINDS; kind++) {
    set->series[kind].kind = (enum series_kind)kind;
    set->series[kind].name = kind_name[kind];
  }
  add_streams(set, optional);
  if (results) {
    add_topic(set, SERIES_STATE, &state_topic);
    add_topic(set, SERIES_CENTROIDAL, &centroidal_topic);
  }
}

/* -- rows of streams -------------------------------------------------------------------------- */

const struct series_array *series_find(const struct series *series, const char *name) {
  for (size_t i = 0; i < series->n_arrays; i++) {
    if (strcmp(series->array[i].name, name) == 0) {
      return &series->array[i];
    }
  }
  return NULL;
}

static double *of(const struct series *series, const char *name, double *row) {
  const struct series_array *array = series_find(series, name);
  return array != NULL ? row + array->at : NULL;
}

/* `from` NULL: this frame has none. */
static void put(double *to, const double *from, size_t count) {
  for (size_t i = 0; to != NULL && i < count; i++) {
    to[i] = from != NULL ? from[i] : (double)NAN;
  }
}

static void put_floats(double *to, const float *from, size_t count) {
  for (size_t i = 0; to != NULL && i < count; i++) {
    to[i] = from != NULL ? (double)from[i] : (double)NAN;
  }
}

static void fill_joints(const struct series *s, const struct joints_reading *joints, double *row) {
  const size_t n = s->array[0].count;
  put(of(s, "q", row), joints->q, n);
  put(of(s, "dq", row), joints->dq, n);
  put(of(s, "tau", row), joints->tau, n);
}

static void fill_imu(const struct series *s, const struct imu_reading *imu, double *row) {
  const vec3 f = imu->specific_force, w = imu->angular_rate;
  const quat q = imu->orientation;
  put(of(s, "specific_force", row), (const double[]){f.x, f.y, f.z}, 3);
  put(of(s, "angular_rate", row), (const double[]){w.x, w.y, w.z}, 3);
  put(of(s, "orientation", row), imu->has_orientation ? (const double[]){q.x, q.y, q.z, q.w} : NULL,
      4);
}

static void fill_skin(const struct series *s, const struct skin_reading *skin, double *row) {
  const size_t n = s->array[0].count;
  double *flags = of(s, "flags", row);
  put_floats(of(s, "acceleration", row), skin->acceleration, 3 * n);
  for (size_t i = 0; i < n; i++) {
    flags[i] = skin->flags[i];
  }
  put_floats(of(s, "proximity", row), skin->proximity, n);
  put_floats(of(s, "force", row), skin->force, n);
}

static void fill_wrench(const struct series *s, const struct wrench_reading *wrench, double *row) {
  double *moment = of(s, "moment", row), *force = of(s, "force", row);
  for (size_t i = 0; i < s->array[0].count; i++) {
    const struct force *w = &wrench->wrench[i];
    put(moment + 3 * i, (const double[]){w->ang.x, w->ang.y, w->ang.z}, 3);
    put(force + 3 * i, (const double[]){w->lin.x, w->lin.y, w->lin.z}, 3);
  }
}

void series_fill_stream(const struct series *series, const struct sensor_frame *frame,
                        double *row) {
  switch (series->kind) {
  case SERIES_JOINTS:
    fill_joints(series, &frame->joints, row);
    break;
  case SERIES_IMU:
    fill_imu(series, &frame->imu, row);
    break;
  case SERIES_SKIN:
    fill_skin(series, &frame->skin, row);
    break;
  default:
    fill_wrench(series, &frame->wrench, row);
  }
}

/* -- rows of topics --------------------------------------------------------------------------- */

static void fill_topic(const struct field_table *table, const void *source, uint64_t estimated,
                       const struct series *series, double *row) {
  size_t i = 1; /* behind the status */
  for (struct field_place at = {0}; field_next(table, &at);) {
    const struct field *field = at.field;
    if (numbers_of(field->kind) == 0 || i == series->n_arrays ||
        strcmp(series->array[i].name, field->key) != 0) {
      continue;
    }
    const struct series_array *array = &series->array[i++];
    const char *value = (const char *)source + at.offset;
    const bool known = field->part == 0 || (field->part & estimated) != 0;
    for (size_t k = 0; k < array->count * array->per; k++) {
      /* numbers of eight bytes, one behind the other */
      row[array->at + k] = !known ? (double)NAN
                           : field->kind == FIELD_COUNT
                               ? (double)((const uint64_t *)(const void *)value)[k]
                               : ((const double *)(const void *)value)[k];
    }
  }
}

void series_fill_result(const struct series *series, const struct estimates *e, double *row) {
  const bool state = series->kind == SERIES_STATE;
  row[0] = (double)(state ? e->state.status : e->centroidal.status);
  if (state) {
    fill_topic(&state_topic, &e->state, e->state.estimated, series, row);
  } else {
    fill_topic(&centroidal_topic, &e->centroidal, e->centroidal.estimated, series, row);
  }
}

int64_t series_instant(enum series_kind kind, const struct sensor_frame *frame,
                       const struct estimates *estimates) {
  const int64_t instant[SERIES_KINDS] = {
      frame->joints.stamp.t_ns, frame->imu.stamp.t_ns, frame->skin.stamp.t_ns,
      frame->wrench.stamp.t_ns, estimates->state.t_ns, estimates->centroidal.t_ns,
  };
  return instant[kind];
}

bool series_is_fresh(enum series_kind kind, const struct sensor_frame *frame) {
  const bool fresh[SERIES_KINDS] = {
      frame->joints.stamp.fresh,
      frame->imu.stamp.fresh,
      frame->skin.stamp.fresh,
      frame->wrench.stamp.fresh,
      true,
      true,
  };
  return fresh[kind];
}

/* -- names ------------------------------------------------------------------------------------ */

static const char *thing(const struct series_set *set, const struct series_array *array, size_t i) {
  const struct robot *robot = set->robot;
  switch (array->of) {
  case SERIES_OF_JOINTS:
    return robot->model.joint[i].name;
  case SERIES_OF_FEET:
    return robot->foot[i].name;
  case SERIES_OF_CELLS:
    return robot->cell[i].name;
  case SERIES_OF_SENSORS:
    return robot->wrench[i].name;
  default:
    return "";
  }
}

void series_element_name(const struct series_set *set, const struct series_array *array,
                         size_t element, char name[SERIES_ELEMENT_SIZE]) {
  static const char *const axis[] = {"_x", "_y", "_z", "_w"};
  const char *which = thing(set, array, element / array->per);
  snprintf(name, SERIES_ELEMENT_SIZE, "%s%s%s%s", array->name, which[0] != '\0' ? "_" : "", which,
           array->per > 1 ? axis[element % array->per] : "");
}

void series_element_unit(const struct series_set *set, const struct series_array *array,
                         size_t element, char unit[SERIES_NAME_SIZE]) {
  const char * or = strstr(array->unit, " or ");
  const bool slides = array->of == SERIES_OF_JOINTS &&
                      set->robot->model.joint[element / array->per].type == JOINT_PRISMATIC;
  if (or == NULL) {
    snprintf(unit, SERIES_NAME_SIZE, "%s", array->unit);
  } else if (slides) {
    snprintf(unit, SERIES_NAME_SIZE, "%s", or +4);
  } else {
    snprintf(unit, SERIES_NAME_SIZE, "%.*s", (int)(or -array->unit), array->unit);
  }
}
