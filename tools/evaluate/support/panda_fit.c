#include "support/panda_fit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A residual's variance counts this much: it is what the fit could not help. */
static const double PANDA_NOISE_GAIN = 1.5;
/* A pull that is next to none. */
static const double PANDA_NO_PULL = 1e3;
/* Unknowns that torques tell, per joint: 43 combinations of the bodies' parameters, each joint's
 * own but its gain, the lean. A residual has that many spans less to show its scatter. */
static const double PANDA_TOLD =
    (43.0 + (PANDA_OWN - 1) * PANDA_JOINTS + PANDA_LEAN) / PANDA_JOINTS;

struct panda_choice panda_choice(void) {
  return (struct panda_choice){.cutoff_hz = 20.0,
                               .travel = {2e-3, 0.3},
                               .pull = 0.5,
                               .gain = 0.05,
                               .from_s = 0.0,
                               .to_s = HUGE_VAL};
}

static enum status panda_arm_init(const struct robot *robot, struct panda_arm *arm) {
  static const size_t link[PANDA_JOINTS] = {1, 2, 3, 4, 5, 6, 7};
  struct arena arena = {0};
  for (int pass = 0; pass < 2; pass++) {
    enum status status = kinematics_init(&arm->kin, &robot->model, &arena);
    if (status == STATUS_OK) {
      status = regressor_init(&arm->regressor, &robot->model, link, PANDA_JOINTS, &arena);
    }
    if (status != STATUS_OK) {
      return status;
    }
    if (pass == 0) {
      arm->memory = aligned_alloc(ARENA_ALIGN, arena.used);
      arena = arena_over(arm->memory, arena.used);
    }
  }
  return STATUS_OK;
}

enum status panda_move(struct kinematics *kin, const struct panda_instant *at, vec3 up) {
  const struct robot_motion motion = {.base = {.X_WB = POSE_IDENTITY, .a_B = {.lin = up}},
                                      .q = at->q,
                                      .dq = at->dq,
                                      .ddq = at->ddq};
  return kinematics_update(kin, &motion);
}

/* Torques of all seven bodies pi under `up`, and their rows in Y where it is not NULL. */
static enum status panda_torques(struct panda_arm *arm, const struct panda_instant *at, vec3 up,
                                 const double *pi, double tau[PANDA_JOINTS],
                                 double (*Y)[PANDA_UNKNOWNS]) {
  const size_t columns = (size_t)PANDA_COLUMNS;
  enum status status = panda_move(&arm->kin, at, up);
  if (status == STATUS_OK) {
    status = regressor_step(&arm->regressor, &arm->kin);
  }
  for (size_t j = 0; status == STATUS_OK && j < PANDA_JOINTS; j++) {
    const double *row = arm->regressor.Y + (6 + j) * columns;
    tau[j] = 0.0;
    for (size_t i = 0; i < columns; i++) {
      tau[j] += row[i] * pi[i];
    }
    if (Y != NULL) {
      memcpy(Y[j], row, columns * sizeof(*row));
    }
  }
  return status;
}

/* All columns of one instant. Torques are linear in `up`, so a difference is the derivative. */
static enum status panda_columns(struct panda_arm *arm, const struct panda_instant *at,
                                 const struct panda_nominal *so_far, double (*Y)[PANDA_UNKNOWNS]) {
  double pi[PANDA_COLUMNS], level[PANDA_JOINTS], x[PANDA_JOINTS], y[PANDA_JOINTS];
  const vec3 up = so_far->up;
  for (size_t j = 0; j < PANDA_JOINTS; j++) {
    inertia_to(&so_far->body[j + 1], pi + CONVEX_TEN * j);
  }
  enum status status = panda_torques(arm, at, (vec3){up.x + 1.0, up.y, up.z}, pi, x, NULL);
  if (status == STATUS_OK) {
    status = panda_torques(arm, at, (vec3){up.x, up.y + 1.0, up.z}, pi, y, NULL);
  }
  if (status == STATUS_OK) {
    status = panda_torques(arm, at, up, pi, level, Y);
  }
  for (size_t j = 0; j < PANDA_JOINTS; j++) {
    double *own = Y[j] + PANDA_COLUMNS + PANDA_OWN * j;
    for (size_t i = 0; i < PANDA_SLIDERS; i++) {
      own[i] = at->slide[i][j];
    }
    own[PANDA_SLIDERS] = at->dq[j];
    own[PANDA_SLIDERS + 1] = at->q[j];
    own[PANDA_SLIDERS + 2] = 1.0;
    own[PANDA_SLIDERS + 3] = level[j];
    Y[j][PANDA_UNKNOWNS - 2] = x[j] - level[j];
    Y[j][PANDA_UNKNOWNS - 1] = y[j] - level[j];
  }
  return status;
}

