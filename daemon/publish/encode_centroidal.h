/* Topic `centroidal`: centre of mass, momentum and centre of pressure, every cycle. */
#ifndef ENCODE_CENTROIDAL_H
#define ENCODE_CENTROIDAL_H

#include "publish/fields.h"

extern const struct field_table centroidal_fields; /* of struct propriod_centroidal */

/* Writes the whole map. `epoch_ns` as in struct stamp. [worker] */
void encode_centroidal(struct wire *wire, const struct propriod_centroidal *centroidal,
                       int64_t epoch_ns);

#endif
