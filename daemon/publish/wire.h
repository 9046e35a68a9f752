/* Writing MessagePack into a buffer of fixed size, with a last check: no NaN or Inf leaves
 * as a number.
 *
 * Whatever does not fit sets `overflow` and is dropped; the message must then not be sent. All
 * functions: [publisher] (publisher's thread; no allocation). */
#ifndef WIRE_H
#define WIRE_H

#include "math/spatial.h"

#include <msgpack.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct wire {
  msgpack_packer packer;
  char *data; /* [capacity] */
  size_t capacity;
  size_t size; /* bytes written */
  bool overflow;
  uint64_t replaced; /* numbers that were not finite and left as nil, since wire_init */
};

/* Writes into `data` from its beginning. */
void wire_init(struct wire *wire, char *data, size_t capacity);

/* Begins a new message in the same buffer. */
void wire_rewind(struct wire *wire);

/* A map of `count` pairs and an array of `count` values follow. */
void wire_map(struct wire *wire, size_t count);
void wire_array(struct wire *wire, size_t count);

/* One value. wire_text writes `?` for each byte of what is not UTF-8. wire_real writes nil for a
 * number that is not finite, and counts it. */
void wire_text(struct wire *wire, const char *text);
void wire_real(struct wire *wire, double value);
void wire_float(struct wire *wire, float value); /* the same in half the bytes */
void wire_reals(struct wire *wire, const double *value, size_t count);
void wire_whole(struct wire *wire, int64_t value);
void wire_count(struct wire *wire, uint64_t value);
void wire_truth(struct wire *wire, bool value);

/* What another wire has encoded: `count` bytes, whole values. */
void wire_encoded(struct wire *wire, const char *bytes, size_t count);

/* One pair of a map. */
void wire_pair_text(struct wire *wire, const char *key, const char *text);
void wire_pair_real(struct wire *wire, const char *key, double value);
void wire_pair_whole(struct wire *wire, const char *key, int64_t value);
void wire_pair_count(struct wire *wire, const char *key, uint64_t value);

#endif
