/* What the inertial filter has learned: a plain value, for the box between threads and the file
 * between runs. It belongs to one model, to links of it, and to one form of the filter. */
#ifndef LEARNED_INERTIA_H
#define LEARNED_INERTIA_H

#include "pipeline.h"

#include <stdbool.h>
#include <stdint.h>

#define LEARNED_MAX_N (INERTIAL_MAX_LINKS * INERTIA_PARAMETERS)

struct learned_inertia {
  uint64_t model_hash;
  uint64_t snapshot; /* of the filter, to tell one from the next */
  uint64_t updates;  /* that led to it in this run */
  int64_t wall_ns;   /* CLOCK_REALTIME of the saving */
  uint32_t form;     /* enum inertial_form */
  uint32_t n_links;
  char name[INERTIAL_MAX_LINKS][MODEL_NAME_SIZE]; /* of bodies of the model */
  struct inertia estimate[INERTIAL_MAX_LINKS];
  double covariance[LEARNED_MAX_N * LEARNED_MAX_N]; /* [10 n_links]^2, in the state's coordinates */
};

/* What the pipeline's filter knows now. False, and nothing written: no links are configured, an
 * update is on its way, or it has learned nothing yet that is worth more than what it began with
 * (inertial_core_has_learned): a memory is not replaced by less. [real-time] */
bool learned_take(struct pipeline *pipeline, struct learned_inertia *learned);

/* An update is on its way, and what is known can be taken in one of the next cycles. [real-time] */
bool learned_busy(struct pipeline *pipeline);

/* Gives it to a pipeline's filter before the first cycle. [start] STATUS_REFUSED with `error`:
 * another model, other links, another form; statuses of inertial_filter_recall. */
enum status learned_give(const struct learned_inertia *learned, struct pipeline *pipeline,
                         struct message *error);

#endif
