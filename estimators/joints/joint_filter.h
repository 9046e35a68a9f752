/* The one account of the body's motion: position, velocity, acceleration and jerk of every joint
 * and of the base, where the base is, and what its sensors are off by; from skin, IMU, encoders and
 * the feet that stand. Leboutet's filter (139)-(145), in the form that a whole humanoid affords at
 * 1 kHz, and with the base in the world as part of it.
 *
 * State, for n joints:
 *   joints  q dq ddq jerk,  base  omega omegadot omegaddot | specific force f and its derivative,
 *   slow errors of skin (joint_process.h),
 *   base    attitude, velocity, position, gyro and accelerometer bias, the place of each foot,
 * the last line with a floating base only. Each chain is an integrator driven by white noise on its
 * last derivative. Measurements: encoders, gyro, accelerometer of the IMU, and the fused skin of
 * each link (skin_fusion.h), raw and in link coordinates: gravity drops out, no orientation is
 * needed; and the soles that stand (base_rows.h). Each reading is used once, at its own instant.
 *
 * Streams are taken as they come. A sample older than the newest is put where it belongs: the
 * filter goes back to the instant before it and replays what came after, within `window_s`. What
 * can be done before it arrives has been done by then (joint_preparation.h).
 *
 * Of a robot of many joints those that their encoders alone see, and hands with skin, have filters
 * of their own (joint_parts.h, carried_limb.h).
 *
 * Pure: no clock, no threads, no I/O. One filter per thread. */
#ifndef JOINT_FILTER_H
#define JOINT_FILTER_H

#include "common/arena.h"
#include "common/status.h"
#include "joints/joint_parts.h"
#include "propriod/state.h"
#include "robot/joint_numbers.h"
#include "robot/robot.h"
#include "robot/sensor_frame.h"
#include "sensors/encoder_health.h"

#include <stdbool.h>
#include <stdint.h>

/* What is believed of a floating base's sensors and of the ground. */
struct joint_base_settings {
  double gyro_bias;          /* rad/s: one standard deviation at the start */
  double accelerometer_bias; /* m/s^2: likewise */
  double gyro_walk;          /* rad/s/sqrt(s): how fast the biases change */
  double accelerometer_walk; /* m/s^2/sqrt(s) */
  double velocity_walk;      /* m/s/sqrt(s): what impacts do between two samples */
  double foot_noise;         /* m: of a sole's place, mean of one millisecond, white */
  double foot_walk;          /* m/sqrt(s): how a sole that stands creeps and rolls */
  double sole_noise;         /* rad: of a sole's attitude, likewise */
  double sole_walk;          /* rad/sqrt(s): how a sole that stands rolls */
  double sole_twist;         /* rad/sqrt(s): and how it turns about its normal */
  double foot_slope;         /* rad: of the ground under a sole */
  double foot_height;        /* m: how uneven the ground is from one touch-down to the next */
  double stay_velocity;      /* m/s: of a base without feet */
  double orientation;        /* rad: of an IMU that gives its orientation */
};

struct joint_filter_settings {
  double period_s;  /* s: nominal cycle period; samples closer than half of it share an instant */
  double window_s;  /* s: how late a sample may arrive and still be put in its place */
  double timeout_s; /* s: silent for longer, a stream is missed; all of them for twenty times as
                       long, and the filter starts anew */
  double encoder_noise;   /* rad, one standard deviation, white */
  double prismatic_noise; /* m: of prismatic joints; 0: the number of encoder_noise */
  struct joint_numbers encoder_noise_of; /* rad or m: of some joints, by name */
  double gyro_noise;                     /* rad/s per sample */
  double accelerometer_noise;            /* m/s^2 per sample, of the IMU */
  double cell_noise;                     /* m/s^2 per sample and axis, of a skin cell */
  double joint_density;     /* (rad/s^4)^2 s: white snap density at the start; adapted */
  double joint_density_min; /* same unit: bounds of the adaptation */
  double joint_density_max;
  double base_ang_density; /* (rad/s^4)^2 s: white noise on the third derivative of omega */
  double base_lin_density; /* (m/s^4)^2 s: white noise on the second derivative of specific force */
  bool adapt_density;      /* jump rule, slow adaptation of joint_density, aftershocks */
  bool link_bias;          /* slow errors of what skin says of each acceleration */
  double cell_bias;        /* m/s^2: slow error of a cell, one standard deviation: bias, and gravity
                              through        an orientation that is off (2 degrees are 0.34) */
  double cell_common;      /* m/s^2: what all skin has in common, a gain for instance, in gravity */
  double link_bias_time;   /* s: correlation time of link biases */
  double cell_range;       /* m/s^2: a cell reading at or beyond this is saturated */
  enum joint_form form;    /* joint_parts.h */
  size_t joints_together;  /* so many joints share a covariance before others stand apart */
  vec3 fixed_base_force;   /* m/s^2, base coordinates: specific force of a fixed base */
  struct joint_base_settings base;
};

/* Values for a humanoid with inexpensive sensors at 1 kHz. [any] */
struct joint_filter_settings joint_filter_defaults(void);

struct joint_filter;

