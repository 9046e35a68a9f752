/* Topic `inertia`: what the configured links weigh, some fifty times a second. */
#ifndef ENCODE_INERTIA_H
#define ENCODE_INERTIA_H

#include "inertial/inertial_estimator.h"
#include "publish/fields.h"

#define INERTIA_TOPIC   "inertia"
#define INERTIA_RATE_HZ 50.0

/* Writes the whole map. `seq` counts this topic's messages; `epoch_ns` as in struct stamp.
 * [worker] */
void encode_inertia(struct wire *wire, const struct inertia_estimate *inertia, uint64_t seq,
                    int64_t epoch_ns);

/* Writes one map that describes each key, for `meta`. [worker] */
void describe_inertia(struct wire *wire);

#endif
