#include "update/encoder_rows.h"

#include <math.h>

/* For so long readings wait, six of them at 1 kHz; and the most that they may tell of a position:
 * beyond, it matters that they are of some time ago. */
static const int64_t WAIT_NS = 5500000;
static const double TOLD_MAX = 0.35;
/* A joint that nothing tells of is as fast, and as far from the middle of its range, as this part
 * of what it can, and no faster than this, rad/s or m/s; otherwise so after so long, s. */
static const double UNHEARD_SHARE = 0.3, UNHEARD_SPEED = 3.0, UNHEARD_TIME = 0.1;

static double variance_of(const struct joint_layout *l, size_t j, const double *P) {
  return P[(l->q + j) * (l->stride + 1)];
}

/* What a reading tells of position j. */
static double told_by(const struct joint_layout *l, size_t j, const double *sd, const double *P) {
  return variance_of(l, j, P) / (sd[j] * sd[j]);
}

bool encoder_rows_may_wait(const struct joint_layout *l, const struct instant *now,
                           const double *sd, const double *P) {
  bool may = now->pending.since_ns == 0 || now->t_ns - now->pending.since_ns < WAIT_NS;
  for (size_t j = 0; j < l->n; j++) {
    may = may && now->pending.told[j] + told_by(l, j, sd, P) <= TOLD_MAX;
  }
  return may;
}

void encoder_rows_wait(const struct joint_layout *l, struct instant *now, const double *sd,
                       const double *P) {
  now->pending.since_ns = now->pending.since_ns != 0 ? now->pending.since_ns : now->t_ns;
  for (size_t j = 0; j < l->n; j++) {
    now->pending.told[j] += now->q_used[j] ? told_by(l, j, sd, P) : 0.0;
  }
}

double encoder_rows_covariance(const struct joint_layout *l, size_t i, size_t j,
                               const struct encoders_pending *pending, const double *P) {
  return P[(l->q + j) * l->stride + i] / (1.0 + pending->told[j]);
}

void encoder_rows_add(struct row_update *rows, const struct instant *now, const double *sd,
                      const double *x, const double *P) {
  const struct joint_layout *l = rows->layout;
  for (size_t j = 0; j < l->n; j++) {
    const double one = told_by(l, j, sd, P), pending = now->pending.told[j] / one;
    const double w = sqrt(pending + (now->q_used[j] ? 1.0 : 0.0));
    if (w > 0.0) {
      row_update_row(rows, now->q_used[j] ? (now->q[j] - x[l->q + j]) / (w * sd[j]) : 0.0);
      row_update_term(rows, l->q + j, w / sd[j]);
    }
  }
}

void encoder_rows_unheard(struct row_update *rows, const struct joint *joint, size_t j,
                          double period_s, const double *x) {
  const struct joint_layout *l = rows->layout;
  const double samples = sqrt(UNHEARD_TIME / period_s), range = joint->q_max - joint->q_min;
  const double speed = samples * fmin(UNHEARD_SHARE * joint->dq_max, UNHEARD_SPEED),
               place = samples * UNHEARD_SHARE * range;
  row_update_row(rows, -x[l->dq + j] / speed);
  row_update_term(rows, l->dq + j, 1.0 / speed);
  if (isfinite(place) && place > 0.0) {
    row_update_row(rows, (0.5 * (joint->q_min + joint->q_max) - x[l->q + j]) / place);
    row_update_term(rows, l->q + j, 1.0 / place);
  }
}

void encoder_rows_add_pending(struct row_update *rows, const struct encoders_pending *pending,
                              const double *P) {
  const struct joint_layout *l = rows->layout;
  for (size_t j = 0; j < l->n; j++) {
    if (pending->told[j] > 0.0) {
      row_update_row(rows, 0.0);
      row_update_term(rows, l->q + j, sqrt(pending->told[j] / variance_of(l, j, P)));
    }
  }
}

double encoder_rows_nis(const struct joint_layout *l, const struct instant *now, const double *sd,
                        const double *x, const double *P, size_t *count) {
  double sum = 0.0;
  *count = 0;
  for (size_t j = 0; j < l->n; j++) {
    if (now->q_used[j]) {
      const double off = now->q[j] - x[l->q + j];
      const double known = encoder_rows_covariance(l, l->q + j, j, &now->pending, P);
      sum += off * off / (known + sd[j] * sd[j]);
      (*count)++;
    }
  }
  return sum;
}
