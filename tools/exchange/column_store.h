/* The arrays of all series, each in a temporary file of its own, row behind row: for formats that
 * want an array whole. Nothing is kept in memory, however long the recording. */
#ifndef COLUMN_STORE_H
#define COLUMN_STORE_H

#include "common/message.h"
#include "common/status.h"
#include "exchange/series.h"

#include <stdio.h>

enum { COLUMN_HEAD = 128 }; /* bytes kept free at the beginning of each file */

struct column_store {
  const struct series_set *set;
  size_t rows[SERIES_KINDS];
  FILE *instants[SERIES_KINDS]; /* int64_t, ns */
  FILE
      *values[SERIES_KINDS][SERIES_MOST_ARRAYS]; /* double, float or uint8_t, by the array's type */
};

/* Bytes of a number of this type. [start] */
size_t column_bytes(enum series_type type);

/* [start] STATUS_REFUSED with the reason. */
enum status column_store_open(struct column_store *store, const struct series_set *set,
                              struct message *error);
enum status column_store_add(struct column_store *store, const struct series *series, int64_t t_ns,
                             const double *row, struct message *error);
void column_store_close(struct column_store *store);

#endif
