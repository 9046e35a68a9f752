#include "support/sim_look.h"

#include <math.h>

void run(const struct sim_options *options, void (*look)(const struct sim *sim, void *user),
         void *user) {
  struct sim *sim = test_sim(options);
  while (sim_step(sim) == STATUS_OK) {
    look(sim, user);
  }
  sim_destroy(sim);
}

struct sim_options chain_options(const struct stock_robot *stock, double duration_s) {
  struct sim_options options = test_options(stock, "medium");
  options.duration_s = duration_s;
  return options;
}

void add(struct moments *moments, double x) {
  moments->sum += x;
  moments->squares += x * x;
  moments->n++;
}

double mean_of(const struct moments *m) {
  return m->sum / (double)m->n;
}

double deviation_of(const struct moments *m) {
  return sqrt(fmax(m->squares / (double)m->n - mean_of(m) * mean_of(m), 0.0));
}
