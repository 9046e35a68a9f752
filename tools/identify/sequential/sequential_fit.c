#include "identify/sequential/sequential_fit.h"

#include "inertia/sqrt_inertia.h"
#include "numerics/quadratic_program.h"

#include <cblas.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TEN = CONVEX_TEN };

/* Places of C's diagonal in z. */
static const int DIAGONAL[4] = {0, 2, 5, 9};

/* The trust region at first and at most, as a share of entries; by what it shrinks and grows. */
static const double FIRST = 0.5, MOST = 4.0, LEAST = 1e-9, SHRINK = 0.25, GROW = 2.0;
/* Of what the model promises: so much is a step worth taking, and so much has the region grow. */
static const double TAKEN = 1e-3, KEPT_PROMISE = 0.75, POOR = 0.25;
/* nats: a promise of less ends the sequence, as a share of the gap that is asked for. */
static const double ENOUGH = 0.01;
/* Of a diagonal: what keeps the program's H positive definite at the border. */
static const double RIDGE = 1e-12;
/* Diagonal entries of C stay above. @eq Leboutet22 194 */
static const double EPSILON = 1e-5;
/* Of its row: a diagonal entry of C does not fall below FLOOR, where the cost would no longer feel
 * it. */
static const double FLOOR = 1e-2;
/* Iterations over which the printed region fades by e^-mu. */
static const double FADING = 30.0;
/* Of the way to a linear constraint. */
static const double NEAR = 0.999;

struct sequence {
  const struct convex_fit *fit;
  const struct sequential_settings *settings;
  struct quadratic_program qp;
  double *z, *x, *next_z, *next_x, *slope, *best; /* [n]; slope: of the cost in x */
  double *AG;                                     /* [n][n] */
  double (*G)[TEN][TEN];                          /* [bodies] */
  struct body_chart *chart;                       /* [bodies] */
  void *memory;
};

struct sequential_settings sequential_defaults(enum chart_form form, bool printed) {
  return (struct sequential_settings){
      .form = form, .printed = printed, .iterations = 100, .reach = 0.25, .fade = 10.0};
}

/* -- memory ----------------------------------------------------------------------------------- */

static enum status begin(struct sequence *s) {
  const size_t n = s->fit->n, bodies = s->fit->bodies, rows = s->fit->n_cones - bodies;
  struct arena arena = {0};
  enum status status = STATUS_OK;
  for (int pass = 0; pass < 2 && status == STATUS_OK; pass++) {
    status = quadratic_program_init(&s->qp, n, rows, &arena);
    double **const vector[] = {&s->z, &s->x, &s->next_z, &s->next_x, &s->slope, &s->best};
    for (int i = 0; i < 6; i++) {
      *vector[i] = ARENA_ARRAY(&arena, double, n);
    }
    s->AG = ARENA_ARRAY(&arena, double, n *n);
    s->chart = arena_take(&arena, bodies, sizeof(*s->chart));
    s->G = arena_take(&arena, bodies, sizeof(*s->G));
    if (status == STATUS_OK && pass == 0) {
      s->memory = aligned_alloc(ARENA_ALIGN, arena.used);
      arena = arena_over(s->memory, arena.used);
      status = s->memory != NULL ? STATUS_OK : STATUS_NO_MEMORY;
    }
  }
  for (size_t i = 0; i < bodies && status == STATUS_OK; i++) {
    s->chart[i] = body_chart_printed(s->settings->form);
  }
  return status;
}

/* -- charts ----------------------------------------------------------------------------------- */

static void to_x(const struct sequence *s, const double *z, double *x) {
  const size_t first = TEN * s->fit->bodies;
  for (size_t i = 0; i < s->fit->bodies; i++) {
    body_chart_at(&s->chart[i], &s->fit->cone[i], z + TEN * i, x + TEN * i);
  }
  memcpy(x + first, z + first, (s->fit->n - first) * sizeof(*x));
}

static enum status to_z(struct sequence *s, const double *x, double *z) {
  const size_t first = TEN * s->fit->bodies;
  enum status status = STATUS_OK;
  for (size_t i = 0; i < s->fit->bodies && status == STATUS_OK; i++) {
    if (s->settings->form == CHART_SQRT && !s->settings->printed) {
      body_chart_pivot(&s->chart[i], &s->fit->cone[i], x + TEN * i);
    }
    status = body_chart_from(&s->chart[i], &s->fit->cone[i], x + TEN * i, z + TEN * i);
  }
  memcpy(z + first, x + first, (s->fit->n - first) * sizeof(*z));
  return status;
}

