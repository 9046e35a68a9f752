#include "recording/recorder.h"

#include "common/clock.h"
#include "recording/cycle_ring.h"
#include "recording/part_joiner.h"
#include "recording/part_series.h"
#include "recording/result_digest.h"

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define TURN_NS      (20 * NS_PER_MS) /* the thread looks at the ring so often */
#define AFTERMATH_NS (2 * NS_PER_S)   /* what follows a fault is saved, too */
#define CALM_NS      (60 * NS_PER_S)  /* between two saves that nobody asked for */
#define JOIN_BYTES   (8u << 20)       /* copied a turn */
#define MIB          ((uint64_t)1 << 20)

enum { FLIGHT_PARTS = 6, FOLDER_MODE = 0750, STACK = 512 * 1024 };

/* A request on its way from the main thread and back. */
struct request {
  char words[RECORD_WORDS_SIZE];
  char answer[MESSAGE_SIZE + PART_PATH_SIZE];
  bool asked, answered, ok;
};

/* Why the flight record is to be saved, and when. */
struct cause {
  char name[RECORD_WORDS_SIZE]; /* "": there is none */
  int64_t due_ns, last_ns;      /* of the save; of the last one that nobody asked for */
  bool requested;               /* its request waits for the answer */
};

struct recorder {
  struct record_settings settings;
  char folder[RECORD_FOLDER_SIZE], flight_folder[RECORD_FOLDER_SIZE];
  struct recording_header header;
  struct log *log;

  /* the cycle's */
  struct cycle_ring ring;
  struct digest_plan digest;
  uint64_t resets;
  bool resets_known;

  /* shared */
  pthread_mutex_t lock; /* over what follows up to `thread` */
  struct request request;
  struct kept_texts fresh; /* texts that the thread has not taken yet */
  struct recorder_counters counters;
  struct event_queue events;
  _Atomic uint64_t heartbeat;
  _Atomic bool end;
  pthread_t thread;
  bool running;

