/* A stock robot in a simulation, for tests. */
#ifndef SIM_FIXTURE_H
#define SIM_FIXTURE_H

#include "sim.h"
#include "stock_robot.h"
#include "support/suite.h"

struct stock_robot test_robot(const char *name);

/* Ideal sensors, deterministic; change what the test is about. */
struct sim_options test_options(const struct stock_robot *stock, const char *scenario);

/* The body a little other than described, and a gyro with an ordinary bias. */
void test_a_little_wrong(struct sim_options *options);

struct sim *test_sim(const struct sim_options *options);

#endif
