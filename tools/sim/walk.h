/* A walker: the pattern, its stabiliser and the swing foot.
 *
 * The plan's ground is flat. A walker that feels for the ground leaves a swing foot that meets it
 * early where it met it, and lets one that does not meet it in time go on down until it does. The
 * foot's next step begins from there. Before the first step it levels its hips.
 *
 * The stabiliser is that of a robot with stiff position servos (Choi 2007): the measured divergent
 * component of motion asks for a zero-moment point, and the reference of the centre of mass moves
 * so that the measured one gets there. It measures with the simulation's truth: this is the
 * robot's own controller, not an estimator under test. */
#ifndef WALK_H
#define WALK_H

#include "posture.h"
#include "sim_options.h"
#include "sim_truth.h"
#include "walk_pattern.h"

struct walk {
  struct sim_walk_options options;
  struct walk_pattern pattern;
  struct posture_target standing;
  vec3 com_W, com_velocity_W; /* m, m/s: of the pattern */
  vec3 command_W;             /* m: centre of mass asked of the inverse kinematics, plan frame */
  vec3 cop_W;                 /* m: measured, smoothed, plan frame */
  bool feels;                 /* for the ground; the caller's: on narrow soles it has to */
  double ground[2];           /* m: how much higher than its foothold each foot found the ground */
  double leg[2];              /* m: the same of level ground, for its leg is so much longer */
  bool touched; /* the swing foot, or the one that has just landed, has met the ground */
};

/* Fills options that are 0 from the leg's length (m), varied with the seed; steps are shorter by
 * `reach` (0 to 1). [start] */
struct sim_walk_options walk_options_for(const struct sim_walk_options *options, double leg_length,
                                         double reach, uint64_t seed);

/* Begins at `start_s` from standing. [start] `options` complete, as walk_options_for makes them;
 * `seed` scatters the footholds. */
void walk_init(struct walk *walk, const struct sim_walk_options *options,
               const struct posture_target *standing, uint64_t seed, double start_s);

/* The target at time t, `dt` after the last. [any] `truth` is that of about now. `planned` gets
 * which feet shall carry [2]. */
void walk_step(struct walk *walk, double t, double dt, const struct sim_truth *truth,
               struct posture_target *target, bool planned[2]);

#endif
