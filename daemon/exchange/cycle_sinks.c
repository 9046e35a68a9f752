#include "exchange/cycle_sinks.h"

#include "propriod/shm_layout.h"

#include <stdlib.h>

enum status cycle_sinks_open(struct cycle_sinks *sinks, const struct sink_about *about,
                             const struct sink_format *const *formats, const char *const *paths,
                             size_t n, struct message *error) {
  size_t widest = 1;
  for (int kind = 0; kind < SERIES_KINDS; kind++) {
    const size_t width = sinks->set.series[kind].width;
    widest = width > widest ? width : widest;
    sinks->rows[kind] = 0;
  }
  sinks->n = 0;
  sinks->row = malloc(widest * sizeof(double));
  enum status status = sinks->row != NULL ? STATUS_OK : STATUS_NO_MEMORY;
  for (size_t i = 0; status == STATUS_OK && i < n; i++) {
    sinks->format[i] = formats[i];
    status = formats[i]->open(&sinks->sink[i], paths[i], about, error);
    sinks->n += status == STATUS_OK ? 1 : 0;
  }
  return status;
}

static enum status hand_over(struct cycle_sinks *sinks, const struct series *series, int64_t t_ns,
                             struct message *error) {
  enum status status = STATUS_OK;
  for (size_t i = 0; status == STATUS_OK && i < sinks->n; i++) {
    status = sinks->format[i]->row(sinks->sink[i], series, t_ns, sinks->row, error);
  }
  sinks->rows[series->kind]++;
  return status;
}

enum status cycle_sinks_cycle(struct cycle_sinks *sinks, const struct sensor_frame *frame,
                              const struct estimates *estimates, struct message *error) {
  enum status status = STATUS_OK;
  for (int kind = 0; status == STATUS_OK && kind < SERIES_KINDS; kind++) {
    const struct series *series = &sinks->set.series[kind];
    if (series->n_arrays == 0 || !series_is_fresh(series->kind, frame)) {
      continue;
    }
    if (kind < (int)PROPRIOD_SHM_STREAMS) {
      series_fill_stream(series, frame, sinks->row);
    } else {
      series_fill_result(series, estimates, sinks->row);
    }
    status = hand_over(sinks, series, series_instant(series->kind, frame, estimates), error);
  }
  return status;
}

enum status cycle_sinks_event(struct cycle_sinks *sinks, const struct event *event,
                              struct message *error) {
  enum status status = STATUS_OK;
  for (size_t i = 0; status == STATUS_OK && i < sinks->n; i++) {
    if (sinks->format[i]->event != NULL) {
      status = sinks->format[i]->event(sinks->sink[i], event, error);
    }
  }
  return status;
}

enum status cycle_sinks_finish(struct cycle_sinks *sinks, struct message *error) {
  enum status status = STATUS_OK;
  for (size_t i = 0; status == STATUS_OK && i < sinks->n; i++) {
    status = sinks->format[i]->finish(sinks->sink[i], error);
  }
  return status;
}

void cycle_sinks_close(struct cycle_sinks *sinks) {
  for (size_t i = 0; i < sinks->n; i++) {
    sinks->format[i]->close(sinks->sink[i]);
  }
  free(sinks->row);
  sinks->row = NULL;
  sinks->n = 0;
}
