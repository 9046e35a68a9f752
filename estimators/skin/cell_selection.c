#include "skin/cell_selection.h"

#include "math/jacobi.h"

#include <math.h>
#include <string.h>

enum { DIM = 6 };

/* Information of a set of cells about [vdot; omegadot]:
 *   Sigma^-1 = sum w [1 -S(r)]^T [1 -S(r)] = [ W 1, -S(s); S(s), Q ],  s = sum w r,  Q = sum w
 * (|r|^2 1 - r r^T) */
struct information {
  double W;                      /* sum of weights */
  vec3 s;                        /* sum w r */
  double xx, yy, zz, xy, xz, yz; /* sum w r r^T */
};

struct cell_selection {
  struct cell_selection_settings settings;
  size_t max_cells;
  bool *taken;       /* [max_cells] is in the set */
  vec3 *gradient;    /* [CELL_SELECTION_MAX] */
  size_t *candidate; /* [CELL_SELECTION_MAX] where each chosen cell wants to move */
};

/* Greedy starts need an order among sets that are still rank deficient: this much prior
 * information, relative to one cell. */
static const double GREEDY_PRIOR = 1e-9;
/* An exchange must lower the cost by this fraction, or rounding could exchange two equal cells for
 * ever. */
static const double WORTH_EXCHANGING = 1e-9;
/* A determinant below this fraction of its scale is rounding of a rank-deficient set. */
static const double RANK_TOLERANCE = 1e-12;

struct cell_selection_settings cell_selection_defaults(void) {
  return (struct cell_selection_settings){.condition_weight = 1e-4,
                                          .volume_weight = 1.0,
                                          .step = 1.0,
                                          .threshold = 0.2,
                                          .max_iterations = 20,
                                          .max_exchanges = 64};
}

enum status cell_selection_init(struct cell_selection **selection,
                                const struct cell_selection_settings *settings, size_t max_cells,
                                struct arena *arena) {
  if (!(settings->condition_weight >= 0.0 && settings->volume_weight >= 0.0 &&
        settings->step >= 0.0 && settings->threshold >= 0.0 && settings->max_iterations >= 0 &&
        settings->max_exchanges >= 0)) {
    return STATUS_OUT_OF_RANGE;
  }
  struct cell_selection *s = ARENA_ARRAY(arena, struct cell_selection, 1);
  bool *taken = ARENA_ARRAY(arena, bool, max_cells);
  vec3 *gradient = ARENA_ARRAY(arena, vec3, CELL_SELECTION_MAX);
  size_t *candidate = ARENA_ARRAY(arena, size_t, CELL_SELECTION_MAX);
  if (arena_is_counting(arena)) {
    return STATUS_OK;
  }
  if (arena->failed) {
    return STATUS_NO_MEMORY;
  }
  *s = (struct cell_selection){.settings = *settings,
                               .max_cells = max_cells,
                               .taken = taken,
                               .gradient = gradient,
                               .candidate = candidate};
  *selection = s;
  return STATUS_OK;
}

/* Adds a cell's information `sign` times, +1 or -1. */
static void information_add(struct information *info, vec3 r, double w, double sign) {
  const double k = sign * w;
  info->W += k;
  info->s = vec3_axpy(info->s, k, r);
  info->xx += k * r.x * r.x;
  info->yy += k * r.y * r.y;
  info->zz += k * r.z * r.z;
  info->xy += k * r.x * r.y;
  info->xz += k * r.x * r.z;
  info->yz += k * r.y * r.z;
}

static struct information information_of(const struct cell_field *field, size_t m,
                                         const size_t *chosen) {
  struct information info = {0};
  for (size_t k = 0; k < m; k++) {
    information_add(&info, field->r[chosen[k]], field->weight[chosen[k]], 1.0);
  }
  return info;
}

/* The lower right block about the cells' centroid: Jc = Q - S(s)^T S(s) / W. */
static mat3 centroidal(const struct information *info) {
  const double k = 1.0 / info->W;
  const double xx = info->xx - k * info->s.x * info->s.x, yy = info->yy - k * info->s.y * info->s.y,
               zz = info->zz - k * info->s.z * info->s.z;
  const double xy = info->xy - k * info->s.x * info->s.y, xz = info->xz - k * info->s.x * info->s.z,
               yz = info->yz - k * info->s.y * info->s.z;
  return (mat3){{{yy + zz, -xy, -xz}, {-xy, xx + zz, -yz}, {-xz, -yz, xx + yy}}};
}

