/* A message that a wire holds, decoded, and what it says under a key. */
#ifndef DECODED_H
#define DECODED_H

#include "publish/wire.h"
#include "support/suite.h"

#include <string.h>

/* The message just encoded, which must be one whole map; valid until the next call. */
static inline const msgpack_object *decode(const struct wire *wire) {
  static msgpack_unpacked unpacked;
  msgpack_unpacked_destroy(&unpacked); /* of the message before */
  ck_assert(!wire->overflow);
  size_t offset = 0;
  msgpack_unpacked_init(&unpacked);
  ck_assert_int_eq(msgpack_unpack_next(&unpacked, wire->data, wire->size, &offset),
                   MSGPACK_UNPACK_SUCCESS);
  ck_assert_uint_eq(offset, wire->size);
  ck_assert_int_eq(unpacked.data.type, MSGPACK_OBJECT_MAP);
  return &unpacked.data;
}

static inline bool is_text(const msgpack_object *object, const char *text) {
  return object->type == MSGPACK_OBJECT_STR && object->via.str.size == strlen(text) &&
         memcmp(object->via.str.ptr, text, strlen(text)) == 0;
}

static inline const msgpack_object *find(const msgpack_object *map, const char *key) {
  ck_assert_int_eq(map->type, MSGPACK_OBJECT_MAP);
  for (uint32_t i = 0; i < map->via.map.size; i++) {
    if (is_text(&map->via.map.ptr[i].key, key)) {
      return &map->via.map.ptr[i].val;
    }
  }
  return NULL;
}

static inline const msgpack_object *get(const msgpack_object *map, const char *key) {
  const msgpack_object *value = find(map, key);
  ck_assert_msg(value != NULL, "no key %s", key);
  return value;
}

static inline void expect_text(const msgpack_object *map, const char *key, const char *text) {
  const msgpack_object *value = get(map, key);
  ck_assert_msg(is_text(value, text), "%s is %.*s, not %s", key, (int)value->via.str.size,
                value->via.str.ptr, text);
}

static inline void expect_real(const msgpack_object *map, const char *key, double expected) {
  const msgpack_object *value = get(map, key);
  ck_assert_int_eq(value->type, MSGPACK_OBJECT_FLOAT64);
  ck_assert_msg(value->via.f64 == expected, "%s is %g, not %g", key, value->via.f64, expected);
}

static inline void expect_count(const msgpack_object *map, const char *key, uint64_t expected) {
  const msgpack_object *value = get(map, key);
  ck_assert_int_eq(value->type, MSGPACK_OBJECT_POSITIVE_INTEGER);
  ck_assert_uint_eq(value->via.u64, expected);
}

/* A list of texts has this one. */
static inline bool lists(const msgpack_object *array, const char *text) {
  for (uint32_t i = 0; i < array->via.array.size; i++) {
    const msgpack_object *entry = &array->via.array.ptr[i];
    if (entry->via.str.size == strlen(text) &&
        memcmp(entry->via.str.ptr, text, strlen(text)) == 0) {
      return true;
    }
  }
  return false;
}

#endif
