#include "cell_table.h"

#include "name_index.h"
#include "number.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum column { CELL, LINK, X, Y, Z, QX, QY, QZ, QW, COLUMNS };
static const char *const column_name[COLUMNS] = {"cell", "link", "x",  "y", "z",
                                                 "qx",   "qy",   "qz", "qw"};

enum { FIELD_SIZE = MODEL_NAME_SIZE }; /* bytes of the longest field with its final zero */

/* A table being read line by line. */
struct scanner {
  const char *next, *end;          /* text not yet read */
  size_t line;                     /* number of the line at hand, from 1 */
  const char *start, *stop;        /* the line at hand without its ending */
  enum column order[COLUMNS];      /* column of each field, as the header says */
  char field[COLUMNS][FIELD_SIZE]; /* of the line at hand, by column */
  struct message *error;
};

__attribute__((format(printf, 3, 4))) static enum status
refuse(const struct scanner *scanner, enum status status, const char *format, ...) {
  struct message what;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(what.text, sizeof(what.text), format, arguments);
  va_end(arguments);
  message_set(scanner->error, "%zu: %.400s", scanner->line, what.text);
  return status;
}

static struct scanner scan(const char *text, size_t length, struct message *error) {
  static const char mark[] = "\xef\xbb\xbf";
  const size_t skip = length >= 3 && memcmp(text, mark, 3) == 0 ? 3 : 0;
  return (struct scanner){.next = text + skip, .end = text + length, .error = error};
}

static bool is_blank(const char *start, const char *stop) {
  while (start < stop && (*start == ' ' || *start == '\t')) {
    start++;
  }
  return start == stop || *start == '#';
}

/* Moves to the next line that says something; false at the end. */
static bool next_line(struct scanner *scanner) {
  while (scanner->next < scanner->end) {
    const size_t left = (size_t)(scanner->end - scanner->next);
    const char *newline = memchr(scanner->next, '\n', left);
    scanner->start = scanner->next;
    scanner->stop = newline != NULL ? newline : scanner->end;
    scanner->next = newline != NULL ? newline + 1 : scanner->end;
    scanner->line++;
    if (scanner->stop > scanner->start && scanner->stop[-1] == '\r') {
      scanner->stop--;
    }
    if (!is_blank(scanner->start, scanner->stop)) {
      return true;
    }
  }
  return false;
}

/* Copies one field without the blanks around it. */
static enum status copy_field(const struct scanner *scanner, const char *start, const char *stop,
                              const char *column, char field[FIELD_SIZE]) {
  while (start < stop && (*start == ' ' || *start == '\t')) {
    start++;
  }
  while (stop > start && (stop[-1] == ' ' || stop[-1] == '\t')) {
    stop--;
  }
  const size_t length = (size_t)(stop - start);
  if (length == 0) {
    return refuse(scanner, STATUS_BAD_ARGUMENT, "%s: empty", column);
  }
  if (length >= FIELD_SIZE) {
    return refuse(scanner, STATUS_OUT_OF_RANGE, "%s: %zu bytes, at most %d are allowed", column,
                  length, FIELD_SIZE - 1);
  }
  for (const char *c = start; c < stop; c++) {
    if ((unsigned char)*c < ' ' || *c == 0x7f || *c == '"') {
      return refuse(scanner, STATUS_BAD_ARGUMENT,
                    "%s: byte 0x%02x: quotes and control characters are not allowed", column,
                    (unsigned char)*c);
    }
  }
  memcpy(field, start, length);
  field[length] = '\0';
  return STATUS_OK;
}

/* Cuts the line at hand at its commas; `order` may be NULL for the header, whose fields have no
 * names yet. */
static enum status cut(struct scanner *scanner, const enum column *order) {
  const char *start = scanner->start;
  for (size_t i = 0; i < COLUMNS; i++) {
    const char *comma = memchr(start, ',', (size_t)(scanner->stop - start));
    if ((comma == NULL) != (i == COLUMNS - 1)) {
      return refuse(scanner, STATUS_BAD_ARGUMENT, "%s than %d columns: cell,link,x,y,z,qx,qy,qz,qw",
                    comma == NULL ? "fewer" : "more", COLUMNS);
    }
    const char *stop = comma != NULL ? comma : scanner->stop;
    const size_t column = order != NULL ? order[i] : i;
    const char *name = order != NULL ? column_name[column] : "header";
    const enum status status = copy_field(scanner, start, stop, name, scanner->field[column]);
    if (status != STATUS_OK) {
      return status;
    }
    start = stop + 1;
  }
  return STATUS_OK;
}

