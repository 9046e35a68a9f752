#include "inertial/inertial_core.h"

#include "inertial/inertial_prior.h"
#include "numerics/small_matrix.h"

#include <math.h>
#include <string.h>

enum { TEN = INERTIA_PARAMETERS };

/* Beyond this condition of S its Cholesky factor has no digits left. */
static const double WORST_CONDITION = 1e12;

/* Deviations that count for one while a load from the start is supposed: errors of a motion are
 * alike for longer than can be learned, and trunks of walks, nothing on them, were 4.6 off. */
static const double ALIKE = 2.0;
/* How likely a load from the start is when it is certain: it is told to a hundredth. */
static const double CERTAIN = 0.99;

/* -- start ------------------------------------------------------------------------------------ */

static void carve(struct inertial_core *core, struct arena *arena) {
  const size_t n = core->n;
  double **const vector[] = {&core->x,      &core->x_prior, &core->x_unladen, &core->x_laden,
                             &core->before, &core->b_fit,   &core->x_new,     &core->delta,
                             &core->flat,   &core->residual};
  double **const square[] = {&core->P,         &core->P_prior, &core->P_own, &core->P_prior_own,
                             &core->P_unladen, &core->P_laden, &core->A_fit, &core->Lambda0,
                             &core->Lambda,    &core->own,     &core->work};
  for (size_t k = 0; k < sizeof(vector) / sizeof(*vector); k++) {
    *vector[k] = ARENA_ARRAY(arena, double, n);
  }
  for (size_t k = 0; k < sizeof(square) / sizeof(*square); k++) {
    *square[k] = ARENA_ARRAY(arena, double, n *n);
  }
  core->G = ARENA_ARRAY(arena, double, core->n_links *TEN *TEN);
  core->scatter = ARENA_ARRAY(arena, double, core->n_pi * core->n_pi);
  core->H = ARENA_ARRAY(arena, double, INERTIAL_MAX_ROWS *n);
  core->HP = ARENA_ARRAY(arena, double, INERTIAL_MAX_ROWS *n);
  core->S = ARENA_ARRAY(arena, double, INERTIAL_MAX_ROWS *INERTIAL_MAX_ROWS);
  core->S_changed = ARENA_ARRAY(arena, double, INERTIAL_MAX_ROWS *INERTIAL_MAX_ROWS);
}

