#include "joints/joint_history.h"

#include "joints/joint_filter_core.h"

#include <stdlib.h>
#include <string.h>

/* --- start --- */

static struct past_motion motion_over(double *numbers, size_t n) {
  return (struct past_motion){.q = numbers, .dq = numbers + n, .ddq = numbers + 2 * n};
}

enum status joint_history_init(struct joint_history *history, const struct joint_layout *layout,
                               struct arena *arena) {
  const size_t n_joints = layout->n;
  *history = (struct joint_history){.n_joints = n_joints};
  history->motion = ARENA_ARRAY(arena, struct past_motion, JOINT_HISTORY_KEPT);
  history->x = ARENA_ARRAY(arena, double, layout->numbers);
  double *numbers = ARENA_ARRAY(arena, double, 3 * n_joints * (JOINT_HISTORY_KEPT + 1));
  if (arena_is_counting(arena)) {
    return STATUS_OK;
  }
  if (arena->failed) {
    return STATUS_NO_MEMORY;
  }
  for (size_t k = 0; k < JOINT_HISTORY_KEPT; k++) {
    history->motion[k] = motion_over(numbers + 3 * n_joints * k, n_joints);
  }
  history->between = motion_over(numbers + 3 * n_joints * JOINT_HISTORY_KEPT, n_joints);
  return STATUS_OK;
}

/* Index of the skin among the filter's streams. */
enum { SKIN = 2 };

static struct past_motion *nth(const struct joint_history *history, uint64_t k) {
  return &history->motion[k % JOINT_HISTORY_KEPT];
}

static int64_t newest_ns(const struct joint_history *history) {
  return history->taken > 0 ? nth(history, history->taken - 1)->t_ns : INT64_MIN;
}

/* --- from the filter --- */

/* A stream that has been heard of within the filter's time-out. */
static bool is_alive(const struct joint_filter *f, size_t stream) {
  const int64_t silent = instants_newest(&f->instants)->t_ns - f->last_ns[stream];
  return f->last_ns[stream] > 0 && 1e-9 * (double)silent < f->settings.timeout_s;
}

/* The time up to which nothing that is still to come will change an instant. */
static int64_t settled_until(const struct joint_filter *f) {
  const struct instants *instants = &f->instants;
  const int64_t newest = instants_newest(instants)->t_ns;
  int64_t settled = newest;
  for (size_t stream = 0; stream < FILTER_STREAMS; stream++) {
    const int64_t heard = f->last_ns[stream] + instants->merge_ns;
    settled = is_alive(f, stream) && heard < settled ? heard : settled;
  }
  const int64_t waited = newest - (int64_t)(1e9 * f->settings.window_s);
  settled = waited > settled ? waited : settled;
  const bool scarce = instants->count + FILTER_STREAMS > instants->capacity;
  if (scarce && instants->at[INSTANTS_KEEP_EVERY - 1]->t_ns > settled) {
    settled = instants->at[INSTANTS_KEEP_EVERY - 1]->t_ns; /* the next samples may push these out */
  }
  return settled;
}

/* True for an instant whose accelerations were measured as well as this robot measures any. */
static bool is_measured(const struct joint_filter *f, const struct instant *instant) {
  return (instant->filtered & STREAM_SKIN) || !is_alive(f, SKIN);
}

/* s after a reset or a slip in which a filter finds its accelerations again. */
static const double UNSETTLED = 0.5;

/* True while the filter looks for its way: shortly after it began again, and while an encoder says
 * other than it believes. */
static bool is_in_doubt(const struct joint_filter *f) {
  const int64_t since = instants_newest(&f->instants)->t_ns - f->disturbed_ns;
  bool doubt = f->disturbed_ns > 0 && 1e-9 * (double)since < UNSETTLED;
  for (size_t j = 0; j < f->layout.n; j++) {
    const uint8_t health = f->guard.health[j];
    doubt =
        doubt || health == ENCODER_GATED || health == ENCODER_STUCK || health == ENCODER_STEPPED;
  }
  return doubt;
}

