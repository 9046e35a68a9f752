/* Topic `diag`: how the daemon itself is doing. */
#ifndef ENCODE_DIAG_H
#define ENCODE_DIAG_H

#include "common/diagnostics.h"
#include "publish/fields.h"
#include "publish/publisher.h"

/* What goes into one `diag`. */
struct diag_content {
  const struct diagnostics *diagnostics;
  const struct publish_counters *publish;
  const struct reload_report *reload;
  const struct joint_filter_counters *filter; /* NULL: no report yet */
  const struct reading_counters *readings;    /* of the same report */
  const uint64_t *rejected; /* [CELL_REASONS] samples of skin cells; NULL: no report yet */
  int64_t start_ns;         /* CLOCK_MONOTONIC instant at which the publisher started */
  enum propriod_status state, centroidal; /* as last published */
};

#define DIAG_TOPIC "diag"

/* Writes the whole map: `cycle`, `streams`, `filter`, `cells`, `publish`, `reload`, each a map of
 * counters; durations in seconds. [worker] */
void encode_diag(struct wire *wire, const struct diag_content *content, const struct stamp *stamp);

/* Writes the same maps with a description in place of each value, for `meta`. [worker] */
void describe_diag(struct wire *wire);

#endif
