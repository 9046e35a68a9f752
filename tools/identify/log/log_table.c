#include "identify/log/log_table.h"

#include "common/number.h"
#include "common/word_distance.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct reader {
  struct log_table table;
  const char *next, *end; /* text not yet read */
  const char *file;
  size_t line;
  struct message *error;
};

static bool is_between(char c) {
  return c == ',' || c == ';' || c == '\t' || c == ' ';
}

static bool is_line_end(char c) {
  return c == '\n' || c == '\r' || c == '\0';
}

static const char *skip_blanks(const char *at) {
  while (*at == ' ' || *at == '\t') {
    at++;
  }
  return at;
}

/* Digits with at most one point among them: what has a short exact form. Up to 15 digits and powers
 * of ten up to 22 are exact in a double, so that one division rounds once, as strtod does. */
static bool plain_number(const char *at, double *value, const char **stop) {
  static const double ten_to[] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                  1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
  const bool negative = *at == '-';
  uint64_t digits = 0;
  int n = 0, behind = 0;
  bool point = false;
  at += negative || *at == '+';
  for (;; at++) {
    if (*at >= '0' && *at <= '9') {
      digits = 10 * digits + (uint64_t)(*at - '0');
      behind += point;
      n += digits != 0;
    } else if (*at == '.' && !point) {
      point = true;
    } else {
      break;
    }
    if (n > 15 || behind > 15) {
      return false;
    }
  }
  if (n == 0 || !(is_between(*at) || is_line_end(*at))) {
    return false;
  }
  *value = (double)digits / ten_to[behind];
  *value = negative ? -*value : *value;
  *stop = at;
  return true;
}

static enum status read_number(const char *at, double *value, const char **stop) {
  if (plain_number(at, value, stop)) {
    return STATUS_OK;
  }
  char field[LOG_NAME];
  size_t length = 0;
  while (!is_between(at[length]) && !is_line_end(at[length]) && length + 1 < sizeof(field)) {
    field[length] = at[length];
    length++;
  }
  field[length] = '\0';
  *stop = at + length;
  return number_read(field, value, NULL);
}

/* -- lines ------------------------------------------------------------------------------------ */

/* Moves to the next line that says something; false at the end. */
static bool next_line(struct reader *r, const char **start) {
  while (r->next < r->end) {
    const char *at = skip_blanks(r->next);
    const char *stop = memchr(r->next, '\n', (size_t)(r->end - r->next));
    r->next = stop != NULL ? stop + 1 : r->end;
    r->line++;
    if (!is_line_end(*at) && *at != '#') {
      *start = at;
      return true;
    }
  }
  return false;
}

/* The next field behind `at`; NULL at the line's end. */
static const char *next_field(const char *at) {
  at = skip_blanks(at);
  if (*at == ',' || *at == ';') {
    at = skip_blanks(at + 1);
  }
  return is_line_end(*at) ? NULL : at;
}

static size_t field_length(const char *at) {
  size_t length = 0;
  while (!is_between(at[length]) && !is_line_end(at[length])) {
    length++;
  }
  return length;
}

/* Counts the fields of the first line, and names the columns by it when it holds no numbers. */
static enum status read_header(struct reader *r, const char *line, bool *is_header) {
  size_t n = 0;
  double value;
  const char *stop;
  *is_header = read_number(line, &value, &stop) == STATUS_BAD_ARGUMENT;
  for (const char *at = line; at != NULL; at = next_field(at + field_length(at))) {
    n++;
  }
  if (n > LOG_COLUMNS) {
    message_set(r->error, "%s:%zu: %zu columns, the maximum is %d", r->file, r->line, n,
                LOG_COLUMNS);
    return STATUS_OUT_OF_RANGE;
  }
  r->table.n_columns = n;
  r->table.name = calloc(n, sizeof(*r->table.name));
  if (r->table.name == NULL) {
    return STATUS_NO_MEMORY;
  }
  const char *at = line;
  for (size_t i = 0; i < n; i++, at = next_field(at + field_length(at))) {
    if (*is_header) {
      const bool quoted = *at == '"';
      const size_t length = field_length(at);
      snprintf(r->table.name[i], LOG_NAME, "%.*s",
               (int)(quoted && length > 1 ? length - 2 : length), at + quoted);
    } else {
      snprintf(r->table.name[i], LOG_NAME, "%zu", i + 1);
    }
  }
  return STATUS_OK;
}

static bool make_room(struct log_table *table) {
  if (table->n_rows < table->room) {
    return true;
  }
  const size_t room = 2 * table->room + 4096;
  double *value = realloc(table->value, room * table->n_columns * sizeof(*value));
  if (value == NULL) {
    return false;
  }
  table->value = value;
  size_t *line = realloc(table->line, room * sizeof(*line));
  if (line == NULL) {
    return false;
  }
  table->line = line;
  table->room = room;
  return true;
}

