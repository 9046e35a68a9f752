/* What the arm weighs and rubs, from a recorded motion: all seven moving bodies at once, with
 * Coulomb and viscous friction and an offset of every torque sensor, physically consistent; and how
 * its base leans.
 *
 *   tau_j = Y_j pi + (dY_j/dg pi) lean + coulomb_j slide_j + viscous_j dq_j + offset_j + residual
 *
 * Torques do not tell all seventy parameters; a weak pull to the description's bodies decides what
 * they leave open. Residuals of a real arm are friction that no model has, not white noise: each
 * row counts as 1/length of a measurement, where length is the number of samples over which the
 * joint's residual stays correlated. Variances and lengths are the residual's own, found in a few
 * passes. */
#ifndef PANDA_FIT_H
#define PANDA_FIT_H

#include "convex_fit.h"
#include "panda_recording.h"
#include "regressor.h"

enum {
  PANDA_LINKS = PANDA_JOINTS + 1,
  PANDA_FRICTION = 3, /* Coulomb, viscous, offset */
  PANDA_LEAN = 2,     /* of the upward acceleration, along the base's x and y */
  PANDA_UNKNOWNS = (CONVEX_TEN + PANDA_FRICTION) * PANDA_JOINTS + PANDA_LEAN,
  PANDA_DECIMATE = 10,
  PANDA_ROWS = PANDA_MOST / PANDA_DECIMATE + 1,
  PANDA_PASSES = 3
};

/* A residual's variance counts this much: it is what the fit could not help. */
static const double PANDA_NOISE_GAIN = 1.5;
/* A pull that is next to none. */
static const double PANDA_NO_PULL = 1e3;

/* What a fit leaves to choice. Made on this one recording; the evaluation shows what they matter.
 */
struct panda_choice {
  double cutoff_hz;    /* of filters without phase: above what moves, below the gears' ripple */
  double travel;       /* rad: in which friction builds up */
  double pull;         /* how far a body may be from the description's, as a share of its size */
  double from_s, to_s; /* s: what is fitted */
};

static inline struct panda_choice panda_choice(void) {
  return (struct panda_choice){
      .cutoff_hz = 20.0, .travel = 3e-3, .pull = 0.5, .from_s = 0.0, .to_s = HUGE_VAL};
}

struct panda_nominal {
  struct inertia body[PANDA_LINKS]; /* about the links' origins; [0] is the description's */
  vec3 up; /* m/s^2, base coordinates: what an accelerometer on the base reads */
  double coulomb[PANDA_JOINTS], viscous[PANDA_JOINTS], offset[PANDA_JOINTS];
  double residual[PANDA_JOINTS]; /* N m, root mean square: what no bodies explain */
  double length[PANDA_JOINTS];   /* s: correlation time of the residual */
  double misfit[PANDA_JOINTS];   /* N m, root mean square: what these bodies leave */
  double delay[PANDA_JOINTS];    /* s: of torques behind motion, as the misfit tells it */
  double gap;                    /* nats: certificate of the last pass */
};

struct panda_rows {
  size_t n;                                           /* instants, every PANDA_DECIMATE-th */
  double Y[PANDA_ROWS][PANDA_JOINTS][PANDA_UNKNOWNS]; /* N m per unit of every unknown */
  double tau[PANDA_ROWS][PANDA_JOINTS];
};

/* The arm's algorithms over one block of memory. */
struct panda_arm {
  struct kinematics kin;
  struct regressor regressor;
  void *memory;
};