/* The state of a filter for all joints of this robot. [any] */
struct joint_layout;
struct joint_layout joint_filter_layout(const struct robot *robot, bool link_bias);

/* Builds a filter over `arena`; `robot` must outlive it. On a counting arena only counts. [start,
 * worker] STATUS_OUT_OF_RANGE: a setting that is no density, deviation or time; STATUS_NO_MEMORY.
 */
enum status joint_filter_init(struct joint_filter **filter, const struct robot *robot,
                              const struct joint_filter_settings *settings, struct arena *arena);

/* Begins again: forgets state, biases, densities and history; keeps counters. [any] */
void joint_filter_reset(struct joint_filter *filter);

/* Which feet stand, [n_feet]; `hanging`: all of them move, something else carries the robot. Holds
 * for the samples to come. [real-time] */
struct base_contact;
void joint_filter_contacts(struct joint_filter *filter, const struct base_contact *contact,
                           bool hanging);

/* Triads of the IMU that have frozen, bits 1 << enum imu_triad: they are refused for as long, and
 * what they have told since they jumped, if they are on trial for that, is taken back
 * (imu_judge.h). Holds for the samples to come. [real-time] */
void joint_filter_deny_imu(struct joint_filter *filter, unsigned frozen);

/* How long the silence of all streams was that the newest step has ended, s; 0: it has ended none.
 * [real-time] */
double joint_filter_silence(const struct joint_filter *filter);

/* The body has just begun to move, as encoders tell, and accelerations still lag. [real-time] */
bool joint_filter_begins(const struct joint_filter *filter);

/* The base feels a blow at the newest instant. [real-time] */
bool joint_filter_struck(const struct joint_filter *filter);

/* How much of what the estimate says of contacts proves nothing, each with those before. */
enum base_doubt {
  BASE_SURE,
  BASE_UNWEIGHED, /* forces: the accelerometer is refused */
  BASE_TRIED,     /* that something else carries the robot: the IMU has jumped */
  BASE_SUSPECTED, /* how feet move: and it is off, or feet go as they would if it is wrong */
};
/* [real-time] */
enum base_doubt joint_filter_doubts(const struct joint_filter *filter);

/* How far each foot that stands is dragged along: its mean innovation over some ms, squared, over
 * the variance that such a mean has; per axis, 1 when it stands; [n_feet]. [real-time] */
void joint_filter_foot_drag(const struct joint_filter *filter, double drag[ROBOT_MAX_FEET]);

/* Takes what is fresh in `frame` and estimates the motion at `frame->t_ns`. [real-time]
 * Writes of `out`: q dq ddq jerk and their deviations, orientation position_W velocity_W omega_B
 * omegadot_B specific_force_B gyro_bias_B, nis_*, joint_health, n_joints, t_ns, status, resets, and
 * their bits in `estimated`; leaves the rest. Nothing non-finite is written under a bit that is
 * set. */
void joint_filter_step(struct joint_filter *filter, const struct sensor_frame *frame,
                       struct propriod_state *out);

/* What happened since init; published in `diag`. */
struct joint_filter_counters {
  uint64_t steps, updates, replays; /* cycles, instants updated, instants updated again */
  uint64_t prepared;                /* skin samples for which everything was ready when they came */
  uint64_t time_refused;            /* stamps of zero, or ahead of the clock */
  uint64_t slips;                   /* encoders taken back after a lasting step */
  uint64_t late_dropped;            /* samples older than window_s */
  uint64_t duplicates;              /* samples with a time stamp already taken */
  uint64_t encoder_repeated;        /* readings of encoders that had not measured since the last */
  uint64_t encoder_rejected, imu_rejected, link_rejected; /* rows or blocks that failed a gate */
  uint64_t cell_rejected; /* readings invalid, saturated or not finite */
  uint64_t jumps;         /* steps of acceleration found and followed */
  uint64_t silences;      /* of all streams, after which motion had to be found anew */
  uint64_t repairs;       /* factorisations that needed help */
  uint64_t resets;        /* divergences and gaps after which the filter began again */
};
const struct joint_filter_counters *joint_filter_counters(const struct joint_filter *filter);

/* The state of every skin cell; for the published `skin` topic and for cell selection. [real-time]
 */
struct cell_health;
const struct cell_health *joint_filter_cells(const struct joint_filter *filter);

/* The skin of a link as it was fused last, or NULL when the link has none. [real-time] */
struct link_skin;
const struct link_skin *joint_filter_skin(const struct joint_filter *filter, size_t link);

/* Uses the chosen cells and no others; [n_cells]. [real-time] */
void joint_filter_choose(struct joint_filter *filter, const bool *chosen);
bool joint_filter_uses(const struct joint_filter *filter, size_t cell);

/* Takes over state, biases, adapted densities and counters of a filter of the same robot.
 * [real-time] Slow errors of skin begin anew where only one of both has them. STATUS_BAD_ARGUMENT:
 * joints, links or feet differ; the counters alone are taken, and the
 * new beginning is one of `resets`. */
enum status joint_filter_adopt(struct joint_filter *filter, const struct joint_filter *previous);

#endif
