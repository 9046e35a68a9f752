/* Slow errors of each link's measured acceleration: three angular, three linear.
 *
 * Cells that sit a degree or two askew let gravity into the fused acceleration; it stays there, and
 * without states for it the filter believes an acceleration that no encoder confirms. In the state
 * these would be six more numbers per link, 186 for a humanoid, at a cost that grows with the cube.
 * They are slow, so a separate stage learns them from estimates that are already settled:
 *  - along a joint's axis the bias is what separates the skin's relative acceleration from what the
 *    encoder integrates to (motion_bank.h);
 *  - in the five other directions no joint can move, and what a link measures there beyond what the
 *    rest of the body says is bias.
 * The joint filter takes readings less these biases; their uncertainty adds to what is published.
 */
#ifndef LINK_BIAS_H
#define LINK_BIAS_H

#include "joint_measurement.h"
#include "joint_process.h"
#include "kinematics.h"
#include "motion_bank.h"
#include "robot.h"

struct link_bias_settings {
  double ang_sd, lin_sd; /* rad/s^2, m/s^2: how large a bias may be */
  double time_s;         /* s: how fast it may change */
};

struct link_bias {
  struct link_bias_settings settings;
  const struct robot *robot;
  bool fixed_base;
  struct kinematics kin;   /* of the last settled estimate */
  struct motion *bias;     /* [n_links] link coordinates, about the link's origin */
  struct motion *variance; /* [n_links] of each number */
  struct motion *measured; /* [n_links] of the last reading, centripetal term taken out */
  struct motion *noise;    /* [n_links] variances of `measured` */
  bool *has;               /* [n_links] `measured` holds */
  bool *observed;          /* [n_joints] the last reading saw this joint's acceleration */
};

/* [start] STATUS_OUT_OF_RANGE: deviations or time not positive. */
enum status link_bias_init(struct link_bias *stage, const struct robot *robot, bool fixed_base,
                           const struct link_bias_settings *settings, struct arena *arena);

/* Forgets all. [real-time] */
void link_bias_reset(struct link_bias *stage);

/* Learns from one settled reading of the skin. [real-time]
 * dt: s since the last one. x: estimate at that instant. Feeds `bank` with the joints'
 * accelerations and takes its biases. fixed_force: as in joint_points.h. */
void link_bias_step(struct link_bias *stage, struct motion_bank *bank, double dt,
                    const struct joint_layout *layout, const double *x, vec3 fixed_force,
                    const struct link_rows *block, size_t n_blocks);

/* Takes the link's bias out of a block's reading. [real-time] */
void link_bias_correct(const struct link_bias *stage, struct link_rows *rows);

#endif
