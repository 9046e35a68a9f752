/* Inertial parameters of the links that the configuration names, from the pipeline's own streams.
 *
 * Motion, joint torques and wrenches come with different delays, and a few milliseconds between
 * them look like mass at every foot strike. Forces therefore wait until all that were sampled at
 * one instant have come, and until the motion of that instant is final (joint_history.h). */
#ifndef INERTIAL_ESTIMATOR_H
#define INERTIAL_ESTIMATOR_H

#include "common/arena.h"
#include "common/status.h"
#include "inertial/inertial_filter.h"
#include "joints/joint_history.h"
#include "propriod/state.h"
#include "robot/robot.h"
#include "robot/sensor_frame.h"

struct inertial_settings {
  size_t n_links;                                 /* 0: no inertial estimation */
  char link[INERTIAL_MAX_LINKS][MODEL_NAME_SIZE]; /* names of links, or of frames on them */
  bool feed_centroidal; /* what is published also goes into centre of mass and momentum */
  double period_s;      /* nominal cycle period */
  struct inertial_filter_settings filter;
};

struct inertial_settings inertial_defaults(void);

struct inertia_estimate {
  uint64_t seq;
  int64_t t_ns; /* of the newest instant used */
  enum propriod_status status;
  bool misaligned; /* stamps are surely more than INERTIAL_WORST_DELAY off; degraded where that is
                      not made good */
  struct inertial_delay delay, torque_delay; /* of wrenches, of torques: what is made good and what
                                                is left */
  char name[INERTIAL_MAX_LINKS][MODEL_NAME_SIZE]; /* of the links, as configured */
  struct inertial_result result;                  /* n_links 0: not configured */
};

struct inertial_estimator;

/* The body that a configured name stands for: a link, or the link of a frame. -1: there is none.
 * [start] */
int inertial_link(const struct robot *robot, const char *name);

/* Builds an estimator; `robot` must outlive it. [start] [worker] On a counting arena only counts.
 * STATUS_BAD_ARGUMENT: a link that the robot does not have, or twice the same. Statuses of
 * inertial_filter_init. */
enum status inertial_estimator_init(struct inertial_estimator **estimator,
                                    const struct robot *robot,
                                    const struct inertial_settings *settings, struct arena *arena);

/* Takes the forces that are fresh in `frame`, and those kept whose motion `history` now has;
 * strike: a foot has just met the ground. [real-time] Writes all of `out` but `seq`. */
void inertial_estimator_step(struct inertial_estimator *estimator, const struct sensor_frame *frame,
                             struct joint_history *history, bool strike,
                             struct inertia_estimate *out);

/* The whole robot's parameters, [n_links]: the model's, with what is published in place of the
 * chosen links' when the settings say so. [any] Valid until the next step. */
const struct inertia *inertial_estimator_inertia(const struct inertial_estimator *estimator);

/* Begins again from the model, as after init. [real-time] */
void inertial_estimator_reset(struct inertial_estimator *estimator);

/* Takes over what `previous` has learned of the same links. [real-time] */
void inertial_estimator_adopt(struct inertial_estimator *estimator,
                              const struct inertial_estimator *previous);

/* What it was built with. [any] */
const struct inertial_settings *
inertial_estimator_settings(const struct inertial_estimator *estimator);

/* The filter inside, or NULL when no link is configured. [any] */
struct inertial_filter *inertial_estimator_filter(struct inertial_estimator *estimator);

#endif
