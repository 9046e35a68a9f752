#include "numerics/quadratic_program.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

/* Of a constraint's own size: broken by less counts as kept. */
static const double KEPT = 1e-11;
/* Of a normal's length: what is left of it by the active ones is nothing. */
static const double DEPENDENT = 1e-11;
enum { CHANGES = 10 /* of the set, per constraint */ };

enum status quadratic_program_init(struct quadratic_program *qp, size_t n, size_t rows,
                                   struct arena *arena) {
  if (n == 0) {
    return STATUS_BAD_ARGUMENT;
  }
  *qp = (struct quadratic_program){
      .n = n,
      .H = ARENA_ARRAY(arena, double, n *n),
      .g = ARENA_ARRAY(arena, double, n),
      .low = ARENA_ARRAY(arena, double, n),
      .high = ARENA_ARRAY(arena, double, n),
      .row = ARENA_ARRAY(arena, double, rows *n),
      .least = ARENA_ARRAY(arena, double, rows),
      .x = ARENA_ARRAY(arena, double, n),
      .multiplier = ARENA_ARRAY(arena, double, n + 1),
      .active = ARENA_ARRAY(arena, size_t, n + 1),
      .unit = ARENA_ARRAY(arena, double, n),
      .JT = ARENA_ARRAY(arena, double, n *n),
      .R = ARENA_ARRAY(arena, double, n *n),
      .d = ARENA_ARRAY(arena, double, n),
      .z = ARENA_ARRAY(arena, double, n),
      .r = ARENA_ARRAY(arena, double, n),
      .row_size = ARENA_ARRAY(arena, double, rows),
      .before = ARENA_ARRAY(arena, size_t, n + 1),
  };
  if (arena_is_counting(arena)) {
    return STATUS_OK;
  }
  if (arena->failed) {
    return STATUS_NO_MEMORY;
  }
  for (size_t i = 0; i < n; i++) {
    qp->low[i] = -HUGE_VAL;
    qp->high[i] = HUGE_VAL;
  }
  return STATUS_OK;
}

/* -- constraints ------------------------------------------------------------------------------ */

/* How far constraint p is kept by x, in units of its normal's length; x and it are scaled. */
static double slack(const struct quadratic_program *qp, size_t p) {
  const size_t n = qp->n;
  if (p < n) {
    return qp->x[p] - qp->low[p] / qp->unit[p];
  }
  if (p < 2 * n) {
    return qp->high[p - n] / qp->unit[p - n] - qp->x[p - n];
  }
  const double *row = qp->row + (p - 2 * n) * n;
  double sum = -qp->least[p - 2 * n];
  for (size_t i = 0; i < n; i++) {
    sum += row[i] * qp->unit[i] * qp->x[i];
  }
  return sum / qp->row_size[p - 2 * n];
}

/* What rounding makes of a constraint that x only just keeps. */
static double tolerance(const struct quadratic_program *qp, size_t p) {
  const size_t n = qp->n;
  if (p < 2 * n) {
    return KEPT * (1.0 + fabs(qp->x[p % n]));
  }
  const double least = fabs(qp->least[p - 2 * n]) / qp->row_size[p - 2 * n];
  return KEPT * (1.0 + least + cblas_dnrm2((int)n, qp->x, 1));
}

static bool is_active(const struct quadratic_program *qp, size_t p) {
  for (size_t k = 0; k < qp->n_active; k++) {
    if (qp->active[k] == p) {
      return true;
    }
  }
  return false;
}

/* The constraint that is broken most; false: none is. */
static bool most_broken(const struct quadratic_program *qp, size_t *p) {
  double worst = 0.0;
  for (size_t k = 0; k < 2 * qp->n + qp->rows; k++) {
    const double s = slack(qp, k);
    if (s < worst && s < -tolerance(qp, k) && !is_active(qp, k)) {
      worst = s;
      *p = k;
    }
  }
  return worst < 0.0;
}

/* d = J^T times the unit normal of p. */
static void project(struct quadratic_program *qp, size_t p) {
  const size_t n = qp->n;
  if (p < 2 * n) {
    cblas_dcopy((int)n, qp->JT + p % n, (int)n, qp->d, 1);
    if (p >= n) {
      cblas_dscal((int)n, -1.0, qp->d, 1);
    }
    return;
  }
  const double *row = qp->row + (p - 2 * n) * n, size = qp->row_size[p - 2 * n];
  for (size_t i = 0; i < n; i++) {
    qp->z[i] = row[i] * qp->unit[i] / size;
  }
  cblas_dgemv(CblasRowMajor, CblasNoTrans, (int)n, (int)n, 1.0, qp->JT, (int)n, qp->z, 1, 0.0,
              qp->d, 1);
}

/* -- the active set --------------------------------------------------------------------------- */

