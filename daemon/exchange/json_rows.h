/* Rows of a series as JSON: an object with `timestamp` and an array, or a number, for each of its
 * arrays; numbers that are not known are null. */
#ifndef JSON_ROWS_H
#define JSON_ROWS_H

#include "exchange/byte_buffer.h"
#include "exchange/series.h"

/* The object. [start] `to` is cleared first. */
void json_row(struct byte_buffer *to, const struct series *series, int64_t t_ns, const double *row);

/* Its JSON schema, to be freed; NULL: out of memory. [start] */
char *json_schema(const struct series *series);

#endif
