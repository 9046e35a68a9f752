/* What the cycle counts about itself and its input: every fault has a named counter.
 *
 * Written by the real-time thread (and, where said so, by the main thread), read by any. Counters
 * start at 0 with the process and never fall. */
#ifndef DIAGNOSTICS_H
#define DIAGNOSTICS_H

#include "common/counter.h"
#include "common/histogram.h"
#include "describe/field.h"

#include "propriod/shm_layout.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One sensor stream. */
struct stream_diagnostics {
  struct counter frames;    /* taken */
  struct counter lost;      /* committed, and overwritten or overtaken before they were looked at */
  struct counter overtaken; /* taken, and overtaken by another before a cycle came to use them */
  struct counter torn;      /* given up: the writer was in it, or died there */
  struct counter corrupt;   /* checksum wrong or number impossible: refused */
  struct counter duplicate; /* stamped like the last one: ignored */
  struct counter reordered; /* stamped before the last one: ignored */
  struct counter future;    /* stamped later than now: refused */
  struct counter late;      /* older than the stream's limit on arrival: refused */
  struct counter unstamped; /* stamped zero or negative: refused */
  struct counter stale;     /* times the stream fell silent for longer than its limit */
  _Atomic int64_t t_ns;     /* instant of the newest frame taken, CLOCK_MONOTONIC; 0: none yet */
  _Atomic bool present;     /* has delivered and is not stale */
  _Atomic int64_t jitter_ns; /* mean distance of stamps from even ones */
};

struct diagnostics {
  struct stream_diagnostics stream[PROPRIOD_SHM_STREAMS];
  struct counter cycles;
  struct counter predicted;  /* cycles without a new joints frame in time */
  struct counter overruns;   /* cycles that took longer than their period */
  struct counter skipped;    /* periods left out after overruns */
  struct counter dropped;    /* results that found the hand-over ring full */
  struct counter swapped;    /* pipelines exchanged */
  struct counter clamped;    /* cycle instants moved so that time never stands still or runs back */
  struct counter reattached; /* segments replaced; by the main thread */
  struct counter refused;    /* attempts to make a segment that failed; by the main thread */
  struct counter overloaded; /* cycles run while the machine did not keep up (cycle/overload.h) */
  /* what the kernel grants, noted at the start (cycle/granted.h) */
  struct counter rt_wanted;     /* enum realtime_wish: 0 off, 1 preferred, 2 required */
  struct counter rt_priority;   /* of SCHED_FIFO; 0: the cycle is an ordinary thread */
  struct counter processors;    /* that the cycle may run on */
  struct counter processor;     /* the first of these */
  struct counter locked_kib;    /* memory that is locked, KiB */
  struct counter limit_rtprio;  /* RLIMIT_RTPRIO */
  struct counter limit_memlock; /* RLIMIT_MEMLOCK, bytes; 2^64 - 1: none */
  struct histogram wakeup;      /* from the wanted instant, or the frame's commit, to running */
  struct histogram input;       /* taking one consistent frame: copying and checking all streams */
  struct histogram busy;        /* from running to the result handed over */
  struct histogram age;         /* of the joints sample when its result is handed over */
};

/* What of it is published, for who publishes or prints it. */
extern const struct field_rows diagnostics_counters;        /* of struct diagnostics */
extern const struct field_rows diagnostics_stream_counters; /* of struct stream_diagnostics */
extern const struct field_table diagnostics_cycle;          /* of struct diagnostics */
extern const struct field_table diagnostics_streams;        /* the same */

/* Value of one of the two structs' counters. [any] */
static inline uint64_t diagnostics_read(const struct field *row, const void *of) {
  return counter_read((const struct counter *)(const void *)((const char *)of + row->offset));
}

#endif
