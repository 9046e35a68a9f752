#include "centroidal/cop_filter.h"

#include <math.h>
#include <stddef.h>

struct cop_filter_settings cop_filter_defaults(void) {
  return (struct cop_filter_settings){.reach = 0.15, .time_s = 0.01, .strike_sd = 0.04};
}

enum status cop_filter_init(struct cop_filter *filter, const struct cop_filter_settings *settings) {
  const double values[] = {settings->reach, settings->time_s, settings->strike_sd};
  for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
    if (!(values[i] >= 0.0 && isfinite(values[i]))) {
      return STATUS_OUT_OF_RANGE;
    }
  }
  *filter = (struct cop_filter){.settings = *settings};
  return STATUS_OK;
}

/* One axis: predicts the offset, weighs `measured` of deviation `sd`, and returns its new one. */
static double weigh(struct cop_filter *filter, int axis, double ordinary, double dt,
                    double measured, double sd) {
  double *x = &filter->offset[axis], *variance = &filter->variance[axis];
  const double left = filter->started ? exp(-dt / filter->settings.time_s) : 0.0;
  *x *= left;
  *variance = left * left * *variance + (1.0 - left * left) * ordinary * ordinary;
  const double gain = *variance / (*variance + sd * sd);
  *x += gain * (measured - *x);
  *variance *= 1.0 - gain;
  /* errors of steps that follow each other may be alike: as sure as this step alone makes it */
  return sd * ordinary / hypot(sd, ordinary);
}

static bool is_known(const struct cop_surroundings *now, vec3 cop_W, const double sd[2]) {
  return vec3_is_finite(now->com_W) && vec3_is_finite(cop_W) && isfinite(sd[0]) && isfinite(sd[1]);
}

void cop_filter_step(struct cop_filter *filter, const struct cop_surroundings *now, vec3 *cop_W,
                     double sd[2]) {
  const double ordinary = filter->settings.reach * now->height;
  if (!is_known(now, *cop_W, sd)) {
    cop_filter_lose(filter);
  } else if (ordinary > 0.0) {
    sd[0] = weigh(filter, 0, ordinary, now->dt, cop_W->x - now->com_W.x, sd[0]);
    sd[1] = weigh(filter, 1, ordinary, now->dt, cop_W->y - now->com_W.y, sd[1]);
    filter->started = true;
    cop_W->x = now->com_W.x + filter->offset[0];
    cop_W->y = now->com_W.y + filter->offset[1];
  }
  const double extra = now->strike ? filter->settings.strike_sd : 0.0;
  sd[0] = hypot(hypot(sd[0], now->hidden[0]), extra);
  sd[1] = hypot(hypot(sd[1], now->hidden[1]), extra);
}
