/* Topic `state`: joints and base, every cycle. */
#ifndef ENCODE_STATE_H
#define ENCODE_STATE_H

#include "publish/fields.h"

extern const struct field_table state_fields; /* of struct propriod_state */

/* Writes the whole map. `epoch_ns` as in struct stamp. [worker] */
void encode_state(struct wire *wire, const struct propriod_state *state, int64_t epoch_ns);

#endif