static enum status read_row(struct reader *r, const char *line) {
  struct log_table *table = &r->table;
  if (!make_room(table)) {
    message_set(r->error, "%s:%zu: no memory for more rows", r->file, r->line);
    return STATUS_NO_MEMORY;
  }
  double *row = table->value + table->n_rows * table->n_columns;
  size_t n = 0;
  for (const char *at = line; at != NULL; at = next_field(at)) {
    if (n == table->n_columns) {
      message_set(r->error, "%s:%zu: more than the %zu fields of the first line", r->file, r->line,
                  n);
      return STATUS_BAD_ARGUMENT;
    }
    const char *stop = at;
    const enum status status = read_number(at, &row[n], &stop);
    if (status != STATUS_OK) {
      message_set(r->error, "%s:%zu: column '%s': '%.*s' is %s", r->file, r->line, table->name[n],
                  (int)(field_length(at) < 40 ? field_length(at) : 40), at,
                  status == STATUS_NOT_FINITE ? "not finite" : "no number");
      return status;
    }
    at = stop;
    n++;
  }
  if (n < table->n_columns) {
    message_set(r->error, "%s:%zu: column '%s' is missing: %zu fields, the first line has %zu",
                r->file, r->line, table->name[n], n, table->n_columns);
    return STATUS_BAD_ARGUMENT;
  }
  table->line[table->n_rows++] = r->line;
  return STATUS_OK;
}

enum status log_table_read(const char *text, size_t length, const char *file,
                           struct log_table *table, struct message *error) {
  static const char mark[] = "\xef\xbb\xbf";
  struct reader r = {.next = text, .end = text + length, .file = file, .error = error};
  r.next += length >= 3 && memcmp(text, mark, 3) == 0 ? 3 : 0;
  const char *line = NULL;
  bool is_header = false;
  enum status status = next_line(&r, &line) ? read_header(&r, line, &is_header) : STATUS_TOO_FEW;
  if (status == STATUS_OK && !is_header) {
    status = read_row(&r, line);
  }
  while (status == STATUS_OK && next_line(&r, &line)) {
    status = read_row(&r, line);
  }
  if (status == STATUS_TOO_FEW || (status == STATUS_OK && r.table.n_rows == 0)) {
    message_set(error, "%s: not a single row", file);
    status = STATUS_TOO_FEW;
  }
  if (status != STATUS_OK) {
    log_table_free(&r.table);
    return status;
  }
  *table = r.table;
  return STATUS_OK;
}

void log_table_free(struct log_table *table) {
  free(table->name);
  free(table->value);
  free(table->line);
  *table = (struct log_table){0};
}

enum status log_table_join(struct log_table *table, struct log_table *other, size_t file,
                           struct message *error) {
  const size_t n = table->n_columns, more = other->n_columns, all = n + more;
  if (table->n_rows != other->n_rows) {
    message_set(error, "file %zu has %zu rows, those before it %zu: they must be side by side",
                file, other->n_rows, table->n_rows);
    return STATUS_BAD_ARGUMENT;
  }
  char(*name)[LOG_NAME] = calloc(all, sizeof(*name));
  double *value = malloc(all * table->n_rows * sizeof(*value));
  if (name == NULL || value == NULL) {
    free(name);
    free(value);
    message_set(error, "no memory for %zu columns side by side", all);
    return STATUS_NO_MEMORY;
  }
  memcpy(name, table->name, n * sizeof(*name));
  for (size_t i = 0; i < more; i++) {
    const bool taken = log_table_find(table, other->name[i]) >= 0;
    snprintf(name[n + i], LOG_NAME, "%.0zu%s%.50s", taken ? file : 0, taken ? ":" : "",
             other->name[i]);
  }
  for (size_t k = 0; k < table->n_rows; k++) {
    memcpy(value + k * all, table->value + k * n, n * sizeof(*value));
    memcpy(value + k * all + n, other->value + k * more, more * sizeof(*value));
  }
  free(table->name);
  free(table->value);
  table->name = name;
  table->value = value;
  table->n_columns = all;
  table->room = table->n_rows;
  log_table_free(other);
  return STATUS_OK;
}

long log_table_find(const struct log_table *table, const char *name) {
  for (size_t i = 0; i < table->n_columns; i++) {
    if (strcmp(table->name[i], name) == 0) {
      return (long)i;
    }
  }
  return -1;
}

const char *log_table_nearest(const struct log_table *table, const char *name) {
  const char *nearest = NULL;
  size_t least = 1 + strlen(name) / 3;
  for (size_t i = 0; i < table->n_columns; i++) {
    const size_t distance = word_distance(table->name[i], name);
    if (distance <= least) {
      nearest = table->name[i];
      least = distance - (distance > 0);
    }
  }
  return nearest;
}
