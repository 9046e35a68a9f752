#include "joints/stance_witness.h"

#include "process/base_process.h"

#include <string.h>

/* How far a foot must be told to have gone before that is seen, rad and m: legs of wrong lengths
 * and landings have it seem to go by half of that; gravity that is read as zero for .01 s tells
 * more. */
static const double LEAST_SEEN[IMU_TRIADS] = {5e-3, 12e-3};
/* ... and before it is suspected: of an IMU that is right that lasts for some ms. */
static const double LEAST_SUSPECT = 1e-3;
/* A sole that tips moves no further, m per rad. */
static const double SOLE_REACH = 0.2;
/* It has gone there when it has come so far, times that. */
static const double HALF = 0.5, TWICE = 2.0;

void stance_note(struct stance_witness *w, const struct joint_layout *l, const double *x) {
  memcpy(w->foot, x + l->foot, 3 * l->n_feet * sizeof(double));
  for (size_t i = 0; i < l->n_soles; i++) {
    w->sole[i] = base_process_sole(l, i, x);
  }
}

static void hear_of_turn(struct stance_testimony *s, vec3 excess, const struct stance_foot *foot,
                         size_t n, double dt) {
  s->told = s->gained = vec3_axpy(s->gained, dt, excess);
  for (size_t i = 0; i < n; i++) {
    s->gone[i] = vec3_axpy(s->gone[i], dt, foot[i].turn);
    s->moved[i] = vec3_axpy(s->moved[i], dt, foot[i].speed);
  }
}

static void hear_of_push(struct stance_testimony *s, vec3 excess, const struct stance_foot *foot,
                         size_t n, const mat3 *R_WB, double dt) {
  s->gained = vec3_axpy(s->gained, dt, mat3_mul_vec3(R_WB, excess));
  s->told = vec3_axpy(s->told, dt, s->gained);
  for (size_t i = 0; i < n; i++) {
    s->gone[i] = vec3_axpy(s->gone[i], dt, mat3_mul_vec3(R_WB, foot[i].speed));
  }
}

/* Whether a sole has gone as far as told, and not by tipping. */
static bool has_gone(const struct stance_testimony *s, enum imu_triad triad, size_t i) {
  const double far = vec3_norm(s->told), along = vec3_dot(s->gone[i], s->told) / far;
  const bool tips =
      triad == IMU_GYRO && vec3_norm(s->moved[i]) < SOLE_REACH * vec3_norm(s->gone[i]);
  return along > HALF * far && along < TWICE * far && !tips;
}

/* What those say that have stood ever since and would be so far away if it is wrong. */
static enum stance_says say(const struct stance_testimony *s, enum imu_triad triad, size_t n,
                            double least) {
  if (vec3_norm(s->told) <= least) {
    return STANCE_WAITS;
  }
  enum stance_says says = STANCE_SILENT;
  for (size_t i = 0; i < n; i++) {
    if (s->stays[i]) {
      const bool gone = has_gone(s, triad, i);
      says = gone && says != STANCE_FOR ? STANCE_AGAINST : STANCE_FOR;
    }
  }
  return says;
}

bool stance_hear(struct stance_witness *w, enum imu_triad triad, const struct triad_judge *judge,
                 const struct stance_foot *foot, size_t n, const mat3 *R_WB, int64_t t_ns) {
  struct stance_testimony *s = &w->of[triad];
  if (s->first_ns != judge->first_ns) {
    *s = (struct stance_testimony){.first_ns = judge->first_ns, .seen_ns = judge->first_ns};
    for (size_t i = 0; i < n; i++) {
      s->stays[i] = foot[i].stays;
    }
  }
  const double dt = 1e-9 * fmax((double)(t_ns - s->seen_ns), 0.0);
  s->seen_ns = t_ns;
  if (triad == IMU_GYRO) {
    hear_of_turn(s, judge->excess, foot, n, dt);
  } else {
    hear_of_push(s, judge->excess, foot, n, R_WB, dt);
  }
  for (size_t i = 0; i < n; i++) {
    s->stays[i] = s->stays[i] && foot[i].stays;
  }
  s->says = say(s, triad, n, LEAST_SUSPECT);
  return say(s, triad, n, LEAST_SEEN[triad]) == STANCE_AGAINST;
}
