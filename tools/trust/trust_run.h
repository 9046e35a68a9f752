/* The product's own path, pipeline_step, over a tape; with the pipeline's whole state saved and put
 * back, so that a hundred faults are tried from one and the same moment of a walk. */
#ifndef TRUST_RUN_H
#define TRUST_RUN_H

#include "burst_fault.h"
#include "score.h"

struct trust_run {
  const struct tape *tape;
  struct pipeline *pipeline;
  void *memory; /* the pipeline's, all of it */
  size_t bytes;
  struct frame_copy copy;
  struct estimates out;
  size_t next; /* instant to be stepped next */
};

/* A moment to come back to. */
struct trust_moment {
  void *memory;
  struct estimates out;
  size_t next;
};

/* The settings that the tape's sensors ask for: the defaults, with period and encoder noise as they
 * are. [any] */
struct pipeline_settings trust_settings(const struct tape *tape);

/* Builds a pipeline for the tape's robot. [start] Free with trust_run_free. Statuses of
 * pipeline_init. */
enum status trust_run_init(struct trust_run *run, const struct tape *tape,
                           const struct pipeline_settings *settings);
void trust_run_free(struct trust_run *run);

/* Saves the state; puts it back. [any] Free with trust_moment_free. */
enum status trust_run_save(const struct trust_run *run, struct trust_moment *moment);
void trust_run_restore(struct trust_run *run, const struct trust_moment *moment);
void trust_moment_free(struct trust_moment *moment);

/* Steps one instant, through `burst` unless NULL. [any] False at the tape's end. */
bool trust_run_step(struct trust_run *run, struct burst *burst);

/* Steps one instant in which nothing new has come from any sensor. [any] */
bool trust_run_step_silent(struct trust_run *run);

/* What the estimates of the last step are compared with. [any] */
struct quantity_truth trust_run_truth(const struct trust_run *run);

/* Whether joints and base are right at this instant: every position within five encoder deviations
 * and 5 mrad (joints of which `spoilt` is true left out; NULL: none), tilt within 1 degree, base
 * velocity within 0.15 m/s. [any] */
bool trust_run_joints_right(const struct trust_run *run, const bool *spoilt);
bool trust_run_base_right(const struct trust_run *run);

#endif
