#include "wire.h"

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

void wire_text(struct wire *wire, const char *text) {
  msgpack_pack_str_with_body(&wire->packer, text, strlen(text));
}

void wire_real(struct wire *wire, double value) {
  if (isfinite(value)) {
    msgpack_pack_double(&wire->packer, value);
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

void wire_vec3(struct wire *wire, vec3 value) {
  const double xyz[3] = {value.x, value.y, value.z};
  wire_reals(wire, xyz, 3);
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

void wire_pair_truth(struct wire *wire, const char *key, bool value) {
  wire_text(wire, key);
  wire_truth(wire, value);
}
