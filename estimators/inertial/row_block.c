#include "inertial/row_block.h"

#include "numerics/small_matrix.h"

#include <math.h>
#include <string.h>

void row_block_init(struct row_block *block, size_t n, struct arena *arena) {
  *block = (struct row_block){.n = n};
  block->Y = ARENA_ARRAY(arena, double, INERTIAL_MAX_ROWS *n);
}

void row_block_empty(struct row_block *block) {
  block->count = 0;
  block->time = 0.0;
  block->fastest = 0.0;
}

static bool same_rows(const struct row_block *block, const struct inertial_measurement *m) {
  return block->rows == m->n_rows && memcmp(block->row, m->row, m->n_rows * sizeof(*m->row)) == 0;
}

static void begin(struct row_block *block, const struct inertial_measurement *m) {
  *block = (struct row_block){.n = block->n, .rows = m->n_rows, .Y = block->Y};
  memcpy(block->row, m->row, m->n_rows * sizeof(*m->row));
  memset(block->Y, 0, m->n_rows * block->n * sizeof(*block->Y));
}

void row_block_add(struct row_block *block, const struct inertial_measurement *m,
                   const double *bias, double rate, double dt) {
  /* a sensor that comes or goes begins the block anew */
  if (block->count == 0 || !same_rows(block, m)) {
    begin(block, m);
  }
  /* sums, of which the means are taken when the block is full */
  small_add(m->n_rows * block->n, 1.0, m->Y, block->Y);
  for (size_t r = 0; r < m->n_rows; r++) {
    block->z[r] += m->z[r] - bias[m->row[r]];
    block->friction[r] += m->friction[r];
    block->force[r] += m->force[r];
    block->rate[r] += m->rate[r];
  }
  block->count++;
  block->time += dt;
  block->fastest = fmax(block->fastest, rate);
}

void row_block_average(struct row_block *block) {
  const double share = 1.0 / (double)block->count;
  small_scale(block->rows * block->n, share, block->Y);
  small_scale(block->rows, share, block->z);
  small_scale(block->rows, share, block->friction);
  small_scale(block->rows, share, block->force);
  small_scale(block->rows, share, block->rate);
  block->count = 1;
}
