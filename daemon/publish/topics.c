#include "publish/topics.h"

#include "base/base_fields.h"
#include "centroidal/centroidal_fields.h"
#include "inertial/inertial_fields.h"
#include "joints/joint_fields.h"

const struct field_table state_topic = {
    .name = "state",
    .parts = FIELD_LISTED,
    .estimated = offsetof(struct propriod_state, estimated),
    .group = {{&joint_fields, 0}, {&base_fields, 0}, {&joint_filter_fields, 0}}};
const struct field_table centroidal_topic = {.name = "centroidal",
                                             .parts = FIELD_LISTED,
                                             .estimated =
                                                 offsetof(struct propriod_centroidal, estimated),
                                             .group = {{&centroidal_fields, 0}}};
const struct field_table skin_topic = {.name = "skin",
                                       .parts = FIELD_LISTED,
                                       .estimated = offsetof(struct estimator_report, estimated),
                                       .group = {{&report_fields, 0}}};
const struct field_table inertia_topic = {.name = "inertia", .group = {{&inertial_fields, 0}}};
const struct field_table event_topic = {.name = "event", .group = {{&event_fields, 0}}};

/* -- of the daemon itself --------------------------------------------------------------------- */

#define COUNT(member, meaning) FIELD(struct publish_counters, member, "", "", 0, meaning)

static const struct field publish[] = {
    COUNT(results, "results taken from the cycle's ring"),
    COUNT(dropped, "results lost because the ring was full"),
    COUNT(messages, "messages sent, whoever listens"),
    COUNT(bytes, "bytes of all messages' maps"),
    COUNT(too_long, "messages that did not fit and were not sent"),
    COUNT(not_finite, "numbers that were NaN or infinite and left as nil"),
    COUNT(subscribers, "connections open now"),
    COUNT(accepted, "connections accepted"),
    COUNT(failed, "connections that ended in the greeting: malformed, or not admitted"),
    COUNT(flooding, "connections shut down for too many subscriptions"),
    COUNT(events_dropped, "events that found their queue full"),
};
const struct field_rows publish_fields = FIELD_ROWS(publish);
static const struct field_table publish_table = {.name = "publish",
                                                 .group = {{&publish_fields, 0}}};

#define RELOAD(key, kind, member, ...)                                                             \
  FIELD_OF_KIND(key, kind, struct reload_report, member, __VA_ARGS__)

static const struct field reload[] = {
    RELOAD("accepted", FIELD_COUNT, accepted, "reloads that took effect"),
    RELOAD("refused", FIELD_COUNT, refused,
           "reloads that changed nothing because the file was bad"),
    RELOAD("last_ok", FIELD_TRUTH, last_ok, "the last one took effect", .part = RELOAD_LAST),
    FIELD_IN_UNIT("last_age", FIELD_AGE, struct reload_report, last_ns, "s", "since the last one"),
    RELOAD("last_error", FIELD_TEXT, last_text, "why it was refused, or empty",
           .part = RELOAD_LAST),
};
static const struct field_rows reload_rows = FIELD_ROWS(reload);
static const struct field_table reload_table = {.name = "reload",
                                                .parts = FIELD_UNLISTED,
                                                .estimated =
                                                    offsetof(struct reload_report, estimated),
                                                .group = {{&reload_rows, 0}}};

#define DIAG(key, kind, member, ...)                                                               \
  FIELD_OF_KIND(key, kind, struct diag_content, member, __VA_ARGS__)

static const struct field diag[] = {
    FIELD_IN_UNIT("uptime", FIELD_AGE, struct diag_content, start_ns, "s",
                  "since the publisher started"),
    DIAG("state", FIELD_CHOICE, state, "status of the newest `state`",
         .words = propriod_status_words),
    DIAG("centroidal", FIELD_CHOICE, centroidal, "status of the newest `centroidal`",
         .words = propriod_status_words),
    DIAG("cycle", FIELD_MAP_AT, diagnostics, NULL, .map = &diagnostics_cycle),
    DIAG("streams", FIELD_MAP_AT, diagnostics, NULL, .map = &diagnostics_streams),
    DIAG("recent", FIELD_MAP_AT, recent, "the same of the last ten seconds",
         .map = &diagnostics_recent),
    DIAG("filter", FIELD_MAP_AT, estimators, NULL, .map = &report_filter_counters),
    DIAG("cells", FIELD_MAP_AT, estimators, NULL, .map = &report_cell_counters),
    DIAG("publish", FIELD_MAP_AT, publish, NULL, .map = &publish_table),
    DIAG("reload", FIELD_MAP_AT, reload, NULL, .map = &reload_table),
};
static const struct field_rows diag_rows = FIELD_ROWS(diag);
const struct field_table diag_topic = {.name = "diag", .group = {{&diag_rows, 0}}};

const struct field_table *const topics[] = {
    &state_topic, &centroidal_topic, &skin_topic, &inertia_topic, &diag_topic, &event_topic, NULL};

/* -- messages --------------------------------------------------------------------------------- */

void encode_state(struct wire *wire, const struct propriod_state *state, int64_t epoch_ns) {
  const struct stamp stamp = {state->seq, state->t_ns, epoch_ns,
                              (enum propriod_status)state->status};
  fields_encode(wire, &stamp, &state_topic, state, state->n_joints);
}

void encode_centroidal(struct wire *wire, const struct propriod_centroidal *centroidal,
                       int64_t epoch_ns) {
  const struct stamp stamp = {centroidal->seq, centroidal->t_ns, epoch_ns,
                              (enum propriod_status)centroidal->status};
  fields_encode(wire, &stamp, &centroidal_topic, centroidal, centroidal->n_feet);
}

void encode_skin(struct wire *wire, const struct estimator_report *report, uint64_t seq,
                 int64_t epoch_ns, enum propriod_status status) {
  const struct stamp stamp = {seq, report->t_ns, epoch_ns, status};
  fields_encode(wire, &stamp, &skin_topic, report, report->n_cells);
}

void encode_inertia(struct wire *wire, const struct inertia_estimate *inertia, uint64_t seq,
                    int64_t epoch_ns) {
  const struct stamp stamp = {seq, inertia->t_ns, epoch_ns, inertia->status};
  fields_encode(wire, &stamp, &inertia_topic, inertia, inertia->result.n_links);
}

void encode_diag(struct wire *wire, const struct diag_content *content, const struct stamp *stamp) {
  fields_encode(wire, stamp, &diag_topic, content, 0);
}

void encode_event(struct wire *wire, const struct event *event, uint64_t seq, int64_t epoch_ns,
                  enum propriod_status status) {
  const struct stamp stamp = {seq, event->t_ns, epoch_ns, status};
  fields_encode(wire, &stamp, &event_topic, event, 0);
}
