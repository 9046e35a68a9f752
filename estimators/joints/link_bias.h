/* Slow errors of each link's measured acceleration: three angular, three linear.
 *
 * Cells that sit a degree or two askew let gravity into the fused acceleration; it stays there, and
 * without states for it the filter believes an acceleration that no encoder confirms. Of a link's
 * six, the one along its joint is a state of the filter (joint_process.h). The five others are
 * directions in which no joint can move, so that the link's reading and its parent's must agree:
 * what separates them is learned here, slowly, from readings alone, so that no error of the filter
 * can feed itself. The base's force is held against the IMU. From the base outwards these
 * differences add up to what is taken out of each link's reading. */
#ifndef LINK_BIAS_H
#define LINK_BIAS_H

#include "body/kinematics.h"
#include "joints/joint_process.h"
#include "joints/motion_bank.h"
#include "robot/robot.h"
#include "skin/joint_measurement.h"

struct link_bias_settings {
  double ratio;  /* how large a bias may be, to the deviation of one reading's noise */
  double time_s; /* s: how fast it may change */
};

struct link_bias {
  struct link_bias_settings settings;
  const struct robot *robot;
  bool fixed_base;
  struct kinematics kin;   /* of the last settled estimate */
  struct motion *bias;     /* [n_links] link coordinates, about the link's origin */
  struct motion *relative; /* [n_links] beyond what the parent's bias alone would give */
  struct motion *variance; /* [n_links] of `relative`, each number; 0: never measured */
  struct motion *measured; /* [n_links] of the last reading, centripetal term taken out */
  struct motion *noise;    /* [n_links] variances of `measured`, of the last that held */
  bool *has;               /* [n_links] `measured` holds */
  bool *observed;          /* [n_joints] the last reading saw this joint's acceleration */
  double *along;           /* [n_joints] variance of the joint's acceleration as its links see it */
};

/* [start] STATUS_OUT_OF_RANGE: ratio negative or time not positive. */
enum status link_bias_init(struct link_bias *stage, const struct robot *robot, bool fixed_base,
                           const struct link_bias_settings *settings, struct arena *arena);

/* Forgets all. [real-time] */
void link_bias_reset(struct link_bias *stage);

/* Learns from the geometry alone how well each joint's acceleration will be seen. [start] block:
 * rows of every link that carries skin, readings not read. */
void link_bias_survey(struct link_bias *stage, const struct link_rows *block, size_t n_blocks);

/* Learns from one settled reading of the skin. [real-time]
 * dt: s since the last one. x: estimate at that instant. Feeds `bank` with the joints'
 * accelerations and takes its biases. fixed_force: as in joint_points.h. */
void link_bias_step(struct link_bias *stage, struct motion_bank *bank, double dt,
                    const struct joint_layout *layout, const double *x, vec3 fixed_force,
                    const struct link_rows *block, size_t n_blocks, const vec3 *force);

/* Variance that joint j's bias may have: that of what its two links' biases may be. 0: its
 * acceleration was never seen. [real-time] */
double link_bias_prior(const struct link_bias *stage, size_t j);

/* Takes the link's bias out of a block's reading. [real-time] */
void link_bias_correct(const struct link_bias *stage, struct link_rows *rows);

#endif
