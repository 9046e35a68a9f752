#include "support/panda_last_link.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* From here on after the stream's start the mass is to be right, s. */
static const double PANDA_SETTLED = 1.0;

static void *panda_memory(size_t bytes) {
  void *block = aligned_alloc(ARENA_ALIGN, (bytes + ARENA_ALIGN - 1) / ARENA_ALIGN * ARENA_ALIGN);
  if (block == NULL) {
    fprintf(stderr, "inertial_panda: no memory\n");
    exit(EXIT_FAILURE);
  }
  return block;
}

/* -- batch ------------------------------------------------------------------------------------ */

static void panda_block_init(const struct robot *robot, struct panda_block *block) {
  const size_t link = PANDA_LAST;
  struct arena arena = {0};
  memset(block, 0, sizeof(*block));
  for (int pass = 0; pass < 2; pass++) {
    kinematics_init(&block->kin, &robot->model, &arena);
    inertial_measurement_init(&block->measurement, robot, &link, 1, &arena);
    if (pass == 0) {
      block->memory = panda_memory(arena.used);
      arena = arena_over(block->memory, arena.used);
    }
  }
}

static void panda_block_add(struct panda_block *block, const struct robot *robot,
                            const struct panda_nominal *nominal, const struct panda_instant *at,
                            double dt) {
  double tau[PANDA_JOINTS];
  panda_tau(nominal, at, tau);
  const struct inertial_inputs inputs = {.kin = &block->kin, .tau = tau};
  if (panda_move(&block->kin, at, nominal->up) != STATUS_OK ||
      inertial_measure(&block->measurement, &inputs, robot->model.inertia) != STATUS_OK) {
    return;
  }
  for (size_t j = 0; j < PANDA_JOINTS; j++) {
    block->z[j] += block->measurement.z[j];
    block->friction[j] += block->measurement.friction[j];
    for (size_t i = 0; i < CONVEX_TEN; i++) {
      block->Y[j][i] += block->measurement.Y[j * CONVEX_TEN + i];
    }
  }
  block->count++;
  block->time += dt;
}

/* The block's means into the fit; begins the next block. */
static void panda_block_use(struct panda_block *block,
                            const struct inertial_filter_settings *settings,
                            struct convex_fit *fit) {
  const double share = 1.0 / (double)block->count;
  for (size_t j = 0; j < PANDA_JOINTS; j++) {
    const double noise = settings->torque_noise, friction = share * block->friction[j];
    for (size_t i = 0; i < CONVEX_TEN; i++) {
      block->Y[j][i] *= share;
    }
    convex_row(fit, block->Y[j], share * block->z[j], noise * noise + friction * friction);
  }
  block->count = 0;
  block->time = 0.0;
  memset(block->Y, 0, sizeof(block->Y));
  memset(block->z, 0, sizeof(block->z));
  memset(block->friction, 0, sizeof(block->friction));
}

enum status panda_batch(const struct robot *robot, const struct panda_nominal *nominal,
                        const struct panda_motion *motion, double from_s,
                        const struct inertial_filter_settings *settings, struct panda_batch *out) {
  struct convex_fit fit;
  struct convex_solution solution;
  struct panda_block block;
  double x[CONVEX_TEN], last = 0.0;
  enum status status = convex_begin(&fit, 1, 0);
  if (status != STATUS_OK) {
    return status;
  }
  panda_block_init(robot, &block);
  for (size_t k = 0; k < motion->n; k++) {
    const struct panda_instant *at = &motion->at[k];
    if (at->valid && at->t >= from_s) {
      panda_block_add(&block, robot, nominal, at, at->t - last);
      if (block.time >= settings->block_s - 0.5 * PANDA_PERIOD && block.count > 0) {
        panda_block_use(&block, settings, &fit);
      }
    }
    last = at->t;
  }
  free(block.memory);
  status = convex_unconstrained(&fit, x);
  if (status == STATUS_OK) {
    status = convex_solve(&fit, &robot->model.inertia[PANDA_LAST], NULL, &solution);
  }
  if (status == STATUS_OK) {
    out->least_squares = convex_body(x, 0);
    out->convex = convex_body(solution.x, 0);
    out->gap = solution.gap;
  }
  convex_free(&fit);
  return status;
}

/* -- streaming -------------------------------------------------------------------------------- */

/* The largest difference of a parameter in its own standard deviation. */
static double panda_distance(const struct inertial_link_estimate *found, const struct inertia *to) {
  double a[CONVEX_TEN], b[CONVEX_TEN], worst = 0.0;
  inertia_to(&found->estimate, a);
  inertia_to(to, b);
  for (size_t i = 0; i < CONVEX_TEN; i++) {
    worst = fmax(worst, fabs(a[i] - b[i]) / sqrt(found->covariance[i][i]));
  }
  return worst;
}

/* since: s from the stream's start. */
static void panda_note(struct panda_course *course, const struct inertia *reference, double t,
                       double since) {
  const struct inertial_link_estimate *found = &course->result.link[0];
  const double error = fabs(found->estimate.m - reference->m) / reference->m;
  course->unphysical += inertia_consistency(&found->estimate, 0.0, NULL) != STATUS_OK;
  course->end_distance = panda_distance(found, reference);
  if (since >= PANDA_SETTLED) {
    course->worst_mass = fmax(course->worst_mass, error);
  }
  if (error > 0.01) {
    course->settled = since;
  }
  if (course->instants++ % PANDA_PLOT_EVERY == 0 && course->n < PANDA_PLOT) {
    const size_t i = course->n++;
    const vec3 com = inertia_com(&found->estimate);
    course->t[i] = t;
    course->mass[i] = found->estimate.m;
    course->com[0][i] = com.x;
    course->com[1][i] = com.y;
    course->com[2][i] = com.z;
    course->distance[i] = course->end_distance;
  }
}

enum status panda_stream(const struct robot *robot, const struct panda_nominal *nominal,
                         const struct panda_motion *motion, double from_s,
                         const struct inertial_filter_settings *settings,
                         const struct inertia *prior, const struct inertia *reference,
                         struct panda_course *course) {
  struct kinematics kin;
  struct inertial_filter *filter = NULL;
  const size_t link = PANDA_LAST;
  struct arena arena = {0};
  void *memory = NULL;
  for (int pass = 0; pass < 2; pass++) {
    kinematics_init(&kin, &robot->model, &arena);
    const enum status status =
        inertial_filter_init(&filter, robot, settings, &link, 1, prior, &arena);
    if (status != STATUS_OK) {
      free(memory);
      return status;
    }
    if (pass == 0) {
      memory = panda_memory(arena.used);
      arena = arena_over(memory, arena.used);
    }
  }
  memset(course, 0, sizeof(*course));
  double last = 0.0, start = -1.0, tau[PANDA_JOINTS];
  for (size_t k = 0; k < motion->n; k++) {
    const struct panda_instant *at = &motion->at[k];
    const struct inertial_inputs inputs = {.kin = &kin, .tau = tau};
    if (at->valid && at->t >= from_s && panda_move(&kin, at, nominal->up) == STATUS_OK) {
      start = start < 0.0 ? at->t : start;
      panda_tau(nominal, at, tau);
      inertial_filter_step(filter, &inputs, at->t - last, false, &course->result);
      panda_note(course, reference, at->t, at->t - start);
    }
    last = at->t;
  }
  free(memory);
  return STATUS_OK;
}
