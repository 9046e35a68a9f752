#include "service/watchdog.h"

#include <assert.h>
#include <string.h>

void watchdog_init(struct watchdog *watchdog, int64_t interval_ns) {
  *watchdog = (struct watchdog){.interval_ns = interval_ns, .fed_ns = INT64_MIN / 2};
}

size_t watchdog_watch(struct watchdog *watchdog, const char *name) {
  assert(watchdog->n_threads < WATCHDOG_MAX_THREADS);
  watchdog->name[watchdog->n_threads] = name;
  watchdog->seen[watchdog->n_threads] = UINT64_MAX;
  return watchdog->n_threads++;
}

bool watchdog_feed(struct watchdog *watchdog, int64_t now_ns, const uint64_t count[],
                   const char **hung) {
  *hung = NULL;
  if (watchdog->interval_ns <= 0 || now_ns - watchdog->fed_ns < watchdog->interval_ns) {
    return false;
  }
  for (size_t i = 0; i < watchdog->n_threads; i++) {
    if (count[i] == watchdog->seen[i]) {
      *hung = watchdog->name[i];
      return false;
    }
  }
  memcpy(watchdog->seen, count, watchdog->n_threads * sizeof(count[0]));
  watchdog->fed_ns = now_ns;
  return true;
}
