/* Inverse kinematics of a standing or walking robot: joint positions from where the feet, the
 * centre of mass and the base shall be.
 *
 * Feet and base orientation are met by each leg's joints (damped least squares, started from the
 * last solution); the base is moved so that the whole robot's centre of mass lies where it should.
 * The other joints are given. */
#ifndef POSTURE_H
#define POSTURE_H

#include "body/kinematics.h"
#include "common/message.h"
#include "robot/robot.h"

/* What the joints of a leg can hold of a foot: less than six cannot place a sole. */
enum foot_hold {
  HOLDS_POINT, /* a point, as the feet of quadrupeds are */
  HOLDS_LEVEL, /* and a level sole, turned as it comes */
  HOLDS_SOLE
};

struct leg {
  size_t foot; /* index into robot->foot */
  enum foot_hold held;
  size_t n_joints;                /* on the way from the base to the foot */
  size_t joint[MODEL_MAX_JOINTS]; /* from the base outwards */
};

/* Where the robot shall be. World frame. */
struct posture_target {
  struct pose foot_W[ROBOT_MAX_FEET]; /* of the sole frames */
  mat3 R_WB;
  bool by_base; /* the base is given by base_W, not the centre of mass by com_W */
  vec3 com_W;   /* m */
  vec3 base_W;  /* m */
};

struct posture {
  const struct robot *robot;
  struct kinematics kin;
  void *memory; /* of kin */
  size_t n_legs;
  struct leg leg[ROBOT_MAX_FEET];
  bool is_leg[MODEL_MAX_JOINTS]; /* the joint belongs to a leg */
  double q[MODEL_MAX_JOINTS];    /* rad or m: the solution; what is not a leg's is the caller's */
  vec3 base_W;                   /* m: where the solution puts the base */
  double error;                  /* m or rad: largest miss of a foot after the last solve */
};

/* Finds the legs and puts them slightly bent under the base, feet level. [start] Free with
 * `posture_free`. STATUS_REFUSED with a message when the robot has no feet. */
enum status posture_init(struct posture *posture, const struct robot *robot, struct message *error);
void posture_free(struct posture *posture);

/* Solves for the legs' joints and the base position. [any] `iterations` Newton steps: 1 or 2
 * where the target moves little, 50 from a start. */
void posture_solve(struct posture *posture, const struct posture_target *target, int iterations);

/* The target at which the robot stands on both feet with its centre of mass above their middle and
 * its toes along x, `bend` (0 to 1) of the leg's length lower than with straight legs. [start] */
struct posture_target posture_standing(struct posture *posture, double bend);

/* Centre of mass at the positions last solved for, base coordinates. [any] */
vec3 posture_com_B(const struct posture *posture);

/* What the joint of a leg that takes most takes of its largest effort while that leg alone carries
 * the standing robot's weight in the middle of its sole, statically, at the positions last solved
 * for. [any] */
double posture_effort_on_one_leg(const struct posture *posture);

/* Height of the base above the soles with straight legs: all leg joints at zero, m. [start] */
double posture_leg_length(struct posture *posture);

#endif
