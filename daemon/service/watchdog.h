/* Decides whether the service is alive: systemd is told so only when every thread has moved on.
 *
 * The main thread asks regularly, so its own hanging counts too. */
#ifndef WATCHDOG_H
#define WATCHDOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WATCHDOG_MAX_THREADS 8

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
