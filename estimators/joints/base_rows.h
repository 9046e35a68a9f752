/* Rows about the base link, without sigma points: what the IMU measures between two skin samples.
 *
 * Of the state such rows see omega, omegadot and f alone: W [omegadot f products(omega) omega],
 * linear but for the products, which are quadratic. For a quadratic the sums of joint_points.h need
 * no points. With l_j the columns of a factor of P_omega:
 *  - half differences of a quadratic are its derivative at the mean: D D^T = H P H^T, Pxy = P H^T;
 *  - half sums less the centre are the quadratic of the step itself: of a product of a and b,
 *    u_j = gamma^2 l_aj l_bj; hence d = sum u_j/gamma^2 is P_ab, and E_j = gamma l_aj l_bj.
 * Only E depends on which factor is taken; here it is that of P_omega alone, as if omega stood
 * first in the state. Its weight is gamma^2: another factor changes nothing that could be seen. */
#ifndef BASE_ROWS_H
#define BASE_ROWS_H

#include "joints/joint_process.h"
#include "skin/joint_measurement.h"

enum { BASE_STATES = 9 }; /* omega, omegadot, f: three numbers each */

struct base_rows {
  unsigned rank;
  double H[ROWS_MAX][BASE_STATES]; /* whitened rows by omega, omegadot, f */
  double nu[ROWS_MAX];             /* whitened innovation z - Y0 - d */
  double Pyy[ROWS_MAX][ROWS_MAX];  /* H P H^T + E E^T + (beta - alpha^2) d d^T + 1 */
};

/* Fills `rows` for a block on the base link of a floating base. [real-time] gamma: spread of the
 * points. x: [size], P: [size][stride] prior, upper triangle. Writes `seen` [BASE_STATES][stride]:
 * the rows of P by omega, omegadot, f. STATUS_SINGULAR: P_omega cannot be factored; `rows` void. */
enum status base_rows_step(struct base_rows *rows, const struct joint_layout *layout, double gamma,
                           const struct link_rows *block, const double *x, const double *P,
                           double *seen);

/* Pyx = H P, [rank][stride]; `seen` as base_rows_step left it. [real-time] */
void base_rows_covariance(const struct base_rows *rows, const struct joint_layout *layout,
                          const double *seen, double *Pyx);

#endif
