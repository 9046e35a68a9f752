/* What the chosen links weigh, online: rows from the sensors, averaged in blocks, weighed, watched
 * for changes, estimated, and published no faster than a controller can bear. After Foster et al.,
 * with what their filter lacks: a physical meaning of priors, robust weights, memory, standstill.
 *
 *   each cycle   rows of this instant -> block average; one iteration of the update on its way
 *   each block   bias out -> judge -> change detector -> Huber weight or gate -> begin an update
 *   standing     the regressor is its mean over the rest (its noise must not look like excitation),
 *                nothing drifts, rows that bring no information are passed over: the estimate is
 *                constant; a slow creep of the sensors goes into a bias
 *
 * Pure: no clock, no threads, no I/O. [real-time] unless said otherwise. */
#ifndef INERTIAL_FILTER_H
#define INERTIAL_FILTER_H

#include "change_detector.h"
#include "inertia_follower.h"
#include "inertial_core.h"
#include "inertial_link_estimate.h"
#include "inertial_measurement.h"
#include "misalignment.h"
#include "rest_statistics.h"
#include "row_bias.h"
#include "row_block.h"

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
  double joint_noise[MODEL_MAX_JOINTS]; /* N m: the same of one joint; 0: torque_noise */
  double noise_gain; /* learned variances count this much: they were found at rest */
  enum inertial_gate gate;
  double gate_quantile;   /* normal quantile of the chi-square bound */
  size_t detector_window; /* blocks; 0: no detector */
  double detector_clip;   /* standard deviations */
  double detector_quantile;
  double calibration_s;   /* s from the start in which the residual becomes the bias; 0: none */
  double blank_s;         /* s after a strike without rows */
  double rest_rate;       /* rad/s: slower than this everywhere, and it is a rest ... */
  double rest_s;          /* s: ... when it lasts this long */
  double least_gain;      /* nats: at rest, rows that bring less are passed over */
  double creep_force;     /* N/s: fastest bias that is learned at rest */
  double creep_moment;    /* N m/s */
  bool correct_regressor; /* takes out what the regressor's noise does to the estimate */
  struct inertia_follower_settings publish;
};

/* Values for a humanoid with force/torque sensors in its ankles. [any] */
struct inertial_filter_settings inertial_filter_defaults(void);

enum inertial_state {
  INERTIAL_OFF,         /* sensors are missing; `missing` says which */
  INERTIAL_CALIBRATING, /* learns the residual's bias */
  INERTIAL_RUNNING,
  INERTIAL_RESTING /* runs, and the robot stands still */
};

struct inertial_counters {
  uint64_t blocks, updates;     /* completed; used */
  uint64_t weighed_down, gated; /* beyond the bound: Huber, hard */
  uint64_t changes;             /* found by the detector */
  uint64_t passed_over;         /* at rest, without information */
  uint64_t blanked;             /* cycles around strikes */
  uint64_t rejected;            /* results or rows that were no numbers, or S ill-conditioned */
};

struct inertial_result {
  enum inertial_state state;
  unsigned missing;  /* INERTIAL_NEEDS_*, when off or with fewer rows */
  uint64_t snapshot; /* grows with every change of an estimate */
  size_t n_links;
  struct inertial_link_estimate link[INERTIAL_MAX_LINKS];
  double nis_per_row; /* of the last block; about 1 */
  double detector;    /* share of the detector's bound */
  double gain;        /* nats per second that the rows bring */
  bool delay_known;
  double delay_s, delay_sd_s; /* by how much forces come after the motion */
  struct inertial_counters counters;
};

struct inertial_filter;

/* Builds a filter for the chosen links of a robot, which must outlive it. [start, worker]
 * prior: [n_links] parameters about the links' origins; NULL for the model's. On a counting arena
 * only counts. STATUS_OUT_OF_RANGE: a setting that is no noise, time or rate, or a detector that
 * could never alarm. Statuses of inertial_core_init and inertial_measurement_init. */
enum status inertial_filter_init(struct inertial_filter **filter, const struct robot *robot,
                                 const struct inertial_filter_settings *settings,
                                 const size_t *link, size_t n_links, const struct inertia *prior,
                                 struct arena *arena);

/* Begins again from the prior given to init. [any] */
void inertial_filter_reset(struct inertial_filter *filter);

/* One cycle of dt seconds. strike: a foot has just met the ground. result: written in full. */
void inertial_filter_step(struct inertial_filter *filter, const struct inertial_inputs *inputs,
                          double dt, bool strike, struct inertial_result *result);

/* A cycle without rows: one iteration of the update on its way; the next step tells. [real-time] */
void inertial_filter_continue(struct inertial_filter *filter);

/* Takes what was learned earlier, [n_links]: estimate with its covariance [10 n_links]^2 in the
 * state's coordinates. STATUS_NOT_CONSISTENT, _NOT_FINITE, _SINGULAR: refused, nothing changed. */
enum status inertial_filter_recall(struct inertial_filter *filter, const struct inertia *estimate,
                                   const double *covariance);

/* Takes over what `previous`, a filter of the same links in the same form, has learned: estimate,
 * covariance, bias, noise at rest, what it publishes. [real-time] STATUS_BAD_ARGUMENT: other links.
 */
enum status inertial_filter_adopt(struct inertial_filter *filter,
                                  const struct inertial_filter *previous);

/* What happened since init. [any] */
const struct inertial_counters *inertial_filter_counters(const struct inertial_filter *filter);

/* Grows with every change of an estimate. [any] */
uint64_t inertial_filter_snapshot(const struct inertial_filter *filter);

/* The estimator inside, for saving and for tests. [any] */
const struct inertial_core *inertial_filter_core(const struct inertial_filter *filter);

#endif
