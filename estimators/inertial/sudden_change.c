#include "inertial/sudden_change.h"

#include "numerics/chi_square.h"

#include <math.h>
#include <string.h>

void sudden_change_reset(struct sudden_change *sudden) {
  memset(sudden->last, 0, sizeof(sudden->last));
}

/* What three numbers have in common: the one nearest to zero, 0 when their signs differ. */
static double common_of(double a, double b, double c) {
  return fmax(0.0, fmin(a, fmin(b, c))) + fmin(0.0, fmax(a, fmax(b, c)));
}

/* Squared length of what this sample and the two before have in common, in units of the variance of
 * a mean of three; 0 when the newest two are further apart. */
static double in_common(const struct sudden_change *sudden, const double *white, size_t rows) {
  double common = 0.0, apart = 0.0;
  for (size_t i = 0; i < rows; i++) {
    const double a = white[i], b = sudden->last[0][i], c = sudden->last[1][i];
    const double all = common_of(a, b, c);
    common += all * all;
    apart += (a - b) * (a - b);
  }
  return apart <= common ? 3.0 * common : 0.0;
}

double sudden_change_step(struct sudden_change *sudden, const double *white, size_t rows) {
  if (rows != sudden->rows) {
    sudden_change_reset(sudden);
    sudden->rows = rows;
  }
  const double bound = SUDDEN_CHANGE * chi_square_bound(rows, sudden->quantile);
  const double share = in_common(sudden, white, rows) / bound;
  if (share > 1.0) {
    sudden_change_reset(sudden);
  } else {
    memcpy(sudden->last[1], sudden->last[0], rows * sizeof(*white));
    memcpy(sudden->last[0], white, rows * sizeof(*white));
  }
  return share;
}
