/* What a topic carries: one row per key. Encoding and `meta` come from the same rows, so that what
 * is described and what is sent cannot drift apart. */
#ifndef FIELDS_H
#define FIELDS_H

#include "propriod/state.h"
#include "publish/wire.h"

#include <stddef.h>
#include <stdint.h>

#define WIRE_VERSION 1 /* `v` in every map: rises when the meaning of an existing key changes */

enum field_kind {
  FIELD_REAL,         /* double */
  FIELD_COUNT,        /* uint64_t */
  FIELD_VEC3,         /* vec3, as [x, y, z] */
  FIELD_QUAT,         /* quat, as [x, y, z, w] */
  FIELD_JOINTS,       /* double[n_joints] */
  FIELD_JOINT_COUNTS, /* uint64_t[n_joints] */
  FIELD_FEET,         /* double[n_feet] */
  FIELD_CELL_CODES,   /* pointer to uint8_t[n_cells] */
  FIELD_CELL_REALS,   /* pointer to float[n_cells] */
};

struct field {
  const char *key;
  enum field_kind kind;
  const char
      *unit; /* "" for none; joint quantities: of a revolute joint, then of a prismatic one */
  const char *frame; /* whose axes (and, of positions, whose origin); "" where that means nothing */
  size_t offset;     /* of the value in the topic's source struct */
  uint32_t part; /* bit in the source's `estimated` that says it has a meaning; 0: it always has */
  const char *meaning; /* half a sentence */
};

struct field_table {
  const char *topic;
  const struct field *field;
  size_t count;
};

/* What every map begins with. */
struct stamp {
  uint64_t seq;     /* rises by one from message to message of a topic */
  int64_t t_ns;     /* CLOCK_MONOTONIC instant that the content is for */
  int64_t epoch_ns; /* CLOCK_REALTIME less CLOCK_MONOTONIC, now */
  enum propriod_status status;
};

enum { STAMP_KEYS = 5 };

/* Begins a message: a map of STAMP_KEYS + `more` pairs, of which the first STAMP_KEYS are written.
 * [worker] */
void fields_begin(struct wire *wire, const struct stamp *stamp, size_t more);

/* Number of pairs that fields_encode writes when the parts `estimated` have a meaning. [worker] */
size_t fields_pairs(const struct field_table *table, uint64_t estimated);

/* Writes the pairs whose part is estimated, then `not_estimated`, the list of the other keys.
 * `source` is the struct that the rows' offsets refer to; arrays have `n` elements: joints, feet
 * or cells. [worker] */
void fields_encode(struct wire *wire, const struct field_table *table, const void *source,
                   uint64_t estimated, size_t n);

/* Of the parts `estimated`, those in which every number is finite. `source` and `n` as above.
 * [any] */
uint64_t fields_finite(const struct field_table *table, const void *source, uint64_t estimated,
                       size_t n);

/* Writes one map that describes each key: shape, unit, frame, meaning. [worker] */
void fields_describe(struct wire *wire, const struct field_table *table);

/* Writes one key with such a description, for topics that have no table. [worker] */
void field_describe(struct wire *wire, const char *key, const char *shape, const char *unit,
                    const char *frame, const char *meaning);

/* "init", "ok", "degraded", "diverged", "stale". [any] */
const char *estimate_status_text(enum propriod_status status);

#endif
