#include "robot/accelerometer_calibration.h"

#include <lapacke.h>
#include <stdlib.h>
#include <string.h>

enum { QUADRIC_TERMS = 9, AFFINE_TERMS = 4, REFINEMENTS = 20 };

/* Directions of gravity whose outer products have a smaller eigenvalue than this lie so nearly in a
 * plane that noise of 1 % of gravity would move the ellipsoid's third axis by more than 10 %. */
static const double MIN_SPREAD = 0.02;
static const double MIN_QUADRIC_CONDITION = 1e-4; /* smallest over largest singular value */
static const double REFINED = 1e-10;              /* relative step at which the refinement ends */

static bool all_finite(const vec3 *a, size_t n) {
  for (size_t i = 0; i < n; i++) {
    if (!vec3_is_finite(a[i])) {
      return false;
    }
  }
  return true;
}

/* Smallest eigenvalue of the mean outer product of unit vectors. */
static double spread_of(const vec3 *expected, size_t n) {
  double C[9] = {0.0}, eigenvalues[3];
  for (size_t i = 0; i < n; i++) {
    double u[3];
    vec3_to(vec3_scale(1.0 / vec3_norm(expected[i]), expected[i]), u);
    for (int r = 0; r < 3; r++) {
      for (int c = 0; c < 3; c++) {
        C[3 * c + r] += u[r] * u[c] / (double)n;
      }
    }
  }
  return LAPACKE_dsyev(LAPACK_COL_MAJOR, 'N', 'U', 3, C, 3, eigenvalues) == 0
             ? fmax(eigenvalues[0], 0.0)
             : 0.0;
}

static double residual_of(const struct accelerometer_calibration *calibration, const vec3 *raw,
                          const vec3 *expected, size_t n) {
  double sum = 0.0;
  for (size_t i = 0; i < n; i++) {
    const vec3 e = vec3_sub(accelerometer_apply(calibration, raw[i]), expected[i]);
    sum += vec3_dot(e, e);
  }
  return sqrt(sum / (double)n);
}

/* Angle of the rotation nearest to M, rad. */
static double rotation_angle(const mat3 *M) {
  const double trace = M->m[0][0] + M->m[1][1] + M->m[2][2];
  const vec3 axial = {M->m[2][1] - M->m[1][2], M->m[0][2] - M->m[2][0], M->m[1][0] - M->m[0][1]};
  return atan2(vec3_norm(axial), trace - 1.0);
}

static void report(const struct accelerometer_calibration *fit, const vec3 *raw,
                   const vec3 *expected, size_t n, struct calibration_quality *quality) {
  const struct accelerometer_calibration nominal = CALIBRATION_IDENTITY;
  quality->residual_before = residual_of(&nominal, raw, expected, n);
  quality->residual_after = residual_of(fit, raw, expected, n);
  quality->rotation = rotation_angle(&fit->M);
}

/* Least squares of the quadric x^T V x + 2 v^T x = 1 through the readings, which are scaled to unit
 * size. coefficients: [Vxx Vyy Vzz Vxy Vxz Vyz vx vy vz] */
static enum status fit_quadric(const vec3 *x, size_t n, double coefficients[QUADRIC_TERMS]) {
  double *A = malloc(n * QUADRIC_TERMS * sizeof(double)), *one = malloc(n * sizeof(double));
  double singular[QUADRIC_TERMS];
  enum status status = STATUS_NO_MEMORY;
  lapack_int rank;
  if (A != NULL && one != NULL) {
    for (size_t i = 0; i < n; i++) {
      const double row[QUADRIC_TERMS] = {
          x[i].x * x[i].x,       x[i].y * x[i].y,       x[i].z * x[i].z,
          2.0 * x[i].x * x[i].y, 2.0 * x[i].x * x[i].z, 2.0 * x[i].y * x[i].z,
          2.0 * x[i].x,          2.0 * x[i].y,          2.0 * x[i].z};
      for (size_t j = 0; j < QUADRIC_TERMS; j++) {
        A[j * n + i] = row[j];
      }
      one[i] = 1.0;
    }
    status = STATUS_SINGULAR;
    if (LAPACKE_dgelss(LAPACK_COL_MAJOR, (lapack_int)n, QUADRIC_TERMS, 1, A, (lapack_int)n, one,
                       (lapack_int)n, singular, MIN_QUADRIC_CONDITION, &rank) == 0 &&
        rank == QUADRIC_TERMS) {
      memcpy(coefficients, one, QUADRIC_TERMS * sizeof(double));
      status = STATUS_OK;
    }
  }
  free(A);
  free(one);
  return status;
}

