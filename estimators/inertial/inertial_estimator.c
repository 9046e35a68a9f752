#include "inertial/inertial_estimator.h"

#include <math.h>
#include <string.h>

enum {
  KEPT = 48,        /* instants whose forces may wait for their motion, or for one another */
  AT_ONCE = 2,      /* instants used in one cycle: catches up without a burst */
  LONGEST_GAP = 20, /* periods between instants that still count as time passed */
  MISSED = 2        /* looks of the skin in a row without forces of their instant */
};

/* The forces of one instant, as far as they have come. */
struct forces {
  int64_t t_ns;
  bool has_tau, has_wrench;
  double tau[MODEL_MAX_JOINTS];
  struct force wrench[ROBOT_MAX_WRENCH];
};

/* By how much stamps of wrenches, or of torques, are set back; since when more is surely left, 0:
 * it is not. */
struct set_back {
  double s;
  int64_t sure_ns;
};

struct inertial_estimator {
  const struct robot *robot;
  struct inertial_settings settings;
  struct inertial_filter *filter; /* NULL: not configured */
  struct kinematics kin;
  struct forces *forces;   /* [KEPT] a ring, by rising time */
  uint64_t taken, used;    /* instants put in, and passed to the filter or dropped */
  int64_t used_ns;         /* instant of the last one used */
  int64_t met_ns;          /* last one whose motion was measured at its very instant */
  int64_t newest_ns;       /* instant of the last one put in */
  struct inertia *inertia; /* [n_links] of the model */
  struct inertial_result result;
  int64_t filled_ns; /* newest instant of the last block */
  bool tau_expected, wrench_expected;
  bool struck; /* since the last instant used */
  struct set_back wrench, torque;
};

struct inertial_settings inertial_defaults(void) {
  return (struct inertial_settings){.period_s = 1e-3, .filter = inertial_filter_defaults()};
}

int inertial_link(const struct robot *robot, const char *name) {
  const int link = model_find_link(&robot->model, name);
  if (link >= 0) {
    return link;
  }
  const int frame = model_find_frame(&robot->model, name);
  return frame >= 0 ? (int)robot->model.frame[frame].link : -1;
}

static enum status find_links(const struct robot *robot, const struct inertial_settings *settings,
                              size_t link[INERTIAL_MAX_LINKS]) {
  for (size_t k = 0; k < settings->n_links; k++) {
    const int found = inertial_link(robot, settings->link[k]);
    if (found < 0) {
      return STATUS_BAD_ARGUMENT;
    }
    link[k] = (size_t)found;
  }
  return STATUS_OK;
}

enum status inertial_estimator_init(struct inertial_estimator **estimator,
                                    const struct robot *robot,
                                    const struct inertial_settings *settings, struct arena *arena) {
  struct inertial_estimator counted = {0};
  struct inertial_estimator *e = ARENA_ARRAY(arena, struct inertial_estimator, 1);
  struct inertial_estimator *into = e != NULL ? e : &counted;
  size_t link[INERTIAL_MAX_LINKS];
  *into = (struct inertial_estimator){.robot = robot, .settings = *settings};
  into->settings.filter.cycle_s = settings->period_s;
  into->forces = ARENA_ARRAY(arena, struct forces, KEPT);
  into->inertia = ARENA_ARRAY(arena, struct inertia, robot->model.n_links);
  enum status status = find_links(robot, settings, link);
  if (status == STATUS_OK && settings->n_links > 0) {
    status = inertial_filter_init(&into->filter, robot, &into->settings.filter, link,
                                  settings->n_links, arena);
    into->wrench.s = settings->filter.wrench_delay_s;
    into->torque.s = settings->filter.torque_delay_s;
  }
  if (status == STATUS_OK) {
    status = kinematics_init(&into->kin, &robot->model, arena);
  }
  if (status != STATUS_OK || arena_is_counting(arena)) {
    return status;
  }
  if (arena->failed) {
    return STATUS_NO_MEMORY;
  }
  memcpy(e->inertia, robot->model.inertia, robot->model.n_links * sizeof(*e->inertia));
  *estimator = e;
  return STATUS_OK;
}

/* -- the ring of forces ----------------------------------------------------------------------- */

/* The kept instant within half a period of t_ns; a new one when t_ns lies beyond all; NULL for one
 * that came after its neighbours. */
static struct forces *instant_of(struct inertial_estimator *e, int64_t t_ns) {
  const int64_t half = (int64_t)(0.5e9 * e->settings.period_s);
  for (uint64_t k = e->taken; k > e->used; k--) {
    struct forces *forces = &e->forces[(k - 1) % KEPT];
    const int64_t late = forces->t_ns - t_ns;
    if (late >= -half && late <= half) {
      return forces;
    }
  }
  if (t_ns <= e->newest_ns) {
    return NULL;
  }
  if (e->taken - e->used == KEPT) {
    e->used++; /* what it waited for never came */
  }
  struct forces *forces = &e->forces[e->taken++ % KEPT];
  e->newest_ns = forces->t_ns = t_ns;
  forces->has_tau = forces->has_wrench = false;
  return forces;
}

