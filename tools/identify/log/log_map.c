#include "identify/log/log_map.h"

#include "common/number.h"
#include "common/word_distance.h"
#include "settings/yaml_reader.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

const char log_map_help[] =
    "columns of a log:\n"
    "YAML, for --columns FILE; lists have one element per joint\n"
    "  time: t                       column of stamps; time_scale: 0.001 for ms\n"
    "  rate: 5000                    samples a second, where there is no such column\n"
    "  position: [q1, q2, ...]       columns; torque likewise. Columns without names\n"
    "  torque: [i1, i2, ...]         are called 1, 2, 3 ...\n"
    "  unit: deg                     of positions (default rad)\n"
    "  scale, offset: [...]          q = scale x position + offset\n"
    "  gain: [...]                   torque = gain x column: N m per A\n"
    "  reduction: [32, 32, ...]      both columns are the motor's\n"
    "  gear: [101, 101, ...]         a motor's turns per turn of its joint: its rotor\n"
    "                                is a body of its own on the link before (in the\n"
    "                                URDF a part of it, and rotor inertia); 0: none\n"
    "  coupling: [6, 5, 32]          motor 6 also turns 32 x joint 5; more in threes\n";

/* A fresh map: everything as it is in the column. */
static struct log_map plain_map(void) {
  struct log_map map = {.time_scale = 1.0};
  for (size_t j = 0; j < MODEL_MAX_JOINTS; j++) {
    map.joint[j].scale = map.joint[j].gain = map.joint[j].reduction = 1.0;
  }
  return map;
}

/* -- by name ---------------------------------------------------------------------------------- */

static bool guess_column(const struct log_table *table, const char *const *pattern, size_t n,
                         const char *joint, char out[LOG_NAME]) {
  for (size_t i = 0; i < n; i++) {
    const char *mark = strchr(pattern[i], '@');
    char name[2 * LOG_NAME + 16];
    snprintf(name, sizeof(name), "%.*s%s%s", (int)(mark - pattern[i]), pattern[i], joint, mark + 1);
    if (log_table_find(table, name) >= 0) {
      snprintf(out, LOG_NAME, "%.63s", name);
      return true;
    }
  }
  return false;
}

static enum status no_column(const struct log_table *table, const char *file, const char *what,
                             const char *joint, const char *tried, struct message *error) {
  const char *nearest = log_table_nearest(table, tried);
  message_set(error, "%s: no column for the %s of joint '%s' ('%s'%s%s%s; --columns names others)",
              file, what, joint, tried, nearest != NULL ? ", did you mean '" : "",
              nearest != NULL ? nearest : "", nearest != NULL ? "'?" : "");
  return STATUS_BAD_ARGUMENT;
}

enum status log_map_guess(const struct model *model, const struct log_table *table,
                          const char *file, struct log_map *map, struct message *error) {
  static const char *const position[] = {"q_@", "@_position", "position_@", "@.position", "@"};
  static const char *const torque[] = {"tau_@",    "@_torque", "torque_@", "@.torque",
                                       "effort_@", "@_effort", "@.effort"};
  static const char *const time[] = {"time", "t", "timestamp", "time_s"};
  struct log_map found = plain_map();
  for (size_t i = 0; i < sizeof(time) / sizeof(time[0]) && found.time[0] == '\0'; i++) {
    if (log_table_find(table, time[i]) >= 0) {
      snprintf(found.time, LOG_NAME, "%s", time[i]);
    }
  }
  if (found.time[0] == '\0') {
    message_set(error, "%s: no column 'time' (--columns names another, or gives the rate)", file);
    return STATUS_BAD_ARGUMENT;
  }
  for (size_t j = 0; j < model->n_joints; j++) {
    const char *name = model->joint[j].name;
    char tried[MODEL_NAME_SIZE + 8];
    if (!guess_column(table, position, sizeof(position) / sizeof(position[0]), name,
                      found.joint[j].position)) {
      snprintf(tried, sizeof(tried), "q_%s", name);
      return no_column(table, file, "position", name, tried, error);
    }
    if (!guess_column(table, torque, sizeof(torque) / sizeof(torque[0]), name,
                      found.joint[j].torque)) {
      snprintf(tried, sizeof(tried), "tau_%s", name);
      return no_column(table, file, "torque", name, tried, error);
    }
  }
  *map = found;
  return STATUS_OK;
}

/* -- by a file -------------------------------------------------------------------------------- */

