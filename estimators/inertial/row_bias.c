#include "inertial/row_bias.h"

#include <math.h>

/* Rows follow a creeping residual with this time constant, s, as far as its rate allows. */
static const double CREEP_TIME = 5.0;

void row_bias_reset(struct row_bias *bias) {
  *bias = (struct row_bias){.start_s = 0.0};
}

void row_bias_creep(struct row_bias *bias, const struct row_block *block, const double *residual,
                    double force, double moment) {
  const double share = fmin(1.0, block->time / CREEP_TIME);
  for (size_t r = 0; r < block->rows; r++) {
    const bool is_force = robot_row_kind(block->row[r]) == ROBOT_ROW_FORCE;
    const double most = block->time * (is_force ? force : moment);
    bias->crept[block->row[r]] += fmax(-most, fmin(most, share * residual[r]));
  }
}