static void keep_forces(struct inertial_estimator *e, const struct sensor_frame *frame) {
  const struct joints_reading *joints = &frame->joints;
  const struct wrench_reading *wrench = &frame->wrench;
  e->tau_expected = joints->stamp.present && joints->tau != NULL;
  e->wrench_expected =
      wrench->stamp.present && wrench->n_sensors == e->robot->n_wrench && wrench->n_sensors > 0;
  const bool leads = e->tau_expected || !e->wrench_expected; /* whose stamps are the instants' */
  const int64_t tau_ns = joints->stamp.t_ns - (int64_t)(1e9 * e->torque.s),
                wrench_ns = wrench->stamp.t_ns - (int64_t)(1e9 * e->wrench.s);
  struct forces *at = leads && joints->stamp.fresh ? instant_of(e, tau_ns) : NULL;
  if (at != NULL && e->tau_expected) {
    memcpy(at->tau, joints->tau, e->robot->model.n_joints * sizeof(*at->tau));
    at->has_tau = true;
  }
  at = e->wrench_expected && wrench->stamp.fresh ? instant_of(e, wrench_ns) : NULL;
  if (at != NULL) {
    memcpy(at->wrench, wrench->wrench, wrench->n_sensors * sizeof(*at->wrench));
    at->has_wrench = true;
  }
}

/* The motion of an instant of forces: one that was measured then. Forces that do not meet such
 * instants, being sampled at other times or seldom, take what lies between two. */
static enum status motion_at(struct inertial_estimator *e, struct joint_history *history,
                             int64_t t_ns, const struct past_motion **motion) {
  const int64_t period_ns = (int64_t)(1e9 * e->settings.period_s);
  enum status status = joint_history_at(history, t_ns, period_ns / 2, motion);
  if (status == STATUS_OK) {
    e->met_ns = t_ns;
  } else if (status == STATUS_STALE &&
             t_ns - e->met_ns > MISSED * joint_history_spacing(history) + period_ns) {
    status = joint_history_between(history, t_ns, LONGEST_GAP * period_ns, motion);
  }
  return status;
}

static bool is_whole(const struct inertial_estimator *e, const struct forces *forces) {
  return (forces->has_tau || !e->tau_expected) && (forces->has_wrench || !e->wrench_expected);
}

/* The oldest instant whose forces have all come, and its motion; those before it, and those without
 * motion, are dropped. NULL when there is none yet. */
static const struct forces *next_whole(struct inertial_estimator *e, struct joint_history *history,
                                       const struct past_motion **motion) {
  for (uint64_t k = e->used; k < e->taken; k++) {
    const struct forces *forces = &e->forces[k % KEPT];
    if (!is_whole(e, forces)) {
      continue;
    }
    const enum status status = motion_at(e, history, forces->t_ns, motion);
    if (status == STATUS_TOO_FEW) {
      return NULL;
    }
    e->used = k + 1;
    if (status == STATUS_OK) {
      return forces;
    }
  }
  return NULL;
}

/* -- stepping --------------------------------------------------------------------------------- */

/* What is published takes the place of the model's parameters, when the settings say so. */
static void feed(struct inertial_estimator *e) {
  for (size_t k = 0; e->settings.feed_centroidal && k < e->result.n_links; k++) {
    e->inertia[e->result.link[k].link] = e->result.link[k].published;
  }
}

static void use(struct inertial_estimator *e, const struct forces *forces,
                const struct past_motion *past) {
  const struct robot_motion motion = {
      .base = past->base, .q = past->q, .dq = past->dq, .ddq = past->ddq};
  const double since = 1e-9 * (double)(forces->t_ns - e->used_ns);
  const bool usual = since > 0.0 && since < LONGEST_GAP * e->settings.period_s;
  const uint64_t blocks = e->result.counters.blocks;
  e->used_ns = forces->t_ns;
  if (kinematics_update(&e->kin, &motion) != STATUS_OK) {
    return;
  }
  const struct inertial_inputs inputs = {.kin = &e->kin,
                                         .tau = forces->has_tau ? forces->tau : NULL,
                                         .wrench = forces->has_wrench ? forces->wrench : NULL};
  inertial_filter_step(e->filter, &inputs, usual ? since : e->settings.period_s, e->struck,
                       &e->result);
  e->filled_ns = e->result.counters.blocks != blocks ? forces->t_ns : e->filled_ns;
  e->struck = false;
  feed(e);
}

/* -- delay ------------------------------------------------------------------------------------ */

/* s: what is left of a delay below this is let be, and must be known to this to be made good. */
static const double LET_BE = 0.4e-3, KNOWN_TO = 0.4e-3;
/* s for which it must be so; largest delay that is made good. */
static const double SURE_FOR = 1.0, LARGEST_DELAY = 10e-3;

/* Sets stamps back by what is left, where it has been sure for long and is within what is made
 * good. */
