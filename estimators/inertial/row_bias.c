#include "inertial/row_bias.h"

#include <math.h>
#include <string.h>

/* The bias follows a creeping residual with this time constant, s, as far as its rate allows. */
static const double CREEP_TIME = 5.0;

void row_bias_reset(struct row_bias *bias) {
  *bias = (struct row_bias){.calibrated_s = 0.0};
}

void row_bias_calibrate(struct row_bias *bias, const struct row_block *block,
                        const double *residual) {
  const double total = bias->calibrated_s + block->time;
  for (size_t r = 0; r < block->rows; r++) {
    bias->value[block->row[r]] += residual[r] * block->time / total;
  }
  bias->calibrated_s = total;
}

bool row_bias_is_credible(struct row_bias *bias, double force, double moment) {
  bool credible = true;
  for (size_t row = 0; row < ROBOT_BASE_ROWS + MODEL_MAX_JOINTS; row++) {
    const bool is_force = robot_row_kind(row) == ROBOT_ROW_FORCE;
    credible = credible && fabs(bias->value[row]) <= (is_force ? force : moment);
  }
  if (!credible) {
    memset(bias->value, 0, sizeof(bias->value));
  }
  return credible;
}

void row_bias_creep(struct row_bias *bias, const struct row_block *block, const double *residual,
                    double force, double moment) {
  const double share = fmin(1.0, block->time / CREEP_TIME);
  for (size_t r = 0; r < block->rows; r++) {
    const bool is_force = robot_row_kind(block->row[r]) == ROBOT_ROW_FORCE;
    const double most = block->time * (is_force ? force : moment);
    bias->value[block->row[r]] += fmax(-most, fmin(most, share * residual[r]));
  }
}
