/* Where the base is and how it is turned, from start-up on: waits for rest, starts the filter,
 * feeds it the IMU and the feet that stand, and keeps the ground.
 *
 * Heights do not accumulate: a foot that comes down within `step_height` of the ground it left
 * stands on that ground. A foot that ought to stand and moves, by what the IMU says, is slipping;
 * it says nothing about the base until it rests again. When all of two feet or more do, something
 * else carries the robot: it is lifted. */
#ifndef BASE_ESTIMATOR_H
#define BASE_ESTIMATOR_H

#include "base/base_filter.h"
#include "base/support.h"
#include "body/kinematics.h"
#include "numerics/spike_gate.h"
#include "robot/robot.h"
#include "robot/sensor_frame.h"

struct base_estimator_settings {
  struct base_filter_settings filter;
  struct support_settings support;
  double rest_s;     /* s of rest before the start */
  double rest_rate;  /* rad/s: largest deviation of the gyro from its mean that is still rest */
  double rest_force; /* m/s^2: the same for the specific force */
  double
      patience_s; /* s: without rest for this long, starts from the mean force and no gyro bias */
  double step_height; /* m: a touch-down this far from the known ground is a step up or down */
  double slip_speed;  /* m/s: of a sole that ought to stand, that means slipping */
  double slip_s;      /* s: over which that speed is averaged */
  double slip_most_s; /* s: after so long its foot is believed again, and the velocity is not */
};

struct base_estimator_settings base_estimator_defaults(void);

/* What the IMU said since the filter last saw rest. */
struct rest_window {
  vec3 omega_sum, f_sum;
  vec3 omega_first, f_first; /* the window ends when a reading leaves these by too much */
  double seconds, waited;
  size_t n;
};

struct base_estimator {
  struct base_estimator_settings settings;
  const struct robot *robot;
  struct base_filter filter;
  struct support support;
  struct rest_window rest;
  int64_t imu_ns;                          /* of the last reading, 0 for none */
  vec3 omega_B;                            /* rad/s: the last gyro reading, base axes, raw */
  vec3 force_B;                            /* m/s^2: the last specific force, base axes, raw */
  struct spike_gate rate_gate, force_gate; /* in front of these two */
  double step_s;                           /* s: between the last two readings */
  double ground[ROBOT_MAX_FEET];           /* m: height of the ground under each foot */
  vec3 sole_v_B[ROBOT_MAX_FEET];   /* m/s: of soles that ought to stand, averaged over slip_s */
  bool foot_moves[ROBOT_MAX_FEET]; /* ... and that do not */
  double moving_s[ROBOT_MAX_FEET];
  bool lifted;                 /* two feet or more ought to stand, and all of them move */
  vec3 sole_S[ROBOT_MAX_FEET]; /* m: soles from the IMU's point, base axes */
  bool slips;                  /* a standing foot slips now */
  uint64_t slip_count, step_count, touch_downs;
};

/* [start] Statuses of base_filter_init and support_init; OUT_OF_RANGE also for our own settings;
 * BAD_ARGUMENT: the IMU does not sit on the base link. */
enum status base_estimator_init(struct base_estimator *base, const struct robot *robot,
                                const struct base_estimator_settings *settings);

/* Moves the base to the IMU's new reading. [real-time] Does nothing with one that is not fresh or
 * not whole. */
void base_estimator_imu(struct base_estimator *base, const struct imu_reading *imu);

/* A base that is bolted down: its tilt follows from the specific force of rest, once. [real-time]
 */
void base_estimator_hold(struct base_estimator *base, vec3 specific_force_B);

/* What is known of the contacts from the step before. */
struct base_contacts {
  bool cop_known;
  vec3 cop_W;             /* m */
  double f_z;             /* N: vertical force of all contacts */
  double weight;          /* N */
  const double *foot_f_z; /* [n_feet] N: measured, or NULL */
};

/* Takes the feet of this instant. [real-time]
 *   kin       updated with the joints' motion, the base's angular velocity and *no* linear velocity
 *   contacts  of the step before
 *   dt        s since the last step */
void base_estimator_feet(struct base_estimator *base, const struct kinematics *kin,
                         const struct base_contacts *contacts, double dt);

/* Pose and velocity of the base link's origin; `omega_B` rad/s. [real-time] */
struct pose base_estimator_pose(const struct base_estimator *base);
vec3 base_estimator_velocity(const struct base_estimator *base, vec3 omega_B);

/* Height of the ground under the support foot, m; of the lowest foot in flight. [real-time] */
double base_estimator_ground(const struct base_estimator *base);

/* Takes over what `previous` knows of the same robot. [real-time] */
void base_estimator_adopt(struct base_estimator *base, const struct base_estimator *previous);

#endif