static int find_column(const char *name) {
  for (int i = 0; i < COLUMNS; i++) {
    if (strcmp(name, column_name[i]) == 0) {
      return i;
    }
  }
  return -1;
}

static enum status read_header(struct scanner *scanner) {
  if (!next_line(scanner)) {
    scanner->line = 1;
    return refuse(scanner, STATUS_TOO_FEW, "empty: a header and at least one cell are needed");
  }
  enum status status = cut(scanner, NULL);
  unsigned seen = 0;
  for (size_t i = 0; i < COLUMNS && status == STATUS_OK; i++) {
    const int column = find_column(scanner->field[i]);
    if (column < 0) {
      status = refuse(scanner, STATUS_BAD_ARGUMENT,
                      "header: unknown column '%s', these are needed: "
                      "cell,link,x,y,z,qx,qy,qz,qw",
                      scanner->field[i]);
    } else if ((seen & 1u << column) != 0) {
      status = refuse(scanner, STATUS_BAD_ARGUMENT, "header: column '%s' stands there twice",
                      scanner->field[i]);
    } else {
      seen |= 1u << column;
      scanner->order[i] = (enum column)column;
    }
  }
  return status;
}

static enum status read_number(const struct scanner *scanner, enum column column, double limit,
                               double *value) {
  const char *text = scanner->field[column], *name = column_name[column];
  const enum status status = number_read_list(text, 1, value);
  if (status != STATUS_OK) {
    return refuse(scanner, status, "%s: '%s' is not %s", name, text,
                  status == STATUS_NOT_FINITE ? "finite" : "a number");
  }
  if (fabs(*value) > limit) {
    return refuse(scanner, STATUS_OUT_OF_RANGE, "%s: %s is beyond the limit of +-%g%s", name, text,
                  limit, column < QX ? " m" : "");
  }
  return STATUS_OK;
}

static enum status read_placement(const struct scanner *scanner, struct pose *placement) {
  double value[COLUMNS];
  for (enum column c = X; c <= QW; c++) {
    const double limit = c < QX ? CELL_MAX_DISTANCE : 1.0 + CELL_QUATERNION_SLACK;
    const enum status status = read_number(scanner, c, limit, &value[c]);
    if (status != STATUS_OK) {
      return status;
    }
  }
  const quat q = {value[QX], value[QY], value[QZ], value[QW]};
  const double norm = sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
  if (fabs(norm - 1.0) > CELL_QUATERNION_SLACK) {
    return refuse(scanner, STATUS_OUT_OF_RANGE,
                  "qx,qy,qz,qw: the quaternion's norm is %g, it must be 1 within %g", norm,
                  CELL_QUATERNION_SLACK);
  }
  *placement = (struct pose){mat3_from_quat(q), {value[X], value[Y], value[Z]}};
  return STATUS_OK;
}

static enum status read_cell(const struct scanner *scanner, const struct model *model,
                             struct skin_cell *cell) {
  struct pose in_frame = POSE_IDENTITY;
  const enum status status = read_placement(scanner, &in_frame);
  if (status != STATUS_OK) {
    return status;
  }
  const int found = model_find_frame(model, scanner->field[LINK]);
  if (found < 0) {
    return refuse(scanner, STATUS_BAD_ARGUMENT, "link: '%s' is no link or frame of the robot",
                  scanner->field[LINK]);
  }
  const struct model_frame *frame = &model->frame[found];
  memcpy(cell->name, scanner->field[CELL], sizeof(cell->name));
  cell->link = frame->link;
  cell->placement = pose_mul(&frame->placement, &in_frame);
  return STATUS_OK;
}

static size_t count_lines(struct scanner scanner) {
  size_t n = 0;
  while (next_line(&scanner)) {
    n++;
  }
  return n;
}

static enum status read_cells(struct scanner *scanner, const struct model *model,
                              struct skin_cell *cells) {
  enum status status = STATUS_OK;
  for (size_t i = 0; status == STATUS_OK && next_line(scanner); i++) {
    status = cut(scanner, scanner->order);
    if (status == STATUS_OK) {
      status = read_cell(scanner, model, &cells[i]);
    }
  }
  return status;
}

