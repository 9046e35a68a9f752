#include "recording/recorder_core.h"

#include "common/clock.h"
#include "recording/mcap_leftover.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#define TURN_NS (20 * NS_PER_MS) /* the thread looks at the ring so often */

enum { STACK = 512 * 1024 };

/* -- at the start ----------------------------------------------------------------------------- */

enum status recorder_init(struct recorder **recorder, const struct recorder_plan *plan,
                          struct arena *arena) {
  struct recorder unmade;
  struct recorder *r = ARENA_ARRAY(arena, struct recorder, 1);
  const enum status status = cycle_ring_init(r != NULL ? &r->ring : &unmade.ring, plan->count,
                                             (size_t)plan->settings->buffer_mib * MIB, arena);
  if (status != STATUS_OK || arena_is_counting(arena)) {
    return status;
  }
  if (r == NULL) {
    return STATUS_NO_MEMORY;
  }
  r->settings = *plan->settings;
  snprintf(r->folder, sizeof(r->folder), "%s", plan->folder);
  snprintf(r->flight_folder, sizeof(r->flight_folder), "%s", plan->flight_folder);
  memcpy(r->header.count, plan->count, sizeof(plan->count));
  r->header.model_hash = plan->model_hash;
  r->log = plan->log;
  r->generation = 1;
  if (getrandom(&r->header.session, sizeof(r->header.session), GRND_NONBLOCK) < 0) {
    r->header.session = (uint64_t)clock_now_ns();
  }
  pthread_mutex_init(&r->lock, NULL);
  request_box_init(&r->requests);
  event_queue_init(&r->events);
  digest_plan_init(&r->digest);
  *recorder = r;
  return STATUS_OK;
}

void recorder_text(struct recorder *r, uint32_t generation, const char *name, const void *bytes,
                   size_t size) {
  pthread_mutex_lock(&r->lock);
  kept_texts_add(&r->fresh, generation, name, bytes, size);
  pthread_mutex_unlock(&r->lock);
}

void recorder_robot(struct recorder *r, uint32_t generation, struct robot *robot) {
  pthread_mutex_lock(&r->lock);
  struct robot *old = r->fresh_robot;
  r->fresh_robot = robot;
  r->fresh_generation = generation;
  pthread_mutex_unlock(&r->lock);
  robot_destroy(old);
}

struct event_queue *recorder_events(struct recorder *r) {
  return &r->events;
}

/* -- from the cycle --------------------------------------------------------------------------- */

/* What was published beside what was taken. */
static void add_result(struct recorder *r, struct recorded_cycle *cycle,
                       const struct estimates *result) {
  const struct propriod_state *state = &result->state;
  cycle->flags |= CYCLE_HAS_DIGEST | cycle_status_bits((enum propriod_status)state->status);
  cycle->flags |= r->resets_known && state->resets != r->resets ? CYCLE_RESET : 0;
  cycle->flags |= state->seq == 1 ? CYCLE_FIRST : 0;
  r->resets = state->resets;
  r->resets_known = true;
  cycle->digest = result_digest(&r->digest, result);
  cycle->flags |= r->settings.results ? CYCLE_HAS_RESULT : 0;
  cycle->result = r->settings.results || r->settings.mcap ? result : NULL;
}

void recorder_take(struct recorder *r, const struct cycle_latest *latest,
                   const struct recorder_beside *beside, const struct estimates *result) {
  struct recorded_cycle cycle = {.frame = *latest->frame,
                                 .woken_ns = latest->woken_ns,
                                 .flags = (latest->swapped ? CYCLE_SWAPPED : 0) |
                                          (latest->overloaded ? CYCLE_OVERLOADED : 0) |
                                          (beside->forgot ? CYCLE_FORGOT : 0)};
  for (unsigned kind = 0; kind < PROPRIOD_SHM_STREAMS; kind++) {
    cycle.arrival_ns[kind] = beside->input->reader[kind].head.commit_ns;
  }
  r->generation += latest->swapped ? 1 : 0;
  cycle.generation = r->generation;
  if (beside->chooser->adopted != r->choices) {
    r->choices = beside->chooser->adopted;
    cycle.flags |= CYCLE_CHOSE;
    cycle.chosen = beside->chooser->wanted;
  }
  add_result(r, &cycle, result);
  cycle_ring_put(&r->ring, &cycle);
}

/* -- the thread ------------------------------------------------------------------------------- */

void recorder_complain(struct recorder *r, const char *what, const struct message *error) {
  log_line(r->log, LOG_LEVEL_WARNING, "record", "%s: %s", what, error->text);
}

static void complain(struct recorder *r, const struct message *error) {
  recorder_complain(r, "cycles are not recorded", error);
}

static void take_texts(struct recorder *r) {
  pthread_mutex_lock(&r->lock);
  struct kept_texts fresh = r->fresh;
  r->fresh.n = 0;
  struct robot *robot = r->fresh_robot;
  const uint32_t generation = r->fresh_generation;
  r->fresh_robot = NULL;
  pthread_mutex_unlock(&r->lock);
  if (robot != NULL) {
    mcap_beside_robot(&r->mcap, generation, robot);
  }
  for (size_t i = 0; i < fresh.n; i++) {
    const struct kept_text *text = &fresh.text[i];
    kept_texts_add(&r->texts, text->generation, text->name, text->bytes, text->size);
    if (r->records) {
      part_series_text(&r->recording, text->generation, text->name, text->bytes, text->size);
    }
    part_series_text(&r->flight.series, text->generation, text->name, text->bytes, text->size);
  }
  kept_texts_free(&fresh);
}

