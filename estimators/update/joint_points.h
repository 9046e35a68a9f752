/* The measurement of all sigma points that matter, from the factor of the covariance.
 *
 * With P = L L^T in joint_process.h's order and points x +- gamma L_j:
 *  - columns of what is not observed (jerks) do not change the measurement: they drop out;
 *  - columns of (omegadot, ddq, f) leave q, dq and omega alone, given which the measurement is
 *    affine: one evaluation each, at the mean, gives the response exactly;
 *  - only the 2n + 3 columns of (q, dq, omega) need their pairs, only the n of q new sines.
 * With Y+- the images of a pair, D = (Y+ - Y-)/(2 gamma), u = (Y+ + Y-)/2 - Y0, E = u/gamma, the
 * textbook's sums become
 *   mean = Y0 + d, d = sum E_j/gamma,   Pxy = L D^T,   Pyy = D D^T + E E^T + (beta - alpha^2) d d^T
 * + 1 without the centre's weight of -1/alpha^2. Rows are whitened, so noise has unit covariance.
 *
 * E is small: gamma times what curvature does within a deviation, d/gamma over many columns. Pyy is
 * at least 1, so with e = |E|_F^2 (at most; and E E^T <= e)
 *   Pyy - E E^T <= Pyy <= (1 + e) (Pyy - E E^T),
 * and a posterior without E lies within the same factor of the one with it: P^-1 = P_prior^-1 +
 * H^T (Pyy - D D^T)^-1 H. The same holds for some of E's columns alone: those of q are left out,
 * or of q and dq, or all, as many as have an e below CURVATURE_FLOOR. d stays.
 *
 * Gravity in the skin shows how each link lies, and so every q: but turned by what the cells'
 * mounting is off by, which stays, while rows count it as noise that is new with each sample. So
 * skin is not asked for a q that is known better than its mounting: points leave that q where it
 * is, and what is seen of it is a slow error of the accelerations, like the mounting's own.
 *
 * Centripetal accelerations show every dq and omega: but times the skin's gain. They are quadratic
 * in rates, so a gain that is off by g fits rates that are all off by the part g/2 of them, and
 * where the encoders know theirs, a base that turns by half of g times how fast a limb does. It
 * does so for as long as the limb turns, and rows count it as noise that is new with each sample.
 * So skin is not asked for a rate either that is known so well that this would mislead. */
#ifndef JOINT_POINTS_H
#define JOINT_POINTS_H

#include "body/kinematics_batch.h"
#include "process/joint_process.h"
#include "skin/joint_measurement.h"

/* The thesis' parameters (appendix C). Double precision is needed: the weight of the centre is near
 * -1/alpha^2. */
#define UKF_ALPHA 1e-2
#define UKF_BETA  2.0
#define UKF_KAPPA 0.0

/* Samples of one kind and their images. Samples stand in falling order of their column of L; of
 * pairs first all x + gamma L_j, then all x - gamma L_j. */
struct point_set {
  size_t first, columns;        /* state of the lowest column, and how many */
  double *x;                    /* [observed][stride] */
  double *y;                    /* [n_links][BATCH_ROWS][stride] */
  struct batch_samples samples; /* points into x */
};

/* Largest part of Pyy that is left out with E: a variance is wrong by no more than this part of it.
 */
#define CURVATURE_FLOOR 1e-6

struct joint_points {
  const struct joint_layout *layout;
  double gamma;                /* spread of the points */
  bool *asked;                 /* [nonlinear] skin is asked for this q, dq or omega; the caller's
                                  to say */
  struct kinematics_batch kin; /* of the measured links */

  /* of `A`: E in rising order of the state, d, then D in falling order of it (observed) */
  size_t columns;
  size_t curved; /* of them E's: nonlinear, and zeros up to whole vectors */
  size_t stride;
  size_t rows_max;
  size_t first;     /* first column in use: what stands before was left out; a multiple of
                       MATRIX_LANES, `curved` where all of E was */
  double *A;        /* [rows_max][stride] whitened [E d D], d times sqrt(beta - alpha^2) */
  double *expected; /* [rows_max] whitened Y0 + d */
  double *nu;       /* [rows_max] whitened innovation z - Y0 - d */

  struct point_set turned; /* pairs of the q columns: each has a configuration of its own */
  struct point_set steady; /* pairs of the dq and omega columns, then the mean */
  struct point_set linear; /* the columns of omegadot, ddq and f themselves */
  double *part;            /* [PART_SIZE][stride] [E d D] of one link's motion */

  /* how a fixed base moves, the same in all samples, base coordinates: rad/s, rad/s^2, m/s^2 */
  double *turned_base, *steady_base; /* [9][stride of the samples] */
};

/* `used` [n_links]: links that may carry rows. [start] */
enum status joint_points_init(struct joint_points *points, const struct joint_layout *layout,
                              const struct model *model, const bool *used, vec3 fixed_force,
                              size_t rows_max, struct arena *arena);

/* Fills A and `expected` for the blocks, in their order; their z is not read. [real-time] x: [size]
 * predicted state; R: [observed][stride] upper factor of P. STATUS_BAD_ARGUMENT: more rows than
 * rows_max or a link that was not announced; statuses of kinematics_batch. */
enum status joint_points_step(struct joint_points *points, const double *x, const double *R,
                              const struct link_rows *block, size_t n_blocks);

/* How a fixed base moves from now on: not at all at first, and it feels `fixed_force`. A link that
 * carries a limb does. [real-time] omega: rad/s, a: rad/s^2, m/s^2; base coordinates */
void joint_points_carry(struct joint_points *points, vec3 omega, struct motion a);

/* Fills nu with what the blocks of the last joint_points_step read. [real-time] */
void joint_points_read(struct joint_points *points, const struct link_rows *block, size_t n_blocks);

/* Column of A that holds D of state `i`. */
static inline size_t joint_points_column(const struct joint_points *points, size_t i) {
  return points->curved + points->layout->observed - i;
}

#endif
