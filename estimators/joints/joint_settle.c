#include "joints/joint_settle.h"

#include "joints/joint_filter_core.h"
#include "model/motion.h"
#include "process/base_process.h"

#include <math.h>
#include <string.h>

/* Of a bias that nothing can excite, (per s^2)^2: keeps the covariance definite for ever. */
static const double SMALLEST_VARIANCE = 1e-12;
/* A body of which skin has seen one joint jump is this lively, (rad/s^4)^2 s, until the bank has
 * seen it. */
static const double WOKEN_DENSITY = 1e5;
/* One that encoders alone have seen begin is as lively as they can follow within so many readings,
 * for as long as the bank takes to see it. */
static const double FOLLOWED_WITHIN = 9.0;
static const int64_t BEGINS_NS = 20000000;

static double largest_of(vec3 v) {
  return fmax(v.x, fmax(v.y, v.z));
}

/* The world's upward axis in the base, as far as the filter knows: else any. */
static vec3 upwards(const struct joint_filter *f) {
  const struct joint_layout *l = &f->layout;
  const double *x = f->instants.count > 0 ? f->instants.at[0]->x : NULL;
  if (x == NULL || l->base == 0) {
    return (vec3){1.0, 1.0, 1.0};
  }
  if (!f->base_started) {
    const vec3 force = vec3_from(x + l->force);
    return vec3_scale(1.0 / fmax(vec3_norm(force), 1.0), force);
  }
  const mat3 R = mat3_from_quat(base_process_rotation(l, x));
  return (vec3){R.m[2][0], R.m[2][1], R.m[2][2]};
}

/* A gain that all skin has in common shows in gravity, so along the vertical. */
static void set_linear_priors(struct joint_filter *f, double mounting) {
  double up[3];
  vec3_to(upwards(f), up);
  for (size_t i = 0; i < 3; i++) {
    const double common = f->settings.cell_common * up[i];
    f->bias_lin_prior[i] = fmax(mounting + common * common, SMALLEST_VARIANCE);
  }
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
  set_linear_priors(f, ratio * ratio * largest_of(noise->lin));
}

static void settle_skin(struct joint_filter *f, const struct instant *instant) {
  struct base_motion fixed = {.X_WB = POSE_IDENTITY, .a_B.lin = f->fixed_force};
  if (f->limb != NULL) {
    fixed.v_B.ang = instant->carried_rate;
    fixed.a_B = instant->carried;
  }
  joint_skin_step(&f->skin, &f->bank, &f->layout, instant->x, &fixed, instant->block,
                  instant->n_blocks);
  joint_settle_priors(f);
}

/* Until then all joints are livelier than the bank says. */
static void liven(struct joint_filter *f, int64_t t_ns) {
  for (size_t j = 0; j < f->layout.n; j++) {
    const double jumped = t_ns < f->woken_ns ? WOKEN_DENSITY : 0.0;
    const double leant = t_ns < f->begins_ns ? f->begins_density[j] : 0.0;
    f->density[j] = fmax(f->density[j], fmax(jumped, leant));
  }
}

void joint_settle_wake(struct joint_filter *f, int64_t t_ns) {
  f->woken_ns = t_ns;
  aftershock_begin(&f->aftershock);
  liven(f, t_ns - 1);
}

void joint_settle_begin(struct joint_filter *f, int64_t t_ns, double dt) {
  const double within_s = FOLLOWED_WITHIN * dt;
  for (size_t j = 0; j < f->layout.n; j++) {
    f->begins_density[j] = dt * f->encoder_sd[j] * f->encoder_sd[j] / pow(within_s, 8.0);
  }
  f->begins_ns = t_ns + BEGINS_NS;
  aftershock_begin(&f->aftershock);
  liven(f, t_ns);
}

void joint_settle_step(struct joint_filter *f) {
  const size_t window = f->instants.capacity - INSTANTS_KEEP_EVERY + 1, count = f->instants.count;
  const struct instant *oldest = count >= window ? f->instants.at[count - window] : NULL;
  if (oldest == NULL || oldest->t_ns <= f->settled_ns) {
    return;
  }
  if (f->settled_ns > 0) {
    motion_bank_predict(&f->bank, (double)(oldest->t_ns - f->settled_ns) * 1e-9);
  }
  f->settled_ns = oldest->t_ns;
  for (size_t j = 0; j < f->layout.n && oldest->blow.square > 0.0; j++) {
    const struct knock knock = blows_knock(&f->blows, j, oldest->blow);
    motion_bank_knock(&f->bank, j, knock.dq, knock.ddq);
  }
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
    liven(f, oldest->t_ns);
    joint_limbs_enliven(&f->limbs, &f->robot->model, f->density);
  }
}
