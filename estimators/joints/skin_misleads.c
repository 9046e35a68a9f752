#include "joints/skin_misleads.h"

#include "joints/joint_filter_core.h"

#include <math.h>

/* What all skin has in common is off by no more of its deviations. */
static const double LARGEST_COMMON = 8.0;
/* What skin may have turned and moved the base by meanwhile, rad, m/s. */
static const double TURNED = 0.06, MOVED = 0.5;

bool skin_misleads(const struct joint_filter *f, const struct instant *newest) {
  const struct joint_layout *l = &f->layout;
  return l->biases > 0 && f->base_imu && f->judge.triad[IMU_ACCELEROMETER].convicted &&
         vec3_largest(vec3_from(newest->x + l->bias_lin)) >
             LARGEST_COMMON * f->settings.cell_common;
}

/* Three states begin again, with this variance each. */
static void begin_again(const struct joint_layout *l, size_t first, vec3 mean,
                        const double variance[3], struct instant *at) {
  vec3_to(mean, at->x + first);
  if (at->P != NULL) {
    joint_process_forget(l, first, 0.0, at->P);
    for (size_t k = 0; k < 3; k++) {
      at->P[(first + k) * (l->stride + 1)] = variance[k];
    }
  }
}

/* Three states are known no better than this. */
static void open_to(const struct joint_layout *l, size_t first, double sd, double *P) {
  for (size_t k = first; k < first + 3 && P != NULL; k++) {
    P[k * (l->stride + 1)] = fmax(P[k * (l->stride + 1)], sd * sd);
  }
}

void skin_misled_forget(struct joint_filter *f) {
  const struct joint_layout *l = &f->layout;
  const double sd = f->settings.base.accelerometer_bias, variance[3] = {sd * sd, sd * sd, sd * sd};
  for (size_t i = 0; i < f->instants.count; i++) {
    struct instant *at = f->instants.at[i];
    begin_again(l, l->bias_lin, VEC3_ZERO, f->bias_lin_prior, at);
    begin_again(l, l->accelerometer_bias, f->judge.accelerometer_bias, variance, at);
    open_to(l, l->attitude, TURNED, at->P);
    open_to(l, l->velocity, MOVED, at->P);
    at->revision = 0;
  }
  f->preparation.of = NULL;
  imu_judge_reset(&f->judge);
}