static double determinant(const mat3 *A) {
  return vec3_dot(vec3_from(A->m[0]), vec3_cross(vec3_from(A->m[1]), vec3_from(A->m[2])));
}

/* sqrt(det Sigma) by the Schur complement of W 1; HUGE_VAL when rank deficient. */
static double volume(const struct information *info, const mat3 *Jc) {
  const double scale = Jc->m[0][0] + Jc->m[1][1] + Jc->m[2][2], det = determinant(Jc);
  return info->W > 0.0 && det > RANK_TOLERANCE * scale * scale * scale
             ? 1.0 / sqrt(info->W * info->W * info->W * det)
             : HUGE_VAL;
}

static void information_matrix(const struct information *info, double L[DIM * DIM]) {
  const mat3 S = mat3_skew(info->s);
  const double Q[3][3] = {{info->yy + info->zz, -info->xy, -info->xz},
                          {-info->xy, info->xx + info->zz, -info->yz},
                          {-info->xz, -info->yz, info->xx + info->yy}};
  memset(L, 0, DIM * DIM * sizeof(double));
  for (int r = 0; r < 3; r++) {
    L[r * DIM + r] = info->W;
    for (int c = 0; c < 3; c++) {
      L[r * DIM + 3 + c] = -S.m[r][c];
      L[(3 + r) * DIM + c] = S.m[r][c];
      L[(3 + r) * DIM + 3 + c] = Q[r][c];
    }
  }
}

/* Eigenvalues in ascending order, positive, and eigenvector i in V[6 i .. 6 i + 5]; V may be NULL.
 * Without LAPACK: all who call OpenBLAS share one lock, and the cycle would spin for it while a
 * worker of lower priority has it. */
static bool eigen(const struct information *info, double lambda[DIM], double V[DIM * DIM]) {
  double A[DIM * DIM], columns[DIM * DIM];
  int order[DIM];
  information_matrix(info, A);
  jacobi_eigen(A, V != NULL ? columns : NULL, DIM, DIM, order);
  for (int i = 0; i < DIM; i++) {
    lambda[i] = A[order[i] * (DIM + 1)];
    for (int k = 0; V != NULL && k < DIM; k++) {
      V[i * DIM + k] = columns[k * DIM + order[i]];
    }
  }
  return lambda[0] > 0.0;
}

/* A lower bound of the condition number that needs no eigenvalues: Rayleigh quotients of turning
 * about each axis through the centroid bound the smallest eigenvalue from above, the diagonal
 * bounds the largest from below. */
static double condition_bound(const struct information *info, const mat3 *Jc) {
  const vec3 c = vec3_scale(1.0 / info->W, info->s);
  const double c2 = vec3_dot(c, c);
  const double smallest =
      fmin(Jc->m[0][0] / (1.0 + c2 - c.x * c.x),
           fmin(Jc->m[1][1] / (1.0 + c2 - c.y * c.y), Jc->m[2][2] / (1.0 + c2 - c.z * c.z)));
  return fmax(info->W, fmax(Jc->m[0][0], fmax(Jc->m[1][1], Jc->m[2][2]))) / fmin(info->W, smallest);
}

/* f, or any value >= `beat` where f is certainly not below `beat`. */
static double cost_below(const struct cell_selection_settings *settings,
                         const struct information *info, double beat) {
  const mat3 Jc = centroidal(info);
  const double by_volume = settings->volume_weight * volume(info, &Jc);
  if (!isfinite(by_volume)) {
    return HUGE_VAL;
  }
  const double bound = by_volume + settings->condition_weight * condition_bound(info, &Jc);
  if (bound >= beat) {
    return bound;
  }
  double lambda[DIM];
  return eigen(info, lambda, NULL)
             ? by_volume + settings->condition_weight * lambda[DIM - 1] / lambda[0]
             : HUGE_VAL;
}

