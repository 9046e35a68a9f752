/* Every burst on every robot and motion: sensor x kind x length, and random stalls in a walk. */
#ifndef FAULT_MATRIX_H
#define FAULT_MATRIX_H

#include "fault_bench.h"

enum {
  MATRIX_KINDS = BURST_NOISE + 1, /* wrong readings: silence is told apart at once */
  MATRIX_LENGTHS = 4,
  MATRIX_CELLS = BURST_SENSORS * MATRIX_KINDS * MATRIX_LENGTHS
};

extern const double matrix_length_s[MATRIX_LENGTHS]; /* 1, 10, 100, 800 ms */

/* A robot and a motion of the matrix. */
struct matrix_group {
  const char *robot;
  enum bench_motion motion;
};

/* The groups; NULL beyond the last. [any] */
const struct matrix_group *matrix_group(size_t i);

/* Cell `index` of a group, without start and seed. [any] */
struct burst_fault matrix_fault(size_t index);

/* What cell `index` of a group is drawn with: its moment, limb or link; below 1000. [any] */
uint64_t matrix_seed(size_t index, uint64_t seed);

struct matrix_count {
  uint64_t tried, passed;
  uint64_t late, lied, wrong, reset_twice; /* by what was broken; one cell may break several */
};

/* Adds one verdict. [any] */
void matrix_count_add(struct matrix_count *count, const struct verdict *verdict);

/* Every cell of every group and the stalls in walks, `share` of them, on all processors: tables and
 * limits as a report. [start] Returns what report_close does. */
int matrix_report(const char *folder, double share, uint64_t seed);

#endif
