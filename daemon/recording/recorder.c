#include "recording/recorder.h"

#include "common/clock.h"
#include "recording/cycle_ring.h"
#include "recording/flight_record.h"
#include "recording/part_series.h"
#include "recording/request_box.h"
#include "recording/result_digest.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#define TURN_NS (20 * NS_PER_MS) /* the thread looks at the ring so often */
#define MIB     ((uint64_t)1 << 20)

enum { FOLDER_MODE = 0750, STACK = 512 * 1024 };

struct recorder {
  struct record_settings settings;
  char folder[RECORD_FOLDER_SIZE], flight_folder[RECORD_FOLDER_SIZE];
  struct recording_header header;
  struct log *log;

  /* the cycle's */
  struct cycle_ring ring;
  struct digest_plan digest;
  uint32_t generation; /* in use */
  uint64_t choices;    /* of cells, that have been taken */
  uint64_t resets;
  bool resets_known;

  /* shared */
  struct request_box requests;
  pthread_mutex_t lock;    /* over what follows up to `thread` */
  struct kept_texts fresh; /* texts that the thread has not taken yet */
  struct recorder_counters counters;
  struct event_queue events;
  _Atomic uint64_t heartbeat;
  _Atomic bool end;
  pthread_t thread;
  bool running;

  /* the thread's */
  struct kept_texts texts;
  struct flight_record flight;
  struct part_series recording;
  bool records;
  int64_t synced_ns;
  struct recorder_counters own;
};

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
  if (r->settings.results) {
    cycle->flags |= CYCLE_HAS_RESULT;
    cycle->result = result;
  }
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

/* -- the thread: files ------------------------------------------------------------------------ */

static bool make_folder(const char *folder) {
  return mkdir(folder, FOLDER_MODE) == 0 || errno == EEXIST;
}

static void set_clock(struct recorder *r) {
  struct timespec wall;
  clock_gettime(CLOCK_REALTIME, &wall);
  r->header.wall_ns = wall.tv_sec * NS_PER_S + wall.tv_nsec - clock_now_ns();
}

static void complain(struct recorder *r, const struct message *error) {
  log_line(r->log, LOG_LEVEL_WARNING, "record", "cycles are not recorded: %s", error->text);
}

/* -- the thread: requests --------------------------------------------------------------------- */

static const char bad_name[] = "%s: a name has letters, digits, dots, - and _, and no dot first";

static bool start_recording(struct recorder *r, const char *name, struct message *text) {
  char stem[PART_PATH_SIZE - 16];
  const bool is_name = record_path(r->folder, name, "propriod", stem, sizeof(stem));
  if (r->records) {
    message_set(text, "a recording is being made: %s-%u.rec", r->recording.stem,
                r->recording.header.part);
    return false;
  }
  if (!is_name) {
    message_set(text, bad_name, name);
    return false;
  }
  if (!make_folder(r->folder)) {
    message_set(text, "%s: %s", r->folder, strerror(errno));
    return false;
  }
  char first[PART_PATH_SIZE];
  snprintf(first, sizeof(first), "%s-1.rec", stem);
  if (access(first, F_OK) == 0) {
    message_set(text, "%s: %s", first, strerror(EEXIST));
    return false;
  }
  const struct part_limits limits = {.part_bytes = (uint64_t)r->settings.part_mib * MIB,
                                     .part_ns = (int64_t)(r->settings.part_s * 1e9),
                                     .all_bytes = (uint64_t)r->settings.keep_mib * MIB};
  set_clock(r);
  part_series_begin(&r->recording, stem, &r->header, r->settings.level, &limits, &r->texts);
  r->records = true;
  message_set(text, "recording to %s", first);
  return true;
}

/* What the recordings so far came to. */
static void count_recording(const struct recorder *r, struct recorder_counters *counters) {
  const struct recording_written written = part_series_written(&r->recording);
  counters->cycles += written.cycles;
  counters->bytes += written.bytes;
  counters->lost += written.lost;
  counters->lost_blocks += written.lost_blocks;
}

static bool stop_recording(struct recorder *r, struct message *text) {
  if (!r->records) {
    message_set(text, "no recording is being made");
    return false;
  }
  part_series_close(&r->recording);
  const struct recording_written written = part_series_written(&r->recording);
  count_recording(r, &r->own);
  r->records = false;
  message_set(text, "%s-1.rec%s: %llu cycles, %.1f MB (%.1f MB before compression), %llu lost",
              r->recording.stem, r->recording.header.part > 1 ? " and further parts" : "",
              (unsigned long long)written.cycles, (double)written.bytes * 1e-6,
              (double)written.raw_bytes * 1e-6, (unsigned long long)written.lost);
  return written.lost == 0;
}

