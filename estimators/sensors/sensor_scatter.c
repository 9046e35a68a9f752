#include "sensors/sensor_scatter.h"

#include <math.h>

/* Readings over which the scatter is averaged. */
static const double READINGS = 8.0;
/* E[d d'] of white noise, in variances of one reading. */
static const double FOLLOWING = -4.0;
/* Noise is as told unless it is so many times that. */
static const double NOISIER = 6.0;
/* Readings further apart do not tell motion from noise, s. */
static const double GAP = 0.02;

bool sensor_scatter_noisy(const struct sensor_scatter *scatter, double told) {
  return scatter->variance > NOISIER * NOISIER * told * told;
}

double sensor_scatter_next(struct sensor_scatter *scatter, double z, double dt, double told,
                           double most) {
  struct sensor_scatter *s = scatter;
  s->since += dt;
  if (isfinite(z) && s->since > 0.0) {
    const bool follows = s->heard > 0 && s->since < GAP;
    const double rate = follows ? (z - s->last) / s->since : 0.0;
    const double bend = s->heard > 1 && follows ? s->since * (rate - s->rate) : 0.0;
    const double least = told * told, usual = fmax(s->variance, least);
    if (s->heard > 2 && follows) {
      const double now = fmin(fmax(bend * s->bend / FOLLOWING, 0.0), most * usual);
      s->variance = fmax(usual + (now - usual) / READINGS, least);
    }
    s->heard = !follows ? 1 : s->heard < 3 ? s->heard + 1 : 3;
    s->last = z;
    s->rate = rate;
    s->bend = bend;
    s->since = 0.0;
  }
  return sensor_scatter_noisy(s, told) ? sqrt(s->variance) : told;
}
