/* What can be learned about noise while the robot stands still: there the regressor and the
 * measurement are constant, and whatever moves is noise.
 *
 * Fed with block averages, so that noise correlated within a block counts in full. Noise of the
 * base's acceleration is in all base rows at once, so the first REST_TOGETHER rows are kept with
 * their products; the others on their own. Moments are kept per pair of rows, to be weighed by
 * whatever covariance applies later. [real-time] unless said otherwise. */
#ifndef REST_STATISTICS_H
#define REST_STATISTICS_H

#include "inertial/inertial_core.h"

enum {
  REST_TOGETHER = 8, /* six base rows, and a joint or two */
  REST_PAIRS = INERTIAL_MAX_ROWS + REST_TOGETHER * (REST_TOGETHER - 1) / 2
};

struct rest_statistics {
  size_t n;                /* parameters */
  size_t rows;             /* of this rest */
  size_t blocks;           /* in this rest so far */
  size_t strange;          /* blocks in a row that could hardly be noise */
  double *mean_Y, *mean_z; /* [rows][n], [rows] of this rest */
  double weight;           /* blocks behind the moments, at most REST_MEMORY */
  size_t moment_rows;

  /* moments of one block, by rest_pair(r, s); r = s counted once, others for both orders */
  double *YY;                       /* [pair][n][n] E[dy_r dy_s^T (+ dy_s dy_r^T)] */
  double *Yz;                       /* [pair][n] E[dy_r dz_s (+ dy_s dz_r)] */
  double residual[REST_PAIRS];      /* E[e_r e_s], e = dz - dy pi: N^2, (N m)^2, N^2 m */
  double lagged[INERTIAL_MAX_ROWS]; /* E[e_r e_r'] with the block before */
  double last_e[INERTIAL_MAX_ROWS]; /* of the block before, in this rest */

  /* of the block being taken, from the mean before it */
  double *dy, dz[INERTIAL_MAX_ROWS], e[INERTIAL_MAX_ROWS]; /* dy: [rows][n] */
};

#define REST_MEMORY 500.0 /* blocks after which old ones fade */
#define REST_ENOUGH 25.0  /* blocks from which on the moments are used */

/* Place of a pair of rows among the moments: r = s, or both below REST_TOGETHER and s < r. */
static inline size_t rest_pair(size_t r, size_t s) {
  return r == s ? r : INERTIAL_MAX_ROWS + r * (r - 1) / 2 + s;
}

/* The first row whose moments with row r are kept; so are those of all from there to r. */
static inline size_t rest_first(size_t r) {
  return r < REST_TOGETHER ? 0 : r;
}

/* [start] For `n` parameters; the arena may run out. */
void rest_statistics_init(struct rest_statistics *rest, size_t n, struct arena *arena);

/* Takes the moments of another, for the same number of parameters. */
void rest_statistics_copy(struct rest_statistics *rest, const struct rest_statistics *from);

/* A new rest: forgets the mean, keeps the moments. */
void rest_statistics_begin(struct rest_statistics *rest);

/* A block of a rest, as measured; pi: [n] the parameters as estimated. What can hardly be noise is
 * weighed down or left out, once enough is known: deviations beyond `bound` when they weigh Omega,
 * by rest_pair. When nothing else comes for a while, all is forgotten: the noise is another.
 * Another number of rows forgets all, too. */
void rest_statistics_take(struct rest_statistics *rest, const double *Y, const double *z,
                          size_t rows, const double *pi, const double *Omega, double bound);

/* True when enough is known about rows like these. */
bool rest_statistics_know(const struct rest_statistics *rest, size_t rows);

/* How much longer the noise of row r lasts than a block: averages of many blocks have this many
 * times the variance that they would have if blocks were independent, 1 to REST_LONGEST. */
double rest_statistics_length(const struct rest_statistics *rest, size_t r);
#define REST_LONGEST 20.0

/* Relative deviation of the moments: of variances of as many normal numbers. */
double rest_statistics_doubt(const struct rest_statistics *rest);

/* Sums the moments for rows that weigh Omega, by rest_pair: E[dY^T Omega dY] [n][n] and
 * E[dY^T Omega dz] [n]. False, and nothing written, when not enough is known about rows like
 * these. */
bool rest_statistics_noise(const struct rest_statistics *rest, const double *Omega, size_t rows,
                           double *YtWY, double *YtWz);

#endif
