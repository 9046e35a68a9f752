/* Reads configurations in a thread of its own: a slow disk, or a robot with thousands of cells,
 * must keep neither the watchdog nor a request to end waiting. */
#ifndef LOADER_H
#define LOADER_H

#include "common/clock.h"
#include "generation.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

/* One order and what became of it. */
struct load {
  const char *file; /* borrowed, as are the two below */
  const struct settings_overrides *overrides;
  const struct generation *running; /* that the new one is to replace, or NULL */
  enum status status;
  struct generation *made; /* when `status` is OK */
  struct settings_report errors;
  struct message kept; /* options that wait for a restart */
};

#define LOADER_PATIENCE_NS (20 * NS_PER_S) /* before systemd and who waits for a reload give up */

struct loader {
  bool started;
  pthread_t thread;
  sem_t orders;
  int done; /* eventfd: readable when a load has ended */
  _Atomic bool end;
  bool under_way;     /* ordered and not yet taken; the main thread's */
  bool given_up;      /* it took too long; what still comes of it is thrown away */
  int64_t ordered_ns; /* of the load under way */
  struct load load;
  struct load too_late; /* what is told instead of one that was given up */
};

/* Starts the thread. [start] REFUSED with `error` set. */
enum status loader_start(struct loader *loader, struct message *error);

/* Orders generation_build(). [start, main] One at a time: not while `under_way`. What is borrowed
 * must stay as it is until the load is taken or the loader has been stopped. */
void loader_order(struct loader *loader, const char *file,
                  const struct settings_overrides *overrides, const struct generation *running);

/* Readable as soon as the load can be taken. [start, main] */
int loader_fd(const struct loader *loader);

/* The load, when it has ended; its `made` is the caller's. NULL: none was ordered, or it goes on.
 * [start, main] Valid until the next order. One that goes on beyond LOADER_PATIENCE_NS is given up:
 * once, with status STALE and an error that says so, and nothing can be ordered until it ends. */
struct load *loader_take(struct loader *loader, int64_t now_ns);

/* Ends the thread; a load that nobody took is freed. [start] False: it hangs in a load, and what it
 * borrowed must not be freed as long as the process lives. Harmless when never started. */
bool loader_stop(struct loader *loader);

#endif
