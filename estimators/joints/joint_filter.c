#include "joints/joint_base_start.h"
#include "joints/joint_doubt.h"
#include "joints/joint_filter_core.h"
#include "joints/joint_instant.h"
#include "joints/joint_publish.h"
#include "joints/joint_samples.h"
#include "joints/joint_settle.h"
#include "joints/joint_start.h"

#include <math.h>
#include <string.h>

/* After a silence of so many timeouts of all streams nothing of what was holds. */
static const double TIMEOUTS = 20.0;
/* Mean normalised innovation above which the filter has lost its way and begins again, but not more
 * often than every RESET_PAUSE. */
static const double NIS_DIVERGED = 60.0;
static const int64_t RESET_PAUSE_NS = 500000000;

/* What the cells' places tell before any reading: how large biases may be. */
static void survey(struct joint_filter *f) {
  skin_fusion_assume_all(&f->fusion);
  joint_skin_survey(&f->skin, f->block, joint_samples_skin_rows(f, 0, f->block));
  joint_settle_priors(f);
}

static void reset_part(struct joint_filter *f) {
  instants_clear(&f->instants);
  encoder_guard_reset(&f->guard);
  memset(f->q_enough, 0, f->layout.n * sizeof(*f->q_enough));
  memset(f->scatter, 0, f->layout.n * sizeof(*f->scatter));
  memcpy(f->encoder_sd, f->encoder_told, f->layout.n * sizeof(*f->encoder_sd));
  imu_noise_reset(&f->noise, (double[]){f->settings.gyro_noise, f->settings.accelerometer_noise});
  joint_lean_reset(&f->lean);
  blows_reset(&f->blows);
  aftershock_reset(&f->aftershock);
  joint_skin_reset(&f->skin);
  link_votes_reset(&f->links, f->robot->model.n_links);
  survey(f);
  for (size_t j = 0; j < f->layout.n; j++) {
    f->density[j] = f->settings.joint_density;
  }
  for (size_t i = 0; i < f->jump.count; i++) {
    f->jump.allowed[i] = i < f->layout.base || i >= f->layout.base + f->layout.n;
  }
  f->running = f->base_started = false;
  f->preparation.of = NULL;
  f->preparation.interval_ns = 0;
  f->settled_ns = 0;
  f->interval_s = f->settings.period_s;
  imu_judge_reset(&f->judge);
  f->imu = f->robot->imu_placement;
  f->rest = (struct base_rest){.begun = false};
  for (int triad = 0; triad < IMU_TRIADS; triad++) {
    base_liveliness_reset(&f->liveliness[triad]);
  }
  joint_limbs_reset(&f->limbs);
  f->fit.mean = 1.0;
  for (size_t stream = 0; stream < FILTER_STREAMS; stream++) {
    f->fit.stream_mean[stream] = 1.0;
  }
}

void joint_filter_reset(struct joint_filter *f) {
  reset_part(f);
  for (size_t k = 0; k < f->n_apart; k++) {
    reset_part(f->apart[k]);
  }
  carried_limbs_survey(f);
}

/* -- each cycle ------------------------------------------------------------------------------- */

/* True when the newest samples, if there are any, continue what came before. */
static bool continues(const struct joint_filter *f, const struct sensor_frame *frame) {
  const int64_t gap = frame->t_ns - instants_newest(&f->instants)->t_ns;
  const bool any = frame->joints.stamp.fresh || frame->skin.stamp.fresh ||
                   (frame->imu.stamp.fresh && (f->layout.base > 0 || f->limbs.n > 0));
  return (double)gap * 1e-9 < TIMEOUTS * f->settings.timeout_s || !any;
}

