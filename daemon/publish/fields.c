#include "publish/fields.h"

#include <stdio.h>

/* What goes with a source all the way down. */
struct context {
  size_t n; /* elements of arrays */
  int64_t now_ns;
};

void fields_begin(struct wire *wire, const struct stamp *stamp, size_t more) {
  wire_rewind(wire);
  wire_map(wire, STAMP_KEYS + more);
  wire_pair_count(wire, "v", WIRE_VERSION);
  wire_pair_count(wire, "seq", stamp->seq);
  wire_pair_real(wire, "timestamp", 1e-9 * (double)(stamp->t_ns + stamp->epoch_ns));
  wire_pair_whole(wire, "t_mono_ns", stamp->t_ns);
  wire_pair_text(wire, "status", propriod_status_words[stamp->status]);
}

static int64_t instant(const void *value) {
  return __atomic_load_n((const int64_t *)value, __ATOMIC_RELAXED);
}

/* -- what there is of a table now ------------------------------------------------------------- */

static uint64_t estimated_of(const struct field_table *table, const char *source) {
  return table->parts == FIELD_WHOLE ? UINT64_MAX
                                     : *(const uint64_t *)(const void *)(source + table->estimated);
}

static bool is_there(const struct field_place *at, const char *source, uint64_t estimated) {
  const struct field *field = at->field;
  return field->kind == FIELD_AGE ? instant(source + at->offset) != 0
                                  : field->part == 0 || (field->part & estimated) != 0;
}

static size_t count_there(const struct field_table *table, const char *source, bool there) {
  const uint64_t estimated = estimated_of(table, source);
  size_t count = 0;
  for (struct field_place at = {0}; field_next(table, &at);) {
    count += is_there(&at, source, estimated) == there;
  }
  return count;
}

static size_t pairs_of(const struct field_table *table, const char *source) {
  return count_there(table, source, true) + (table->parts == FIELD_LISTED);
}

/* -- one value -------------------------------------------------------------------------------- */

static void encode_bits(struct wire *wire, unsigned bits, const char *const *words) {
  size_t count = 0;
  for (unsigned i = 0; words[i] != NULL; i++) {
    count += (bits >> i) & 1u;
  }
  wire_array(wire, count);
  for (unsigned i = 0; words[i] != NULL; i++) {
    if ((bits >> i) & 1u) {
      wire_text(wire, words[i]);
    }
  }
}

static void encode_numbers(struct wire *wire, const struct field *field, const void *of) {
  double number[FIELD_MOST_NUMBERS];
  const size_t count = field->numbers(of, number);
  if (field->shape[0] == '[') {
    wire_reals(wire, number, count);
  } else {
    wire_real(wire, number[0]);
  }
}

static void encode_one(struct wire *wire, const struct field *field, const void *value,
                       const struct context *context) {
  switch (field->kind) {
  case FIELD_TRUTH:
    wire_truth(wire, __atomic_load_n((const bool *)value, __ATOMIC_RELAXED));
    break;
  case FIELD_REAL:
    wire_real(wire, *(const double *)value);
    break;
  case FIELD_FLOAT:
    wire_float(wire, *(const float *)value);
    break;
  case FIELD_COUNT:
    wire_count(wire, __atomic_load_n((const uint64_t *)value, __ATOMIC_RELAXED));
    break;
  case FIELD_CODE:
    wire_count(wire, *(const uint8_t *)value);
    break;
  case FIELD_VEC3:
    wire_reals(wire, value, 3);
    break;
  case FIELD_QUAT:
    wire_reals(wire, value, 4);
    break;
  case FIELD_TEXT:
    wire_text(wire, value);
    break;
  case FIELD_CHOICE:
    wire_text(wire, field->words[*(const unsigned *)value]);
    break;
  case FIELD_BITS:
    encode_bits(wire, *(const unsigned *)value, field->words);
    break;
  case FIELD_NUMBERS:
    encode_numbers(wire, field, value);
    break;
  case FIELD_SEEN:
    wire_truth(wire, instant(value) != 0);
    break;
  case FIELD_AGE:
    wire_real(wire, 1e-9 * (double)(context->now_ns - instant(value)));
    break;
  case FIELD_MAP:
  case FIELD_MAP_AT: /* encode_map */
    break;
  }
}

static void encode_each(struct wire *wire, const struct field *field, const char *value,
                        const struct context *context) {
  if (field->per == FIELD_ONCE) {
    encode_one(wire, field, value, context);
    return;
  }
  const char *first = field->per == FIELD_CELL ? *(const char *const *)(const void *)value : value;
  wire_array(wire, context->n);
  for (size_t i = 0; i < context->n; i++) {
    encode_one(wire, field, first + i * field->stride, context);
  }
}

