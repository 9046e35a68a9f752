#include "centroidal/foot_wrench.h"

#include "body/frames.h"
#include "numerics/small_matrix.h"
#include "robot/reading_check.h"

#include <math.h>

enum { W = 6 };

/* What a foot without a sole bears of moments, m times the weight: a ball rolls. */
static const double POINT_MOMENT = 1e-3;

struct foot_wrench_settings foot_wrench_defaults(void) {
  return (struct foot_wrench_settings){.torque_sd = 1.0, .force_sd = 1.0, .moment_sd = 0.1};
}

enum status foot_wrench_init(struct foot_wrench *feet, const struct robot *robot,
                             const struct foot_wrench_settings *settings, struct arena *arena) {
  if (!(settings->torque_sd > 0.0 && settings->force_sd > 0.0 && settings->moment_sd > 0.0)) {
    return STATUS_OUT_OF_RANGE;
  }
  *feet = (struct foot_wrench){.settings = *settings, .robot = robot};
  feet->tau = ARENA_ARRAY(arena, double, robot->model.n_joints);
  return rnea_init(&feet->rnea, &robot->model, arena);
}

static vec3 sole_of(const struct foot_wrench *feet, const struct kinematics *kin, size_t foot) {
  const struct model_frame *frame = &feet->robot->foot[foot];
  return frame_pose(kin, frame->link, &frame->placement).p;
}

enum status foot_wrench_by_sensors(const struct foot_wrench *feet, const struct kinematics *kin,
                                   const struct wrench_reading *reading,
                                   struct foot_wrenches *out) {
  const struct robot *robot = feet->robot;
  struct foot_wrenches sum = {.source = FOOT_BY_SENSORS};
  bool has[ROBOT_MAX_FEET] = {false};
  if (!reading->stamp.present || reading->n_sensors != robot->n_wrench) {
    return STATUS_STALE;
  }
  for (size_t s = 0; s < robot->n_wrench; s++) {
    const struct force *read = &reading->wrench[s];
    for (size_t foot = 0; foot < robot->n_feet; foot++) {
      if (robot->wrench[s].link != robot->foot[foot].link) {
        continue;
      }
      if (!is_plausible(read->lin, LARGEST_LOAD) || !is_plausible(read->ang, LARGEST_LOAD)) {
        return STATUS_TOO_FEW;
      }
      const struct pose X = frame_pose(kin, robot->wrench[s].link, &robot->wrench[s].placement);
      const vec3 f = mat3_mul_vec3(&X.R, read->lin),
                 lever = vec3_sub(X.p, sole_of(feet, kin, foot));
      const struct force at_sole = {vec3_add(mat3_mul_vec3(&X.R, read->ang), vec3_cross(lever, f)),
                                    f};
      sum.wrench_B[foot] = force_add(&sum.wrench_B[foot], &at_sole);
      has[foot] = true;
    }
  }
  for (size_t foot = 0; foot < robot->n_feet; foot++) {
    if (!has[foot]) {
      return STATUS_TOO_FEW;
    }
  }
  if (robot->n_feet == 0) {
    return STATUS_TOO_FEW;
  }
  *out = sum;
  return STATUS_OK;
}

/* Least squares of one leg, about the wrench that is expected: moment zero, force `expected`. up:
 * in, unit; load_sd: out, N along it. */
static enum status solve_leg(const struct foot_wrench *feet, const struct kinematics *kin,
                             size_t foot, const double *effort, vec3 expected, vec3 up,
                             double weight, struct force *out, double *load_sd) {
  const struct foot_wrench_settings *s = &feet->settings;
  const struct model *model = &feet->robot->model;
  const double moment_sd = feet->robot->n_feet > ROBOT_MAX_SOLES ? POINT_MOMENT : s->moment_sd;
  const vec3 sole = sole_of(feet, kin, foot);
  double A[W][W] = {{0.0}}, b[W] = {0.0};
  for (int i = 0; i < W; i++) {
    const double sd = weight * (i < 3 ? moment_sd : s->force_sd);
    A[i][i] = 1.0 / (sd * sd);
  }
  for (int link = (int)feet->robot->foot[foot].link; link > 0; link = model->parent[link]) {
    const size_t j = (size_t)link - 1;
    const struct motion S = kinematics_S_B(kin, j);
    const vec3 v = vec3_add(S.lin, vec3_cross(S.ang, sole));
    const double row[W] = {S.ang.x, S.ang.y, S.ang.z, v.x, v.y, v.z};
    const double r = feet->tau[j] - effort[j] - vec3_dot(v, expected);
    for (int i = 0; i < W; i++) {
      b[i] += row[i] * r / (s->torque_sd * s->torque_sd);
      for (int k = 0; k < W; k++) {
        A[i][k] += row[i] * row[k] / (s->torque_sd * s->torque_sd);
      }
    }
  }
  if (!small_cholesky_lower(W, A[0])) {
    return STATUS_SINGULAR;
  }
  small_cholesky_solve(W, A[0], b);
  *out = (struct force){vec3_from(b), vec3_add(expected, vec3_from(b + 3))};
  double along[W] = {0.0, 0.0, 0.0, up.x, up.y, up.z};
  small_cholesky_solve(W, A[0], along);
  *load_sd = sqrt(vec3_dot(up, vec3_from(along + 3)));
  return STATUS_OK;
}

enum status foot_wrench_by_torques(struct foot_wrench *feet, const struct kinematics *kin,
                                   const struct inertia *inertia, const double *effort,
                                   const vec3 *expected_B, vec3 up_B, double weight,
                                   struct foot_wrenches *out) {
  struct foot_wrenches found = {.source = FOOT_BY_TORQUES};
  enum status status = rnea_step(&feet->rnea, kin, inertia, NULL, WITH_DRIVES, NULL, feet->tau);
  for (size_t foot = 0; foot < feet->robot->n_feet && status == STATUS_OK; foot++) {
    status = solve_leg(feet, kin, foot, effort, expected_B[foot], up_B, weight,
                       &found.wrench_B[foot], &found.load_sd[foot]);
  }
  if (status == STATUS_OK) {
    *out = found;
  }
  return status;
}

struct force foot_wrench_sum(const struct foot_wrench *feet, const struct kinematics *kin,
                             const struct foot_wrenches *wrenches, vec3 at_B) {
  struct force sum = {VEC3_ZERO, VEC3_ZERO};
  for (size_t foot = 0; foot < feet->robot->n_feet; foot++) {
    const struct force *w = &wrenches->wrench_B[foot];
    const vec3 lever = vec3_sub(sole_of(feet, kin, foot), at_B);
    const struct force at = {vec3_add(w->ang, vec3_cross(lever, w->lin)), w->lin};
    sum = force_add(&sum, &at);
  }
  return sum;
}
