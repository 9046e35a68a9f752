/* Bodies that can be and fit best: to the global optimum, or by another way that it judges. */
#include "identify/fit/robot_fitter.h"
#include "identify/sequential/sequential_fit.h"

#include <math.h>
#include <string.h>

/* Share of lambda, nats: gap of the solve; and nats per row, of which each costs about a half. */
static const double FINE_GAP = 1e-5, ROW_GAP = 1e-8;

/* What the convex cost leaves out: 1/2 |tau / noise|^2 and the pull at zero. Takes rows away. */
static enum status constant_cost(struct fitter *f, double *constant) {
  convex_clear(&f->convex);
  const enum status status = fitter_add_pull(f, f->fit->lambda, f->settings->distance);
  *constant = -convex_cost(&f->convex, f->fit->prior);
  for (size_t b = 0; b < FIT_BLOCKS; b++) {
    *constant += 0.5 * f->block[b].constant;
  }
  return status;
}

/* The same problem in a sequence of quadratic programs, from where the path begins. x: [n] */
static enum status solve_in_sequence(struct fitter *f, double *x, int *steps) {
  const enum fit_method method = f->settings->method;
  const struct sequential_settings settings = sequential_defaults(
      method == FIT_LOG_CHOLESKY ? CHART_LOG_CHOLESKY : CHART_SQRT, method == FIT_SQP_PRINTED);
  const size_t bodies = f->unknowns->bodies, first = INERTIA_PARAMETERS * bodies;
  if (f->settings->shapes != NULL) {
    return shaped_fit_sequence(&f->shaped, f->others, &settings, x, steps);
  }
  for (size_t i = 0; i < bodies; i++) {
    inertia_to(&f->start[i], x + INERTIA_PARAMETERS * i);
  }
  memcpy(x + first, f->others, (f->unknowns->n - first) * sizeof(*x));
  if (f->settings->start != NULL) {
    memcpy(x, f->settings->start, f->unknowns->n * sizeof(*x));
  }
  return sequential_solve(&f->convex, &settings, x, steps);
}

enum status fitter_solve_bodies(struct fitter *f) {
  struct robot_fit *fit = f->fit;
  struct convex_solution solution;
  double rows = 0.0, cost = 0.0, constant = 0.0;
  enum status status = fitter_set_problem(f, fit->lambda, f->settings->distance, FIT_BLOCKS);
  for (size_t j = 0; j < f->rows->n_channels; j++) {
    rows += (double)f->weighed.used[j];
  }
  f->convex.gap = fmin(FINE_GAP * fit->lambda, ROW_GAP * rows);
  if (status == STATUS_OK) {
    status = fitter_solve(f, &solution);
  }
  if (status == STATUS_OK) {
    memcpy(fit->x, solution.x, f->unknowns->n * sizeof(double));
    cost = solution.cost;
    fit->steps = solution.steps;
  }
  if (status == STATUS_OK && is_sequential(f->settings->method)) {
    status = solve_in_sequence(f, fit->x, &fit->steps);
    cost = convex_cost(&f->convex, fit->x);
  }
  if (status == STATUS_OK) {
    status = constant_cost(f, &constant);
  }
  if (status == STATUS_OK) {
    const double least = solution.cost - solution.gap;
    fit->gap = cost - least;
    fit->above = fit->gap / (least + constant);
  }
  return status;
}
