#include "replay/result_columns.h"

#include "publish/topics.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool add(struct result_columns *c, const struct result_column *column) {
  if ((c->n & (c->n - 1)) == 0) { /* full: at a power of two */
    struct result_column *more =
        realloc(c->column, (c->n == 0 ? 1 : 2 * c->n) * sizeof(c->column[0]));
    if (more == NULL) {
      return false;
    }
    c->column = more;
  }
  c->column[c->n++] = *column;
  return true;
}

/* A value's numbers: one, or one for each axis. */
static bool add_value(struct result_columns *c, const struct field *row,
                      struct result_column column, const char *of) {
  static const char *const axis[] = {"_x", "_y", "_z", "_w"};
  const size_t n = row->kind == FIELD_VEC3 ? 3 : row->kind == FIELD_QUAT ? 4 : 1;
  const size_t offset = column.offset;
  for (size_t i = 0; i < n; i++) {
    snprintf(column.name, sizeof(column.name), "%s%s%s%s", row->key, of[0] != '\0' ? "_" : "", of,
             n > 1 ? axis[i] : "");
    column.offset = offset + i * sizeof(double);
    if (!add(c, &column)) {
      return false;
    }
  }
  return true;
}

/* "rad or m" is of a revolute joint, then of a prismatic one. */
static void unit_of(const struct field *row, bool prismatic, char unit[16]) {
  const char * or = strstr(row->unit, " or ");
  const int length = or != NULL ? (int)(or -row->unit) : (int)strlen(row->unit);
  if (prismatic && or != NULL) {
    snprintf(unit, 16, "%s", or +4);
  } else {
    snprintf(unit, 16, "%.*s", length, row->unit);
  }
}

static bool add_row(struct result_columns *c, const struct field *row, struct result_column column,
                    const struct robot *robot) {
  const size_t offset = column.offset;
  unit_of(row, false, column.unit);
  if (row->per == FIELD_ONCE) {
    return add_value(c, row, column, "");
  }
  const bool joints = row->per == FIELD_JOINT;
  const size_t n = joints ? robot->model.n_joints : robot->n_feet;
  for (size_t i = 0; i < n; i++) {
    column.offset = offset + i * row->stride;
    unit_of(row, joints && robot->model.joint[i].type == JOINT_PRISMATIC, column.unit);
    if (!add_value(c, row, column, joints ? robot->model.joint[i].name : robot->foot[i].name)) {
      return false;
    }
  }
  return true;
}

static bool add_topic(struct result_columns *c, const struct field_table *topic, size_t base,
                      const struct robot *robot) {
  struct field_place place = {NULL, 0, 0, 0};
  while (field_next(topic, &place)) {
    const struct field *row = place.field;
    const struct result_column column = {.topic = topic->name,
                                         .offset = base + place.offset,
                                         .part = row->part,
                                         .is_count = row->kind == FIELD_COUNT};
    const bool numbers = row->kind == FIELD_REAL || row->kind == FIELD_COUNT ||
                         row->kind == FIELD_VEC3 || row->kind == FIELD_QUAT;
    if (numbers && !add_row(c, row, column, robot)) {
      return false;
    }
  }
  return true;
}

/* Mass and first moment of each estimated link, and their deviations. */
static bool add_links(struct result_columns *c, const struct inertial_settings *inertial) {
  static const struct {
    const char *name, *unit;
    size_t offset;
  } list[] = {{"mass", "kg", offsetof(struct inertial_link_estimate, published.m)},
              {"mass_sd", "kg", offsetof(struct inertial_link_estimate, mass_sd)},
              {"first_moment_x", "kg m", offsetof(struct inertial_link_estimate, published.h.x)},
              {"first_moment_y", "kg m", offsetof(struct inertial_link_estimate, published.h.y)},
              {"first_moment_z", "kg m", offsetof(struct inertial_link_estimate, published.h.z)}};
  for (size_t k = 0; k < inertial->n_links; k++) {
    for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++) {
      struct result_column column = {.topic = "inertia",
                                     .offset = offsetof(struct estimates, inertia.result.link) +
                                               k * sizeof(struct inertial_link_estimate) +
                                               list[i].offset};
      snprintf(column.name, sizeof(column.name), "%s_%s", list[i].name, inertial->link[k]);
      snprintf(column.unit, sizeof(column.unit), "%s", list[i].unit);
      if (!add(c, &column)) {
        return false;
      }
    }
  }
  return true;
}

enum status result_columns_init(struct result_columns *columns, const struct robot *robot,
                                const struct inertial_settings *inertial) {
  *columns = (struct result_columns){.n = 0};
  const struct result_column status[] = {{.name = "status",
                                          .topic = "state",
                                          .offset = offsetof(struct estimates, state.status),
                                          .is_count = true},
                                         {.name = "centroidal_status",
                                          .topic = "centroidal",
                                          .offset = offsetof(struct estimates, centroidal.status),
                                          .is_count = true}};
  if (add(columns, &status[0]) && add(columns, &status[1]) &&
      add_topic(columns, &state_topic, offsetof(struct estimates, state), robot) &&
      add_topic(columns, &centroidal_topic, offsetof(struct estimates, centroidal), robot) &&
      add_links(columns, inertial)) {
    return STATUS_OK;
  }
  result_columns_free(columns);
  return STATUS_NO_MEMORY;
}

void result_columns_free(struct result_columns *columns) {
  free(columns->column);
  *columns = (struct result_columns){.n = 0};
}

double result_number(const struct result_columns *columns, size_t i,
                     const struct estimates *estimates) {
  const struct result_column *column = &columns->column[i];
  const uint64_t estimated =
      column->topic[0] == 's' ? estimates->state.estimated : estimates->centroidal.estimated;
  if (column->part != 0 && (estimated & column->part) == 0) {
    return (double)NAN;
  }
  const char *place = (const char *)estimates + column->offset;
  uint64_t count;
  double number;
  memcpy(&count, place, sizeof(count));
  memcpy(&number, place, sizeof(number));
  return column->is_count ? (double)count : number;
}
