#include "inertial/inertial_core.h"

#include "inertia/pseudo_inertia.h"
#include "numerics/small_matrix.h"

#include <math.h>
#include <string.h>

enum { TEN = INERTIA_PARAMETERS };

/* Remembered rows fade in steps of this, s: rarely enough to cost nothing. */
static const double FADING_INTERVAL = 0.2;
/* Beyond this condition of S its Cholesky factor has no digits left. */
static const double WORST_CONDITION = 1e12;

/* B B^T of one link's spread. A linear estimate may be no body: then the prior's place serves. */
static void spread_of(const struct inertial_core *core, size_t link,
                      const struct inertial_spread *spread, double BBt[TEN][TEN]) {
  double B[TEN][TEN] = {{0.0}};
  if (inertial_form_spread(core->settings.form, &core->pi[link], spread, B) != STATUS_OK) {
    inertial_form_spread(core->settings.form, &core->first[link], spread, B);
  }
  for (size_t i = 0; i < TEN; i++) {
    for (size_t j = 0; j < TEN; j++) {
      BBt[i][j] = 0.0;
      for (size_t k = 0; k < TEN; k++) {
        BBt[i][j] += B[i][k] * B[j][k];
      }
    }
  }
}

/* Cov's block of one link += scale BBt */
static void add_block(const struct inertial_core *core, double *Cov, size_t link,
                      double BBt[TEN][TEN], double scale) {
  double *block = Cov + TEN * link * core->n + TEN * link;
  for (size_t i = 0; i < TEN; i++) {
    for (size_t j = 0; j < TEN; j++) {
      block[i * core->n + j] += scale * BBt[i][j];
    }
  }
}

static void add_spread(const struct inertial_core *core, double *Cov, size_t link,
                       const struct inertial_spread *spread) {
  double BBt[TEN][TEN];
  spread_of(core, link, spread, BBt);
  add_block(core, Cov, link, BBt, 1.0);
}

/* -- start ------------------------------------------------------------------------------------ */

static void carve(struct inertial_core *core, struct arena *arena) {
  const size_t n = core->n, square = n * n;
  core->pi = ARENA_ARRAY(arena, struct inertia, core->n_links);
  core->first = ARENA_ARRAY(arena, struct inertia, core->n_links);
  core->x = ARENA_ARRAY(arena, double, n);
  core->P = ARENA_ARRAY(arena, double, square);
  core->x_prior = ARENA_ARRAY(arena, double, n);
  core->P_prior = ARENA_ARRAY(arena, double, square);
  core->P_own = ARENA_ARRAY(arena, double, square);
  core->P_prior_own = ARENA_ARRAY(arena, double, square);
  core->A_fit = ARENA_ARRAY(arena, double, square);
  core->b_fit = ARENA_ARRAY(arena, double, n);
  core->Lambda0 = ARENA_ARRAY(arena, double, square);
  core->Lambda = ARENA_ARRAY(arena, double, square);
  core->x_new = ARENA_ARRAY(arena, double, n);
  core->delta = ARENA_ARRAY(arena, double, n);
  core->flat = ARENA_ARRAY(arena, double, n);
  core->residual = ARENA_ARRAY(arena, double, n);
  core->G = ARENA_ARRAY(arena, double, core->n_links *TEN *TEN);
  core->own = ARENA_ARRAY(arena, double, square);
  core->scatter = ARENA_ARRAY(arena, double, core->n_pi * core->n_pi);
  core->work = ARENA_ARRAY(arena, double, square);
  core->H = ARENA_ARRAY(arena, double, INERTIAL_MAX_ROWS *n);
  core->HP = ARENA_ARRAY(arena, double, INERTIAL_MAX_ROWS *n);
  core->S = ARENA_ARRAY(arena, double, INERTIAL_MAX_ROWS *INERTIAL_MAX_ROWS);
}

