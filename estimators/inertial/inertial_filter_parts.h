/* The parts of the inertial filter that its own files share. */
#ifndef INERTIAL_FILTER_PARTS_H
#define INERTIAL_FILTER_PARTS_H

#include "inertial/change_detector.h"
#include "inertial/inertial_filter.h"
#include "inertial/observability.h"
#include "inertial/rest_statistics.h"
#include "inertial/row_block.h"
#include "inertial/row_noise.h"
#include "inertial/row_scatter.h"

/* The gain is a running mean over this, s, and motion counts as present for as long. */
#define INERTIAL_GAIN_TIME 1.0

/* What is done about a block, in this order; one step a cycle where blocks are long enough. */
enum inertial_stage { /* the table in inertial_block.c */
                      INERTIAL_IDLE,
                      INERTIAL_TEST,
                      INERTIAL_BEGIN,
                      INERTIAL_UPDATE,
                      INERTIAL_FINISH,
                      INERTIAL_UNLADEN,
                      INERTIAL_LADEN
};

/* The most steps that a block takes. */
#define INERTIAL_STEPS (5 + INERTIAL_MAX_ITERATIONS)

struct inertial_filter {
  struct inertial_filter_settings settings;
  const struct robot *robot;
  size_t n_links, n;
  size_t link[INERTIAL_MAX_LINKS];
  struct inertia prior[INERTIAL_MAX_LINKS];
  double reach; /* m: how far the robot's links lie apart */
  struct inertial_measurement measurement;
  double row_sd[INERTIAL_MAX_ROWS]; /* N or N m, by slot: told deviation of a row over a block */
  struct inertial_core core;
  struct rest_statistics rest;
  struct row_noise noise;          /* of a block */
  double alike[INERTIAL_MAX_ROWS]; /* (N, N m)^2: what of its variances the model's errors are */
  struct row_scatter scatter;      /* in motion, beside it */
  struct observability observability;
  struct change_detector detector;
  struct misalignment misalignment;

  struct row_block instants;                        /* the newest, for the delay */
  struct row_block filling;                         /* takes the rows of now */
  struct row_block block;                           /* is worked on */
  struct row_block start;                           /* what the start measures */
  double start_s;                                   /* s of the start that have passed */
  double start_force[INERTIAL_MAX_ROWS];            /* N m and N, by slot: what was measured then */
  double crept[ROBOT_BASE_ROWS + MODEL_MAX_JOINTS]; /* N m and N, by row of the robot: how far
                                                       sensors have crept at rest since */
  enum inertial_stage stage;                        /* of the work on `block` */
  struct inertial_rows rows;                        /* of `block`, white */
  double nis, information;                          /* of these rows: e^T S^-1 e; nats */

  double blank_left_s, still_s;
  double rest_used_s; /* of this rest */
  double opened_s;    /* of motion since the estimate was opened */
  double refused_s;   /* since rows were used */
  double unjudged_s;  /* since it was judged how likely a load from the start is */
  double unladen;     /* nats of the evidence without a load from the start */
  bool settled;       /* at rest, and nothing new has been said for a while */
  bool is_new;        /* the estimate or its covariance has changed */
  bool out_of_reach;  /* a centre is where its link is not */
  bool contradicted;  /* by the rows of the block that fills */
  bool wavering;      /* it was contradicted or the detector was, when deviations were told */
  double *YtWY, *YtWz;
  double expected[INERTIAL_MAX_ROWS]; /* N or N m: torques of a block, by the estimate */
  struct inertial_result result;
};

/* Places behind the parameters of a row's bias, friction and gain, SIZE_MAX: it has none. [any] */
void inertial_places(const struct inertial_filter *filter, size_t row, size_t *bias, size_t *stick,
                     size_t *gain);

/* The start is still being measured. [any] */
static inline bool inertial_filter_starts(const struct inertial_filter *filter) {
  return filter->start_s < filter->settings.calibration_s;
}

/* Goes back to the parameters that it was built with: nothing has been learned but noise at rest.
 * What is published follows. [real-time] */
void inertial_filter_begin_again(struct inertial_filter *filter);

/* What the links are told to be after dt seconds, and how sure that is; what is doubted, and why:
 * inertial_told.c. [real-time] */
void inertial_filter_tell(struct inertial_filter *filter, double dt);

/* Work on a block is spread over cycles, which are short enough for it. dt: s of this cycle.
 * [real-time] */
bool inertial_block_is_spread(const struct inertial_filter *filter, double dt);

/* Takes what has been filled, when it is time to, and begins another block. [real-time] */
void inertial_block_take(struct inertial_filter *filter, double dt);

/* Forgets rows that have not been used. [real-time] */
void inertial_block_empty(struct inertial_filter *filter);

/* One step of the work on the block; all of it unless `spread`. [real-time] */
void inertial_block_work(struct inertial_filter *filter, bool spread);

#endif
