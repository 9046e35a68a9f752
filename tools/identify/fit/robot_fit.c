#include "identify/fit/robot_fitter.h"

#include "inertia/pseudo_inertia.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const fit_method_name[FIT_METHODS] = {"pc-irls",      "pc-wls", "sqp", "sqp-printed",
                                                  "log-cholesky", "wls",    "tls", "ols"};
const char *const fit_distance_name[FIT_DISTANCES] = {"pullback", "euclidean", "entropic"};

enum { TEN = INERTIA_PARAMETERS, NOISE_PASSES = 3 };

/* lambda while noise is being found: next to no pull. */
static const double FREE = 1e-4;
/* Every body keeps this share of the prior's pseudo-inertia: a body on the very border is none when
 * it has been written in decimals and read again. */
static const double MARGIN = 1e-5;
/* Rows of a joint that moves, at least. */
static const size_t FEWEST_ROWS = 20;

struct fit_settings fit_defaults(void) {
  return (struct fit_settings){.method = FIT_PC_IRLS,
                               .distance = FIT_PULLBACK,
                               .lambda = FIT_CHOOSE,
                               .train_share = 0.7,
                               .huber = 1.345};
}

/* -- memory ----------------------------------------------------------------------------------- */

static enum status fitter_init(struct fitter *f, size_t last) {
  const size_t n = f->unknowns->n, first = TEN * f->unknowns->bodies;
  enum status status = weighed_rows_init(&f->weighed, f->rows, n, 0, last);
  if (status == STATUS_OK) {
    status = convex_begin(&f->convex, f->unknowns->bodies, n - first);
  }
  f->scale = fitter_numbers(n);
  f->others = fitter_numbers(n - first);
  f->start = calloc(f->unknowns->bodies + 1, sizeof(*f->start));
  bool memory = f->scale != NULL && f->others != NULL && f->start != NULL;
  for (size_t b = 0; b < FIT_BLOCKS; b++) {
    f->block[b] = (struct normal_equations){fitter_numbers(n * n), fitter_numbers(n), 0.0};
    memory = memory && f->block[b].A != NULL && f->block[b].b != NULL;
  }
  return status == STATUS_OK && !memory ? STATUS_NO_MEMORY : status;
}

static void fitter_free(struct fitter *f) {
  weighed_rows_free(&f->weighed);
  convex_free(&f->convex);
  shaped_fit_free(&f->shaped);
  free(f->scale);
  free(f->others);
  free(f->start);
  for (size_t b = 0; b < FIT_BLOCKS; b++) {
    free(f->block[b].A);
    free(f->block[b].b);
  }
}

/* -- the problem ------------------------------------------------------------------------------ */

/* What one drive's unknown would be if it alone explained a joint's torque. */
static void find_scales(struct fitter *f) {
  for (size_t j = 0; j < f->rows->n_channels; j++) {
    const struct channel_rows *joint = &f->rows->channel[j];
    for (size_t c = 0; c < joint->n_columns; c++) {
      double column = 0.0, torque = 0.0;
      for (size_t k = 0; k < f->weighed.last; k++) {
        const double Y = joint->Y[k * joint->n_columns + c];
        column += Y * Y;
        torque += joint->tau[k] * joint->tau[k];
      }
      if (joint->column[c] >= TEN * f->unknowns->bodies) {
        f->scale[joint->column[c]] = column > 0.0 ? sqrt(torque / column) + 1e-9 : 1.0;
      }
    }
  }
}

/* viscous > |asymmetry| of joint d. */
static enum status bound_asymmetry(struct fitter *f, size_t d) {
  const int viscous = f->unknowns->at[d][DRIVE_VISCOUS], own = f->unknowns->at[d][DRIVE_ASYMMETRY];
  enum status status = STATUS_OK;
  for (int side = -1; side <= 1 && viscous != UNKNOWN_NONE && status == STATUS_OK; side += 2) {
    double slope[DRIVE_KINDS] = {1.0};
    slope[own - viscous] = side;
    const struct convex_cone cone =
        cone_of_bound((size_t)viscous, slope, (size_t)(own - viscous) + 1, 0.0);
    status = convex_add_cone(&f->convex, &cone);
  }
  return status;
}