/* Rows of all joints at every tenth valid instant of the chosen time, about a fit so far. */
static enum status panda_collect(const struct robot *robot, const struct panda_motion *motion,
                                 const struct panda_choice *choice,
                                 const struct panda_nominal *so_far, struct panda_rows *rows) {
  struct panda_arm arm;
  enum status status = panda_arm_init(robot, &arm);
  memset(rows, 0, sizeof(*rows));
  for (size_t k = 0; status == STATUS_OK && k < motion->n; k += PANDA_DECIMATE) {
    const struct panda_instant *at = &motion->at[k];
    if (at->valid && at->t >= choice->from_s && at->t < choice->to_s) {
      status = panda_columns(&arm, at, so_far, rows->Y[rows->n]);
      memcpy(rows->tau[rows->n++], at->tau, sizeof(at->tau));
    }
  }
  free(arm.memory);
  return status;
}

static struct panda_rest panda_rest(const struct panda_rows *rows, const double *x, size_t j) {
  static double rest[PANDA_ROWS];
  const double step = PANDA_DECIMATE * PANDA_PERIOD;
  const size_t span = (size_t)lround(PANDA_SPAN / step), spans = rows->n / span;
  double squares = 0.0, of_means = 0.0, across = 0.0, along = 0.0;
  for (size_t k = 0; k < rows->n; k++) {
    rest[k] = rows->tau[k][j];
    for (size_t i = 0; i < PANDA_UNKNOWNS; i++) {
      rest[k] -= rows->Y[k][j][i] * x[i];
    }
    squares += rest[k] * rest[k];
  }
  for (size_t k = 0; k < spans; k++) {
    double mean = 0.0;
    for (size_t i = 0; i < span; i++) {
      mean += rest[k * span + i] / (double)span;
    }
    of_means += mean * mean;
  }
  for (size_t k = 1; k + 1 < rows->n; k++) {
    const double slope = (rows->tau[k + 1][j] - rows->tau[k - 1][j]) / (2.0 * step);
    across -= rest[k] * slope;
    along += slope * slope;
  }
  return (struct panda_rest){sqrt(squares / (double)rows->n),
                             sqrt(of_means / fmax(1.0, (double)spans - PANDA_TOLD)),
                             across / along};
}

/* Noise of means over `span` s where scatter is that over PANDA_SPAN, N m. */
static double panda_noise_of(double scatter, double span) {
  return scatter * sqrt(PANDA_NOISE_GAIN * PANDA_SPAN / span);
}

double panda_noise_over(const struct panda_nominal *nominal, double span) {
  double squares = 0.0;
  for (size_t j = 0; j < PANDA_JOINTS; j++) {
    squares += nominal->scatter[j] * nominal->scatter[j] / PANDA_JOINTS;
  }
  return panda_noise_of(sqrt(squares), span);
}

/* Normal equations of all rows, each weighed by its joint's noise. */
static enum status panda_equations(const struct robot *robot, const struct panda_rows *rows,
                                   const struct panda_nominal *noise, double pull, double gain_sd,
                                   struct convex_fit *fit) {
  convex_clear(fit);
  for (size_t i = 0; i < PANDA_JOINTS; i++) {
    const enum status status = convex_pull(fit, i, &robot->model.inertia[i + 1], pull);
    if (status != STATUS_OK) {
      return status;
    }
  }
  for (size_t j = 0; j < PANDA_JOINTS; j++) {
    const double sd = panda_noise_of(noise->scatter[j], PANDA_DECIMATE * PANDA_PERIOD);
    double gain[PANDA_UNKNOWNS] = {0.0};
    for (size_t k = 0; k < rows->n; k++) {
      convex_row(fit, rows->Y[k][j], rows->tau[k][j], sd * sd);
    }
    gain[PANDA_COLUMNS + PANDA_OWN * j + PANDA_SLIDERS + 3] = 1.0;
    convex_row(fit, gain, 0.0, gain_sd * gain_sd);
  }
  return STATUS_OK;
}

