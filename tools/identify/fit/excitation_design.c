#include "identify/fit/excitation_design.h"

#include "body/rnea.h"
#include "identify/fit/triangle.h"

#include <lapacke.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Of the motion that is judged while searching; of the one whose limits are looked at. */
static const double COARSE = 0.05, FINE = 1e-3; /* s */
/* rad/s; rad: where the description has no limit. */
static const double FREE_SPEED = 3.0, FREE_REACH = 1.5;
/* Torques above their limit, or something in the way, make the motion smaller by this. */
static const double SHRINK = 0.9;
/* s: between postures that are looked at while searching; m: what they keep beside the margin. */
static const double LOOK = 0.02, BESIDE = 0.005;
/* Least share of its range that a changed joint is tried with where something may be in the way. */
static const double SMALLEST = 0.2;
enum { POSTURES = 2000 /* drawn to find one that is clear */ };

struct design_settings design_defaults(void) {
  return (struct design_settings){.period = 10.0,
                                  .acceleration = 20.0,
                                  .share = 0.9,
                                  .torque_noise = 0.01,
                                  .seconds = 20.0,
                                  .seed = 1};
}

struct designer {
  const struct unknowns *u;
  const struct base_parameters *base;
  const struct design_settings *settings;
  vec3 up;
  uint64_t random;
  double noise[MODEL_MAX_JOINTS]; /* N m (N) */
  double home[MODEL_MAX_JOINTS];  /* a posture that is clear: smaller motions come near it */
  double *A, *b, *W;              /* [n][n], [n], [n_base][n_base] */
  struct triangle triangle[MODEL_MAX_JOINTS];
  struct kinematics kin; /* of the robot as it is known */
  struct rnea rnea;
  void *memory;
};

/* Uniform in [-1, 1]. */
static double draw(struct designer *d) {
  d->random = d->random * 6364136223846793005ULL + 1442695040888963407ULL;
  return (double)(int32_t)(d->random >> 32) / 2147483648.0;
}

void excitation_design_at(const struct excitation_design *design, size_t j, double t, double *q,
                          double *dq, double *ddq) {
  const double w = 2.0 * M_PI / design->period;
  *q = design->centre[j];
  *dq = *ddq = 0.0;
  for (int h = 0; h < DESIGN_HARMONICS; h++) {
    const double f = w * (h + 1), s = sin(f * t), c = cos(f * t);
    const double a = design->a[j][h], b = design->b[j][h];
    *q += a * s + b * c;
    *dq += f * (a * c - b * s);
    *ddq -= f * f * (a * s + b * c);
  }
}

/* --- limits --- */

/* The first harmonics take what the others leave of velocity and acceleration at the ends. */
static void rest_at_ends(struct excitation_design *design, size_t j) {
  design->a[j][0] = design->b[j][0] = 0.0;
  for (int h = 1; h < DESIGN_HARMONICS; h++) {
    design->a[j][0] -= (h + 1) * design->a[j][h];
    design->b[j][0] -= (h + 1) * (h + 1) * design->b[j][h];
  }
}

static void scale_joint(struct excitation_design *design, size_t j, double scale) {
  for (int h = 0; h < DESIGN_HARMONICS; h++) {
    design->a[j][h] *= scale;
    design->b[j][h] *= scale;
  }
}

/* The same for where it lies: between it and home. Limits that held still do. */
static void shrink_joint(const struct designer *d, struct excitation_design *design, size_t j,
                         double scale) {
  scale_joint(design, j, scale);
  design->centre[j] = d->home[j] + scale * (design->centre[j] - d->home[j]);
}

static void shrink(const struct designer *d, struct excitation_design *design) {
  for (size_t j = 0; j < design->n_joints; j++) {
    shrink_joint(d, design, j, SHRINK);
  }
}

