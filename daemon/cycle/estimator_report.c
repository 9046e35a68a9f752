#include "cycle/estimator_report.h"

#include "cycle/triple_buffer.h"
#include "skin/skin_fusion.h"

#include <string.h>

struct estimator_reports {
  struct estimator_report report[TRIPLE_BUFFERS];
  struct triple_buffer buffer;
  size_t max_cells;
  unsigned every, cycles; /* cycles since the last report */
};

enum status estimator_reports_init(struct estimator_reports **reports, size_t max_cells,
                                   unsigned every, struct arena *arena) {
  struct estimator_reports *b = ARENA_ARRAY(arena, struct estimator_reports, 1);
  struct estimator_report report[TRIPLE_BUFFERS] = {{0}};
  for (int i = 0; i < TRIPLE_BUFFERS; i++) {
    report[i].cell_state = ARENA_ARRAY(arena, uint8_t, max_cells);
    report[i].cell_reason = ARENA_ARRAY(arena, uint8_t, max_cells);
    report[i].cell_chosen = ARENA_ARRAY(arena, uint8_t, max_cells);
    report[i].cell_residual = ARENA_ARRAY(arena, float, max_cells);
  }
  if (arena_is_counting(arena)) {
    return STATUS_OK;
  }
  if (arena->failed) {
    return STATUS_NO_MEMORY;
  }
  memcpy(b->report, report, sizeof(report));
  b->max_cells = max_cells;
  b->every = every;
  triple_buffer_init(&b->buffer);
  *reports = b;
  return STATUS_OK;
}

static void fill_cells(struct estimator_report *report, const struct pipeline *pipeline,
                       size_t max_cells) {
  const struct cell_health *health = pipeline_cells(pipeline);
  const size_t n = health->robot->n_cells;
  report->n_cells = n < max_cells ? n : max_cells;
  for (size_t i = 0; i < report->n_cells; i++) {
    report->cell_state[i] = health->cell[i].state;
    report->cell_reason[i] = health->cell[i].reason;
    report->cell_chosen[i] = pipeline_uses_cell(pipeline, i);
    report->cell_residual[i] = health->cell[i].residual;
  }
  for (int i = 0; i < CELL_STATES; i++) {
    report->cells_in[i] = health->count[i];
  }
  for (int i = 0; i < CELL_REASONS; i++) {
    report->counters.rejected[i] = health->rejected[i];
  }
  report->outliers = health->outliers;
}

/* Too few cells, or cells on a line, leave directions of a link's acceleration untold. */
static void count_links(struct estimator_report *report, const struct pipeline *pipeline) {
  report->links_whole = report->links_partial = 0;
  for (size_t i = 0; i < pipeline_robot(pipeline)->model.n_links; i++) {
    const struct link_skin *skin = pipeline_skin(pipeline, i);
    report->links_whole += skin != NULL && skin->rank == SKIN_FUSION_SIZE;
    report->links_partial += skin != NULL && skin->rank < SKIN_FUSION_SIZE;
  }
}

void estimator_reports_write(struct estimator_reports *b, const struct pipeline *pipeline,
                             const struct estimates *estimates) {
  if (++b->cycles < b->every) {
    return;
  }
  b->cycles = 0;
  struct estimator_report *report = &b->report[b->buffer.back];
  report->seq = estimates->state.seq;
  report->t_ns = estimates->state.t_ns;
  report->counters.filter = *pipeline_counters(pipeline);
  report->counters.readings = *pipeline_readings(pipeline);
  fill_cells(report, pipeline, b->max_cells);
  count_links(report, pipeline);
  triple_buffer_hand_over(&b->buffer);
}

const struct estimator_report *estimator_reports_take(struct estimator_reports *b) {
  return triple_buffer_take(&b->buffer) ? &b->report[b->buffer.front] : NULL;
}
