/* What the chosen links weigh, online: rows from the sensors, averaged in blocks, weighed, watched
 * for changes, estimated, and published no faster than a controller can bear. After Foster et al.,
 * with what their filter lacks: a physical meaning of priors, robust weights, memory, standstill.
 *
 *   each cycle   rows of this instant -> block average; one iteration of the update on its way
 *   each block   white rows -> innovation -> changes; what is left teaches the noise in motion;
 *                Huber weight or gate -> begin an update of parameters and biases, with the
 *                regressor's own noise taken away
 *   standing     whatever moves is noise, and is learned; the regressor is its mean over the rest
 *                (its noise must not look like excitation), nothing drifts, rows that bring no
 *                information are passed over: the estimate is constant; a slow creep of the sensors
 *                goes into a bias
 *
 * Pure: no clock, no threads, no I/O. [real-time] unless said otherwise. */
#ifndef INERTIAL_FILTER_H
#define INERTIAL_FILTER_H

#include "inertial/change_detector.h"
#include "inertial/inertia_follower.h"
#include "inertial/inertial_link_estimate.h"
#include "inertial/inertial_measurement.h"
#include "inertial/misalignment.h"

enum inertial_gate {
  INERTIAL_GATE_NONE,
  INERTIAL_GATE_HUBER, /* beyond the bound a row's pull no longer grows */
  INERTIAL_GATE_HARD   /* beyond the bound rows are left out (Foster) */
};

/* What they may be is in the table of inertial_settings.c. */
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

enum inertial_state {
  INERTIAL_OFF,         /* sensors are missing; `missing` says which */
  INERTIAL_CALIBRATING, /* learns the residual's bias */
  INERTIAL_RUNNING,
  INERTIAL_RESTING /* runs, and the robot stands still */
};

enum inertial_source {
  INERTIAL_FROM_MODEL,  /* nothing has been learned */
  INERTIAL_FROM_MEMORY, /* as an earlier run has learned it */
  INERTIAL_FROM_SENSORS
};

struct inertial_counters {
  uint64_t blocks, updates;     /* completed; used */
  uint64_t weighed_down, gated; /* beyond the bound: Huber, hard */
  uint64_t changes;             /* found by the detector */
  uint64_t passed_over;         /* at rest, without information */
  uint64_t blanked;             /* cycles around strikes */
  uint64_t rejected;            /* results or rows that were no numbers, or S ill-conditioned */
  uint64_t resets;              /* to the model, after rows were rejected for long */
};

/* What a detector that doubts itself doubts most. */
enum inertial_doubt {
  INERTIAL_SURE,
  INERTIAL_DOUBTS_LINKS,   /* a load is on another link, or changes hands */
  INERTIAL_DOUBTS_SENSORS, /* rows are much noisier than was told */
  INERTIAL_DOUBTS_STAMPS   /* forces and motion are apart */
};

/* s: a delay between forces and motion surely beyond this is a fault of the sensors' stamps; the
 * deviations by which it must be for that, and beyond what is let be to be made good. */
#define INERTIAL_WORST_DELAY 2e-3
#define INERTIAL_SURELY      2.0

struct inertial_result {
  enum inertial_state state;
  enum inertial_source source; /* of the estimates */
  unsigned missing;            /* INERTIAL_NEEDS_*, when off or with fewer rows */
  uint64_t snapshot;           /* grows with every change of an estimate */
  size_t n_links;
  struct inertial_link_estimate link[INERTIAL_MAX_LINKS];
  bool calibrated;           /* load and bias have been told apart: every link's mass is known to
                              * half of what the model's is, were gains as they are told */
  bool diverged;             /* rows were refused for long, and it began again */
  bool doubted;              /* alarms came too often ... */
  enum inertial_doubt doubt; /* ... and what is the most likely cause */
  double nis;                /* of the last block; about 1 */
  double detector;           /* share of the detector's bound */
  double alarm_rate;         /* 1/s: of the newest few */
  double noise;              /* deviations of the worst row in units of the told one */
  double gain;               /* nats per second that the rows bring */
  struct inertial_delay delay, torque_delay; /* of wrenches; of joint torques: of what is left */
  struct inertial_counters counters;
};

struct inertial_filter;

/* Whether forces of either kind and motion are surely apart. [any] */
bool inertial_is_apart(const struct inertial_delay *wrenches, const struct inertial_delay *torques);

/* Values for a humanoid with force/torque sensors in its ankles. [any] */
struct inertial_filter_settings inertial_filter_defaults(void);

/* Builds a filter for the chosen links of a robot, which must outlive it. [start] [worker] On a
 * counting arena only counts. Statuses of change_detector_init, inertial_core_init and
 * inertial_measurement_init. */
enum status inertial_filter_init(struct inertial_filter **filter, const struct robot *robot,
                                 const struct inertial_filter_settings *settings,
                                 const size_t *link, size_t n_links, struct arena *arena);

/* Begins again from the model. [any] */
void inertial_filter_reset(struct inertial_filter *filter);

/* One cycle of dt seconds. strike: a foot has just met the ground. result: written in full. */
void inertial_filter_step(struct inertial_filter *filter, const struct inertial_inputs *inputs,
                          double dt, bool strike, struct inertial_result *result);

/* Forces are taken at other instants from now on, by a delay that was found: what rows have said so
 * far is forgotten. [real-time] */
void inertial_filter_realign(struct inertial_filter *filter);

/* A cycle without rows: one iteration of the update on its way; the next step tells. [real-time] */
void inertial_filter_continue(struct inertial_filter *filter);

/* Takes what was learned earlier, [n_links]: estimate with its covariance [10 n_links]^2 in the
 * state's coordinates. STATUS_NOT_CONSISTENT, _NOT_FINITE, _SINGULAR: refused, nothing changed. */
enum status inertial_filter_recall(struct inertial_filter *filter, const struct inertia *estimate,
                                   const double *covariance);

/* Takes over what `previous`, a filter of the same links in the same form, has learned: estimate,
 * covariance, bias, noise at rest, what it publishes. [real-time] STATUS_BAD_ARGUMENT: other
 * links. */
enum status inertial_filter_adopt(struct inertial_filter *filter,
                                  const struct inertial_filter *previous);

/* As the last step told it. [any] */
const struct inertial_result *inertial_filter_result(const struct inertial_filter *filter);

/* The estimator inside, for saving and for tests. [any] */
const struct inertial_core *inertial_filter_core(const struct inertial_filter *filter);

#endif
