#include "service/status_page.h"

#include "common/clock.h"

#include <unistd.h>

/* A line for each counter of `of`, `prefix` before its name. */
static void write_counters(FILE *out, const char *prefix, const struct field_rows *rows,
                           const void *of) {
  for (size_t i = 0; i < rows->count; i++) {
    fprintf(out, "%s%s %llu\n", prefix, rows->row[i].key,
            (unsigned long long)diagnostics_read(&rows->row[i], of));
  }
}

static void write_quantiles(FILE *out, const char *name, const struct histogram *histogram) {
  fprintf(out, "%s_us_p50 %.1f\n%s_us_p99 %.1f\n%s_us_max %.1f\n", name,
          (double)histogram_quantile(histogram, 0.5) * 1e-3, name,
          (double)histogram_quantile(histogram, 0.99) * 1e-3, name,
          (double)counter_read(&histogram->max_ns) * 1e-3);
}

void status_page_write(FILE *out, const char *file, const struct robot *robot,
                       const struct diagnostics *diagnostics, const struct reload_report *reloads) {
  fprintf(out, "pid %ld\nconfig %s\nrobot %s\njoints %zu\ncells %zu\n", (long)getpid(), file,
          robot->model.name, robot->model.n_joints, robot->n_cells);
  write_counters(out, "", &diagnostics_counters, diagnostics);
  write_quantiles(out, "wakeup", &diagnostics->wakeup);
  write_quantiles(out, "busy", &diagnostics->busy);
  write_quantiles(out, "age", &diagnostics->age);
  fprintf(out, "reloads_accepted %llu\nreloads_refused %llu\n",
          (unsigned long long)reloads->accepted, (unsigned long long)reloads->refused);
  if (reloads->last_ns != 0) {
    fprintf(out, "reload_last %s %.1f s ago%s%s\n", reloads->last_ok ? "accepted" : "refused",
            (double)(clock_now_ns() - reloads->last_ns) * 1e-9, reloads->last_ok ? "" : ": ",
            reloads->last_text);
  }
}

void status_page_write_counters(FILE *out, const struct diagnostics *diagnostics) {
  write_counters(out, "", &diagnostics_counters, diagnostics);
  for (unsigned kind = 0; kind < PROPRIOD_SHM_STREAMS; kind++) {
    char prefix[32];
    snprintf(prefix, sizeof(prefix), "%s.", propriod_shm_name(kind));
    write_counters(out, prefix, &diagnostics_stream_counters, &diagnostics->stream[kind]);
  }
}
