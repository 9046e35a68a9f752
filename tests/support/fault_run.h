/* The whole pipeline on a simulated stock robot, one frame at a time, with a copy of each frame
 * that a test may spoil before the pipeline sees it. */
#ifndef FAULT_RUN_H
#define FAULT_RUN_H

#include "pipeline.h"
#include "skin/cell_health.h"
#include "skin/imu_check.h"
#include "support/pipeline_fixture.h"
#include "support/sim_fixture.h"
#include "trust/tape.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct fault_run {
  struct stock_robot stock;
  struct sim_options options;
  struct pipeline_settings settings;
  struct sim *sim;     /* NULL: played from a tape */
  struct tape tape;    /* what has been recorded, if anything */
  size_t played;       /* of its instants */
  struct arena memory; /* of the pipeline and of the arrays below */
  struct pipeline *pipeline;
  struct estimates out;
  struct sensor_frame frame; /* arrays are our own */
  double *q;                 /* [n_joints] */
  float *acceleration;       /* [n_cells][3] */
  uint8_t *flags;            /* [n_cells] */
  double *tau;               /* [n_joints] */
  struct force wrench[ROBOT_MAX_WRENCH];
};

/* A robot with floating base and the sensors that the joint filter's defaults are made for: skin of
 * 0.34 m/s^2, encoders of 1 mrad, all streams at `rate_hz` but the skin at `skin_hz`. Change what
 * the test is about before fault_run_start. */
struct fault_run *fault_run_new(const char *robot, const char *scenario, double rate_hz,
                                double skin_hz);

/* Simulates so long, once and for all that is tried (below) or goes on in a copy of the run
 * (support/aside.h): what starts then plays it. After the options are as they shall be. */
void fault_run_record(struct fault_run *run, double seconds);

void fault_run_start(struct fault_run *run);

/* Calls `what`, which goes on with the run, and puts the run back to where it was: one that plays a
 * recording. [any] As support/aside.h, without the cost of a process. */
void fault_run_try(struct fault_run *run, void (*what)(void *with), void *with);

/* What is true at the instant of the frame. */
const struct sim_truth *fault_run_truth(const struct fault_run *run);

/* The next frame, in arrays of its own. */
void fault_run_take(struct fault_run *run);

bool fault_run_is_finite(const struct estimates *out);

/* Steps the pipeline with the frame as it is now; `ddq` holds NaN until it is written. */
void fault_run_give(struct fault_run *run);

void fault_run_advance(struct fault_run *run, double seconds);

/* Squared error of ddq now, summed over the joints. */
double fault_run_error(const struct fault_run *run);

void fault_run_end(struct fault_run *run);

#endif
