/* A simulated robot, the pipeline over its sensors, and how what it publishes fares against the
 * truth. */
#ifndef SCORED_RUN_H
#define SCORED_RUN_H

#include "trust/fault_bench.h"

struct scored_run {
  struct tape tape;
  struct trust_run run; /* over the tape: stays where it is */
  struct score score;
};

/* Records the simulation and stands before its first frame. [any] Fails the test where it cannot.
 * scored_run_end frees it. */
void scored_run_begin(struct scored_run *scored, const struct sim_options *options);

/* Stands before frame `next` of the same simulation as if the daemon had just been started, with
 * nothing scored. [any] */
void scored_run_restart(struct scored_run *scored, size_t next);

/* Steps to the end, scoring what is published after `from_s`. [any] */
void scored_run_go(struct scored_run *scored, double from_s);

void scored_run_end(struct scored_run *scored);

#endif
