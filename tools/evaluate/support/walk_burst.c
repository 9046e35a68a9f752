#include "support/walk_burst.h"

#include <math.h>
#include <string.h>

static const double WATCH_S = 2.0, RECOVER_S = 1.0, LIE_S = 0.1;

static const struct {
  const char *name;
  const char *prefix[4]; /* of the log's columns */
  struct burst_channel channel;
} sensors[WALK_SENSORS] = {
    {"gyro", {"imu_gyro"}, {BURST_FULL_GYRO, BURST_OFFSET_RATE, 0.01}},
    {"accelerometer", {"imu_acc"}, {BURST_FULL_ACCELEROMETER, BURST_OFFSET_FORCE, 0.1}},
    {"IMU", {"imu"}, {BURST_FULL_GYRO, BURST_OFFSET_RATE, 0.01}},
    {"upper body",
     {"q_torso", "q_neck", "q_l_shoulder", "q_r_shoulder"},
     {BURST_FULL_ENCODER, BURST_OFFSET_ENCODER, 1e-3}},
    {"leg", {"q_l_hip", "q_l_knee", "q_l_ankle"}, {BURST_FULL_ENCODER, BURST_OFFSET_ENCODER, 1e-3}},
    {"knee", {"q_l_knee"}, {BURST_FULL_ENCODER, BURST_OFFSET_ENCODER, 1e-3}},
};

const char *walk_sensor_name(size_t sensor) {
  return sensor < WALK_SENSORS ? sensors[sensor].name : NULL;
}

static bool is_hit(const struct walk_burst *burst, const char *column) {
  bool hit = false;
  for (size_t p = 0; p < 4 && sensors[burst->sensor].prefix[p] != NULL; p++) {
    const char *prefix = sensors[burst->sensor].prefix[p];
    hit = hit || strncmp(column, prefix, strlen(prefix)) == 0;
  }
  return hit;
}

/* The offset of an IMU goes onto one axis: x of the accelerometer, y of the gyro. */
static struct burst_channel channel_of(const struct walk_burst *burst, const char *column) {
  const bool imu = strncmp(column, "imu_", 4) == 0, force = strncmp(column, "imu_acc", 7) == 0;
  struct burst_channel channel =
      sensors[imu ? (force ? WALK_ACCELEROMETER : WALK_GYRO) : burst->sensor].channel;
  const char axis = column[strlen(column) - 1];
  channel.offset = imu && axis != (force ? 'x' : 'y') ? 0.0 : channel.offset;
  return channel;
}

/* The rows that are hit: from the first one on, not as far as the last. */
static void rows_of(const struct walk_burst *burst, const struct walk_log *log, size_t *first,
                    size_t *last) {
  size_t row = 0;
  while (row < log->n && walk_log_t(log, row) < burst->start_s) {
    row++;
  }
  *first = row;
  while (row < log->n &&
         (row == *first || walk_log_t(log, row) < burst->start_s + burst->length_s)) {
    row++;
  }
  *last = row;
}

void walk_burst_apply(const struct walk_burst *burst, struct walk_log *log) {
  size_t first, last;
  struct sim_random random = sim_random_from(burst->sensor, burst->kind);
  rows_of(burst, log, &first, &last);
  for (size_t c = 0; c < log->n_columns; c++) {
    const struct burst_channel channel = channel_of(burst, log->name[c]);
    const double held = log->value[first][c];
    for (size_t row = first; row < last && is_hit(burst, log->name[c]); row++) {
      log->value[row][c] = burst_spoil(burst->kind, &channel, log->value[row][c], held, &random);
    }
  }
}

/* Between the verticals of the two in base coordinates, and of any joint; what is no number is far
 * off. */
static double tilted(const struct walk_said *said, const struct walk_said *sound, size_t row) {
  const vec3 off = vec3_sub(vec3_from(said->R[row].m[2]), vec3_from(sound->R[row].m[2]));
  return isnan(vec3_norm(off)) ? HUGE_VAL : vec3_norm(off);
}

static double moved(const struct walk_said *said, const struct walk_said *sound, size_t row,
                    size_t n) {
  double most = 0.0;
  for (size_t j = 0; j < n; j++) {
    const double off = fabs(said->q[row][j] - sound->q[row][j]);
    most = isnan(off) ? HUGE_VAL : fmax(most, off);
  }
  return most;
}

struct walk_harm walk_burst_harm(const struct walk_burst *burst, const struct walk_log *log,
                                 const struct robot *robot, const struct walk_said *said,
                                 const struct walk_said *sound) {
  struct walk_harm harm = {.tilt = 0.0};
  size_t first, last;
  rows_of(burst, log, &first, &last);
  const double ended = walk_log_t(log, last - 1);
  double lies = 0.0;
  for (size_t row = first; row < log->n && walk_log_t(log, row) < ended + WATCH_S; row++) {
    const double tilt = tilted(said, sound, row),
                 q = moved(said, sound, row, robot->model.n_joints);
    const bool right = tilt < WALK_BURST_TILT && q < WALK_BURST_Q;
    const double dt = walk_log_t(log, row) - walk_log_t(log, row - 1);
    lies = !right && said->fine[row] ? lies + dt : 0.0;
    harm.lie_s = fmax(harm.lie_s, lies);
    harm.tilt = fmax(harm.tilt, tilt);
    harm.q = fmax(harm.q, q);
    if (row >= last && !(right && said->fine[row] >= sound->fine[row])) {
      harm.right_s = walk_log_t(log, row) - ended;
    }
  }
  return harm;
}

bool walk_harm_passes(const struct walk_harm *harm) {
  return harm->right_s < RECOVER_S && harm->lie_s < LIE_S;
}
