#include "cycle/cycle.h"

#include "common/clock.h"
#include "cycle/granted.h"
#include "cycle/overload.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>

/* Where time would stand still or run back, the cycle's instant moves on by this part of a period:
 * positive, and not so small that a difference quotient drowns in rounding. */
enum { LEAST_STEP_PARTS = 16 };

/* A frame sampled less than the first share of a period after the instant of the last estimate, or
 * less than the second share a cycle after those before it, is taken with the next cycle but starts
 * none: neither a driver that is faster than the period nor one that catches up after a stall
 * drives the cycle beyond its rate. Leaves room for stamps that jitter by .15 of a period. */
static const double EARLY_SHARE = 0.7, PACE_SHARE = 0.8;

/* A driver that writes all the time is looked at so many times a period. */
enum { LOOKS_A_PERIOD = 8 };

/* While frames come too late to start cycles, the instant falls back towards them by this part of a
 * period a cycle. */
enum { SLEW_PARTS = 8 };

/* When and why a cycle runs. */
struct turn {
  int64_t woken_ns; /* CLOCK_MONOTONIC instant of running again */
  int64_t start_ns; /* the instant at which it should have: what lateness is measured from */
  bool framed;      /* a new joints frame is there */
};

struct cycle {
  struct cycle_settings settings;
  int64_t period_ns;
  struct cycle_parts parts;
  pthread_t thread;
  bool running;                       /* the thread exists; the main thread's */
  _Atomic bool ready;                 /* the thread has warmed up */
  _Atomic bool stopping;              /* asked to end */
  _Atomic(struct pipeline *) offered; /* to be swapped in; NULL: none, or being taken */
  _Atomic(struct pipeline *) in_use;
  int64_t due_ns;   /* the next turn comes at the latest now */
  int64_t lag_ns;   /* from the sampling of a joints frame to running on it, as last seen */
  int64_t paced_ns; /* when the next cycle may start by PACE_SHARE */
  int64_t t_ns;     /* instant of the last estimate */
  struct overload overload;
  struct cycle_latest latest;
};

enum status cycle_init(struct cycle **cycle, const struct cycle_settings *settings, double period_s,
                       const struct cycle_parts *parts, struct arena *arena) {
  if (!(period_s > 0.0)) {
    return STATUS_BAD_ARGUMENT;
  }
  struct cycle *made = ARENA_ARRAY(arena, struct cycle, 1);
  if (arena_is_counting(arena)) {
    return STATUS_OK;
  }
  if (made == NULL) {
    return STATUS_NO_MEMORY;
  }
  made->settings = *settings;
  made->period_ns = llround(period_s * 1e9);
  made->parts = *parts;
  overload_init(&made->overload, period_s);
  made->parts.input->pace_ns = made->period_ns / LOOKS_A_PERIOD;
  atomic_init(&made->in_use, parts->pipeline);
  *cycle = made;
  return STATUS_OK;
}

/* Between two cycles: another pipeline, another segment. */
static void take_what_was_offered(struct cycle *c) {
  struct pipeline *next = NULL;
  c->latest.swapped = false;
  if (atomic_load_explicit(&c->offered, memory_order_relaxed) != NULL) {
    next = atomic_exchange(&c->offered, NULL);
  }
  if (next != NULL) {
    pipeline_adopt(next, atomic_load(&c->in_use));
    counter_increment(&c->parts.diagnostics->swapped);
    atomic_store(&c->in_use, next);
    c->latest.swapped = true;
  }
  sensor_input_attach(c->parts.input, segment_keeper_current(c->parts.keeper));
}

/* Counts how late we run, when we did sleep before. A frame that came while the last cycle was
 * still at work waits for that reason, and is not counted against the wake-up. */
static void count_wakeup(struct cycle *c, const struct turn *turn, int64_t slept_ns) {
  if (turn->start_ns >= slept_ns) {
    histogram_add(&c->parts.diagnostics->wakeup, turn->woken_ns - turn->start_ns);
  }
}

