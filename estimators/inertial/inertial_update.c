#include "inertial/inertial_update.h"

#include "inertia/pseudo_inertia.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

enum { TEN = INERTIA_PARAMETERS };

/* An iteration moves alpha and the logarithms d by at most this: a factor of 2.7 in mass. */
static const double LARGEST_STEP = 0.5;
/* The iteration has converged when a step is this short, in standard deviations. */
static const double CONVERGED = 1e-2;
/* Radii, tilts and centres beyond these are no part of a robot; the state is held within, m. */
static const double SMALLEST_RADIUS = 2e-3, LARGEST_RADIUS = 3.0, LARGEST_OFFSET = 3.0;

/* Both triangles from the one that LAPACK wrote. */
static void mirror(double *A, size_t n) {
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j < i; j++) {
      A[i * n + j] = A[j * n + i];
    }
  }
}

/* Inverse of a symmetric positive definite matrix in place; false when it is not definite. */
static bool invert(double *A, size_t n) {
  const lapack_int size = (lapack_int)n;
  if (LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', size, A, size) != 0 ||
      LAPACKE_dpotri_work(LAPACK_COL_MAJOR, 'L', size, A, size) != 0) {
    return false;
  }
  mirror(A, n); /* column-major lower is row-major upper */
  return true;
}

enum status inertial_core_begin(struct inertial_core *core, const struct inertial_rows *rows,
                                double weight) {
  const enum status status = inertial_core_check_rows(core, rows);
  if (status != STATUS_OK) {
    return status;
  }
  const size_t n = core->n;
  memcpy(core->Lambda0, core->P_prior, n * n * sizeof(*core->P));
  if (!invert(core->Lambda0, n)) {
    return STATUS_SINGULAR;
  }
  row_memory_copy(&core->trial, &core->rows);
  row_memory_add(&core->trial, rows, weight);
  row_memory_fit(&core->trial, &core->share, core->A_fit, core->b_fit);
  memcpy(core->x_new, core->x, n * sizeof(*core->x));
  core->iteration = 0;
  core->updating = true;
  return STATUS_OK;
}

/* The factor of Lambda = Lambda0 + G^T A G; false when it is not positive definite. */
static bool factorise(struct inertial_core *core) {
  const size_t n = core->n;
  const int by = (int)n;
  memcpy(core->Lambda, core->Lambda0, n * n * sizeof(*core->Lambda));
  for (size_t k = 0; k < core->n_links; k++) {
    for (size_t l = 0; l < core->n_links; l++) {
      double AG[TEN * TEN];
      const double *Gk = core->G + (size_t)(TEN * TEN) * k, *Gl = core->G + (size_t)(TEN * TEN) * l;
      cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, TEN, TEN, TEN, 1.0,
                  core->A_fit + TEN * k * n + TEN * l, by, Gl, TEN, 0.0, AG, TEN);
      cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, TEN, TEN, TEN, 1.0, Gk, TEN, AG, TEN,
                  1.0, core->Lambda + TEN * k * n + TEN * l, by);
    }
  }
  return LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', by, core->Lambda, by) == 0;
}

/* Half the slope downhill: Lambda0 (x_prior - x_new) + G^T (b - A pi) */
static void gradient(struct inertial_core *core) {
  const size_t n = core->n;
  memcpy(core->residual, core->b_fit, n * sizeof(*core->b_fit));
  cblas_dgemv(CblasRowMajor, CblasNoTrans, (int)n, (int)n, -1.0, core->A_fit, (int)n, core->flat, 1,
              1.0, core->residual, 1);
  for (size_t i = 0; i < n; i++) {
    core->work[i] = core->x_prior[i] - core->x_new[i];
  }
  cblas_dgemv(CblasRowMajor, CblasNoTrans, (int)n, (int)n, 1.0, core->Lambda0, (int)n, core->work,
              1, 0.0, core->delta, 1);
  for (size_t k = 0; k < core->n_links; k++) {
    cblas_dgemv(CblasRowMajor, CblasTrans, TEN, TEN, 1.0, core->G + (size_t)(TEN * TEN) * k, TEN,
                core->residual + TEN * k, 1, 1.0, core->delta + TEN * k, 1);
  }
}

