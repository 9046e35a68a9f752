#include "joints/joint_settle.h"

#include "joints/joint_filter_core.h"
#include "model/motion.h"

#include <math.h>
#include <string.h>

/* Of a bias that nothing can excite, (per s^2)^2: keeps the covariance definite for ever. */
static const double SMALLEST_VARIANCE = 1e-12;

void joint_settle_priors(struct joint_filter *f) {
  const size_t first = f->layout.ddq - f->layout.nonlinear;
  for (size_t j = 0; j < f->layout.n; j++) {
    f->jump.allowed[first + j] = f->link_bias.observed[j];
    f->bias_prior[j] = fmax(link_bias_prior(&f->link_bias, j), SMALLEST_VARIANCE);
  }
  const double ratio = f->link_bias.settings.ratio;
  const vec3 noise = f->link_bias.noise[0].ang;
  const double largest = fmax(noise.x, fmax(noise.y, noise.z));
  f->bias_ang_prior = fmax(ratio * ratio * largest, SMALLEST_VARIANCE);
}

/* The base origin's specific force by the IMU, base coordinates; NULL when it sits elsewhere. */
static const vec3 *imu_force(const struct joint_filter *f, const struct instant *instant,
                             vec3 *force) {
  if (f->robot->imu_link != 0 || !(instant->streams & STREAM_IMU)) {
    return NULL;
  }
  const struct pose *imu = &f->robot->imu_placement;
  const struct motion read = {vec3_from(instant->x + f->layout.omegadot),
                              mat3_mul_vec3(&imu->R, instant->force)};
  *force = point_acceleration(&read, vec3_from(instant->x + f->layout.omega), vec3_neg(imu->p));
  return vec3_is_finite(*force) ? force : NULL;
}

static void settle_skin(struct joint_filter *f, const struct instant *instant) {
  const double dt =
      f->settled_skin_ns == 0 ? 0.0 : (double)(instant->t_ns - f->settled_skin_ns) * 1e-9;
  vec3 force;
  link_bias_step(&f->link_bias, &f->bank, dt, &f->layout, instant->x, f->fixed_force,
                 instant->block, instant->n_blocks, imu_force(f, instant, &force));
  f->settled_skin_ns = instant->t_ns;
  joint_settle_priors(f);
}

void joint_settle_step(struct joint_filter *f) {
  const struct instant *oldest = f->instants.at[0];
  if (oldest->t_ns <= f->settled_ns) {
    return;
  }
  if (f->settled_ns > 0) {
    motion_bank_predict(&f->bank, (double)(oldest->t_ns - f->settled_ns) * 1e-9);
  }
  f->settled_ns = oldest->t_ns;
  if (oldest->filtered & STREAM_JOINTS) {
    for (size_t j = 0; j < f->layout.n; j++) {
      if (oldest->q_used[j]) {
        motion_bank_position(&f->bank, j, oldest->q[j], f->encoder_sd[j]);
      }
    }
  }
  if (oldest->filtered & STREAM_SKIN) {
    settle_skin(f, oldest);
  }
  motion_bank_weigh(&f->bank);
  if (f->settings.adapt_density) {
    memcpy(f->density, f->bank.fitted, f->layout.n * sizeof(double));
  }
}
