/* A filter's core in the middle of its work, for tests: a random robot, a prior, rows as skin
 * gives them and a reading that fits; and the textbook's filter beside it. */
#ifndef JOINT_UPDATE_FIXTURE_H
#define JOINT_UPDATE_FIXTURE_H

#include "body/kinematics.h"
#include "reference/dense_ukf.h"
#include "skin/skin_fusion.h"
#include "support/synthetic_robot.h"
#include "update/joint_update.h"

struct fixture {
  struct random rng;
  struct robot *robot;
  struct joint_layout layout;
  struct joint_update fast;
  struct dense_ukf dense;
  struct kinematics kin;
  vec3 force; /* of a fixed base */
  struct link_rows block[64];
  size_t n_blocks;
  double q[64], q_sd[64];
  bool q_used[64];
  double q_enough[64];            /* 0 at first */
  double dq_enough, omega_enough; /* likewise */
  bool held[128]; /* q, dq and omega that skin shows at held_x, wherever they are; none at
                          first */
  double held_x[128];
  double *x, *P;
};

struct arena arena_of(size_t used);

void prepare(struct fixture *f, struct arena *arena);

/* A covariance with every pair correlated; deviations like those of a filter at work, times
 * `wide`. */
void draw_prior(struct fixture *f, double wide);

struct fixture fixture(size_t n_joints, bool chain, bool fixed, unsigned rank, double wide);

/* @eq Leboutet22 143: every sensor's prediction for one state, by scalar kinematics. */
void observe(const double *x, double *y, void *context);

/* A reading of a state drawn from the prior. Returns its rows, filled into z. */
size_t take_reading(struct fixture *f, double *z);

#endif