static bool correct(const struct inertial_delay *left, int64_t now_ns, struct set_back *stamps) {
  const double whole = stamps->s + left->s;
  if (!left->known || left->sd_s > KNOWN_TO ||
      fabs(left->s) < LET_BE + INERTIAL_SURELY * left->sd_s || fabs(whole) > LARGEST_DELAY) {
    stamps->sure_ns = 0;
    return false;
  }
  stamps->sure_ns = stamps->sure_ns == 0 ? now_ns : stamps->sure_ns;
  if (1e-9 * (double)(now_ns - stamps->sure_ns) < SURE_FOR) {
    return false;
  }
  *stamps = (struct set_back){.s = whole};
  return true;
}

/* Forces move to the instants at which they were measured; what was learned of others goes. */
static void correct_delays(struct inertial_estimator *e, int64_t now_ns) {
  if (!e->settings.filter.correct_delay) {
    return;
  }
  const bool wrenches = correct(&e->result.delay, now_ns, &e->wrench),
             torques = correct(&e->result.torque_delay, now_ns, &e->torque);
  if (wrenches || torques) {
    e->used = e->taken;
    e->newest_ns = e->met_ns = 0;
    inertial_filter_realign(e->filter);
    e->result = *inertial_filter_result(e->filter);
  }
}

/* s beside two blocks: nothing that can be used has come for longer, and what is told is old. */
static const double SILENCE = 0.5;

static enum propriod_status status_of(const struct inertial_estimator *e, int64_t now_ns) {
  const enum inertial_state state = e->result.state;
  const double since = 1e-9 * (double)(now_ns - e->filled_ns);
  const bool silent = since > SILENCE + 2.0 * e->settings.filter.block_s;
  if ((silent || state == INERTIAL_OFF) && e->result.counters.blocks > 0) {
    return PROPRIOD_STATUS_STALE;
  }
  if (state == INERTIAL_OFF || state == INERTIAL_CALIBRATING) {
    return PROPRIOD_STATUS_INIT;
  }
  if (e->result.diverged) {
    return PROPRIOD_STATUS_DIVERGED;
  }
  const bool apart = inertial_is_apart(&e->result.delay, &e->result.torque_delay);
  return apart || e->result.doubted ? PROPRIOD_STATUS_DEGRADED : PROPRIOD_STATUS_OK;
}

/* The instants that have become whole; a cycle without any goes on with the update on its way. */
static void use_what_is_whole(struct inertial_estimator *e, struct joint_history *history) {
  for (int i = 0; i < AT_ONCE; i++) {
    const struct past_motion *motion;
    const struct forces *forces = next_whole(e, history, &motion);
    if (forces != NULL) {
      use(e, forces, motion);
    } else if (i == 0) {
      inertial_filter_continue(e->filter);
    }
  }
}

void inertial_estimator_step(struct inertial_estimator *e, const struct sensor_frame *frame,
                             struct joint_history *history, bool strike,
                             struct inertia_estimate *out) {
  if (e->filter == NULL) {
    *out = (struct inertia_estimate){.seq = out->seq, .t_ns = frame->t_ns};
    return;
  }
  keep_forces(e, frame);
  e->struck = e->struck || strike;
  use_what_is_whole(e, history);
  correct_delays(e, frame->t_ns);
  out->t_ns = e->used_ns;
  out->status = status_of(e, frame->t_ns);
  out->delay = e->result.delay;
  out->delay.s += e->wrench.s;
  out->torque_delay = e->result.torque_delay;
  out->torque_delay.s += e->torque.s;
  out->misaligned = inertial_is_apart(&out->delay, &out->torque_delay);
  out->result = e->result;
  memcpy(out->name, e->settings.link, sizeof(out->name));
}

const struct inertia *inertial_estimator_inertia(const struct inertial_estimator *e) {
  return e->inertia;
}

const struct inertial_settings *inertial_estimator_settings(const struct inertial_estimator *e) {
  return &e->settings;
}

struct inertial_filter *inertial_estimator_filter(struct inertial_estimator *e) {
  return e->filter;
}

void inertial_estimator_reset(struct inertial_estimator *e) {
  if (e->filter != NULL) {
    inertial_filter_reset(e->filter);
    e->result = (struct inertial_result){.n_links = 0};
    memcpy(e->inertia, e->robot->model.inertia, e->robot->model.n_links * sizeof(*e->inertia));
  }
}

void inertial_estimator_adopt(struct inertial_estimator *e,
                              const struct inertial_estimator *previous) {
  const bool same_robot = e->filter != NULL && previous->filter != NULL &&
                          e->robot->model_hash == previous->robot->model_hash;
  if (same_robot && inertial_filter_adopt(e->filter, previous->filter) == STATUS_OK) {
    e->result = previous->result;
    e->filled_ns = previous->filled_ns;
    e->wrench.s = previous->wrench.s;
    e->torque.s = previous->torque.s;
    feed(e);
  }
}