static inline enum status panda_arm_init(const struct robot *robot, struct panda_arm *arm) {
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

/* The kinematics of one instant, the base at rest. */
static inline enum status panda_move(struct kinematics *kin, const struct panda_instant *at,
                                     vec3 up) {
  const struct robot_motion motion = {.base = {.X_WB = POSE_IDENTITY, .a_B = {.lin = up}},
                                      .q = at->q,
                                      .dq = at->dq,
                                      .ddq = at->ddq};
  return kinematics_update(kin, &motion);
}

/* Torques of all seven bodies pi under `up`, and their rows in Y where it is not NULL. */
static inline enum status panda_torques(struct panda_arm *arm, const struct panda_instant *at,
                                        vec3 up, const double *pi, double tau[PANDA_JOINTS],
                                        double (*Y)[PANDA_UNKNOWNS]) {
  const size_t columns = (size_t)CONVEX_TEN * PANDA_JOINTS;
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
static inline enum status panda_columns(struct panda_arm *arm, const struct panda_instant *at,
                                        const struct panda_nominal *so_far,
                                        double (*Y)[PANDA_UNKNOWNS]) {
  double pi[CONVEX_TEN * PANDA_JOINTS], level[PANDA_JOINTS], x[PANDA_JOINTS], y[PANDA_JOINTS];
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
    double *friction = Y[j] + (size_t)CONVEX_TEN * PANDA_JOINTS + PANDA_FRICTION * j;
    friction[0] = at->slide[j];
    friction[1] = at->dq[j];
    friction[2] = 1.0;
    Y[j][PANDA_UNKNOWNS - 2] = x[j] - level[j];
    Y[j][PANDA_UNKNOWNS - 1] = y[j] - level[j];
  }
  return status;
}

/* Rows of all joints at every tenth valid instant of the chosen time, about a fit so far. */
static inline enum status panda_collect(const struct robot *robot,
                                        const struct panda_motion *motion,
                                        const struct panda_choice *choice,
                                        const struct panda_nominal *so_far,
                                        struct panda_rows *rows) {
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

/* What is left of one joint's torques. */
struct panda_rest {
  double rms;    /* N m */
  double length; /* s: the sum of its correlations up to where they vanish */
  double delay;  /* s: by how much torques come after the motion (misalignment.h says why) */
};

static inline struct panda_rest panda_rest(const struct panda_rows *rows, const double *x,
                                           size_t j) {
  static double rest[PANDA_ROWS];
  const double step = PANDA_DECIMATE * PANDA_PERIOD;
  double squares = 0.0, across = 0.0, along = 0.0;
  for (size_t k = 0; k < rows->n; k++) {
    rest[k] = rows->tau[k][j];
    for (size_t i = 0; i < PANDA_UNKNOWNS; i++) {
      rest[k] -= rows->Y[k][j][i] * x[i];
    }
    squares += rest[k] * rest[k];
  }
  for (size_t k = 1; k + 1 < rows->n; k++) {
    const double slope = (rows->tau[k + 1][j] - rows->tau[k - 1][j]) / (2.0 * step);
    across -= rest[k] * slope;
    along += slope * slope;
  }
  double sum = 1.0, correlation = 1.0;
  for (size_t lag = 1; lag < rows->n / 4 && correlation > 0.05; lag++) {
    correlation = 0.0;
    for (size_t k = lag; k < rows->n; k++) {
      correlation += rest[k] * rest[k - lag] / squares;
    }
    sum += 2.0 * fmax(correlation, 0.0);
  }
  return (struct panda_rest){sqrt(squares / (double)rows->n), sum * step, across / along};
}

/* The mean correlation time, s. One for all joints: with a joint's own, a misfit that lasts would
 * take the joint's weight away and so grow. */
static inline double panda_length(const struct panda_nominal *noise) {
  double sum = 0.0;
  for (size_t j = 0; j < PANDA_JOINTS; j++) {
    sum += noise->length[j];
  }
  return sum / PANDA_JOINTS;
}

/* Normal equations of all rows, each weighed by its joint's noise. */
static inline enum status panda_equations(const struct robot *robot, const struct panda_rows *rows,
                                          const struct panda_nominal *noise, double pull,
                                          struct convex_fit *fit) {
  convex_begin(fit, PANDA_JOINTS, PANDA_UNKNOWNS - CONVEX_TEN * PANDA_JOINTS);
  for (size_t i = 0; i < PANDA_JOINTS; i++) {
    const enum status status = convex_pull(fit, i, &robot->model.inertia[i + 1], pull);
    if (status != STATUS_OK) {
      return status;
    }
  }
  const double samples = panda_length(noise) / (PANDA_DECIMATE * PANDA_PERIOD);
  for (size_t j = 0; j < PANDA_JOINTS; j++) {
    const double variance = PANDA_NOISE_GAIN * noise->residual[j] * noise->residual[j] * samples;
    for (size_t k = 0; k < rows->n; k++) {
      convex_row(fit, rows->Y[k][j], rows->tau[k][j], variance);
    }
  }
  return STATUS_OK;
}

/* Noise of each joint: what even bodies that cannot be leave over. */
static inline enum status panda_noise(const struct robot *robot, const struct panda_rows *rows,
                                      struct convex_fit *fit, struct panda_nominal *out) {
  double x[CONVEX_MOST];
  for (size_t j = 0; j < PANDA_JOINTS; j++) {
    out->residual[j] = 0.1; /* N m, s: of the first pass */
    out->length[j] = 0.1;
  }
  for (int pass = 0; pass < PANDA_PASSES; pass++) {
    enum status status = panda_equations(robot, rows, out, PANDA_NO_PULL, fit);
    if (status == STATUS_OK) {
      status = convex_unconstrained(fit, x);
    }
    if (status != STATUS_OK) {
      return status;
    }
    for (size_t j = 0; j < PANDA_JOINTS; j++) {
      const struct panda_rest rest = panda_rest(rows, x, j);
      out->residual[j] = rest.rms;
      out->length[j] = rest.length;
    }
  }
  return STATUS_OK;
}

/* One fit to rows that were collected about `out`, which becomes better. */
static inline enum status panda_improve(const struct robot *robot, const struct panda_rows *rows,
                                        double pull, struct panda_nominal *out) {
  static struct convex_fit fit;
  static struct convex_solution solution;
  enum status status = panda_noise(robot, rows, &fit, out);
  if (status == STATUS_OK) {
    status = panda_equations(robot, rows, out, pull, &fit);
  }
  if (status == STATUS_OK) {
    status = convex_solve(&fit, robot->model.inertia + 1, &solution);
  }
  if (status != STATUS_OK) {
    return status;
  }
  for (size_t j = 0; j < PANDA_JOINTS; j++) {
    const double *friction = solution.x + (size_t)CONVEX_TEN * PANDA_JOINTS + PANDA_FRICTION * j;
    const struct panda_rest rest = panda_rest(rows, solution.x, j);
    out->body[j + 1] = convex_body(solution.x, j);
    out->coulomb[j] = friction[0];
    out->viscous[j] = friction[1];
    out->offset[j] = friction[2];
    out->misfit[j] = rest.rms;
    out->delay[j] = rest.delay;
  }
  out->up.x += solution.x[PANDA_UNKNOWNS - 2];
  out->up.y += solution.x[PANDA_UNKNOWNS - 1];
  out->gap = solution.gap;
  return STATUS_OK;
}

/* Fits bodies, friction and lean. Statuses of convex_solve. */
static inline enum status panda_fit(const struct robot *robot, const struct panda_motion *motion,
                                    const struct panda_choice *choice, struct panda_nominal *out) {
  static struct panda_rows rows;
  memset(out, 0, sizeof(*out));
  memcpy(out->body, robot->model.inertia, sizeof(out->body));
  out->up = (vec3){0.0, 0.0, STANDARD_GRAVITY};
  enum status status = STATUS_OK;
  for (int pass = 0; pass < PANDA_PASSES && status == STATUS_OK; pass++) {
    status = panda_collect(robot, motion, choice, out, &rows);
    if (status == STATUS_OK) {
      status = panda_improve(robot, &rows, choice->pull, out);
    }
  }
  return status;
}

/* A recorded instant's torques as the model has them: sensors' offsets taken off, and friction in
 * the model's form, at once in full where it has only begun to build up. */
static inline void panda_tau(const struct panda_nominal *nominal, const struct panda_instant *at,
                             double tau[PANDA_JOINTS]) {
  for (size_t j = 0; j < PANDA_JOINTS; j++) {
    const double early = coulomb_share(at->dq[j]) - at->slide[j];
    tau[j] = at->tau[j] - nominal->offset[j] + nominal->coulomb[j] * early;
  }
}

#endif
