#include "sensors/base_rest.h"

#include <math.h>

/* Memory of mean and scatter, s; for how long it must scatter little. */
static const double MEMORY_S = 0.1, STILL_S = 0.3, LONG_S = 1.0;
/* So many times the noise is no scatter. */
static const double SCATTERS = 2.0;
/* A rate beyond the bias by so many deviations, at most this, and by this, rad/s, is a turn; one
 * that lasts, when no bias is so many times larger than they are at the start. */
static const double TURNS = 3.0, TURNS_RATE = 0.005, NO_BIAS = 5.0;
/* A mean rate that has moved by this, rad/s, and so many of its deviations sways. */
static const double SWAYS_RATE = 0.002, SWAYS = 4.0;
/* A speed beyond so many deviations, and this, m/s, is a carry; specific force that scatters by so
 * much, m/s^2, shakes. */
static const double CARRIES = 3.0, CARRIES_SPEED = 0.02, SHAKES = 5.0;

/* Mean and variance of one triad take a reading. */
static void take(vec3 *mean, double *square, vec3 reading, double share) {
  const vec3 off = vec3_sub(reading, *mean);
  *mean = vec3_axpy(*mean, share, off);
  *square += share * (vec3_dot(off, off) / 3.0 - *square);
}

void base_rest_step(struct base_rest *rest, vec3 rate, vec3 force, double rate_sd, double force_sd,
                    double dt) {
  if (!isfinite(rate.x + rate.y + rate.z) || !isfinite(force.x + force.y + force.z)) {
    rest->still_s = 0.0;
    return;
  }
  if (!rest->begun || !(dt < MEMORY_S)) {
    *rest = (struct base_rest){.rate = rate, .force = force, .begun = true, .shaken = rest->shaken};
    return;
  }
  const double share = dt / (MEMORY_S + dt), most = SCATTERS * SCATTERS;
  take(&rest->rate, &rest->rate_square, rate, share);
  take(&rest->force, &rest->force_square, force, share);
  const double moved = vec3_norm(vec3_sub(rest->rate, rest->still_rate));
  const bool still = rest->rate_square < most * rate_sd * rate_sd &&
                     rest->force_square < most * force_sd * force_sd &&
                     moved < SWAYS_RATE + SWAYS * rate_sd * sqrt(share);
  rest->still_s = still ? rest->still_s + dt : 0.0;
  rest->still_rate = still ? rest->still_rate : rest->rate;
  rest->shaken = rest->shaken || rest->force_square > SHAKES * SHAKES;
}

static bool scatters_little(const struct base_rest *rest, const struct base_known *known) {
  const double turn = vec3_norm(vec3_sub(rest->rate, known->gyro_bias));
  const double unknown = fmin(TURNS * known->gyro_bias_sd, TURNS_RATE);
  return (rest->still_s > STILL_S && turn < unknown + TURNS_RATE) ||
         (rest->still_s > LONG_S && vec3_norm(rest->rate) < NO_BIAS * known->gyro_bias_start_sd);
}

bool base_rest_is(struct base_rest *rest, const struct base_known *known) {
  const bool still = scatters_little(rest, known);
  const bool slow = known->speed < CARRIES * known->speed_sd + CARRIES_SPEED;
  const bool rests = still && (slow || rest->shaken || rest->rests);
  rest->rests = rests;
  rest->shaken = rest->shaken && !(still && slow);
  return rests;
}