/* Centre b and symmetric root M of the shape: |M (x - b)| = 1 on the quadric. @eq Leboutet22 153 */
static enum status quadric_to_ellipsoid(const double c[QUADRIC_TERMS],
                                        struct accelerometer_calibration *out) {
  double V[9] = {c[0], c[3], c[4], c[3], c[1], c[5], c[4], c[5], c[2]};
  double eigenvalues[3], centre[3] = {0.0, 0.0, 0.0};
  if (LAPACKE_dsyev(LAPACK_COL_MAJOR, 'V', 'U', 3, V, 3, eigenvalues) != 0 ||
      eigenvalues[0] <= 0.0) {
    return STATUS_NO_CONVERGENCE;
  }
  const double *Q = V; /* column i: eigenvector i */
  for (int i = 0; i < 3; i++) {
    const double along =
        -(Q[3 * i] * c[6] + Q[3 * i + 1] * c[7] + Q[3 * i + 2] * c[8]) / eigenvalues[i];
    for (int r = 0; r < 3; r++) {
      centre[r] += along * Q[3 * i + r];
    }
  }
  /* completing the square moves the right side from 1 to 1 + b^T V b = 1 - v^T b */
  const double level = 1.0 - (c[6] * centre[0] + c[7] * centre[1] + c[8] * centre[2]);
  if (level <= 0.0) {
    return STATUS_NO_CONVERGENCE;
  }
  out->b = vec3_from(centre);
  for (int r = 0; r < 3; r++) {
    for (int s = 0; s < 3; s++) {
      out->M.m[r][s] = 0.0;
      for (int i = 0; i < 3; i++) {
        out->M.m[r][s] += Q[3 * i + r] * sqrt(eigenvalues[i] / level) * Q[3 * i + s];
      }
    }
  }
  return STATUS_OK;
}

/* One Gauss-Newton step on the distances | |M (x - b)| - 1 |, which the algebraic fit weighs
 * unevenly. Unknowns: the six entries of the symmetric M and b. Answers the step's size, or NaN
 * when the normal equations are singular. */
static double refine(const vec3 *x, size_t n, struct accelerometer_calibration *fit) {
  static const int row_of[6] = {0, 1, 2, 0, 0, 1}, column_of[6] = {0, 1, 2, 1, 2, 2};
  double N[QUADRIC_TERMS * QUADRIC_TERMS] = {0.0}, g[QUADRIC_TERMS] = {0.0};
  for (size_t i = 0; i < n; i++) {
    double d[3], u[3], J[QUADRIC_TERMS];
    const vec3 difference = vec3_sub(x[i], fit->b), y = mat3_mul_vec3(&fit->M, difference);
    const double length = vec3_norm(y);
    const vec3 unit = vec3_scale(1.0 / length, y);
    vec3_to(difference, d);
    vec3_to(unit, u);
    for (int k = 0; k < 6; k++) {
      const int r = row_of[k], c = column_of[k];
      J[k] = r == c ? u[r] * d[r] : u[r] * d[c] + u[c] * d[r];
    }
    vec3_to(vec3_neg(mat3_tmul_vec3(&fit->M, unit)), J + 6);
    for (int r = 0; r < QUADRIC_TERMS; r++) {
      g[r] += J[r] * (1.0 - length);
      for (int c = 0; c < QUADRIC_TERMS; c++) {
        N[r * QUADRIC_TERMS + c] += J[r] * J[c];
      }
    }
  }
  if (LAPACKE_dposv(LAPACK_COL_MAJOR, 'U', QUADRIC_TERMS, 1, N, QUADRIC_TERMS, g, QUADRIC_TERMS) !=
      0) {
    return (double)NAN;
  }
  double step = 0.0;
  for (int k = 0; k < 6; k++) {
    fit->M.m[row_of[k]][column_of[k]] += g[k];
    fit->M.m[column_of[k]][row_of[k]] = fit->M.m[row_of[k]][column_of[k]];
    step = fmax(step, fabs(g[k]));
  }
  fit->b = vec3_add(fit->b, vec3_from(g + 6));
  return fmax(step, vec3_norm(vec3_from(g + 6)));
}

