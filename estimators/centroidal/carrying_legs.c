#include "centroidal/carrying_legs.h"

#include <math.h>

/* A foot's load is told when it is known to this, of the weight: noise of torques is smoothed. */
static const double TOLD = 0.25;
/* No foot bears more than that, of the weight. */
static const double MOST = 10.0;
/* Memory, s, of how far what legs bear is from what they ought to, and how much of it there must
 * be; of the weight: what they are believed below, and no more above, and the most that counts at
 * an instant. */
static const double APART_TIME = 0.3, LEAST_TIME = 0.1;
static const double AGREE = 0.12, DISAGREE = 0.25, MOST_APART = 1.0;
/* Legs that bear less, of the weight, on average bear nothing: what holds them themselves is in
 * their torques. Without it they would seem to stand on their own weight, 0.1 to 0.25. */
static const double NOTHING = 0.06;

void carrying_legs_reset(struct carrying_legs *legs) {
  *legs = (struct carrying_legs){.believed = false};
}

bool carrying_legs_heard(const struct carrying_legs *legs) {
  return legs->believed || !(legs->asked_s < APART_TIME);
}

bool carrying_legs_tell(struct carrying_legs *legs, const struct foot_wrenches *feet, size_t n_feet,
                        vec3 up_B, double f_z, double weight, double dt, double *bears) {
  double load[ROBOT_MAX_FEET], sum = 0.0;
  bool told = feet->source == FOOT_BY_TORQUES && n_feet > 0;
  for (size_t foot = 0; told && foot < n_feet; foot++) {
    load[foot] = vec3_dot(up_B, feet->wrench_B[foot].lin);
    told = feet->load_sd[foot] < TOLD * weight && fabs(load[foot]) < MOST * weight;
    sum += load[foot];
  }
  const double carries = legs->believed ? f_z : weight;
  legs->asked_s = fmin(legs->asked_s + dt, APART_TIME);
  if (told && isfinite(carries)) {
    const double more = fmin((sum - carries) / weight, MOST_APART),
                 apart = legs->believed ? fmax(more, 0.0) : more;
    legs->judged_s = fmin(legs->judged_s + dt, APART_TIME);
    legs->apart += dt / legs->judged_s * (apart - legs->apart);
    const bool hang =
        !legs->believed && !(legs->judged_s < APART_TIME) && fabs(legs->apart + 1.0) < NOTHING;
    legs->believed =
        (legs->judged_s > LEAST_TIME && fabs(legs->apart) < (legs->believed ? DISAGREE : AGREE)) ||
        hang;
    legs->apart = hang ? 0.0 : legs->apart;
  }
  for (size_t foot = 0; told && legs->believed && foot < n_feet; foot++) {
    bears[foot] = load[foot];
  }
  return told && legs->believed;
}