/* The share of a step that keeps alpha and d within LARGEST_STEP. */
static double step_share(const struct inertial_core *core) {
  double largest = 0.0;
  for (size_t i = 0; core->settings.form != INERTIAL_LINEAR && i < core->n; i++) {
    if (i % TEN < LOG_CHOLESKY_S) {
      largest = fmax(largest, fabs(core->delta[i]));
    }
  }
  return largest > LARGEST_STEP ? LARGEST_STEP / largest : 1.0;
}

/* Holds Rucker's coordinates within what can be a part of a robot. */
static void hold_within_bounds(struct inertial_core *core) {
  for (size_t i = 0; core->settings.form == INERTIAL_RUCKER && i < core->n; i++) {
    const size_t place = i % TEN;
    if (place >= LOG_CHOLESKY_S) {
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
  LAPACKE_dpotrs_work(LAPACK_COL_MAJOR, 'L', (lapack_int)n, 1, core->Lambda, (lapack_int)n,
                      core->delta, (lapack_int)n);
  const double length = cblas_ddot((int)n, core->work, 1, core->delta, 1);
  const double share = step_share(core);
  cblas_daxpy((int)n, share, core->delta, 1, core->x_new, 1);
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

/* X = G_k^T X G_l block by block: a quadratic form of the parameters as one of the state */
static void to_state(const struct inertial_core *core, double *X) {
  const size_t n = core->n;
  for (size_t k = 0; k < core->n_links; k++) {
    for (size_t l = 0; l < core->n_links; l++) {
      const double *Gk = core->G + (size_t)(TEN * TEN) * k, *Gl = core->G + (size_t)(TEN * TEN) * l;
      double XG[TEN * TEN], *block = X + TEN * k * n + TEN * l;
      cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, TEN, TEN, TEN, 1.0, block, (int)n, Gl,
                  TEN, 0.0, XG, TEN);
      cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, TEN, TEN, TEN, 1.0, Gk, TEN, XG, TEN,
                  0.0, block, (int)n);
    }
  }
}

/* Lambda's inverse V becomes V + V X V, X the scatter of the rows beyond their information. */
static void widen(struct inertial_core *core) {
  const int n = (int)core->n;
  double *X = core->work, *VX = core->A_fit;
  row_memory_scatter(&core->trial, core->share, core->flat, X);
  to_state(core, X);
  cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1.0, core->Lambda, n, X, n, 0.0,
              VX, n);
  memcpy(X, core->Lambda, core->n * core->n * sizeof(*X));
  cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1.0, VX, n, X, n, 1.0,
              core->Lambda, n);
  for (size_t i = 0; i < core->n; i++) { /* symmetric but for rounding */
    for (size_t j = 0; j < i; j++) {
      const double mean = 0.5 * (core->Lambda[i * core->n + j] + core->Lambda[j * core->n + i]);
      core->Lambda[i * core->n + j] = core->Lambda[j * core->n + i] = mean;
    }
  }
}

/* @eq Foster24 11 in information form: P+ = (P^-1 + H^T R^-1 H)^-1, symmetric by construction
 * @differs Foster24 11: noise in the regressor and the bias's own error scatter the rows more than
 * their information says, and P+ is wider by that */
enum status inertial_core_finish(struct inertial_core *core) {
  const size_t n = core->n;
  const lapack_int size = (lapack_int)n;
  if (!core->updating) {
    return STATUS_SINGULAR;
  }
  core->updating = false;
  if (!inertial_core_all_finite(core->x_new, n) || !is_sound(core)) {
    return STATUS_NOT_FINITE;
  }
  inertial_core_linearise(core, core->x_new);
  if (!factorise(core) ||
      LAPACKE_dpotri_work(LAPACK_COL_MAJOR, 'L', size, core->Lambda, size) != 0) {
    return STATUS_SINGULAR;
  }
  if (!inertial_core_all_finite(core->Lambda, n * n)) {
    return STATUS_NOT_FINITE;
  }
  mirror(core->Lambda, n);
  widen(core);
  memcpy(core->P, core->Lambda, n * n * sizeof(*core->P));
  memcpy(core->x, core->x_new, n * sizeof(*core->x));
  row_memory_copy(&core->rows, &core->trial);
  if (!core->settings.memory) {
    inertial_core_begin_anew(core);
  }
  for (size_t link = 0; link < core->n_links; link++) {
    core->pi[link] = inertia_from(core->flat + TEN * link);
  }
  return STATUS_OK;
}