static bool spreads_are_sound(const struct inertial_core_settings *settings, bool counting) {
  bool sound = isfinite(settings->reluctance) && settings->reluctance >= 0.0 &&
               inertial_spread_is_sound(&settings->prior, false) &&
               inertial_spread_is_sound(&settings->drift, true);
  for (size_t k = 0; k < settings->n_bias && !counting; k++) {
    sound = sound && isfinite(settings->bias_sd[k]) && settings->bias_sd[k] > 0.0;
  }
  return sound;
}

enum status inertial_core_init(struct inertial_core *core,
                               const struct inertial_core_settings *settings,
                               const struct inertia *prior, size_t n_links, struct arena *arena) {
  if (n_links == 0 || n_links > INERTIAL_MAX_LINKS || settings->iterations < 1 ||
      settings->iterations > INERTIAL_MAX_ITERATIONS || settings->n_bias > INERTIAL_MAX_ROWS) {
    return STATUS_BAD_ARGUMENT;
  }
  if (!spreads_are_sound(settings, arena_is_counting(arena))) {
    return STATUS_OUT_OF_RANGE;
  }
  *core = (struct inertial_core){.settings = *settings,
                                 .n_links = n_links,
                                 .n_pi = TEN * n_links,
                                 .n = TEN * n_links + settings->n_bias};
  carve(core, arena);
  row_memory_init(&core->rows, core->n_pi, settings->n_bias, arena);
  row_memory_init(&core->trial, core->n_pi, settings->n_bias, arena);
  if (arena_is_counting(arena)) {
    return STATUS_OK;
  }
  return arena->failed ? STATUS_NO_MEMORY : inertial_core_reset(core, prior);
}

void inertial_core_begin_anew(struct inertial_core *core) {
  const size_t n = core->n;
  memcpy(core->x_prior, core->x, n * sizeof(*core->x));
  memcpy(core->P_prior, core->P, n * n * sizeof(*core->P));
  memcpy(core->P_prior_own, core->P_own, n * n * sizeof(*core->P));
  row_memory_clear(&core->rows);
  core->fading = core->strain = 0.0;
  core->widened = false;
}

/* By how much smaller the prior's deviations are in which the estimate itself believes. */
static double own_share(const struct inertial_core *core) {
  return 1.0 / (1.0 + core->settings.reluctance);
}

/* The biases' part of a covariance when nothing has told of them, deviations times `share`. */
static void open_biases(const struct inertial_core *core, double share, double *P) {
  const size_t n = core->n, p = core->n_pi;
  for (size_t k = p; k < n; k++) {
    const double sd = share * core->settings.bias_sd[k - p];
    for (size_t i = 0; i < n; i++) {
      P[i * n + k] = P[k * n + i] = 0.0;
    }
    P[k * n + k] = sd * sd;
  }
}

/* Biases about zero that nothing has told of. */
static void forget_biases(struct inertial_core *core) {
  open_biases(core, 1.0, core->P);
  open_biases(core, sqrt(own_share(core)), core->P_own); /* less: they are what is left */
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
  memcpy(core->pi, prior, core->n_links * sizeof(*prior));
  memcpy(core->first, prior, core->n_links * sizeof(*prior));
  memset(core->P, 0, core->n * core->n * sizeof(*core->P));
  memset(core->P_own, 0, core->n * core->n * sizeof(*core->P));
  const struct inertial_spread *spread = &core->settings.prior;
  const double share = own_share(core);
  const struct inertial_spread own = {share * spread->mass, share * spread->com,
                                      share * spread->stretch, share * spread->shear};
  for (size_t link = 0; link < core->n_links; link++) {
    inertial_form_state(core->settings.form, &prior[link], core->x + TEN * link);
    add_spread(core, core->P, link, &core->settings.prior);
    add_spread(core, core->P_own, link, &own);
  }
  forget_biases(core);
  inertial_core_begin_anew(core);
  return STATUS_OK;
}

