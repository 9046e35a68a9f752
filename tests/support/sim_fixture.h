/* A stock robot in a simulation, for tests. */
#ifndef SIM_FIXTURE_H
#define SIM_FIXTURE_H

#include "sim.h"
#include "stock_robot.h"
#include "support/suite.h"

static inline struct stock_robot test_robot(const char *name) {
  struct stock_robot stock;
  struct message error = {0};
  ck_assert_msg(stock_robot_load(name, "config/robots", &stock, &error) == STATUS_OK, "%s",
                error.text);
  return stock;
}

/* Ideal sensors, deterministic; change what the test is about. */
static inline struct sim_options test_options(const struct stock_robot *stock,
                                              const char *scenario) {
  struct sim_options options = sim_defaults(stock->robot, stock->urdf, scenario);
  sim_make_ideal(&options);
  return options;
}

/* As ck_assert, for millions of checks: Check notes every assertion in a file, these only
 * failures. */
#define must(condition)                                                                            \
  do {                                                                                             \
    if (!(condition)) {                                                                            \
      ck_abort_msg("%s", #condition);                                                              \
    }                                                                                              \
  } while (0)
#define must_be_near(a, b, tolerance)                                                              \
  do {                                                                                             \
    const double must_a = (a), must_b = (b);                                                       \
    if (!(fabs(must_a - must_b) <= (tolerance))) {                                                 \
      ck_abort_msg("%s is %.12g, %s is %.12g, allowed %g", #a, must_a, #b, must_b,                 \
                   (double)(tolerance));                                                           \
    }                                                                                              \
  } while (0)

static inline struct sim *test_sim(const struct sim_options *options) {
  struct sim *sim = NULL;
  struct message error = {0};
  ck_assert_msg(sim_create(&sim, options, &error) == STATUS_OK, "%s", error.text);
  return sim;
}

#endif
