/* How lively each joint moves, and how far its skin's acceleration is off: eight small filters per
 * joint, each believing in another snap density, and the likelihood of each.
 *
 * Every joint is followed by itself, q dq ddq jerk and a bias b of its measured acceleration, from
 * its encoder and, where the skin sees it, from the difference of its link's and its parent's
 * accelerations along its axis. No single density serves: slow motion asks for 1e1, stops for more
 * than 1e8 (rad/s^4)^2 s. Eight hypotheses run side by side in the lanes of vectors; forgetful
 * likelihoods weigh them within a fraction of a second, where a density that is corrected step by
 * step takes many. Only the density and the bias leave the bank: the joint filter does the
 * estimating. */
#ifndef MOTION_BANK_H
#define MOTION_BANK_H

#include "common/arena.h"
#include "common/status.h"

#include <stddef.h>
#include <stdint.h>

enum { BANK_LANES = 8, BANK_STATES = 5 }; /* q dq ddq jerk b */

struct motion_bank_settings {
  double density_min, density_max; /* (rad/s^4)^2 s: of the first and the last hypothesis */
  double memory_s;                 /* s: how long a likelihood is remembered */
  double
      bias_ratio; /* deviation of b, a Gauss-Markov process, to that of one acceleration's noise */
  double bias_time_s; /* s: correlation time of b */
  double jump_gate;   /* innovation squared over variance above which the acceleration has jumped */
};

/* One number of each hypothesis. */
typedef double bank_lanes[BANK_LANES] __attribute__((aligned(64)));

struct bank_joint {
  bank_lanes x[BANK_STATES], P[BANK_STATES][BANK_STATES];
  bank_lanes score;  /* log-likelihood, forgetting */
  double bias_prior; /* variance of b when nothing is known; 0: never measured */
};

struct motion_bank {
  struct motion_bank_settings settings;
  size_t n;
  bank_lanes density; /* of the hypotheses */
  struct bank_joint *joint;
  uint64_t repairs;      /* joints begun anew because a hypothesis lost its numbers */
  double *fitted;        /* [n] (rad/s^4)^2 s: the density that fits now */
  double *bias;          /* [n] per s^2 */
  double *bias_variance; /* [n] */
};

/* [start] STATUS_OUT_OF_RANGE: densities, times or deviations not positive. */
enum status motion_bank_init(struct motion_bank *bank, size_t n_joints,
                             const struct motion_bank_settings *settings, struct arena *arena);

/* Begins again at these positions. [real-time] q: [n] rad or m; sd: [n]. */
void motion_bank_reset(struct motion_bank *bank, const double *q, const double *sd);

/* Time passes: dt > 0 s. [real-time] */
void motion_bank_predict(struct motion_bank *bank, double dt);

/* Joint j's encoder: rad or m, one standard deviation. [real-time] */
void motion_bank_position(struct motion_bank *bank, size_t j, double q, double sd);

/* Joint j's encoder has another zero, by so much, rad or m: nothing has moved. [real-time] */
static inline void motion_bank_shift(struct motion_bank *bank, size_t j, double by) {
  for (int lane = 0; lane < BANK_LANES; lane++) {
    bank->joint[j].x[0][lane] += by;
  }
}

/* Joint j has been knocked: variances of what its velocity and acceleration gained, per s and per
 * s^2, squared. No hypothesis is the better for it. [real-time] */
static inline void motion_bank_knock(struct motion_bank *bank, size_t j, double dq, double ddq) {
  for (int lane = 0; lane < BANK_LANES; lane++) {
    bank->joint[j].P[1][1][lane] += dq;
    bank->joint[j].P[2][2][lane] += ddq;
  }
}

/* Joint j's acceleration as its skin sees it, b included: per s^2, variance. [real-time] */
void motion_bank_acceleration(struct motion_bank *bank, size_t j, double ddq, double variance);

/* Weighs the hypotheses: writes fitted, bias and bias_variance. [real-time] */
void motion_bank_weigh(struct motion_bank *bank);

#endif
