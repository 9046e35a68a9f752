/* What the evaluations of the inertial filter on a weighed robot share: a humanoid whose torso is
 * estimated from its feet's sensors, and filters beside one another that see the same. */
#ifndef INERTIAL_WORLD_H
#define INERTIAL_WORLD_H

#include "common/arena.h"
#include "inertial/inertial_filter.h"
#include "weighed_robot.h"

enum { WORLD_MAX_FILTERS = 6 };

/* What a well-built robot's joint filter and sensors leave. */
extern const struct weighed_noise WORLD_NOISE;

struct world {
  const char *program;
  struct weighed_robot *robot;
  size_t link; /* estimated */
  size_t n_filters;
  struct inertial_filter *filter[WORLD_MAX_FILTERS];
  struct inertial_result result[WORLD_MAX_FILTERS];
  void *memory[WORLD_MAX_FILTERS];
};

/* The humanoid at rest with WORLD_NOISE; no filter yet. */
void world_begin(struct world *world, const char *program, unsigned long seed);

void world_add_filter(struct world *world, const struct inertial_filter_settings *settings);

void world_end(struct world *world);

void world_step(struct world *world);

void world_run(struct world *world, double seconds);

/* A random motion swells to its full amplitude within a second. */
void world_move(struct world *world);

/* Error of the k-th filter's estimate: mass (kg), centre of mass (m). */
struct world_error {
  double mass;
  vec3 com;
  double sigmas;     /* largest of the four errors in units of their own deviation */
  double mass_sigma; /* that of the mass alone */
};

struct world_error world_error(const struct world *world, size_t k);

/* The paper's filter: printed form, one step, random walk; nothing else that ours has. */
struct inertial_filter_settings world_as_printed(enum inertial_form form);

#endif