/* By what each body's parameters follow z: the Jacobian, or the printed A. */
static void find_maps(struct sequence *s) {
  for (size_t i = 0; i < s->fit->bodies; i++) {
    if (s->settings->printed) {
      sqrt_inertia_matrix(s->z + TEN * i, s->G[i]);
    } else {
      body_chart_jacobian(&s->chart[i], s->z + TEN * i, s->G[i]);
    }
  }
}

/* out = G^T v. */
static void pull_back(const struct sequence *s, const double *v, double *out) {
  const size_t first = TEN * s->fit->bodies;
  for (size_t i = 0; i < s->fit->bodies; i++) {
    cblas_dgemv(CblasRowMajor, CblasTrans, TEN, TEN, 1.0, &s->G[i][0][0], TEN, v + TEN * i, 1, 0.0,
                out + TEN * i, 1);
  }
  memcpy(out + first, v + first, (s->fit->n - first) * sizeof(*out));
}

/* -- the program ------------------------------------------------------------------------------ */

/* H = G^T A G and, properly, what the bodies' own form curves by. */
static void set_curvature(struct sequence *s) {
  const size_t n = s->fit->n, bodies = s->fit->bodies;
  memcpy(s->AG, s->fit->A, n * n * sizeof(double));
  for (size_t i = 0; i < bodies; i++) { /* columns of body i */
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)n, TEN, TEN, 1.0,
                s->fit->A + TEN * i, (int)n, &s->G[i][0][0], TEN, 0.0, s->AG + TEN * i, (int)n);
  }
  memcpy(s->qp.H, s->AG, n * n * sizeof(double));
  for (size_t i = 0; i < bodies; i++) { /* and its rows */
    cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, TEN, (int)n, TEN, 1.0, &s->G[i][0][0], TEN,
                s->AG + TEN * i * n, (int)n, 0.0, s->qp.H + TEN * i * n, (int)n);
  }
  for (size_t i = 0; i < bodies && !s->settings->printed; i++) {
    double K[TEN][TEN] = {{0.0}};
    body_chart_curvature(&s->chart[i], s->slope + TEN * i, K);
    for (int k = 0; k < TEN; k++) {
      cblas_daxpy(TEN, 1.0, K[k], 1, s->qp.H + (TEN * i + (size_t)k) * n + TEN * i, 1);
    }
  }
  for (size_t i = 0; i < n; i++) {
    for (size_t k = 0; k < i; k++) { /* rounding has no halves */
      s->qp.H[i * n + k] = s->qp.H[k * n + i];
    }
    s->qp.H[i * n + i] *= 1.0 + RIDGE;
    s->qp.H[i * n + i] += 1e-300;
  }
}

/* Linear constraints in dz (printed: in z, whose x is A z and the border). */
static void set_rows(struct sequence *s) {
  const size_t n = s->fit->n, bodies = s->fit->bodies;
  s->qp.rows = s->fit->n_cones - bodies;
  for (size_t r = 0; r < s->qp.rows; r++) {
    const struct convex_cone *cone = &s->fit->cone[bodies + r];
    double *row = s->qp.row + r * n, now;
    memset(s->next_z, 0, n * sizeof(double));
    for (size_t k = 0; k < cone->columns; k++) {
      s->next_z[cone->first + k] = cone->slope[k][0];
    }
    pull_back(s, s->next_z, row);
    cone_at(cone, s->x, &now);
    s->qp.least[r] = -NEAR * now; /* a little is left, for the next step */
    if (s->settings->printed) {
      s->qp.least[r] += cblas_ddot((int)n, row, 1, s->z, 1);
    }
  }
}

/* The region of dz: `share` of entries, drives free; diagonals of C stay positive. */
static void set_region(struct sequence *s, double share) {
  for (size_t i = 0; i < s->fit->bodies; i++) {
    double size[TEN];
    const double *z = s->z + TEN * i;
    double *low = s->qp.low + TEN * i, *high = s->qp.high + TEN * i;
    body_chart_sizes(&s->chart[i], z, size);
    for (int k = 0; k < TEN; k++) {
      const double step = share * (s->settings->printed ? fabs(z[k]) : size[k]);
      const double from = s->settings->printed ? z[k] : 0.0;
      low[k] = from - step;
      high[k] = from + step;
    }
    for (int d = 0; d < 4 && s->settings->form == CHART_SQRT; d++) {
      const int k = DIAGONAL[d];
      const double least = s->settings->printed ? EPSILON : fmin(0.0, FLOOR * size[k] - z[k]);
      low[k] = fmin(fmax(low[k], least), high[k]);
    }
  }
}

/* -- steps ------------------------------------------------------------------------------------ */

