/* How noisy the rows of a block are, together, and the rows made white by it: independent, of unit
 * variance. Noise of the base's acceleration is in all base rows at once, some hundred times what
 * the force sensors add; seen together, most of it cancels. [real-time] unless said otherwise. */
#ifndef ROW_NOISE_H
#define ROW_NOISE_H

#include "inertial/rest_statistics.h"

struct row_noise {
  size_t n_pi, n, rows; /* parameters; with the biases */
  size_t together;      /* rows that have noise in common, the first; others are alone */
  double variance[INERTIAL_MAX_ROWS];      /* diagonal of R */
  double L[REST_TOGETHER * REST_TOGETHER]; /* [together][together] their part of R = L L^T */
  double Omega[REST_PAIRS];                /* R^-1, by rest_pair */
  double *Y;                               /* [rows][n] L^-1 (Y, bias) */
  double z[INERTIAL_MAX_ROWS];             /* L^-1 z */
  double R[INERTIAL_MAX_ROWS];             /* variances of white rows */
};

/* [start] For n_pi parameters and n_bias biases of rows; the arena may run out. */
void row_noise_init(struct row_noise *noise, size_t n_pi, size_t n_bias, struct arena *arena);

/* Sets R: `variance` [rows] on the diagonal and, when enough is known, `gain` times what was seen
 * at rest, lengthened by how long it lasts. */
void row_noise_set(struct row_noise *noise, const double *variance, size_t rows,
                   const struct rest_statistics *rest, double gain);

/* Makes rows white, of which R was set. Variances are 1. They stay valid until the next call. */
struct inertial_rows row_noise_whiten(struct row_noise *noise, const struct measured_rows *rows);

/* Makes a residual of such rows, [rows] N or N m, white as they are. */
void row_noise_whiten_residual(const struct row_noise *noise, double *residual);

/* Takes the variances of white rows, which were set beyond 1, into Omega. */
void row_noise_widen(struct row_noise *noise);

#endif