/* Into the part that is open, and the MCAP file beside it. */
static void record_cycle(struct recorder *r, const struct recorded_cycle *cycle) {
  struct message error;
  if (mcap_beside_turns(&r->mcap, cycle)) {
    part_series_close(&r->recording);
  }
  if (part_series_cycle(&r->recording, cycle, &error) != STATUS_OK) {
    complain(r, &error);
  }
  if (r->settings.mcap &&
      mcap_beside_cycle(&r->mcap, &r->recording, cycle, cycle_ring_is_half_full(&r->ring),
                        &error) != STATUS_OK) {
    recorder_complain(r, "no MCAP file", &error);
  }
}

static void take_cycles(struct recorder *r) {
  const struct recorded_cycle *cycle;
  struct message error;
  while ((cycle = cycle_ring_oldest(&r->ring)) != NULL) {
    if ((cycle->flags & CYCLE_SWAPPED) != 0) {
      take_texts(r); /* of the generation that begins here */
    }
    if (r->records) {
      record_cycle(r, cycle);
    }
    if (flight_record_cycle(&r->flight, cycle, &error) != STATUS_OK) {
      complain(r, &error);
    }
    cycle_ring_release(&r->ring);
  }
}

static void take_events(struct recorder *r) {
  struct event event;
  for (int i = 0; i < EVENT_QUEUE && event_take(&r->events, &event); i++) {
    recorder_add_event(r, &event);
  }
}

/* Once a second the disk has what was recorded. */
static void sync_now_and_then(struct recorder *r, int64_t now_ns) {
  if (r->records && r->recording.open && now_ns - r->synced_ns >= NS_PER_S) {
    r->synced_ns = now_ns;
    if (!part_series_sync(&r->recording)) {
      struct message error;
      message_set(&error, "%s: %s", r->recording.stem, strerror(errno));
      complain(r, &error);
    }
  }
}

static void show_counters(struct recorder *r) {
  struct recorder_counters counters = r->own;
  if (r->records) {
    recorder_count_recording(r, &counters);
  }
  counters.running = r->records;
  counters.saved = r->flight.saved;
  counters.flight_s = flight_record_length(&r->flight);
  counters.left_out = atomic_load_explicit(&r->ring.full, memory_order_relaxed);
  pthread_mutex_lock(&r->lock);
  r->counters = counters;
  pthread_mutex_unlock(&r->lock);
}

static void turn(struct recorder *r) {
  const int64_t now_ns = clock_now_ns();
  struct message text;
  bool ok;
  take_texts(r);
  take_cycles(r);
  take_events(r);
  recorder_look_at_request(r);
  if (flight_record_step(&r->flight, now_ns, &ok, &text)) {
    request_box_answer(&r->requests, ok, &text);
  }
  sync_now_and_then(r, now_ns);
  show_counters(r);
  atomic_fetch_add_explicit(&r->heartbeat, 1, memory_order_relaxed);
}

static void begin_flight(struct recorder *r) {
  struct flight_plan plan = {.length_s = r->settings.flight_s,
                             .size_mib = r->settings.flight_mib,
                             .compressed = r->settings.level > 0,
                             .log = r->log};
  snprintf(plan.folder, sizeof(plan.folder), "%s", r->flight_folder);
  snprintf(plan.saved_folder, sizeof(plan.saved_folder), "%s", r->folder);
  recorder_set_clock(r);
  flight_record_begin(&r->flight, &plan, &r->header, &r->texts);
}

static void *run(void *argument) {
  struct recorder *r = argument;
  struct message text;
  pthread_setname_np(pthread_self(), "recorder");
  take_texts(r);
  begin_flight(r);
  mcap_leftovers_clear(r->folder, r->log);
  if (r->settings.start && !recorder_start_recording(r, "", &text)) {
    complain(r, &text);
  }
  while (!atomic_load_explicit(&r->end, memory_order_relaxed)) {
    turn(r);
    sleep_until(clock_now_ns() + TURN_NS);
  }
  turn(r);
  return NULL;
}

enum status recorder_start(struct recorder *r, struct message *error) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, STACK);
  const int failed = pthread_create(&r->thread, &attributes, run, r);
  pthread_attr_destroy(&attributes);
  if (failed != 0) {
    message_set(error, "recorder thread: %s", strerror(failed));
    return STATUS_REFUSED;
  }
  r->running = true;
  return STATUS_OK;
}

void recorder_stop(struct recorder *r) {
  struct message text;
  if (r == NULL) {
    return;
  }
  if (r->running) {
    atomic_store(&r->end, true);
    pthread_join(r->thread, NULL);
    r->running = false;
    if (r->records) {
      recorder_stop_recording(r, &text);
    }
    flight_record_end(&r->flight);
  }
  mcap_beside_free(&r->mcap);
  robot_destroy(r->fresh_robot);
  kept_texts_free(&r->texts);
  kept_texts_free(&r->fresh);
}

/* -- from the main thread --------------------------------------------------------------------- */

bool recorder_ask(struct recorder *r, const char *words) {
  return request_box_ask(&r->requests, words);
}

bool recorder_answer(struct recorder *r, char words[REQUEST_WORDS_SIZE], bool *ok,
                     struct message *text) {
  return request_box_hear(&r->requests, words, ok, text);
}

struct recorder_counters recorder_counters(struct recorder *r) {
  pthread_mutex_lock(&r->lock);
  const struct recorder_counters counters = r->counters;
  pthread_mutex_unlock(&r->lock);
  return counters;
}

uint64_t recorder_heartbeat(const struct recorder *r) {
  return atomic_load_explicit(&((struct recorder *)(uintptr_t)r)->heartbeat, memory_order_relaxed);
}
