#include "joints/joint_settle.h"

#include "joints/joint_filter_core.h"
#include "model/motion.h"

#include <math.h>
#include <string.h>

/* Of a bias that nothing can excite, (per s^2)^2: keeps the covariance definite for ever. */
static const double SMALLEST_VARIANCE = 1e-12;

static double largest_of(vec3 v) {
  return fmax(v.x, fmax(v.y, v.z));
}

void joint_settle_priors(struct joint_filter *f) {
  const size_t first = f->layout.ddq - f->layout.nonlinear;
  for (size_t j = 0; j < f->layout.n; j++) {
    f->jump.allowed[first + j] = f->skin.observed[j];
    f->bias_prior[j] = fmax(joint_skin_prior(&f->skin, j), SMALLEST_VARIANCE);
  }
  const double ratio = f->skin.ratio;
  const struct motion *noise = &f->skin.noise[0];
  f->bias_ang_prior = fmax(ratio * ratio * largest_of(noise->ang), SMALLEST_VARIANCE);
  f->bias_lin_prior =
      ratio * ratio * largest_of(noise->lin) + f->settings.cell_common * f->settings.cell_common;
}

static void settle_skin(struct joint_filter *f, const struct instant *instant) {
  joint_skin_step(&f->skin, &f->bank, &f->layout, instant->x, f->fixed_force, instant->block,
                  instant->n_blocks);
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
