#include "numerics/chi_square.h"

#include <math.h>

double chi_square_bound(size_t degrees, double quantile) {
  const double n = (double)degrees, variance = 2.0 / (9.0 * n);
  const double cube_root = 1.0 - variance + quantile * sqrt(variance);
  return n * cube_root * cube_root * cube_root;
}
