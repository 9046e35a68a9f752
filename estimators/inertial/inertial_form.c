#include "inertial/inertial_form.h"

#include "numerics/small_matrix.h"

#include <string.h>

enum { TEN = INERTIA_PARAMETERS };

static enum log_cholesky_form log_form(enum inertial_form form) {
  return form == INERTIAL_FOSTER ? LOG_CHOLESKY_FOSTER : LOG_CHOLESKY_RUCKER;
}

struct inertia inertial_form_body(enum inertial_form form, const double x[TEN]) {
  return form == INERTIAL_LINEAR ? inertia_from(x) : log_cholesky_inertia(log_form(form), x);
}

enum status inertial_form_state(enum inertial_form form, const struct inertia *pi, double x[TEN]) {
  if (form == INERTIAL_LINEAR) {
    inertia_to(pi, x);
    return STATUS_OK;
  }
  return log_cholesky_from_inertia(log_form(form), pi, x);
}

void inertial_form_jacobian(enum inertial_form form, const double x[TEN], double G[TEN][TEN]) {
  if (form != INERTIAL_LINEAR) {
    log_cholesky_jacobian(log_form(form), x, G);
    return;
  }
  for (int i = 0; i < TEN; i++) {
    for (int j = 0; j < TEN; j++) {
      G[i][j] = i == j ? 1.0 : 0.0;
    }
  }
}

/* Deviations of Rucker's coordinates theta, in which mass, centre and shape stand apart. */
static void deviations(const struct inertial_spread *spread, const double theta[TEN],
                       double sigma[TEN]) {
  const double *d = theta + LOG_CHOLESKY_D;
  const double radius = exp((d[0] + d[1] + d[2]) / 3.0);
  sigma[LOG_CHOLESKY_ALPHA] = 0.5 * spread->mass * exp(-2.0 * theta[LOG_CHOLESKY_ALPHA]);
  for (int i = 0; i < 3; i++) {
    sigma[LOG_CHOLESKY_D + i] = spread->shape;
    sigma[LOG_CHOLESKY_S + i] = spread->shape * radius;
    sigma[LOG_CHOLESKY_T + i] = spread->com;
  }
}

/* In Rucker's coordinates B is diagonal, in others it is T = d x / d theta times that. */
enum status inertial_form_spread(enum inertial_form form, const struct inertia *at,
                                 const struct inertial_spread *spread, double B[TEN][TEN]) {
  double theta[TEN], sigma[TEN], T[TEN][TEN], x[TEN], LU[TEN][TEN];
  int pivot[TEN];
  enum status status = inertial_form_state(INERTIAL_RUCKER, at, theta);
  if (status == STATUS_OK) {
    status = inertial_form_state(form, at, x);
  }
  if (status != STATUS_OK) {
    return status;
  }
  const bool same = form == INERTIAL_RUCKER; /* and T the identity */
  inertial_form_jacobian(same ? INERTIAL_LINEAR : INERTIAL_RUCKER, theta, T);
  if (!same) {
    inertial_form_jacobian(form, x, LU);
    if (!small_lu(TEN, &LU[0][0], pivot)) {
      return STATUS_SINGULAR;
    }
    small_lu_solve(TEN, &LU[0][0], pivot, TEN, &T[0][0], TEN);
  }
  deviations(spread, theta, sigma);
  for (int i = 0; i < TEN; i++) {
    for (int j = 0; j < TEN; j++) {
      B[i][j] = T[i][j] * sigma[j];
    }
  }
  return STATUS_OK;
}
