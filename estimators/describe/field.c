#include "describe/field.h"

#include <math.h>

const char *const propriod_status_words[] = {"init", "ok", "degraded", "diverged", "stale", NULL};

bool field_next(const struct field_table *table, struct field_place *place) {
  while (place->group < FIELD_MOST_GROUPS && table->group[place->group].rows != NULL) {
    const struct field_rows *rows = table->group[place->group].rows;
    if (place->row < rows->count) {
      place->field = &rows->row[place->row++];
      place->offset = table->group[place->group].offset + place->field->offset;
      return true;
    }
    place->group++;
    place->row = 0;
  }
  return false;
}

/* Doubles that one element consists of; 0 for what cannot be anything but finite. */
static size_t doubles_of(enum field_kind kind) {
  switch (kind) {
  case FIELD_REAL:
    return 1;
  case FIELD_VEC3:
    return sizeof(propriod_vec3) / sizeof(double);
  case FIELD_QUAT:
    return sizeof(propriod_quat) / sizeof(double);
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

uint64_t field_finite(const struct field_table *table, const void *source, uint64_t estimated,
                      size_t n) {
  uint64_t finite = estimated;
  for (struct field_place at = {0}; field_next(table, &at);) {
    const struct field *field = at.field;
    const void *value = (const char *)source + at.offset;
    const size_t count = (field->per == FIELD_ONCE ? 1 : n) * doubles_of(field->kind);
    if ((field->part & finite) != 0 && !are_finite(value, count)) {
      finite &= ~field->part;
    }
  }
  return finite;
}