double cell_selection_cost(const struct cell_selection_settings *settings,
                           const struct cell_field *field, size_t m, const size_t *chosen) {
  const struct information info = information_of(field, m, chosen);
  return cost_below(settings, &info, HUGE_VAL);
}

enum status cell_selection_gradient(const struct cell_selection_settings *settings,
                                    const struct cell_field *field, size_t m, const size_t *chosen,
                                    vec3 *gradient) {
  const struct information info = information_of(field, m, chosen);
  const mat3 Jc = centroidal(&info);
  const double sqrt_det = volume(&info, &Jc);
  double V[DIM * DIM], lambda[DIM];
  if (!isfinite(sqrt_det) || !eigen(&info, lambda, V)) {
    return STATUS_SINGULAR;
  }
  /* f depends on the cells through the eigenvalues alone: df/dlambda_i of cond and of det^-1/2 */
  double slope[DIM];
  for (int i = 0; i < DIM; i++) {
    slope[i] = -0.5 * settings->volume_weight * sqrt_det / lambda[i];
  }
  slope[DIM - 1] += settings->condition_weight / lambda[0];
  slope[0] -= settings->condition_weight * lambda[DIM - 1] / (lambda[0] * lambda[0]);
  for (size_t k = 0; k < m; k++) {
    const vec3 r = field->r[chosen[k]];
    gradient[k] = VEC3_ZERO;
    for (int i = 0; i < DIM; i++) {
      /* v^T H^T w H v = w |a + b x r|^2, whose derivative by r is 2 w (a + b x r) x b */
      const vec3 a = vec3_from(V + i * DIM), b = vec3_from(V + i * DIM + 3);
      const vec3 u = vec3_add(a, vec3_cross(b, r));
      gradient[k] =
          vec3_axpy(gradient[k], 2.0 * field->weight[chosen[k]] * slope[i], vec3_cross(u, b));
    }
  }
  return STATUS_OK;
}

/* Adds to the `m` cells of `chosen` that are already there the one that lowers sqrt(det Sigma)
 * most. */
static bool add_best(struct cell_selection *s, const struct cell_field *field,
                     struct information *info, size_t *chosen, size_t m) {
  double best = -HUGE_VAL;
  size_t at = field->n;
  for (size_t c = 0; c < field->n; c++) {
    if (!field->usable[c] || s->taken[c]) {
      continue;
    }
    struct information with = *info;
    information_add(&with, field->r[c], field->weight[c], 1.0);
    mat3 Jc = centroidal(&with);
    for (int i = 0; i < 3; i++) {
      Jc.m[i][i] += GREEDY_PRIOR * field->weight[c];
    }
    const double gain = with.W * with.W * with.W * determinant(&Jc);
    if (gain > best) {
      best = gain;
      at = c;
    }
  }
  if (at == field->n) {
    return false;
  }
  information_add(info, field->r[at], field->weight[at], 1.0);
  s->taken[at] = true;
  chosen[m] = at;
  return true;
}

/* Keeps what is usable of a previous set and fills up greedily. */
static enum status start(struct cell_selection *s, const struct cell_field *field, size_t m,
                         size_t *chosen, struct information *info) {
  size_t kept = 0;
  memset(s->taken, 0, field->n * sizeof(bool));
  *info = (struct information){0};
  for (size_t k = 0; k < m; k++) {
    const size_t c = chosen[k];
    if (c < field->n && field->usable[c] && !s->taken[c]) {
      s->taken[c] = true;
      information_add(info, field->r[c], field->weight[c], 1.0);
      chosen[kept++] = c;
    }
  }
  for (; kept < m; kept++) {
    if (!add_best(s, field, info, chosen, kept)) {
      return STATUS_TOO_FEW;
    }
  }
  return STATUS_OK;
}

/* Mesh neighbour of cell c along which the step is longest, or n: the step is too short or nobody
 * is free. (150) */
static size_t neighbour_along(const struct cell_selection *s, const struct cell_field *field,
                              size_t c, vec3 step) {
  double best = s->settings.threshold;
  size_t at = field->n;
  for (size_t i = 0; i < field->neighbours[c].count; i++) {
    const size_t other = field->neighbours[c].cell[i];
    const vec3 edge = vec3_sub(field->r[other], field->r[c]);
    const double projection = vec3_dot(step, edge) / vec3_dot(edge, edge); /* in mesh widths */
    if (projection > best && field->usable[other] && !s->taken[other]) {
      best = projection;
      at = other;
    }
  }
  return at;
}

