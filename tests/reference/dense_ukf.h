/* The unscented Kalman filter as textbooks print it: 2N + 1 points over the whole state, additive
 * noise, points drawn anew before the measurement. The reference for joint_update.h, which gives
 * the same estimate for a fraction of the cost. Knows nothing of robots. Leboutet, appendix C. */
#ifndef DENSE_UKF_H
#define DENSE_UKF_H

#include "common/arena.h"
#include "common/status.h"

struct dense_ukf {
  size_t n, m_max, n_points;   /* state, largest measurement, 2 n + 1 */
  double gamma, wc0, wi;       /* spread, weight of the centre in covariances, of the others */
  double *x, *P;               /* [n], [n][n] column-major (symmetric) */
  double nis;                  /* normalised innovation squared of the last update */
  double *points;              /* [n_points][n] each point contiguous */
  double *images;              /* [n_points][m_max] */
  double *factor;              /* [n][n] */
  double *Pyy, *Pxy;           /* [m][m], [m][n] row per measurement */
  double *innovation, *scaled; /* [m], [n_points][max(n, m)] */
};

/* One point through the process or the measurement: in [n] -> out [n] or [m]. */
typedef void dense_ukf_map(const double *in, double *out, void *context);

/* [start] alpha, beta, kappa as in appendix C. STATUS_NO_MEMORY. */
enum status dense_ukf_init(struct dense_ukf *ukf, size_t n, size_t m_max, double alpha, double beta,
                           double kappa, struct arena *arena);

/* x, P through `process`, plus Q [n][n]. [real-time] STATUS_SINGULAR: P is not positive definite;
 * nothing changes. */
enum status dense_ukf_predict(struct dense_ukf *ukf, dense_ukf_map *process, void *context,
                              const double *Q);

/* Takes the measurement z [m <= m_max] with noise of unit covariance. [real-time] STATUS_SINGULAR
 * as above. */
enum status dense_ukf_update(struct dense_ukf *ukf, dense_ukf_map *measure, void *context,
                             const double *z, size_t m);

#endif
