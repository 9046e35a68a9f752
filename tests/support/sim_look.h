/* Runs of the simulation whose every frame a test looks at, and what its sensors' errors come
 * to. */
#ifndef SIM_LOOK_H
#define SIM_LOOK_H

#include "support/sim_fixture.h"

/* Runs the simulation and hands every frame to `look`. */
void run(const struct sim_options *options, void (*look)(const struct sim *sim, void *user),
         void *user);

struct sim_options chain_options(const struct stock_robot *stock, double duration_s);

struct moments {
  double sum, squares;
  long n;
};

void add(struct moments *moments, double x);

double mean_of(const struct moments *m);

double deviation_of(const struct moments *m);

#endif
