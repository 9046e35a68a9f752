/* What a topic carries: one row per key, beside the struct that holds the value. Whoever encodes,
 * describes or checks a topic goes over the same rows; what is described and what is sent cannot
 * drift apart.
 *
 * A number is published with a member in its struct and a row in its room:
 *
 *   FIELD(struct propriod_centroidal, com_position, "m", "world", PROPRIOD_CENTROIDAL_COM,
 *         "centre of mass")
 *
 * Key, kind and place come from the member. Unit and frame stand in the member's comment, too. */
#ifndef FIELD_H
#define FIELD_H

#include "propriod/state.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum field_kind {
  FIELD_TRUTH,   /* bool */
  FIELD_REAL,    /* double */
  FIELD_FLOAT,   /* float */
  FIELD_COUNT,   /* uint64_t, which another thread may be counting up */
  FIELD_CODE,    /* uint8_t */
  FIELD_VEC3,    /* propriod_vec3, as [x, y, z] */
  FIELD_QUAT,    /* propriod_quat, as [x, y, z, w] */
  FIELD_TEXT,    /* char[], ends with zero */
  FIELD_CHOICE,  /* an enum of int size that counts from 0: one of `words` */
  FIELD_BITS,    /* unsigned: the words of the bits that are set */
  FIELD_NUMBERS, /* what `numbers` makes of the struct there */
  FIELD_SEEN,    /* int64_t, an instant or 0: whether there was one */
  FIELD_AGE,     /* int64_t, an instant, ns: seconds since then; absent while it is 0 */
  FIELD_MAP,     /* a struct with a table of its own, `map` */
  FIELD_MAP_AT   /* a pointer to such a struct; NULL: an empty map */
};

/* One value, or one of each. */
enum field_per {
  FIELD_ONCE,
  FIELD_JOINT, /* array in the struct */
  FIELD_FOOT,  /* array in the struct */
  FIELD_CELL,  /* array that the struct points to */
  FIELD_LINK   /* array of structs, `stride` apart */
};

enum { FIELD_MOST_NUMBERS = 100, FIELD_MOST_GROUPS = 8 };

struct field_table;

struct field {
  const char *key;
  enum field_kind kind;
  enum field_per per;
  size_t offset, stride; /* of the value in the struct; bytes from one element to the next */
  const char *unit;      /* "" for none; of a revolute joint's values, then of a prismatic one's */
  const char *frame; /* whose axes (and, of positions, whose origin); "" where that means nothing */
  uint64_t part;     /* bit in the struct's `estimated` that gives it a meaning; 0: it always has */
  const char *meaning;      /* half a sentence; NULL: that of the map it stands in */
  const char *const *words; /* of a choice or of bits, up to a NULL */
  const char *shape;        /* of numbers */
  const struct field_table *map;
  size_t (*numbers)(const void *of, double number[FIELD_MOST_NUMBERS]); /* returns how many */
};

/* The rows of one struct. */
struct field_rows {
  const struct field *row;
  size_t count;
};
#define FIELD_ROWS(rows)                                                                           \
  { rows, sizeof(rows) / sizeof((rows)[0]) }

/* What becomes of rows whose part is not estimated. */
enum field_parts {
  FIELD_WHOLE,   /* there are no parts */
  FIELD_LISTED,  /* left out, and listed under `not_estimated` */
  FIELD_UNLISTED /* left out */
};

/* A topic, or a map in one: rows of several rooms, each group's struct at its offset. */
struct field_table {
  const char *name;
  enum field_parts parts;
  size_t estimated; /* of the parts' bits in the source, a uint64_t */
  struct {
    const struct field_rows *rows; /* NULL behind the last */
    size_t offset;
  } group[FIELD_MOST_GROUPS];
};

/* A row of a table, with its place in the source. `group` and `row` number the next one. */
struct field_place {
  const struct field *field;
  size_t offset;
  size_t group, row;
};

/* Goes on to the next row; begin with all zero. False behind the last. [any] */
bool field_next(const struct field_table *table, struct field_place *place);

/* Of the parts `estimated`, those in which every number is finite; arrays have `n` elements in
 * use. [real-time] */
uint64_t field_finite(const struct field_table *table, const void *source, uint64_t estimated,
                      size_t n);

/* "init", "ok", "degraded", "diverged", "stale" in the order of enum propriod_status. */
extern const char *const propriod_status_words[];

#define FIELD_PLACE_OF(type, member) (&((type *)0)->member)

#define FIELD_KIND_OF(type, member)                                                                \
  _Generic(FIELD_PLACE_OF(type, member), bool *: FIELD_TRUTH, double *: FIELD_REAL,                \
      uint64_t *: FIELD_COUNT, _Atomic uint64_t *: FIELD_COUNT, propriod_vec3 *: FIELD_VEC3,       \
      propriod_quat *: FIELD_QUAT, double(*)[PROPRIOD_MAX_JOINTS]: FIELD_REAL,                     \
      uint64_t(*)[PROPRIOD_MAX_JOINTS]: FIELD_COUNT, double(*)[PROPRIOD_MAX_FEET]: FIELD_REAL,     \
      uint8_t * *: FIELD_CODE, float **: FIELD_FLOAT)

#define FIELD_PER_OF(type, member)                                                                 \
  _Generic(FIELD_PLACE_OF(type, member), double(*)[PROPRIOD_MAX_JOINTS]: FIELD_JOINT,              \
      uint64_t(*)[PROPRIOD_MAX_JOINTS]: FIELD_JOINT, double(*)[PROPRIOD_MAX_FEET]: FIELD_FOOT,     \
      uint8_t * *: FIELD_CELL, float **: FIELD_CELL, default: FIELD_ONCE)

#define FIELD_STRIDE_OF(type, member)                                                              \
  _Generic(FIELD_PLACE_OF(type, member), uint8_t * * : 1, float ** : sizeof(float), default : 8)

/* A row whose key is not its member's name. */
#define FIELD_AS(key_, type_, member_, unit_, frame_, part_, meaning_)                             \
  {                                                                                                \
    .key = key_, .kind = FIELD_KIND_OF(type_, member_), .per = FIELD_PER_OF(type_, member_),       \
    .offset = offsetof(type_, member_), .stride = FIELD_STRIDE_OF(type_, member_), .unit = unit_,  \
    .frame = frame_, .part = part_, .meaning = meaning_                                            \
  }
#define FIELD(type_, member_, unit_, frame_, part_, meaning_)                                      \
  FIELD_AS(#member_, type_, member_, unit_, frame_, part_, meaning_)

/* Rows of the other kinds, without a frame; behind the meaning stands what the kind needs. */
#define FIELD_IN_UNIT(key_, kind_, type_, member_, unit_, ...)                                     \
  {                                                                                                \
    .key = key_, .kind = kind_, .offset = offsetof(type_, member_), .unit = unit_, .frame = "",    \
    .meaning = __VA_ARGS__                                                                         \
  }
#define FIELD_OF_KIND(key_, kind_, type_, member_, ...)                                            \
  FIELD_IN_UNIT(key_, kind_, type_, member_, "", __VA_ARGS__)

#endif
