#include "inertial/inertial_update.h"

#include "inertia/pseudo_inertia.h"
#include "inertial/inertial_prior.h"
#include "numerics/small_matrix.h"

#include <math.h>
#include <string.h>

enum { TEN = INERTIA_PARAMETERS };

/* An iteration moves alpha and the logarithms d by at most this: a factor of 2.7 in mass. */
static const double LARGEST_STEP = 0.5;
/* The iteration has converged when a step is this short, in standard deviations. */
static const double CONVERGED = 1e-2;
/* Radii, tilts and centres beyond these are no part of a robot; the state is held within, m. */
static const double SMALLEST_RADIUS = 2e-3, LARGEST_RADIUS = 3.0, LARGEST_OFFSET = 3.0;

/* X = T^T X T with T = d(parameters, biases)/dx, G for each link and one for the biases: a
 * quadratic form of the parameters as one of the state. `columns`: n for all of it, n_pi when there
 * are no biases in X. Stride as many. */
static void to_state(const struct inertial_core *core, double *X, size_t columns) {
  double XG[(INERTIAL_MAX_LINKS * TEN + INERTIAL_MAX_BIASES) * TEN];
  for (size_t l = 0; l < core->n_links; l++) {
    const double *G = core->G + (size_t)(TEN * TEN) * l;
    /* columns of the link, then rows */
    small_multiply(columns, TEN, TEN, 1.0, small_factor(X + TEN * l, columns), small_factor(G, TEN),
                   0.0, XG, TEN);
    for (size_t i = 0; i < columns; i++) {
      memcpy(X + i * columns + TEN * l, XG + TEN * i, TEN * sizeof(*XG));
    }
    small_multiply(TEN, columns, TEN, 1.0, small_transposed(G, TEN),
                   small_factor(X + TEN * l * columns, columns), 0.0, XG, columns);
    memcpy(X + TEN * l * columns, XG, TEN * columns * sizeof(*XG));
  }
}

/* The factor of Lambda = Lambda0 + T^T A T; false when it is not positive definite. */
static bool factorise(struct inertial_core *core) {
  const size_t n = core->n;
  memcpy(core->Lambda, core->A_fit, n * n * sizeof(*core->Lambda));
  to_state(core, core->Lambda, n);
  small_add(n * n, 1.0, core->Lambda0, core->Lambda);
  return small_cholesky_lower(n, core->Lambda);
}

/* Takes as much of the regressor's noise away as leaves Lambda positive definite. */
static void fit(struct inertial_core *core) {
  row_memory_choose_share(&core->trial, &core->share);
  inertial_core_flat(core, core->x_prior, core->before);
  row_memory_fit(&core->trial, core->share, core->before, core->A_fit, core->b_fit);
  if (core->share > 0) {
    inertial_core_linearise(core, core->x);
  }
  while (core->share > 0 && !factorise(core)) {
    core->share--;
    row_memory_fit(&core->trial, core->share, core->before, core->A_fit, core->b_fit);
  }
}

/* Starts an update with the rows in `trial`. */
static enum status begin(struct inertial_core *core) {
  const size_t n = core->n;
  memcpy(core->Lambda0, core->P_prior_own, n * n * sizeof(*core->P));
  if (!small_cholesky_lower(n, core->Lambda0)) {
    return STATUS_SINGULAR;
  }
  small_cholesky_inverse(n, core->Lambda0);
  fit(core);
  memcpy(core->x_new, core->x, n * sizeof(*core->x));
  core->iteration = 0;
  core->updating = true;
  return STATUS_OK;
}

enum status inertial_core_begin(struct inertial_core *core, const struct inertial_rows *rows,
                                double weight) {
  row_memory_copy(&core->trial, &core->rows);
  row_memory_add(&core->trial, rows, weight);
  return begin(core);
}

/* g [n] += T^T (b - A (pi, bias)) with A [n][n], b [n] of row_memory_fit, linearised where the core
 * is: half the slope along which the fit to the rows goes downhill. */
static void add_slope(struct inertial_core *core, const double *A, const double *b, double *g) {
  const size_t n = core->n, p = core->n_pi;
  memcpy(core->residual, b, n * sizeof(*b));
  small_apply(n, n, -1.0, small_factor(A, n), core->flat, 1.0, core->residual);
  for (size_t k = 0; k < core->n_links; k++) {
    small_apply(TEN, TEN, 1.0, small_transposed(core->G + (size_t)(TEN * TEN) * k, TEN),
                core->residual + TEN * k, 1.0, g + TEN * k);
  }
  small_add(n - p, 1.0, core->residual + p, g + p);
}

