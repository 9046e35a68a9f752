/* Long computations beside the cycle: cell selection, batch identification.
 *
 * The cycle posts a job without waiting; a low-priority thread runs it; at the start of a later
 * cycle the result is adopted. Two rings of pointers, each with one writer and one reader, carry
 * jobs there and back, and nothing wakes anyone: the thread looks every few milliseconds. A job's
 * memory belongs to whoever posts it, who leaves it alone until it comes back. */
#ifndef WORKER_H
#define WORKER_H

#include "common/message.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WORKER_MAX_JOBS 16 /* posted and not yet taken back */

struct worker;

/* Embedded in whatever the job works on. */
struct worker_job {
  void (*run)(struct worker_job *job);   /* [worker] the computation */
  void (*adopt)(struct worker_job *job); /* [real-time] takes the result over, bounded */
  struct worker *worker;                 /* that it was posted to */
};

/* Starts the thread. [start] NULL with `error` set: no memory or no thread. */
struct worker *worker_start(struct message *error);

/* Hands a job to the thread. [real-time] One thread posts and adopts. False: WORKER_MAX_JOBS are
 * under way; the job is not taken. */
bool worker_post(struct worker *worker, struct worker_job *job);

/* Calls `adopt` of every job that has been run. [real-time] Returns how many. */
size_t worker_adopt(struct worker *worker);

/* Jobs posted and not yet adopted. [real-time] */
size_t worker_under_way(const struct worker *worker);

/* Jobs run since the start. [any] */
uint64_t worker_finished(const struct worker *worker);

/* Rises as long as the thread turns, between jobs as well as after each; for the watchdog. A job
 * that says nothing for longer than the watchdog allows is a job that hangs. [any] */
uint64_t worker_heartbeat(const struct worker *worker);

/* Says that a long job gets on: on a busy machine it may get little of a processor. [worker] */
void worker_beat(struct worker_job *job);

/* Lets the running job end, forgets those that wait, ends the thread. [main] NULL is allowed. */
void worker_stop(struct worker *worker);

#endif
