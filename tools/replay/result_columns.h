/* All that a cycle publishes of numbers, as a row: one column for each, named as the topics name
 * it.
 *
 * Columns of `state` and `centroidal` come from the topics' own rows (describe/field.h): the key,
 * with _JOINT, _FOOT, or _x _y _z _w behind it; then those of each estimated link. What is not
 * estimated is NaN. */
#ifndef RESULT_COLUMNS_H
#define RESULT_COLUMNS_H

#include "common/status.h"
#include "pipeline.h"

#include <stddef.h>

enum { RESULT_NAME_SIZE = 96 };

struct result_column {
  char name[RESULT_NAME_SIZE];
  char unit[16];
  const char *topic; /* "state", "centroidal", "inertia" */
  size_t offset;     /* of the number in struct estimates */
  uint64_t part;     /* of `estimated` of its topic; 0: always */
  bool is_count;     /* uint64_t, not double */
};

struct result_columns {
  struct result_column *column; /* [n] */
  size_t n;
};

/* The columns for a robot. [start] STATUS_NO_MEMORY. */
enum status result_columns_init(struct result_columns *columns, const struct robot *robot,
                                const struct inertial_settings *inertial);
void result_columns_free(struct result_columns *columns);

/* Number `i` of a result; NaN where it is not estimated. [any] */
double result_number(const struct result_columns *columns, size_t i,
                     const struct estimates *estimates);

#endif
