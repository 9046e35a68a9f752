#include "inertial/inertia_follower.h"

#include "inertia/log_cholesky.h"

#include <math.h>

/* The larger of a share so far and change / limit. */
static double exceed(double share, double change, double limit) {
  return fmax(share, fabs(change) / limit);
}

/* The share of the way in Rucker's coordinates that keeps the limits: m = e^(2 alpha), c = t. */
static double line_share(const struct inertia_follower_settings *settings, double dt,
                         const double from[LOG_CHOLESKY_SIZE],
                         const double way[LOG_CHOLESKY_SIZE]) {
  const double m = exp(2.0 * from[LOG_CHOLESKY_ALPHA]);
  const double *t = way + LOG_CHOLESKY_T, *d = way + LOG_CHOLESKY_D, *s = way + LOG_CHOLESKY_S;
  const double *d0 = from + LOG_CHOLESKY_D;
  const double radius = exp((d0[0] + d0[1] + d0[2]) / 3.0);
  double share = exceed(1.0, vec3_norm((vec3){t[0], t[1], t[2]}), settings->com_rate * dt);
  for (int i = 0; i < 3; i++) {
    share = exceed(share, d[i], settings->shape_rate * dt);
    share = exceed(share, s[i] / radius, settings->shape_rate * dt);
  }
  /* mass: the logarithm may change by that of 1 +- rate dt / m; when falling, the step is
   * shorter */
  const double relative = settings->mass_rate * dt / m;
  const double step = way[LOG_CHOLESKY_ALPHA] > 0.0 ? log1p(relative) : relative;
  return 1.0 / exceed(share, 2.0 * way[LOG_CHOLESKY_ALPHA], step);
}

enum status inertia_follow(const struct inertia_follower_settings *settings, double dt,
                           const struct inertia *target, struct inertia *published) {
  double from[LOG_CHOLESKY_SIZE], way[LOG_CHOLESKY_SIZE];
  enum status status = log_cholesky_from_inertia(LOG_CHOLESKY_RUCKER, published, from);
  if (status == STATUS_OK) {
    status = log_cholesky_from_inertia(LOG_CHOLESKY_RUCKER, target, way);
  }
  if (status != STATUS_OK) {
    return status;
  }
  for (int i = 0; i < LOG_CHOLESKY_SIZE; i++) {
    way[i] -= from[i];
  }
  const double share = line_share(settings, dt, from, way);
  if (share >= 1.0) {
    *published = *target;
    return STATUS_OK;
  }
  for (int i = 0; i < LOG_CHOLESKY_SIZE; i++) {
    from[i] += share * way[i];
  }
  *published = log_cholesky_inertia(LOG_CHOLESKY_RUCKER, from);
  return STATUS_OK;
}