static void take_and_filter(struct joint_filter *f, const struct sensor_frame *frame) {
  const int64_t skin_ns = f->last_ns[2];
  const size_t from = joint_samples_take(f, frame), count = f->instants.count;
  if (from < count && !joint_instant_steps(f, from, count - 1)) {
    joint_start_over(f, frame->t_ns);
    return;
  }
  joint_base_start(f);
  if (f->fit.mean > NIS_DIVERGED && frame->t_ns - f->disturbed_ns > RESET_PAUSE_NS) {
    joint_start_over(f, frame->t_ns);
  } else if (f->last_ns[2] == skin_ns) {
    joint_preparation_step(f); /* this cycle has time */
  }
  instants_thin(&f->instants, f->decided_ns);
  if (f->running && f->settings.adapt_density) {
    aftershock_step(f);
  }
}

static void step_part(struct joint_filter *f, const struct sensor_frame *frame) {
  f->counters.steps++;
  f->skin_ns = 0;
  f->silence_s = 0.0;
  if (f->running && !continues(f, frame)) {
    joint_start_over(f, frame->t_ns);
  }
  if (f->running) {
    take_and_filter(f, frame);
  } else if (frame->joints.stamp.present &&
             joint_samples_timely(f, &frame->joints.stamp, 0, frame->t_ns)) {
    joint_start_first(f, frame);
  }
}

/* Time, instants and replays are those of the joints that stand together. */
static void count_all(struct joint_filter *f) {
  f->all = f->counters;
  for (size_t k = 0; k < f->n_apart; k++) {
    const struct joint_filter_counters *more = &f->apart[k]->counters;
    f->all.slips += more->slips;
    f->all.encoder_repeated += more->encoder_repeated;
    f->all.encoder_rejected += more->encoder_rejected;
    f->all.jumps += more->jumps;
    f->all.link_rejected += more->link_rejected;
    f->all.repairs += more->repairs;
    f->all.resets += more->resets;
  }
}

/* What strikes or wakes one part does so to all. */
static void share_strikes(struct joint_filter *f) {
  int64_t woken_ns = f->woken_ns, struck_ns = f->struck_ns;
  for (size_t k = 0; k < f->n_apart; k++) {
    woken_ns = f->apart[k]->woken_ns > woken_ns ? f->apart[k]->woken_ns : woken_ns;
    struck_ns = f->apart[k]->struck_ns > struck_ns ? f->apart[k]->struck_ns : struck_ns;
  }
  for (size_t k = 0; k <= f->n_apart && f->n_apart > 0; k++) {
    struct joint_filter *part = k < f->n_apart ? f->apart[k] : f;
    part->struck_ns = struck_ns;
    if (part->woken_ns < woken_ns) {
      joint_settle_wake(part, woken_ns);
    }
  }
}

/* What the gain makes of how fast the fastest link of all parts turns. */
static void share_rates(struct joint_filter *f) {
  f->rate_error = joint_skin_rate_error(&f->skin);
  for (size_t k = 0; k < f->n_carried; k++) {
    f->rate_error = fmax(f->rate_error, joint_skin_rate_error(&f->carried[k].filter->skin));
  }
  for (size_t k = 0; k < f->n_carried; k++) {
    f->carried[k].filter->rate_error = f->rate_error;
  }
}

void joint_filter_step(struct joint_filter *f, const struct sensor_frame *frame,
                       struct propriod_state *out) {
  step_part(f, frame);
  joint_publish_step(f, frame, out);
  if (f->skin_ns > 0) {
    carried_limbs_give(f, f->skin_ns);
  }
  for (size_t k = 0; k < f->n_apart; k++) {
    step_part(f->apart[k], frame);
    joint_publish_apart(f->apart[k], frame, out);
  }
  share_strikes(f);
  share_rates(f);
  count_all(f);
}

enum status joint_filter_adopt(struct joint_filter *f, const struct joint_filter *previous) {
  enum status status = joint_start_adopt(f, previous);
  for (size_t k = 0; k < f->n_apart && status == STATUS_OK; k++) {
    status = k < previous->n_apart ? joint_start_adopt(f->apart[k], previous->apart[k])
                                   : STATUS_BAD_ARGUMENT;
  }
  count_all(f);
  return status;
}

