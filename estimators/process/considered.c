#include "process/considered.h"

struct considered considered_of(const struct joint_layout *layout, size_t count, const double *x,
                                const double *P) {
  const size_t at = layout->gyro_bias;
  struct considered bias = {.count = layout->base > 0 ? count : 0};
  for (size_t i = 0; i < bias.count; i++) {
    bias.x[i] = x[at + i];
    for (size_t k = i; k < bias.count; k++) {
      bias.P[i][k] = P[(at + i) * layout->stride + at + k];
    }
  }
  return bias;
}

void considered_keep(const struct joint_layout *layout, const struct considered *bias,
                     const double *share, double *x, double *P) {
  const size_t at = layout->gyro_bias;
  for (size_t i = 0; i < bias->count; i++) {
    x[at + i] = bias->x[i] + share[i] * (x[at + i] - bias->x[i]);
    for (size_t k = i; k < bias->count; k++) {
      double *P_ik = P + (at + i) * layout->stride + at + k;
      *P_ik += (1.0 - share[i]) * (1.0 - share[k]) * (bias->P[i][k] - *P_ik);
    }
  }
}
