#include "service/systemd.h"

#include "common/clock.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <systemd/sd-daemon.h>

void systemd_ready(void) {
  sd_notify(0, "READY=1");
}

void systemd_reloading(int64_t now_ns) {
  sd_notifyf(0, "RELOADING=1\nMONOTONIC_USEC=%lld", (long long)(now_ns / NS_PER_US));
}

void systemd_stopping(void) {
  sd_notify(0, "STOPPING=1");
}

void systemd_alive(void) {
  sd_notify(0, "WATCHDOG=1");
}

void systemd_status(const char *format, ...) {
  char text[256];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof(text), format, arguments);
  va_end(arguments);
  sd_notifyf(0, "STATUS=%s", text);
}

int64_t systemd_watchdog_ns(void) {
  uint64_t limit_us = 0;
  return sd_watchdog_enabled(0, &limit_us) > 0 ? (int64_t)limit_us * NS_PER_US / 3 : 0;
}

/* -- watchdog --------------------------------------------------------------------------------- */

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
