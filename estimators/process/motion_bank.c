#include "process/motion_bank.h"

#include "numerics/lane_log.h"
#include "numerics/register_lanes.h"
#include "process/joint_chains.h"

#include <math.h>
#include <string.h>

ISA_KERNEL(motion_bank_init)
ISA_KERNEL(motion_bank_reset)
ISA_KERNEL(motion_bank_predict)
ISA_KERNEL(motion_bank_position)
ISA_KERNEL(motion_bank_acceleration)
ISA_KERNEL(motion_bank_weigh)

enum { CHAIN = 4, DDQ = 2, BIAS = 4 };

/* Where a joint may stand when nothing is known: per s, per s^2, per s^3. */
static const double FIRST_SD[CHAIN] = {0.0, 2.0, 20.0, 500.0};

enum status ISA(motion_bank_init)(struct motion_bank *bank, size_t n_joints,
                                  const struct motion_bank_settings *settings,
                                  struct arena *arena) {
  const struct motion_bank_settings *s = settings;
  if (!(s->density_min > 0.0) || !(s->density_max >= s->density_min) || !(s->memory_s > 0.0) ||
      !(s->bias_ratio >= 0.0) || !(s->bias_time_s > 0.0) || !(s->jump_gate > 0.0)) {
    return STATUS_OUT_OF_RANGE;
  }
  *bank = (struct motion_bank){.settings = *settings, .n = n_joints};
  bank->joint = ARENA_ARRAY(arena, struct bank_joint, n_joints);
  bank->fitted = ARENA_ARRAY(arena, double, n_joints);
  bank->bias = ARENA_ARRAY(arena, double, n_joints);
  bank->bias_variance = ARENA_ARRAY(arena, double, n_joints);
  const double ratio = s->density_max / s->density_min;
  for (int lane = 0; lane < BANK_LANES; lane++) {
    bank->density[lane] = s->density_min * pow(ratio, (double)lane / (BANK_LANES - 1));
  }
  return !arena_is_counting(arena) && arena->failed ? STATUS_NO_MEMORY : STATUS_OK;
}

static void reset_joint(struct bank_joint *joint, double q, double sd) {
  memset(joint, 0, sizeof(*joint));
  for (int lane = 0; lane < BANK_LANES; lane++) {
    joint->x[0][lane] = q;
    joint->P[0][0][lane] = sd * sd;
    for (int i = 1; i < CHAIN; i++) {
      joint->P[i][i][lane] = FIRST_SD[i] * FIRST_SD[i];
    }
  }
}

void ISA(motion_bank_reset)(struct motion_bank *bank, const double *q, const double *sd) {
  for (size_t j = 0; j < bank->n; j++) {
    reset_joint(&bank->joint[j], q[j], sd[j]);
  }
  ISA(motion_bank_weigh)(bank);
}

/* What one step of dt does, the same for all joints. */
struct passage {
  double taylor[CHAIN];       /* dt^k / k! */
  double noise[CHAIN][CHAIN]; /* of unit density */
  double bias_decay;
  double forget;
};

/* The hypotheses that one register holds, of a number that begins at `of`. */
ISA_INLINE lanes *part(double *of, int lane) {
  return (lanes *)(of + lane);
}

/* v = F v: the derivatives' Taylor series, and the bias fades. */
ISA_INLINE void integrate(lanes v[BANK_STATES], const struct passage *step) {
  v[0] += step->taylor[1] * v[1] + step->taylor[2] * v[2] + step->taylor[3] * v[3];
  v[1] += step->taylor[1] * v[2] + step->taylor[2] * v[3];
  v[2] += step->taylor[1] * v[3];
  v[BIAS] *= step->bias_decay;
}

