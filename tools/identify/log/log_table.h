/* A log as a table of numbers: one row per sample, one column per signal.
 *
 * Text with fields between commas, semicolons, tabs or blanks. When the first line is no row of
 * numbers it names the columns; else they are called 1, 2, 3 ... Empty lines and lines that begin
 * with # are passed over; either line ending, a byte order mark is allowed. Ten million numbers are
 * read in a second or two: nothing here is called once per field that does not have to be. */
#ifndef LOG_TABLE_H
#define LOG_TABLE_H

#include "common/message.h"
#include "common/status.h"

#include <stddef.h>

enum { LOG_NAME = 64, LOG_COLUMNS = 1024 };

#define LOG_MAX_BYTES ((size_t)4 << 30)

struct log_table {
  size_t n_columns, n_rows, room;
  char (*name)[LOG_NAME]; /* [n_columns] */
  double *value;          /* [n_rows][n_columns] */
  size_t *line;           /* [n_rows] of the text, from 1 */
};

/* Reads `length` bytes of `text`, called `file` in messages, ended by a zero byte. [start]
 * STATUS_BAD_ARGUMENT: no number where one is needed, or a row of another length;
 * STATUS_NOT_FINITE: nan, inf; STATUS_TOO_FEW: no row; STATUS_NO_MEMORY. `table` is written with
 * STATUS_OK only; `error` says `file:line: column 'x': ...`. */
enum status log_table_read(const char *text, size_t length, const char *file,
                           struct log_table *table, struct message *error);
void log_table_free(struct log_table *table);

/* Puts the columns of `other`, which becomes empty, beside those of `table`; where both have a
 * name, the other's is called `2:NAME` with the number `file`. STATUS_BAD_ARGUMENT: not as many
 * rows; STATUS_NO_MEMORY; both are then as they were. */
enum status log_table_join(struct log_table *table, struct log_table *other, size_t file,
                           struct message *error);

/* Position of the named column, or -1. */
long log_table_find(const struct log_table *table, const char *name);

/* The column whose name is nearest to the one asked for, or NULL when none is near: more than one
 * letter in three differs. */
const char *log_table_nearest(const struct log_table *table, const char *name);

#endif