/* Turns a pair so that the second becomes zero. */
static void find_turn(double *a, double *b, double *c, double *s) {
  const double h = hypot(*a, *b);
  *c = h > 0.0 ? *a / h : 1.0;
  *s = h > 0.0 ? *b / h : 0.0;
  *a = h;
  *b = 0.0;
}

/* Takes p, whose d is there, with its multiplier: J's columns turn until d ends at n_active. */
static void add(struct quadratic_program *qp, size_t p, double multiplier) {
  const size_t n = qp->n, q = qp->n_active;
  for (size_t i = n - 1; i > q; i--) {
    double c, s;
    if (qp->d[i] != 0.0) {
      find_turn(&qp->d[i - 1], &qp->d[i], &c, &s);
      cblas_drot((int)n, qp->JT + (i - 1) * n, 1, qp->JT + i * n, 1, c, s);
    }
  }
  memcpy(qp->R + q * n, qp->d, (q + 1) * sizeof(double)); /* column q */
  qp->active[q] = p;
  qp->multiplier[q] = multiplier;
  qp->n_active++;
  qp->steps++;
}

/* The constraint at place l leaves: R is made a triangle again. */
static void drop(struct quadratic_program *qp, size_t l) {
  const size_t n = qp->n, q = --qp->n_active;
  for (size_t j = l; j < q; j++) {
    memcpy(qp->R + j * n, qp->R + (j + 1) * n, (j + 2) * sizeof(double));
    qp->active[j] = qp->active[j + 1];
    qp->multiplier[j] = qp->multiplier[j + 1];
  }
  for (size_t j = l; j < q; j++) {
    double c, s;
    find_turn(&qp->R[j * n + j], &qp->R[j * n + j + 1], &c, &s);
    cblas_drot((int)n, qp->JT + j * n, 1, qp->JT + (j + 1) * n, 1, c, s);
    for (size_t k = j + 1; k < q; k++) {
      double *at = qp->R + k * n + j;
      const double a = at[0], b = at[1];
      at[0] = c * a + s * b;
      at[1] = c * b - s * a;
    }
  }
  qp->steps++;
}

/* R v in place of v is undone: v = R^-1 v, or R^-T v. */
static void solve_triangle(const struct quadratic_program *qp, double *v, bool turned) {
  cblas_dtrsv(CblasColMajor, CblasUpper, turned ? CblasTrans : CblasNoTrans, CblasNonUnit,
              (int)qp->n_active, qp->R, (int)qp->n, v, 1);
}

/* -- the solve -------------------------------------------------------------------------------- */

/* J = L^-T of H = L L^T in units of its diagonal, x = -H^-1 g. False: H has no factor. */
static bool begin(struct quadratic_program *qp) {
  const size_t n = qp->n;
  for (size_t i = 0; i < n; i++) {
    if (!(qp->H[i * n + i] > 0.0) || !isfinite(qp->H[i * n + i])) {
      return false;
    }
    qp->unit[i] = 1.0 / sqrt(qp->H[i * n + i]);
  }
  for (size_t i = 0; i < n; i++) {
    for (size_t k = 0; k < n; k++) {
      qp->H[i * n + k] *= qp->unit[i] * qp->unit[k];
    }
  }
  if (LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', (lapack_int)n, qp->H, (lapack_int)n) != 0 ||
      LAPACKE_dtrtri_work(LAPACK_COL_MAJOR, 'L', 'N', (lapack_int)n, qp->H, (lapack_int)n) != 0) {
    return false;
  }
  for (size_t i = 0; i < n; i++) {
    for (size_t k = 0; k < n; k++) {
      qp->JT[i * n + k] = k <= i ? qp->H[k * n + i] : 0.0;
    }
    qp->z[i] = -qp->unit[i] * qp->g[i];
  }
  cblas_dgemv(CblasRowMajor, CblasNoTrans, (int)n, (int)n, 1.0, qp->JT, (int)n, qp->z, 1, 0.0,
              qp->d, 1);
  cblas_dgemv(CblasRowMajor, CblasTrans, (int)n, (int)n, 1.0, qp->JT, (int)n, qp->d, 1, 0.0, qp->x,
              1);
  for (size_t i = 0; i < qp->rows; i++) {
    double sum = 0.0;
    for (size_t k = 0; k < n; k++) {
      sum += pow(qp->row[i * n + k] * qp->unit[k], 2.0);
    }
    qp->row_size[i] = sum > 0.0 ? sqrt(sum) : 1.0;
  }
  return true;
}

/* x on all active constraints at once, and their multipliers: x0 is the least without any. The
 * slack of x0 is s_W; u = -(R^T R)^-1 s_W, x = x0 + J_1 R^-T (-s_W). */