/* One iteration of the projected gradient. True when a cell moved and the cost fell; otherwise the
 * set is as before. */
static bool gradient_step(struct cell_selection *s, const struct cell_field *field, size_t m,
                          size_t *chosen, struct cell_selection_report *report) {
  if (cell_selection_gradient(&s->settings, field, m, chosen, s->gradient) != STATUS_OK) {
    return false;
  }
  bool moved = false;
  for (size_t k = 0; k < m; k++) {
    s->candidate[k] = chosen[k];
    const size_t to =
        neighbour_along(s, field, chosen[k], vec3_scale(-s->settings.step, s->gradient[k]));
    if (to < field->n) {
      s->taken[chosen[k]] = false;
      s->taken[to] = true;
      s->candidate[k] = to;
      moved = true;
    }
  }
  const double cost = moved ? cell_selection_cost(&s->settings, field, m, s->candidate) : HUGE_VAL;
  if (cost < report->cost) {
    memcpy(chosen, s->candidate, m * sizeof(size_t));
    report->cost = cost;
    return true;
  }
  for (size_t k = 0; k < m;
       k++) { /* give the places back: first all that were taken, then those that were left */
    s->taken[s->candidate[k]] = false;
  }
  for (size_t k = 0; k < m; k++) {
    s->taken[chosen[k]] = true;
  }
  return false;
}

/* Exchanges chosen[k] for the best cell that is free. True when that lowered the cost. */
static bool exchange(struct cell_selection *s, const struct cell_field *field, size_t m,
                     size_t *chosen, size_t k, struct cell_selection_report *report) {
  struct information without = information_of(field, m, chosen);
  information_add(&without, field->r[chosen[k]], field->weight[chosen[k]], -1.0);
  double best = report->cost * (1.0 - WORTH_EXCHANGING);
  size_t at = field->n;
  for (size_t c = 0; c < field->n; c++) {
    if (!field->usable[c] || s->taken[c]) {
      continue;
    }
    struct information with = without;
    information_add(&with, field->r[c], field->weight[c], 1.0);
    const double cost = cost_below(&s->settings, &with, best);
    if (cost < best) {
      best = cost;
      at = c;
    }
  }
  if (at == field->n) {
    return false;
  }
  s->taken[chosen[k]] = false;
  s->taken[at] = true;
  chosen[k] = at;
  report->cost = cell_selection_cost(&s->settings, field, m, chosen);
  return true;
}

/* Exchanges cells in turn until a whole round finds nothing better. */
static void exchange_all(struct cell_selection *s, const struct cell_field *field, size_t m,
                         size_t *chosen, struct cell_selection_report *report) {
  size_t quiet = 0;
  for (size_t k = 0; quiet < m && report->exchanges < s->settings.max_exchanges; k = (k + 1) % m) {
    if (exchange(s, field, m, chosen, k, report)) {
      report->exchanges++;
      quiet = 0;
    } else {
      quiet++;
    }
  }
}

static enum status check(const struct cell_selection *s, const struct cell_field *field, size_t m) {
  if (field->n > s->max_cells || m > CELL_SELECTION_MAX) {
    return STATUS_BAD_ARGUMENT;
  }
  return m < 3 ? STATUS_TOO_FEW : STATUS_OK;
}

enum status cell_selection_run(struct cell_selection *s, const struct cell_field *field, size_t m,
                               size_t *chosen, struct cell_selection_report *report) {
  struct information info;
  enum status status = check(s, field, m);
  if (status == STATUS_OK) {
    status = start(s, field, m, chosen, &info);
  }
  if (status != STATUS_OK) {
    return status;
  }
  *report =
      (struct cell_selection_report){.cost = cell_selection_cost(&s->settings, field, m, chosen)};
  for (; report->iterations < s->settings.max_iterations; report->iterations++) {
    if (!gradient_step(s, field, m, chosen, report)) {
      break;
    }
  }
  exchange_all(s, field, m, chosen, report);
  return isfinite(report->cost) ? STATUS_OK : STATUS_SINGULAR;
}
