/* What the arm weighs and rubs, from a recorded motion: all seven moving bodies at once, physically
 * consistent, with friction, errors of the torque sensors, and how the base leans.
 *
 *   tau_j = (1 + gain_j) Y_j pi + (dY_j/dg pi) lean + zero_j
 *           + sum_i coulomb_ij slide_ij + viscous_j dq_j + stiffness_j q_j + residual
 *
 * Products of unknowns are linearised about the pass before. Torques do not tell all seventy
 * parameters; a weak pull to the description's bodies decides what they leave open.
 *
 * Residuals of a real arm are not white: the gears' ripple averages out, friction that no model has
 * does not. What counts is how much their means over half a second scatter; a shorter span counts
 * as a share of one such measurement. That is found in a few passes. */
#ifndef PANDA_FIT_H
#define PANDA_FIT_H

#include "body/regressor.h"
#include "identify/convex/convex_fit.h"
#include "support/panda_recording.h"

enum {
  PANDA_LINKS = PANDA_JOINTS + 1,
  PANDA_COLUMNS = CONVEX_TEN * PANDA_JOINTS, /* of all bodies */
  PANDA_OWN = PANDA_SLIDERS + 4, /* of each joint: Coulomb, viscous, stiffness, zero, gain */
  PANDA_LEAN = 2,                /* of the upward acceleration, along the base's x and y */
  PANDA_UNKNOWNS = PANDA_COLUMNS + PANDA_OWN * PANDA_JOINTS + PANDA_LEAN,
  PANDA_DECIMATE = 10,
  PANDA_ROWS = PANDA_MOST / PANDA_DECIMATE + 1,
  PANDA_PASSES = 3
};

/* s: friction stays alike for less than this. */
static const double PANDA_SPAN = 0.5;

/* What a fit leaves to choice. Made on this one recording, by what the fit leaves over (travel: the
 * least misfit; gain: about what is found), not by what a stream makes of it; the evaluation shows
 * what they matter. */
struct panda_choice {
  double cutoff_hz; /* of filters without phase: above what moves, below the gears' ripple */
  double travel[PANDA_SLIDERS]; /* rad: over which friction builds up */
  double pull;         /* how far a body may be from the description's, as a share of its size */
  double gain;         /* standard deviation of a torque sensor's gain */
  double from_s, to_s; /* s: what is fitted */
};

struct panda_choice panda_choice(void);

struct panda_nominal {
  struct inertia body[PANDA_LINKS]; /* about the links' origins; [0] is the description's */
  vec3 up; /* m/s^2, base coordinates: what an accelerometer on the base reads */
  double coulomb[PANDA_SLIDERS][PANDA_JOINTS];   /* N m */
  double viscous[PANDA_JOINTS];                  /* N m s/rad */
  double stiffness[PANDA_JOINTS];                /* N m/rad: of cables */
  double zero[PANDA_JOINTS], gain[PANDA_JOINTS]; /* N m; share: a sensor's errors */
  double scatter[PANDA_JOINTS]; /* N m: of means over PANDA_SPAN, what no bodies explain */
  double misfit[PANDA_JOINTS];  /* N m, root mean square: what these bodies leave */
  double delay[PANDA_JOINTS];   /* s: of torques behind motion, as the misfit tells it */
  double gap;                   /* nats: certificate of the last pass */
};

struct panda_rows {
  size_t n;                                           /* instants, every PANDA_DECIMATE-th */
  double Y[PANDA_ROWS][PANDA_JOINTS][PANDA_UNKNOWNS]; /* N m per unit of every unknown */
  double tau[PANDA_ROWS][PANDA_JOINTS];
};

/* The arm's algorithms over one block of memory. */
struct panda_arm {
  struct kinematics kin;
  struct regressor regressor;
  void *memory;
};

/* The kinematics of one instant, the base at rest. */
enum status panda_move(struct kinematics *kin, const struct panda_instant *at, vec3 up);

/* What is left of one joint's torques. */
struct panda_rest {
  double rms;     /* N m */
  double scatter; /* N m, of means over PANDA_SPAN, root mean square, what was fitted counted off */
  double delay;   /* s: by how much torques come after the motion (misalignment.h says why) */
};

/* The same for all joints alike, by their mean variance. */
double panda_noise_over(const struct panda_nominal *nominal, double span);

/* Fits bodies, friction and lean. Statuses of convex_solve. */
enum status panda_fit(const struct robot *robot, const struct panda_motion *motion,
                      const struct panda_choice *choice, struct panda_nominal *out);

/* A joint's Coulomb friction in full, N m. */
double panda_coulomb(const struct panda_nominal *nominal, size_t j);

/* A recorded instant's torques as the model has them: sensors' errors taken off, and friction in
 * the model's form, at once in full where it has only begun to build up. */
void panda_tau(const struct panda_nominal *nominal, const struct panda_instant *at,
               double tau[PANDA_JOINTS]);

#endif