/* Half the slope downhill: Lambda0 (x_prior - x_new), and that of the rows */
static void gradient(struct inertial_core *core) {
  const size_t n = core->n;
  for (size_t i = 0; i < n; i++) {
    core->work[i] = core->x_prior[i] - core->x_new[i];
  }
  small_apply(n, n, 1.0, small_factor(core->Lambda0, n), core->work, 0.0, core->delta);
  add_slope(core, core->A_fit, core->b_fit, core->delta);
}

/* The share of a step that keeps alpha and d within LARGEST_STEP. */
static double step_share(const struct inertial_core *core) {
  double largest = 0.0;
  for (size_t i = 0; core->settings.form != INERTIAL_LINEAR && i < core->n_pi; i++) {
    if (i % TEN < LOG_CHOLESKY_S) {
      largest = fmax(largest, fabs(core->delta[i]));
    }
  }
  return largest > LARGEST_STEP ? LARGEST_STEP / largest : 1.0;
}

/* What a link's mass is held above, kg: nothing that is estimated loses nine tenths of itself. */
static double least_mass(const struct inertial_core *core, size_t link) {
  const double m = core->first[link].m;
  return fmin(m, fmax(INERTIAL_LEAST_SHARE * m, INERTIAL_LEAST_MASS));
}

/* Holds Rucker's coordinates within what can be a part of a robot. */
static void hold_within_bounds(struct inertial_core *core) {
  for (size_t i = 0; core->settings.form == INERTIAL_RUCKER && i < core->n_pi; i++) {
    const size_t place = i % TEN;
    if (place == LOG_CHOLESKY_ALPHA) {
      core->x_new[i] = fmax(0.5 * log(least_mass(core, i / TEN)), core->x_new[i]);
    } else if (place >= LOG_CHOLESKY_S) {
      core->x_new[i] = fmax(-LARGEST_OFFSET, fmin(LARGEST_OFFSET, core->x_new[i]));
    } else if (place >= LOG_CHOLESKY_D) {
      core->x_new[i] = fmax(log(SMALLEST_RADIUS), fmin(log(LARGEST_RADIUS), core->x_new[i]));
    }
  }
}

bool inertial_core_iterate(struct inertial_core *core) {
  if (!core->updating) {
    return false;
  }
  const size_t n = core->n;
  inertial_core_linearise(core, core->x_new);
  gradient(core);
  memcpy(core->work, core->delta, n * sizeof(*core->delta)); /* delta^T Lambda delta by parts */
  if (!factorise(core)) {
    core->updating = false;
    return false;
  }
  small_cholesky_solve(n, core->Lambda, core->delta);
  const double length = small_dot(n, core->work, core->delta);
  const double share = step_share(core);
  small_add(n, share, core->delta, core->x_new);
  hold_within_bounds(core);
  core->iteration++;
  return core->iteration < core->settings.iterations &&
         (share < 1.0 || length > CONVERGED * CONVERGED);
}

/* The parameters of the new state are finite, and for the log-Cholesky forms still a body after
 * rounding. */
static bool is_sound(const struct inertial_core *core) {
  for (size_t link = 0; link < core->n_links; link++) {
    const struct inertia pi = inertial_form_body(core->settings.form, core->x_new + TEN * link);
    const enum status status = inertia_consistency(&pi, INERTIAL_LEAST_SPREAD, NULL);
    if (status == STATUS_NOT_FINITE ||
        (status != STATUS_OK && core->settings.form != INERTIAL_LINEAR)) {
      return false;
    }
  }
  return true;
}

/* P = V + V_p X V_p^T, V the inverse of Lambda, V_p the parameters' columns of it and X
 * [n_pi][n_pi] the scatter of the rows beyond their information. False when Lambda is not positive
 * definite. */
static bool covariance(struct inertial_core *core, const double *X, double *P) {
  const size_t n = core->n, p = core->n_pi;
  double *VX = core->work;
  if (!factorise(core)) {
    return false;
  }
  small_cholesky_inverse(n, core->Lambda);
  small_multiply(n, p, p, 1.0, small_factor(core->Lambda, n), small_factor(X, p), 0.0, VX, p);
  memcpy(P, core->Lambda, n * n * sizeof(*P));
  small_multiply_symmetric(n, p, 1.0, small_factor(VX, p), small_factor(core->Lambda, n), 1.0, P,
                           n);
  return inertial_core_all_finite(P, n * n);
}

/* The covariances of a new state, of the reluctant estimate and as it is believed: what rows left
 * of the prior's error, K = V Lambda0, is left of all of the error that the prior may have.
 * P = P_own + K (P_prior - P_prior_own) K^T */
