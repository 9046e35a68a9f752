/* Topic `diag`: how the daemon itself is doing. */
#ifndef ENCODE_DIAG_H
#define ENCODE_DIAG_H

#include "diagnostics.h"
#include "fields.h"
#include "publisher.h"

/* What goes into one `diag`. */
struct diag_content {
  const struct diagnostics *diagnostics;
  const struct publish_counters *publish;
  const struct reload_report *reload;
  const struct joint_filter_counters *filter; /* NULL: no report yet */
  const struct reading_counters *readings;    /* of the same report */
  int64_t start_ns; /* CLOCK_MONOTONIC instant at which the publisher started */
  enum estimate_status state, centroidal; /* as last published */
};

/* Writes the whole map: `cycle`, `streams`, `publish`, `reload`, each a map of counters; durations
 * in seconds. [worker] */
void encode_diag(struct wire *wire, const struct diag_content *content, const struct stamp *stamp);

/* Writes what the keys mean, for `meta`. [worker] */
void encode_diag_meanings(struct wire *wire);

#endif
