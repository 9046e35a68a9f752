/* How the kernel is built and set: what makes wake-ups late. */
#include "common/clock.h"
#include "doctor.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

enum {
  SLOW_CLOCK_NS = 300, /* reading the clock costs a system call from about here */
  LONG_WAKE_US = 50    /* an idle state that takes longer to leave shows in the wake-up latency */
};

static void check_preemption(const struct patient *patient, struct finding *finding) {
  char line[128] = "";
  struct utsname name;
  uname(&name);
  if (patient_read(patient, "/sys/kernel/realtime", line, sizeof(line)) && line[0] == '1') {
    FOUND(VERDICT_GOOD, "the kernel is PREEMPT_RT");
    return;
  }
  const char *mend = "apt-get install linux-image-rt-amd64, or at least boot with preempt=full";
  if (patient_read(patient, "/sys/kernel/debug/sched/preempt", line, sizeof(line)) &&
      strstr(line, "(full)") != NULL) {
    FOUND(VERDICT_NOTE, "the kernel preempts fully, but is not PREEMPT_RT");
    MEND("for the last microseconds: apt-get install linux-image-rt-amd64");
  } else if (strstr(name.version, "PREEMPT_DYNAMIC") != NULL) {
    FOUND(VERDICT_NOTE, "the kernel is PREEMPT_DYNAMIC, not PREEMPT_RT");
    MEND("%s", mend);
  } else if (strstr(name.version, "PREEMPT") != NULL) {
    FOUND(VERDICT_NOTE, "the kernel preempts, but is not PREEMPT_RT");
    MEND("%s", mend);
  } else {
    FOUND(VERDICT_WARNING, "the kernel does not preempt itself: wake-ups can be milliseconds late");
    MEND("%s", mend);
  }
}

/* Mean cost of reading CLOCK_MONOTONIC, ns. */
static double clock_cost_ns(void) {
  enum { READINGS = 10000 };
  const int64_t start_ns = clock_now_ns();
  for (int i = 0; i < READINGS; i++) {
    clock_now_ns();
  }
  return (double)(clock_now_ns() - start_ns) / READINGS;
}

static void check_clock(const struct patient *patient, struct finding *finding) {
  char source[64] = "unknown";
  struct timespec resolution;
  patient_read(patient, "/sys/devices/system/clocksource/clocksource0/current_clocksource", source,
               sizeof(source));
  clock_getres(CLOCK_MONOTONIC, &resolution);
  const double cost_ns = clock_cost_ns();
  if (resolution.tv_sec > 0 || resolution.tv_nsec > 1) {
    FOUND(VERDICT_WARNING, "timers are only right to %ld ns", resolution.tv_nsec);
    MEND("use a kernel with CONFIG_HIGH_RES_TIMERS, without highres=off");
  } else if (cost_ns > SLOW_CLOCK_NS || strcmp(source, "hpet") == 0 ||
             strcmp(source, "acpi_pm") == 0) {
    FOUND(VERDICT_WARNING, "clock source %s: reading it costs %.0f ns", source, cost_ns);
    MEND("boot with tsc=reliable where the processor's counter is good");
  } else {
    FOUND(VERDICT_GOOD, "clock source %s, read in %.0f ns, timers right to 1 ns", source, cost_ns);
  }
}

static void check_governor(const struct patient *patient, struct finding *finding) {
  const long cpus = sysconf(_SC_NPROCESSORS_CONF);
  char path[128], governor[64], slow[64] = "";
  int scaled = 0;
  for (long cpu = 0; cpu < cpus; cpu++) {
    snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%ld/cpufreq/scaling_governor", cpu);
    if (patient_read(patient, path, governor, sizeof(governor))) {
      scaled++;
      if (strcmp(governor, "performance") != 0) {
        snprintf(slow, sizeof(slow), "%s", governor);
      }
    }
  }
  if (scaled == 0) {
    FOUND(VERDICT_GOOD, "processor frequency is not scaled by this kernel");
  } else if (slow[0] == '\0') {
    FOUND(VERDICT_GOOD, "governor performance");
  } else {
    FOUND(VERDICT_WARNING, "governor %s: the processor is slow when a cycle begins", slow);
    MEND("cpupower frequency-set -g performance");
  }
}

