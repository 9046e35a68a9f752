#include "sim_normals.h"

#include "math/sincos.h"
#include "numerics/lane_log.h"

#include <math.h>
#include <string.h>

enum { WIDTH = SIM_NORMALS_WIDTH };

FOR_EACH_ISA static void radii(const double *u, double *radius) {
  enum { LANES = sizeof(log_lanes) / sizeof(double) };
  for (size_t i = 0; i < WIDTH; i += LANES) {
    log_lanes left;
    memcpy(&left, u + i, sizeof(left));
    const log_lanes squared = -2.0 * lane_log(1.0 - left);
    for (size_t k = 0; k < LANES; k++) {
      radius[i + k] = sqrt(squared[k]);
    }
  }
}

void sim_normals(const double *u, const double *v, size_t n, double *out) {
  double radius[WIDTH], angle[WIDTH], sine[WIDTH], cosine[WIDTH];
  for (size_t begin = 0; begin < n; begin += WIDTH) {
    radii(u + begin, radius);
    for (size_t i = 0; i < WIDTH; i++) {
      angle[i] = 2.0 * M_PI * v[begin + i];
    }
    sincos_array(angle, WIDTH, sine, cosine);
    for (size_t i = 0; i < WIDTH; i++) {
      out[2 * (begin + i)] = radius[i] * cosine[i];
      out[2 * (begin + i) + 1] = radius[i] * sine[i];
    }
  }
}
