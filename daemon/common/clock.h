/* The one clock of the daemon. */
#ifndef CLOCK_H
#define CLOCK_H

#include <errno.h>
#include <stdint.h>
#include <time.h>

#define NS_PER_S  INT64_C(1000000000)
#define NS_PER_MS INT64_C(1000000)
#define NS_PER_US INT64_C(1000)

/* CLOCK_MONOTONIC, ns. [any] */
static inline int64_t clock_now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * NS_PER_S + now.tv_nsec;
}

/* Sleeps until the instant `t_ns` of CLOCK_MONOTONIC, signals or not. [any] The one wait of the
 * cycle. */
static inline void sleep_until(int64_t t_ns) {
  const struct timespec until = {.tv_sec = t_ns / NS_PER_S, .tv_nsec = t_ns % NS_PER_S};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR) {
  }
}

#endif
