#include "inertial/inertial_filter_parts.h"

#include <math.h>

/* Worst row, in told deviations, beyond which it is the sensors that are doubted. */
static const double NOISY = 20.0;
/* A centre that has surely moved by this many of the deviations that a change may have is not on
 * its link: what moved it is on another, as when a load changes hands. */
static const double OUT_OF_REACH = 1.5, SURELY = 3.0;

static bool is_apart(const struct inertial_delay *delay) {
  return delay->known && fabs(delay->s) > INERTIAL_WORST_DELAY + INERTIAL_SURELY * delay->sd_s;
}

bool inertial_is_apart(const struct inertial_delay *wrenches,
                       const struct inertial_delay *torques) {
  return is_apart(wrenches) || is_apart(torques);
}

static enum inertial_doubt cause_of_doubt(const struct inertial_result *result) {
  return !result->doubted                                           ? INERTIAL_SURE
         : inertial_is_apart(&result->delay, &result->torque_delay) ? INERTIAL_DOUBTS_STAMPS
         : result->noise > NOISY                                    ? INERTIAL_DOUBTS_SENSORS
                                                                    : INERTIAL_DOUBTS_LINKS;
}

/* Wrenches weigh the whole robot: by what share all other links may be off, an estimated one is. */
static double deviation_of_others(const struct inertial_filter *filter, size_t k) {
  const bool weighed =
      !filter->robot->fixed_base && (filter->measurement.missing & INERTIAL_NEEDS_WRENCH) == 0;
  const double others = model_mass(&filter->robot->model) - filter->prior[k].m;
  return weighed ? filter->settings.model_error * others : 0.0;
}

/* Independent deviations more: mass (kg), centre (m). */
static void widen_by(struct inertial_link_estimate *link, double mass, vec3 com) {
  const vec3 sd = link->com_sd;
  link->mass_sd = hypot(link->mass_sd, mass);
  link->com_sd = (vec3){hypot(sd.x, com.x), hypot(sd.y, com.y), hypot(sd.z, com.z)};
}

/* The k-th link's centre has moved by this since the model, m. */
static vec3 moved_by(const struct inertial_filter *filter, size_t k) {
  return vec3_sub(inertia_com(&filter->result.link[k].estimate), inertia_com(&filter->prior[k]));
}

/* The k-th link's centre has surely moved too far to be on it. */
static bool is_out_of_reach(const struct inertial_filter *filter, size_t k) {
  const vec3 moved = moved_by(filter, k), sd = filter->result.link[k].com_sd;
  const double far = vec3_norm(moved);
  const vec3 along = {moved.x * sd.x, moved.y * sd.y, moved.z * sd.z};
  return filter->settings.core.memory &&
         far > fmax(SURELY * vec3_norm(along) / far, OUT_OF_REACH * filter->settings.change.com);
}

/* The links as their rows tell. */
static void tell_links(struct inertial_filter *filter) {
  filter->out_of_reach = false;
  for (size_t k = 0; k < filter->n_links; k++) {
    struct inertial_link_estimate *link = &filter->result.link[k];
    inertial_link_tell(&filter->core, k, link);
    filter->out_of_reach = filter->out_of_reach || is_out_of_reach(filter, k);
    const double others = deviation_of_others(filter, k),
                 com = filter->reach * others / link->estimate.m;
    widen_by(link, others, (vec3){com, com, com});
  }
}

/* Deviations of links of which more is doubted than their rows tell. */
static void widen(struct inertial_filter *filter) {
  for (size_t k = 0; k < filter->n_links; k++) {
    struct inertial_link_estimate *link = &filter->result.link[k];
    if (filter->result.doubt != INERTIAL_SURE) {
      /* may as well be as it was before */
      widen_by(link, link->estimate.m - filter->prior[k].m, moved_by(filter, k));
    }
    if (filter->wavering) { /* what may have changed may be off by a change */
      const double com = filter->settings.change.com;
      widen_by(link, filter->settings.change.mass, (vec3){com, com, com});
    }
  }
}

/* Load and biases have been told apart: every link's mass is known, were gains as they are told. */
static bool is_told_apart(struct inertial_filter *filter) {
  bool apart = filter->start_s >= filter->settings.calibration_s;
  for (size_t k = 0; apart && k < filter->n_links; k++) {
    apart = inertial_core_mass_by_rows(&filter->core, k) <
            INERTIAL_TOLD * filter->settings.core.prior.mass;
  }
  return apart;
}

void inertial_filter_tell(struct inertial_filter *filter, double dt) {
  struct inertial_result *result = &filter->result;
  const enum inertial_doubt before = result->doubt;
  const bool wavers = filter->contradicted || change_detector_wavers(&filter->detector),
             is_new = filter->is_new || wavers != filter->wavering;
  filter->wavering = wavers;
  if (is_new) {
    result->calibrated = is_told_apart(filter);
    tell_links(filter);
  }
  result->doubted = change_detector_doubts(&filter->detector) || filter->out_of_reach;
  result->doubt = cause_of_doubt(result);
  if (!is_new && result->doubt != before) {
    tell_links(filter);
  }
  if (is_new || result->doubt != before) {
    widen(filter);
  }
  for (size_t k = 0; k < filter->n_links; k++) {
    struct inertial_link_estimate *link = &result->link[k];
    link->observable = filter->observability.shown[k];
    inertia_follow(&filter->settings.publish, dt, &link->estimate, &link->published);
  }
  filter->is_new = false;
}