static bool covariances(struct inertial_core *core) {
  const size_t n = core->n, square = n * n;
  double *own = core->own, *X = core->scatter, *K = core->work, *KD = core->A_fit;
  row_memory_scatter(&core->trial, core->share, core->flat, core->before, X);
  to_state(core, X, core->n_pi);
  if (!covariance(core, X, own)) {
    return false;
  }
  /* V is in Lambda now */
  small_multiply(n, n, n, 1.0, small_factor(core->Lambda, n), small_factor(core->Lambda0, n), 0.0,
                 K, n);
  double *D = core->Lambda;
  memcpy(D, core->P_prior, square * sizeof(*D));
  small_add(square, -1.0, core->P_prior_own, D);
  small_multiply(n, n, n, 1.0, small_factor(K, n), small_factor(D, n), 0.0, KD, n);
  double *believed = core->Lambda;
  memcpy(believed, own, square * sizeof(*own));
  small_multiply_symmetric(n, n, 1.0, small_factor(KD, n), small_transposed(K, n), 1.0, believed,
                           n);
  if (!inertial_core_all_finite(believed, square)) {
    return false;
  }
  memcpy(core->P, believed, square * sizeof(*core->P));
  memcpy(core->P_own, own, square * sizeof(*own));
  return true;
}

/* @eq Foster24 11 in information form: P+ = (P^-1 + H^T R^-1 H)^-1, symmetric by construction
 * @differs Foster24 11: noise in the regressor scatters the rows more than their information says,
 * and P+ is wider by that */
enum status inertial_core_finish(struct inertial_core *core) {
  const size_t n = core->n;
  if (!core->updating) {
    return STATUS_SINGULAR;
  }
  core->updating = false;
  if (!inertial_core_all_finite(core->x_new, n) || !is_sound(core)) {
    return STATUS_NOT_FINITE;
  }
  inertial_core_linearise(core, core->x_new);
  if (!covariances(core)) {
    return STATUS_SINGULAR;
  }
  memcpy(core->x, core->x_new, n * sizeof(*core->x));
  const struct row_memory before = core->rows;
  core->rows = core->trial;
  core->trial = before;
  if (!core->settings.memory) {
    inertial_core_begin_anew(core);
  }
  for (size_t link = 0; link < core->n_links; link++) {
    core->pi[link] = inertia_from(core->flat + TEN * link);
  }
  return STATUS_OK;
}

enum status inertial_core_refit(struct inertial_core *core) {
  row_memory_copy(&core->trial, &core->rows);
  const enum status status = begin(core);
  while (status == STATUS_OK && inertial_core_iterate(core)) {
  }
  return status == STATUS_OK ? inertial_core_finish(core) : status;
}

/* -- evidence --------------------------------------------------------------------------------- */

/* The information of the rows and what they say beyond the prior's mean, in the state. */
static void beyond_the_mean(struct inertial_core *core, double *A, double *g) {
  inertial_core_linearise(core, core->x_prior);
  row_memory_fit(&core->rows, 0, core->flat, A, core->b_fit);
  memset(g, 0, core->n * sizeof(*g));
  add_slope(core, A, core->b_fit, g);
  to_state(core, A, core->n);
}

double inertial_evidence(struct inertial_core *core, const double *P, double *fit) {
  const size_t n = core->n;
  double *A = core->A_fit, *g = core->delta, *L = core->Lambda, *AL = core->work;
  double *M = core->Lambda0, *u = core->x_new;
  beyond_the_mean(core, A, g);
  /* P's factor, with nothing above it */
  memcpy(L, P, n * n * sizeof(*L));
  if (!small_cholesky_lower(n, L)) {
    return -HUGE_VAL;
  }
  for (size_t i = 0; i < n; i++) {
    memset(L + i * n + i + 1, 0, (n - i - 1) * sizeof(*L));
  }
  /* M = 1 + L^T A L, and its factor */
  small_multiply(n, n, n, 1.0, small_factor(A, n), small_factor(L, n), 0.0, AL, n);
  small_multiply_symmetric(n, n, 1.0, small_transposed(L, n), small_factor(AL, n), 0.0, M, n);
  for (size_t i = 0; i < n; i++) {
    M[i * n + i] += 1.0;
  }
  if (!small_cholesky_lower(n, M)) {
    return -HUGE_VAL;
  }
  /* M^-1 u and ln det M */
  double *v = core->delta, log_det = 0.0;
  small_apply(n, n, 1.0, small_transposed(L, n), g, 0.0, u);
  memcpy(v, u, n * sizeof(*v));
  small_cholesky_solve(n, M, v);
  for (size_t i = 0; i < n; i++) {
    log_det += 2.0 * log(M[i * n + i]);
  }
  if (fit != NULL) {
    memcpy(fit, core->x_prior, n * sizeof(*fit));
    small_apply(n, n, 1.0, small_factor(L, n), v, 1.0, fit);
  }
  return 0.5 * (small_dot(n, u, v) - log_det);
}