/* The same of numbers that begin at `of`, `apart` from each other. */
ISA_INLINE void integrate_at(bank_lanes *of, size_t apart, const struct passage *step, int lane) {
  lanes v[BANK_STATES];
  LANES_UNROLL for (size_t i = 0; i < BANK_STATES; i++) {
    v[i] = *part(of[i * apart], lane);
  }
  integrate(v, step);
  LANES_UNROLL for (size_t i = 0; i < BANK_STATES; i++) {
    *part(of[i * apart], lane) = v[i];
  }
}

/* x = F x, P = F P F^T + noise. */
ISA_INLINE void integrate_joint(struct bank_joint *joint, const struct passage *step, lanes density,
                                int lane) {
  integrate_at(joint->x, 1, step, lane);
  for (int k = 0; k < BANK_STATES; k++) {
    integrate_at(&joint->P[0][k], BANK_STATES, step, lane);
  }
  for (int k = 0; k < BANK_STATES; k++) {
    integrate_at(joint->P[k], 1, step, lane);
    for (int a = 0; a < CHAIN && k < CHAIN; a++) {
      *part(joint->P[k][a], lane) += step->noise[k][a] * density;
    }
  }
  *part(joint->P[BIAS][BIAS], lane) +=
      joint->bias_prior * (1.0 - step->bias_decay * step->bias_decay);
}

void ISA(motion_bank_predict)(struct motion_bank *bank, double dt) {
  const struct motion_bank_settings *s = &bank->settings;
  struct passage step = {.taylor = {1.0, dt, dt * dt / 2.0, dt * dt * dt / 6.0},
                         .bias_decay = exp(-dt / s->bias_time_s),
                         .forget = exp(-dt / s->memory_s)};
  for (unsigned a = 0; a < CHAIN; a++) {
    for (unsigned b = 0; b < CHAIN; b++) {
      step.noise[a][b] = chain_noise(CHAIN - 1 - a, CHAIN - 1 - b, dt);
    }
  }
  for (size_t j = 0; j < bank->n; j++) {
    for (int lane = 0; lane < BANK_LANES; lane += LANES) {
      integrate_joint(&bank->joint[j], &step, *part(bank->density, lane), lane);
      *part(bank->joint[j].score, lane) *= step.forget;
    }
  }
}

/* log of each lane's likelihood, an outlier's bounded by `cap`. */
ISA_INLINE void add_score(struct bank_joint *joint, bank_lanes nu, bank_lanes S, double cap) {
  bank_lanes counted;
  for (int lane = 0; lane < BANK_LANES; lane++) {
    const double square = nu[lane] * nu[lane] / S[lane];
    counted[lane] = square < cap ? square : cap;
  }
  for (int lane = 0; lane < BANK_LANES; lane += LANES) {
    *part(joint->score, lane) -= 0.5 * (*part(counted, lane) + lane_log(*part(S, lane)));
  }
}

/* One scalar measurement with covariance `column` to the states. Both halves of P are written from
 * one: what rounding makes unequal no measurement takes away, and the chain would let it grow. */
ISA_INLINE void correct(struct bank_joint *joint, bank_lanes column[BANK_STATES], bank_lanes nu,
                        bank_lanes S) {
  for (int lane = 0; lane < BANK_LANES; lane += LANES) {
    for (int i = 0; i < BANK_STATES; i++) {
      const lanes gain = *part(column[i], lane) / *part(S, lane);
      *part(joint->x[i], lane) += gain * *part(nu, lane);
      for (int k = 0; k <= i; k++) {
        const lanes P = *part(joint->P[i][k], lane) - gain * *part(column[k], lane);
        *part(joint->P[i][k], lane) = *part(joint->P[k][i], lane) = P;
      }
    }
  }
}

/* False when a hypothesis has lost its numbers. */
ISA_INLINE bool is_sound(const bank_lanes nu, const bank_lanes variance) {
  bool sound = true;
  for (int lane = 0; lane < BANK_LANES; lane++) {
    sound = sound && isfinite(nu[lane]) && variance[lane] > 0.0;
  }
  return sound;
}

