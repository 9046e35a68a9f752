#include "robot/cell_table.h"

#include "common/csv.h"
#include "common/name_index.h"
#include "model/name_suggestion.h"

#include <math.h>
#include <string.h>

enum column { CELL, LINK, X, Y, Z, QX, QY, QZ, QW, COLUMNS };
static const char *const column_name[COLUMNS] = {"cell", "link", "x",  "y", "z",
                                                 "qx",   "qy",   "qz", "qw"};

static enum status read_placement(const struct csv *table, struct pose *placement) {
  double value[COLUMNS];
  for (enum column c = X; c <= QW; c++) {
    const double limit = c < QX ? CELL_MAX_DISTANCE : 1.0 + CELL_QUATERNION_SLACK;
    const enum status status = csv_number(table, c, limit, c < QX ? " m" : "", &value[c]);
    if (status != STATUS_OK) {
      return status;
    }
  }
  const quat q = {value[QX], value[QY], value[QZ], value[QW]};
  const double norm = sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
  if (fabs(norm - 1.0) > CELL_QUATERNION_SLACK) {
    return csv_refuse(table, STATUS_OUT_OF_RANGE,
                      "qx,qy,qz,qw: the quaternion's norm is %g, it must be 1 within %g", norm,
                      CELL_QUATERNION_SLACK);
  }
  *placement = (struct pose){mat3_from_quat(q), {value[X], value[Y], value[Z]}};
  return STATUS_OK;
}

static enum status read_cell(const struct csv *table, const struct model *model,
                             struct skin_cell *cell) {
  struct pose in_frame = POSE_IDENTITY;
  const enum status status = read_placement(table, &in_frame);
  if (status != STATUS_OK) {
    return status;
  }
  const int found = model_find_frame(model, table->field[LINK]);
  if (found < 0) {
    char meant[NAME_SUGGESTION_SIZE];
    suggest_frame(model, table->field[LINK], meant);
    return csv_refuse(table, STATUS_BAD_ARGUMENT, "link: '%s' is no link or frame of the robot%s",
                      table->field[LINK], meant);
  }
  const struct model_frame *frame = &model->frame[found];
  memcpy(cell->name, table->field[CELL], sizeof(cell->name));
  cell->link = frame->link;
  cell->placement = pose_mul(&frame->placement, &in_frame);
  return STATUS_OK;
}

static enum status read_cells(struct csv *table, const struct model *model,
                              struct skin_cell *cells) {
  enum status status = STATUS_OK;
  for (size_t i = 0; status == STATUS_OK && csv_next(table); i++) {
    status = csv_cut(table);
    if (status == STATUS_OK) {
      status = read_cell(table, model, &cells[i]);
    }
  }
  return status;
}

/* Line of the `wanted`-th cell. */
static size_t line_of(struct csv table, size_t wanted) {
  for (size_t i = 0; i <= wanted; i++) {
    csv_next(&table);
  }
  return table.line;
}

/* `first` stands behind the header. */
static enum status check_names(struct csv first, const struct skin_cell *cells, size_t n) {
  struct name_index names;
  if (name_index_init(&names, cells->name, n, sizeof(*cells)) != STATUS_OK) {
    return csv_refuse(&first, STATUS_NO_MEMORY, "no memory for %zu cells", n);
  }
  size_t earlier = 0;
  const long again = name_index_repeated(&names, &earlier);
  name_index_free(&names);
  if (again < 0) {
    return STATUS_OK;
  }
  const size_t taken = line_of(first, earlier);
  first.line = line_of(first, (size_t)again);
  return csv_refuse(&first, STATUS_BAD_ARGUMENT,
                    "cell: the name '%s' is taken in line %zu; give one another", cells[again].name,
                    taken);
}

static enum status check_count(const struct csv *table, size_t n) {
  if (n == 0) {
    return csv_refuse(table, STATUS_TOO_FEW, "no cell below the header");
  }
  if (n > ROBOT_MAX_CELLS) {
    return csv_refuse(table, STATUS_OUT_OF_RANGE, "%zu cells, at most %d are allowed", n,
                      ROBOT_MAX_CELLS);
  }
  return STATUS_OK;
}

static enum status take_cells(const struct csv *table, struct arena *arena, size_t n,
                              struct skin_cell **cells) {
  *cells = ARENA_ARRAY(arena, struct skin_cell, n);
  return arena->failed ? csv_refuse(table, STATUS_NO_MEMORY, "no memory for %zu cells", n)
                       : STATUS_OK;
}

enum status cell_table_read(const char *text, size_t length, const struct model *model,
                            struct arena *arena, struct skin_cell **cells, size_t *n_cells,
                            struct message *error) {
  struct csv table = csv_begin(text, length, column_name, COLUMNS, "cell", error);
  if (length > CELL_TABLE_MAX_BYTES) {
    table.line = 1;
    return csv_refuse(&table, STATUS_OUT_OF_RANGE, "%zu bytes, at most %zu are allowed", length,
                      CELL_TABLE_MAX_BYTES);
  }
  enum status status = csv_header(&table);
  if (status != STATUS_OK) {
    return status;
  }
  const struct csv body = table;
  const size_t n = csv_count(table);
  struct skin_cell *taken = NULL;
  status = check_count(&table, n);
  if (status == STATUS_OK) {
    status = take_cells(&table, arena, n, &taken);
  }
  if (status == STATUS_OK && !arena_is_counting(arena)) {
    status = read_cells(&table, model, taken);
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
