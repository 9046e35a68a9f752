#include "learned/learned_saver.h"

#include "common/clock.h"

#include <string.h>
#include <time.h>

/* False: told to end. */
static bool sleep_a_second(struct learned_saver *saver) {
  const int64_t until_ns = clock_now_ns() + NS_PER_S;
  const struct timespec until = {.tv_sec = until_ns / NS_PER_S, .tv_nsec = until_ns % NS_PER_S};
  return sem_clockwait(&saver->end, CLOCK_MONOTONIC, &until) != 0;
}

static void *run(void *argument) {
  struct learned_saver *saver = argument;
  do {
    pthread_mutex_lock(&saver->saving);
    learned_keeper_save(saver->keeper, clock_now_ns(), saver->log);
    pthread_mutex_unlock(&saver->saving);
  } while (sleep_a_second(saver));
  return NULL;
}

enum status learned_saver_start(struct learned_saver *saver, struct learned_keeper *keeper,
                                struct log *log, struct message *error) {
  *saver = (struct learned_saver){.keeper = keeper, .log = log};
  pthread_mutex_init(&saver->saving, NULL);
  sem_init(&saver->end, 0, 0);
  const int failed = pthread_create(&saver->thread, NULL, run, saver);
  if (failed != 0) {
    message_set(error, "thread that saves: %s", strerror(failed));
    return STATUS_REFUSED;
  }
  pthread_setname_np(saver->thread, "saver");
  saver->running = true;
  return STATUS_OK;
}

enum status learned_saver_forget(struct learned_saver *saver, struct message *error) {
  if (pthread_mutex_trylock(&saver->saving) != 0) {
    message_set(error, "a save is under way; try again");
    return STATUS_STALE;
  }
  const enum status status = learned_keeper_forget(saver->keeper, error);
  pthread_mutex_unlock(&saver->saving);
  return status;
}

void learned_saver_stop(struct learned_saver *saver) {
  if (saver->running) {
    sem_post(&saver->end);
    pthread_join(saver->thread, NULL);
    saver->running = false;
  }
}
