/* How noisy the rows of a block are, together, and the rows made white by it: independent, of unit
 * variance. Noise of the base's acceleration is in all base rows at once, some hundred times what
 * the force sensors add; seen together, most of it cancels. [real-time] unless said otherwise. */
#ifndef ROW_NOISE_H
#define ROW_NOISE_H

#include "inertial/rest_statistics.h"

struct row_noise {
  size_t n, rows;
  double *L;                     /* [rows][rows] R = L L^T, lower */
  double *Omega;                 /* [rows][rows] R^-1 */
  double *Y;                     /* [rows][n] L^-1 Y */
  double z[INERTIAL_MAX_ROWS];   /* L^-1 z */
  double *B;                     /* [rows][rows] L^-1 times a factor of the bias's covariance */
  double one[INERTIAL_MAX_ROWS]; /* variances of white rows */
};

/* [start] For n parameters. STATUS_NO_MEMORY. */
enum status row_noise_init(struct row_noise *noise, size_t n, struct arena *arena);

/* Sets R: `variance` [rows] on the diagonal and, when enough is known, `gain` times what was seen
 * at rest, lengthened by how long it lasts. */
void row_noise_set(struct row_noise *noise, const double *variance, size_t rows,
                   const struct rest_statistics *rest, double gain);

/* Sets how well the bias is known: the mean of `blocks` blocks of such noise as was seen at rest;
 * 0: not at all learned, and no error. After row_noise_set. */
void row_noise_set_bias(struct row_noise *noise, const struct rest_statistics *rest, double blocks);

/* Makes rows white, Y [rows][n] and z [rows] as measured; they stay valid until the next call. */
struct inertial_rows row_noise_whiten(struct row_noise *noise, const double *Y, const double *z);

#endif
