/* The topics but `meta`: what each carries, and how one of its messages is written. */
#ifndef TOPICS_H
#define TOPICS_H

#include "common/diagnostics.h"
#include "common/diagnostics_window.h"
#include "common/event.h"
#include "cycle/estimator_report.h"
#include "publish/fields.h"
#include "publish/publisher.h"

extern const struct field_table state_topic;      /* of struct propriod_state */
extern const struct field_table centroidal_topic; /* of struct propriod_centroidal */
extern const struct field_table skin_topic;       /* of struct estimator_report */
extern const struct field_table inertia_topic;    /* of struct inertia_estimate */
extern const struct field_table diag_topic;       /* of struct diag_content */
extern const struct field_table event_topic;      /* of struct event */

/* All of them, up to a NULL. */
extern const struct field_table *const topics[];

extern const struct field_rows publish_fields; /* of struct publish_counters */

#define INERTIA_RATE_HZ 50.0

/* What goes into one `diag`. */
struct diag_content {
  const struct diagnostics *diagnostics;
  const struct diagnostics_window *recent;
  const struct estimator_counters *estimators; /* NULL: no report yet */
  const struct publish_counters *publish;
  const struct reload_report *reload;
  int64_t start_ns; /* CLOCK_MONOTONIC instant at which the publisher started; 0: not */
  enum propriod_status state, centroidal; /* as last published */
};

/* Each writes one whole message. `epoch_ns` as in struct stamp; where `seq` and `status` are not
 * the source's own they count messages of the topic and are the daemon's. [publisher] */
void encode_state(struct wire *wire, const struct propriod_state *state, int64_t epoch_ns);
void encode_centroidal(struct wire *wire, const struct propriod_centroidal *centroidal,
                       int64_t epoch_ns);
void encode_skin(struct wire *wire, const struct estimator_report *report, uint64_t seq,
                 int64_t epoch_ns, enum propriod_status status);
void encode_inertia(struct wire *wire, const struct inertia_estimate *inertia, uint64_t seq,
                    int64_t epoch_ns);
void encode_diag(struct wire *wire, const struct diag_content *content, const struct stamp *stamp);
void encode_event(struct wire *wire, const struct event *event, uint64_t seq, int64_t epoch_ns,
                  enum propriod_status status);

#endif
