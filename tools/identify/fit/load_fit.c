#include "identify/fit/load_fit.h"

#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TEN = INERTIA_PARAMETERS, PASSES = 6, NEIGHBOURS = 50 };

/* How far the robot's bodies and drives may be from the prior, and the load from where it begins:
 * next to no pull, as shares of their size. */
static const double ROBOT_SD = 10.0, LOAD_SD = 30.0;
/* Share of a joint's torque: no drive is known better. */
static const double LEAST_NOISE = 1e-4;

/* Unknowns: the robot's bodies, the load, the drives, the gains. */
struct problem {
  const struct unknowns *u;
  const struct row_set *rows[2]; /* without, with */
  const double *prior;
  const struct load_settings *settings;
  size_t bodies, drives, joints, load, first_drive, first_gain, n;
  struct convex_fit convex;
  double *row, *x;
  double noise[MODEL_MAX_JOINTS];
};

static size_t place_of(const struct problem *p, size_t unknown) {
  return unknown < TEN * p->bodies ? unknown : unknown + TEN;
}

/* Row k of joint j in log i as Y x = z, about the x of the pass before. */
static double fill_row(const struct problem *p, int i, size_t j, size_t k) {
  const struct channel_rows *joint = &p->rows[i]->channel[j];
  const double *Y = joint->Y + k * joint->n_columns;
  double z = joint->tau[k], predicted = 0.0, load[TEN];
  inertia_to(&p->settings->load, load);
  memset(p->row, 0, p->n * sizeof(double));
  for (size_t c = 0; c < joint->n_columns; c++) {
    const size_t unknown = joint->column[c];
    p->row[place_of(p, unknown)] = Y[c];
    predicted += Y[c] * p->x[place_of(p, unknown)];
    const bool of_link =
        unknown / TEN == p->settings->link - p->u->first_link && unknown < TEN * p->bodies;
    if (i == 1 && of_link && p->settings->known) {
      z -= Y[c] * load[unknown % TEN];
      predicted += Y[c] * load[unknown % TEN];
    } else if (i == 1 && of_link) {
      p->row[p->load + unknown % TEN] = Y[c];
      predicted += Y[c] * p->x[p->load + unknown % TEN];
    }
  }
  p->row[p->first_gain + j] = predicted;
  return z;
}

static enum status add_pulls(struct problem *p) {
  enum status status = STATUS_OK;
  for (size_t i = 0; i < p->bodies && status == STATUS_OK; i++) {
    const struct inertia likely = convex_body(p->prior, i);
    status = convex_pull(&p->convex, i, &likely, ROBOT_SD);
  }
  if (status == STATUS_OK) {
    status = convex_pull(&p->convex, p->bodies, &p->settings->load, LOAD_SD);
  }
  for (size_t i = 0; i < p->drives; i++) {
    const double likely = p->prior[TEN * p->bodies + i];
    convex_pull_one(&p->convex, p->first_drive + i, likely, ROBOT_SD * (1.0 + fabs(likely)));
  }
  for (size_t j = 0; j < p->joints; j++) {
    convex_pull_one(&p->convex, p->first_gain + j, 0.0, p->settings->gain_sd);
  }
  return status;
}

static enum status set_problem(struct problem *p) {
  convex_clear(&p->convex);
  for (int i = 0; i < 2; i++) {
    for (size_t j = 0; j < p->joints; j++) {
      for (size_t k = 0; k < p->rows[i]->n; k++) {
        if (row_moves(p->rows[i], j, k)) {
          const double z = fill_row(p, i, j, k);
          convex_row(&p->convex, p->row, z, p->noise[j] * p->noise[j]);
        }
      }
    }
  }
  return add_pulls(p);
}

static double residual(const struct problem *p, int i, size_t j, size_t k) {
  double rest = fill_row(p, i, j, k);
  for (size_t c = 0; c < p->n; c++) {
    rest -= p->row[c] * p->x[c];
  }
  return rest;
}

/* Squares of one log's residuals of a joint, and how many rows in sequence say the same: one plus
 * twice their correlations, until these fade. */
static void measure_noise(const struct problem *p, int i, size_t j, double *squares,
                          double *alike) {
  double window[NEIGHBOURS] = {0.0}, product[NEIGHBOURS] = {0.0};
  *squares = 0.0;
  for (size_t k = 0; k < p->rows[i]->n; k++) {
    const double rest = row_moves(p->rows[i], j, k) ? residual(p, i, j, k) : 0.0;
    *squares += rest * rest;
    for (size_t l = 1; l < NEIGHBOURS && l <= k; l++) {
      product[l] += rest * window[(k - l) % NEIGHBOURS];
    }
    window[k % NEIGHBOURS] = rest;
  }
  *alike = 1.0;
  for (size_t l = 1; l < NEIGHBOURS && product[l] > 0.05 * *squares; l++) {
    *alike += 2.0 * product[l] / *squares;
  }
}

