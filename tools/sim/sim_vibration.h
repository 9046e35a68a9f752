/* The structure shakes: each link a little by itself, beside the motion of the joints. */
#ifndef SIM_VIBRATION_H
#define SIM_VIBRATION_H

#include "model/motion.h"
#include "resonance.h"
#include "sim_options.h"
#include "sim_random.h"

/* Of one link, about and along its axes: angular, then linear. */
struct link_shaking {
  struct resonance hum[6];    /* lasting */
  struct resonance ring[2];   /* after strikes: turning and shifting, */
  vec3 turn_axis, shift_axis; /* along these, of length 1 */
};

struct sim_vibration_state {
  struct sim_vibration size;
  bool exists, has_force;
  size_t n_links;
  double weight, force; /* N: of the robot; of the ground, an instant ago */
  struct sim_random random;
  struct link_shaking link[MODEL_MAX_JOINTS + 1];
  struct motion velocity[MODEL_MAX_JOINTS + 1],
      acceleration[MODEL_MAX_JOINTS + 1]; /* with the shaking */
};

/* Draws each link's frequencies and axes. [start] */
void sim_vibration_init(struct sim_vibration_state *vibration, const struct sim_options *options);

/* Once a sensor period: adds the shaking to the links' velocity and proper acceleration [n_links]
 * (link origin, link coordinates), into `velocity` and `acceleration` of `vibration`. `ground_N` is
 * what the ground bears. [any] */
void sim_vibration_step(struct sim_vibration_state *vibration, double ground_N,
                        const struct motion *velocity, const struct motion *acceleration);

#endif