/* Drives that cannot give energy, where the path begins, and constraints of shape. */
static enum status add_constraints(struct fitter *f) {
  const struct unknowns *u = f->unknowns;
  const size_t first = TEN * u->bodies;
  enum status status = STATUS_OK;
  for (size_t d = 0; d < u->n_drives; d++) {
    for (int kind = 0; kind < DRIVE_KINDS && status == STATUS_OK; kind++) {
      if (u->at[d][kind] == UNKNOWN_NONE) {
        continue;
      }
      const size_t i = (size_t)u->at[d][kind];
      f->others[i - first] = f->fit->prior[i];
      if (kind == DRIVE_ASYMMETRY) { /* friction never drives, whichever way it goes */
        status = bound_asymmetry(f, d);
      } else if (kind != DRIVE_OFFSET) {
        const double one = 1.0;
        const struct convex_cone cone = cone_of_bound(i, &one, 1, 0.0);
        f->others[i - first] = fmax(f->fit->prior[i], 1e-3 * f->scale[i]);
        status = convex_add_cone(&f->convex, &cone);
      }
    }
  }
  for (size_t i = 0; i < u->bodies; i++) {
    f->start[i] = convex_body(f->fit->prior, i);
    const mat4 J = pseudo_inertia(&f->start[i]);
    for (int k = 0; k < 16; k++) {
      f->convex.cone[i].constant[k] = -MARGIN * J.m[k / 4][k % 4];
    }
  }
  if (status == STATUS_OK && f->settings->shapes != NULL) {
    status = shaped_fit_init(&f->shaped, f->settings->shapes, f->start, u->n - first,
                             f->convex.cone + u->bodies, f->convex.n_cones - u->bodies, MARGIN);
  }
  return status;
}

/* Normal equations of every block, from rows as they are folded. */
static void refresh_blocks(struct fitter *f) {
  const size_t n = f->unknowns->n;
  for (size_t b = 0; b < FIT_BLOCKS; b++) {
    memset(f->block[b].A, 0, n * n * sizeof(double));
    memset(f->block[b].b, 0, n * sizeof(double));
    f->block[b].constant = 0.0;
    weighed_rows_equations(&f->weighed, 1U << b, &f->block[b]);
  }
}

enum status fitter_add_pull(struct fitter *f, double lambda, enum fit_distance distance) {
  const double *prior = f->fit->prior;
  enum status status = STATUS_OK;
  for (size_t i = 0; i < f->unknowns->bodies && status == STATUS_OK; i++) {
    const struct inertia likely = convex_body(prior, i);
    if (distance == FIT_PULLBACK) {
      status = convex_pull(&f->convex, i, &likely, sqrt(2.0 / lambda));
    } else if (distance == FIT_ENTROPIC) {
      status = convex_pull_entropic(&f->convex, i, &likely, sqrt(2.0 / lambda));
    } else {
      for (size_t k = 0; k < TEN; k++) {
        convex_pull_one(&f->convex, TEN * i + k, prior[TEN * i + k], 1.0 / sqrt(lambda));
      }
    }
  }
  for (size_t i = TEN * f->unknowns->bodies; i < f->unknowns->n; i++) {
    const double size = prior[i] > 0.0 ? prior[i] : f->scale[i];
    convex_pull_one(&f->convex, i, prior[i], size / sqrt(lambda));
  }
  return status;
}

enum status fitter_set_problem(struct fitter *f, double lambda, enum fit_distance distance,
                               size_t without) {
  const size_t n = f->unknowns->n;
  convex_clear(&f->convex);
  for (size_t b = 0; b < FIT_BLOCKS; b++) {
    for (size_t i = 0; i < n * n && b != without; i++) {
      f->convex.A[i] += f->block[b].A[i];
    }
    for (size_t i = 0; i < n && b != without; i++) {
      f->convex.b[i] += f->block[b].b[i];
    }
  }
  return fitter_add_pull(f, lambda, distance);
}

double fitter_misfit(const struct fitter *f, size_t block, const double *x) {
  const size_t n = f->unknowns->n;
  const struct normal_equations *e = &f->block[block];
  double sum = e->constant;
  for (size_t i = 0; i < n; i++) {
    double Ax = 0.0;
    for (size_t k = 0; k < n; k++) {
      Ax += e->A[i * n + k] * x[k];
    }
    sum += x[i] * (Ax - 2.0 * e->b[i]);
  }
  return sum;
}

enum status fitter_solve(struct fitter *f, struct convex_solution *solution) {
  return f->settings->shapes != NULL ? shaped_fit_solve(&f->shaped, &f->convex, f->others, solution)
                                     : convex_solve(&f->convex, f->start, f->others, solution);
}

/* -- solving ---------------------------------------------------------------------------------- */

