#include "support/walk_log.h"

#include "shm/stream_clock.h"
#include "support/give_up.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool walk_log_read(struct walk_log *log, const char *path) {
  static char line[8192];
  FILE *file = fopen(path, "r");
  log->n = log->n_columns = 0;
  if (file == NULL) {
    return false;
  }
  while (log->n < WALK_LOG_ROWS && fgets(line, sizeof(line), file) != NULL) {
    char *rest = line;
    size_t column = 0;
    for (char *word; column < WALK_LOG_COLUMNS && (word = strsep(&rest, ",\r\n")) != NULL;) {
      if (log->n_columns == 0) {
        snprintf(log->name[column++], sizeof(log->name[0]), "%s", word);
      } else if (*word != '\0') {
        log->value[log->n][column++] = strtod(word, NULL);
      }
    }
    if (log->n_columns == 0) {
      log->n_columns = column;
    } else {
      log->n++;
    }
  }
  fclose(file);
  return log->n > 0;
}

/* Index of the column, or n_columns. */
static size_t find(const struct walk_log *log, const char *name) {
  size_t c = 0;
  while (c < log->n_columns && strcmp(log->name[c], name) != 0) {
    c++;
  }
  return c;
}

static const double *at(const struct walk_log *log, size_t row, const char *first) {
  const size_t c = find(log, first);
  if (c == log->n_columns) {
    give_up("the log has no column", first);
  }
  return &log->value[row][c];
}

double walk_log_t(const struct walk_log *log, size_t row) {
  return *at(log, row, "t");
}

void walk_log_forces(const struct walk_log *log, size_t row, double f[WALK_LOG_FEET]) {
  f[0] = *at(log, row, "left_foot_fz");
  f[1] = *at(log, row, "right_foot_fz");
}

void walk_log_even(struct walk_log *log) {
  const size_t c = find(log, "t");
  const double first = log->value[0][c], last = log->value[log->n - 1][c];
  for (size_t row = 0; row < log->n; row++) {
    log->value[row][c] = first + (last - first) * (double)row / (double)(log->n - 1);
  }
}

void walk_log_fit(struct walk_log *log) {
  const size_t c = find(log, "t");
  struct stream_clock clock;
  stream_clock_reset(&clock);
  for (size_t row = 0; row < log->n; row++) {
    const int64_t arrival_ns = llround(1e9 * log->value[row][c]);
    log->value[row][c] = 1e-9 * (double)stream_clock_step(&clock, row + 1, arrival_ns);
  }
}

struct sensor_frame walk_log_frame(struct walk_log *log, const struct robot *robot, size_t row) {
  const int64_t t_ns = 1000000000 + (int64_t)llround(1e9 * walk_log_t(log, row));
  const struct stream_stamp stamp = {.present = true, .fresh = true, .seq = row + 1, .t_ns = t_ns};
  for (size_t j = 0; j < robot->model.n_joints; j++) {
    char name[80];
    snprintf(name, sizeof(name), "q_%s", robot->model.joint[j].name);
    const size_t c = find(log, name);
    log->q[j] = c < log->n_columns ? log->value[row][c] : 0.0; /* not logged: it does not move */
  }
  return (struct sensor_frame){
      .t_ns = t_ns,
      .joints = {.stamp = stamp, .q = log->q},
      .imu = {.stamp = stamp,
              .specific_force = vec3_from(at(log, row, "imu_acc_x")),
              .angular_rate = vec3_from(at(log, row, "imu_gyro_x"))},
  };
}

struct captured walk_log_captured(const struct walk_log *log, size_t row) {
  const size_t half = WALK_LOG_EDGE;
  const vec3 before = vec3_from(at(log, row - half, "base_pos_x")),
             after = vec3_from(at(log, row + half, "base_pos_x"));
  const double dt = walk_log_t(log, row + half) - walk_log_t(log, row - half);
  const vec3 rpy = vec3_from(at(log, row, "base_rpy_x"));
  const mat3 turn = mat3_from_rpy((vec3){0.0, 0.0, -rpy.z});
  return (struct captured){
      .position = vec3_from(at(log, row, "base_pos_x")),
      .rpy = rpy,
      .velocity = mat3_mul_vec3(&turn, vec3_scale(1.0 / dt, vec3_sub(after, before))),
  };
}
