/* What the estimators say about themselves a few times a second, from the real-time thread to the
 * publisher: their counters, and the health of every skin cell.
 * Neither side ever waits, and the reader gets the newest, not all. */
#ifndef ESTIMATOR_REPORT_H
#define ESTIMATOR_REPORT_H

#include "common/arena.h"
#include "common/status.h"
#include "joints/joint_filter.h"
#include "pipeline.h"
#include "skin/cell_health.h"

#include <stddef.h>
#include <stdint.h>

struct estimator_report {
  uint64_t seq; /* of the cycle it was made in */
  int64_t t_ns; /* instant of that cycle's estimate */
  struct joint_filter_counters filter;
  struct reading_counters readings;
  size_t n_cells;
  uint64_t cells_in[CELL_STATES];  /* cells in each state */
  uint64_t rejected[CELL_REASONS]; /* samples, by reason, since the start */
  uint64_t outliers;               /* samples taken out of a fusion since the start */
  uint64_t links_whole;            /* links whose skin tells all of their acceleration now */
  uint64_t links_partial;          /* links with skin that tells less, or nothing */
  uint8_t *state, *reason;         /* [n_cells] enum cell_state, enum cell_reason */
  uint8_t *chosen;                 /* [n_cells] 1: used */
  float *residual;                 /* [n_cells] m/s^2, smoothed size */
};

struct estimator_reports;

/* Reports for robots of up to `max_cells` cells, every page touched; `every`: a report each so many
 * cycles, at least 1. [start] NO_MEMORY: the arena is full. */
enum status estimator_reports_init(struct estimator_reports **reports, size_t max_cells,
                                   unsigned every, struct arena *arena);

/* Once a cycle: when it is time, copies what the pipeline says. [real-time] */
void estimator_reports_write(struct estimator_reports *reports, const struct pipeline *pipeline,
                             const struct estimates *estimates);

/* The newest report if it has not been taken before, or NULL. Valid until the next call.
 * [publisher] */
const struct estimator_report *estimator_reports_take(struct estimator_reports *reports);

#endif