/* Noise of every joint from what even bodies that cannot be leave over. */
static enum status find_noise(struct fitter *f, double huber) {
  const size_t told = f->base != NULL ? f->base->n_base : f->unknowns->n / 2;
  enum status status = STATUS_OK;
  for (int pass = 0; pass < NOISE_PASSES && status == STATUS_OK; pass++) {
    refresh_blocks(f);
    status = fitter_set_problem(f, FREE, FIT_PULLBACK, FIT_BLOCKS);
    if (status == STATUS_OK) {
      status = convex_unconstrained(&f->convex, f->fit->x);
    }
    if (status == STATUS_OK) {
      weighed_rows_noise(&f->weighed, f->fit->x, told, huber);
    }
  }
  refresh_blocks(f);
  return status;
}

/* Mean friction against the motion as the unconstrained fit has it. */
static void note_friction(struct fitter *f) {
  const struct unknowns *u = f->unknowns;
  for (size_t j = 0; j < f->rows->n_channels && !u->floating; j++) {
    const struct channel_rows *joint = &f->rows->channel[j];
    double speed = 0.0, n = 0.0;
    for (size_t k = 0; k < f->weighed.last; k++) {
      if (row_moves(f->rows, j, k)) {
        speed += joint->speed[k];
        n += 1.0;
      }
    }
    const int viscous = u->at[j][DRIVE_VISCOUS], coulomb = u->at[j][DRIVE_COULOMB];
    f->fit->friction[j] = (viscous != UNKNOWN_NONE ? f->fit->x[viscous] * speed / n : 0.0) +
                          (coulomb != UNKNOWN_NONE ? f->fit->x[coulomb] : 0.0);
  }
}

static enum status solve(struct fitter *f) {
  const enum fit_method method = f->settings->method;
  const double huber = f->settings->huber;
  weighed_rows_fold(&f->weighed, NULL, huber);
  enum status status = STATUS_OK;
  if (method == FIT_OLS) {
    refresh_blocks(f);
    return fitter_solve_base(f);
  }
  status = find_noise(f, 0.0);
  note_friction(f);
  if (status != STATUS_OK || !is_physical(method)) {
    return status == STATUS_OK ? fitter_solve_base(f) : status;
  }
  if (method != FIT_PC_WLS) { /* outliers of the fit without constraints */
    weighed_rows_fold(&f->weighed, f->fit->x, huber);
    status = find_noise(f, huber);
  }
  if (status == STATUS_OK && f->fit->lambda < 0.0) {
    status = fitter_choose_lambda(f);
  }
  if (status == STATUS_OK) {
    status = fitter_solve_bodies(f);
  }
  if (status == STATUS_OK && method != FIT_PC_WLS) { /* and of the fit itself */
    weighed_rows_fold(&f->weighed, f->fit->x, huber);
    refresh_blocks(f);
    status = fitter_solve_bodies(f);
  }
  return status;
}

static enum status make(struct fitter *f, size_t last) {
  find_scales(f);
  enum status status = add_constraints(f);
  for (size_t j = 0; j < f->rows->n_channels && status == STATUS_OK; j++) {
    size_t moving = 0;
    for (size_t k = 0; k < last; k++) {
      moving += row_moves(f->rows, j, k);
    }
    status = moving >= FEWEST_ROWS ? STATUS_OK : STATUS_TOO_FEW;
  }
  if (status == STATUS_OK) {
    status = solve(f);
  }
  if (status == STATUS_OK) {
    fitter_judge(f, last);
  }
  return status;
}

enum status robot_fit_make(const struct unknowns *unknowns, const struct row_set *rows,
                           const struct base_parameters *base, const double *prior,
                           const struct fit_settings *settings, struct robot_fit *fit) {
  const size_t n = unknowns->n, last = (size_t)(settings->train_share * (double)rows->n);
  struct robot_fit made = {.n = n, .lambda = settings->lambda};
  struct fitter f = {
      .unknowns = unknowns, .rows = rows, .base = base, .settings = settings, .fit = &made};
  if (base == NULL && !is_physical(settings->method)) {
    return STATUS_BAD_ARGUMENT;
  }
  made.x = fitter_numbers(n);
  made.prior = fitter_numbers(n);
  made.sd = fitter_numbers(n);
  made.teller = calloc(n + 1, sizeof(*made.teller));
  enum status status =
      made.x != NULL && made.prior != NULL && made.sd != NULL && made.teller != NULL
          ? fitter_init(&f, last)
          : STATUS_NO_MEMORY;
  if (status == STATUS_OK) {
    memcpy(made.prior, prior, n * sizeof(double));
    status = make(&f, last);
  }
  fitter_free(&f);
  if (status == STATUS_OK) {
    *fit = made;
  } else {
    robot_fit_free(&made);
  }
  return status;
}

void robot_fit_free(struct robot_fit *fit) {
  free(fit->x);
  free(fit->prior);
  free(fit->sd);
  free(fit->teller);
  *fit = (struct robot_fit){0};
}
