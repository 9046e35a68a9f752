#include "joint_measurement.h"

static void add_rows(struct link_rows *rows, const double W[3][PART_SIZE], vec3 value, double sd) {
  const double z[3] = {value.x, value.y, value.z};
  for (unsigned i = 0; i < 3; i++) {
    for (unsigned j = 0; j < PART_SIZE; j++) {
      rows->W[rows->rank + i][j] = W[i][j] / sd;
    }
    rows->z[rows->rank + i] = z[i] / sd;
  }
  rows->rank += 3;
}

/* R^T (vdot + omegadot x r + omega x (omega x r)) @eq Leboutet22 134 */
static void force_map(const struct pose *placement, double W[3][PART_SIZE]) {
  const mat3 *R = &placement->R;
  const vec3 r = placement->p;
  const mat3 S = mat3_skew(r);
  const double products[3][6] = {
      {0.0, -r.x, -r.x, r.y, 0.0, r.z},
      {-r.y, 0.0, -r.y, r.x, r.z, 0.0},
      {-r.z, -r.z, 0.0, 0.0, r.y, r.x},
  };
  memset(W, 0, sizeof(double[3][PART_SIZE]));
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < 3; k++) {
      W[i][PART_VDOT + k] = R->m[k][i];
      for (int j = 0; j < 3; j++) {
        W[i][PART_OMEGADOT + j] -= R->m[k][i] * S.m[k][j];
      }
      for (int j = 0; j < 6; j++) {
        W[i][PART_PRODUCTS + j] += R->m[k][i] * products[k][j];
      }
    }
  }
}

struct link_rows imu_rows(size_t link, const struct pose *placement, vec3 rate, double rate_sd,
                          vec3 force, double force_sd) {
  struct link_rows rows = {.link = link};
  if (vec3_is_finite(rate) && rate_sd > 0.0) {
    double W[3][PART_SIZE] = {{0}};
    for (int i = 0; i < 3; i++) {
      for (int k = 0; k < 3; k++) {
        W[i][PART_OMEGA + k] = placement->R.m[k][i];
      }
    }
    add_rows(&rows, W, rate, rate_sd);
  }
  if (vec3_is_finite(force) && force_sd > 0.0) {
    double W[3][PART_SIZE];
    force_map(placement, W);
    add_rows(&rows, W, force, force_sd);
  }
  return rows;
}
