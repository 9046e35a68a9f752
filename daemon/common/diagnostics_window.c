#include "common/diagnostics_window.h"

#include <string.h>

static const struct field rows[] = {
    FIELD_AS("span", struct diagnostics_window, span_s, "s", "", 0, "how long ago that begins"),
    FIELD_OF_KIND("cycle", FIELD_MAP, struct diagnostics_window, recent, NULL,
                  .map = &diagnostics_cycle),
    FIELD_OF_KIND("streams", FIELD_MAP, struct diagnostics_window, recent, NULL,
                  .map = &diagnostics_streams),
};
static const struct field_rows recent_rows = FIELD_ROWS(rows);
const struct field_table diagnostics_recent = {.name = "recent", .group = {{&recent_rows, 0}}};

void diagnostics_window_reset(struct diagnostics_window *window) {
  memset(window, 0, sizeof(*window));
}

static void subtract(struct counter *counter, const struct counter *before) {
  counter_set(counter, counter_read(counter) - counter_read(before));
}

/* The largest is that of the last bin that anything was counted into. */
static void subtract_histogram(struct histogram *histogram, const struct histogram *before) {
  uint64_t largest_ns = 0;
  for (size_t bin = 0; bin < HISTOGRAM_BINS; bin++) {
    subtract(&histogram->bin[bin], &before->bin[bin]);
    if (counter_read(&histogram->bin[bin]) > 0) {
      largest_ns = (uint64_t)histogram_bin_end(bin);
    }
  }
  subtract(&histogram->count, &before->count);
  subtract(&histogram->sum_ns, &before->sum_ns);
  if (largest_ns < counter_read(&histogram->max_ns)) {
    counter_set(&histogram->max_ns, largest_ns);
  }
}

static void subtract_rows(const struct field_rows *counted, size_t end, void *of,
                          const void *before) {
  for (size_t i = 0; i < counted->count && counted->row[i].offset < end; i++) {
    const size_t offset = counted->row[i].offset;
    subtract((struct counter *)(void *)((char *)of + offset),
             (const struct counter *)(const void *)((const char *)before + offset));
  }
}

/* What the kernel grants and how fresh a stream is are no counts, and stay. */
static void subtract_all(struct diagnostics *recent, const struct diagnostics *before) {
  subtract_rows(&diagnostics_counters, offsetof(struct diagnostics, rt_wanted), recent, before);
  for (size_t kind = 0; kind < PROPRIOD_SHM_STREAMS; kind++) {
    subtract_rows(&diagnostics_stream_counters, sizeof(struct stream_diagnostics),
                  &recent->stream[kind], &before->stream[kind]);
  }
  subtract_histogram(&recent->wakeup, &before->wakeup);
  subtract_histogram(&recent->input, &before->input);
  subtract_histogram(&recent->busy, &before->busy);
  subtract_histogram(&recent->age, &before->age);
}

void diagnostics_window_step(struct diagnostics_window *w, const struct diagnostics *now,
                             int64_t now_ns) {
  memcpy(&w->recent, now, sizeof(w->recent));
  if (w->kept == 0 || now_ns - w->taken_ns[w->newest] >= DIAGNOSTICS_STEP_NS) {
    w->newest = w->kept == 0 ? 0 : (w->newest + 1) % DIAGNOSTICS_SNAPSHOTS;
    w->kept += w->kept < DIAGNOSTICS_SNAPSHOTS;
    memcpy(&w->snapshot[w->newest], &w->recent, sizeof(w->recent));
    w->taken_ns[w->newest] = now_ns;
  }
  const size_t oldest = (w->newest + DIAGNOSTICS_SNAPSHOTS + 1 - w->kept) % DIAGNOSTICS_SNAPSHOTS;
  subtract_all(&w->recent, &w->snapshot[oldest]);
  w->span_s = 1e-9 * (double)(now_ns - w->taken_ns[oldest]);
}
