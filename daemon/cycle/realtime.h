/* What Linux must grant for a thread to be real-time: memory that stays, a scheduling class, a
 * processor, and libraries that do not surprise it. */
#ifndef REALTIME_H
#define REALTIME_H

#include "common/message.h"
#include "common/status.h"

#include <pthread.h>
#include <stddef.h>

/* Of every thread made after realtime_prepare(), bytes. The thread sanitizer keeps its own data on
 * each stack. */
#ifdef __SANITIZE_THREAD__
#define REALTIME_STACK_SIZE ((size_t)8 << 20)
#else
#define REALTIME_STACK_SIZE ((size_t)512 << 10)
#endif

enum realtime_wish {
  REALTIME_OFF,       /* an ordinary thread */
  REALTIME_PREFERRED, /* what is not granted is named, and done without */
  REALTIME_REQUIRED   /* what is not granted ends the start */
};

struct realtime_settings {
  enum realtime_wish wish;
  int priority; /* SCHED_FIFO, 1 .. 99 */
  int cpu;      /* -1: any */
};

/* Small stacks, and one heap: a new thread's stack is locked as a whole, and each further heap of
 * malloc reserves 64 MiB of address space, which counts against the limit of locked memory (the
 * cycle asks for no memory, and the other threads seldom at once). [start] Before any other thread.
 */
void realtime_keep_memory_small(void);

/* Readies the process: all memory locked now and in future, stacks small, the heap keeps what it
 * got, processors out of deep sleep where that may be asked. [start] Once, before any other thread.
 * OK with `note` "" or naming what was not granted; REFUSED with `note` when it is required. */
enum status realtime_prepare(const struct realtime_settings *settings, struct message *note);

/* Starts a thread with a small stack in the wished class. [start] Result and `note` as above; no
 * thread runs unless OK. */
enum status realtime_thread_start(pthread_t *thread, const struct realtime_settings *settings,
                                  void *(*run)(void *), void *argument, struct message *note);

/* Touches the calling thread's stack and makes its denormals zero. [start] In the thread itself,
 * before its first cycle. */
void realtime_warm_up(void);

/* From here on the calling thread takes denormal operands as zero and gives zero for denormal
 * results, for good: on many processors numbers too small for full precision cost a hundred times
 * what others cost, a filter at rest lets its velocities fade into them, and nothing that a robot
 * does is that small. [any] Without effect on processors other than x86-64 and ARMv8. */
void denormals_become_zero(void);

#endif
