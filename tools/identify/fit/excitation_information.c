/* What a motion tells, and what that is worth. */
#include "identify/fit/excitation_designer.h"

#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* s: of the motion that is judged while searching; between its postures that are looked at; m: what
 * these keep beside the margin. */
static const double COARSE = 0.05, LOOK = 0.02, BESIDE = 0.005;

static struct log_motion motion_of(const struct designer *d, const struct excitation_design *design,
                                   double dt) {
  const size_t joints = d->u->model->n_joints, n = (size_t)(design->period / dt) + 2;
  struct log_motion m = {.n_joints = joints, .n = n, .dt = dt, .cutoff_hz = 0.5 / dt};
  m.q = calloc(n * joints, sizeof(double));
  m.dq = calloc(n * joints, sizeof(double));
  m.ddq = calloc(n * joints, sizeof(double));
  m.tau = calloc(n * joints, sizeof(double));
  if (m.q == NULL || m.dq == NULL || m.ddq == NULL || m.tau == NULL) {
    log_motion_free(&m);
    return m;
  }
  for (size_t k = 0; k < n; k++) {
    for (size_t j = 0; j < joints; j++) {
      const size_t at = k * joints + j;
      excitation_design_at(design, j, dt * (double)k, &m.q[at], &m.dq[at], &m.ddq[at]);
    }
  }
  return m;
}

static bool rows_of(const struct designer *d, const struct excitation_design *design, double dt,
                    struct row_set *rows) {
  const struct row_settings every = {.rate_hz = 1.0 / dt};
  struct log_motion motion = motion_of(d, design, dt);
  const bool made = motion.n > 0 && row_set_make(d->u, &motion, d->up, &every, rows) == STATUS_OK;
  log_motion_free(&motion);
  return made;
}

/* The greatest share of its limit that a torque takes, of the rows. */
static double torque_share(const struct designer *d, const struct row_set *rows) {
  double most = 0.0;
  for (size_t j = 0; j < rows->n_channels; j++) {
    const double limit = d->u->model->joint[j].tau_max;
    for (size_t k = 0; k < rows->n && isfinite(limit); k++) {
      most = fmax(most, fabs(row_residual(&rows->channel[j], k, d->x)) / limit);
    }
  }
  return most;
}

/* The base parameters' information, whitened by the torques' noise, in the lower part of W. */
static void gather(struct designer *d, const struct row_set *rows) {
  const size_t n = d->u->n, n_base = d->base->n_base;
  double nothing = 0.0;
  memset(d->A, 0, n * n * sizeof(double));
  for (size_t j = 0; j < rows->n_channels; j++) {
    const struct channel_rows *joint = &rows->channel[j];
    triangle_clear(&d->triangle[j]);
    for (size_t k = 0; k < rows->n; k++) {
      triangle_row(&d->triangle[j], joint->Y + k * joint->n_columns, 0.0, 1.0 / d->noise[j]);
    }
    triangle_add_to(&d->triangle[j], 1.0, joint->column, n, d->A, d->b, &nothing);
  }
  for (size_t i = 0; i < n_base; i++) {
    for (size_t k = 0; k < n_base; k++) {
      d->W[i * n_base + k] = d->A[d->base->order[i] * n + d->base->order[k]];
    }
  }
}

/* log det W, which becomes its Cholesky factor. -infinity: some are not told. */
static double log_det(struct designer *d) {
  const lapack_int n = (lapack_int)d->base->n_base;
  double sum = 0.0;
  if (LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', n, d->W, n) != 0) {
    return -HUGE_VAL;
  }
  for (size_t i = 0; i < d->base->n_base; i++) {
    sum += 2.0 * log(d->W[i * d->base->n_base + i]);
  }
  return sum;
}

/* Condition number of the rows, and (154), k1 = k2 = 1; W is lost. Infinite: some are not told.
 * @eq Leboutet22 154 */
static double criterion_of(struct designer *d, double *condition) {
  const lapack_int n = (lapack_int)d->base->n_base;
  double *value = d->value;
  *condition = HUGE_VAL;
  if (LAPACKE_dsyev(LAPACK_COL_MAJOR, 'N', 'L', n, d->W, n, value) != 0 || !(value[0] > 0.0)) {
    return HUGE_VAL;
  }
  *condition = sqrt(value[n - 1] / value[0]);
  return value[n - 1] / value[0] + 1.0 / sqrt(value[0]);
}

/* Information of rows in nats, or minus the logarithm of (154). */
static double worth(struct designer *d, const struct row_set *rows) {
  double condition;
  gather(d, rows);
  return d->settings->aim == AIM_INFORMATION ? log_det(d) : -log(criterion_of(d, &condition));
}

double designer_judge(struct designer *d, const struct excitation_design *design) {
  struct row_set rows;
  if (!designer_is_clear(d, design, LOOK, BESIDE) || !rows_of(d, design, COARSE, &rows)) {
    return -HUGE_VAL;
  }
  const double value = torque_share(d, &rows) <= d->settings->share ? worth(d, &rows) : -HUGE_VAL;
  row_set_free(&rows);
  return value;
}

void designer_describe(struct designer *d, struct excitation_design *design, double *sd) {
  const size_t n = d->base->n_base;
  struct row_set rows;
  if (!rows_of(d, design, COARSE, &rows)) {
    return;
  }
  gather(d, &rows);
  design->criterion = criterion_of(d, &design->condition);
  gather(d, &rows);
  design->information = log_det(d);
  LAPACKE_dpotri(LAPACK_COL_MAJOR, 'L', (lapack_int)n, d->W, (lapack_int)n);
  for (size_t i = 0; i < n; i++) {
    sd[i] = sqrt(d->W[i * n + i]);
  }
  row_set_free(&rows);
}
