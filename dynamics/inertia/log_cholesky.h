/* Ten numbers without constraints for ten parameters with them: the log-Cholesky form.
 *
 *   theta = (alpha, d1, d2, d3, s12, s13, s23, t1, t2, t3)
 *
 *   U = e^alpha [ e^d1 s12  s13  t1 ;  0  e^d2 s23  t2 ;  0  0  e^d3 t3 ;  0  0  0  1 ]
 *
 * Rucker and Wensing's form sets the pseudo-inertia J = U U^T. Then m = e^(2 alpha), and (t1, t2,
 * t3) is the centre of mass in metres: mass and first moment stand apart. Foster's printed form
 * sets J = U^T U, in which everything depends on everything. Both reach every physically consistent
 * body exactly once and no other. All functions: [any]. */
#ifndef LOG_CHOLESKY_H
#define LOG_CHOLESKY_H

#include "common/status.h"
#include "inertia/inertia.h"

/* Places in theta. */
enum {
  LOG_CHOLESKY_ALPHA = 0,
  LOG_CHOLESKY_D = 1, /* three */
  LOG_CHOLESKY_S = 4, /* three: 12, 13, 23 */
  LOG_CHOLESKY_T = 7, /* three */
  LOG_CHOLESKY_SIZE = 10
};

enum log_cholesky_form {
  LOG_CHOLESKY_RUCKER, /* J = U U^T */
  LOG_CHOLESKY_FOSTER  /* J = U^T U */
};

/* The parameters of theta, physically consistent for every finite theta that does not overflow. */
struct inertia log_cholesky_inertia(enum log_cholesky_form form,
                                    const double theta[LOG_CHOLESKY_SIZE]);

/* theta of the parameters. STATUS_NOT_CONSISTENT or STATUS_NOT_FINITE; theta is then untouched. */
enum status log_cholesky_from_inertia(enum log_cholesky_form form, const struct inertia *pi,
                                      double theta[LOG_CHOLESKY_SIZE]);

/* G = d pi / d theta: row i the parameter (house order), column j the entry of theta. */
void log_cholesky_jacobian(enum log_cholesky_form form, const double theta[LOG_CHOLESKY_SIZE],
                           double G[INERTIA_PARAMETERS][LOG_CHOLESKY_SIZE]);

#endif