static void add_event(struct recorder *r, const struct event *event) {
  if (r->records) {
    part_series_event(&r->recording, event);
  }
  part_series_event(&r->flight.series, event);
}

static bool mark(struct recorder *r, const char *words, struct message *text) {
  struct event event = {.t_ns = clock_now_ns(), .severity = EVENT_INFO, .kind = "mark"};
  snprintf(event.text, sizeof(event.text), "%s", words);
  if (!r->records && !r->flight.flies) {
    message_set(text, "nothing is being recorded");
    return false;
  }
  add_event(r, &event);
  message_set(text, "marked");
  return true;
}

static void report(struct recorder *r, struct message *text) {
  struct recorder_counters c = r->own;
  if (r->records) {
    count_recording(r, &c);
  }
  message_set(text,
              "%s; %llu cycles recorded, %.1f MB, %llu lost, %llu found the buffer full; flight "
              "record %.0f s, saved %llu times",
              r->records ? r->recording.stem : "no recording is being made",
              (unsigned long long)c.cycles, (double)c.bytes * 1e-6, (unsigned long long)c.lost,
              (unsigned long long)atomic_load(&r->ring.full), flight_record_length(&r->flight),
              (unsigned long long)r->flight.saved);
}

/* False: the answer comes later. */
static bool act(struct recorder *r, const char *words, bool *ok, struct message *text) {
  const char *blank = strchr(words, ' ');
  const char *rest = blank != NULL ? blank + 1 : "";
  if (strncmp(words, "start", 5) == 0 && (words[5] == '\0' || words[5] == ' ')) {
    *ok = start_recording(r, rest, text);
  } else if (strcmp(words, "stop") == 0) {
    *ok = stop_recording(r, text);
  } else if (strncmp(words, "mark ", 5) == 0) {
    *ok = mark(r, rest, text);
  } else if (strcmp(words, "status") == 0) {
    report(r, text);
    *ok = true;
  } else if (strcmp(words, "save") == 0 || strncmp(words, "save ", 5) == 0) {
    char path[PART_PATH_SIZE];
    *ok = false;
    if (!record_path(r->folder, rest, "flight", path, sizeof(path))) {
      message_set(text, bad_name, rest);
    } else if (!flight_record_ask(&r->flight, rest)) {
      message_set(text, "the flight record is just being saved (%s)", r->flight.cause);
    } else {
      return false;
    }
  } else {
    message_set(text, "there are start [NAME], stop, mark TEXT, save [NAME], status");
    *ok = false;
  }
  return true;
}

static void look_at_request(struct recorder *r) {
  char words[REQUEST_WORDS_SIZE];
  struct message text = {""};
  bool ok = false;
  if (request_box_take(&r->requests, words) && act(r, words, &ok, &text)) {
    request_box_answer(&r->requests, ok, &text);
  }
}

/* -- the thread ------------------------------------------------------------------------------- */

static void take_texts(struct recorder *r) {
  pthread_mutex_lock(&r->lock);
  struct kept_texts fresh = r->fresh;
  r->fresh.n = 0;
  pthread_mutex_unlock(&r->lock);
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

static void take_cycles(struct recorder *r) {
  const struct recorded_cycle *cycle;
  struct message error;
  while ((cycle = cycle_ring_oldest(&r->ring)) != NULL) {
    if (r->records && part_series_cycle(&r->recording, cycle, &error) != STATUS_OK) {
      complain(r, &error);
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
    add_event(r, &event);
  }
}

/* Once a second the disk has what was recorded. */
static void sync_now_and_then(struct recorder *r, int64_t now_ns) {
  if (r->records && r->recording.writer != NULL && now_ns - r->synced_ns >= NS_PER_S) {
    r->synced_ns = now_ns;
    if (recording_sync(r->recording.writer) != STATUS_OK) {
      struct message error;
      message_set(&error, "%s: %s", r->recording.stem, strerror(errno));
      complain(r, &error);
    }
  }
}

static void show_counters(struct recorder *r) {
  struct recorder_counters counters = r->own;
  if (r->records) {
    count_recording(r, &counters);
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
  look_at_request(r);
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
  set_clock(r);
  flight_record_begin(&r->flight, &plan, &r->header, &r->texts);
}

static void *run(void *argument) {
  struct recorder *r = argument;
  struct message text;
  pthread_setname_np(pthread_self(), "recorder");
  take_texts(r);
  begin_flight(r);
  if (r->settings.start && !start_recording(r, "", &text)) {
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
      stop_recording(r, &text);
    }
    flight_record_end(&r->flight);
  }
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
