/* Encoding and describing a topic: both go over the rows of its table (describe/field.h). */
#ifndef FIELDS_H
#define FIELDS_H

#include "describe/field.h"
#include "publish/wire.h"

#include <stddef.h>
#include <stdint.h>

#define WIRE_VERSION 1 /* `v` in every map: rises when the meaning of an existing key changes */

/* What every map begins with. */
struct stamp {
  uint64_t seq;     /* rises by one from message to message of a topic */
  int64_t t_ns;     /* CLOCK_MONOTONIC instant that the content is for */
  int64_t epoch_ns; /* CLOCK_REALTIME less CLOCK_MONOTONIC, now */
  enum propriod_status status;
};

enum { STAMP_KEYS = 5, FIELD_SHAPE_SIZE = 32 };

/* Begins a message: a map of STAMP_KEYS + `more` pairs, of which the first STAMP_KEYS are written.
 * [publisher] */
void fields_begin(struct wire *wire, const struct stamp *stamp, size_t more);

/* Writes a whole message: the stamp, the pairs that have a meaning, and `not_estimated`, the list
 * of the other keys, where the table has one. `source` is the struct that the table is of; arrays
 * have `n` elements in use: joints, feet, cells or links. [publisher] */
void fields_encode(struct wire *wire, const struct stamp *stamp, const struct field_table *table,
                   const void *source, size_t n);

/* Writes one map that describes each key: shape, unit, frame, meaning; of maps in it likewise.
 * [publisher] */
void fields_describe(struct wire *wire, const struct field_table *table);

/* What one value looks like: "number", "[joint]", "[foot][x,y,z]". [any] */
void field_shape(const struct field *field, char shape[FIELD_SHAPE_SIZE]);

#endif
