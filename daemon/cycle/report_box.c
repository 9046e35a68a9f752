#include "cycle/report_box.h"

#include "skin/skin_fusion.h"

#include <stdatomic.h>
#include <string.h>

enum { BUFFERS = 3, FRESH = 4 /* beside a buffer's number: not yet taken */ };

struct report_box {
  struct estimator_report buffer[BUFFERS];
  size_t max_cells;
  unsigned every, cycles; // cycles since the last report: the writer's
  unsigned back;          // buffer being written: the writer's
  unsigned front;         // buffer being read: the reader's
  atomic_uint between;    // the third, perhaps FRESH
};

enum status report_box_init(struct report_box **box, size_t max_cells, unsigned every,
                            struct arena *arena) {
  struct report_box *b = ARENA_ARRAY(arena, struct report_box, 1);
  struct estimator_report buffer[BUFFERS] = {{0}};
  for (int i = 0; i < BUFFERS; i++) {
    buffer[i].state = ARENA_ARRAY(arena, uint8_t, max_cells);
    buffer[i].reason = ARENA_ARRAY(arena, uint8_t, max_cells);
    buffer[i].chosen = ARENA_ARRAY(arena, uint8_t, max_cells);
    buffer[i].residual = ARENA_ARRAY(arena, float, max_cells);
  }
  if (arena_is_counting(arena)) {
    return STATUS_OK;
  }
  if (arena->failed) {
    return STATUS_NO_MEMORY;
  }
  memcpy(b->buffer, buffer, sizeof(buffer));
  b->max_cells = max_cells;
  b->every = every;
  b->back = 0;
  b->front = 1;
  atomic_init(&b->between, 2);
  *box = b;
  return STATUS_OK;
}

static void fill_cells(struct estimator_report *report, const struct pipeline *pipeline,
                       size_t max_cells) {
  const struct cell_health *health = pipeline_cells(pipeline);
  const size_t n = health->robot->n_cells;
  report->n_cells = n < max_cells ? n : max_cells;
  for (size_t i = 0; i < report->n_cells; i++) {
    report->state[i] = health->cell[i].state;
    report->reason[i] = health->cell[i].reason;
    report->chosen[i] = pipeline_uses_cell(pipeline, i);
    report->residual[i] = health->cell[i].residual;
  }
  for (int i = 0; i < CELL_STATES; i++) {
    report->cells_in[i] = health->count[i];
  }
  for (int i = 0; i < CELL_REASONS; i++) {
    report->rejected[i] = health->rejected[i];
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

void report_box_write(struct report_box *b, const struct pipeline *pipeline,
                      const struct estimates *estimates) {
  if (++b->cycles < b->every) {
    return;
  }
  b->cycles = 0;
  struct estimator_report *report = &b->buffer[b->back];
  report->seq = estimates->state.seq;
  report->t_ns = estimates->state.t_ns;
  report->filter = *pipeline_counters(pipeline);
  report->readings = *pipeline_readings(pipeline);
  fill_cells(report, pipeline, b->max_cells);
  count_links(report, pipeline);
  b->back = atomic_exchange_explicit(&b->between, b->back | FRESH, memory_order_acq_rel) &
            ~(unsigned)FRESH;
}

const struct estimator_report *report_box_take(struct report_box *b) {
  if ((atomic_load_explicit(&b->between, memory_order_relaxed) & FRESH) == 0) {
    return NULL;
  }
  b->front =
      atomic_exchange_explicit(&b->between, b->front, memory_order_acq_rel) & ~(unsigned)FRESH;
  return &b->buffer[b->front];
}