/* -- a table of values; maps in it go as deep as tables name each other ----------------------- */

static void encode_pairs(struct wire *wire, const struct field_table *table, const char *source,
                         const struct context *context);

static void encode_map(struct wire *wire, const struct field *field, const char *value,
                       const struct context *context) {
  const char *source =
      field->kind == FIELD_MAP_AT ? *(const char *const *)(const void *)value : value;
  wire_map(wire, source != NULL ? pairs_of(field->map, source) : 0);
  if (source != NULL) {
    encode_pairs(wire, field->map, source, context);
  }
}

static void encode_missing(struct wire *wire, const struct field_table *table, const char *source) {
  const uint64_t estimated = estimated_of(table, source);
  wire_text(wire, "not_estimated");
  wire_array(wire, count_there(table, source, false));
  for (struct field_place at = {0}; field_next(table, &at);) {
    if (!is_there(&at, source, estimated)) {
      wire_text(wire, at.field->key);
    }
  }
}

static void encode_pairs(struct wire *wire, const struct field_table *table, const char *source,
                         const struct context *context) {
  const uint64_t estimated = estimated_of(table, source);
  for (struct field_place at = {0}; field_next(table, &at);) {
    if (!is_there(&at, source, estimated)) {
      continue;
    }
    wire_text(wire, at.field->key);
    if (at.field->map != NULL) {
      encode_map(wire, at.field, source + at.offset, context);
    } else {
      encode_each(wire, at.field, source + at.offset, context);
    }
  }
  if (table->parts == FIELD_LISTED) {
    encode_missing(wire, table, source);
  }
}

void fields_encode(struct wire *wire, const struct stamp *stamp, const struct field_table *table,
                   const void *source, size_t n) {
  const struct context context = {n, stamp->t_ns};
  fields_begin(wire, stamp, pairs_of(table, source));
  encode_pairs(wire, table, source, &context);
}

/* -- the same maps, with a description in place of each value --------------------------------- */

void field_shape(const struct field *field, char shape[FIELD_SHAPE_SIZE]) {
  static const char *const per[] = {[FIELD_ONCE] = "",
                                    [FIELD_JOINT] = "[joint]",
                                    [FIELD_FOOT] = "[foot]",
                                    [FIELD_CELL] = "[cell]",
                                    [FIELD_LINK] = "[link]"};
  static const char *const one[] = {
      [FIELD_TRUTH] = "truth",    [FIELD_REAL] = "number",  [FIELD_FLOAT] = "number",
      [FIELD_COUNT] = "integer",  [FIELD_CODE] = "integer", [FIELD_VEC3] = "[x,y,z]",
      [FIELD_QUAT] = "[x,y,z,w]", [FIELD_TEXT] = "text",    [FIELD_CHOICE] = "text",
      [FIELD_BITS] = "[text]",    [FIELD_SEEN] = "truth",   [FIELD_AGE] = "number"};
  const char *element = field->kind == FIELD_NUMBERS ? field->shape : one[field->kind];
  const bool plain = field->per != FIELD_ONCE && element[0] != '[';
  snprintf(shape, FIELD_SHAPE_SIZE, "%s%s", per[field->per], plain ? "" : element);
}

static void describe_row(struct wire *wire, const struct field *field, const char *meaning) {
  char shape[FIELD_SHAPE_SIZE];
  field_shape(field, shape);
  wire_map(wire, 4);
  wire_pair_text(wire, "shape", shape);
  wire_pair_text(wire, "unit", field->unit);
  wire_pair_text(wire, "frame", field->frame);
  wire_pair_text(wire, "meaning", meaning);
}

/* `meaning`: of the map that the table describes. */
static void describe(struct wire *wire, const struct field_table *table, const char *meaning) {
  size_t count = 0;
  for (struct field_place at = {0}; field_next(table, &at);) {
    count++;
  }
  wire_map(wire, count);
  for (struct field_place at = {0}; field_next(table, &at);) {
    const char *own = at.field->meaning != NULL ? at.field->meaning : meaning;
    wire_text(wire, at.field->key);
    if (at.field->map != NULL) {
      describe(wire, at.field->map, own);
    } else {
      describe_row(wire, at.field, own);
    }
  }
}

void fields_describe(struct wire *wire, const struct field_table *table) {
  describe(wire, table, "");
}