static void check_idle(const struct patient *patient, struct finding *finding) {
  char path[128], line[64];
  long longest_us = 0;
  for (int state = 0; state < 16; state++) {
    snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu0/cpuidle/state%d/disable", state);
    if (patient_read(patient, path, line, sizeof(line)) && line[0] == '1') {
      continue;
    }
    snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu0/cpuidle/state%d/latency", state);
    if (patient_read(patient, path, line, sizeof(line)) && atol(line) > longest_us) {
      longest_us = atol(line);
    }
  }
  if (longest_us > LONG_WAKE_US) {
    FOUND(VERDICT_WARNING, "leaving the deepest idle state takes %ld us", longest_us);
    MEND("cpupower idle-set -D %d, or boot with processor.max_cstate=1", LONG_WAKE_US);
  } else {
    FOUND(VERDICT_GOOD, "idle states are left within %ld us", longest_us);
  }
}

static void check_isolation(const struct patient *patient, struct finding *finding) {
  char isolated[128] = "";
  patient_read(patient, "/sys/devices/system/cpu/isolated", isolated, sizeof(isolated));
  if (sysconf(_SC_NPROCESSORS_ONLN) < 2) {
    FOUND(VERDICT_WARNING, "one processor for everything");
    MEND("give the machine a second one");
  } else if (isolated[0] == '\0') {
    FOUND(VERDICT_NOTE, "no processor is kept free for the cycle");
    MEND("boot with isolcpus=N nohz_full=N rcu_nocbs=N irqaffinity=0, and set cycle.cpu: N");
  } else {
    FOUND(VERDICT_GOOD, "processor %s is kept free; set cycle.cpu to it", isolated);
  }
}

static void check_huge_pages(const struct patient *patient, struct finding *finding) {
  char line[128] = "";
  patient_read(patient, "/sys/kernel/mm/transparent_hugepage/enabled", line, sizeof(line));
  if (strstr(line, "[always]") != NULL) {
    FOUND(VERDICT_NOTE, "transparent huge pages are always tried: memory is moved at any time");
    MEND("echo madvise > /sys/kernel/mm/transparent_hugepage/enabled");
  } else {
    FOUND(VERDICT_GOOD, "huge pages only where asked for");
  }
}

static void check_swap(const struct patient *patient, struct finding *finding) {
  char line[256];
  if (patient_find(patient, "/proc/swaps", "/", line,
                   sizeof(line))) { /* an area, not the heading */
    FOUND(VERDICT_NOTE, "there is swap space; locked memory stays, drivers' memory may not");
    MEND("swapoff -a, or lock memory in drivers too");
  } else {
    FOUND(VERDICT_GOOD, "no swap space");
  }
}

static void check_host(const struct patient *patient, struct finding *finding) {
  char line[4096];
  if (patient_find(patient, "/proc/cpuinfo", "flags", line, sizeof(line)) &&
      strstr(line, " hypervisor") != NULL) {
    FOUND(VERDICT_NOTE, "a virtual machine: wake-ups are as late as its host makes them");
    MEND("on a robot, run on the hardware itself");
  } else {
    FOUND(VERDICT_GOOD, "no virtual machine");
  }
}

const struct check doctor_kernel_checks[] = {{"preemption", check_preemption},
                                             {"clock", check_clock},
                                             {"governor", check_governor},
                                             {"idle", check_idle},
                                             {"isolation", check_isolation},
                                             {"hugepages", check_huge_pages},
                                             {"swap", check_swap},
                                             {"host", check_host},
                                             {NULL, NULL}};
