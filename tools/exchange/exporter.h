/* Goes over a recording once and hands its series, with the estimates when there is a pipeline, to
 * one or several files. */
#ifndef EXPORTER_H
#define EXPORTER_H

#include "exchange/sink.h"
#include "generation.h"
#include "recording/recording.h"

enum { EXPORTER_MOST_SINKS = 4 };

struct exporter {
  const char *path; /* of the recording */
  struct recording *recording;
  const struct generation *generation;
  bool results;        /* step the pipeline, and export what it estimates */
  uint32_t only;       /* bits 1 << enum series_kind; 0: all */
  double from_s, to_s; /* seconds of the recording; to_s 0: to its end */
  bool progress;       /* on standard error, once a second */
  const struct sink_format *format[EXPORTER_MOST_SINKS];
  const char *to[EXPORTER_MOST_SINKS];
  size_t n_sinks;
};

struct exporter_count {
  uint64_t rows[SERIES_KINDS];
  uint64_t lost; /* places in the recording where something is missing */
};

/* [start] STATUS_REFUSED with a reason; then no file has been made. */
enum status exporter_run(struct exporter *exporter, struct exporter_count *count,
                         struct message *error);

#endif
