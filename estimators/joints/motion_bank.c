#include "joints/motion_bank.h"

#include "joints/joint_process.h"
#include "math/dispatch.h"

#include <math.h>
#include <string.h>

enum { CHAIN = 4, DDQ = 2, BIAS = 4 };

/* Where a joint may stand when nothing is known: per s, per s^2, per s^3. */
static const double FIRST_SD[CHAIN] = {0.0, 2.0, 20.0, 500.0};

#define INLINE static inline __attribute__((always_inline))

enum status motion_bank_init(struct motion_bank *bank, size_t n_joints,
                             const struct motion_bank_settings *settings, struct arena *arena) {
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

void motion_bank_reset(struct motion_bank *bank, const double *q, const double *sd) {
  for (size_t j = 0; j < bank->n; j++) {
    reset_joint(&bank->joint[j], q[j], sd[j]);
  }
  motion_bank_weigh(bank);
}

/* What one step of dt does, the same for all joints. */
struct passage {
  double taylor[CHAIN];       /* dt^k / k! */
  double noise[CHAIN][CHAIN]; /* of unit density */
  double bias_decay;
  double forget;
};

INLINE void predict_joint(struct bank_joint *joint, const struct passage *step,
                          const bank_lanes *density) {
  for (int a = 0; a < CHAIN; a++) {
    for (int b = a + 1; b < CHAIN; b++) {
      const double c = step->taylor[b - a];
      joint->x[a] += c * joint->x[b];
      for (int k = 0; k < BANK_STATES; k++) {
        joint->P[a][k] += c * joint->P[b][k];
      }
    }
  }
  for (int k = 0; k < BANK_STATES; k++) {
    for (int a = 0; a < CHAIN; a++) {
      for (int b = a + 1; b < CHAIN; b++) {
        joint->P[k][a] += step->taylor[b - a] * joint->P[k][b];
      }
    }
    joint->P[k][BIAS] *= step->bias_decay;
  }
  for (int k = 0; k < BANK_STATES; k++) {
    joint->P[BIAS][k] *= step->bias_decay;
    for (int a = 0; a < CHAIN && k < CHAIN; a++) {
      joint->P[k][a] += step->noise[k][a] * *density;
    }
  }
  joint->x[BIAS] *= step->bias_decay;
  joint->P[BIAS][BIAS] += joint->bias_prior * (1.0 - step->bias_decay * step->bias_decay);
  joint->score *= step->forget;
}

FOR_EACH_ISA
void motion_bank_predict(struct motion_bank *bank, double dt) {
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
    predict_joint(&bank->joint[j], &step, &bank->density);
  }
}

/* log of each lane's likelihood, an outlier's bounded by `cap`. */
INLINE void add_score(struct bank_joint *joint, const bank_lanes *square, const bank_lanes *S,
                      double cap) {
  for (int lane = 0; lane < BANK_LANES; lane++) {
    joint->score[lane] -= 0.5 * (fmin((*square)[lane], cap) + log((*S)[lane]));
  }
}

/* One scalar measurement with covariance `column` to the states. Both halves of P are written from
 * one: what rounding makes unequal no measurement takes away, and the chain would let it grow. */
INLINE void correct(struct bank_joint *joint, const bank_lanes column[BANK_STATES],
                    const bank_lanes *nu, const bank_lanes *S) {
  for (int i = 0; i < BANK_STATES; i++) {
    const bank_lanes gain = column[i] / *S;
    joint->x[i] += gain * *nu;
    for (int k = 0; k <= i; k++) {
      joint->P[i][k] -= gain * column[k];
      joint->P[k][i] = joint->P[i][k];
    }
  }
}

/* False when a hypothesis has lost its numbers. */
INLINE bool is_sound(const bank_lanes *nu, const bank_lanes *variance) {
  bool sound = true;
  for (int lane = 0; lane < BANK_LANES; lane++) {
    sound = sound && isfinite((*nu)[lane]) && (*variance)[lane] > 0.0;
  }
  return sound;
}

FOR_EACH_ISA
void motion_bank_position(struct motion_bank *bank, size_t j, double q, double sd) {
  struct bank_joint *joint = &bank->joint[j];
  bank_lanes column[BANK_STATES];
  for (int i = 0; i < BANK_STATES; i++) {
    column[i] = joint->P[i][0];
  }
  const double gate = bank->settings.jump_gate;
  const bank_lanes nu = q - joint->x[0];
  if (!is_sound(&nu, &column[0])) {
    reset_joint(joint, q, sd);
    bank->repairs++;
    return;
  }
  bank_lanes S = column[0] + sd * sd;
  const bank_lanes square = nu * nu / S;
  add_score(joint, &square, &S, gate);
  for (int lane = 0; lane < BANK_LANES; lane++) { /* an encoder's outlier pulls no more than that */
    S[lane] = fmax(S[lane], nu[lane] * nu[lane] / gate);
  }
  correct(joint, column, &nu, &S);
}

FOR_EACH_ISA
void motion_bank_acceleration(struct motion_bank *bank, size_t j, double ddq, double variance) {
  struct bank_joint *joint = &bank->joint[j];
  const double ratio = bank->settings.bias_ratio;
  if (joint->bias_prior == 0.0) {
    joint->P[BIAS][BIAS] += ratio * ratio * variance;
  }
  joint->bias_prior = ratio * ratio * variance;
  const bank_lanes nu = ddq - joint->x[DDQ] - joint->x[BIAS];
  bank_lanes S = joint->P[DDQ][DDQ] + 2.0 * joint->P[DDQ][BIAS] + joint->P[BIAS][BIAS] + variance;
  const bank_lanes square = nu * nu / S;
  add_score(joint, &square, &S, bank->settings.jump_gate);
  for (int lane = 0; lane < BANK_LANES; lane++) { /* a jump: as joint_jump.h, p = nu^2 - S */
    if (square[lane] > bank->settings.jump_gate) {
      joint->P[DDQ][DDQ][lane] += nu[lane] * nu[lane] - S[lane];
      S[lane] = nu[lane] * nu[lane];
    }
  }
  bank_lanes column[BANK_STATES];
  for (int i = 0; i < BANK_STATES; i++) {
    column[i] = joint->P[i][DDQ] + joint->P[i][BIAS];
  }
  correct(joint, column, &nu, &S);
}

/* The densities' logarithms are averaged: they lie evenly there. */
void motion_bank_weigh(struct motion_bank *bank) {
  const double low = log(bank->settings.density_min);
  const double step =
      log(bank->settings.density_max / bank->settings.density_min) / (BANK_LANES - 1);
  for (size_t j = 0; j < bank->n; j++) {
    const struct bank_joint *joint = &bank->joint[j];
    double best = joint->score[0], sum = 0.0, place = 0.0, bias = 0.0, square = 0.0;
    for (int lane = 1; lane < BANK_LANES; lane++) {
      best = fmax(best, joint->score[lane]);
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
