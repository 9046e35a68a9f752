/* A robot without physics whose truth is one pass of inverse dynamics: any motion is possible when
 * one foot carries exactly what it takes. A whole hour of sensors takes half a minute, and nothing
 * but the chosen faults stands between estimate and truth.
 *
 *   weighed_robot_create(&robot, "humanoid30", "config/robots", seed, &error);
 *   sine_motion_choose(&robot->sines, ...); sine_motion_turn(&robot->sines, 3.0, 1.0, 1.0);
 *   robot->noise = (struct weighed_noise){.ddq = 1.0};
 *   for (...) { weighed_robot_step(robot, 1e-3); ... robot->measured, robot->wrench ... } */
#ifndef WEIGHED_ROBOT_H
#define WEIGHED_ROBOT_H

#include "body/kinematics.h"
#include "body/rnea.h"
#include "common/message.h"
#include "sim_random.h"
#include "sine_motion.h"
#include "stock_robot.h"

/* Standard deviations of each sample. */
struct weighed_noise {
  double ddq, omegadot, specific_force; /* rad/s^2, rad/s^2, m/s^2, of the estimated motion */
  double force, moment;                 /* N, N m, of the sensors */
  double motion_hz; /* bandwidth of the motion's noise; 0: white from sample to sample */
};

struct weighed_robot {
  struct stock_robot stock;
  const struct robot *robot;
  struct inertia *inertia; /* [n_links] truth: the model's, until somebody changes it */
  struct sine_motion sines;
  struct weighed_noise noise;
  struct force drift; /* N m, N: what the carrying foot's sensor has drifted */
  double t;           /* s */

  /* written by weighed_robot_step */
  struct kinematics truth, measured;
  double tau[MODEL_MAX_JOINTS];          /* N m, exact; the standing leg's carry the robot */
  struct force wrench[ROBOT_MAX_WRENCH]; /* as measured, sensor frames */

  struct rnea rnea;
  struct force *external; /* [n_links] what the ground gives */
  struct sim_random random;
  double coloured[MODEL_MAX_JOINTS + 6]; /* noise of ddq, omegadot, specific force */
  double ddq[MODEL_MAX_JOINTS];          /* as estimated */
  void *memory;
};

/* Stands in the zero posture with exact sensors. [start] Freed by weighed_robot_destroy.
 * STATUS_NO_MEMORY; statuses of stock_robot_load. */
enum status weighed_robot_create(struct weighed_robot **robot, const char *name, const char *folder,
                                 uint64_t seed, struct message *error);
void weighed_robot_destroy(struct weighed_robot *robot);

/* Goes on by dt seconds and senses. [any] The statuses of kinematics_update and rnea_step. */
enum status weighed_robot_step(struct weighed_robot *robot, double dt);

/* A body joins a link: mass (kg), centre of mass (m) in the link's frame, a box with edges of
 * `edge` (m); a negative mass takes it away again. [any] */
void weighed_robot_load(struct weighed_robot *robot, size_t link, double mass, vec3 place,
                        double edge);

/* Makes the truth differ from the model on every link but `spared`: mass by up to `share`, uniform,
 * centre of mass by a vector of random direction and length `shift` (m). [any] */
void weighed_robot_distort(struct weighed_robot *robot, size_t spared, double share, double shift);

#endif
