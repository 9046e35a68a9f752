#include "update/ground_judge.h"

#include "numerics/dense_matrix.h"
#include "numerics/matrix_cholesky.h"

#include <math.h>

/* What is left of the weight of rows that are not to count. */
static const double UNHEARD = 1e-9;
/* Most rows of feet that are judged together, with the ground under them. */
enum { GROUND_ROWS = 4 * ROBOT_MAX_FEET };

/* What rows say beyond those before them. */
struct beyond {
  double nis;           /* chi-square of their number */
  double off, expected; /* of the last: in deviations of the row alone; variance */
};

/* The same of the rows from `first` on. */
static struct beyond beyond_of(const struct row_update *update, const size_t *row, size_t first,
                               size_t rows) {
  double S[GROUND_ROWS * GROUND_ROWS] __attribute__((aligned(64))) = {0}, e[GROUND_ROWS];
  const size_t stride = matrix_stride(update->rows_max);
  for (size_t a = 0; a < rows; a++) {
    e[a] = update->nu[row[a]];
    for (size_t b = a; b < rows; b++) {
      const size_t above = row[a] < row[b] ? row[a] : row[b];
      S[a * GROUND_ROWS + b] = update->Pyy[above * stride + row[a] + row[b] - above];
    }
  }
  if (!matrix_cholesky(S, GROUND_ROWS, rows, 0.0)) {
    return (struct beyond){.nis = HUGE_VAL};
  }
  matrix_solve_transposed(S, GROUND_ROWS, rows, e);
  struct beyond beyond = {.nis = 0.0};
  for (size_t a = first; a < rows; a++) {
    const double sd = S[a * (GROUND_ROWS + 1)];
    beyond.nis += e[a] * e[a];
    beyond.off = sd * e[a];
    beyond.expected = sd * sd;
  }
  return beyond;
}

static size_t append(size_t *row, size_t rows, struct row_group group) {
  for (size_t i = 0; i < group.count; i++) {
    row[rows++] = group.first + i;
  }
  return rows;
}

static struct row_group foot_group(const struct foot_rows *feet, enum ground_part part) {
  return part == GROUND_SLOPE ? feet->sole : feet->place;
}

static struct row_group ground_group(const struct foot_rows *feet, enum ground_part part) {
  return part == GROUND_SLOPE ? feet->slope : feet->height;
}

/* The rows of a foot and of the ground under it behind `heard` others; returns their number. */
static size_t append_foot(size_t *row, size_t heard, const struct foot_rows *foot,
                          enum ground_part part, size_t *ground) {
  *ground = append(row, heard, foot_group(foot, part));
  return append(row, *ground, ground_group(foot, part));
}

struct ground_heard ground_judge(struct row_update *update,
                                 const struct foot_rows feet[ROBOT_MAX_FEET], size_t n_feet,
                                 enum ground_part part, double other) {
  struct ground_heard all = {0};
  size_t row[GROUND_ROWS], heard = 0, left = 0, ground, foot[ROBOT_MAX_FEET];
  for (size_t i = 0; i < n_feet; i++) {
    foot[left] = i;
    left += ground_group(&feet[i], part).count > 0;
  }
  for (; left > 0; left--) {
    struct beyond least = {.nis = HUGE_VAL};
    size_t next = left - 1;
    for (size_t k = 0; k < left; k++) {
      const size_t rows = append_foot(row, heard, &feet[foot[k]], part, &ground);
      const struct beyond beyond = beyond_of(update, row, ground, rows);
      next = beyond.nis < least.nis ? k : next;
      least = beyond.nis < least.nis ? beyond : least;
    }
    const struct row_group group = ground_group(&feet[foot[next]], part);
    if (least.nis > other * other) {
      row_update_weaken(update, group.first, group.count, UNHEARD);
    } else {
      heard = append_foot(row, heard, &feet[foot[next]], part, &ground);
      all.foot[all.feet] = foot[next];
      all.off[all.feet] = least.off;
      all.expected[all.feet++] = least.expected;
    }
    foot[next] = foot[left - 1];
  }
  return all;
}
