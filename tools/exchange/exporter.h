/* Goes over a recording once and hands its series, with the estimates when there is a pipeline, to
 * one or several files. */
#ifndef EXPORTER_H
#define EXPORTER_H

#include "exchange/cycle_sinks.h"
#include "exchange/formats.h"
#include "recording/recording.h"
#include "replay/replayer.h"

struct exporter {
  const char *path;            /* of the recording */
  const char *config;          /* what estimates; NULL: what the recording itself was made with */
  struct replayer *replayer;   /* by exporter_open */
  struct recording *recording; /* by exporter_open */
  bool results;                /* replay, and export what is estimated */
  bool as_recorded;    /* instead of stepping, where cycles were recorded with their results */
  uint32_t only;       /* bits 1 << enum series_kind; 0: all */
  double from_s, to_s; /* seconds of the recording; to_s 0: to its end */
  bool progress;       /* on standard error, once a second */
  const char *const *quantities; /* of plots, [n_quantities] */
  size_t n_quantities;
  const struct sink_format *format[MOST_SINKS];
  const char *to[MOST_SINKS];
  size_t n_sinks;
};

struct exporter_count {
  uint64_t rows[SERIES_KINDS];
  uint64_t lost; /* places in the recording where something is missing */
};

/* Opens the recording at `path`. [start] STATUS_REFUSED with a reason: it is none, or not of the
 * configured robot, or holds none and none was named. */
enum status exporter_open(struct exporter *exporter, struct message *error);
void exporter_close(struct exporter *exporter); /* also after a refused open */

/* [start] STATUS_REFUSED with a reason; then no file has been made. */
enum status exporter_run(struct exporter *exporter, struct exporter_count *count,
                         struct message *error);

#endif
