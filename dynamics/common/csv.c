#include "common/csv.h"

#include "common/number.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum status csv_refuse(const struct csv *csv, enum status status, const char *format, ...) {
  struct message what;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(what.text, sizeof(what.text), format, arguments);
  va_end(arguments);
  message_set(csv->error, "%zu: %.400s", csv->line, what.text);
  return status;
}

struct csv csv_begin(const char *text, size_t length, const char *const *column, size_t n_columns,
                     const char *what, struct message *error) {
  static const char mark[] = "\xef\xbb\xbf";
  const size_t skip = length >= 3 && memcmp(text, mark, 3) == 0 ? 3 : 0;
  return (struct csv){.column = column,
                      .n_columns = n_columns,
                      .what = what,
                      .next = text + skip,
                      .end = text + length,
                      .error = error};
}

static bool is_blank(const char *start, const char *stop) {
  while (start < stop && (*start == ' ' || *start == '\t')) {
    start++;
  }
  return start == stop || *start == '#';
}

bool csv_next(struct csv *csv) {
  while (csv->next < csv->end) {
    const size_t left = (size_t)(csv->end - csv->next);
    const char *newline = memchr(csv->next, '\n', left);
    csv->start = csv->next;
    csv->stop = newline != NULL ? newline : csv->end;
    csv->next = newline != NULL ? newline + 1 : csv->end;
    csv->line++;
    if (csv->stop > csv->start && csv->stop[-1] == '\r') {
      csv->stop--;
    }
    if (!is_blank(csv->start, csv->stop)) {
      return true;
    }
  }
  return false;
}

size_t csv_count(struct csv csv) {
  size_t n = 0;
  while (csv_next(&csv)) {
    n++;
  }
  return n;
}

/* Copies one field without the blanks around it. */
static enum status copy_field(const struct csv *csv, const char *start, const char *stop,
                              const char *column, char field[CSV_FIELD_SIZE]) {
  while (start < stop && (*start == ' ' || *start == '\t')) {
    start++;
  }
  while (stop > start && (stop[-1] == ' ' || stop[-1] == '\t')) {
    stop--;
  }
  const size_t length = (size_t)(stop - start);
  if (length == 0) {
    return csv_refuse(csv, STATUS_BAD_ARGUMENT, "%s: empty", column);
  }
  if (length >= CSV_FIELD_SIZE) {
    return csv_refuse(csv, STATUS_OUT_OF_RANGE, "%s: %zu bytes, at most %d are allowed", column,
                      length, CSV_FIELD_SIZE - 1);
  }
  for (const char *c = start; c < stop; c++) {
    if ((unsigned char)*c < ' ' || *c == 0x7f || *c == '"') {
      return csv_refuse(csv, STATUS_BAD_ARGUMENT,
                        "%s: byte 0x%02x: quotes and control characters are not allowed", column,
                        (unsigned char)*c);
    }
  }
  memcpy(field, start, length);
  field[length] = '\0';
  return STATUS_OK;
}

/* The names of all columns, for messages. */
static void list_columns(const struct csv *csv, struct message *list) {
  size_t used = 0;
  list->text[0] = '\0';
  for (size_t i = 0; i < csv->n_columns && used < sizeof(list->text); i++) {
    used += (size_t)snprintf(list->text + used, sizeof(list->text) - used, "%s%s", i > 0 ? "," : "",
                             csv->column[i]);
  }
}

/* Cuts the line at its commas; `order` NULL for the header, whose fields have no names yet. */
static enum status cut(struct csv *csv, const size_t *order) {
  const char *start = csv->start;
  for (size_t i = 0; i < csv->n_columns; i++) {
    const char *comma = memchr(start, ',', (size_t)(csv->stop - start));
    if ((comma == NULL) != (i == csv->n_columns - 1)) {
      struct message list;
      list_columns(csv, &list);
      return csv_refuse(csv, STATUS_BAD_ARGUMENT, "%s than %zu columns: %s",
                        comma == NULL ? "fewer" : "more", csv->n_columns, list.text);
    }
    const char *stop = comma != NULL ? comma : csv->stop;
    const size_t column = order != NULL ? order[i] : i;
    const char *name = order != NULL ? csv->column[column] : "header";
    const enum status status = copy_field(csv, start, stop, name, csv->field[column]);
    if (status != STATUS_OK) {
      return status;
    }
    start = stop + 1;
  }
  return STATUS_OK;
}

enum status csv_cut(struct csv *csv) {
  return cut(csv, csv->order);
}

static size_t find_column(const struct csv *csv, const char *name) {
  size_t i = 0;
  while (i < csv->n_columns && strcmp(name, csv->column[i]) != 0) {
    i++;
  }
  return i;
}

enum status csv_header(struct csv *csv) {
  if (!csv_next(csv)) {
    csv->line = 1;
    return csv_refuse(csv, STATUS_TOO_FEW, "empty: a header and at least one %s are needed",
                      csv->what);
  }
  enum status status = cut(csv, NULL);
  unsigned seen = 0;
  for (size_t i = 0; i < csv->n_columns && status == STATUS_OK; i++) {
    const size_t column = find_column(csv, csv->field[i]);
    if (column == csv->n_columns) {
      struct message list;
      list_columns(csv, &list);
      status =
          csv_refuse(csv, STATUS_BAD_ARGUMENT, "header: unknown column '%s', these are needed: %s",
                     csv->field[i], list.text);
    } else if ((seen & 1u << column) != 0) {
      status = csv_refuse(csv, STATUS_BAD_ARGUMENT, "header: column '%s' stands there twice",
                          csv->field[i]);
    } else {
      seen |= 1u << column;
      csv->order[i] = column;
    }
  }
  return status;
}

enum status csv_number(const struct csv *csv, size_t column, double limit, const char *unit,
                       double *value) {
  const char *text = csv->field[column], *name = csv->column[column];
  double read;
  const enum status status = number_read_list(text, 1, &read);
  if (status != STATUS_OK) {
    return csv_refuse(csv, status, "%s: '%s' is not %s", name, text,
                      status == STATUS_NOT_FINITE ? "finite" : "a number");
  }
  if (fabs(read) > limit) {
    return csv_refuse(csv, STATUS_OUT_OF_RANGE, "%s: %s is beyond the limit of +-%g%s", name, text,
                      limit, unit);
  }
  *value = read;
  return STATUS_OK;
}
