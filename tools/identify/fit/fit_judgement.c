/* What to think of a fit: errors, deviations, and who decided each value. */
#include "identify/fit/robot_fitter.h"
#include "inertia/pseudo_inertia.h"

#include <lapacke.h>
#include <math.h>
#include <stdlib.h>

enum { TEN = INERTIA_PARAMETERS };

/* A posterior deviation below this share of the prior's, and of what a body of the prior's size has
 * (the prior's at lambda 1): the data decided. A weak pull alone makes nothing known. */
static const double TOLD = 0.5;
/* A body whose pseudo-inertia, seen from the prior's, has an eigenvalue below this is at the
 * border. */
static const double BORDER = 1e-3;

struct fit_error robot_fit_error(const struct row_set *rows, const double *x, size_t first,
                                 size_t last) {
  struct fit_error error = {.total = NAN};
  double rest = 0.0, torque = 0.0;
  for (size_t j = 0; j < rows->n_channels; j++) {
    double r = 0.0, t = 0.0, n = 0.0;
    for (size_t k = first; k < last; k++) {
      if (row_moves(rows, j, k)) {
        const double left = row_residual(&rows->channel[j], k, x), tau = rows->channel[j].tau[k];
        r += left * left;
        t += tau * tau;
        n += 1.0;
      }
    }
    error.rms[j] = sqrt(r / fmax(n, 1.0));
    error.torque[j] = sqrt(t / fmax(n, 1.0));
    error.rows += (size_t)n;
    rest += r;
    torque += t;
  }
  if (torque > 0.0) {
    error.total = sqrt(rest / torque);
  }
  return error;
}

/* By how much torques come after the motion: a residual that goes with the torque's slope. */
static double lag_of(const struct row_set *rows, size_t j, const double *x, size_t last) {
  const struct channel_rows *joint = &rows->channel[j];
  double across = 0.0, along = 1e-18;
  for (size_t k = 1; k + 1 < last; k++) {
    if (row_moves(rows, j, k)) {
      const double slope = (joint->tau[k + 1] - joint->tau[k - 1]) / (2.0 * rows->dt);
      across -= row_residual(joint, k, x) * slope;
      along += slope * slope;
    }
  }
  return across / along;
}

/* Diagonal of the inverse of A, which is lost. False when it has none. */
static bool inverse_diagonal(double *A, size_t n, double *diagonal) {
  if (LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'L', (lapack_int)n, A, (lapack_int)n) != 0 ||
      LAPACKE_dpotri(LAPACK_COL_MAJOR, 'L', (lapack_int)n, A, (lapack_int)n) != 0) {
    return false;
  }
  for (size_t i = 0; i < n; i++) {
    diagonal[i] = A[i * n + i];
  }
  return true;
}

static bool at_border(const struct inertia *body, const struct inertia *prior) {
  const mat4 J0 = pseudo_inertia(prior), J = pseudo_inertia(body);
  mat4 L;
  double lambda[4];
  if (sym4_cholesky(&J0, &L) != STATUS_OK) {
    return false;
  }
  const mat4 W = sym4_whiten(&L, &J);
  return sym4_eigen(&W, lambda, NULL) == STATUS_OK && lambda[0] < BORDER;
}

static bool held(const struct fitter *f, size_t body) {
  return f->settings->shapes != NULL && shaped_fit_holds(&f->shaped, body);
}

/* Deviations, and who decided. */
static void find_tellers(struct fitter *f) {
  const size_t n = f->unknowns->n;
  double *before = fitter_numbers(n);
  double *after = f->fit->sd;
  if (before == NULL ||
      fitter_set_problem(f, f->fit->lambda, f->settings->distance, FIT_BLOCKS) != STATUS_OK ||
      !inverse_diagonal(f->convex.A, n, after)) {
    free(before);
    return;
  }
  convex_clear(&f->convex);
  if (fitter_add_pull(f, f->fit->lambda, f->settings->distance) == STATUS_OK &&
      inverse_diagonal(f->convex.A, n, before)) {
    const double told = TOLD * fmin(1.0, sqrt(f->fit->lambda));
    for (size_t i = 0; i < n; i++) {
      const size_t body = i / TEN;
      const bool of_body = body < f->unknowns->bodies;
      const struct inertia found = convex_body(f->fit->x, of_body ? body : 0),
                           likely = convex_body(f->fit->prior, of_body ? body : 0);
      f->fit->teller[i] = sqrt(after[i] / before[i]) < told ? TOLD_BY_DATA
                          : of_body && (at_border(&found, &likely) || held(f, body))
                              ? TOLD_BY_CONSTRAINT
                              : TOLD_BY_PRIOR;
    }
  }
  for (size_t i = 0; i < n; i++) {
    after[i] = sqrt(after[i]);
  }
  free(before);
}

void fitter_judge(struct fitter *f, size_t last) {
  struct robot_fit *fit = f->fit;
  fit->physical = true;
  for (size_t i = 0; i < f->unknowns->bodies; i++) {
    const struct inertia body = convex_body(fit->x, i);
    fit->physical = fit->physical && inertia_consistency(&body, 0.0, NULL) == STATUS_OK;
  }
  for (size_t b = 0; b < FIT_BLOCKS; b++) {
    fit->cost += 0.5 * fitter_misfit(f, b, fit->x);
  }
  for (size_t j = 0; j < f->rows->n_channels; j++) {
    fit->noise[j] = f->weighed.noise[j];
    fit->outliers[j] = f->weighed.outliers[j];
    fit->lag[j] = lag_of(f->rows, j, fit->x, last);
  }
  fit->train = robot_fit_error(f->rows, fit->x, 0, last);
  fit->test = robot_fit_error(f->rows, fit->x, last, f->rows->n);
  if (is_physical(f->settings->method) && f->settings->distance != FIT_ENTROPIC) {
    find_tellers(f);
  }
}
