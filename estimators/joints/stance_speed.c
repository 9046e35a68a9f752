#include "joints/stance_speed.h"

#include "body/frames.h"
#include "body/jacobian.h"
#include "joints/joint_filter_core.h"
#include "process/base_process.h"

#include <math.h>

/* A foot that has come to stand stays where it is from so long after, ns. */
static const int64_t SETTLED_NS = 20000000;
/* One that carries less of the weight may be about to leave: that it slides says nothing. */
static const double LOADED = 0.15;
/* What a jump does to the feet's speed is seen from here on, m/s. */
static const double LEAST_SEEN = 0.15;

/* Rows `first` to `first + 2` of J times the joints' velocities. */
static vec3 by_joints(const double *J, size_t first, size_t n, const double *dq) {
  double v[3] = {0.0, 0.0, 0.0};
  for (size_t k = 0; k < 3; k++) {
    const double *row = J + (first + k) * (6 + n) + 6;
    for (size_t j = 0; j < n; j++) {
      v[k] += row[j] * dq[j];
    }
  }
  return vec3_from(v);
}

static bool touches(struct joint_filter *f, const struct instant *now, size_t i, const mat3 *R_WB,
                    struct stance_foot *at) {
  const struct joint_layout *l = &f->layout;
  const struct model_frame *foot = &f->robot->foot[i];
  if (!now->contact[i].stands ||
      jacobian(&f->kin, foot->link, &foot->placement, JACOBIAN_IN_BASE, f->jacobian) != STATUS_OK) {
    return false;
  }
  const vec3 omega = vec3_from(now->x + l->omega),
             v = mat3_tmul_vec3(R_WB, vec3_from(now->x + l->velocity)),
             down = mat3_tmul_vec3(R_WB, (vec3){0.0, 0.0, -foot->ball_radius});
  const vec3 turn = vec3_add(omega, by_joints(f->jacobian, 0, l->n, now->x + l->dq));
  at->r = frame_pose(&f->kin, foot->link, &foot->placement).p;
  at->turn = turn;
  at->speed =
      vec3_add(vec3_add(v, vec3_cross(omega, at->r)),
               vec3_add(by_joints(f->jacobian, 3, l->n, now->x + l->dq), vec3_cross(turn, down)));
  return true;
}

static mat3 rotation(const struct joint_filter *f, const struct instant *now) {
  return mat3_from_quat(base_process_rotation(&f->layout, now->x));
}

vec3 stance_speed(struct joint_filter *f, const struct instant *now) {
  const mat3 R_WB = rotation(f, now);
  vec3 sum = VEC3_ZERO;
  double feet = 0.0;
  for (size_t i = 0; i < f->layout.n_feet; i++) {
    struct stance_foot foot;
    if (touches(f, now, i, &R_WB, &foot)) {
      sum = vec3_add(sum, foot.speed);
      feet += 1.0;
    }
  }
  return feet > 0.0 ? mat3_mul_vec3(&R_WB, vec3_scale(1.0 / feet, sum)) : VEC3_ZERO;
}

void stance_feet(struct joint_filter *f, const struct instant *now,
                 struct stance_foot foot[ROBOT_MAX_FEET]) {
  const mat3 R_WB = rotation(f, now);
  for (size_t i = 0; i < f->layout.n_feet; i++) {
    const struct base_contact *contact = &now->contact[i];
    foot[i] = (struct stance_foot){.stays = false};
    foot[i].stays = touches(f, now, i, &R_WB, &foot[i]) && !contact->turns && !contact->steep &&
                    now->t_ns - f->foot[i].landed_ns > SETTLED_NS;
  }
}

/* -- points ------------------------------------------------------------------------------------ */

/* How fast a foot slides as `expected`: the slower of that and `least`; none when it does so less
 * than half or more than twice, and as much less than nothing as it was to slide. */
static double sliding(vec3 speed, vec3 expected, double least) {
  const double size = vec3_norm(expected), along = vec3_dot(speed, expected) / size;
  return fmin(least, along > 0.5 * size && along < 2.0 * size ? along : -size);
}

static bool is_seen(vec3 expected) {
  return vec3_norm(expected) >= LEAST_SEEN;
}

double stance_speed_by_turn(struct joint_filter *f, const struct instant *now, vec3 turn) {
  struct stance_foot foot[ROBOT_MAX_FEET];
  double least = HUGE_VAL;
  stance_feet(f, now, foot);
  for (size_t i = 0; i < f->layout.n_feet; i++) {
    for (size_t k = 0; k < i; k++) {
      const vec3 expected = vec3_cross(turn, vec3_sub(foot[i].r, foot[k].r));
      if (foot[i].stays && foot[k].stays && is_seen(expected)) {
        least = sliding(vec3_sub(foot[i].speed, foot[k].speed), expected, least);
      }
    }
  }
  return isfinite(least) ? least : 0.0;
}

double stance_speed_by_push(struct joint_filter *f, const struct instant *now, vec3 gained) {
  struct stance_foot foot[ROBOT_MAX_FEET];
  double least = HUGE_VAL;
  stance_feet(f, now, foot);
  for (size_t i = 0; i < f->layout.n_feet && is_seen(gained); i++) {
    const double slides = sliding(foot[i].speed, gained, HUGE_VAL);
    if (foot[i].stays && now->contact[i].felt && (slides < 0.0 || now->contact[i].share > LOADED)) {
      least = fmin(slides, least);
    }
  }
  return isfinite(least) ? least : 0.0;
}
