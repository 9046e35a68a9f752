/* IMUs on limbs, as the filter takes them: robots with a cheap IMU on each limb, and no skin.
 *
 * Each is two groups of rows about the state (limb_rows.h) with biases of its own that are states
 * too; a group that contradicts counts less (Huber), and one that goes on contradicting not at all,
 * until it has agreed for as long. A fixed robot whose IMU sits on a link that moves has it as the
 * first of its limbs'. */
#ifndef JOINT_LIMBS_H
#define JOINT_LIMBS_H

#include "common/status.h"
#include "process/base_liveliness.h"
#include "process/joint_process.h"
#include "robot/robot.h"
#include "robot/sensor_frame.h"
#include "update/limb_rows.h"

#include <stdbool.h>
#include <stdint.h>

enum { LIMBS_MAX = ROBOT_MAX_LIMBS + 1, LIMB_TRIADS = 2 };

/* How far a gyro or an accelerometer is trusted. */
struct limb_trust {
  unsigned far; /* readings far off, less those that were not */
  bool refused;
};

struct joint_limbs {
  size_t n;
  bool first_elsewhere; /* imu[0] is the robot's first IMU */
  struct limb_imu imu[LIMBS_MAX];
  double strain[LIMBS_MAX];    /* normalised innovation squared per axis, averaged */
  int64_t heard_ns[LIMBS_MAX]; /* when it last gave a number */
  struct limb_trust trust[LIMBS_MAX][LIMB_TRIADS];
  double credit[LIMBS_MAX];                     /* how many surprises in a row are still believed */
  int64_t judged_ns;                            /* when they were last heard at all */
  struct base_liveliness liveliness[LIMBS_MAX]; /* of the joints that each sees */
};

/* How many limbs a robot has, with its first IMU where that is one. [any] */
size_t joint_limbs_count(const struct robot *robot);

/* [start] rate_sd, force_sd: of one sample, rad/s and m/s^2; density: of joints at rest,
 * (rad/s^4)^2 s. */
void joint_limbs_init(struct joint_limbs *limbs, const struct robot *robot, double rate_sd,
                      double force_sd, double density);

/* Forgets how they fared. [real-time] */
void joint_limbs_reset(struct joint_limbs *limbs);

/* What a fresh reading says of the limbs, [n]; axes that no body can feel become NaN. [real-time]
 * Returns how many numbers were given. */
unsigned joint_limbs_take(const struct joint_limbs *limbs, const struct imu_reading *reading,
                          struct imu_triads *limb);

/* Whether the limbs are as they should be at t_ns: all of them heard within `timeout_s`, and none
 * straining or refused. [real-time] */
bool joint_limbs_well(const struct joint_limbs *limbs, int64_t t_ns, double timeout_s);

/* Rows of one limb among those of an instant. */
struct limb_group {
  size_t first, rates, forces; /* rows of the gyro stand first */
};

/* Adds the rows of all limbs. [real-time] kin: as limb_rows_gyro; `forces`: velocities are known
 * well enough for accelerometers, whose rows are quadratic in them. */
void joint_limbs_add(const struct joint_limbs *limbs, struct row_update *rows,
                     const struct kinematics *kin, const struct imu_triads *limb, bool forces,
                     const double *x, struct limb_group group[LIMBS_MAX]);

/* Whether limb `k` has surprised lately: it is then on trial. [real-time] */
bool joint_limbs_on_trial(const struct joint_limbs *limbs, size_t k);

/* Encoders speak against it: refuses both triads. [real-time] */
void joint_limbs_convict(struct joint_limbs *limbs, size_t k);

/* Raises the joints' densities to what the IMUs beyond them say: encoders alone see little of what
 * shakes a limb. [real-time] density: [n] (rad/s^4)^2 s. */
void joint_limbs_enliven(const struct joint_limbs *limbs, const struct model *model,
                         double *density);

/* Whether joint_limbs_open could find anything: an accelerometer is off by more than its own noise
 * explains. [real-time] After joint_limbs_add. */
bool joint_limbs_surprised(const struct joint_limbs *limbs, const struct row_update *rows,
                           const struct limb_group group[LIMBS_MAX]);

/* What a limb's accelerometer felt and nobody expected: the joints it sees were struck, and the
 * variance of their accelerations opens by as much, [n] per s^4, that of their velocities by what
 * these did since the sample before, dt s ago. A limb that surprises again and again is believed no
 * more. [real-time] After row_update_expect; base: variance by which the base's motion is opened
 * already. */
void joint_limbs_open(struct joint_limbs *limbs, const struct row_update *rows,
                      const struct limb_group group[LIMBS_MAX], const struct motion *base,
                      double dt, double *open_dq, double *open_ddq);

/* Weakens groups that contradict, and notes how each limb fares with a reading that is `fresh`.
 * [real-time] After row_update_expect. */
void joint_limbs_judge(struct joint_limbs *limbs, struct row_update *rows,
                       const struct limb_group group[LIMBS_MAX], int64_t t_ns, bool fresh);

#endif
