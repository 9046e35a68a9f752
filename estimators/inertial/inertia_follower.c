#include "inertial/inertia_follower.h"

#include "inertia/inertia_metric.h"
#include "inertia/log_cholesky.h"

#include <math.h>

/* Trials by which a step along the geodesic is shortened until it keeps the limits. */
enum { GEODESIC_TRIALS = 8 };

/* The larger of a share so far and change / limit. */
static double exceed(double share, double change, double limit) {
  return fmax(share, fabs(change) / limit);
}

/* By how much going from `from` to `to` in dt exceeds the limits; at most 1 when it does not. */
static double excess(const struct inertia_follower_settings *settings, double dt,
                     const struct inertia *from, const struct inertia *to) {
  const vec3 dc = vec3_sub(inertia_com(to), inertia_com(from));
  const double share = exceed(0.0, to->m - from->m, settings->mass_rate * dt);
  return exceed(share, vec3_norm(dc), settings->com_rate * dt);
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

static enum status follow_line(const struct inertia_follower_settings *settings, double dt,
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

static enum status follow_geodesic(const struct inertia_follower_settings *settings, double dt,
                                   const struct inertia *target, struct inertia *published) {
  double t = 1.0, distance;
  enum status status = inertia_distance(published, target, &distance);
  if (status != STATUS_OK) {
    return status;
  }
  t = fmin(t, settings->shape_rate * dt / fmax(0.5 * distance, 1e-12));
  struct inertia at = *target;
  for (int i = 0; i < GEODESIC_TRIALS; i++) {
    if (t < 1.0) {
      status = inertia_geodesic(published, target, t, &at);
    }
    const double over = status == STATUS_OK ? excess(settings, dt, published, &at) : 2.0;
    if (over <= 1.0) {
      *published = at;
      return STATUS_OK;
    }
    t *= 0.98 / over; /* nearly linear in t: one or two trials do */
  }
  return STATUS_OK; /* no step this time */
}

enum status inertia_follow(const struct inertia_follower_settings *settings, double dt,
                           const struct inertia *target, struct inertia *published) {
  return settings->path == INERTIA_PATH_GEODESIC ? follow_geodesic(settings, dt, target, published)
                                                 : follow_line(settings, dt, target, published);
}
