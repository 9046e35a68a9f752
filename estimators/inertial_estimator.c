#include "inertial_estimator.h"

#include <math.h>
#include <string.h>

enum {
  KEPT = 32,       /* instants that may wait for their forces */
  AT_ONCE = 2,     /* instants used in one cycle: catches up without a burst */
  LONGEST_GAP = 20 /* periods between instants that still count as time passed */
};

/* One cycle's motion, and the forces of the same instant once they have come. */
struct instant {
  int64_t t_ns;
  bool moving; /* accelerations are known */
  bool strike, has_tau, has_wrench;
  double *q, *dq, *ddq, *tau; /* [n_joints] */
  struct base_motion base;
  struct force wrench[ROBOT_MAX_WRENCH];
};

struct inertial_estimator {
  const struct robot *robot;
  struct inertial_settings settings;
  struct inertial_filter *filter; /* NULL: not configured */
  struct kinematics kin;
  struct instant *instant; /* [KEPT] a ring */
  uint64_t taken, used;    /* instants put in, and passed to the filter or dropped */
  int64_t used_ns;         /* instant of the last one used */
  struct inertia *inertia; /* [n_links] of the model */
  struct inertial_result result;
  bool tau_expected, wrench_expected;
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

static void carve(struct inertial_estimator *e, struct arena *arena) {
  const size_t n = e->robot->model.n_joints;
  e->instant = ARENA_ARRAY(arena, struct instant, KEPT);
  e->inertia = ARENA_ARRAY(arena, struct inertia, e->robot->model.n_links);
  double *numbers = ARENA_ARRAY(arena, double, 4 * n * KEPT);
  for (size_t k = 0; numbers != NULL && e->instant != NULL && k < KEPT; k++) {
    double *own = numbers + 4 * n * k;
    e->instant[k] =
        (struct instant){.q = own, .dq = own + n, .ddq = own + 2 * n, .tau = own + 3 * n};
  }
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
  carve(into, arena);
  enum status status = find_links(robot, settings, link);
  if (status == STATUS_OK && settings->n_links > 0) {
    status = inertial_filter_init(&into->filter, robot, &settings->filter, link, settings->n_links,
                                  NULL, arena);
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

/* --- the ring of instants --- */

static void keep_motion(struct inertial_estimator *e, int64_t t_ns,
                        const struct state_estimate *state, bool strike) {
  const uint32_t needed =
      STATE_Q | STATE_DQ | STATE_DDQ | STATE_BASE_RATE | STATE_BASE_ANG_ACC | STATE_BASE_FORCE;
  const size_t bytes = e->robot->model.n_joints * sizeof(double);
  if (e->taken - e->used == KEPT) {
    e->used++; /* its forces never came */
  }
  struct instant *instant = &e->instant[e->taken++ % KEPT];
  instant->t_ns = t_ns;
  instant->moving = (state->estimated & needed) == needed;
  instant->strike = strike;
  instant->has_tau = instant->has_wrench = false;
  memcpy(instant->q, state->q, bytes);
  memcpy(instant->dq, state->dq, bytes);
  memcpy(instant->ddq, state->ddq, bytes);
  instant->base = (struct base_motion){
      .X_WB = POSE_IDENTITY,
      .v_B = {state->omega_B, VEC3_ZERO}, /* a uniform velocity changes no force */
      .a_B = {state->omegadot_B, state->specific_force_B}};
}

/* The kept instant that was within half a period of t_ns, or NULL. */
static struct instant *instant_of(struct inertial_estimator *e, int64_t t_ns) {
  const int64_t half = (int64_t)(0.5e9 * e->settings.period_s);
  for (uint64_t k = e->taken; k > e->used; k--) {
    struct instant *instant = &e->instant[(k - 1) % KEPT];
    const int64_t late = instant->t_ns - t_ns;
    if (late >= -half && late <= half) {
      return instant;
    }
  }
  return NULL;
}

static void keep_forces(struct inertial_estimator *e, const struct sensor_frame *frame) {
  const struct joints_reading *joints = &frame->joints;
  const struct wrench_reading *wrench = &frame->wrench;
  e->tau_expected = joints->stamp.present && joints->tau != NULL;
  e->wrench_expected =
      wrench->stamp.present && wrench->n_sensors == e->robot->n_wrench && wrench->n_sensors > 0;
  struct instant *at = e->tau_expected ? instant_of(e, joints->stamp.t_ns) : NULL;
  if (at != NULL) {
    memcpy(at->tau, joints->tau, e->robot->model.n_joints * sizeof(*at->tau));
    at->has_tau = true;
  }
  at = e->wrench_expected ? instant_of(e, wrench->stamp.t_ns) : NULL;
  if (at != NULL) {
    memcpy(at->wrench, wrench->wrench, wrench->n_sensors * sizeof(*at->wrench));
    at->has_wrench = true;
  }
}

/* The oldest instant whose forces have all come, those before it dropped; NULL when none has. */
static const struct instant *next_whole(struct inertial_estimator *e) {
  for (uint64_t k = e->used; k < e->taken; k++) {
    const struct instant *instant = &e->instant[k % KEPT];
    if ((instant->has_tau || !e->tau_expected) && (instant->has_wrench || !e->wrench_expected)) {
      e->used = k + 1;
      return instant;
    }
  }
  return NULL;
}

/* --- stepping --- */

static void use(struct inertial_estimator *e, const struct instant *instant) {
  const struct robot_motion motion = {
      .base = instant->base, .q = instant->q, .dq = instant->dq, .ddq = instant->ddq};
  const double since = 1e-9 * (double)(instant->t_ns - e->used_ns);
  const bool usual = since > 0.0 && since < LONGEST_GAP * e->settings.period_s;
  e->used_ns = instant->t_ns;
  if (!instant->moving || kinematics_update(&e->kin, &motion) != STATUS_OK) {
    return;
  }
  const struct inertial_inputs inputs = {.kin = &e->kin,
                                         .tau = instant->has_tau ? instant->tau : NULL,
                                         .wrench = instant->has_wrench ? instant->wrench : NULL};
  inertial_filter_step(e->filter, &inputs, usual ? since : e->settings.period_s, instant->strike,
                       &e->result);
  for (size_t k = 0; e->settings.feed_centroidal && k < e->result.n_links; k++) {
    e->inertia[e->result.link[k].link] = e->result.link[k].published;
  }
}

static enum estimate_status status_of(const struct inertial_estimator *e) {
  switch (e->result.state) {
  case INERTIAL_OFF:
    return e->result.counters.blocks > 0 ? ESTIMATE_STALE : ESTIMATE_INIT;
  case INERTIAL_CALIBRATING:
    return ESTIMATE_INIT;
  case INERTIAL_RUNNING:
  case INERTIAL_RESTING:
    break;
  }
  return ESTIMATE_OK;
}

void inertial_estimator_step(struct inertial_estimator *e, const struct sensor_frame *frame,
                             const struct state_estimate *state, bool strike,
                             struct inertia_estimate *out) {
  if (e->filter == NULL) {
    *out = (struct inertia_estimate){.seq = out->seq, .t_ns = frame->t_ns};
    return;
  }
  keep_motion(e, frame->t_ns, state, strike);
  keep_forces(e, frame);
  for (int i = 0; i < AT_ONCE; i++) {
    const struct instant *instant = next_whole(e);
    if (instant == NULL) {
      break;
    }
    use(e, instant);
  }
  out->t_ns = e->used_ns;
  out->status = status_of(e);
  out->result = e->result;
  memcpy(out->name, e->settings.link, sizeof(out->name));
}

const struct inertia *inertial_estimator_inertia(const struct inertial_estimator *e) {
  return e->inertia;
}

const struct robot *inertial_estimator_robot(const struct inertial_estimator *e) {
  return e->robot;
}

const struct inertial_settings *inertial_estimator_settings(const struct inertial_estimator *e) {
  return &e->settings;
}

struct inertial_filter *inertial_estimator_filter(struct inertial_estimator *e) {
  return e->filter;
}

static bool same_links(const struct inertial_estimator *a, const struct inertial_estimator *b) {
  bool same = a->filter != NULL && b->filter != NULL &&
              a->settings.n_links == b->settings.n_links &&
              a->robot->model_hash == b->robot->model_hash &&
              a->settings.filter.core.form == b->settings.filter.core.form;
  for (size_t k = 0; same && k < a->settings.n_links; k++) {
    same = inertial_link(a->robot, a->settings.link[k]) ==
           inertial_link(b->robot, b->settings.link[k]);
  }
  return same;
}

void inertial_estimator_adopt(struct inertial_estimator *e,
                              const struct inertial_estimator *previous) {
  if (same_links(e, previous)) {
    inertial_filter_adopt(e->filter, previous->filter);
    memcpy(e->inertia, previous->inertia, e->robot->model.n_links * sizeof(*e->inertia));
    e->result = previous->result;
  }
}
