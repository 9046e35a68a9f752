/* MuJoCo's model, written from ours.
 *
 * The text carries every number with 17 digits, so that MuJoCo moves exactly the bodies that the
 * estimators assume: inertias with what was lumped into them, rotor inertia as armature. Joint
 * damping and friction stay zero (they act as torques, see sim_physics.h): with Euler's integrator
 * MuJoCo's `qacc` is then the acceleration that is realised. Body i is link i and called "L<i>",
 * joint j "J<j>". */
#ifndef MJCF_H
#define MJCF_H

#include "collision.h"
#include "common/message.h"
#include "common/status.h"
#include "model/model.h"

#include <mujoco/mujoco.h>

/* A box fixed in the world, on which the robot may step. */
struct block {
  vec3 centre, size; /* m, world frame; edges parallel to its axes, but for: */
  double friction;   /* coefficient of dry friction */
  vec3 tilt;         /* rotation vector, rad */
};

enum { MJCF_MAX_BLOCKS = 128 };

struct mjcf_options {
  double step_s;         /* s, integration step */
  bool hold_base;        /* no free joint, no contact */
  double contact_time_s; /* s, time constant of the ground: smaller is harder */
  double friction;       /* coefficient of dry friction of the ground */
  double rebound;        /* damping ratio of the ground: 1 does not bounce */
  double ground_z;       /* m, height of the ground about the blocks */
  vec3 gravity;          /* m/s^2 */
  const struct shapes *shapes;
  size_t n_blocks;
  struct block block[MJCF_MAX_BLOCKS];
};

/* The model as MJCF text, to be freed by the caller; NULL when memory ran out. [start] */
char *mjcf_write(const struct model *model, const struct mjcf_options *options);

/* Compiles MJCF text. [start] STATUS_REFUSED with MuJoCo's message. */
enum status mjcf_load(const char *text, mjModel **compiled, struct message *error);

#endif
