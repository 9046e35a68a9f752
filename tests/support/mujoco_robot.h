/* MuJoCo's view of a robot: an independent source for tests and the yardstick of benchmarks.
 *
 * Traps of MuJoCo 2.2.2 that this hides: of a free joint the linear velocity and acceleration are
 * in the world frame and without gravity, the angular ones in the body frame; bodies and joints are
 * found by name; constraints are off. */
#ifndef MUJOCO_ROBOT_H
#define MUJOCO_ROBOT_H

#include "model/model.h"
#include "model/motion.h"
#include "support/random_model.h"

#include <mujoco/mujoco.h>

struct mujoco_robot {
  const struct model *model;
  bool floating;
  mjModel *m;
  mjData *d;
  int body[MODEL_MAX_JOINTS + 1]; /* [n_links] MuJoCo's body of a link */
  int dof[MODEL_MAX_JOINTS];      /* [n_joints] its degree of freedom */
  int qpos[MODEL_MAX_JOINTS];
};

/* From our model, written as MJCF in memory; drives: with rotor inertias and viscous friction.
 * Ends the program when MuJoCo refuses. */
void mujoco_from_model(struct mujoco_robot *robot, const struct model *model, bool floating,
                       bool drives);

/* From the URDF file, by MuJoCo's own reader: base fixed to the world, friction set to zero. */
void mujoco_from_urdf(struct mujoco_robot *robot, const struct model *model, const char *path);

/* Sets position, velocity and acceleration, gravity taken out. A fixed base keeps its place. */
void mujoco_set(struct mujoco_robot *robot, const struct robot_motion *motion);

/* The base's wrench (base coordinates, about its origin) and joint torques of one of MuJoCo's
 * generalised forces. */
void mujoco_forces(const struct mujoco_robot *robot, const mjtNum *qfrc, struct force *base,
                   double *tau);

/* Pose of a link in the world. */
struct pose mujoco_pose(const struct mujoco_robot *robot, size_t link);

/* Of a link's origin in link coordinates; the acceleration is proper, after
 * mj_rnePostConstraint. */
struct motion mujoco_velocity(const struct mujoco_robot *robot, size_t link);
struct motion mujoco_acceleration(const struct mujoco_robot *robot, size_t link);

/* The model in config/robots/NAME.urdf. The memory is freed with the process. */
struct model *model_of_robot(const char *name);

/* The model in a URDF file. */
struct model *model_of_file(const char *path);

#endif
