/* Topic `skin`: the health of every cell, a few times a second, once the skin has spoken. */
#ifndef ENCODE_SKIN_H
#define ENCODE_SKIN_H

#include "cycle/estimator_report.h"
#include "publish/fields.h"

extern const struct field_table skin_fields; /* of struct estimator_report */

/* Writes the whole map. `seq` counts messages; `epoch_ns` as in struct stamp. [worker] */
void encode_skin(struct wire *wire, const struct estimator_report *report, uint64_t seq,
                 int64_t epoch_ns, enum propriod_status status);

/* Writes three pairs for `meta`: `cell_links` (index in `links` of each cell's link), `cell_states`
 * and `cell_reasons` (what the codes are called). [worker] */
enum { SKIN_META_PAIRS = 3 };
void encode_skin_meta(struct wire *wire, const struct robot *robot);

#endif