/* Line of the `wanted`-th cell. */
static size_t line_of(struct scanner scanner, size_t wanted) {
  for (size_t i = 0; i <= wanted; i++) {
    next_line(&scanner);
  }
  return scanner.line;
}

/* `first` stands behind the header. */
static enum status check_names(struct scanner first, const struct skin_cell *cells, size_t n) {
  struct name_index names;
  if (name_index_init(&names, cells->name, n, sizeof(*cells)) != STATUS_OK) {
    return refuse(&first, STATUS_NO_MEMORY, "no memory for %zu cells", n);
  }
  size_t earlier = 0;
  const long again = name_index_repeated(&names, &earlier);
  name_index_free(&names);
  if (again < 0) {
    return STATUS_OK;
  }
  const size_t taken = line_of(first, earlier);
  first.line = line_of(first, (size_t)again);
  return refuse(&first, STATUS_BAD_ARGUMENT, "cell: the name '%s' is taken in line %zu",
                cells[again].name, taken);
}

static enum status check_count(const struct scanner *scanner, size_t n) {
  if (n == 0) {
    return refuse(scanner, STATUS_TOO_FEW, "no cell below the header");
  }
  if (n > ROBOT_MAX_CELLS) {
    return refuse(scanner, STATUS_OUT_OF_RANGE, "%zu cells, at most %d are allowed", n,
                  ROBOT_MAX_CELLS);
  }
  return STATUS_OK;
}

static enum status take_cells(const struct scanner *scanner, struct arena *arena, size_t n,
                              struct skin_cell **cells) {
  *cells = ARENA_ARRAY(arena, struct skin_cell, n);
  return arena->failed ? refuse(scanner, STATUS_NO_MEMORY, "no memory for %zu cells", n)
                       : STATUS_OK;
}

enum status cell_table_read(const char *text, size_t length, const struct model *model,
                            struct arena *arena, struct skin_cell **cells, size_t *n_cells,
                            struct message *error) {
  struct scanner scanner = scan(text, length, error);
  if (length > CELL_TABLE_MAX_BYTES) {
    scanner.line = 1;
    return refuse(&scanner, STATUS_OUT_OF_RANGE, "%zu bytes, at most %zu are allowed", length,
                  CELL_TABLE_MAX_BYTES);
  }
  enum status status = read_header(&scanner);
  if (status != STATUS_OK) {
    return status;
  }
  const struct scanner body = scanner;
  const size_t n = count_lines(scanner);
  struct skin_cell *taken = NULL;
  status = check_count(&scanner, n);
  if (status == STATUS_OK) {
    status = take_cells(&scanner, arena, n, &taken);
  }
  if (status == STATUS_OK && !arena_is_counting(arena)) {
    status = read_cells(&scanner, model, taken);
    if (status == STATUS_OK) {
      status = check_names(body, taken, n);
    }
  }
  if (status == STATUS_OK) {
    *cells = taken;
    *n_cells = n;
  }
  return status;
}

enum status cell_table_from_model(const struct model *model, struct arena *arena,
                                  struct skin_cell **cells, size_t *n_cells,
                                  struct message *error) {
  const size_t n = model->n_accelerometers;
  if (n == 0 || n > ROBOT_MAX_CELLS) {
    message_set(error, "1:1: %zu <sensor type=\"accelerometer\">, 1 to %d are needed as skin cells",
                n, ROBOT_MAX_CELLS);
    return n == 0 ? STATUS_TOO_FEW : STATUS_OUT_OF_RANGE;
  }
  struct skin_cell *taken = ARENA_ARRAY(arena, struct skin_cell, n);
  if (arena->failed) {
    message_set(error, "1:1: no memory for %zu cells", n);
    return STATUS_NO_MEMORY;
  }
  for (size_t i = 0; i < n && !arena_is_counting(arena); i++) {
    const struct model_frame *from = &model->accelerometer[i];
    taken[i] = (struct skin_cell){.link = from->link, .placement = from->placement};
    memcpy(taken[i].name, from->name, sizeof(taken[i].name));
  }
  *cells = taken;
  *n_cells = n;
  return STATUS_OK;
}
