/* Tables of named columns in text: a header, then one row a line, fields between commas.
 *
 * Columns may stand in any order. Empty lines and lines that begin with # are passed over. No
 * quotes; either line ending; a byte order mark is allowed. Numbers are read alike in every
 * locale. */
#ifndef CSV_H
#define CSV_H

#include "common/message.h"
#include "common/status.h"

#include <stdbool.h>
#include <stddef.h>

#define CSV_MAX_COLUMNS 16
#define CSV_FIELD_SIZE  64 /* bytes of the longest field with its final zero */

/* A table being read line by line. A copy remembers a place. */
struct csv {
  const char *const *column; /* [n_columns] the names that the table must have */
  size_t n_columns;
  const char *what;                            /* one row's word in messages: "cell" */
  const char *next, *end;                      /* text not yet read */
  size_t line;                                 /* number of the line at hand, from 1 */
  const char *start, *stop;                    /* the line at hand without its ending */
  size_t order[CSV_MAX_COLUMNS];               /* column of each field, as the header says */
  char field[CSV_MAX_COLUMNS][CSV_FIELD_SIZE]; /* of the line at hand, by column */
  struct message *error;
};

/* [start] [worker] `column` must outlive the reader. */
struct csv csv_begin(const char *text, size_t length, const char *const *column, size_t n_columns,
                     const char *what, struct message *error);

/* Reads the header. STATUS_TOO_FEW: there is none; STATUS_BAD_ARGUMENT: not the columns that are
 * needed. */
enum status csv_header(struct csv *csv);

/* Moves to the next line that says something; false at the end. */
bool csv_next(struct csv *csv);

/* Cuts the line at hand into `field`, by column. STATUS_BAD_ARGUMENT, STATUS_OUT_OF_RANGE (a field
 * too long). */
enum status csv_cut(struct csv *csv);

/* Number in a column of the line at hand, within +-limit; `unit` is "" or begins with a blank.
 * STATUS_BAD_ARGUMENT, _NOT_FINITE, _OUT_OF_RANGE. */
enum status csv_number(const struct csv *csv, size_t column, double limit, const char *unit,
                       double *value);

/* Lines that say something from here on. */
size_t csv_count(struct csv csv);

/* Writes `LINE: message` and answers `status`. */
__attribute__((format(printf, 3, 4))) enum status
csv_refuse(const struct csv *csv, enum status status, const char *format, ...);

#endif
