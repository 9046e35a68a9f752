#include "inertial/inertial_prior.h"

#include "inertia/pseudo_inertia.h"
#include "inertial/inertial_update.h"
#include "numerics/small_matrix.h"

#include <math.h>
#include <string.h>

enum { TEN = INERTIA_PARAMETERS };

/* Remembered rows fade in steps of this, s: rarely enough to cost nothing. */
static const double FADING_INTERVAL = 0.2;
/* Gains are mostly off together: the correlation of two of them. */
static const double TOGETHER = 0.8;

/* -- spreads ---------------------------------------------------------------------------------- */

void inertial_core_spread(const struct inertial_core *core, size_t link,
                          const struct inertial_spread *spread, double B[TEN][TEN]) {
  if (inertial_form_spread(core->settings.form, &core->pi[link], spread, B) != STATUS_OK) {
    inertial_form_spread(core->settings.form, &core->first[link], spread, B);
  }
}

/* Cov's block of one link += scale B B^T */
static void add_spread(const struct inertial_core *core, double *Cov, size_t link, double scale,
                       double B[TEN][TEN]) {
  small_multiply_symmetric(TEN, TEN, scale, small_factor(&B[0][0], TEN),
                           small_transposed(&B[0][0], TEN), 1.0,
                           Cov + TEN * link * core->n + TEN * link, core->n);
}

/* -- the prior ------------------------------------------------------------------------------- */

void inertial_core_begin_anew(struct inertial_core *core) {
  const size_t n = core->n;
  memcpy(core->x_prior, core->x, n * sizeof(*core->x));
  memcpy(core->P_prior, core->P, n * n * sizeof(*core->P));
  memcpy(core->P_prior_own, core->P_own, n * n * sizeof(*core->P));
  row_memory_clear(&core->rows);
  core->fading = 0.0;
  core->supposed = false;
}

/* By how much smaller the prior's deviations are in which the estimate itself believes. */
static double own_share(const struct inertial_core *core) {
  return 1.0 / (1.0 + core->settings.reluctance);
}

/* The biases' part of a covariance when nothing has told of them, deviations times `share`; and the
 * gains', which are mostly off together. */
static void open_biases(const struct inertial_core *core, double share, double *P) {
  const size_t n = core->n, p = core->n_pi, gains = n - core->settings.n_gain;
  const double *sd = core->settings.bias_sd;
  for (size_t k = p; k < n; k++) {
    for (size_t i = 0; i < n; i++) {
      P[i * n + k] = P[k * n + i] = 0.0;
    }
    const double own = (k < gains ? share : 1.0) * sd[k - p];
    P[k * n + k] = own * own;
    for (size_t i = gains; i < k; i++) {
      P[i * n + k] = P[k * n + i] = TOGETHER * own * sd[i - p];
    }
  }
}

/* Biases about zero that nothing has told of, and gains. */
static void forget_biases(struct inertial_core *core, double times) {
  open_biases(core, times, core->P);
  open_biases(core, times * sqrt(own_share(core)), core->P_own); /* less: they are what is left */
  memset(core->x + core->n_pi, 0, (core->n - core->n_pi) * sizeof(*core->x));
}

enum status inertial_core_reset(struct inertial_core *core, const struct inertia *prior) {
  for (size_t link = 0; link < core->n_links; link++) {
    const enum status status = inertia_consistency(&prior[link], INERTIAL_LEAST_SPREAD, NULL);
    if (status != STATUS_OK) {
      return status;
    }
  }
  core->updating = false;
  core->share = 0;
  memset(core->noise_share, 0, sizeof(core->noise_share));
  memcpy(core->pi, prior, core->n_links * sizeof(*prior));
  memcpy(core->first, prior, core->n_links * sizeof(*prior));
  memset(core->P, 0, core->n * core->n * sizeof(*core->P));
  memset(core->P_own, 0, core->n * core->n * sizeof(*core->P));
  for (size_t link = 0; link < core->n_links; link++) {
    double B[TEN][TEN];
    inertial_form_state(core->settings.form, &prior[link], core->x + TEN * link);
    inertial_core_spread(core, link, &core->settings.prior, B);
    add_spread(core, core->P, link, 1.0, B);
    add_spread(core, core->P_own, link, own_share(core) * own_share(core), B);
  }
  forget_biases(core, 1.0);
  inertial_core_begin_anew(core);
  return STATUS_OK;
}