/* Noise of each joint: what even bodies that cannot be leave over. */
static enum status panda_noise(const struct robot *robot, const struct panda_rows *rows,
                               const struct panda_choice *choice, struct convex_fit *fit,
                               struct panda_nominal *out) {
  double x[PANDA_UNKNOWNS];
  for (size_t j = 0; j < PANDA_JOINTS; j++) {
    out->scatter[j] = 0.05; /* N m: of the first pass */
  }
  for (int pass = 0; pass < PANDA_PASSES; pass++) {
    enum status status = panda_equations(robot, rows, out, PANDA_NO_PULL, choice->gain, fit);
    if (status == STATUS_OK) {
      status = convex_unconstrained(fit, x);
    }
    if (status != STATUS_OK) {
      return status;
    }
    for (size_t j = 0; j < PANDA_JOINTS; j++) {
      out->scatter[j] = panda_rest(rows, x, j).scatter;
    }
  }
  return STATUS_OK;
}

/* One fit to rows that were collected about `out`, which becomes better. */
static enum status panda_improve(const struct robot *robot, const struct panda_rows *rows,
                                 const struct panda_choice *choice, struct convex_fit *fit,
                                 struct panda_nominal *out) {
  struct convex_solution solution;
  enum status status = panda_noise(robot, rows, choice, fit, out);
  if (status == STATUS_OK) {
    status = panda_equations(robot, rows, out, choice->pull, choice->gain, fit);
  }
  if (status == STATUS_OK) {
    status = convex_solve(fit, robot->model.inertia + 1, NULL, &solution);
  }
  if (status != STATUS_OK) {
    return status;
  }
  for (size_t j = 0; j < PANDA_JOINTS; j++) {
    const double *own = solution.x + PANDA_COLUMNS + PANDA_OWN * j;
    const struct panda_rest rest = panda_rest(rows, solution.x, j);
    out->body[j + 1] = convex_body(solution.x, j);
    for (size_t i = 0; i < PANDA_SLIDERS; i++) {
      out->coulomb[i][j] = own[i];
    }
    out->viscous[j] = own[PANDA_SLIDERS];
    out->stiffness[j] = own[PANDA_SLIDERS + 1];
    out->zero[j] = own[PANDA_SLIDERS + 2];
    out->gain[j] = own[PANDA_SLIDERS + 3];
    out->misfit[j] = rest.rms;
    out->delay[j] = rest.delay;
  }
  out->up.x += solution.x[PANDA_UNKNOWNS - 2];
  out->up.y += solution.x[PANDA_UNKNOWNS - 1];
  out->gap = solution.gap;
  return STATUS_OK;
}

enum status panda_fit(const struct robot *robot, const struct panda_motion *motion,
                      const struct panda_choice *choice, struct panda_nominal *out) {
  static struct panda_rows rows;
  memset(out, 0, sizeof(*out));
  memcpy(out->body, robot->model.inertia, sizeof(out->body));
  out->up = (vec3){0.0, 0.0, STANDARD_GRAVITY};
  struct convex_fit fit;
  enum status status = convex_begin(&fit, PANDA_JOINTS, PANDA_UNKNOWNS - PANDA_COLUMNS);
  for (int pass = 0; pass < PANDA_PASSES && status == STATUS_OK; pass++) {
    status = panda_collect(robot, motion, choice, out, &rows);
    if (status == STATUS_OK) {
      status = panda_improve(robot, &rows, choice, &fit, out);
    }
  }
  convex_free(&fit);
  return status;
}

double panda_coulomb(const struct panda_nominal *nominal, size_t j) {
  double sum = 0.0;
  for (size_t i = 0; i < PANDA_SLIDERS; i++) {
    sum += nominal->coulomb[i][j];
  }
  return sum;
}

void panda_tau(const struct panda_nominal *nominal, const struct panda_instant *at,
               double tau[PANDA_JOINTS]) {
  for (size_t j = 0; j < PANDA_JOINTS; j++) {
    double rigid = at->tau[j] - nominal->zero[j] - nominal->viscous[j] * at->dq[j] -
                   nominal->stiffness[j] * at->q[j];
    for (size_t i = 0; i < PANDA_SLIDERS; i++) {
      rigid -= nominal->coulomb[i][j] * at->slide[i][j];
    }
    tau[j] = rigid / (1.0 + nominal->gain[j]) + nominal->viscous[j] * at->dq[j] +
             panda_coulomb(nominal, j) * coulomb_share(at->dq[j]);
  }
}