/* Nothing is nearer than the margin and `beside`, looked at every dt. */
static bool is_clear(const struct designer *d, const struct excitation_design *design, double dt,
                     double beside) {
  if (d->settings->clearance == NULL) {
    return true;
  }
  for (size_t k = 0; k <= (size_t)lround(design->period / dt); k++) {
    double q[MODEL_MAX_JOINTS], dq, ddq;
    for (size_t j = 0; j < design->n_joints; j++) {
      excitation_design_at(design, j, dt * (double)k, &q[j], &dq, &ddq);
    }
    if (clearance_at(d->settings->clearance, q) < beside) {
      return false;
    }
  }
  return true;
}

/* The middle of all ranges, else where joints are at zero, else one that is drawn. */
static bool find_home(struct designer *d) {
  const struct model *model = d->u->model;
  struct clearance *clearance = d->settings->clearance;
  for (int i = 0; i < POSTURES; i++) {
    for (size_t j = 0; j < model->n_joints; j++) {
      const struct joint *joint = &model->joint[j];
      const bool limited = isfinite(joint->q_min) && isfinite(joint->q_max);
      const double middle = limited ? 0.5 * (joint->q_min + joint->q_max) : 0.0;
      const double reach = limited ? 0.5 * (joint->q_max - joint->q_min) : FREE_REACH;
      d->home[j] = middle + (i > 1 ? d->settings->share * reach * draw(d) : 0.0);
    }
    if (i == 1) {
      clearance_neutral(model, d->home);
    }
    if (clearance == NULL || clearance_at(clearance, d->home) > BESIDE) {
      return true;
    }
  }
  return false;
}

/* Makes joint j as large as position, velocity and acceleration allow, its middle in the middle of
 * its range. */
static void fill_range(const struct designer *d, struct excitation_design *design, size_t j) {
  const struct joint *joint = &d->u->model->joint[j];
  const bool limited = isfinite(joint->q_min) && isfinite(joint->q_max);
  const double middle = limited ? 0.5 * (joint->q_min + joint->q_max) : 0.0;
  const double reach = limited ? 0.5 * (joint->q_max - joint->q_min) : FREE_REACH;
  const double speed = isfinite(joint->dq_max) ? joint->dq_max : FREE_SPEED;
  double low = HUGE_VAL, high = -HUGE_VAL, fastest = 1e-12, hardest = 1e-12;
  design->centre[j] = 0.0;
  for (double t = 0.0; t < design->period; t += 0.02) {
    double q, dq, ddq;
    excitation_design_at(design, j, t, &q, &dq, &ddq);
    low = fmin(low, q);
    high = fmax(high, q);
    fastest = fmax(fastest, fabs(dq));
    hardest = fmax(hardest, fabs(ddq));
  }
  const double half = fmax(0.5 * (high - low), 1e-12), share = d->settings->share;
  const double most =
      fmin(fmin(share * fmin(reach, 2.0 * FREE_REACH) / half, share * speed / fastest),
           d->settings->acceleration / hardest);
  scale_joint(design, j, 0.99 * most); /* between samples it goes a little beyond */
  design->centre[j] = middle - 0.5 * (high + low) * 0.99 * most;
}

/* --- information --- */

static struct log_motion motion_of(const struct designer *d, const struct excitation_design *design,
                                   double dt) {
  const size_t joints = d->u->model->n_joints, n = (size_t)(design->period / dt) + 2;
  struct log_motion m = {.n_joints = joints, .n = n, .dt = dt, .cutoff_hz = 0.5 / dt};
  m.q = calloc(n * joints, sizeof(double));
  m.dq = calloc(n * joints, sizeof(double));
  m.ddq = calloc(n * joints, sizeof(double));
  m.tau = calloc(n * joints, sizeof(double));
  if (m.q == NULL || m.dq == NULL || m.ddq == NULL || m.tau == NULL) {
    log_motion_free(&m);
    return m;
  }
  for (size_t k = 0; k < n; k++) {
    for (size_t j = 0; j < joints; j++) {
      const size_t at = k * joints + j;
      excitation_design_at(design, j, dt * (double)k, &m.q[at], &m.dq[at], &m.ddq[at]);
    }
  }
  return m;
}

