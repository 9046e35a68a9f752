#include "sine_motion.h"

#include <math.h>
#include <string.h>

/* A number with its first two derivatives in time. */
struct jet2 {
  double x, dx, ddx;
};

static struct jet2 jet_mul(struct jet2 a, struct jet2 b) {
  return (struct jet2){a.x * b.x, a.dx * b.x + a.x * b.dx,
                       a.ddx * b.x + 2.0 * a.dx * b.dx + a.x * b.ddx};
}

static struct jet2 sine_at(const struct sine *sine, double t) {
  const double w = sine->rate, p = w * t + sine->phase, a = sine->amplitude;
  return (struct jet2){a * sin(p), a * w * cos(p), -a * w * w * sin(p)};
}

/* The share of the full amplitude: a quintic between two rests. */
static struct jet2 share_at(const struct sine_motion *sines, double t) {
  const double s = fmax(0.0, fmin(1.0, (t - sines->turn_s) / sines->share_s));
  const double h = sines->to - sines->from, T = sines->share_s;
  return (struct jet2){sines->from + h * s * s * s * (10.0 + s * (6.0 * s - 15.0)),
                       h * 30.0 * s * s * (1.0 - s) * (1.0 - s) / T,
                       h * 60.0 * s * (1.0 - s) * (1.0 - 2.0 * s) / (T * T)};
}

void sine_motion_init(struct sine_motion *sines, const struct model *model) {
  *sines = (struct sine_motion){.n_joints = model->n_joints, .share_s = 1.0};
  sines->motion = (struct robot_motion){.q = sines->q, .dq = sines->dq, .ddq = sines->ddq};
  sine_motion_at(sines, 0.0);
}

static struct sine random_sine(struct sim_random *random, double low, double high, double slow_hz,
                               double fast_hz) {
  return (struct sine){sim_uniform(random, low, high),
                       2.0 * M_PI * sim_uniform(random, slow_hz, fast_hz),
                       sim_uniform(random, -M_PI, M_PI)};
}

static bool is_part(const struct model *model, size_t joint, const char *const word[]) {
  bool is = false;
  for (size_t k = 0; word[k] != NULL; k++) {
    is = is || strstr(model->joint[joint].name, word[k]) != NULL;
  }
  return is;
}

void sine_motion_choose(struct sine_motion *sines, const struct model *model,
                        struct sim_random *random) {
  static const char *const torso[] = {"torso", NULL}, *const legs[] = {"hip", "knee", "ankle",
                                                                       NULL};
  for (size_t j = 0; j < model->n_joints; j++) {
    sines->joint[j] = is_part(model, j, torso)  ? random_sine(random, 0.2, 0.5, 0.3, 0.8)
                      : is_part(model, j, legs) ? random_sine(random, 0.02, 0.1, 0.3, 1.0)
                                                : random_sine(random, 0.1, 0.4, 0.3, 1.0);
  }
  sines->base[SINE_ROLL] = random_sine(random, 0.02, 0.08, 0.2, 0.5);
  sines->base[SINE_PITCH] = random_sine(random, 0.02, 0.08, 0.2, 0.5);
  sines->base[SINE_HEIGHT] = random_sine(random, 0.005, 0.02, 0.3, 0.8);
}

void sine_motion_turn(struct sine_motion *sines, double t, double share, double in_s) {
  sines->from = sines->to;
  sines->to = share;
  sines->turn_s = t;
  sines->share_s = in_s;
}

/* R_WB = R_y(pitch) R_x(roll); rate and acceleration in base coordinates. */
static void move_base(struct base_motion *base, struct jet2 roll, struct jet2 pitch,
                      struct jet2 height) {
  const double cr = cos(roll.x), sr = sin(roll.x), cp = cos(pitch.x), sp = sin(pitch.x);
  base->X_WB = (struct pose){{{{cp, sp * sr, sp * cr}, {0.0, cr, -sr}, {-sp, cp * sr, cp * cr}}},
                             {0.0, 0.0, height.x}};
  base->v_B = (struct motion){{roll.dx, pitch.dx * cr, -pitch.dx * sr}, VEC3_ZERO};
  base->a_B.ang = (vec3){roll.ddx, pitch.ddx * cr - pitch.dx * roll.dx * sr,
                         -pitch.ddx * sr - pitch.dx * roll.dx * cr};
  base->a_B.lin = mat3_tmul_vec3(&base->X_WB.R, (vec3){0.0, 0.0, STANDARD_GRAVITY + height.ddx});
}

void sine_motion_at(struct sine_motion *sines, double t) {
  const struct jet2 share = share_at(sines, t);
  for (size_t j = 0; j < sines->n_joints; j++) {
    const struct jet2 at = jet_mul(share, sine_at(&sines->joint[j], t));
    sines->q[j] = sines->posture[j] + at.x;
    sines->dq[j] = at.dx;
    sines->ddq[j] = at.ddx;
  }
  struct jet2 base[SINE_BASE];
  for (size_t k = 0; k < SINE_BASE; k++) {
    base[k] = jet_mul(share, sine_at(&sines->base[k], t));
  }
  move_base(&sines->motion.base, base[SINE_ROLL], base[SINE_PITCH], base[SINE_HEIGHT]);
}
