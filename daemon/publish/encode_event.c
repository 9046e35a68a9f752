#include "publish/encode_event.h"

enum { PAIRS = 3 };

void encode_event(struct wire *wire, const struct event *event, uint64_t seq, int64_t epoch_ns,
                  enum propriod_status status) {
  const struct stamp stamp = {seq, event->t_ns, epoch_ns, status};
  fields_begin(wire, &stamp, PAIRS);
  wire_pair_text(wire, "severity", event_severity_text(event->severity));
  wire_pair_text(wire, "kind", event->kind);
  wire_pair_text(wire, "text", event->text);
}

void describe_event(struct wire *wire) {
  wire_map(wire, PAIRS);
  field_describe(wire, "severity", "text", "", "", "info, warning or error");
  field_describe(wire, "kind", "text", "", "", "a short word that programs can compare");
  field_describe(wire, "text", "text", "", "", "what happened, for people");
}
