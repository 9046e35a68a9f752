#include "cycle/granted.h"

#include <sched.h>
#include <stdio.h>
#include <sys/resource.h>

/* Memory of this process that is locked, KiB. */
static uint64_t locked_kib(void) {
  unsigned long long kib = 0;
  char line[128];
  FILE *status = fopen("/proc/self/status", "re");
  while (status != NULL && fgets(line, sizeof(line), status) != NULL) {
    if (sscanf(line, "VmLck: %llu", &kib) == 1) {
      break;
    }
  }
  if (status != NULL) {
    fclose(status);
  }
  return kib;
}

static uint64_t limit_of(int resource) {
  struct rlimit limit = {0};
  getrlimit((__rlimit_resource_t)resource, &limit);
  return limit.rlim_cur;
}

/* The priority of SCHED_FIFO, or 0. */
static uint64_t priority_of(pthread_t thread) {
  struct sched_param param = {0};
  int class = SCHED_OTHER;
  pthread_getschedparam(thread, &class, &param);
  return class == SCHED_FIFO ? (uint64_t)param.sched_priority : 0;
}

/* Of the processors that a thread may run on: how many, and the number of the first. */
static uint64_t processors_of(pthread_t thread, uint64_t *first) {
  cpu_set_t cpus;
  CPU_ZERO(&cpus);
  pthread_getaffinity_np(thread, sizeof(cpus), &cpus);
  *first = 0;
  while (*first < CPU_SETSIZE && !CPU_ISSET((size_t)*first, &cpus)) {
    ++*first;
  }
  return (uint64_t)CPU_COUNT(&cpus);
}

void granted_look(pthread_t cycle, const struct realtime_settings *settings,
                  struct diagnostics *diagnostics) {
  uint64_t first;
  counter_set(&diagnostics->rt_wanted, (uint64_t)settings->wish);
  counter_set(&diagnostics->rt_priority, priority_of(cycle));
  counter_set(&diagnostics->processors, processors_of(cycle, &first));
  counter_set(&diagnostics->processor, first);
  counter_set(&diagnostics->locked_kib, locked_kib());
  counter_set(&diagnostics->limit_rtprio, limit_of(RLIMIT_RTPRIO));
  counter_set(&diagnostics->limit_memlock, limit_of(RLIMIT_MEMLOCK));
}
