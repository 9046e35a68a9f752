/* What can be learned about noise while the robot stands still: there the regressor and the
 * measurement are constant, and whatever moves is noise.
 *
 * Fed with block averages, so that noise correlated within a block counts in full. Moments are kept
 * per row, to be weighed by whatever variances apply later. [real-time] unless said otherwise. */
#ifndef REST_STATISTICS_H
#define REST_STATISTICS_H

#include "inertial_core.h"

struct rest_statistics {
  size_t n;                /* parameters */
  size_t rows;             /* of this rest */
  size_t blocks;           /* in this rest so far */
  double *mean_Y, *mean_z; /* [rows][n], [rows] of this rest */
  double weight;           /* blocks behind the moments, at most REST_MEMORY */
  size_t moment_rows;
  double *YY;                         /* [rows][n][n] E[dy_r dy_r^T] of one block */
  double *Yz;                         /* [rows][n] E[dy_r dz_r] */
  double zz[INERTIAL_MAX_ROWS];       /* E[dz_r^2]: N^2, (N m)^2 */
  double residual[INERTIAL_MAX_ROWS]; /* E[(dz_r - dy_r pi)^2]: what the estimate makes of it */
};

#define REST_MEMORY 500.0 /* blocks after which old ones fade */
#define REST_ENOUGH 25.0  /* blocks from which on the moments are used */

/* [start] For `n` parameters. STATUS_NO_MEMORY. */
enum status rest_statistics_init(struct rest_statistics *rest, size_t n, struct arena *arena);

/* Takes the moments of another, for the same number of parameters. */
void rest_statistics_copy(struct rest_statistics *rest, const struct rest_statistics *from);

/* A new rest: forgets the mean, keeps the moments. */
void rest_statistics_begin(struct rest_statistics *rest);

/* A block of a rest; pi: [n] the parameters as estimated. Another number of rows forgets all. */
void rest_statistics_take(struct rest_statistics *rest, const struct inertial_rows *rows,
                          const double *pi);

/* Sums the moments for rows of variances R: E[dY^T R^-1 dY] [n][n] and E[dY^T R^-1 dz] [n]. False,
 * and nothing written, when not enough is known about rows like these. */
bool rest_statistics_noise(const struct rest_statistics *rest, const double *R, size_t rows,
                           double *YtWY, double *YtWz);

#endif