static struct base_motion base_of(const struct joint_filter *f, const double *x) {
  const struct joint_layout *l = &f->layout;
  struct base_motion base = {.X_WB = POSE_IDENTITY, .a_B = {VEC3_ZERO, f->fixed_force}};
  if (l->base > 0) {
    base.v_B.ang = vec3_from(x + l->omega);
    base.a_B = (struct motion){vec3_from(x + l->omegadot), vec3_from(x + l->force)};
  }
  return base;
}

/* The motion of the filter's own joints at t_ns, an instant's or later, among those of the whole
 * robot. Leaves the state behind it in history->x. */
static void spread(struct joint_history *history, const struct joint_filter *f,
                   const struct instant *instant, int64_t t_ns, const struct past_motion *motion) {
  const struct joint_layout *l = &f->layout;
  const struct joint_densities densities = joint_filter_densities(f);
  double *x = history->x;
  memcpy(x, instant->x, l->numbers * sizeof(*x));
  if (t_ns > instant->t_ns) {
    joint_process_mean(l, 1e-9 * (double)(t_ns - instant->t_ns), &densities, x);
  }
  joint_process_unbias(l, x);
  for (size_t j = 0; j < l->n; j++) {
    const size_t to = f->part.joint[j];
    motion->q[to] = x[l->q + j];
    motion->dq[to] = x[l->dq + j];
    motion->ddq[to] = x[l->ddq + j];
  }
}

/* The newest instant not after t_ns, or the oldest. */
static const struct instant *instant_until(const struct joint_filter *f, int64_t t_ns) {
  size_t i = f->instants.count - 1;
  while (i > 0 && f->instants.at[i]->t_ns > t_ns) {
    i--;
  }
  return f->instants.at[i];
}

/* ns between neighbours beyond which their rates say nothing of what was between. */
static const int64_t NEIGHBOURS = 20000000;

/* The accelerations of the motion before the newest, by its neighbours' rates: their mean over any
 * time is what rates have changed by, and the filter's own follow 6 ms late. All of them at once:
 * those of a base in time and of its legs late belong to no motion. */
static void difference_rates(struct joint_history *history) {
  const uint64_t n = history->taken;
  if (n < 3) {
    return;
  }
  const struct past_motion *after = nth(history, n - 1), *before = nth(history, n - 3);
  struct past_motion *motion = nth(history, n - 2);
  const int64_t apart = after->t_ns - before->t_ns;
  const double per_s = 1e9 / (double)apart;
  if (apart > 2 * NEIGHBOURS) {
    return;
  }
  for (size_t j = 0; j < history->n_joints; j++) {
    motion->ddq[j] = per_s * (after->dq[j] - before->dq[j]);
  }
  motion->base.a_B.ang = vec3_scale(per_s, vec3_sub(after->base.v_B.ang, before->base.v_B.ang));
}

static void take(struct joint_history *history, const struct joint_filter *f,
                 const struct instant *instant) {
  struct past_motion motion = history->between;
  for (size_t k = 0; k < f->n_apart; k++) {
    const struct instant *before = instant_until(f->apart[k], instant->t_ns);
    spread(history, f->apart[k], before, instant->t_ns, &motion);
  }
  spread(history, f, instant, instant->t_ns, &motion);
  motion.t_ns = instant->t_ns;
  motion.base = base_of(f, history->x);
  const bool waited = history->known < history->taken;
  joint_history_put(history, &motion);
  if (waited) {
    difference_rates(history);
  }
  if (f->layout.base > 0 && !(instant->filtered & STREAM_SKIN)) {
    history->known--; /* until the next */
  }
}

void joint_history_collect(struct joint_history *history, const struct joint_filter *f) {
  bool running = f->running, doubt = running && is_in_doubt(f);
  for (size_t k = 0; k < f->n_apart && running; k++) {
    running = f->apart[k]->running;
    doubt = doubt || (running && is_in_doubt(f->apart[k]));
  }
  if (!running) {
    return;
  }
  if (doubt) {
    history->doubted_ns = instants_newest(&f->instants)->t_ns;
    return;
  }
  const int64_t settled = settled_until(f);
  for (size_t i = 0; i < f->instants.count && f->instants.at[i]->t_ns <= settled; i++) {
    const struct instant *instant = f->instants.at[i];
    if (instant->t_ns > newest_ns(history) && is_measured(f, instant) &&
        instant->t_ns > history->doubted_ns) {
      take(history, f, instant);
    }
  }
}

