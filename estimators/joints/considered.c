#include "joints/considered.h"

struct considered considered_of(const struct joint_layout *layout, const double *x,
                                const double *P) {
  const size_t at = layout->gyro_bias;
  struct considered bias = {{0.0}, {{0.0}}};
  for (size_t i = 0; i < 3 && layout->base > 0; i++) {
    bias.x[i] = x[at + i];
    for (size_t k = i; k < 3; k++) {
      bias.P[i][k] = P[(at + i) * layout->stride + at + k];
    }
  }
  return bias;
}

void considered_keep(const struct joint_layout *layout, const struct considered *bias, double *x,
                     double *P) {
  const size_t at = layout->gyro_bias;
  for (size_t i = 0; i < 3 && layout->base > 0; i++) {
    x[at + i] = bias->x[i];
    for (size_t k = i; k < 3; k++) {
      P[(at + i) * layout->stride + at + k] = bias->P[i][k];
    }
  }
}