bool inertial_core_all_finite(const double *x, size_t n) {
  double sum = 0.0;
  for (size_t i = 0; i < n; i++) {
    sum += 0.0 * x[i];
  }
  return sum == 0.0;
}

/* Takes parameters whose state can be told, and the covariance C [n][n] in core->work once it is
 * one. */
static enum status take_over(struct inertial_core *core, const struct inertia *estimate) {
  const size_t n = core->n;
  double *factor = core->Lambda;
  if (!inertial_core_all_finite(core->work, n * n)) {
    return STATUS_NOT_FINITE;
  }
  memcpy(factor, core->work, n * n * sizeof(*factor));
  if (!small_cholesky_upper(n, factor)) {
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
  memcpy(core->x, core->x_new, core->n_pi * sizeof(*core->x));
  memcpy(core->P, core->work, n * n * sizeof(*core->P));
  memcpy(core->P_own, core->work, n * n * sizeof(*core->P));
  memcpy(core->pi, estimate, core->n_links * sizeof(*estimate));
  return STATUS_OK;
}

enum status inertial_core_recall(struct inertial_core *core, const struct inertia *estimate,
                                 const double *covariance) {
  const size_t n = core->n, p = core->n_pi;
  memset(core->work, 0, n * n * sizeof(*core->work));
  for (size_t i = 0; i < n; i++) {
    if (i < p) {
      memcpy(core->work + i * n, covariance + i * p, p * sizeof(*covariance));
    } else {
      core->work[i * n + i] = 1.0; /* until the biases begin */
    }
  }
  const enum status status = take_over(core, estimate);
  if (status == STATUS_OK) {
    forget_biases(core);
    inertial_core_begin_anew(core);
  }
  return status;
}

enum status inertial_core_adopt(struct inertial_core *core, const struct inertial_core *previous) {
  if (core->n_pi != previous->n_pi || core->n != previous->n ||
      core->settings.form != previous->settings.form) {
    return STATUS_BAD_ARGUMENT;
  }
  memcpy(core->work, previous->P, core->n * core->n * sizeof(*core->work));
  const enum status status = take_over(core, previous->pi);
  if (status == STATUS_OK) {
    memcpy(core->x + core->n_pi, previous->x + core->n_pi,
           (core->n - core->n_pi) * sizeof(*core->x));
    memcpy(core->P_own, previous->P_own, core->n * core->n * sizeof(*core->P));
    inertial_core_begin_anew(core);
  }
  return status;
}

/* -- drift ------------------------------------------------------------------------------------ */

/* Q = sum over links of (G B) (G B)^T dt: the drift in the parameters. */
static void drift_of_parameters(struct inertial_core *core, double dt, double *Q) {
  const size_t n = core->n_pi;
  double B[TEN][TEN];
  memset(Q, 0, n * n * sizeof(*Q));
  for (size_t link = 0; link < core->n_links; link++) {
    if (inertial_form_spread(INERTIAL_LINEAR, &core->pi[link], &core->settings.drift, B) ==
        STATUS_OK) {
      small_multiply(TEN, TEN, TEN, dt, small_factor(&B[0][0], TEN),
                     small_transposed(&B[0][0], TEN), 0.0, Q + TEN * link * n + TEN * link, n);
    }
  }
}

/* @eq Foster24 10 12 18 */
void inertial_core_predict(struct inertial_core *core, double dt) {
  for (size_t link = 0; link < core->n_links; link++) {
    double drift[TEN][TEN];
    spread_of(core, link, &core->settings.drift, drift);
    add_block(core, core->P, link, drift, dt);
    add_block(core, core->P_prior, link, drift, dt);
    add_block(core, core->P_own, link, drift, dt);
    add_block(core, core->P_prior_own, link, drift, dt);
  }
  core->fading += dt;
  if (core->settings.memory && core->fading >= FADING_INTERVAL) {
    drift_of_parameters(core, core->fading, core->Lambda);
    for (size_t link = 0; link < core->n_links; link++) {
      inertia_to(&core->pi[link], core->flat + TEN * link);
    }
    memcpy(core->flat + core->n_pi, core->x + core->n_pi,
           (core->n - core->n_pi) * sizeof(*core->x));
    row_memory_fade(&core->rows, core->Lambda, core->flat);
    core->fading = 0.0;
  }
}

/* A change that may be larger than the link itself is one in the logarithm of its mass. */
static struct inertial_spread change_of(const struct inertial_core *core, size_t link,
                                        const struct inertial_spread *change) {
  const double m = fabs(core->pi[link].m);
  struct inertial_spread here = *change;
  here.mass = m > 0.0 ? m * log1p(change->mass / m) : change->mass;
  return here;
}

void inertial_core_reopen(struct inertial_core *core, const struct inertial_spread *change) {
  for (size_t link = 0; link < core->n_links; link++) {
    const struct inertial_spread here = change_of(core, link, change);
    add_spread(core, core->P, link, &here);
    add_spread(core, core->P_own, link, &here);
  }
  inertial_core_begin_anew(core);
  core->widened = true;
}

void inertial_core_widen(struct inertial_core *core, const struct inertial_spread *change) {
  const size_t bytes = core->n * core->n * sizeof(*core->P);
  for (size_t link = 0; link < core->n_links; link++) {
    const struct inertial_spread here = change_of(core, link, change);
    add_spread(core, core->P, link, &here);
    add_spread(core, core->P_prior, link, &here);
  }
  memcpy(core->P_own, core->P, bytes);
  memcpy(core->P_prior_own, core->P_prior, bytes);
  core->strain = 0.0;
  core->widened = true;
}

/* The biases at `slot` [m] err as -H times the parameters do, H [m][n] in core->H, and by as much
 * beside as they have now. */
static void correlate_biases(struct inertial_core *core, size_t m, const size_t *slot, double *P) {
  const size_t n = core->n, p = core->n_pi;
  small_multiply(m, p, p, 1.0, small_factor(core->H, n), small_factor(P, n), 0.0, core->HP, n);
  small_multiply(m, m, p, 1.0, small_factor(core->HP, n), small_transposed(core->H, n), 0.0,
                 core->S, m);
  for (size_t r = 0; r < m; r++) {
    const size_t at = p + slot[r];
    for (size_t i = 0; i < p; i++) {
      P[at * n + i] = P[i * n + at] = -core->HP[r * n + i];
    }
    for (size_t s = 0; s < m; s++) {
      P[at * n + p + slot[s]] += core->S[r * m + s];
    }
  }
}

void inertial_core_begin_biases(struct inertial_core *core, size_t m, const size_t *slot,
                                const double *residual, const double *Y) {
  forget_biases(core);
  inertial_core_linearise(core, core->x);
  for (size_t link = 0; link < core->n_links; link++) {
    small_multiply(m, TEN, TEN, 1.0, small_factor(Y + TEN * link, core->n_pi),
                   small_factor(core->G + (size_t)(TEN * TEN) * link, TEN), 0.0,
                   core->H + TEN * link, core->n);
  }
  for (size_t r = 0; r < m; r++) {
    core->x[core->n_pi + slot[r]] = residual[r];
  }
  correlate_biases(core, m, slot, core->P);
  correlate_biases(core, m, slot, core->P_own);
  inertial_core_begin_anew(core);
}

/* -- judging ---------------------------------------------------------------------------------- */

static bool rows_are_finite(const struct inertial_core *core, const struct inertial_rows *rows) {
  double sum = 0.0; /* NaN as soon as one number is not finite */
  for (size_t i = 0; i < rows->n * core->n; i++) {
    sum += 0.0 * rows->Y[i];
  }
  for (size_t i = 0; i < rows->n; i++) {
    sum += 0.0 * rows->z[i] + 0.0 * rows->R[i];
    sum += rows->R[i] > 0.0 ? 0.0 : (double)NAN;
  }
  return sum == 0.0;
}

enum status inertial_core_check_rows(const struct inertial_core *core,
                                     const struct inertial_rows *rows) {
  if (rows->n == 0 || rows->n > INERTIAL_MAX_ROWS) {
    return STATUS_BAD_ARGUMENT;
  }
  return rows_are_finite(core, rows) ? STATUS_OK : STATUS_NOT_FINITE;
}

void inertial_core_linearise(struct inertial_core *core, const double *x) {
  for (size_t link = 0; link < core->n_links; link++) {
    const struct inertia pi = inertial_form_body(core->settings.form, x + TEN * link);
    inertia_to(&pi, core->flat + TEN * link);
    inertial_form_jacobian(core->settings.form, x + TEN * link,
                           (double(*)[TEN])(core->G + (size_t)(TEN * TEN) * link));
  }
  memcpy(core->flat + core->n_pi, x + core->n_pi, (core->n - core->n_pi) * sizeof(*x));
}

/* H = Y G, block by block. @eq Foster24 21 */
static void state_rows(struct inertial_core *core, const struct inertial_rows *rows) {
  for (size_t link = 0; link < core->n_links; link++) {
    small_multiply(rows->n, TEN, TEN, 1.0, small_factor(rows->Y + TEN * link, core->n),
                   small_factor(core->G + (size_t)(TEN * TEN) * link, TEN), 0.0,
                   core->H + TEN * link, core->n);
  }
  for (size_t r = 0; r < rows->n; r++) {
    memcpy(core->H + r * core->n + core->n_pi, rows->Y + r * core->n + core->n_pi,
           (core->n - core->n_pi) * sizeof(*core->H));
  }
}

/* Whitens the innovation by S's Cholesky factor, in S's lower triangle. */
static double whiten(struct inertial_core *core, size_t m) {
  double nis = 0.0;
  for (size_t i = 0; i < m; i++) {
    double sum = core->innovation[i];
    for (size_t k = 0; k < i; k++) {
      sum -= core->S[i * m + k] * core->white[k];
    }
    core->white[i] = sum / core->S[i * m + i];
    nis += core->white[i] * core->white[i];
  }
  return nis;
}

double inertial_core_explained(struct inertial_core *core, const struct inertial_rows *rows,
                               const struct inertial_spread *change) {
  const size_t n = core->n, m = rows->n;
  double BBt[TEN][TEN], HB[INERTIAL_MAX_ROWS * TEN];
  /* S = H P H^T + R, and what the change adds to P */
  small_multiply(m, m, n, 1.0, small_factor(core->HP, n), small_transposed(core->H, n), 0.0,
                 core->S, m);
  for (size_t i = 0; i < m; i++) {
    core->S[i * m + i] += rows->R[i];
  }
  for (size_t link = 0; link < core->n_links; link++) {
    const struct inertial_spread here = change_of(core, link, change);
    spread_of(core, link, &here, BBt);
    small_multiply(m, TEN, TEN, 1.0, small_factor(core->H + TEN * link, n),
                   small_factor(&BBt[0][0], TEN), 0.0, HB, TEN);
    small_multiply(m, m, TEN, 1.0, small_factor(HB, TEN), small_transposed(core->H + TEN * link, n),
                   1.0, core->S, m);
  }
  return small_cholesky_lower(m, core->S) ? whiten(core, m) : HUGE_VAL;
}

double inertial_core_least_mass(const struct inertial_core *core, size_t link) {
  const double m = core->first[link].m;
  return fmin(m, fmax(INERTIAL_LEAST_SHARE * m, INERTIAL_LEAST_MASS));
}

/* The condition of S is at least the squared ratio of its factor's diagonal entries, each row
 * seen in its own unit sqrt(R). */
static bool is_well_conditioned(const double *S, const double *R, size_t m) {
  double smallest = HUGE_VAL, largest = 0.0;
  for (size_t i = 0; i < m; i++) {
    const double pivot = S[i * m + i] * S[i * m + i] / R[i];
    smallest = fmin(smallest, pivot);
    largest = fmax(largest, pivot);
  }
  return largest <= WORST_CONDITION * smallest;
}

/* @eq Foster24 15 19 20 */
enum status inertial_core_innovation(struct inertial_core *core, const struct inertial_rows *rows,
                                     double *nis, double *gain) {
  const enum status status = inertial_core_check_rows(core, rows);
  if (status != STATUS_OK) {
    return status;
  }
  const size_t n = core->n, m = rows->n;
  inertial_core_linearise(core, core->x);
  state_rows(core, rows);
  small_multiply(m, n, n, 1.0, small_factor(core->H, n), small_factor(core->P, n), 0.0, core->HP,
                 n);
  small_multiply(m, m, n, 1.0, small_factor(core->HP, n), small_transposed(core->H, n), 0.0,
                 core->S, m);
  for (size_t i = 0; i < rows->n; i++) {
    core->S[i * rows->n + i] += rows->R[i];
    core->noise_share[i] = rows->R[i] / core->S[i * rows->n + i];
    core->innovation[i] = rows->z[i] - small_dot(n, rows->Y + i * n, core->flat);
  }
  if (!small_cholesky_lower(m, core->S) || !is_well_conditioned(core->S, rows->R, rows->n)) {
    return STATUS_SINGULAR;
  }
  double log_det = 0.0;
  for (size_t i = 0; i < rows->n; i++) {
    log_det += 2.0 * log(core->S[i * rows->n + i]) - log(rows->R[i]);
  }
  *nis = whiten(core, rows->n);
  *gain = 0.5 * log_det;
  return isfinite(*nis) ? STATUS_OK : STATUS_NOT_FINITE;
}

/* -- reading ---------------------------------------------------------------------------------- */

void inertial_core_save(const struct inertial_core *core, double *covariance) {
  for (size_t i = 0; i < core->n_pi; i++) {
    memcpy(covariance + i * core->n_pi, core->P + i * core->n, core->n_pi * sizeof(*covariance));
  }
}

void inertial_core_covariance(const struct inertial_core *core, size_t link, double out[TEN][TEN]) {
  double G[TEN][TEN], GP[TEN][TEN];
  const double *P = core->P + TEN * link * core->n + TEN * link;
  inertial_form_jacobian(core->settings.form, core->x + TEN * link, G);
  small_multiply(TEN, TEN, TEN, 1.0, small_factor(&G[0][0], TEN), small_factor(P, core->n), 0.0,
                 &GP[0][0], TEN);
  small_multiply(TEN, TEN, TEN, 1.0, small_factor(&GP[0][0], TEN), small_transposed(&G[0][0], TEN),
                 0.0, &out[0][0], TEN);
}

/* c = h / m, so dc = (dh - c dm) / m. */
void inertial_core_deviations(const struct inertial_core *core, size_t link, double C[TEN][TEN],
                              double *mass, vec3 *com) {
  const double m = core->pi[link].m;
  const vec3 c = inertia_com(&core->pi[link]);
  const double centre[3] = {c.x, c.y, c.z};
  double variance[3];
  inertial_core_covariance(core, link, C);
  for (int i = 0; i < 3; i++) {
    const double k = centre[i];
    variance[i] = (C[i + 1][i + 1] - 2.0 * k * C[i + 1][0] + k * k * C[0][0]) / (m * m);
  }
  *mass = sqrt(fmax(C[0][0], 0.0));
  *com = (vec3){sqrt(fmax(variance[0], 0.0)), sqrt(fmax(variance[1], 0.0)),
                sqrt(fmax(variance[2], 0.0))};
}
