#include "publish/wire.h"

#include <math.h>
#include <string.h>

static int append(void *context, const char *bytes, size_t count) {
  struct wire *wire = context;
  if (wire->overflow || count > wire->capacity - wire->size) {
    wire->overflow = true;
    return -1;
  }
  memcpy(wire->data + wire->size, bytes, count);
  wire->size += count;
  return 0;
}

void wire_init(struct wire *wire, char *data, size_t capacity) {
  *wire = (struct wire){.data = data, .capacity = capacity};
  msgpack_packer_init(&wire->packer, wire, append);
}

void wire_rewind(struct wire *wire) {
  wire->size = 0;
  wire->overflow = false;
}

void wire_map(struct wire *wire, size_t count) {
  msgpack_pack_map(&wire->packer, count);
}

void wire_array(struct wire *wire, size_t count) {
  msgpack_pack_array(&wire->packer, count);
}

void wire_encoded(struct wire *wire, const char *bytes, size_t count) {
  append(wire, bytes, count);
}

/* Bytes of the UTF-8 character at `text`, 0 when it is none: decoders are strict and refuse the
 * whole message. */
static size_t character_length(const char *text) {
  /* by length: no overlong forms */
  static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
  const unsigned char first = (unsigned char)text[0];
  if (first < 0x80) {
    return 1;
  }
  const size_t length = first >= 0xF8   ? 0
                        : first >= 0xF0 ? 4
                        : first >= 0xE0 ? 3
                        : first >= 0xC0 ? 2
                                        : 0;
  uint32_t point = length > 0 ? first & (0x7Fu >> length) : 0;
  for (size_t i = 1; i < length; i++) {
    const unsigned char next = (unsigned char)text[i];
    if ((next & 0xC0) != 0x80) {
      return 0;
    }
    point = point << 6 | (next & 0x3Fu);
  }
  const bool surrogate = point >= 0xD800 && point <= 0xDFFF;
  return length == 0 || point < smallest[length] || point > 0x10FFFF || surrogate ? 0 : length;
}

void wire_text(struct wire *wire, const char *text) {
  const size_t size = strlen(text);
  msgpack_pack_str(&wire->packer, size);
  size_t length;
  for (size_t i = 0; i < size; i += length) {
    length = character_length(text + i);
    append(wire, length > 0 ? text + i : "?", length > 0 ? length : 1);
    length += length == 0;
  }
}

void wire_real(struct wire *wire, double value) {
  if (isfinite(value)) {
    msgpack_pack_double(&wire->packer, value);
    return;
  }
  wire->replaced++;
  msgpack_pack_nil(&wire->packer);
}

void wire_float(struct wire *wire, float value) {
  if (isfinite(value)) {
    msgpack_pack_float(&wire->packer, value);
    return;
  }
  wire->replaced++;
  msgpack_pack_nil(&wire->packer);
}

void wire_reals(struct wire *wire, const double *value, size_t count) {
  wire_array(wire, count);
  for (size_t i = 0; i < count; i++) {
    wire_real(wire, value[i]);
  }
}

void wire_whole(struct wire *wire, int64_t value) {
  msgpack_pack_int64(&wire->packer, value);
}

void wire_count(struct wire *wire, uint64_t value) {
  msgpack_pack_uint64(&wire->packer, value);
}

void wire_truth(struct wire *wire, bool value) {
  if (value) {
    msgpack_pack_true(&wire->packer);
  } else {
    msgpack_pack_false(&wire->packer);
  }
}

void wire_pair_text(struct wire *wire, const char *key, const char *text) {
  wire_text(wire, key);
  wire_text(wire, text);
}

void wire_pair_real(struct wire *wire, const char *key, double value) {
  wire_text(wire, key);
  wire_real(wire, value);
}

void wire_pair_whole(struct wire *wire, const char *key, int64_t value) {
  wire_text(wire, key);
  wire_whole(wire, value);
}

void wire_pair_count(struct wire *wire, const char *key, uint64_t value) {
  wire_text(wire, key);
  wire_count(wire, value);
}
