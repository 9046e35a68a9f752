#include "encode_event.h"

void encode_event(struct wire *wire, const struct event *event, uint64_t seq, int64_t epoch_ns,
                  enum estimate_status status) {
  const struct stamp stamp = {seq, event->t_ns, epoch_ns, status};
  fields_begin(wire, &stamp, 3);
  wire_pair_text(wire, "severity", event_severity_text(event->severity));
  wire_pair_text(wire, "kind", event->kind);
  wire_pair_text(wire, "text", event->text);
}