static bool rows_of(const struct designer *d, const struct excitation_design *design, double dt,
                    struct row_set *rows) {
  const struct row_settings every = {.rate_hz = 1.0 / dt};
  struct log_motion motion = motion_of(d, design, dt);
  const bool made = motion.n > 0 && row_set_make(d->u, &motion, d->up, &every, rows) == STATUS_OK;
  log_motion_free(&motion);
  return made;
}

/* The greatest share of its limit that a torque takes; x: the robot as it is known. */
static double torque_share(const struct designer *d, const struct row_set *rows, const double *x) {
  double most = 0.0;
  for (size_t j = 0; j < rows->n_channels; j++) {
    const double limit = d->u->model->joint[j].tau_max;
    for (size_t k = 0; k < rows->n && isfinite(limit); k++) {
      most = fmax(most, fabs(row_residual(&rows->channel[j], k, x)) / limit);
    }
  }
  return most;
}

/* The same at every dt, from inverse dynamics alone: many instants, no regressor. */
static double torque_share_at(struct designer *d, const struct excitation_design *design,
                              double dt) {
  const struct model *model = d->u->model;
  double most = 0.0;
  for (size_t k = 0; k <= (size_t)lround(design->period / dt); k++) {
    double q[MODEL_MAX_JOINTS], dq[MODEL_MAX_JOINTS], ddq[MODEL_MAX_JOINTS], tau[MODEL_MAX_JOINTS];
    for (size_t j = 0; j < model->n_joints; j++) {
      excitation_design_at(design, j, dt * (double)k, &q[j], &dq[j], &ddq[j]);
    }
    const struct robot_motion at = {
        .base = {.X_WB = POSE_IDENTITY, .a_B = {.lin = d->up}}, .q = q, .dq = dq, .ddq = ddq};
    if (kinematics_update(&d->kin, &at) != STATUS_OK ||
        rnea_step(&d->rnea, &d->kin, model->inertia, NULL, WITH_DRIVES, NULL, tau) != STATUS_OK) {
      return HUGE_VAL;
    }
    for (size_t j = 0; j < model->n_joints; j++) {
      most = fmax(most, fabs(tau[j]) / model->joint[j].tau_max);
    }
  }
  return most;
}

static enum status dynamics_make(struct designer *d) {
  struct arena arena = {0};
  enum status status = STATUS_OK;
  for (int pass = 0; pass < 2 && status == STATUS_OK; pass++) {
    status = kinematics_init(&d->kin, d->u->model, &arena);
    status = status == STATUS_OK ? rnea_init(&d->rnea, d->u->model, &arena) : status;
    if (status == STATUS_OK && pass == 0) {
      d->memory = aligned_alloc(ARENA_ALIGN, arena.used);
      arena = arena_over(d->memory, arena.used);
      status = d->memory != NULL ? STATUS_OK : STATUS_NO_MEMORY;
    }
  }
  return status;
}

/* log det of the base parameters' information in W (its Cholesky factor afterwards). -infinity:
 * some are not told. */
static double information(struct designer *d, const struct row_set *rows) {
  const size_t n = d->u->n, n_base = d->base->n_base;
  double nothing = 0.0, sum = 0.0;
  memset(d->A, 0, n * n * sizeof(double));
  for (size_t j = 0; j < rows->n_channels; j++) {
    const struct channel_rows *joint = &rows->channel[j];
    triangle_clear(&d->triangle[j]);
    for (size_t k = 0; k < rows->n; k++) {
      triangle_row(&d->triangle[j], joint->Y + k * joint->n_columns, 0.0, 1.0 / d->noise[j]);
    }
    triangle_add_to(&d->triangle[j], 1.0, joint->column, n, d->A, d->b, &nothing);
  }
  for (size_t i = 0; i < n_base; i++) {
    for (size_t k = 0; k < n_base; k++) {
      d->W[i * n_base + k] = d->A[d->base->order[i] * n + d->base->order[k]];
    }
  }
  if (LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', (lapack_int)n_base, d->W, (lapack_int)n_base) !=
      0) {
    return -HUGE_VAL;
  }
  for (size_t i = 0; i < n_base; i++) {
    sum += 2.0 * log(d->W[i * n_base + i]);
  }
  return sum;
}

