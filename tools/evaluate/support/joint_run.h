/* One run of a simulated robot past the product's pipeline and past all that encoders alone give,
 * with the truth beside it. */
#ifndef JOINT_RUN_H
#define JOINT_RUN_H

#include "pipeline.h"
#include "sim.h"
#include "stock_robot.h"
#include "support/butterworth.h"
#include "support/encoder_kalman.h"

/* Who estimates. */
enum estimator {
  BY_KF3,         /* null jerk, one density for all joints, the best for this run's truth */
  BY_KF3_JOINT,   /* null jerk, the best density for each joint */
  BY_KF4,         /* white snap, one density, the best */
  BY_BUTTERWORTH, /* 15 Hz, third order, differences */
  BY_ZERO_PHASE,  /* the same forwards and backwards: not to be had online */
  BY_FILTER,
  ESTIMATORS
};

extern const char *const estimator_name[ESTIMATORS];

struct joint_run_options {
  const char *robot;
  const char *scenario;
  double encoder_noise;         /* rad */
  double rate_hz;               /* of encoders, IMU and filter */
  double skin_hz, skin_delay_s; /* of the skin */
  double skin_errors;           /* 1: bias 0.1 m/s^2, scale 2 %, orientation 2 degrees; 0: none */
  double strike_speed;          /* m/s, of a walker's feet */
  double seconds, score_from_s;
  bool fixed_base;
  unsigned long seed;
  double imu_errors;        /* 1: bias of every IMU 0.3 m/s^2 and 0.03 rad/s; 0: none */
  const char *const *limb;  /* names of links that carry an IMU at `limb_place`, NULL last */
  vec3 limb_place;          /* m */
  size_t no_skin_from_link; /* links from here on lose their skin at no_skin_s; 0: none */
  double no_skin_s;
};

enum derivative { OF_Q, OF_DQ, OF_DDQ, DERIVATIVES };

struct joint_run {
  size_t n_joints, n;                        /* samples */
  size_t from;                               /* first sample that counts */
  double dt;                                 /* s */
  double *t;                                 /* [n] */
  double *encoder;                           /* [n_joints][n] */
  double *truth[DERIVATIVES];                /* [n_joints][n] */
  double *estimate[ESTIMATORS][DERIVATIVES]; /* [n_joints][n] */
  double *ddq_sd;                            /* [n_joints][n] of the filter */
  bool *at_skin;                             /* [n] a skin sample was taken at this instant */
  double nees, nis_encoders, nis_skin;
  struct joint_filter_counters counters;
};

struct joint_run joint_run_of(const struct joint_run_options *o);

void joint_run_free(struct joint_run *run);

/* Root mean square error over joints [from_joint, n_joints) and all samples that count, or those
 * with a fresh skin sample. */
double joint_run_rms(const struct joint_run *run, enum estimator by, enum derivative of,
                     size_t from_joint, bool at_skin_only);

/* The best of what encoders alone give. */
double joint_run_best_encoder(const struct joint_run *run);

/* Mean squared error of ddq over the filter's own variance: 1 when consistent. */
double joint_run_nees(const struct joint_run *run);

/* Delay of the estimate in s: the shift of the truth that fits it best, between samples by a
 * parabola. */
double joint_run_lag(const struct joint_run *run, enum estimator by, enum derivative of);

/* What a perfect accelerometer read at the skin's instants and held in between would err by: the
 * floor of whoever sees a jump only when the skin next looks. */
double joint_run_held_rms(const struct joint_run *run);

#endif