void ISA(motion_bank_position)(struct motion_bank *bank, size_t j, double q, double sd) {
  struct bank_joint *joint = &bank->joint[j];
  const double gate = bank->settings.jump_gate;
  bank_lanes column[BANK_STATES], nu, S;
  for (int lane = 0; lane < BANK_LANES; lane++) {
    for (int i = 0; i < BANK_STATES; i++) {
      column[i][lane] = joint->P[i][0][lane];
    }
    nu[lane] = q - joint->x[0][lane];
    S[lane] = column[0][lane] + sd * sd;
  }
  if (!is_sound(nu, column[0])) {
    reset_joint(joint, q, sd);
    bank->repairs++;
    return;
  }
  add_score(joint, nu, S, gate);
  for (int lane = 0; lane < BANK_LANES; lane++) { /* an encoder's outlier pulls no more than that */
    const double pulled = nu[lane] * nu[lane] / gate;
    S[lane] = pulled > S[lane] ? pulled : S[lane];
  }
  correct(joint, column, nu, S);
}

void ISA(motion_bank_acceleration)(struct motion_bank *bank, size_t j, double ddq,
                                   double variance) {
  struct bank_joint *joint = &bank->joint[j];
  const double ratio = bank->settings.bias_ratio, gate = bank->settings.jump_gate;
  if (joint->bias_prior == 0.0) {
    for (int lane = 0; lane < BANK_LANES; lane++) {
      joint->P[BIAS][BIAS][lane] += ratio * ratio * variance;
    }
  }
  joint->bias_prior = ratio * ratio * variance;
  bank_lanes column[BANK_STATES], nu, S;
  for (int lane = 0; lane < BANK_LANES; lane++) {
    nu[lane] = ddq - joint->x[DDQ][lane] - joint->x[BIAS][lane];
    S[lane] = joint->P[DDQ][DDQ][lane] + 2.0 * joint->P[DDQ][BIAS][lane] +
              joint->P[BIAS][BIAS][lane] + variance;
  }
  add_score(joint, nu, S, gate);
  for (int lane = 0; lane < BANK_LANES; lane++) { /* a jump: as joint_jump.h, p = nu^2 - S */
    const double square = nu[lane] * nu[lane];
    if (square / S[lane] > gate) {
      joint->P[DDQ][DDQ][lane] += square - S[lane];
      S[lane] = square;
    }
  }
  for (int lane = 0; lane < BANK_LANES; lane++) {
    for (int i = 0; i < BANK_STATES; i++) {
      column[i][lane] = joint->P[i][DDQ][lane] + joint->P[i][BIAS][lane];
    }
  }
  correct(joint, column, nu, S);
}

/* The densities' logarithms are averaged: they lie evenly there. */
void ISA(motion_bank_weigh)(struct motion_bank *bank) {
  const double low = log(bank->settings.density_min);
  const double step =
      log(bank->settings.density_max / bank->settings.density_min) / (BANK_LANES - 1);
  for (size_t j = 0; j < bank->n; j++) {
    const struct bank_joint *joint = &bank->joint[j];
    double best = joint->score[0], sum = 0.0, place = 0.0, bias = 0.0, square = 0.0;
    for (int lane = 1; lane < BANK_LANES; lane++) {
      best = joint->score[lane] > best ? joint->score[lane] : best;
    }
    for (int lane = 0; lane < BANK_LANES; lane++) {
      const double weight = exp(joint->score[lane] - best), b = joint->x[BIAS][lane];
      sum += weight;
      place += weight * lane;
      bias += weight * b;
      square += weight * (b * b + joint->P[BIAS][BIAS][lane]);
    }
    if (!isfinite(place / sum)) {
      continue; /* the next position mends it */
    }
    bank->fitted[j] = exp(low + step * place / sum);
    bank->bias[j] = bias / sum;
    bank->bias_variance[j] = square / sum - bank->bias[j] * bank->bias[j];
  }
}