/* Information of a motion that keeps every limit; -infinity otherwise. */
static double judge(struct designer *d, const struct excitation_design *design, const double *x) {
  struct row_set rows;
  if (!is_clear(d, design, LOOK, BESIDE) || !rows_of(d, design, COARSE, &rows)) {
    return -HUGE_VAL;
  }
  const double value =
      torque_share(d, &rows, x) <= d->settings->share ? information(d, &rows) : -HUGE_VAL;
  row_set_free(&rows);
  return value;
}

/* --- search --- */

static void draw_joint(struct designer *d, struct excitation_design *design, size_t j) {
  for (int h = 1; h < DESIGN_HARMONICS; h++) {
    design->a[j][h] = draw(d) / (h + 1);
    design->b[j][h] = draw(d) / ((h + 1) * (h + 1));
  }
  rest_at_ends(design, j);
  fill_range(d, design, j);
}

/* A random motion, made smaller until its torques are allowed. */
static double draw_design(struct designer *d, struct excitation_design *design, const double *x) {
  for (size_t j = 0; j < design->n_joints; j++) {
    draw_joint(d, design, j);
  }
  double value = judge(d, design, x);
  for (int i = 0; i < 40 && !isfinite(value); i++) {
    shrink(d, design);
    value = judge(d, design, x);
  }
  return value;
}

/* Changes one joint a little, or draws it anew; keeps it when that tells more. */
static void improve(struct designer *d, struct excitation_design *best, const double *x) {
  struct excitation_design next = *best;
  const size_t j = (size_t)((0.5 + 0.5 * draw(d)) * 0.999999 * (double)best->n_joints);
  const double size = pow(10.0, 1.5 * draw(d) - 1.0);
  double largest = 1e-3;
  for (int h = 1; h < DESIGN_HARMONICS; h++) {
    largest =
        fmax(largest, fmax(fabs(next.a[j][h]) * (h + 1), fabs(next.b[j][h]) * (h + 1) * (h + 1)));
  }
  for (int h = 1; h < DESIGN_HARMONICS; h++) {
    next.a[j][h] += size * largest * draw(d) / (h + 1);
    next.b[j][h] += size * largest * draw(d) / ((h + 1) * (h + 1));
  }
  rest_at_ends(&next, j);
  fill_range(d, &next, j);
  scale_joint(&next, j, draw(d) > 0.0 ? 1.0 : 0.75 + 0.25 * draw(d));
  if (d->settings->clearance != NULL && draw(d) > 0.0) { /* beside what is in the way */
    shrink_joint(d, &next, j, fmin(1.0, SMALLEST + fabs(draw(d))));
  }
  const double value = judge(d, &next, x);
  best->tried++;
  next.tried = best->tried;
  if (value > best->information) {
    next.information = value;
    *best = next;
  }
}

/* Every limit at every millisecond: smaller until they hold. */
static bool settle(struct designer *d, struct excitation_design *design) {
  for (int i = 0; i < 40; i++) {
    if (torque_share_at(d, design, FINE) <= 1.0 && is_clear(d, design, FINE, 0.0)) {
      return true;
    }
    shrink(d, design);
  }
  return false;
}

