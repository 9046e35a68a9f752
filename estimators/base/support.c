#include "base/support.h"

#include "numerics/first_order.h"

#include <math.h>
#include <string.h>

/* Soles nearer to each other than this do not say where the weight is, m^2. */
static const double LEAST_SPREAD = 1e-4;

struct support_settings support_defaults(void) {
  return (struct support_settings){.share_hz = 20.0,
                                   .enter = 0.6,
                                   .leave = 0.4,
                                   .loaded = 0.15,
                                   .clearance = 0.01,
                                   .flight = 0.15,
                                   .strike_s = 0.05};
}

enum status support_init(struct support *support, const struct support_settings *settings,
                         size_t n_feet) {
  if (!(settings->share_hz > 0.0 && settings->leave > 0.0 && settings->leave <= settings->enter &&
        settings->enter < 1.0 && settings->loaded > 0.0 && settings->loaded < 0.5 &&
        settings->clearance > 0.0 && settings->flight > 0.0 && settings->flight < 1.0 &&
        settings->strike_s >= 0.0) ||
      n_feet > ROBOT_MAX_FEET) {
    return STATUS_OUT_OF_RANGE;
  }
  *support =
      (struct support){.settings = *settings, .n_feet = n_feet, .foot = -1, .phase = SUPPORT_NONE};
  return STATUS_OK;
}

/* Least-norm shares of the feet in `active` with sum 1 and mean at the cop: share_i = 1/n + d_i .
 * k, where d_i is the foot's offset from the feet's middle and k solves the 2x2 scatter. Answers
 * the most negative share's foot, or n. */
static size_t spread_evenly(const vec3 *sole, const bool *active, size_t n, vec3 cop,
                            double *share) {
  double count = 0.0, xx = LEAST_SPREAD, yy = LEAST_SPREAD, xy = 0.0;
  vec3 middle = VEC3_ZERO;
  for (size_t i = 0; i < n; i++) {
    if (active[i]) {
      middle = vec3_add(middle, sole[i]);
      count += 1.0;
    }
  }
  middle = vec3_scale(1.0 / count, middle);
  for (size_t i = 0; i < n; i++) {
    if (active[i]) {
      const vec3 d = vec3_sub(sole[i], middle);
      xx += d.x * d.x;
      yy += d.y * d.y;
      xy += d.x * d.y;
    }
  }
  const vec3 c = vec3_sub(cop, middle);
  const double det = xx * yy - xy * xy;
  const double kx = (yy * c.x - xy * c.y) / det, ky = (xx * c.y - xy * c.x) / det;
  double least = 0.0;
  size_t at = n;
  for (size_t i = 0; i < n; i++) {
    share[i] =
        active[i] ? 1.0 / count + kx * (sole[i].x - middle.x) + ky * (sole[i].y - middle.y) : 0.0;
    if (share[i] < least) {
      least = share[i];
      at = i;
    }
  }
  return at;
}

void support_shares(const vec3 *sole, const bool *may, size_t n, vec3 cop, double *share) {
  bool active[ROBOT_MAX_FEET];
  size_t left = 0;
  for (size_t i = 0; i < n; i++) {
    active[i] = may[i];
    share[i] = 0.0;
    left += may[i];
  }
  for (; left > 0; left--) { /* each round takes out a foot that would have to pull */
    const size_t pulls = spread_evenly(sole, active, n, cop, share);
    if (pulls == n) {
      return;
    }
    active[pulls] = false;
  }
}

static bool is_absent(const struct support_input *input, size_t foot) {
  return input->absent != NULL && input->absent[foot];
}

/* One that stands, and others do. */
static bool is_held(const struct support *support, const struct support_input *input) {
  bool held = false;
  for (size_t i = 0; i < support->n_feet; i++) {
    held = held || (support->stands[i] && !input->swings[i]);
  }
  return held;
}

/* Feet low enough to stand on. One that swings lands on none while another holds the robot. */
static void find_low_feet(const struct support *support, const struct support_input *input,
                          bool *may) {
  const bool held = input->swings != NULL && is_held(support, input);
  double lowest = HUGE_VAL;
  for (size_t i = 0; i < support->n_feet; i++) {
    lowest = is_absent(input, i) ? lowest : fmin(lowest, input->sole[i].z);
  }
  for (size_t i = 0; i < support->n_feet; i++) {
    may[i] = !is_absent(input, i) && input->sole[i].z - lowest < support->settings.clearance;
  }
  for (size_t i = 0; i < support->n_feet && held; i++) {
    may[i] = may[i] && (support->stands[i] || !input->swings[i]);
  }
}