/* Rotation R that brings `from` nearest to `to`: orthogonal Procrustes. */
static enum status nearest_rotation(const vec3 *from, const vec3 *to, size_t n, mat3 *R) {
  double C[9] = {0.0}, U[9], Vt[9], singular[3], work[3];
  for (size_t i = 0; i < n; i++) {
    double a[3], b[3];
    vec3_to(from[i], a);
    vec3_to(to[i], b);
    for (int r = 0; r < 3; r++) {
      for (int c = 0; c < 3; c++) {
        C[3 * c + r] += b[r] * a[c];
      }
    }
  }
  if (LAPACKE_dgesvd(LAPACK_COL_MAJOR, 'A', 'A', 3, 3, C, 3, singular, U, 3, Vt, 3, work) != 0) {
    return STATUS_SINGULAR;
  }
  const mat3 Um = {{{U[0], U[3], U[6]}, {U[1], U[4], U[7]}, {U[2], U[5], U[8]}}};
  const mat3 Vm = {{{Vt[0], Vt[3], Vt[6]}, {Vt[1], Vt[4], Vt[7]}, {Vt[2], Vt[5], Vt[8]}}};
  mat3 Q = mat3_mul(&Um, &Vm);
  const vec3 row0 = vec3_from(Q.m[0]), row1 = vec3_from(Q.m[1]), row2 = vec3_from(Q.m[2]);
  if (vec3_dot(vec3_cross(row0, row1), row2) <
      0.0) { /* a reflection: turn the weakest direction round */
    for (int r = 0; r < 3; r++) {
      for (int c = 0; c < 3; c++) {
        Q.m[r][c] -= 2.0 * Um.m[r][2] * Vm.m[2][c];
      }
    }
  }
  *R = Q;
  return STATUS_OK;
}

/* Ellipsoid of readings scaled by `gravity`, and then its rotation. */
static enum status fit_scaled(const vec3 *x, const vec3 *expected, size_t n, double gravity,
                              struct accelerometer_calibration *out) {
  struct accelerometer_calibration fit;
  double coefficients[QUADRIC_TERMS];
  enum status status = fit_quadric(x, n, coefficients);
  if (status == STATUS_OK) {
    status = quadric_to_ellipsoid(coefficients, &fit);
  }
  double step = 1.0;
  for (int i = 0; i < REFINEMENTS && status == STATUS_OK && step > REFINED; i++) {
    step = refine(x, n, &fit);
    status = isfinite(step) ? STATUS_OK : STATUS_NO_CONVERGENCE;
  }
  if (status != STATUS_OK) {
    return status;
  }
  vec3 *sphere = malloc(n * sizeof(vec3));
  if (sphere == NULL) {
    return STATUS_NO_MEMORY;
  }
  for (size_t i = 0; i < n; i++) {
    sphere[i] = accelerometer_apply(&fit, x[i]);
  }
  mat3 R;
  status = nearest_rotation(sphere, expected, n, &R);
  free(sphere);
  if (status == STATUS_OK) {
    out->M = mat3_mul(&R, &fit.M);
    out->b = vec3_scale(gravity, fit.b);
  }
  return status;
}

enum status accelerometer_fit_ellipsoid(const vec3 *raw, const vec3 *expected, size_t n,
                                        struct accelerometer_calibration *out,
                                        struct calibration_quality *quality) {
  *quality = (struct calibration_quality){.n_poses = n};
  if (n < CALIBRATION_MIN_POSES) {
    return STATUS_TOO_FEW;
  }
  if (!all_finite(raw, n) || !all_finite(expected, n)) {
    return STATUS_NOT_FINITE;
  }
  quality->spread = spread_of(expected, n);
  if (quality->spread < MIN_SPREAD) {
    return STATUS_SINGULAR;
  }
  vec3 *x = malloc(n * sizeof(vec3));
  if (x == NULL) {
    return STATUS_NO_MEMORY;
  }
  const double gravity = vec3_norm(expected[0]);
  for (size_t i = 0; i < n; i++) {
    x[i] = vec3_scale(1.0 / gravity, raw[i]);
  }
  struct accelerometer_calibration fit;
  const enum status status = fit_scaled(x, expected, n, gravity, &fit);
  free(x);
  if (status == STATUS_OK) {
    report(&fit, raw, expected, n, quality);
    *out = fit;
  }
  return status;
}

