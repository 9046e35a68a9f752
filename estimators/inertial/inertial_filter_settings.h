/* The settings of an inertial filter; what they may be is in the table of inertial_settings.c.
 * [any] */
#ifndef INERTIAL_FILTER_SETTINGS_H
#define INERTIAL_FILTER_SETTINGS_H

#include "inertial/change_detector.h"
#include "inertial/inertia_follower.h"
#include "inertial/inertial_core.h"
#include "inertial/inertial_drives.h"
#include "model/model.h"

enum inertial_gate {
  INERTIAL_GATE_NONE,
  INERTIAL_GATE_HUBER, /* beyond the bound a row's pull no longer grows */
  INERTIAL_GATE_HARD   /* beyond the bound rows are left out (Foster) */
};

struct inertial_filter_settings {
  struct inertial_core_settings core;
  struct inertial_spread change; /* what a change that was found may amount to */
  double block_s;                /* s: rows are averaged over this */
  double cycle_s;                /* s between calls of step or continue, over which an update is
                                    spread; 0: step is called in every cycle */
  double force_noise;            /* N: of a block, base force rows */
  double moment_noise;           /* N m: of a block, base moment rows */
  double torque_noise;           /* N m: of a block, joint rows */
  double model_error; /* share by which rows are off when forces are elsewhere than at first */
  double noise_time;  /* s: correlation time of noise in motion until it is learned */
  double noise_gain;  /* learned variances count this much: they were found at rest */
  enum inertial_gate gate;
  double gate_quantile; /* normal quantile of the chi-square bound */
  struct change_settings detector;
  struct drive_settings drives;
  double calibration_s; /* s from the start in which the residual becomes the bias; 0: none */
  double bias_force;    /* N, N m: deviations of the rows' biases; what the start leaves ... */
  double bias_moment;   /* ... beyond is a load that was there */
  double bias_torque;
  double blank_s;         /* s after a strike without rows */
  double rest_rate;       /* rad/s: slower than this everywhere, and it is a rest ... */
  double rest_s;          /* s: ... when it lasts this long */
  double least_gain;      /* nats: at rest, rows that bring less are passed over */
  double creep_force;     /* N/s: fastest bias that is learned at rest */
  double creep_moment;    /* N m/s */
  double wrench_delay_s;  /* s by which wrenches' stamps are late to begin with, ... */
  double torque_delay_s;  /* ... and efforts' */
  bool correct_delay;     /* makes good what is found beyond */
  bool correct_regressor; /* takes out what the regressor's noise does to the estimate */
  struct inertia_follower_settings publish;
};

/* Values for a humanoid with force/torque sensors in its ankles. [any] */
struct inertial_filter_settings inertial_filter_defaults(void);

#endif
