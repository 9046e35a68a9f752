#include "inertial/inertial_form.h"

#include "numerics/small_matrix.h"

#include <string.h>

enum { TEN = INERTIA_PARAMETERS };

bool inertial_spread_is_sound(const struct inertial_spread *spread, bool may_be_zero) {
  const double value[4] = {spread->mass, spread->com, spread->stretch, spread->shear};
  for (int i = 0; i < 4; i++) {
    if (!isfinite(value[i]) || value[i] < 0.0 || (value[i] == 0.0 && !may_be_zero)) {
      return false;
    }
  }
  return true;
}

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

void inertial_form_deviations(const struct inertial_spread *spread, const double theta[TEN],
                              double sigma[TEN]) {
  const double *d = theta + LOG_CHOLESKY_D;
  const double radius = exp((d[0] + d[1] + d[2]) / 3.0);
  sigma[LOG_CHOLESKY_ALPHA] = 0.5 * spread->mass * exp(-2.0 * theta[LOG_CHOLESKY_ALPHA]);
  for (int i = 0; i < 3; i++) {
    sigma[LOG_CHOLESKY_D + i] = spread->stretch;
    sigma[LOG_CHOLESKY_S + i] = spread->shear * radius;
    sigma[LOG_CHOLESKY_T + i] = spread->com;
  }
}

/* Solves G X = B in place of B; false when G is singular. */
static bool solve(const double G[TEN][TEN], double B[TEN][TEN]) {
  double LU[TEN * TEN];
  int pivot[TEN];
  memcpy(LU, G, sizeof(LU));
  if (!small_lu(TEN, LU, pivot)) {
    return false;
  }
  small_lu_solve(TEN, LU, pivot, TEN, &B[0][0], TEN);
  return true;
}

enum status inertial_form_rucker(enum inertial_form form, const double x[TEN], double theta[TEN],
                                 double T[TEN][TEN]) {
  double G[TEN][TEN];
  if (form == INERTIAL_RUCKER) {
    memcpy(theta, x, TEN * sizeof(*x));
    inertial_form_jacobian(INERTIAL_LINEAR, x, T); /* the identity */
    return STATUS_OK;
  }
  const struct inertia body = inertial_form_body(form, x);
  const enum status status = log_cholesky_from_inertia(LOG_CHOLESKY_RUCKER, &body, theta);
  if (status != STATUS_OK) {
    return status;
  }
  log_cholesky_jacobian(LOG_CHOLESKY_RUCKER, theta, G);
  inertial_form_jacobian(form, x, T);
  return solve((const double(*)[TEN])G, T) ? STATUS_OK : STATUS_SINGULAR;
}

/* In Rucker's coordinates B is diagonal; d x / d theta = G_x^-1 G_Rucker takes it to the others. */
enum status inertial_form_spread(enum inertial_form form, const struct inertia *at,
                                 const struct inertial_spread *spread, double B[TEN][TEN]) {
  double theta[TEN], sigma[TEN], T[TEN][TEN], G[TEN][TEN], x[TEN];
  enum status status = log_cholesky_from_inertia(LOG_CHOLESKY_RUCKER, at, theta);
  if (status != STATUS_OK) {
    return status;
  }
  inertial_form_jacobian(form == INERTIAL_RUCKER ? INERTIAL_LINEAR : INERTIAL_RUCKER, theta, T);
  if (form == INERTIAL_FOSTER) {
    status = log_cholesky_from_inertia(LOG_CHOLESKY_FOSTER, at, x);
    if (status != STATUS_OK) {
      return status;
    }
    log_cholesky_jacobian(LOG_CHOLESKY_FOSTER, x, G);
    if (!solve((const double(*)[TEN])G, T)) {
      return STATUS_SINGULAR;
    }
  }
  inertial_form_deviations(spread, theta, sigma);
  for (int i = 0; i < TEN; i++) {
    for (int j = 0; j < TEN; j++) {
      B[i][j] = T[i][j] * sigma[j];
    }
  }
  return STATUS_OK;
}