static const char *const keys[] = {"time",   "time_scale", "rate",  "position",
                                   "torque", "unit",       "scale", "offset",
                                   "gain",   "reduction",  "gear",  "coupling"};

struct map_reader {
  const struct yaml_items *items;
  const char *name, *log_file;
  const struct model *model;
  const struct log_table *table;
  struct log_map map;
  double unit; /* rad per unit of a position */
  struct message *error;
};

static enum status refuse(const struct map_reader *r, const struct yaml_item *item,
                          const char *what) {
  message_set(r->error, "%s:%d:%d: %s: %s", r->name, item->line, item->column, item->key, what);
  return STATUS_BAD_ARGUMENT;
}

static enum status number_of(const struct map_reader *r, const struct yaml_item *item,
                             double *value) {
  double read;
  if (number_read(item->text, &read, NULL) != STATUS_OK) {
    return refuse(r, item, "is no number");
  }
  *value = read;
  return STATUS_OK;
}

static enum status column_of(const struct map_reader *r, const struct yaml_item *item,
                             char out[LOG_NAME]) {
  if (log_table_find(r->table, item->text) < 0) {
    const char *nearest = log_table_nearest(r->table, item->text);
    message_set(r->error, "%s:%d:%d: %s: %s has no column '%.64s'%s%s%s", r->name, item->line,
                item->column, item->key, r->log_file, item->text,
                nearest != NULL ? ", did you mean '" : "", nearest != NULL ? nearest : "",
                nearest != NULL ? "'?" : "");
    return STATUS_BAD_ARGUMENT;
  }
  snprintf(out, LOG_NAME, "%s", item->text);
  return STATUS_OK;
}

/* One element of a list with one element per joint. */
static enum status take_element(struct map_reader *r, const struct yaml_item *item, size_t j) {
  struct log_joint *joint = &r->map.joint[j];
  const char *key = item->key;
  return strcmp(key, "position") == 0 ? column_of(r, item, joint->position)
         : strcmp(key, "torque") == 0 ? column_of(r, item, joint->torque)
         : strcmp(key, "scale") == 0  ? number_of(r, item, &joint->scale)
         : strcmp(key, "offset") == 0 ? number_of(r, item, &joint->offset)
         : strcmp(key, "gain") == 0   ? number_of(r, item, &joint->gain)
         : strcmp(key, "gear") == 0   ? number_of(r, item, &joint->gear)
                                      : number_of(r, item, &joint->reduction);
}

/* Threes: motor and joint from 1, ratio. */
static enum status take_couplings(struct map_reader *r, const struct yaml_item *list) {
  if (list->n_elements % 3 != 0 || list->n_elements / 3 > LOG_COUPLINGS) {
    return refuse(r, list, "wants motor, joint and ratio, in threes");
  }
  for (size_t i = 0; i < list->n_elements; i += 3) {
    double value[3] = {0.0};
    for (size_t k = 0; k < 3; k++) {
      const enum status status = number_of(r, list + 1 + i + k, &value[k]);
      if (status != STATUS_OK) {
        return status;
      }
      if (k < 2 && !(value[k] >= 1.0 && value[k] <= (double)r->model->n_joints &&
                     value[k] == floor(value[k]))) {
        return refuse(r, list + 1 + i + k, "is no joint's number, from 1");
      }
    }
    r->map.coupling[r->map.n_couplings++] =
        (struct log_coupling){(size_t)value[0] - 1, (size_t)value[1] - 1, value[2]};
  }
  return STATUS_OK;
}

static bool is_one_value(const char *key) {
  return strcmp(key, "time") == 0 || strcmp(key, "time_scale") == 0 || strcmp(key, "rate") == 0 ||
         strcmp(key, "unit") == 0;
}

static enum status take_list(struct map_reader *r, const struct yaml_item *list) {
  if (is_one_value(list->key)) {
    return refuse(r, list, "wants one value, not a list");
  }
  if (strcmp(list->key, "coupling") == 0) {
    return take_couplings(r, list);
  }
  if (list->n_elements != r->model->n_joints) {
    message_set(r->error, "%s:%d:%d: %s: %zu elements, the robot has %zu joints", r->name,
                list->line, list->column, list->key, list->n_elements, r->model->n_joints);
    return STATUS_BAD_ARGUMENT;
  }
  enum status status = STATUS_OK;
  for (size_t j = 0; j < list->n_elements && status == STATUS_OK; j++) {
    status = take_element(r, list + 1 + j, j);
  }
  return status;
}