/* Normal equations of expected = M raw + c, one row of (M, c) after the other; all three share the
 * matrix. The prior pulls M to the identity and c to zero. */
static enum status fit_affine(const vec3 *raw, const vec3 *expected, size_t n,
                              const struct calibration_prior *prior, double X[AFFINE_TERMS * 3]) {
  const double weight = 1.0 / (prior->noise * prior->noise);
  const double pull[AFFINE_TERMS] = {
      1.0 / (prior->matrix * prior->matrix), 1.0 / (prior->matrix * prior->matrix),
      1.0 / (prior->matrix * prior->matrix), 1.0 / (prior->bias * prior->bias)};
  double N[AFFINE_TERMS * AFFINE_TERMS] = {0.0};
  memset(X, 0, AFFINE_TERMS * 3 * sizeof(double));
  for (int k = 0; k < AFFINE_TERMS; k++) {
    N[k * AFFINE_TERMS + k] = pull[k];
  }
  for (int axis = 0; axis < 3; axis++) {
    X[axis * AFFINE_TERMS + axis] = pull[axis];
  }
  for (size_t i = 0; i < n; i++) {
    const double a[AFFINE_TERMS] = {raw[i].x, raw[i].y, raw[i].z, 1.0};
    const double f[3] = {expected[i].x, expected[i].y, expected[i].z};
    for (int r = 0; r < AFFINE_TERMS; r++) {
      for (int c = 0; c < AFFINE_TERMS; c++) {
        N[c * AFFINE_TERMS + r] += weight * a[r] * a[c];
      }
      for (int axis = 0; axis < 3; axis++) {
        X[axis * AFFINE_TERMS + r] += weight * a[r] * f[axis];
      }
    }
  }
  return LAPACKE_dposv(LAPACK_COL_MAJOR, 'U', AFFINE_TERMS, 3, N, AFFINE_TERMS, X, AFFINE_TERMS) ==
                 0
             ? STATUS_OK
             : STATUS_SINGULAR;
}

enum status accelerometer_fit_with_prior(const vec3 *raw, const vec3 *expected, size_t n,
                                         const struct calibration_prior *prior,
                                         struct accelerometer_calibration *out,
                                         struct calibration_quality *quality) {
  *quality = (struct calibration_quality){.n_poses = n};
  if (n < 2) {
    return STATUS_TOO_FEW;
  }
  if (!(prior->bias > 0.0 && prior->matrix > 0.0 && prior->noise > 0.0)) {
    return STATUS_BAD_ARGUMENT;
  }
  if (!all_finite(raw, n) || !all_finite(expected, n)) {
    return STATUS_NOT_FINITE;
  }
  quality->spread = spread_of(expected, n);
  double X[AFFINE_TERMS * 3];
  enum status status = fit_affine(raw, expected, n, prior, X);
  if (status != STATUS_OK) {
    return status;
  }
  struct accelerometer_calibration fit;
  double M[9], b[3] = {-X[3], -X[7], -X[11]}; /* M raw + c = M (raw - b), b = -M^-1 c */
  lapack_int pivots[3];
  for (int r = 0; r < 3; r++) {
    for (int c = 0; c < 3; c++) {
      fit.M.m[r][c] = M[3 * c + r] = X[r * AFFINE_TERMS + c];
    }
  }
  if (LAPACKE_dgesv(LAPACK_COL_MAJOR, 3, 1, M, 3, pivots, b, 3) != 0) {
    return STATUS_SINGULAR;
  }
  fit.b = vec3_from(b);
  report(&fit, raw, expected, n, quality);
  *out = fit;
  return STATUS_OK;
}
