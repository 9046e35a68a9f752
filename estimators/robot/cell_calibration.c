#include "robot/cell_calibration.h"

#include "common/csv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum column { CELL, M11, M33 = M11 + 8, BX, BZ = BX + 2, COLUMNS };
static const char *const column_name[COLUMNS] = {"cell", "m11", "m12", "m13", "m21", "m22", "m23",
                                                 "m31",  "m32", "m33", "bx",  "by",  "bz"};

const char cell_calibration_header[] = "cell,m11,m12,m13,m21,m22,m23,m31,m32,m33,bx,by,bz\n";

static const double SMALLEST_DETERMINANT = 1e-3; /* of M, which is near 1 */

static double determinant(const mat3 *M) {
  return vec3_dot(vec3_from(M->m[0]), vec3_cross(vec3_from(M->m[1]), vec3_from(M->m[2])));
}

static enum status read_row(const struct csv *table, struct accelerometer_calibration *out) {
  double value[COLUMNS] = {0.0};
  for (size_t c = M11; c < COLUMNS; c++) {
    const enum status status =
        csv_number(table, c, c < BX ? CELL_CALIBRATION_MAX_M : CELL_CALIBRATION_MAX_B,
                   c < BX ? "" : " m/s^2", &value[c]);
    if (status != STATUS_OK) {
      return status;
    }
  }
  struct accelerometer_calibration row = {.b = vec3_from(value + BX)};
  memcpy(row.M.m, value + M11, sizeof(row.M.m));
  if (!(fabs(determinant(&row.M)) > SMALLEST_DETERMINANT)) {
    return csv_refuse(table, STATUS_SINGULAR,
                      "m11..m33: the determinant of M is %g, at least %g is needed",
                      determinant(&row.M), SMALLEST_DETERMINANT);
  }
  *out = row;
  return STATUS_OK;
}

static size_t find_cell(const struct skin_cell *cell, size_t n, size_t guess, const char *name) {
  if (guess < n && strcmp(cell[guess].name, name) == 0) { /* tables keep the robot's order */
    return guess;
  }
  size_t i = 0;
  while (i < n && strcmp(cell[i].name, name) != 0) {
    i++;
  }
  return i;
}

static enum status read_rows(struct csv *table, const struct skin_cell *cell, size_t n, bool *named,
                             struct accelerometer_calibration *out) {
  enum status status = STATUS_OK;
  for (size_t guess = 0; status == STATUS_OK && csv_next(table); guess++) {
    status = csv_cut(table);
    if (status != STATUS_OK) {
      break;
    }
    const size_t at = find_cell(cell, n, guess, table->field[CELL]);
    if (at == n || named[at]) {
      status = csv_refuse(table, STATUS_BAD_ARGUMENT, "cell: '%s' %s", table->field[CELL],
                          at == n ? "is no skin cell of the robot" : "stands there twice");
    } else {
      named[at] = true;
      guess = at;
      status = read_row(table, &out[at]);
    }
  }
  return status;
}

enum status cell_calibration_read(const char *text, size_t length, const struct skin_cell *cell,
                                  size_t n_cells, struct arena *arena,
                                  struct accelerometer_calibration **calibration,
                                  struct message *error) {
  struct csv table = csv_begin(text, length, column_name, COLUMNS, "cell", error);
  table.line = 1;
  if (length > CELL_CALIBRATION_MAX_BYTES) {
    return csv_refuse(&table, STATUS_OUT_OF_RANGE, "%zu bytes, at most %zu are allowed", length,
                      CELL_CALIBRATION_MAX_BYTES);
  }
  struct accelerometer_calibration *taken =
      ARENA_ARRAY(arena, struct accelerometer_calibration, n_cells);
  if (arena->failed) {
    return csv_refuse(&table, STATUS_NO_MEMORY, "no memory for %zu cells", n_cells);
  }
  if (arena_is_counting(arena)) {
    return STATUS_OK;
  }
  for (size_t i = 0; i < n_cells; i++) {
    taken[i] = CALIBRATION_IDENTITY;
  }
  table.line = 0;
  bool *named = calloc(n_cells + 1, sizeof(bool));
  enum status status = named != NULL ? csv_header(&table) : STATUS_NO_MEMORY;
  if (status == STATUS_OK) {
    status = read_rows(&table, cell, n_cells, named, taken);
  }
  free(named);
  if (status == STATUS_OK) {
    *calibration = taken;
  }
  return status;
}

int cell_calibration_print(const char *cell, const struct accelerometer_calibration *c, char *line,
                           size_t size) {
  return snprintf(line, size, "%s,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g\n",
                  cell, c->M.m[0][0], c->M.m[0][1], c->M.m[0][2], c->M.m[1][0], c->M.m[1][1],
                  c->M.m[1][2], c->M.m[2][0], c->M.m[2][1], c->M.m[2][2], c->b.x, c->b.y, c->b.z);
}

void cell_calibration_apply(const struct accelerometer_calibration *calibration, size_t n_cells,
                            const float *raw, float *calibrated) {
  for (size_t i = 0; i < n_cells; i++) {
    const float *a = raw + 3 * i;
    float *out = calibrated + 3 * i;
    if (a[0] == a[1] && a[1] == a[2]) { /* what a dead bus reads must stay recognisable */
      memcpy(out, a, 3 * sizeof(float));
      continue;
    }
    const vec3 c =
        accelerometer_apply(&calibration[i], (vec3){(double)a[0], (double)a[1], (double)a[2]});
    out[0] = (float)c.x;
    out[1] = (float)c.y;
    out[2] = (float)c.z;
  }
}