enum status inertial_core_recall(struct inertial_core *core, const struct inertia *estimate,
                                 const double *covariance) {
  const size_t n = core->n, p = core->n_pi;
  if (!inertial_core_all_finite(covariance, p * p)) {
    return STATUS_NOT_FINITE;
  }
  memcpy(core->work, covariance, p * p * sizeof(*covariance));
  if (!small_cholesky_lower(p, core->work)) {
    return STATUS_SINGULAR;
  }
  for (size_t link = 0; link < core->n_links; link++) {
    const enum status status =
        inertial_form_state(core->settings.form, &estimate[link], core->x_new + TEN * link);
    if (status != STATUS_OK) {
      return status;
    }
  }
  core->updating = false;
  memcpy(core->pi, estimate, core->n_links * sizeof(*estimate));
  memcpy(core->x, core->x_new, p * sizeof(*core->x));
  for (size_t i = 0; i < p; i++) {
    memcpy(core->P + i * n, covariance + i * p, p * sizeof(*covariance));
  }
  memcpy(core->P_own, core->P, n * n * sizeof(*core->P));
  forget_biases(core, 1.0);
  inertial_core_begin_anew(core);
  return STATUS_OK;
}

enum status inertial_core_adopt(struct inertial_core *core, const struct inertial_core *previous) {
  if (core->n_pi != previous->n_pi || core->n != previous->n ||
      core->settings.form != previous->settings.form) {
    return STATUS_BAD_ARGUMENT;
  }
  const size_t vector = core->n * sizeof(*core->x), square = core->n * vector;
  core->updating = false;
  core->supposed = previous->supposed;
  core->laden = previous->laden;
  core->share = previous->share;
  core->fading = previous->fading;
  memcpy(core->pi, previous->pi, core->n_links * sizeof(*core->pi));
  memcpy(core->x, previous->x, vector);
  memcpy(core->x_prior, previous->x_prior, vector);
  memcpy(core->x_unladen, previous->x_unladen, vector);
  memcpy(core->P, previous->P, square);
  memcpy(core->P_own, previous->P_own, square);
  memcpy(core->P_prior, previous->P_prior, square);
  memcpy(core->P_prior_own, previous->P_prior_own, square);
  memcpy(core->P_unladen, previous->P_unladen, square);
  memcpy(core->P_laden, previous->P_laden, square);
  memcpy(core->mass_sd, previous->mass_sd, core->n_links * sizeof(*core->mass_sd));
  row_memory_copy(&core->rows, &previous->rows);
  if (!core->settings.memory) {
    inertial_core_conclude(core);
  }
  return STATUS_OK;
}

/* -- drift ------------------------------------------------------------------------------------ */

/* S [n_pi][n_pi], whose S S^T is the drift of the parameters in dt: G B sqrt(dt) of each link. */
static void drift_of_parameters(struct inertial_core *core, double dt, double *S) {
  const size_t n = core->n_pi;
  memset(S, 0, n * n * sizeof(*S));
  for (size_t link = 0; link < core->n_links; link++) {
    double B[TEN][TEN] = {{0.0}}; /* of no body: none */
    inertial_form_spread(INERTIAL_LINEAR, &core->pi[link], &core->settings.drift, B);
    for (size_t i = 0; i < TEN; i++) {
      small_add(TEN, sqrt(dt), B[i], S + (TEN * link + i) * n + TEN * link);
    }
  }
}

/* @eq Foster24 10 12 18 */
void inertial_core_predict(struct inertial_core *core, double dt) {
  for (size_t link = 0; link < core->n_links; link++) {
    double *const P[] = {core->P, core->P_prior, core->P_own, core->P_prior_own};
    double drift[TEN][TEN];
    inertial_core_spread(core, link, &core->settings.drift, drift);
    for (size_t k = 0; k < sizeof(P) / sizeof(*P); k++) {
      add_spread(core, P[k], link, dt, drift);
    }
  }
  core->fading += dt;
  if (core->settings.memory && core->fading >= FADING_INTERVAL) {
    drift_of_parameters(core, core->fading, core->Lambda);
    inertial_core_flat(core, core->x, core->flat);
    row_memory_fade(&core->rows, core->Lambda, core->flat);
    core->fading = 0.0;
  }
}

/* -- opening ---------------------------------------------------------------------------------- */

