/* The measurement update of the joint filter: the textbook's unscented update, sorted so that a
 * whole humanoid fits into a millisecond.
 *
 * joint_points.h gives whitened rows A = [E D] with Pyy = A A^T + 1 and Pxy = L [0 D]^T. With
 * M = 1 + A^T A it holds that M^-1 A^T = A^T Pyy^-1, hence w = M^-1 A^T nu gives the mean x + L w_D
 * and the D block of M^-1 = 1 - D^T Pyy^-1 D the covariance L (M^-1)_DD L^T. With M = C C^T, E
 * first, (M^-1)_DD = (C_DD C_DD^T)^-1: the trailing factor. D stands in falling order of the state,
 * so that C_DD read backwards is upper triangular and the posterior's factor U^-1 L^T stays upper
 * triangular. Positive definite by construction. Encoders are linear: they add to M. */
#ifndef JOINT_UPDATE_H
#define JOINT_UPDATE_H

#include "update/joint_points.h"

/* How far the update of many rows has come. */
enum update_stage { UPDATE_NOTHING, UPDATE_ROWS, UPDATE_GAIN };

struct joint_update {
  const struct joint_layout *layout;
  struct joint_points points;
  double *R;       /* [observed][stride] upper factor of the prior, its first rows */
  double *M;       /* [columns][points.stride] and its factor */
  double *X;       /* [observed][stride] that of the posterior; below it zeros for ever */
  double *rows_q;  /* [n][stride of n] encoders' rows of the prior's factor */
  double *w;       /* [points.stride] M^-1 A^T nu */
  double *encoder; /* [n] whitened innovation, zero where not used */
  enum update_stage prepared; /* what is there, and has not been touched */
  /* of the last update */
  size_t rows;           /* rows used, encoders included */
  double nis;            /* nu^T Pyy^-1 nu, chi-square of `rows` degrees of freedom */
  unsigned long repairs; /* priors that needed help to be factored */
};

/* As joint_points_init. [start] */
enum status joint_update_init(struct joint_update *update, const struct joint_layout *layout,
                              const struct model *model, const bool *used, vec3 fixed_force,
                              size_t rows_max, struct arena *arena);

/* Takes one instant's measurement. [real-time]
 * x [size], P [size][stride], its upper triangle: prior in, posterior out; untouched unless
 * STATUS_OK.
 * Statuses: STATUS_SINGULAR when P cannot be factored even with help; those of joint_points_step.
 */
enum status joint_update_step(struct joint_update *update, const struct joint_measurement *z,
                              double *x, double *P);

/* The same in three steps. Readings have no part in the first two, which are nearly
 * all of the work, half of it each, and may be taken before the readings are there. [real-time]
 *  - rows: the prior's factor, sigma points, and what they measure. Reads x and P.
 *  - gain: P becomes the posterior. Of the prior it reads the variances and what is not observed.
 *  - finish: x becomes the posterior.
 * Of `z` the first two read neither q nor the blocks' z; all else must be the same in all three,
 * and so must x. Statuses as joint_update_step. */
enum status joint_update_prepare_rows(struct joint_update *update,
                                      const struct joint_measurement *z, const double *x,
                                      const double *P);
enum status joint_update_prepare_gain(struct joint_update *update,
                                      const struct joint_measurement *z, double *P);
void joint_update_finish(struct joint_update *update, const struct joint_measurement *z, double *x);

/* Innovation squared over its variance of one link's block, given the rows of the last
 * joint_points_step: chi-square of `rank` degrees of freedom. [real-time] */
double joint_update_block_nis(const struct joint_update *update, size_t first_row, unsigned rank);

/* The same of what is left when something unexpected may have moved the rows along `way`, [rank],
 * by any amount: chi-square of `rank` - 1. [real-time] */
double joint_update_block_rest(const struct joint_update *update, size_t first_row, unsigned rank,
                               const double *way);

#endif
