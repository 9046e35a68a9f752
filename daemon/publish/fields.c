#include "publish/fields.h"

#include <math.h>

const char *estimate_status_text(enum propriod_status status) {
  static const char *const text[] = {
      [PROPRIOD_STATUS_INIT] = "init",         [PROPRIOD_STATUS_OK] = "ok",
      [PROPRIOD_STATUS_DEGRADED] = "degraded", [PROPRIOD_STATUS_DIVERGED] = "diverged",
      [PROPRIOD_STATUS_STALE] = "stale",
  };
  return text[status];
}

void fields_begin(struct wire *wire, const struct stamp *stamp, size_t more) {
  wire_rewind(wire);
  wire_map(wire, STAMP_KEYS + more);
  wire_pair_count(wire, "v", WIRE_VERSION);
  wire_pair_count(wire, "seq", stamp->seq);
  wire_pair_real(wire, "timestamp", 1e-9 * (double)(stamp->t_ns + stamp->epoch_ns));
  wire_pair_whole(wire, "t_mono_ns", stamp->t_ns);
  wire_pair_text(wire, "status", estimate_status_text(stamp->status));
}

static bool has_meaning(const struct field *field, uint64_t estimated) {
  return field->part == 0 || (field->part & estimated) != 0;
}

static size_t count_meaningful(const struct field_table *table, uint64_t estimated) {
  size_t count = 0;
  for (size_t i = 0; i < table->count; i++) {
    count += has_meaning(&table->field[i], estimated);
  }
  return count;
}

size_t fields_pairs(const struct field_table *table, uint64_t estimated) {
  return count_meaningful(table, estimated) + 1;
}

static void encode_quat(struct wire *wire, quat q) {
  const double xyzw[4] = {q.x, q.y, q.z, q.w};
  wire_reals(wire, xyzw, 4);
}

static void encode_codes(struct wire *wire, const uint8_t *code, size_t count) {
  wire_array(wire, count);
  for (size_t i = 0; i < count; i++) {
    wire_count(wire, code[i]);
  }
}

static void encode_counts(struct wire *wire, const uint64_t *count, size_t n) {
  wire_array(wire, n);
  for (size_t i = 0; i < n; i++) {
    wire_count(wire, count[i]);
  }
}

static void encode_floats(struct wire *wire, const float *value, size_t count) {
  wire_array(wire, count);
  for (size_t i = 0; i < count; i++) {
    wire_float(wire, value[i]);
  }
}

static void encode_value(struct wire *wire, enum field_kind kind, const void *value, size_t n) {
  switch (kind) {
  case FIELD_REAL:
    wire_real(wire, *(const double *)value);
    break;
  case FIELD_COUNT:
    wire_count(wire, *(const uint64_t *)value);
    break;
  case FIELD_VEC3:
    wire_vec3(wire, *(const vec3 *)value);
    break;
  case FIELD_QUAT:
    encode_quat(wire, *(const quat *)value);
    break;
  case FIELD_JOINTS:
  case FIELD_FEET:
    wire_reals(wire, value, n);
    break;
  case FIELD_JOINT_COUNTS:
    encode_counts(wire, value, n);
    break;
  case FIELD_CELL_CODES:
    encode_codes(wire, *(const uint8_t *const *)value, n);
    break;
  case FIELD_CELL_REALS:
    encode_floats(wire, *(const float *const *)value, n);
    break;
  }
}

void fields_encode(struct wire *wire, const struct field_table *table, const void *source,
                   uint64_t estimated, size_t n) {
  for (size_t i = 0; i < table->count; i++) {
    const struct field *field = &table->field[i];
    if (has_meaning(field, estimated)) {
      wire_text(wire, field->key);
      encode_value(wire, field->kind, (const char *)source + field->offset, n);
    }
  }
  wire_text(wire, "not_estimated");
  wire_array(wire, table->count - count_meaningful(table, estimated));
  for (size_t i = 0; i < table->count; i++) {
    if (!has_meaning(&table->field[i], estimated)) {
      wire_text(wire, table->field[i].key);
    }
  }
}

/* Doubles that a value consists of; 0 for what cannot be anything but finite. */
static size_t doubles_of(enum field_kind kind, size_t n) {
  switch (kind) {
  case FIELD_REAL:
    return 1;
  case FIELD_VEC3:
    return sizeof(vec3) / sizeof(double);
  case FIELD_QUAT:
    return sizeof(quat) / sizeof(double);
  case FIELD_JOINTS:
  case FIELD_FEET:
    return n;
  default:
    return 0;
  }
}

static bool are_finite(const double *value, size_t count) {
  bool finite = true;
  for (size_t i = 0; i < count; i++) {
    finite = finite && isfinite(value[i]);
  }
  return finite;
}

uint64_t fields_finite(const struct field_table *table, const void *source, uint64_t estimated,
                       size_t n) {
  uint64_t finite = estimated;
  for (size_t i = 0; i < table->count; i++) {
    const struct field *field = &table->field[i];
    const void *value = (const char *)source + field->offset;
    if ((field->part & finite) != 0 && !are_finite(value, doubles_of(field->kind, n))) {
      finite &= ~(uint64_t)field->part;
    }
  }
  return finite;
}

static const char *shape_of(enum field_kind kind) {
  static const char *const shape[] = {
      [FIELD_REAL] = "number",    [FIELD_COUNT] = "integer",     [FIELD_VEC3] = "[x,y,z]",
      [FIELD_QUAT] = "[x,y,z,w]", [FIELD_JOINTS] = "[joint]",    [FIELD_JOINT_COUNTS] = "[joint]",
      [FIELD_FEET] = "[foot]",    [FIELD_CELL_CODES] = "[cell]", [FIELD_CELL_REALS] = "[cell]",
  };
  return shape[kind];
}

void field_describe(struct wire *wire, const char *key, const char *shape, const char *unit,
                    const char *frame, const char *meaning) {
  wire_text(wire, key);
  wire_map(wire, 4);
  wire_pair_text(wire, "shape", shape);
  wire_pair_text(wire, "unit", unit);
  wire_pair_text(wire, "frame", frame);
  wire_pair_text(wire, "meaning", meaning);
}

void fields_describe(struct wire *wire, const struct field_table *table) {
  wire_map(wire, table->count);
  for (size_t i = 0; i < table->count; i++) {
    const struct field *field = &table->field[i];
    field_describe(wire, field->key, shape_of(field->kind), field->unit, field->frame,
                   field->meaning);
  }
}