static void stand_on_active(struct quadratic_program *qp, const double *x0) {
  const size_t n = qp->n, q = qp->n_active;
  memcpy(qp->x, x0, n * sizeof(double));
  for (size_t k = 0; k < q; k++) {
    qp->r[k] = -slack(qp, qp->active[k]);
  }
  solve_triangle(qp, qp->r, true);
  cblas_dgemv(CblasRowMajor, CblasTrans, (int)q, (int)n, 1.0, qp->JT, (int)n, qp->r, 1, 1.0, qp->x,
              1);
  memcpy(qp->multiplier, qp->r, q * sizeof(double));
  solve_triangle(qp, qp->multiplier, false);
}

static bool still_holds(const struct quadratic_program *qp, size_t p) {
  return p < qp->n       ? isfinite(qp->low[p])
         : p < 2 * qp->n ? isfinite(qp->high[p - qp->n])
                         : p - 2 * qp->n < qp->rows;
}

/* The set of the last time, as far as it is independent and pushes. z holds x0. */
static void begin_warm(struct quadratic_program *qp) {
  const size_t n = qp->n, count = qp->n_active;
  memcpy(qp->before, qp->active, count * sizeof(size_t));
  qp->n_active = 0;
  for (size_t k = 0; k < count && qp->n_active < n; k++) {
    if (still_holds(qp, qp->before[k])) {
      project(qp, qp->before[k]);
      const size_t q = qp->n_active;
      if (cblas_dnrm2((int)(n - q), qp->d + q, 1) >
          sqrt(DEPENDENT) * cblas_dnrm2((int)n, qp->d, 1)) {
        add(qp, qp->before[k], 0.0);
      }
    }
  }
  memcpy(qp->z, qp->x, n * sizeof(double));
  for (size_t left = qp->n_active; left > 0; left--) {
    size_t least = 0;
    stand_on_active(qp, qp->z);
    for (size_t k = 1; k < qp->n_active; k++) {
      least = qp->multiplier[k] < qp->multiplier[least] ? k : least;
    }
    if (!(qp->multiplier[least] < 0.0)) {
      return;
    }
    drop(qp, least);
  }
  memcpy(qp->x, qp->z, n * sizeof(double));
}

/* Makes the broken p active, others leave on the way. */
static enum status satisfy(struct quadratic_program *qp, size_t p, size_t *changes) {
  const size_t n = qp->n;
  double own = 0.0;
  for (;; (*changes)--) {
    if (*changes == 0) {
      return STATUS_NO_CONVERGENCE;
    }
    project(qp, p);
    const size_t q = qp->n_active, free = n - q;
    const double whole = cblas_dnrm2((int)n, qp->d, 1),
                 left = free > 0 ? cblas_dnrm2((int)free, qp->d + q, 1) : 0.0;
    const bool can_move = left > DEPENDENT * whole;
    memcpy(qp->r, qp->d, q * sizeof(double));
    solve_triangle(qp, qp->r, false);
    /* the first multiplier that turns negative */
    double t1 = HUGE_VAL;
    size_t first = 0;
    for (size_t k = 0; k < q; k++) {
      if (qp->r[k] > 0.0 && qp->multiplier[k] < t1 * qp->r[k]) {
        t1 = fmax(0.0, qp->multiplier[k] / qp->r[k]);
        first = k;
      }
    }
    /* how far p is */
    const double t2 = can_move ? -slack(qp, p) / (left * left) : HUGE_VAL, t = fmin(t1, t2);
    if (!(t < HUGE_VAL)) {
      return STATUS_NOT_CONSISTENT;
    }
    if (can_move) {
      cblas_dgemv(CblasRowMajor, CblasTrans, (int)free, (int)n, t, qp->JT + q * n, (int)n,
                  qp->d + q, 1, 1.0, qp->x, 1);
    }
    cblas_daxpy((int)q, -t, qp->r, 1, qp->multiplier, 1);
    own += t;
    if (t2 <= t1) {
      add(qp, p, own);
      return STATUS_OK;
    }
    drop(qp, first);
  }
}

/* x and the multipliers in the caller's units. */
static void unscale(struct quadratic_program *qp) {
  for (size_t k = 0; k < qp->n_active; k++) {
    const size_t p = qp->active[k];
    qp->multiplier[k] /= p < 2 * qp->n ? qp->unit[p % qp->n] : qp->row_size[p - 2 * qp->n];
  }
  for (size_t i = 0; i < qp->n; i++) {
    qp->x[i] *= qp->unit[i];
  }
}

enum status quadratic_program_solve(struct quadratic_program *qp) {
  size_t changes = CHANGES * (2 * qp->n + qp->rows), p = 0;
  enum status status = begin(qp) ? STATUS_OK : STATUS_SINGULAR;
  qp->steps = 0;
  if (status == STATUS_OK && qp->n_active > 0) {
    begin_warm(qp);
  }
  while (status == STATUS_OK && most_broken(qp, &p)) {
    status = satisfy(qp, p, &changes);
  }
  unscale(qp);
  if (status != STATUS_OK) {
    qp->n_active = 0;
  }
  return status;
}
