#include "learned/learned_store.h"

#include "common/clock.h"
#include "learned/learned_file.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define FORGET_LOOK_NS (1 * NS_PER_MS) /* how often the cycle is looked at, and how long */
#define FORGET_WAIT_NS (1 * NS_PER_S)

enum status learned_store_init(struct learned_store *store, const char *folder, double period_s,
                               struct log *log, struct arena *arena) {
  struct learned_inertia *newest = ARENA_ARRAY(arena, struct learned_inertia, TRIPLE_BUFFERS);
  if (arena_is_counting(arena)) {
    return STATUS_OK;
  }
  if (arena->failed) {
    return STATUS_NO_MEMORY;
  }
  *store = (struct learned_store){
      .log = log, .newest = newest, .every = (unsigned)fmax(1.0, round(1.0 / period_s))};
  snprintf(store->folder, sizeof(store->folder), "%s", folder);
  triple_buffer_init(&store->buffer);
  pthread_mutex_init(&store->saving, NULL);
  sem_init(&store->end, 0, 0);
  return STATUS_OK;
}

bool learned_store_recall(const struct learned_store *store, struct pipeline *pipeline,
                          struct learned_inertia *learned) {
  if (inertial_estimator_filter(pipeline_inertial(pipeline)) == NULL) {
    return false;
  }
  struct message error = {.text = ""};
  enum status status = learned_load(store->folder, learned, &error);
  if (status == STATUS_OK) {
    if (error.text[0] != '\0') {
      log_line(store->log, LOG_LEVEL_WARNING, "learned", "%s; an older one is taken", error.text);
    }
    status = learned_give(learned, pipeline, &error);
  }
  if (status == STATUS_OK) {
    log_line(store->log, LOG_LEVEL_NOTICE, "learned",
             "inertial parameters of %u links are as learned", learned->n_links);
  } else if (status != STATUS_STALE) {
    log_line(store->log, LOG_LEVEL_WARNING, "learned",
             "learned inertial parameters are not used: %s; the model's are", error.text);
  }
  return status == STATUS_OK;
}

/* -- from the cycle --------------------------------------------------------------------------- */

/* Hands over what the filter knows when it is time and something has changed. */
static void hand_over(struct learned_store *store, struct pipeline *pipeline) {
  if (++store->cycles < store->every) {
    return;
  }
  if (learned_busy(pipeline)) {
    return; /* looks again next cycle */
  }
  store->cycles = 0;
  struct learned_inertia *learned = &store->newest[store->buffer.back];
  if (!learned_take(pipeline, learned)) {
    return;
  }
  if (learned->snapshot == store->snapshot || learned->updates == 0) {
    return;
  }
  store->snapshot = learned->snapshot;
  triple_buffer_hand_over(&store->buffer);
}

bool learned_store_cycle(struct learned_store *store, struct pipeline *pipeline) {
  if (atomic_load_explicit(&store->forgetting, memory_order_acquire)) {
    inertial_estimator_reset(pipeline_inertial(pipeline));
    atomic_store_explicit(&store->forgetting, false, memory_order_release);
    return true;
  }
  hand_over(store, pipeline);
  return false;
}

/* -- to the disk ------------------------------------------------------------------------------ */

static void save(struct learned_store *store, const struct learned_inertia *learned) {
  struct message error;
  const bool failed = learned_save(store->folder, learned, &error) != STATUS_OK;
  if (failed && !store->failing) {
    log_line(store->log, LOG_LEVEL_WARNING, "learned", "learned parameters cannot be saved: %s",
             error.text);
  }
  if (!failed && store->failing) {
    log_line(store->log, LOG_LEVEL_NOTICE, "learned", "learned parameters are saved again");
  }
  store->failing = failed;
}

void learned_store_save(struct learned_store *store, int64_t now_ns) {
  if (now_ns < store->next_ns) {
    return;
  }
  if (triple_buffer_take(&store->buffer)) {
    store->unsaved = &store->newest[store->buffer.front];
  }
  if (store->unsaved != NULL) {
    store->next_ns = now_ns + LEARNED_SAVE_NS;
    save(store, store->unsaved);
    store->unsaved = store->failing ? store->unsaved : NULL;
  }
}

/* True when a cycle has begun again; otherwise none will. */
static bool cycle_has_begun_again(struct learned_store *store) {
  const struct timespec pause = {.tv_nsec = FORGET_LOOK_NS};
  const int64_t until_ns = clock_now_ns() + FORGET_WAIT_NS;
  atomic_store_explicit(&store->forgetting, true, memory_order_release);
  while (atomic_load_explicit(&store->forgetting, memory_order_acquire)) {
    if (clock_now_ns() > until_ns) {
      return !atomic_exchange(&store->forgetting, false);
    }
    nanosleep(&pause, NULL);
  }
  return true;
}

static enum status forget(struct learned_store *store, struct message *error) {
  if (!cycle_has_begun_again(store)) {
    message_set(error, "no cycle came that could forget; nothing is changed");
    return STATUS_STALE;
  }
  triple_buffer_take(&store->buffer); /* what was still to be saved */
  store->unsaved = NULL;
  return learned_remove(store->folder, error);
}

enum status learned_store_forget(struct learned_store *store, struct message *error) {
  if (pthread_mutex_trylock(&store->saving) != 0) {
    message_set(error, "a save is under way; try again");
    return STATUS_STALE;
  }
  const enum status status = forget(store, error);
  pthread_mutex_unlock(&store->saving);
  return status;
}

void learned_store_finish(struct learned_store *store, struct pipeline *pipeline) {
  struct learned_inertia *learned = calloc(1, sizeof(*learned));
  if (learned != NULL && learned_take(pipeline, learned) && learned->updates > 0) {
    save(store, learned);
  }
  free(learned);
}

/* -- the thread that saves -------------------------------------------------------------------- */

/* False: told to end. */
static bool sleep_a_second(struct learned_store *store) {
  const int64_t until_ns = clock_now_ns() + NS_PER_S;
  const struct timespec until = {.tv_sec = until_ns / NS_PER_S, .tv_nsec = until_ns % NS_PER_S};
  return sem_clockwait(&store->end, CLOCK_MONOTONIC, &until) != 0;
}

static void *run(void *argument) {
  struct learned_store *store = argument;
  do {
    atomic_store(&store->turned_ns, clock_now_ns());
    pthread_mutex_lock(&store->saving);
    learned_store_save(store, clock_now_ns());
    pthread_mutex_unlock(&store->saving);
  } while (sleep_a_second(store));
  return NULL;
}

int64_t learned_store_silence(const struct learned_store *store, int64_t now_ns) {
  const int64_t turned_ns = atomic_load(&store->turned_ns);
  return turned_ns == 0 ? 0 : now_ns - turned_ns;
}

enum status learned_store_start(struct learned_store *store, struct message *error) {
  atomic_store(&store->turned_ns, clock_now_ns());
  const int failed = pthread_create(&store->thread, NULL, run, store);
  if (failed != 0) {
    message_set(error, "thread that saves: %s", strerror(failed));
    return STATUS_REFUSED;
  }
  pthread_setname_np(store->thread, "saver");
  store->running = true;
  return STATUS_OK;
}

void learned_store_stop(struct learned_store *store) {
  if (store->running) {
    sem_post(&store->end);
    pthread_join(store->thread, NULL);
    atomic_store(&store->turned_ns, 0);
    store->running = false;
  }
}