/* All that is measured under feet, N. */
static double borne_by(const struct support *support, const double *foot_f_z) {
  double sum = 0.0;
  for (size_t i = 0; i < support->n_feet; i++) {
    sum += fmax(foot_f_z[i], 0.0);
  }
  return sum;
}

/* More than in flight. */
static bool bear_weight(const struct support *support, const double *foot_f_z, double weight) {
  return borne_by(support, foot_f_z) > support->settings.flight * weight;
}

/* This instant's shares: measured, from the centre of pressure, or even among the low feet. */
static void shares_now(struct support *support, const struct support_input *input, double *share) {
  if (input->foot_f_z != NULL && bear_weight(support, input->foot_f_z, input->weight)) {
    const double sum = borne_by(support, input->foot_f_z);
    support->felt = true;
    for (size_t i = 0; i < support->n_feet; i++) {
      share[i] = fmax(input->foot_f_z[i], 0.0) / sum;
    }
    return;
  }
  if (input->foot_f_z != NULL && support->felt) { /* something else carries */
    memset(share, 0, support->n_feet * sizeof(*share));
    return;
  }
  bool may[ROBOT_MAX_FEET];
  find_low_feet(support, input, may);
  vec3 cop = input->cop;
  if (!input->cop_known) { /* even shares: the middle of the low feet */
    double count = 0.0;
    cop = VEC3_ZERO;
    for (size_t i = 0; i < support->n_feet; i++) {
      if (may[i]) {
        cop = vec3_add(cop, input->sole[i]);
        count += 1.0;
      }
    }
    cop = vec3_scale(1.0 / count, cop);
  }
  support_shares(input->sole, may, support->n_feet, cop, share);
}

static void choose_foot(struct support *support) {
  size_t most = 0;
  for (size_t i = 1; i < support->n_feet; i++) {
    most = support->share[i] > support->share[most] ? i : most;
  }
  if (support->foot < 0 ||
      (support->share[support->foot] < support->settings.leave &&
       (support->share[most] > support->settings.enter || support->n_feet > 2))) {
    support->foot = (int)most;
  }
}

static void name_phase(struct support *support, size_t standing, bool landed, double dt) {
  support->since_touch_down_s = landed ? 0.0 : support->since_touch_down_s + dt;
  if (standing == 0) {
    support->phase = SUPPORT_NONE;
    support->foot = -1;
  } else if (support->since_touch_down_s < support->settings.strike_s) {
    support->phase = SUPPORT_STRIKE;
  } else {
    support->phase = standing == 1 ? SUPPORT_SINGLE : SUPPORT_DOUBLE;
  }
}

void support_step(struct support *support, const struct support_input *input, double dt) {
  double now[ROBOT_MAX_FEET] = {0.0};
  support->felt = support->felt || (input->foot_f_z != NULL && input->measured);
  const bool measured = input->foot_f_z != NULL && support->felt;
  const bool flies = !measured && input->f_z < support->settings.flight * input->weight;
  const bool carried = support->n_feet > 0 && !flies;
  if (carried) {
    shares_now(support, input, now);
  }
  const double smoothing =
      support->started && !input->at_once ? first_order_share(support->settings.share_hz, dt) : 1.0;
  size_t standing = 0;
  bool landed = false;
  for (size_t i = 0; i < support->n_feet; i++) {
    support->share[i] += smoothing * (now[i] - support->share[i]);
    const double limit =
        support->stands[i] ? 0.5 * support->settings.loaded : support->settings.loaded;
    const bool stands = support->share[i] > limit;
    support->touched_down[i] = stands && !support->stands[i];
    landed = landed || (support->touched_down[i] && support->started);
    support->stands[i] = stands;
    standing += stands;
  }
  if (support->n_feet > 0) {
    choose_foot(support);
  }
  if (!support->started) {
    support->since_touch_down_s =
        support->settings.strike_s; /* standing from the beginning is no strike */
  }
  name_phase(support, standing, landed, dt);
  support->started = true;
}

void support_resume(struct support *support, bool stepped) {
  support->started = false;
  for (size_t i = 0; i < support->n_feet; i++) {
    support->stands[i] = support->stands[i] && !stepped;
  }
}