const struct joint_filter_counters *joint_filter_counters(const struct joint_filter *f) {
  return &f->all;
}

const struct cell_health *joint_filter_cells(const struct joint_filter *f) {
  return &f->health;
}

const struct link_skin *joint_filter_skin(const struct joint_filter *f, size_t link) {
  const int i = f->fusion.of_link[link];
  return i >= 0 ? &f->fusion.link[i] : NULL;
}

bool joint_filter_uses(const struct joint_filter *filter, size_t cell) {
  return !filter->fusion.idle[cell];
}

void joint_filter_choose(struct joint_filter *filter, const bool *chosen) {
  skin_fusion_choose(&filter->fusion, chosen);
}

void joint_filter_contacts(struct joint_filter *f, const struct base_contact *contact,
                           bool hanging) {
  for (size_t i = 0; i < f->layout.n_feet; i++) {
    const struct base_contact untold = f->contact[i]; /* no joints were read since it landed */
    f->contact[i] = contact[i];
    f->contact[i].landed = contact[i].landed || untold.landed;
    f->contact[i].again = untold.again && !contact[i].landed;
  }
  f->hanging.hangs = hanging;
}

void joint_filter_deny_imu(struct joint_filter *f, unsigned frozen) {
  if (frozen != 0 && f->running && f->base_started) {
    struct instant *newest = instants_newest(&f->instants);
    joint_doubt_convict(f, newest, frozen);
    joint_doubt_untried(f, newest, frozen & imu_judge_believed(&f->judge));
  }
  imu_judge_deny(&f->judge, frozen);
}

double joint_filter_silence(const struct joint_filter *f) {
  return f->silence_s;
}

bool joint_filter_struck(const struct joint_filter *f) {
  return f->instants.count > 0 && instants_newest(&f->instants)->blow.square > 0.0;
}

bool joint_filter_begins(const struct joint_filter *f) {
  return f->instants.count > 0 && instants_newest(&f->instants)->t_ns < f->begins_ns;
}

/* What feet have slid as they would if the IMU were wrong, m, before it is suspected: for some ms
 * they do so of one that is right. */
static const double SLIDES_SUSPECT = 1e-3;

/* A triad on trial, and soles: it is still off and too early for them to say anything, or they
 * speak against it. Points bounce: these speak against it. Of one that is read seldom a strike is a
 * jump, too, and who stands after it another. */
static bool is_suspected(const struct joint_filter *f, enum imu_triad triad, int64_t t_ns) {
  const enum stance_says says = f->stance.of[triad].says;
  if (!f->noise.follows) {
    return false;
  }
  return f->layout.n_soles == 0
             ? f->slide.way[triad] > SLIDES_SUSPECT
             : (imu_judge_stays_off(&f->judge, triad, t_ns) && says == STANCE_WAITS) ||
                   (imu_judge_on_trial(&f->judge, triad, t_ns) && says == STANCE_AGAINST);
}

enum base_doubt joint_filter_doubts(const struct joint_filter *f) {
  const int64_t t_ns = f->instants.count > 0 ? instants_newest(&f->instants)->t_ns : 0;
  if (!f->base_imu || f->instants.count == 0) {
    return BASE_SURE;
  }
  if (is_suspected(f, IMU_GYRO, t_ns) || is_suspected(f, IMU_ACCELEROMETER, t_ns)) {
    return BASE_SUSPECTED;
  }
  if (f->noise.follows && imu_judge_tries(&f->judge, t_ns)) {
    return BASE_TRIED;
  }
  const bool weighed = !f->judge.triad[IMU_ACCELEROMETER].convicted &&
                       !imu_judge_on_trial(&f->judge, IMU_ACCELEROMETER, t_ns);
  return weighed ? BASE_SURE : BASE_UNWEIGHED;
}

void joint_filter_foot_drag(const struct joint_filter *f, double drag[ROBOT_MAX_FEET]) {
  for (size_t i = 0; i < f->layout.n_feet; i++) {
    drag[i] = f->foot[i].drag;
  }
}