/* The share of the way from x to next_x that keeps every linear constraint. */
static double inside(const struct sequence *s) {
  double t = 1.0;
  for (size_t c = s->fit->bodies; c < s->fit->n_cones; c++) {
    double now, next;
    cone_at(&s->fit->cone[c], s->x, &now);
    cone_at(&s->fit->cone[c], s->next_x, &next);
    if (next <= 0.0 && now > next) {
      t = fmin(t, NEAR * fmax(now, 0.0) / (now - next));
    }
  }
  return t;
}

/* slope . dx and dx^T A dx of the way from x to next_x: the cost along it. */
static void along(struct sequence *s, double *steep, double *bend) {
  const int n = (int)s->fit->n;
  double *dx = s->AG, *Adx = s->AG + n;
  for (int i = 0; i < n; i++) {
    dx[i] = s->next_x[i] - s->x[i];
  }
  cblas_dgemv(CblasRowMajor, CblasNoTrans, n, n, 1.0, s->fit->A, n, dx, 1, 0.0, Adx, 1);
  *steep = cblas_ddot(n, s->slope, 1, dx, 1);
  *bend = cblas_ddot(n, Adx, 1, dx, 1);
}

/* Draws next_x, and next_z with it, back to the share t of the way from x: what lies between two
 * bodies that can be, can be. False: it leaves the chart. */
static bool draw_back(struct sequence *s, double t) {
  for (size_t i = 0; i < s->fit->n; i++) {
    s->next_x[i] = s->x[i] + t * (s->next_x[i] - s->x[i]);
  }
  const bool charted = to_z(s, s->next_x, s->next_z) == STATUS_OK;
  if (charted) {
    to_x(s, s->next_z, s->next_x);
  }
  return charted;
}

static void move(struct sequence *s) {
  memcpy(s->x, s->next_x, s->fit->n * sizeof(double));
  memcpy(s->z, s->next_z, s->fit->n * sizeof(double));
}

/* What the program promises: twice of it lies in g . dz where nothing binds. */
static double promised(struct sequence *s, const double *g, const double *H) {
  const int n = (int)s->fit->n;
  double *Hdz = s->AG;
  cblas_dgemv(CblasRowMajor, CblasNoTrans, n, n, 1.0, H, n, s->qp.x, 1, 0.0, Hdz, 1);
  return -cblas_ddot(n, g, 1, s->qp.x, 1) - 0.5 * cblas_ddot(n, Hdz, 1, s->qp.x, 1);
}

/* How much is gained at the best point between x and next_x that keeps what is linear; next_x and
 * next_z become that point. The cost is convex: only a way that leads nowhere gains nothing. */
static double best_on_the_way(struct sequence *s) {
  double steep, bend;
  along(s, &steep, &bend);
  const double best = steep < 0.0 ? -steep / bend : 0.0, t = fmin(inside(s), best);
  if (t < 1.0 && (!(t > 0.0) || !draw_back(s, t))) {
    return 0.0;
  }
  along(s, &steep, &bend);
  return -steep - 0.5 * bend;
}

/* A bound of one unknown that no body owns holds by itself: what the program's rounding leaves of a
 * slack that is nearly gone would else hold back the whole step. */
static void keep_bounds(struct sequence *s) {
  for (size_t c = s->fit->bodies; c < s->fit->n_cones; c++) {
    const struct convex_cone *cone = &s->fit->cone[c];
    const double slope = cone->slope[0][0];
    double now, next;
    if (cone->columns == 1 && cone->first >= TEN * s->fit->bodies) {
      cone_at(cone, s->z, &now);
      cone_at(cone, s->next_z, &next);
      s->next_z[cone->first] += fmax(0.0, (1.0 - NEAR) * now - next) / slope;
    }
  }
}

/* One proper step within *share; false where nothing more is promised. kept: [n][n] */
static bool step(struct sequence *s, double *share, double *kept) {
  const size_t n = s->fit->n;
  convex_slope(s->fit, s->x, s->slope);
  find_maps(s);
  set_curvature(s);
  set_rows(s);
  set_region(s, *share);
  pull_back(s, s->slope, s->qp.g);
  memcpy(kept, s->qp.H, n * n * sizeof(double));
  if (quadratic_program_solve(&s->qp) != STATUS_OK) {
    *share *= SHRINK;
    return *share > LEAST;
  }
  const double promise = promised(s, s->qp.g, kept);
  for (size_t i = 0; i < n; i++) {
    s->next_z[i] = s->z[i] + s->qp.x[i];
  }
  keep_bounds(s);
  to_x(s, s->next_z, s->next_x);
  const double gain = best_on_the_way(s);
  if (gain > TAKEN * promise) {
    move(s);
  }
  *share = gain < POOR * promise           ? SHRINK * *share
           : gain > KEPT_PROMISE * promise ? fmin(MOST, GROW * *share)
                                           : *share;
  return promise > ENOUGH * s->fit->gap && *share > LEAST;
}

