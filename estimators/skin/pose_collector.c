#include "skin/pose_collector.h"

#include <math.h>
#include <string.h>

struct pose_collector_settings pose_collector_defaults(void) {
  return (struct pose_collector_settings){
      .rest_s = 1.0, .joint_still = 0.01, .rate_still = 0.05, .apart = 0.05, .max_poses = 64};
}

enum status pose_collector_init(struct pose_collector *c, const struct robot *robot,
                                const struct pose_collector_settings *settings,
                                struct arena *arena) {
  if (!(settings->rest_s > 0.0 && settings->joint_still > 0.0 && settings->rate_still > 0.0 &&
        settings->apart > 0.0 && settings->max_poses > 0)) {
    return STATUS_OUT_OF_RANGE;
  }
  const size_t n = robot->n_cells, joints = robot->model.n_joints;
  *c = (struct pose_collector){.settings = *settings, .robot = robot};
  c->raw = ARENA_ARRAY(arena, vec3, n * settings->max_poses);
  c->expected = ARENA_ARRAY(arena, vec3, n * settings->max_poses);
  c->n_valid = ARENA_ARRAY(arena, size_t, n);
  c->sum = ARENA_ARRAY(arena, vec3, n);
  c->n_sum = ARENA_ARRAY(arena, size_t, n);
  c->q_start = ARENA_ARRAY(arena, double, joints);
  c->q_sum = ARENA_ARRAY(arena, double, joints);
  c->last_gravity = ARENA_ARRAY(arena, vec3, robot->model.n_links);
  const enum status status = kinematics_init(&c->kin, &robot->model, arena);
  return arena->failed ? STATUS_NO_MEMORY : status;
}

static void begin_rest(struct pose_collector *c, const struct sensor_frame *frame) {
  const size_t joints = c->robot->model.n_joints;
  memset(c->sum, 0, c->robot->n_cells * sizeof(vec3));
  memset(c->n_sum, 0, c->robot->n_cells * sizeof(size_t));
  memset(c->q_sum, 0, joints * sizeof(double));
  memcpy(c->q_start, frame->joints.q, joints * sizeof(double));
  c->force_sum = VEC3_ZERO;
  c->n_force = c->n_joint_frames = 0;
  c->rest_ns = frame->t_ns;
}

static bool is_still(const struct pose_collector *c, const struct sensor_frame *frame) {
  const vec3 w = frame->imu.angular_rate;
  const double limit = c->settings.rate_still;
  if (!c->robot->fixed_base && !(fabs(w.x) < limit && fabs(w.y) < limit && fabs(w.z) < limit)) {
    return false;
  }
  for (size_t j = 0; j < c->robot->model.n_joints; j++) {
    if (!(fabs(frame->joints.q[j] - c->q_start[j]) < c->settings.joint_still)) {
      return false;
    }
  }
  return true;
}

static void add(struct pose_collector *c, const struct sensor_frame *frame) {
  for (size_t j = 0; j < c->robot->model.n_joints; j++) {
    c->q_sum[j] += frame->joints.q[j];
  }
  c->n_joint_frames++;
  if (frame->imu.stamp.fresh && vec3_is_finite(frame->imu.specific_force)) {
    c->force_sum = vec3_add(c->force_sum, frame->imu.specific_force);
    c->n_force++;
  }
  for (size_t k = 0; k < c->robot->n_cells && frame->skin.stamp.fresh; k++) {
    const float *a = frame->skin.acceleration + 3 * k;
    if ((frame->skin.flags[k] & CELL_VALID) != 0 && isfinite(a[0]) && isfinite(a[1]) &&
        isfinite(a[2])) {
      c->sum[k] = vec3_add(c->sum[k], (vec3){(double)a[0], (double)a[1], (double)a[2]});
      c->n_sum[k]++;
    }
  }
}

/* Specific force of rest in base coordinates: that of the IMU, with the length of gravity. */
static vec3 gravity_in_base(const struct pose_collector *c) {
  if (c->robot->fixed_base || c->n_force == 0) {
    return (vec3){0.0, 0.0, STANDARD_GRAVITY};
  }
  const vec3 f_L = mat3_mul_vec3(&c->robot->imu_placement.R, c->force_sum);
  const vec3 f = mat3_mul_vec3(&c->kin.X_BL[c->robot->imu_link].R, f_L);
  return vec3_scale(STANDARD_GRAVITY / vec3_norm(f), f);
}

/* True when gravity points elsewhere than in the last pose, in some link. */
static bool is_new(struct pose_collector *c, vec3 up_B) {
  const double limit = cos(c->settings.apart);
  bool apart = c->n_poses == 0;
  for (size_t i = 0; i < c->robot->model.n_links; i++) {
    const vec3 up_L = vec3_scale(1.0 / STANDARD_GRAVITY, mat3_tmul_vec3(&c->kin.X_BL[i].R, up_B));
    apart = apart || vec3_dot(up_L, c->last_gravity[i]) < limit;
  }
  for (size_t i = 0; i < c->robot->model.n_links && apart; i++) {
    c->last_gravity[i] =
        vec3_scale(1.0 / STANDARD_GRAVITY, mat3_tmul_vec3(&c->kin.X_BL[i].R, up_B));
  }
  return apart;
}

static bool end_rest(struct pose_collector *c) {
  for (size_t j = 0; j < c->robot->model.n_joints; j++) {
    c->q_sum[j] /= (double)c->n_joint_frames;
  }
  c->rest_ns = 0;
  if (kinematics_update_position(&c->kin, c->q_sum) != STATUS_OK) {
    return false;
  }
  const vec3 up_B = gravity_in_base(c);
  if (!is_new(c, up_B)) {
    return false;
  }
  for (size_t k = 0; k < c->robot->n_cells; k++) {
    if (c->n_sum[k] > 0) {
      const struct skin_cell *cell = &c->robot->cell[k];
      const size_t at = k * c->settings.max_poses + c->n_valid[k]++;
      const vec3 up_L = mat3_tmul_vec3(&c->kin.X_BL[cell->link].R, up_B);
      c->raw[at] = vec3_scale(1.0 / (double)c->n_sum[k], c->sum[k]);
      c->expected[at] = mat3_tmul_vec3(&cell->placement.R, up_L);
    }
  }
  c->n_poses++;
  return true;
}

bool pose_collector_step(struct pose_collector *c, const struct sensor_frame *frame) {
  if (!frame->joints.stamp.fresh || c->n_poses == c->settings.max_poses) {
    return false;
  }
  if (c->rest_ns == 0 || !is_still(c, frame)) {
    begin_rest(c, frame);
    return false;
  }
  add(c, frame);
  return (double)(frame->t_ns - c->rest_ns) * 1e-9 >= c->settings.rest_s && end_rest(c);
}
