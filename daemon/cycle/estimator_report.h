/* What the estimators say about themselves a few times a second, from the real-time thread to the
 * publisher: their counters, and the health of every skin cell.
 * Neither side ever waits, and the reader gets the newest, not all. */
#ifndef ESTIMATOR_REPORT_H
#define ESTIMATOR_REPORT_H

#include "common/arena.h"
#include "common/status.h"
#include "describe/field.h"
#include "joints/joint_filter.h"
#include "pipeline.h"
#include "skin/cell_health.h"

#include <stddef.h>
#include <stdint.h>

/* What the estimators count, since the start. */
struct estimator_counters {
  struct joint_filter_counters filter;
  struct reading_counters readings;
  uint64_t rejected[CELL_REASONS]; /* samples of skin cells, by reason */
};

struct estimator_report {
  uint64_t seq;       /* of the cycle it was made in */
  int64_t t_ns;       /* instant of that cycle's estimate */
  uint64_t estimated; /* parts of what follows; there are none, all is always there */
  struct estimator_counters counters;
  size_t n_cells;
  uint64_t cells_in[CELL_STATES]; /* cells in each state */
  uint64_t outliers;              /* samples taken out of a fusion since the start */
  uint64_t links_whole;           /* links whose skin tells all of their acceleration now */
  uint64_t links_partial;         /* links with skin that tells less, or nothing */
  uint8_t *cell_state;            /* [n_cells] enum cell_state */
  uint8_t *cell_reason;           /* [n_cells] enum cell_reason */
  float *cell_residual;           /* [n_cells] m/s^2: smoothed size */
  uint8_t *cell_chosen;           /* [n_cells] 1: used */
};

/* What of it is published. */
extern const struct field_rows report_fields;           /* of struct estimator_report: the skin */
extern const struct field_table report_filter_counters; /* of struct estimator_counters */
extern const struct field_table report_cell_counters;   /* the same: refused samples of cells */

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
