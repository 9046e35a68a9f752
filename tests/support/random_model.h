/* Robots for tests, made in memory: random trees, and random motions of any model. */
#ifndef RANDOM_MODEL_H
#define RANDOM_MODEL_H

#include "common/arena.h"
#include "model/model.h"
#include "model/motion.h"
#include "support/suite.h"

struct random_model_options {
  size_t n_joints;
  bool chain;     /* every link hangs on the one before; else a random tree */
  bool axis_only; /* joint axes along x, y or z; else any unit vector */
  bool no_slides; /* no prismatic joints */
  bool losses;    /* rotor inertia, viscous and Coulomb friction */
};

/* A tree of bodies made of point masses, placed anyhow. Freed with the process. */
struct model *random_model(struct random *random, struct random_model_options options);

/* `bytes` of memory for what `init` takes, or the end of the program. Freed with the process. */
struct arena test_arena(size_t bytes);

/* Inertia about the link's origin of six random point masses within 0.2 m of `centre`. */
struct inertia random_inertia_near(struct random *random, vec3 centre);

vec3 random_vec3(struct random *random, double scale);
mat3 random_rotation(struct random *random);

/* A random state: q within the limits of the joints or +-pi, |dq| <= 3, |ddq| <= 20, everything of
 * the base. The arrays are of [MODEL_MAX_JOINTS] and belong to the state. */
struct random_state {
  double q[MODEL_MAX_JOINTS], dq[MODEL_MAX_JOINTS], ddq[MODEL_MAX_JOINTS];
  struct robot_motion motion; /* points into this struct: do not copy */
};
void random_state(struct random *random, const struct model *model, struct random_state *state);

#endif