/* --- the ring --- */

void joint_history_put(struct joint_history *history, const struct past_motion *motion) {
  if (motion->t_ns <= newest_ns(history)) {
    return;
  }
  const size_t bytes = history->n_joints * sizeof(double);
  struct past_motion *place = nth(history, history->taken++);
  place->t_ns = motion->t_ns;
  place->base = motion->base;
  memcpy(place->q, motion->q, bytes);
  memcpy(place->dq, motion->dq, bytes);
  memcpy(place->ddq, motion->ddq, bytes);
  history->known = history->taken;
}

int64_t joint_history_spacing(const struct joint_history *history) {
  const uint64_t n = history->taken;
  return n < 2 ? 0 : nth(history, n - 1)->t_ns - nth(history, n - 2)->t_ns;
}

static vec3 mixed(vec3 a, vec3 b, double share) {
  return vec3_add(a, vec3_scale(share, vec3_sub(b, a)));
}

/* `share` of the way from a to b. */
static void mix(const struct past_motion *a, const struct past_motion *b, double share, size_t n,
                struct past_motion *out) {
  for (size_t j = 0; j < n; j++) {
    out->q[j] = a->q[j] + share * (b->q[j] - a->q[j]);
    out->dq[j] = a->dq[j] + share * (b->dq[j] - a->dq[j]);
    out->ddq[j] = a->ddq[j] + share * (b->ddq[j] - a->ddq[j]);
  }
  out->base = a->base;
  out->base.v_B.ang = mixed(a->base.v_B.ang, b->base.v_B.ang, share);
  out->base.a_B.ang = mixed(a->base.a_B.ang, b->base.a_B.ang, share);
  out->base.a_B.lin = mixed(a->base.a_B.lin, b->base.a_B.lin, share);
}

/* Index of the first kept motion at or after t_ns; `taken` when there is none. */
static uint64_t first_from(const struct joint_history *history, int64_t t_ns) {
  const uint64_t oldest =
      history->taken > JOINT_HISTORY_KEPT ? history->taken - JOINT_HISTORY_KEPT : 0;
  uint64_t k = history->taken;
  while (k > oldest && nth(history, k - 1)->t_ns >= t_ns) {
    k--;
  }
  return k;
}

enum status joint_history_at(const struct joint_history *history, int64_t t_ns, int64_t within_ns,
                             const struct past_motion **motion) {
  const uint64_t k = first_from(history, t_ns - within_ns);
  if (k >= history->known) {
    return STATUS_TOO_FEW;
  }
  const struct past_motion *found = nth(history, k);
  if (found->t_ns > t_ns + within_ns) {
    return STATUS_STALE;
  }
  const bool next =
      k + 1 < history->known && llabs(nth(history, k + 1)->t_ns - t_ns) < llabs(found->t_ns - t_ns);
  *motion = next ? nth(history, k + 1) : found;
  return STATUS_OK;
}

enum status joint_history_between(struct joint_history *history, int64_t t_ns, int64_t gap_ns,
                                  const struct past_motion **motion) {
  const uint64_t k = first_from(history, t_ns);
  if (k >= history->known) {
    return STATUS_TOO_FEW;
  }
  const bool first =
      k == 0 || (history->taken > JOINT_HISTORY_KEPT && k == history->taken - JOINT_HISTORY_KEPT);
  const struct past_motion *b = nth(history, k), *a = first ? b : nth(history, k - 1);
  if ((first && b->t_ns > t_ns) || b->t_ns - a->t_ns > gap_ns) {
    return STATUS_STALE;
  }
  const double share = first ? 0.0 : (double)(t_ns - a->t_ns) / (double)(b->t_ns - a->t_ns);
  mix(a, b, share, history->n_joints, &history->between);
  history->between.t_ns = t_ns;
  *motion = &history->between;
  return STATUS_OK;
}