/* Sleeps until the next instant or the next frame. */
static struct turn sleep_until_turn(struct cycle *c) {
  struct turn turn = {.start_ns = c->due_ns};
  struct sensor_input *input = c->parts.input;
  const int64_t slept_ns = clock_now_ns();
  sensor_input_begin(input);
  if (c->settings.trigger == CYCLE_ON_TIMER) {
    sleep_until(c->due_ns);
  } else {
    const double ahead = PACE_SHARE - EARLY_SHARE;
    turn.framed =
        sensor_input_wait(input, c->paced_ns - (int64_t)(ahead * (double)c->period_ns), c->due_ns);
  }
  turn.woken_ns = clock_now_ns();
  if (turn.framed) {
    turn.start_ns = input->reader[PROPRIOD_SHM_JOINTS].head.commit_ns;
  }
  count_wakeup(c, &turn, slept_ns);
  return turn;
}

/* How long ago this cycle's instant is: on a frame, since its joints were sampled; without one, as
 * long as with the last frame, so that predictions go on where frames left off. When frames come
 * later than they used to, they are followed slowly. */
static void update_lag(struct cycle *c, const struct turn *turn, const struct sensor_frame *frame) {
  const int64_t lag_ns = turn->woken_ns - frame->joints.stamp.t_ns;
  if (turn->framed) {
    c->lag_ns = lag_ns;
  } else if (frame->joints.stamp.fresh && lag_ns > c->lag_ns) {
    const int64_t slew_ns = c->period_ns / SLEW_PARTS;
    c->lag_ns += lag_ns - c->lag_ns < slew_ns ? lag_ns - c->lag_ns : slew_ns;
  }
}

/* The instant that this cycle's estimate is for: on the timer, the instant of its turn; on a
 * frame, when its joints were sampled; without one, when they would have been. Always later than
 * the last. */
static int64_t instant_of(struct cycle *c, const struct turn *turn,
                          const struct sensor_frame *frame) {
  int64_t t_ns = turn->start_ns;
  if (c->settings.trigger == CYCLE_ON_FRAME) {
    update_lag(c, turn, frame);
    t_ns = turn->framed ? frame->joints.stamp.t_ns : turn->start_ns - c->lag_ns;
  }
  if (t_ns <= c->t_ns) {
    t_ns = c->t_ns + c->period_ns / LEAST_STEP_PARTS;
    counter_increment(&c->parts.diagnostics->clamped);
  }
  c->t_ns = t_ns;
  const int64_t paced_ns = c->paced_ns > t_ns ? c->paced_ns : t_ns;
  c->paced_ns = paced_ns + (int64_t)(PACE_SHARE * (double)c->period_ns);
  return t_ns;
}

/* Sets the next turn. What has passed meanwhile is left out, so that the phase is kept and nothing
 * is run in a burst to catch up. */
static void set_next_turn(struct cycle *c, const struct turn *turn, int64_t now_ns) {
  struct diagnostics *d = c->parts.diagnostics;
  const int64_t begun_ns = turn->framed ? turn->woken_ns : turn->start_ns;
  c->due_ns = turn->framed ? turn->woken_ns + CYCLE_TIMEOUT_PERIODS * c->period_ns
                           : c->due_ns + c->period_ns;
  const bool overran = now_ns - begun_ns > c->period_ns;
  if (overran) {
    counter_increment(&d->overruns);
  }
  overload_step(&c->overload, overran);
  if (now_ns >= c->due_ns) {
    const int64_t passed = (now_ns - c->due_ns) / c->period_ns + 1;
    c->due_ns += passed * c->period_ns;
    counter_add(&d->skipped, (uint64_t)passed);
  }
}

void cycle_degrade(struct estimates *estimates) {
  if (estimates->state.status == PROPRIOD_STATUS_OK) {
    estimates->state.status = PROPRIOD_STATUS_DEGRADED;
  }
  if (estimates->centroidal.status == PROPRIOD_STATUS_OK) {
    estimates->centroidal.status = PROPRIOD_STATUS_DEGRADED;
  }
}

static struct world_origin world_of(struct cycle *c, const struct cycle_result *result) {
  const struct pipeline *pipeline = atomic_load_explicit(&c->in_use, memory_order_relaxed);
  return c->parts.world == NULL ? (struct world_origin){0.0, 0.0, 0.0}
                                : world_keeper_step(c->parts.world, &result->estimates.state,
                                                    pipeline_counters(pipeline)->resets);
}

