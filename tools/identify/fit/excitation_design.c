#include "identify/fit/excitation_designer.h"

#include <math.h>
#include <stdlib.h>

/* s: between instants of the final motion whose limits are looked at. */
static const double FINE = 1e-3;
/* Torques above their limit, or something in the way, make the motion smaller by this. */
static const double SHRINK = 0.9;
/* Least share of its range that a changed joint is tried with where something may be in the way. */
static const double SMALLEST = 0.2;
enum { PARTS = 20 /* of the search, after which its progress is told */ };

const char *const design_aim_name[DESIGN_AIMS] = {"information", "condition"};

struct design_settings design_defaults(void) {
  return (struct design_settings){.period = 10.0,
                                  .harmonics = 6,
                                  .aim = AIM_INFORMATION,
                                  .acceleration = 20.0,
                                  .share = 0.9,
                                  .torque_noise = 0.01,
                                  .seconds = 20.0,
                                  .seed = 1};
}

static void shrink(const struct designer *d, struct excitation_design *design) {
  for (size_t j = 0; j < design->n_joints; j++) {
    designer_shrink_joint(d, design, j, SHRINK);
  }
}

static void draw_joint(struct designer *d, struct excitation_design *design, size_t j) {
  for (int h = 1; h < design->harmonics; h++) {
    design->a[j][h] = designer_draw(d) / (h + 1);
    design->b[j][h] = designer_draw(d) / ((h + 1) * (h + 1));
  }
  designer_rest_at_ends(design, j);
  designer_fill_range(d, design, j);
}

/* A random motion, made smaller until its torques are allowed. */
static double draw_design(struct designer *d, struct excitation_design *design) {
  for (size_t j = 0; j < design->n_joints; j++) {
    draw_joint(d, design, j);
  }
  double value = designer_judge(d, design);
  for (int i = 0; i < 40 && !isfinite(value); i++) {
    shrink(d, design);
    value = designer_judge(d, design);
  }
  return value;
}

/* Changes one joint a little, or draws it anew; keeps it when that tells more. */
static void improve(struct designer *d, struct excitation_design *best) {
  struct excitation_design next = *best;
  const size_t j = (size_t)((0.5 + 0.5 * designer_draw(d)) * 0.999999 * (double)best->n_joints);
  const double size = pow(10.0, 1.5 * designer_draw(d) - 1.0);
  double largest = 1e-3;
  for (int h = 1; h < best->harmonics; h++) {
    const double a = fabs(next.a[j][h]) * (h + 1), b = fabs(next.b[j][h]) * (h + 1) * (h + 1);
    largest = a > largest ? a : largest; /* fmax(fmax()) breaks gcc 12 for aarch64 */
    largest = b > largest ? b : largest;
  }
  for (int h = 1; h < best->harmonics; h++) {
    next.a[j][h] += size * largest * designer_draw(d) / (h + 1);
    next.b[j][h] += size * largest * designer_draw(d) / ((h + 1) * (h + 1));
  }
  designer_rest_at_ends(&next, j);
  designer_fill_range(d, &next, j);
  designer_scale(&next, j, designer_draw(d) > 0.0 ? 1.0 : 0.75 + 0.25 * designer_draw(d));
  if (d->settings->clearance != NULL && designer_draw(d) > 0.0) { /* beside what is in the way */
    designer_shrink_joint(d, &next, j, fmin(1.0, SMALLEST + fabs(designer_draw(d))));
  }
  const double value = designer_judge(d, &next);
  best->tried++;
  next.tried = best->tried;
  if (value > best->worth) {
    next.worth = value;
    *best = next;
  }
}

/* Every limit at every millisecond: smaller until they hold. */
static bool settle(struct designer *d, struct excitation_design *design) {
  for (int i = 0; i < 40; i++) {
    if (designer_torque_share(d, design, FINE) <= 1.0 && designer_is_clear(d, design, FINE, 0.0)) {
      return true;
    }
    shrink(d, design);
  }
  return false;
}

static enum status search(struct designer *d, double (*clock)(void),
                          struct excitation_design *design) {
  struct excitation_design best = {.worth = -HUGE_VAL};
  const double begun = clock();
  if (!designer_find_home(d)) {
    return STATUS_TOO_FEW;
  }
  for (int i = 0; i < DESIGN_RANDOM; i++) {
    struct excitation_design next = *design;
    next.worth = draw_design(d, &next);
    if (next.worth > best.worth) {
      best = next;
    }
  }
  if (!isfinite(best.worth)) {
    return STATUS_TOO_FEW;
  }
  best.of_random = best.worth;
  int told = 0;
  for (double spent = clock() - begun; spent < d->settings->seconds; spent = clock() - begun) {
    improve(d, &best);
    const int part = (int)(PARTS * spent / d->settings->seconds);
    if (d->settings->progress != NULL && part > told) {
      d->settings->progress((double)part / PARTS, best.worth - best.of_random);
      told = part;
    }
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
  struct excitation_design found = {
      .n_joints = joints, .period = settings->period, .harmonics = settings->harmonics};
  size_t *column = calloc(n, sizeof(*column));
  double *x = calloc(n, sizeof(double));
  d.A = calloc(n * n, sizeof(double));
  d.b = calloc(n, sizeof(double));
  d.W = calloc(base->n_base * base->n_base, sizeof(double));
  d.value = calloc(base->n_base, sizeof(double));
  d.x = x;
  const bool memory =
      column != NULL && x != NULL && d.A != NULL && d.b != NULL && d.W != NULL && d.value != NULL;
  enum status status = memory ? STATUS_OK : STATUS_NO_MEMORY;
  for (size_t j = 0; j < joints && status == STATUS_OK; j++) {
    const double limit = unknowns->model->joint[j].tau_max;
    d.noise[j] = settings->torque_noise * (isfinite(limit) ? limit : 100.0);
    status = triangle_init(&d.triangle[j], unknowns_columns(unknowns, j, column));
  }
  if (status == STATUS_OK) {
    status = designer_dynamics(&d);
  }
  if (status == STATUS_OK) {
    unknowns_prior(unknowns, x);
    status = search(&d, clock, &found);
  }
  if (status == STATUS_OK) {
    designer_describe(&d, &found, sd);
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
  free(d.value);
  return status;
}