static void find_noise(struct problem *p, struct load_fit *fit) {
  double left = 0.0, all = 0.0;
  for (size_t j = 0; j < p->joints; j++) {
    double squares = 0.0, torque = 0.0, alike = 1.0, n = 0.0;
    for (int i = 0; i < 2; i++) {
      double part, correlated;
      measure_noise(p, i, j, &part, &correlated);
      squares += part;
      alike = fmax(alike, correlated);
      for (size_t k = 0; k < p->rows[i]->n; k++) {
        if (row_moves(p->rows[i], j, k)) {
          torque += p->rows[i]->channel[j].tau[k] * p->rows[i]->channel[j].tau[k];
          n += 1.0;
        }
      }
    }
    const double told = (double)p->n / (double)p->joints;
    p->noise[j] = sqrt(alike * fmax(squares, LEAST_NOISE * LEAST_NOISE * torque + 1e-18) /
                       fmax(n - told, 1.0));
    fit->noise[j] = p->noise[j];
    left += squares;
    all += torque;
  }
  fit->error = all > 0.0 ? sqrt(left / all) : (double)NAN;
}

/* -- what was found --------------------------------------------------------------------------- */

static double com_variance(const struct load_fit *fit, int axis, double com) {
  /* c = h / m: dc = (dh - c dm) / m */
  const double(*P)[TEN] = fit->covariance;
  return (P[1 + axis][1 + axis] - 2.0 * com * P[0][1 + axis] + com * com * P[0][0]) /
         (fit->load.m * fit->load.m);
}

static void take_deviations(struct problem *p, struct load_fit *fit) {
  const lapack_int n = (lapack_int)p->n;
  double *A = p->convex.A;
  if (LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'L', n, A, n) != 0 ||
      LAPACKE_dpotri(LAPACK_COL_MAJOR, 'L', n, A, n) != 0) {
    return;
  }
  for (size_t i = 0; i < TEN; i++) {
    for (size_t k = 0; k < TEN; k++) {
      const size_t row = p->load + (i < k ? i : k), column = p->load + (i < k ? k : i);
      fit->covariance[i][k] = A[row * p->n + column];
    }
  }
  for (size_t j = 0; j < p->joints; j++) {
    fit->gain_sd[j] = sqrt(A[(p->first_gain + j) * (p->n + 1)]);
  }
  const vec3 c = fit->com;
  fit->mass_sd = sqrt(fit->covariance[0][0]);
  fit->com_sd = (vec3){sqrt(com_variance(fit, 0, c.x)), sqrt(com_variance(fit, 1, c.y)),
                       sqrt(com_variance(fit, 2, c.z))};
}

/* The prior, where the first pass begins. */
static void unknowns_to(struct problem *p, const double *prior) {
  for (size_t i = 0; i < p->u->n; i++) {
    p->x[place_of(p, i)] = prior[i];
  }
}

static enum status solve(struct problem *p, struct load_fit *fit) {
  struct inertia start[UNKNOWN_BODIES + 1];
  struct convex_solution solution;
  enum status status = STATUS_OK;
  for (size_t i = 0; i < p->bodies; i++) {
    start[i] = convex_body(p->prior, i);
  }
  start[p->bodies] = p->settings->load;
  unknowns_to(p, p->prior);
  for (int pass = 0; pass < PASSES && status == STATUS_OK; pass++) {
    status = set_problem(p);
    if (status == STATUS_OK) {
      status = convex_solve(&p->convex, start, NULL, &solution);
    }
    if (status == STATUS_OK) {
      memcpy(p->x, solution.x, p->n * sizeof(double));
      find_noise(p, fit);
    }
  }
  if (status == STATUS_OK) {
    fit->load = p->settings->known ? p->settings->load : convex_body(p->x, p->bodies);
    fit->com = inertia_com(&fit->load);
    for (size_t j = 0; j < p->joints; j++) {
      fit->gain[j] = p->x[p->first_gain + j];
    }
    status = set_problem(p);
    take_deviations(p, fit);
  }
  return status;
}

enum status load_fit_make(const struct unknowns *unknowns, const struct row_set *without,
                          const struct row_set *with, const double *prior,
                          const struct load_settings *settings, struct load_fit *fit) {
  const size_t first = unknowns->first_link;
  if (settings->link < first || settings->link >= first + unknowns->links) {
    return STATUS_BAD_ARGUMENT;
  }
  struct problem p = {.u = unknowns,
                      .rows = {without, with},
                      .prior = prior,
                      .settings = settings,
                      .bodies = unknowns->bodies,
                      .drives = unknowns->n - TEN * unknowns->bodies,
                      .joints = without->n_channels};
  struct load_fit found = {.error = (double)NAN};
  p.load = TEN * p.bodies;
  p.first_drive = p.load + TEN;
  p.first_gain = p.first_drive + p.drives;
  p.n = p.first_gain + p.joints;
  for (size_t j = 0; j < p.joints; j++) {
    p.noise[j] = 1.0;
  }
  p.row = calloc(p.n, sizeof(double));
  p.x = calloc(p.n, sizeof(double));
  enum status status = p.row != NULL && p.x != NULL
                           ? convex_begin(&p.convex, p.bodies + 1, p.drives + p.joints)
                           : STATUS_NO_MEMORY;
  if (status == STATUS_OK) {
    status = solve(&p, &found);
  }
  convex_free(&p.convex);
  free(p.row);
  free(p.x);
  if (status == STATUS_OK) {
    *fit = found;
  }
  return status;
}