/* One printed step: the least of the frozen form becomes z, whatever it costs. */
static bool step_printed(struct sequence *s, int i) {
  const size_t n = s->fit->n;
  double *border = s->slope; /* A z is x without it */
  find_maps(s);
  memset(s->next_z, 0, n * sizeof(double));
  to_x(s, s->next_z, border);
  set_curvature(s);
  set_rows(s);
  set_region(s, s->settings->reach * exp(-s->settings->fade * i / FADING));
  convex_slope(s->fit, border, s->next_x); /* A border - b */
  pull_back(s, s->next_x, s->qp.g);
  if (quadratic_program_solve(&s->qp) != STATUS_OK) {
    return false;
  }
  memcpy(s->next_z, s->qp.x, n * sizeof(double));
  to_x(s, s->next_z, s->next_x);
  const double t = inside(s);
  if (t < 1.0 && !draw_back(s, t)) {
    return false;
  }
  move(s);
  return true;
}

/* Where nothing more is promised a body may sit at a border that it would leave if it were a little
 * off: takes each along the way out on which the cost falls most, as far as it falls. */
static void leave_borders(struct sequence *s) {
  const size_t n = s->fit->n;
  for (size_t i = 0; i < s->fit->bodies; i++) {
    double dpi[TEN], steep, bend;
    convex_slope(s->fit, s->x, s->slope);
    if (!body_chart_way_out(&s->fit->cone[i], s->slope + TEN * i, dpi)) {
      continue;
    }
    memcpy(s->next_x, s->x, n * sizeof(double));
    cblas_daxpy(TEN, 1.0, dpi, 1, s->next_x + TEN * i, 1);
    along(s, &steep, &bend);
    if (!(steep < 0.0 && bend > 0.0)) {
      continue;
    }
    cblas_daxpy(TEN, -steep / bend - 1.0, dpi, 1, s->next_x + TEN * i, 1);
    const double t = inside(s);
    for (size_t k = 0; k < n; k++) {
      s->x[k] += t * (s->next_x[k] - s->x[k]);
    }
  }
  if (to_z(s, s->x, s->z) == STATUS_OK) {
    to_x(s, s->z, s->x);
  }
}

/* Proper steps; the best x of all stays. */
static int descend(struct sequence *s, double *kept) {
  double share = FIRST, least = HUGE_VAL;
  int k = 0;
  for (bool again = true; again && k < s->settings->iterations;) {
    for (bool more = true; more && k < s->settings->iterations; k++) {
      more = step(s, &share, kept);
    }
    const double cost = convex_cost(s->fit, s->x);
    again = cost < least - s->fit->gap;
    if (cost < least) {
      least = cost;
      memcpy(s->best, s->x, s->fit->n * sizeof(double));
    }
    if (again) {
      leave_borders(s);
      share = FIRST;
    }
  }
  memcpy(s->x, s->best, s->fit->n * sizeof(double));
  return k;
}

static bool is_supported(const struct convex_fit *fit) {
  bool supported = true;
  for (size_t c = 0; c < fit->n_cones; c++) {
    supported =
        supported && fit->divergence[c] == 0.0 && (c < fit->bodies || fit->cone[c].size == 1);
  }
  return supported;
}

enum status sequential_solve(const struct convex_fit *fit,
                             const struct sequential_settings *settings, double *x,
                             int *iterations) {
  const size_t n = fit->n;
  struct sequence s = {.fit = fit, .settings = settings};
  double *kept = malloc(n * n * sizeof(double));
  if (!is_supported(fit)) {
    free(kept);
    return STATUS_BAD_ARGUMENT;
  }
  enum status status = kept != NULL ? begin(&s) : STATUS_NO_MEMORY;
  if (status == STATUS_OK) {
    memcpy(s.x, x, n * sizeof(double));
    status = to_z(&s, x, s.z);
  }
  if (status == STATUS_OK) {
    to_x(&s, s.z, s.x);
  }
  *iterations = 0;
  if (status == STATUS_OK && settings->printed) {
    while (*iterations < settings->iterations && step_printed(&s, *iterations)) {
      (*iterations)++;
    }
  } else if (status == STATUS_OK) {
    *iterations = descend(&s, kept);
  }
  if (status == STATUS_OK) {
    memcpy(x, s.x, n * sizeof(double));
  }
  free(s.memory);
  free(kept);
  return status;
}
