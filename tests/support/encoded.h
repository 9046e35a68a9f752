/* A wire for one message at a time, and what arrives of it. */
#ifndef ENCODED_H
#define ENCODED_H

#include "support/decoded.h"

enum { CAPACITY = 128 * 1024 };
static char bytes[CAPACITY];
static struct wire wire;
static const int64_t epoch_ns = 1790000000123456789, t_ns = 5000000042;

static inline void begin(void) {
  wire_init(&wire, bytes, sizeof(bytes));
}

static inline const msgpack_object *decoded(void) {
  return decode(&wire);
}

#endif
