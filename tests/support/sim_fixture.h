/* A stock robot in a simulation, for tests. */
#ifndef SIM_FIXTURE_H
#define SIM_FIXTURE_H

#include "sim.h"
#include "stock_robot.h"
#include "support/suite.h"

struct stock_robot test_robot(const char *name);

/* Ideal sensors, deterministic; change what the test is about. */
struct sim_options test_options(const struct stock_robot *stock, const char *scenario);

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

struct sim *test_sim(const struct sim_options *options);

#endif