static void hand_over(struct cycle *c, struct cycle_result *result) {
  result->origin = world_of(c, result);
  c->latest.overloaded = c->overload.lasts;
  if (c->overload.lasts) {
    cycle_degrade(&result->estimates);
    counter_increment(&c->parts.diagnostics->overloaded);
  }
  if (!handover_commit(c->parts.handover, clock_now_ns())) {
    counter_increment(&c->parts.diagnostics->dropped);
  }
  if (c->parts.hook.call != NULL) {
    c->parts.hook.call(c->parts.hook.context,
                       atomic_load_explicit(&c->in_use, memory_order_relaxed), result);
  }
}

static void count_cycle(struct cycle *c, const struct turn *turn, const struct sensor_frame *frame,
                        int64_t now_ns) {
  struct diagnostics *d = c->parts.diagnostics;
  counter_increment(&d->cycles);
  if (!frame->joints.stamp.fresh) {
    counter_increment(&d->predicted);
  }
  if (frame->joints.stamp.present) {
    histogram_add(&d->age, now_ns - frame->joints.stamp.t_ns);
  }
  histogram_add(&d->busy, now_ns - turn->woken_ns);
}

/* Sleep until the next instant or the next frame; take one consistent frame; step the pipeline;
 * hand the result over; count how late we were. */
static void run_cycle(struct cycle *c) {
  take_what_was_offered(c);
  const struct turn turn = sleep_until_turn(c);
  struct sensor_frame *frame = sensor_input_take(c->parts.input, turn.woken_ns);
  const int64_t taken_ns = clock_now_ns();
  frame->t_ns = instant_of(c, &turn, frame);
  c->latest.frame = frame;
  c->latest.woken_ns = turn.woken_ns;
  struct cycle_result *result = handover_begin(c->parts.handover);
  pipeline_step(atomic_load_explicit(&c->in_use, memory_order_relaxed), frame, &result->estimates);
  hand_over(c, result);
  const int64_t now_ns = clock_now_ns();
  histogram_add(&c->parts.diagnostics->input, taken_ns - turn.woken_ns);
  count_cycle(c, &turn, frame, now_ns);
  set_next_turn(c, &turn, now_ns);
}

static void *run(void *argument) {
  struct cycle *c = argument;
  pthread_setname_np(pthread_self(), "cycle");
  realtime_warm_up();
  sensor_input_attach(c->parts.input, segment_keeper_current(c->parts.keeper));
  c->due_ns = clock_now_ns() + CYCLE_TIMEOUT_PERIODS * c->period_ns;
  atomic_store(&c->ready, true);
  while (!atomic_load_explicit(&c->stopping, memory_order_relaxed)) {
    run_cycle(c);
  }
  segment_keeper_let_go(c->parts.keeper);
  return NULL;
}

/* The main thread's waits for the cycle: short sleeps, since waking it would be a system call
 * there. */
static void sleep_a_moment(void) {
  sleep_until(clock_now_ns() + NS_PER_MS / 2);
}

enum status cycle_start(struct cycle *cycle, struct message *note) {
  atomic_store(&cycle->stopping, false);
  atomic_store(&cycle->ready, false);
  const enum status status =
      realtime_thread_start(&cycle->thread, &cycle->settings.realtime, run, cycle, note);
  if (status != STATUS_OK) {
    return status;
  }
  cycle->running = true;
  while (!atomic_load(&cycle->ready)) {
    sleep_a_moment();
  }
  granted_look(cycle->thread, &cycle->settings.realtime, cycle->parts.diagnostics);
  return STATUS_OK;
}

const struct cycle_latest *cycle_latest(const struct cycle *cycle) {
  return &cycle->latest;
}

bool cycle_swap(struct cycle *cycle, struct pipeline *next, int64_t timeout_ns) {
  if (!cycle->running) {
    atomic_store(&cycle->in_use, next);
    return true;
  }
  const int64_t deadline_ns = clock_now_ns() + timeout_ns;
  atomic_store(&cycle->offered, next);
  while (atomic_load(&cycle->in_use) != next) {
    struct pipeline *expected = next;
    if (clock_now_ns() > deadline_ns &&
        atomic_compare_exchange_strong(&cycle->offered, &expected, NULL)) {
      return false; /* taken back before the cycle saw it */
    }
    sleep_a_moment();
  }
  return true;
}

void cycle_stop(struct cycle *cycle) {
  if (cycle->running) {
    atomic_store(&cycle->stopping, true);
    pthread_join(cycle->thread, NULL);
    cycle->running = false;
  }
}
