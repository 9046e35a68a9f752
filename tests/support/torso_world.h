/* A weighed humanoid and an inertial filter of its torso, for tests: exact rigid bodies, one foot
 * that carries all, noise as asked. What is refused or unphysical fails the test. */
#ifndef TORSO_WORLD_H
#define TORSO_WORLD_H

#include "inertial/inertial_filter.h"
#include "support/random_model.h"
#include "weighed_robot.h"

extern const double TORSO_DT; /* s of a cycle */
extern const struct weighed_noise TORSO_QUIET, TORSO_GOOD;

/* The large humanoid, whose sensors tell exactly what it weighs, but for their noise. */
struct torso_world {
  struct weighed_robot *body;
  const struct robot *robot;
  size_t torso; /* or another link, to be estimated */
  struct random random;
  struct inertial_filter *filter;
  struct inertial_result result;
};

/* The robot at rest, torso and arms ready to move, random numbers from `seed`, or from the test's
 * own. [start] */
struct torso_world *torso_world_seeded(struct weighed_noise noise, unsigned long seed);
struct torso_world *torso_world_new(struct weighed_noise noise);

/* A filter of `link`. [start] */
void torso_world_start(struct torso_world *world, const struct inertial_filter_settings *settings,
                       size_t link);

/* A new one with the default filter: the first seconds at rest teach bias and noise, then the robot
 * moves. [start] */
struct torso_world *torso_world_settled(struct weighed_noise noise);

/* Goes on by a cycle, turning to `share` of the full motion; without the filter. */
void torso_world_move(struct torso_world *world, double share);

/* What sensors show now into the filter; tau [n_joints] (N m) or NULL, wrench [n_wrench] or
 * NULL. */
void torso_world_give(struct torso_world *world, const double *tau, const struct force *wrench);

/* Both, for a cycle or some seconds, with wrenches alone. */
void torso_world_step(struct torso_world *world, double share);
void torso_world_run(struct torso_world *world, double seconds, double share);

/* The torso takes up a box of `mass` (kg) at `place` (m, link frame). */
void torso_world_take_up(struct torso_world *world, double mass, vec3 place);

/* What the filter tells of its link. */
const struct inertial_link_estimate *torso_world_estimate(const struct torso_world *world);

#endif