/* Deviations, condition and (154) of the final motion. */
static void describe(struct designer *d, struct excitation_design *design, double *sd) {
  const size_t n = d->base->n_base;
  struct row_set rows;
  double *value = calloc(n, sizeof(double));
  if (value == NULL || !rows_of(d, design, COARSE, &rows)) {
    free(value);
    return;
  }
  design->information = information(d, &rows);
  row_set_free(&rows);
  for (size_t i = 0; i < n; i++) {
    for (size_t k = 0; k < n; k++) {
      d->W[i * n + k] = d->A[d->base->order[i] * d->u->n + d->base->order[k]];
    }
  }
  double *copy = malloc(n * n * sizeof(double));
  if (copy != NULL) {
    memcpy(copy, d->W, n * n * sizeof(double));
    LAPACKE_dsyev(LAPACK_COL_MAJOR, 'N', 'L', (lapack_int)n, copy, (lapack_int)n, value);
    design->condition = sqrt(value[n - 1] / value[0]);
    design->criterion = value[n - 1] / value[0] + 1.0 / sqrt(value[0]);
    free(copy);
  }
  LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'L', (lapack_int)n, d->W, (lapack_int)n);
  LAPACKE_dpotri(LAPACK_COL_MAJOR, 'L', (lapack_int)n, d->W, (lapack_int)n);
  for (size_t i = 0; i < n; i++) {
    sd[i] = sqrt(d->W[i * n + i]);
  }
  free(value);
}

static enum status search(struct designer *d, double (*clock)(void), const double *x,
                          struct excitation_design *design) {
  struct excitation_design best = {.information = -HUGE_VAL};
  const double begun = clock();
  if (!find_home(d)) {
    return STATUS_TOO_FEW;
  }
  for (int i = 0; i < DESIGN_RANDOM; i++) {
    struct excitation_design next = *design;
    next.information = draw_design(d, &next, x);
    if (next.information > best.information) {
      best = next;
    }
  }
  if (!isfinite(best.information)) {
    return STATUS_TOO_FEW;
  }
  best.of_random = best.information;
  while (clock() - begun < d->settings->seconds) {
    improve(d, &best, x);
  }
  *design = best;
  return settle(d, design) ? STATUS_OK : STATUS_TOO_FEW;
}

enum status excitation_design_find(const struct unknowns *unknowns,
                                   const struct base_parameters *base, vec3 up,
                                   const struct design_settings *settings, double (*clock)(void),
                                   struct excitation_design *design, double *sd) {
  const size_t n = unknowns->n, joints = unknowns->model->n_joints;
  struct designer d = {.u = unknowns,
                       .base = base,
                       .settings = settings,
                       .up = up,
                       .random = settings->seed + 1000003ULL};
  struct excitation_design found = {.n_joints = joints, .period = settings->period};
  size_t *column = calloc(n, sizeof(*column));
  double *x = calloc(n, sizeof(double));
  d.A = calloc(n * n, sizeof(double));
  d.b = calloc(n, sizeof(double));
  d.W = calloc(base->n_base * base->n_base, sizeof(double));
  enum status status = column != NULL && x != NULL && d.A != NULL && d.b != NULL && d.W != NULL
                           ? STATUS_OK
                           : STATUS_NO_MEMORY;
  for (size_t j = 0; j < joints && status == STATUS_OK; j++) {
    const double limit = unknowns->model->joint[j].tau_max;
    d.noise[j] = settings->torque_noise * (isfinite(limit) ? limit : 100.0);
    status = triangle_init(&d.triangle[j], unknowns_columns(unknowns, j, column));
  }
  if (status == STATUS_OK) {
    status = dynamics_make(&d);
  }
  if (status == STATUS_OK) {
    unknowns_prior(unknowns, x);
    status = search(&d, clock, x, &found);
  }
  if (status == STATUS_OK) {
    describe(&d, &found, sd);
    *design = found;
  }
  for (size_t j = 0; j < joints; j++) {
    triangle_free(&d.triangle[j]);
  }
  free(d.memory);
  free(column);
  free(x);
  free(d.A);
  free(d.b);
  free(d.W);
  return status;
}