static enum status take_unit(struct map_reader *r, const struct yaml_item *item) {
  const bool degrees = strcmp(item->text, "deg") == 0;
  if (!degrees && strcmp(item->text, "rad") != 0) {
    return refuse(r, item, "is neither rad nor deg");
  }
  r->unit = degrees ? M_PI / 180.0 : 1.0;
  return STATUS_OK;
}

static enum status take_value(struct map_reader *r, const struct yaml_item *item) {
  const char *key = item->key;
  if (strcmp(key, "time") == 0) {
    return column_of(r, item, r->map.time);
  }
  if (strcmp(key, "unit") == 0) {
    return take_unit(r, item);
  }
  if (strcmp(key, "time_scale") == 0) {
    return number_of(r, item, &r->map.time_scale);
  }
  if (strcmp(key, "rate") == 0) {
    const enum status status = number_of(r, item, &r->map.rate_hz);
    return status == STATUS_OK && !(r->map.rate_hz >= 1.0 && r->map.rate_hz <= 1e6)
               ? refuse(r, item, "is not within 1 .. 1e6 Hz")
               : status;
  }
  return refuse(r, item, "wants a list with one element per joint");
}

static enum status check_key(const struct map_reader *r, const struct yaml_item *item) {
  size_t nearest = 0, least = 100;
  for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
    const size_t distance = word_distance(keys[i], item->key);
    nearest = distance < least ? i : nearest;
    least = distance < least ? distance : least;
  }
  if (least == 0) {
    return STATUS_OK;
  }
  message_set(r->error, "%s:%d:%d: %.64s: unknown key%s%s%s", r->name, item->key_line,
              item->key_column, item->key, least <= 3 ? ", did you mean " : "",
              least <= 3 ? keys[nearest] : "", least <= 3 ? "?" : "");
  return STATUS_BAD_ARGUMENT;
}

static enum status check_map(const struct map_reader *r) {
  if (r->map.time[0] == '\0' && r->map.rate_hz == 0.0) {
    message_set(r->error, "%s: neither time nor rate is given", r->name);
    return STATUS_BAD_ARGUMENT;
  }
  for (size_t j = 0; j < r->model->n_joints; j++) {
    if (r->map.joint[j].position[0] == '\0' || r->map.joint[j].torque[0] == '\0') {
      message_set(r->error, "%s: no list of %s columns", r->name,
                  r->map.joint[j].position[0] == '\0' ? "position" : "torque");
      return STATUS_BAD_ARGUMENT;
    }
    if (r->map.joint[j].reduction == 0.0 || r->map.joint[j].scale == 0.0) {
      message_set(r->error, "%s: joint %zu: a scale or reduction of 0 tells nothing", r->name,
                  j + 1);
      return STATUS_BAD_ARGUMENT;
    }
  }
  for (size_t c = 0; c < r->map.n_couplings; c++) {
    if (r->map.joint[r->map.coupling[c].motor].gear != 0.0) {
      message_set(r->error,
                  "%s: joint %zu: the rotor of a coupled motor is no body of its own: "
                  "its gear must be 0",
                  r->name, r->map.coupling[c].motor + 1);
      return STATUS_BAD_ARGUMENT;
    }
  }
  return STATUS_OK;
}

enum status log_map_read(const char *text, size_t text_length, const char *name,
                         const struct model *model, const struct log_table *table,
                         const char *log_file, struct log_map *map, struct message *error) {
  struct yaml_items items;
  enum status status = yaml_items_read(text, text_length, name, &items, error);
  if (status != STATUS_OK) {
    return status;
  }
  struct map_reader r = {.items = &items,
                         .name = name,
                         .log_file = log_file,
                         .model = model,
                         .table = table,
                         .map = plain_map(),
                         .unit = 1.0,
                         .error = error};
  for (size_t i = 0; i < items.count && status == STATUS_OK; i++) {
    const struct yaml_item *item = &items.item[i];
    if (item->kind == YAML_ELEMENT || item->key[0] == '\0') {
      continue;
    }
    status = check_key(&r, item);
    if (status == STATUS_OK) {
      status = item->kind == YAML_LIST    ? take_list(&r, item)
               : item->kind == YAML_VALUE ? take_value(&r, item)
                                          : refuse(&r, item, "is no map");
    }
  }
  if (status == STATUS_OK) {
    status = check_map(&r);
  }
  for (size_t j = 0; j < model->n_joints; j++) {
    r.map.joint[j].scale *= r.unit;
  }
  if (status == STATUS_OK) {
    *map = r.map;
  }
  yaml_items_free(&items);
  return status;
}
