/* What systemd is told, and when it is told that the service is alive: only when every thread has
 * moved on. Without systemd (no NOTIFY_SOCKET) every call does nothing. */
#ifndef SERVICE_SYSTEMD_H
#define SERVICE_SYSTEMD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Everything runs: READY=1. [main] */
void systemd_ready(void);

/* A reload begins: RELOADING=1 with the time, ended by systemd_ready. [main] */
void systemd_reloading(int64_t now_ns);

/* The service ends by its own will. [main] */
void systemd_stopping(void);

/* All threads are alive. [main] */
void systemd_alive(void);

/* One line for `systemctl status`. [main] */
__attribute__((format(printf, 1, 2))) void systemd_status(const char *format, ...);

/* How often systemd_alive must be called at least, ns, a third of WatchdogSec; 0 when nobody
 * watches. [start] */
int64_t systemd_watchdog_ns(void);

#define WATCHDOG_MAX_THREADS 8

/* Decides whether the service is alive. The main thread asks regularly, so its own hanging counts
 * too. */
struct watchdog {
  size_t n_threads;
  const char *name[WATCHDOG_MAX_THREADS];
  uint64_t seen[WATCHDOG_MAX_THREADS]; /* count at the last feeding */
  int64_t interval_ns;                 /* between two feedings, 0: nobody watches */
  int64_t fed_ns;
};

/* Starts with nothing watched. [start] `interval_ns` is how often to feed, well below what systemd
 * allows; 0 for never. */
void watchdog_init(struct watchdog *watchdog, int64_t interval_ns);

/* Watches one more thread, called `name` (a string constant); returns its index. [start] */
size_t watchdog_watch(struct watchdog *watchdog, const char *name);

/* True when it is time to feed and every thread's count differs from that of the last feeding.
 * [main] `count` has one entry a thread, in the order of watchdog_watch. When a thread stands still
 * at feeding time, `*hung` is its name, otherwise NULL. */
bool watchdog_feed(struct watchdog *watchdog, int64_t now_ns, const uint64_t count[],
                   const char **hung);

#endif