void inertial_core_change(const struct inertial_core *core, size_t link,
                          const struct inertial_spread *change, double B[TEN][TEN]) {
  const double m = fabs(core->pi[link].m);
  struct inertial_spread here = *change;
  here.mass = m > 0.0 ? m * log1p(change->mass / m) : change->mass;
  inertial_core_spread(core, link, &here, B);
}

/* As uncertain as a change of every link makes it, and without reluctance. */
static void open_links(struct inertial_core *core, const struct inertial_spread *change) {
  for (size_t link = 0; link < core->n_links; link++) {
    double B[TEN][TEN];
    inertial_core_change(core, link, change, B);
    add_spread(core, core->P, link, 1.0, B);
    add_spread(core, core->P_own, link, 1.0, B);
  }
}

/* The mean of two fits and the covariance about it, as likely as they are: (x, P), and (x + d, Q)
 * with probability w. P += w (Q - P) + w (1 - w) d d^T */
static void join_covariances(size_t n, double w, const double *Q, const double *d, double *P) {
  for (size_t i = 0; i < n * n; i++) {
    P[i] += w * (Q[i] - P[i]);
  }
  small_rank_one(n, n, w * (1.0 - w), d, d, P, n);
}

/* What was remembered is fitted once more, without the load that was supposed: what the start has
 * measured beyond the model is then mostly biases. */
static void conclude_supposition(struct inertial_core *core) {
  const size_t n = core->n, bytes = n * n * sizeof(*core->P);
  const double w = core->laden;
  double *d = core->before; /* of a fit only while it lasts */
  for (size_t i = 0; i < n * n; i++) {
    const double load = core->P_laden[i] - core->P_unladen[i];
    core->P_prior[i] -= load;
    core->P_prior_own[i] -= load;
  }
  memcpy(core->x_laden, core->x, n * sizeof(*core->x));
  memcpy(core->P_laden, core->P, bytes);
  memcpy(core->P_unladen, core->P_own, bytes);
  inertial_core_refit(core); /* or stays as it is */
  memcpy(d, core->x_laden, n * sizeof(*d));
  small_add(n, -1.0, core->x, d);
  small_add(n, w, d, core->x);
  join_covariances(n, w, core->P_laden, d, core->P);
  join_covariances(n, w, core->P_unladen, d, core->P_own);
  for (size_t link = 0; link < core->n_links; link++) {
    core->pi[link] = inertial_form_body(core->settings.form, core->x + TEN * link);
  }
}

void inertial_core_conclude(struct inertial_core *core) {
  if (core->supposed) {
    conclude_supposition(core);
  }
  inertial_core_begin_anew(core);
}

void inertial_core_reopen(struct inertial_core *core, const struct inertial_spread *change) {
  inertial_core_conclude(core);
  open_links(core, change);
  inertial_core_begin_anew(core);
}

/* The start as it was measured: what it errs by for good, but for gains, is half of that of later,
 * as far as this is told by it, and as much its own. */
static void remember_start(struct inertial_core *core, const struct measured_rows *start) {
  const size_t n = core->n, p = core->n_pi, gains = n - core->settings.n_gain;
  double R[INERTIAL_MAX_ROWS];
  for (size_t r = 0; r < start->n; r++) {
    double *row = core->HP + r * n;
    row_memory_beside(start, r, p, n - p, row);
    R[r] = start->noise[r] * start->noise[r];
    for (size_t k = p; k < gains; k++) {
      const double sd = row[k] * core->settings.bias_sd[k - p];
      row[k] *= 0.5;
      R[r] += 0.5 * sd * sd;
    }
  }
  const struct inertial_rows rows = {.n = start->n, .Y = core->HP, .z = start->z, .R = R};
  row_memory_add(&core->rows, &rows, 1.0);
}

void inertial_core_suppose(struct inertial_core *core, const struct measured_rows *start,
                           const struct inertial_spread *load) {
  const size_t bytes = core->n * core->n * sizeof(*core->P);
  for (size_t link = 0; link < core->n_links; link++) {
    core->mass_sd[link] = inertial_core_mass_deviation(core, link);
  }
  forget_biases(core, sqrt(2.0)); /* those of the start, and what has become of them since */
  memcpy(core->P_unladen, core->P_own, bytes);
  /* the same with a load */
  open_links(core, load);
  memcpy(core->P_laden, core->P_own, bytes);
  inertial_core_begin_anew(core);
  remember_start(core, start);
  memcpy(core->x_unladen, core->x, core->n * sizeof(*core->x));
  core->supposed = true;
  core->laden = 0.0;
}
