#include "learned/learned_keeper.h"

#include "common/clock.h"
#include "learned/learned_file.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define FORGET_LOOK_NS (1 * NS_PER_MS) /* how often the cycle is looked at, and how long */
#define FORGET_WAIT_NS (1 * NS_PER_S)

enum status learned_keeper_init(struct learned_keeper *keeper, const char *folder, double period_s,
                                struct arena *arena) {
  const unsigned a_second = (unsigned)fmax(1.0, round(1.0 / period_s));
  *keeper = (struct learned_keeper){.next_ns = 0};
  snprintf(keeper->folder, sizeof(keeper->folder), "%s", folder);
  return learned_box_init(&keeper->box, a_second, arena);
}

void learned_keeper_recall(const struct learned_keeper *keeper, struct pipeline *pipeline,
                           struct log *log) {
  if (inertial_estimator_filter(pipeline_inertial(pipeline)) == NULL) {
    return;
  }
  struct learned_inertia *learned = calloc(1, sizeof(*learned));
  struct message error = {.text = ""};
  enum status status =
      learned != NULL ? learned_load(keeper->folder, learned, &error) : STATUS_NO_MEMORY;
  if (status == STATUS_OK) {
    if (error.text[0] != '\0') {
      log_line(log, LOG_LEVEL_WARNING, "learned", "%s; an older one is taken", error.text);
    }
    status = learned_give(learned, pipeline, &error);
  }
  if (status == STATUS_OK) {
    log_line(log, LOG_LEVEL_NOTICE, "learned", "inertial parameters of %u links are as learned",
             learned->n_links);
  } else if (status != STATUS_STALE) {
    log_line(log, LOG_LEVEL_WARNING, "learned",
             "learned inertial parameters are not used: %s; the model's are", error.text);
  }
  free(learned);
}

void learned_keeper_cycle(struct learned_keeper *keeper, struct pipeline *pipeline) {
  if (atomic_load_explicit(&keeper->forgetting, memory_order_acquire)) {
    inertial_estimator_reset(pipeline_inertial(pipeline));
    atomic_store_explicit(&keeper->forgetting, false, memory_order_release);
  } else {
    learned_box_write(keeper->box, pipeline);
  }
}

static void save(struct learned_keeper *keeper, const struct learned_inertia *learned,
                 struct log *log) {
  struct message error;
  const bool failed = learned_save(keeper->folder, learned, &error) != STATUS_OK;
  if (failed && !keeper->failing) {
    log_line(log, LOG_LEVEL_WARNING, "learned", "learned parameters cannot be saved: %s",
             error.text);
  }
  if (!failed && keeper->failing) {
    log_line(log, LOG_LEVEL_NOTICE, "learned", "learned parameters are saved again");
  }
  keeper->failing = failed;
}

void learned_keeper_save(struct learned_keeper *keeper, int64_t now_ns, struct log *log) {
  if (now_ns < keeper->next_ns) {
    return;
  }
  const struct learned_inertia *newest = learned_box_take(keeper->box);
  keeper->unsaved = newest != NULL ? newest : keeper->unsaved;
  if (keeper->unsaved != NULL) {
    keeper->next_ns = now_ns + LEARNED_SAVE_NS;
    save(keeper, keeper->unsaved, log);
    keeper->unsaved = keeper->failing ? keeper->unsaved : NULL;
  }
}

/* True when a cycle has begun again; otherwise none will. */
static bool cycle_has_begun_again(struct learned_keeper *keeper) {
  const struct timespec pause = {.tv_nsec = FORGET_LOOK_NS};
  const int64_t until_ns = clock_now_ns() + FORGET_WAIT_NS;
  atomic_store_explicit(&keeper->forgetting, true, memory_order_release);
  while (atomic_load_explicit(&keeper->forgetting, memory_order_acquire)) {
    if (clock_now_ns() > until_ns) {
      return !atomic_exchange(&keeper->forgetting, false);
    }
    nanosleep(&pause, NULL);
  }
  return true;
}

enum status learned_keeper_forget(struct learned_keeper *keeper, struct message *error) {
  if (!cycle_has_begun_again(keeper)) {
    message_set(error, "no cycle came that could forget; nothing is changed");
    return STATUS_STALE;
  }
  learned_box_take(keeper->box); /* what was still to be saved */
  keeper->unsaved = NULL;
  return learned_remove(keeper->folder, error);
}

void learned_keeper_finish(struct learned_keeper *keeper, struct pipeline *pipeline,
                           struct log *log) {
  struct learned_inertia *learned = calloc(1, sizeof(*learned));
  if (learned != NULL && learned_take(pipeline, learned) && learned->updates > 0) {
    save(keeper, learned, log);
  }
  free(learned);
}
