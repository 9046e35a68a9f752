/* Attitude, velocity and position of the base from the IMU and the feet that stand.
 *
 * An error-state Kalman filter about one point S of the base, the IMU's, with axes of the base
 * frame:
 *
 *   R' = R S(omega - b_g),  v' = R (f - b_a) + g,  p' = v,      b_g, b_a random walks
 *
 * R = R_WB, v and p of S in the world, omega and f what gyro and accelerometer read, turned into
 * base axes. A foot that stands is a second velocity sensor: the world velocity of its sole is
 * zero, within what rolling and slipping feet do. Tilt is observable through it and gravity, also
 * while the body accelerates; yaw and position are not and drift slowly. Robots without feet get
 * the weaker knowledge that they stay where they are.
 */
#ifndef BASE_FILTER_H
#define BASE_FILTER_H

#include "common/status.h"
#include "math/spatial.h"

#include <stdbool.h>
#include <stdint.h>

/* Order of the error state: rotation (base axes), velocity, position (world axes), gyro and
 * accelerometer bias (base axes). */
enum base_error {
  BASE_THETA = 0,
  BASE_V = 3,
  BASE_P = 6,
  BASE_BG = 9,
  BASE_BA = 12,
  BASE_ERRORS = 15
};

struct base_filter_settings {
  double gyro_noise;          /* rad/s/sqrt(Hz) */
  double accelerometer_noise; /* m/s^2/sqrt(Hz) */
  double gyro_walk;           /* rad/s^2/sqrt(Hz): random walk of b_g */
  double accelerometer_walk;  /* m/s^3/sqrt(Hz): random walk of b_a */
  double gyro_bias; /* rad/s: what is left of b_g after calibration at rest; a loose prior lets yaw
                       run away */
  double accelerometer_bias; /* m/s^2: prior of b_a */
  double foot_velocity; /* m/s: velocity of a sole that stands, rolling and noise of the encoders
                           included; per sample at 1 kHz, less with fewer samples */
  double foot_height;   /* m: height of a sole over its ground */
  double stay_velocity; /* m/s: of a base without feet */
  double orientation;   /* rad: of an IMU that gives its orientation */
  double huber;         /* standard deviations beyond which an innovation counts less */
};

struct base_filter_settings base_filter_defaults(void);

struct base_filter {
  struct base_filter_settings settings;
  quat q_WB;
  vec3 v_W, p_W; /* m/s, m: of S */
  vec3 b_g, b_a; /* rad/s, m/s^2: base axes */
  double P[BASE_ERRORS][BASE_ERRORS];
  bool started;
  double step_s;         /* s: of the last prediction */
  uint64_t repairs;      /* covariances that had to be mended */
  uint64_t downweighted; /* innovations beyond the Huber bound */
  double nis;            /* normalised innovation squared per degree of freedom, smoothed */
};

/* [start] OUT_OF_RANGE: a setting that is not positive. */
enum status base_filter_init(struct base_filter *filter,
                             const struct base_filter_settings *settings);

/* Starts from rest: tilt from the mean specific force, gyro bias from the mean rate, yaw and
 * position as given. [real-time] f_B      m/s^2, mean specific force at S, base axes; its length
 * tells how much of it is bias omega_B  rad/s, mean gyro reading, base axes NOT_FINITE, or
 * OUT_OF_RANGE when f_B is not within 20 % of gravity: not at rest. */
enum status base_filter_start(struct base_filter *filter, vec3 f_B, vec3 omega_B, double yaw,
                              vec3 p_W);

/* Moves the state by `dt` seconds with the IMU's readings in base axes. [real-time] NOT_FINITE,
 * OUT_OF_RANGE (dt <= 0 or > 0.1 s): nothing moves. */
enum status base_filter_predict(struct base_filter *filter, vec3 omega_B, vec3 f_B, double dt);

/* The readings before ought to have turned the base by so much more, and pushed it so much faster.
 * [real-time] turn_B: rad, push_B: m/s, base axes */
void base_filter_nudge(struct base_filter *filter, vec3 turn_B, vec3 push_B);

/* Two readings `dt` apart differ by so much: the mean that base_filter_predict took hides when the
 * change came, most of all at impacts. [real-time] rad/s, m/s^2 */
void base_filter_blur(struct base_filter *filter, vec3 omega_change, vec3 f_change, double dt);

/* The sole at x_B (m, from S, base axes), moving at dx_B (m/s) relative to the base, stands.
 * [real-time] omega_B  rad/s, gyro reading of this instant share    0 .. 1, how much of the weight
 * it carries: an unloaded foot says less Returns the normalised innovation squared of the three
 * rows. */
double base_filter_foot(struct base_filter *filter, vec3 omega_B, vec3 x_B, vec3 dx_B,
                        double share);

/* The same sole stands at height z (m, world). [real-time] */
void base_filter_height(struct base_filter *filter, vec3 x_B, double z);

/* A base without feet stays about where it is. [real-time] */
void base_filter_stay(struct base_filter *filter);

/* The IMU gives the base's orientation. [real-time] Its yaw becomes ours. */
void base_filter_orientation(struct base_filter *filter, quat q_WB);

/* Rotation R_WB, [any]. */
static inline mat3 base_filter_rotation(const struct base_filter *filter) {
  return mat3_from_quat(filter->q_WB);
}

/* Standard deviation of the tilt, rad: the larger of the two horizontal rotation errors. [any] */
double base_filter_tilt_sd(const struct base_filter *filter);

/* For tests: F of one prediction and H of one foot row, as the filter uses them. */
void base_filter_transition(const struct base_filter *filter, vec3 omega_B, vec3 f_B, double dt,
                            double F[BASE_ERRORS][BASE_ERRORS]);
void base_filter_foot_rows(const struct base_filter *filter, vec3 omega_B, vec3 x_B, vec3 dx_B,
                           vec3 *predicted, double H[3][BASE_ERRORS]);

#endif
