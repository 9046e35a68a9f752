/* The joint filter alone on a chain of nine joints with 312 cells, fed by the simulator, one frame
 * at a time; a copy of each frame may be spoilt before the filter sees it. */
#ifndef CHAIN_RUN_H
#define CHAIN_RUN_H

#include "joints/joint_filter.h"
#include "sim.h"
#include "stock_robot.h"
#include "support/suite.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { JOINTS = 9 };

struct run {
  struct stock_robot stock;
  struct sim_options options;
  struct joint_filter_settings settings;
  struct sim *sim;
  struct joint_filter *filter;
  struct propriod_state out;
  struct sensor_frame frame; /* a copy that faults may touch */
  double q[JOINTS];
  float *acceleration;
  uint8_t *flags;
  size_t steps;
};

struct run *new_run(const char *scenario, double rate_hz, double skin_hz, double skin_latency_s);

void start(struct run *run);

/* The next frame, in arrays of its own. */
void take_frame(struct run *run);

void assert_sound(const struct propriod_state *out);

void give(struct run *run);

void advance(struct run *run, double seconds);

/* Squared error of ddq now, and the truth's square, (rad/s^2)^2, summed over the joints. */
double error_now(const struct run *run);
double truth_now(const struct run *run);

#endif