  /* the thread's */
  struct kept_texts texts;
  struct part_series flight, recording;
  bool flies, records;
  struct part_joiner joiner;
  struct cause cause;
  enum propriod_status status;
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
  if (getrandom(&r->header.session, sizeof(r->header.session), GRND_NONBLOCK) < 0) {
    r->header.session = (uint64_t)clock_now_ns();
  }
  pthread_mutex_init(&r->lock, NULL);
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

void recorder_cycle(struct recorder *r, struct recorded_cycle *cycle,
                    const struct estimates *result) {
  cycle->flags |= CYCLE_HAS_DIGEST | cycle_status_bits((enum propriod_status)result->state.status);
  cycle->flags |= r->resets_known && result->state.resets != r->resets ? CYCLE_RESET : 0;
  cycle->flags |= result->state.seq == 1 ? CYCLE_FIRST : 0;
  r->resets = result->state.resets;
  r->resets_known = true;
  cycle->digest = result_digest(&r->digest, result);
  if (r->settings.results) {
    cycle->flags |= CYCLE_HAS_RESULT;
    cycle->result = result;
  }
  cycle_ring_put(&r->ring, cycle);
}

/* -- the thread: files ------------------------------------------------------------------------ */

/* Time of day for a file's name. */
static void name_now(const char *prefix, const char *folder, char *name, size_t size) {
  const time_t now = time(NULL);
  struct tm day;
  char text[32];
  gmtime_r(&now, &day);
  strftime(text, sizeof(text), "%Y%m%dT%H%M%SZ", &day);
  snprintf(name, size, "%s/%s-%s", folder, prefix, text);
}

/* A name that a file may have in our folder. */
static bool is_name(const char *name) {
  return name[0] != '\0' && name[0] != '.' &&
         strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") ==
             strlen(name);
}

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

/* -- the thread: the flight record ------------------------------------------------------------ */

static void begin_flight(struct recorder *r) {
  const struct part_limits limits = {
      .part_bytes = (uint64_t)r->settings.flight_mib * MIB / FLIGHT_PARTS,
      .all_bytes = (uint64_t)r->settings.flight_mib * MIB * (FLIGHT_PARTS - 1) / FLIGHT_PARTS,
      .part_ns = (int64_t)(r->settings.flight_s * 1e9) / (FLIGHT_PARTS - 1),
      .all_ns = (int64_t)(r->settings.flight_s * 1e9)};
  char stem[PART_PATH_SIZE - 16];
  set_clock(r);
  snprintf(stem, sizeof(stem), "%s/flight-%d", r->flight_folder, (int)getpid());
  part_series_begin(&r->flight, stem, &r->header, r->settings.level > 0 ? 1 : 0, &limits,
                    &r->texts);
}

/* What was asked for as an answer, what came by itself as a line of the log. */
static void say_saved(struct recorder *r, bool ok, const char *text) {
  if (r->cause.requested) {
    pthread_mutex_lock(&r->lock);
    snprintf(r->request.answer, sizeof(r->request.answer), "%s", text);
    r->request.ok = ok;
    r->request.answered = true;
    pthread_mutex_unlock(&r->lock);
  }
  log_line(r->log, ok ? LOG_LEVEL_NOTICE : LOG_LEVEL_WARNING, "flight record", "%s%s (%s)",
           ok ? "the last minutes are kept in " : "the last minutes are not kept: ", text,
           r->cause.name);
  r->cause.requested = false;
  r->cause.name[0] = '\0';
}

/* The parts of the flight record become a file. */
static void begin_save(struct recorder *r) {
  char path[PART_PATH_SIZE];
  struct message error = {"no flight record is kept"};
  if (is_name(r->cause.name) && r->cause.requested) {
    snprintf(path, sizeof(path), "%.250s/%.60s.rec", r->folder, r->cause.name);
  } else {
    name_now(r->cause.name, r->folder, path, sizeof(path) - 8);
    strcat(path, ".rec");
  }
  part_series_close(&r->flight);
  const bool made = make_folder(r->folder);
  if (!r->flies || !made ||
      part_joiner_begin(&r->joiner, path, r->flight.part, r->flight.n_parts, &error) != STATUS_OK) {
    if (!made) {
      message_set(&error, "%s: %s", r->folder, strerror(errno));
    }
    say_saved(r, false, error.text);
  }
}

static void go_on_saving(struct recorder *r) {
  struct message error;
  char path[PART_PATH_SIZE];
  if (!r->joiner.busy) {
    return;
  }
  snprintf(path, sizeof(path), "%s", r->joiner.path);
  const enum status status = part_joiner_step(&r->joiner, JOIN_BYTES, &error);
  if (status != STATUS_STALE) {
    r->own.saved += status == STATUS_OK;
    say_saved(r, status == STATUS_OK, status == STATUS_OK ? path : error.text);
  }
}

/* A fault in the estimates is a cause, unless one has just been saved. */
static void look_for_causes(struct recorder *r, const struct recorded_cycle *cycle) {
  const enum propriod_status status = cycle_status(cycle->flags);
  const bool diverged = status == PROPRIOD_STATUS_DIVERGED && r->status != status;
  const bool reset = (cycle->flags & CYCLE_RESET) != 0;
  const int64_t now_ns = clock_now_ns();
  r->status = status;
  if ((!diverged && !reset) || r->cause.name[0] != '\0' || !r->flies ||
      (r->cause.last_ns != 0 && now_ns - r->cause.last_ns < CALM_NS)) {
    return;
  }
  snprintf(r->cause.name, sizeof(r->cause.name), "%s", diverged ? "diverged" : "reset");
  r->cause.due_ns = now_ns + AFTERMATH_NS;
  r->cause.last_ns = now_ns;
}

/* Parts that a daemon left which did not end by its own will: what was before that is in them. */
static void keep_what_was_left(struct recorder *r) {
  struct part found[PART_MOST];
  size_t n = 0;
  DIR *folder = opendir(r->flight_folder);
  for (const struct dirent *e; folder != NULL && (e = readdir(folder)) != NULL && n < PART_MOST;) {
    const size_t length = strlen(e->d_name);
    if (strncmp(e->d_name, "flight-", 7) == 0 && length > 4 &&
        strcmp(e->d_name + length - 4, ".rec") == 0) {
      found[n] = (struct part){.bytes = 0};
      snprintf(found[n].path, sizeof(found[n].path), "%.255s/%.60s", r->flight_folder, e->d_name);
      struct recording_head head = {.part = 0};
      FILE *file = fopen(found[n].path, "re");
      const size_t got = file != NULL ? fread(&head, sizeof(head), 1, file) : 0;
      if (file != NULL) {
        fclose(file);
      }
      found[n++].first_ns = got == 1 ? (int64_t)head.part : 0;
    }
  }
  if (folder != NULL) {
    closedir(folder);
  }
  /* in the order of their numbers */
  for (size_t i = 1; i < n; i++) {
    for (size_t k = i; k > 0 && found[k].first_ns < found[k - 1].first_ns; k--) {
      const struct part one = found[k];
      found[k] = found[k - 1];
      found[k - 1] = one;
    }
  }
  char path[PART_PATH_SIZE];
  struct message error = {""};
  name_now("ended", r->folder, path, sizeof(path) - 8);
  strcat(path, ".rec");
  if (n > 0 && make_folder(r->folder) &&
      part_joiner_begin(&r->joiner, path, found, n, &error) == STATUS_OK) {
    snprintf(r->cause.name, sizeof(r->cause.name), "an earlier daemon ended unasked");
    while (part_joiner_step(&r->joiner, JOIN_BYTES, &error) == STATUS_STALE) {
    }
    r->own.saved += error.text[0] == '\0';
    say_saved(r, error.text[0] == '\0', error.text[0] == '\0' ? path : error.text);
  }
  for (size_t i = 0; i < n; i++) {
    unlink(found[i].path);
  }
}

/* -- the thread: requests --------------------------------------------------------------------- */

static bool start_recording(struct recorder *r, const char *name, struct message *text) {
  char stem[PART_PATH_SIZE - 16];
  if (r->records) {
    message_set(text, "a recording is being made: %s-%u.rec", r->recording.stem,
                r->recording.header.part);
    return false;
  }
  if (name[0] != '\0' && !is_name(name)) {
    message_set(text, "%s: a name has letters, digits, dots, - and _, and no dot first", name);
    return false;
  }
  if (!make_folder(r->folder)) {
    message_set(text, "%s: %s", r->folder, strerror(errno));
    return false;
  }
  if (name[0] != '\0') {
    snprintf(stem, sizeof(stem), "%.230s/%.60s", r->folder, name);
  } else {
    name_now("propriod", r->folder, stem, sizeof(stem));
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
  if (r->flies) {
    part_series_event(&r->flight, event);
  }
}

static bool mark(struct recorder *r, const char *words, struct message *text) {
  struct event event = {.t_ns = clock_now_ns(), .severity = EVENT_INFO, .kind = "mark"};
  snprintf(event.text, sizeof(event.text), "%s", words);
  if (!r->records && !r->flies) {
    message_set(text, "nothing is being recorded");
    return false;
  }
  add_event(r, &event);
  message_set(text, "marked");
  return true;
}

static void report(const struct recorder *r, struct message *text) {
  struct recorder_counters c = r->own;
  if (r->records) {
    count_recording(r, &c);
  }
  message_set(text,
              "%s; %llu cycles recorded, %.1f MB, %llu lost, %llu found the buffer full; "
              "flight record %.0f s, saved %llu times",
              r->records ? r->recording.stem : "no recording is being made",
              (unsigned long long)c.cycles, (double)c.bytes * 1e-6, (unsigned long long)c.lost,
              (unsigned long long)atomic_load(&((struct recorder *)(uintptr_t)r)->ring.full),
              r->flies && r->flight.n_parts > 0
                  ? 1e-9 * (double)(r->flight.part[r->flight.n_parts - 1].last_ns -
                                    r->flight.part[0].first_ns)
                  : 0.0,
              (unsigned long long)c.saved);
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
  } else if (strcmp(words, "save") == 0 || (strncmp(words, "save ", 5) == 0 && is_name(rest))) {
    if (r->cause.name[0] != '\0' || r->joiner.busy) {
      message_set(text, "the flight record is just being saved (%s)", r->cause.name);
      *ok = false;
      return true;
    }
    snprintf(r->cause.name, sizeof(r->cause.name), "%s", rest[0] != '\0' ? rest : "flight");
    r->cause.due_ns = 0;
    r->cause.requested = true;
    return false;
  } else {
    message_set(text, "there are start [NAME], stop, mark TEXT, save [NAME], status");
    *ok = false;
  }
  return true;
}

static void look_at_request(struct recorder *r) {
  char words[RECORD_WORDS_SIZE];
  struct message text = {""};
  bool ok = false;
  pthread_mutex_lock(&r->lock);
  const bool asked = r->request.asked;
  r->request.asked = false;
  memcpy(words, r->request.words, sizeof(words));
  pthread_mutex_unlock(&r->lock);
  if (asked && act(r, words, &ok, &text)) {
    pthread_mutex_lock(&r->lock);
    snprintf(r->request.answer, sizeof(r->request.answer), "%s", text.text);
    r->request.ok = ok;
    r->request.answered = true;
    pthread_mutex_unlock(&r->lock);
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
    if (r->flies) {
      part_series_text(&r->flight, text->generation, text->name, text->bytes, text->size);
    }
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
    if (r->flies && part_series_cycle(&r->flight, cycle, &error) != STATUS_OK) {
      complain(r, &error);
    }
    r->own.flight += r->flies;
    look_for_causes(r, cycle);
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
  counters.left_out = atomic_load_explicit(&r->ring.full, memory_order_relaxed);
  pthread_mutex_lock(&r->lock);
  r->counters = counters;
  pthread_mutex_unlock(&r->lock);
}

static void turn(struct recorder *r) {
  const int64_t now_ns = clock_now_ns();
  take_texts(r);
  take_cycles(r);
  take_events(r);
  look_at_request(r);
  if (r->cause.name[0] != '\0' && !r->joiner.busy && now_ns >= r->cause.due_ns) {
    begin_save(r);
  }
  go_on_saving(r);
  sync_now_and_then(r, now_ns);
  show_counters(r);
  atomic_fetch_add_explicit(&r->heartbeat, 1, memory_order_relaxed);
}

static void *run(void *argument) {
  struct recorder *r = argument;
  struct message text;
  pthread_setname_np(pthread_self(), "recorder");
  take_texts(r);
  keep_what_was_left(r);
  r->flies = r->settings.flight_s > 0.0 && make_folder(r->flight_folder);
  if (r->flies) {
    begin_flight(r);
  }
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
    while (r->joiner.busy) {
      go_on_saving(r);
    }
    if (r->records) {
      stop_recording(r, &text);
    }
    part_series_remove(&r->flight);
  }
  kept_texts_free(&r->texts);
  kept_texts_free(&r->fresh);
}

/* -- from the main thread --------------------------------------------------------------------- */

bool recorder_ask(struct recorder *r, const char *words) {
  pthread_mutex_lock(&r->lock);
  const bool is_free = r->request.words[0] == '\0';
  if (is_free) {
    r->request = (struct request){.asked = true};
    snprintf(r->request.words, sizeof(r->request.words), "%s", words);
  }
  pthread_mutex_unlock(&r->lock);
  return is_free;
}

bool recorder_answer(struct recorder *r, char *words, size_t words_size, bool *ok, char *text,
                     size_t size) {
  pthread_mutex_lock(&r->lock);
  const bool answered = r->request.answered;
  if (answered) {
    *ok = r->request.ok;
    snprintf(words, words_size, "%s", r->request.words);
    snprintf(text, size, "%s\n", r->request.answer);
    r->request = (struct request){.asked = false};
  }
  pthread_mutex_unlock(&r->lock);
  return answered;
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
