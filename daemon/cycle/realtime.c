#include "cycle/realtime.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <sched.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

/* Adds to a note that may already say something. */
__attribute__((format(printf, 2, 3))) static void add_note(struct message *note, const char *format,
                                                           ...) {
  const struct message before = *note;
  char text[MESSAGE_SIZE];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof(text), format, args);
  va_end(args);
  message_set(note, "%s%s%s", before.text, before.text[0] != '\0' ? "; " : "", text);
}

/* What a reload builds and frees stays in the heap for the next one: fresh pages must be cleared
 * and locked, which keeps a processor busy in the kernel. The largest that malloc allows. */
#define LARGEST_FROM_HEAP (32 << 20)

void realtime_keep_memory_small(void) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, REALTIME_STACK_SIZE);
  pthread_setattr_default_np(&attributes);
  pthread_attr_destroy(&attributes);
  mallopt(M_ARENA_MAX, 1);
  mallopt(M_TRIM_THRESHOLD, -1);
  mallopt(M_MMAP_THRESHOLD, LARGEST_FROM_HEAP);
}

static enum status lock_memory(const struct realtime_settings *settings, struct message *note) {
  struct rlimit limit;
  if (settings->wish == REALTIME_OFF || mlockall(MCL_CURRENT | MCL_FUTURE) == 0) {
    return STATUS_OK;
  }
  const int error = errno;
  getrlimit(RLIMIT_MEMLOCK, &limit);
  add_note(note, "memory cannot be locked: %s (limit MEMLOCK %llu KiB; see proprioctl doctor)",
           strerror(error), (unsigned long long)limit.rlim_cur / 1024);
  return settings->wish == REALTIME_REQUIRED ? STATUS_REFUSED : STATUS_OK;
}

/* A processor in deep sleep takes up to a millisecond to wake. The kernel keeps them out of it as
 * long as this file is open: to the end of the process. Only root may; not to be granted this is
 * no reason to complain, since most machines for robots have these states off (proprioctl doctor
 * looks). */
static void keep_processors_awake(const struct realtime_settings *settings) {
  const int32_t latency_us = 0;
  const int fd =
      settings->wish != REALTIME_OFF ? open("/dev/cpu_dma_latency", O_WRONLY | O_CLOEXEC) : -1;
  if (fd >= 0 && write(fd, &latency_us, sizeof(latency_us)) != (ssize_t)sizeof(latency_us)) {
    close(fd);
  }
}

enum status realtime_prepare(const struct realtime_settings *settings, struct message *note) {
  note->text[0] = '\0';
  realtime_keep_memory_small();
  keep_processors_awake(settings);
  return lock_memory(settings, note);
}

/* What the thread's attributes ask of the kernel. */
struct ask {
  bool fifo;
  int cpu; /* -1: any */
};

static int start_asking(pthread_t *thread, struct ask ask, int priority, void *(*run)(void *),
                        void *argument) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, REALTIME_STACK_SIZE);
  if (ask.cpu >= 0) {
    cpu_set_t cpus;
    CPU_ZERO(&cpus);
    CPU_SET((size_t)ask.cpu, &cpus);
    pthread_attr_setaffinity_np(&attributes, sizeof(cpus), &cpus);
  }
  if (ask.fifo) {
    const struct sched_param param = {.sched_priority = priority};
    pthread_attr_setinheritsched(&attributes, PTHREAD_EXPLICIT_SCHED);
    pthread_attr_setschedpolicy(&attributes, SCHED_FIFO);
    pthread_attr_setschedparam(&attributes, &param);
  }
  const int error = pthread_create(thread, &attributes, run, argument);
  pthread_attr_destroy(&attributes);
  return error;
}

/* Notes what was refused and leaves it out of the next ask. False: nothing that could be left
 * out. */
static bool ask_for_less(struct ask *ask, int error, int priority, struct message *note) {
  if (error == EINVAL && ask->cpu >= 0) {
    add_note(note, "there is no cpu %d to run on", ask->cpu);
    ask->cpu = -1;
    return true;
  }
  if (error == EPERM && ask->fifo) {
    add_note(note, "SCHED_FIFO priority %d: %s (see proprioctl doctor)", priority, strerror(error));
    ask->fifo = false;
    return true;
  }
  if (error != 0) {
    add_note(note, "thread: %s", strerror(error));
  }
  return false;
}

enum status realtime_thread_start(pthread_t *thread, const struct realtime_settings *settings,
                                  void *(*run)(void *), void *argument, struct message *note) {
  struct ask ask = {settings->wish != REALTIME_OFF,
                    settings->wish != REALTIME_OFF ? settings->cpu : -1};
  note->text[0] = '\0';
  int error = start_asking(thread, ask, settings->priority, run, argument);
  while (error != 0 && ask_for_less(&ask, error, settings->priority, note)) {
    if (settings->wish == REALTIME_REQUIRED) {
      return STATUS_REFUSED;
    }
    error = start_asking(thread, ask, settings->priority, run, argument);
  }
  return error == 0 ? STATUS_OK : STATUS_REFUSED;
}

/* As deep as the cycle's calls go, with room to spare. Where memory is locked all of the stack is
 * there already. */
static void touch_stack(void) {
  volatile unsigned char stack[128 << 10];
  for (size_t i = 0; i < sizeof(stack); i += 1024) {
    stack[i] = 1;
  }
}

void denormals_become_zero(void) {
#if defined(__SSE2__)
  enum { DENORMALS_ARE_ZERO = 1 << 6, FLUSH_TO_ZERO = 1 << 15 };
  _mm_setcsr(_mm_getcsr() | DENORMALS_ARE_ZERO | FLUSH_TO_ZERO);
#elif defined(__aarch64__)
  unsigned long control;
  __asm__ volatile("mrs %0, fpcr" : "=r"(control));
  __asm__ volatile("msr fpcr, %0" : : "r"(control | 1ul << 24));
#endif
}

void realtime_warm_up(void) {
  touch_stack();
  denormals_become_zero();
  prctl(PR_SET_TIMERSLACK, 1); /* ns; an ordinary thread would be woken up to 50 us late */
}
