#include "common/file.h"
#include "exchange/import.h"
#include "identify/log/log_table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NO_COLUMN = -1 };

/* Where everything stands in a row; NO_COLUMN: nowhere. */
struct columns {
  long time, q[MODEL_MAX_JOINTS], dq[MODEL_MAX_JOINTS], tau[MODEL_MAX_JOINTS], force[3], rate[3];
};

static enum status read_one(const char *path, struct log_table *table, struct message *error) {
  size_t length;
  char *text;
  enum status status = file_read(path, LOG_MAX_BYTES, &text, &length, error);
  if (status == STATUS_OK) {
    status = log_table_read(text, length, path, table, error);
    free(text);
  }
  return status;
}

static enum status read_tables(const char *const *paths, size_t n_paths, struct log_table *table,
                               struct message *error) {
  enum status status = read_one(paths[0], table, error);
  for (size_t i = 1; status == STATUS_OK && i < n_paths; i++) {
    struct log_table other = {0};
    status = read_one(paths[i], &other, error);
    if (status == STATUS_OK) {
      status = log_table_join(table, &other, i + 1, error);
    }
    if (status != STATUS_OK) {
      log_table_free(&other);
      log_table_free(table);
    }
  }
  return status;
}

/* -- which column is what --------------------------------------------------------------------- */

/* The column that `pattern` means for thing number `i`: @ is its name, a list counts them. */
static long column_of(const struct log_table *table, const char *pattern, const char *name,
                      size_t i) {
  const char *mark = strchr(pattern, '@');
  char wanted[2 * LOG_NAME];
  if (mark != NULL) {
    snprintf(wanted, sizeof(wanted), "%.*s%s%s", (int)(mark - pattern), pattern, name, mark + 1);
    return log_table_find(table, wanted);
  }
  for (size_t k = 0; k < i && pattern != NULL; k++) {
    pattern = strchr(pattern, ',');
    pattern = pattern != NULL ? pattern + 1 : NULL;
  }
  if (pattern == NULL) {
    return NO_COLUMN;
  }
  snprintf(wanted, sizeof(wanted), "%.*s", (int)strcspn(pattern, ","), pattern);
  return log_table_find(table, wanted);
}

/* The given pattern, or the first of the usual ones that is there. */
static long find(const struct log_table *table, const char *given, const char *const *usual,
                 const char *name, size_t i) {
  long column = NO_COLUMN;
  if (given != NULL) {
    return column_of(table, given, name, i);
  }
  for (size_t k = 0; column < 0 && usual[k] != NULL; k++) {
    column = column_of(table, usual[k], name, i);
  }
  return column;
}

static enum status missing(const struct log_table *table, const char *file, const char *what,
                           const char *name, const char *option, struct message *error) {
  const char *nearest = log_table_nearest(table, name);
  message_set(error, "%s: no column for the %s%s%s%s%s; %s names it", file, what,
              name[0] != '\0' ? " of " : "", name, nearest != NULL ? ", is it " : "",
              nearest != NULL ? nearest : "", option);
  return STATUS_REFUSED;
}

static enum status find_columns(const struct log_table *table, const char *file,
                                const struct import_map *map, const struct model *model,
                                struct columns *columns, struct message *error) {
  static const char *const time[] = {"time", "t", "timestamp", "time_s", NULL};
  static const char *const q[] = {"q_@", "@_position", "position_@", "@.position", "@", NULL};
  static const char *const dq[] = {"dq_@", "@_velocity", "velocity_@", "@.velocity", NULL};
  static const char *const tau[] = {"tau_@",    "@_torque", "torque_@", "@.torque",
                                    "effort_@", "@_effort", "@.effort", NULL};
  static const char *const force[] = {"specific_force_@",      "imu_acc_@", "acc_@", "accel_@",
                                      "linear_acceleration_@", NULL};
  static const char *const rate[] = {"angular_rate_@", "imu_gyro_@", "gyro_@", "angular_velocity_@",
                                     NULL};
  static const char *const axis[] = {"x", "y", "z"};
  columns->time = find(table, map->time, time, "", 0);
  if (columns->time < 0) {
    return missing(table, file, "time", "", "--time", error);
  }
  for (size_t j = 0; j < model->n_joints; j++) {
    const char *name = model->joint[j].name;
    columns->q[j] = find(table, map->position, q, name, j);
    columns->dq[j] = find(table, map->velocity, dq, name, j);
    columns->tau[j] = find(table, map->effort, tau, name, j);
    if (columns->q[j] < 0) {
      return missing(table, file, "position", name, "--position", error);
    }
    if ((map->velocity != NULL && columns->dq[j] < 0) ||
        (map->effort != NULL && columns->tau[j] < 0)) {
      return missing(table, file, columns->dq[j] < 0 ? "velocity" : "effort", name,
                     columns->dq[j] < 0 ? "--velocity" : "--effort", error);
    }
  }
  for (size_t i = 0; i < 3; i++) {
    columns->force[i] = find(table, map->specific_force, force, axis[i], i);
    columns->rate[i] = find(table, map->angular_rate, rate, axis[i], i);
    if ((map->specific_force != NULL && columns->force[i] < 0) ||
        (map->angular_rate != NULL && columns->rate[i] < 0)) {
      return missing(table, file, "IMU", axis[i], "--specific-force, --angular-rate", error);
    }
  }
  return STATUS_OK;
}

/* -- samples ---------------------------------------------------------------------------------- */

static bool all_there(const long *column, size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (column[i] < 0) {
      return false;
    }
  }
  return true;
}

static bool take_rows(const struct log_table *table, const struct columns *c,
                      const struct import_map *map, struct samples *samples) {
  const size_t n = samples->robot->model.n_joints;
  const bool has_imu = all_there(c->force, 3) && all_there(c->rate, 3);
  samples->has_velocity = all_there(c->dq, n);
  samples->has_effort = all_there(c->tau, n);
  for (size_t r = 0; r < table->n_rows; r++) {
    const double *row = table->value + r * table->n_columns;
    const int64_t t_ns = llround(row[c->time] * map->time_scale * 1e9);
    double *joint = samples_add_joints(samples, t_ns);
    struct imu_sample *imu = has_imu ? samples_add_imu(samples, t_ns) : NULL;
    if (joint == NULL || (has_imu && imu == NULL)) {
      return false;
    }
    for (size_t j = 0; j < n; j++) {
      joint[j] = map->position_scale * row[c->q[j]];
      joint[n + j] = samples->has_velocity ? map->position_scale * row[c->dq[j]] : (double)NAN;
      joint[2 * n + j] = samples->has_effort ? row[c->tau[j]] : (double)NAN;
    }
    for (size_t i = 0; has_imu && i < 3; i++) {
      imu->specific_force[i] = row[c->force[i]];
      imu->angular_rate[i] = row[c->rate[i]];
    }
  }
  return true;
}

enum status import_table(const char *const *paths, size_t n_paths, const struct import_map *map,
                         struct samples *samples, struct message *error) {
  struct log_table table = {0};
  struct columns columns;
  enum status status = read_tables(paths, n_paths, &table, error);
  if (status != STATUS_OK) {
    return status;
  }
  status = find_columns(&table, paths[0], map, &samples->robot->model, &columns, error);
  if (status == STATUS_OK && !take_rows(&table, &columns, map, samples)) {
    status = STATUS_NO_MEMORY;
  }
  log_table_free(&table);
  return status;
}