enum status inertial_core_init(struct inertial_core *core,
                               const struct inertial_core_settings *settings,
                               const struct inertia *prior, size_t n_links, struct arena *arena) {
  if (n_links == 0 || n_links > INERTIAL_MAX_LINKS || settings->iterations < 1 ||
      settings->iterations > INERTIAL_MAX_ITERATIONS || settings->n_bias > INERTIAL_MAX_BIASES ||
      settings->n_gain > settings->n_bias) {
    return STATUS_BAD_ARGUMENT;
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

bool inertial_core_all_finite(const double *x, size_t n) {
  return isfinite(small_dot(n, x, x));
}

/* -- judging ---------------------------------------------------------------------------------- */

static enum status check_rows(const struct inertial_core *core, const struct inertial_rows *rows) {
  if (rows->n == 0 || rows->n > INERTIAL_MAX_ROWS) {
    return STATUS_BAD_ARGUMENT;
  }
  bool sound = inertial_core_all_finite(rows->Y, rows->n * core->n) &&
               inertial_core_all_finite(rows->z, rows->n) &&
               inertial_core_all_finite(rows->R, rows->n);
  for (size_t r = 0; r < rows->n; r++) {
    sound = sound && rows->R[r] > 0.0;
  }
  return sound ? STATUS_OK : STATUS_NOT_FINITE;
}

void inertial_core_flat(const struct inertial_core *core, const double *x, double *flat) {
  for (size_t link = 0; link < core->n_links; link++) {
    const struct inertia pi = inertial_form_body(core->settings.form, x + TEN * link);
    inertia_to(&pi, flat + TEN * link);
  }
  memcpy(flat + core->n_pi, x + core->n_pi, (core->n - core->n_pi) * sizeof(*x));
}

void inertial_core_linearise(struct inertial_core *core, const double *x) {
  inertial_core_flat(core, x, core->flat);
  for (size_t link = 0; link < core->n_links; link++) {
    inertial_form_jacobian(core->settings.form, x + TEN * link,
                           (double(*)[TEN])(core->G + (size_t)(TEN * TEN) * link));
  }
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

/* Whitens the innovation by a Cholesky factor: its squared length then. */
static double whiten(const struct inertial_core *core, size_t m, const double *S, double *white) {
  memcpy(white, core->innovation, m * sizeof(*white));
  small_cholesky_whiten(m, S, white);
  return small_dot(m, white, white);
}

/* S = H P H^T + R, of H and HP */
static void innovation_covariance(const struct inertial_core *core,
                                  const struct inertial_rows *rows, double *S) {
  const size_t n = core->n, m = rows->n;
  small_multiply_symmetric(m, n, 1.0, small_factor(core->HP, n), small_transposed(core->H, n), 0.0,
                           S, m);
  for (size_t i = 0; i < m; i++) {
    S[i * m + i] += rows->R[i];
  }
}

double inertial_core_explained(struct inertial_core *core, const struct inertial_rows *rows,
                               const struct inertial_spread *change) {
  const size_t n = core->n, m = rows->n;
  double B[TEN][TEN], HB[INERTIAL_MAX_ROWS * TEN], left[INERTIAL_MAX_ROWS], *S = core->S_changed;
  /* S, and what the change adds to P */
  innovation_covariance(core, rows, S);
  for (size_t link = 0; link < core->n_links; link++) {
    inertial_core_change(core, link, change, B);
    small_multiply(m, TEN, TEN, 1.0, small_factor(core->H + TEN * link, n),
                   small_factor(&B[0][0], TEN), 0.0, HB, TEN);
    small_multiply_symmetric(m, TEN, 1.0, small_factor(HB, TEN), small_transposed(HB, TEN), 1.0, S,
                             m);
  }
  return small_cholesky_lower(m, S) ? whiten(core, m, S, left) : HUGE_VAL;
}

/* The condition of S is at least the squared ratio of its factor's diagonal entries, each row
 * seen in its own unit sqrt(R). ln det(S R^-1) is the sum of their logarithms. */
static bool is_well_conditioned(const double *S, const double *R, size_t m, double *log_det) {
  double smallest = HUGE_VAL, largest = 0.0;
  *log_det = 0.0;
  for (size_t i = 0; i < m; i++) {
    const double pivot = S[i * m + i] * S[i * m + i] / R[i];
    smallest = fmin(smallest, pivot);
    largest = fmax(largest, pivot);
    *log_det += log(pivot);
  }
  return largest <= WORST_CONDITION * smallest;
}

/* @eq Foster24 15 19 20 */
enum status inertial_core_innovation(struct inertial_core *core, const struct inertial_rows *rows,
                                     double *nis, double *gain) {
  const enum status status = check_rows(core, rows);
  if (status != STATUS_OK) {
    return status;
  }
  const size_t n = core->n, m = rows->n;
  inertial_core_linearise(core, core->x);
  state_rows(core, rows);
  small_multiply(m, n, n, 1.0, small_factor(core->H, n), small_factor(core->P, n), 0.0, core->HP,
                 n);
  innovation_covariance(core, rows, core->S);
  for (size_t i = 0; i < rows->n; i++) {
    core->noise_share[i] = rows->R[i] / core->S[i * rows->n + i];
    core->innovation[i] = rows->z[i] - small_dot(n, rows->Y + i * n, core->flat);
  }
  double log_det;
  if (!small_cholesky_lower(m, core->S) || !is_well_conditioned(core->S, rows->R, m, &log_det)) {
    return STATUS_SINGULAR;
  }
  *nis = whiten(core, m, core->S, core->white);
  *gain = 0.5 * log_det;
  return isfinite(*nis) ? STATUS_OK : STATUS_NOT_FINITE;
}

/* -- reading ---------------------------------------------------------------------------------- */

/* How far what is told of x[i] is from the estimate. */
static double held_back(const struct inertial_core *core, size_t i) {
  return core->supposed ? (1.0 - core->laden) * (core->x[i] - core->x_unladen[i]) : 0.0;
}

/* The state of a link that is told, x [10]. */
static void told_state(const struct inertial_core *core, size_t link, double x[TEN]) {
  for (size_t i = 0; i < TEN; i++) {
    x[i] = core->x[TEN * link + i] - held_back(core, TEN * link + i);
  }
}

/* By how much errors of the estimate are larger than its covariance says, squared. */
static double alike(const struct inertial_core *core) {
  return core->supposed ? ALIKE * ALIKE : 1.0;
}

void inertial_core_save(const struct inertial_core *core, struct inertia *told,
                        double *covariance) {
  for (size_t link = 0; link < core->n_links; link++) {
    told[link] = inertial_core_told(core, link);
  }
  for (size_t i = 0; i < core->n_pi; i++) {
    for (size_t j = 0; j < core->n_pi; j++) {
      covariance[i * core->n_pi + j] =
          alike(core) * core->P[i * core->n + j] + held_back(core, i) * held_back(core, j);
    }
  }
}

/* h^T (P - P_g P_gg^-1 P_g^T) h, h the mass's row of the Jacobian, P_g the gains' columns; and the
 * variance of a load that may be or not. */
double inertial_core_mass_by_rows(struct inertial_core *core, size_t link) {
  const size_t n = core->n, m = core->settings.n_gain, first = n - m;
  double G[TEN][TEN], hP[INERTIAL_MAX_LINKS * TEN + INERTIAL_MAX_BIASES], rest[INERTIAL_MAX_ROWS];
  inertial_form_jacobian(core->settings.form, core->x + TEN * link, G);
  small_apply(n, TEN, 1.0, small_transposed(core->P + TEN * link * n, n), G[0], 0.0, hP);
  double variance = small_dot(TEN, hP + TEN * link, G[0]);
  /* less what gains have to do with it */
  for (size_t i = 0; i < m; i++) {
    memcpy(core->work + i * m, core->P + (first + i) * n + first, m * sizeof(*core->work));
    rest[i] = hP[first + i];
  }
  if (m > 0 && small_cholesky_lower(m, core->work)) {
    small_cholesky_solve(m, core->work, rest);
    variance -= small_dot(m, rest, hP + first);
  }
  const struct inertia without =
      inertial_form_body(core->settings.form, core->x_unladen + TEN * link);
  const double load = core->pi[link].m - without.m, w = core->supposed ? core->laden : 0.0;
  return sqrt(fmax(variance, 0.0) + w * (1.0 - w) * load * load);
}

struct inertia inertial_core_told(const struct inertial_core *core, size_t link) {
  double x[TEN];
  told_state(core, link, x);
  return core->supposed ? inertial_form_body(core->settings.form, x) : core->pi[link];
}

/* What is told errs by what the estimate does, and by what is held back of it: as parameters, a
 * load may be many times as heavy as its link. c = h / m, so dc = (dh - c dm) / m. */
void inertial_core_deviations(const struct inertial_core *core, size_t link, double C[TEN][TEN],
                              double *mass, vec3 *com) {
  const struct inertia told = inertial_core_told(core, link);
  const vec3 c = inertia_com(&told);
  const double m = told.m, centre[3] = {c.x, c.y, c.z};
  const struct inertia held = inertia_axpy(&core->pi[link], -1.0, &told);
  const double *P = core->P + TEN * link * core->n + TEN * link;
  double variance[3], x[TEN], G[TEN][TEN], GP[TEN][TEN], off[TEN];
  told_state(core, link, x);
  inertia_to(&held, off);
  inertial_form_jacobian(core->settings.form, x, G);
  small_multiply(TEN, TEN, TEN, alike(core), small_factor(&G[0][0], TEN), small_factor(P, core->n),
                 0.0, &GP[0][0], TEN);
  small_multiply(TEN, TEN, TEN, 1.0, small_factor(&GP[0][0], TEN), small_transposed(&G[0][0], TEN),
                 0.0, &C[0][0], TEN);
  small_rank_one(TEN, TEN, 1.0, off, off, &C[0][0], TEN);
  for (int i = 0; i < 3; i++) {
    const double k = centre[i];
    variance[i] = (C[i + 1][i + 1] - 2.0 * k * C[i + 1][0] + k * k * C[0][0]) / (m * m);
  }
  *mass = sqrt(fmax(C[0][0], 0.0));
  *com = (vec3){sqrt(fmax(variance[0], 0.0)), sqrt(fmax(variance[1], 0.0)),
                sqrt(fmax(variance[2], 0.0))};
}

double inertial_core_mass_deviation(const struct inertial_core *core, size_t link) {
  double covariance[TEN][TEN], mass;
  vec3 com;
  inertial_core_deviations(core, link, covariance, &mass, &com);
  return mass;
}

bool inertial_core_has_learned(const struct inertial_core *core) {
  bool learned = true;
  const bool open = core->supposed && !(core->laden > CERTAIN);
  for (size_t link = 0; link < core->n_links && open && learned; link++) {
    learned = inertial_core_mass_deviation(core, link) < core->mass_sd[link];
  }
  return learned;
}
