/* What the kernel grants this process: class, memory, shared memory, groups. */
#include "cycle/realtime.h"
#include "doctor.h"
#include "shm/segment.h"

#include <errno.h>
#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <unistd.h>

/* Bits of CapEff in /proc/self/status. */
enum { CAPABILITY_IPC_LOCK = 14, CAPABILITY_SYS_NICE = 23 };

/* What counts as locked in a humanoid's daemon: address space, most of it OpenBLAS' three work
 * buffers; about 100 MiB are resident. */
#define LOCKED_MIB 640ull

/* Room in /run for the biggest segment: 16384 cells, every optional array. */
#define SEGMENT_MIB 2ull

bool patient_find(const struct patient *patient, const char *path, const char *prefix, char *line,
                  size_t size) {
  char whole[512];
  bool found = false;
  snprintf(whole, sizeof(whole), "%s%s", patient->root, path);
  FILE *file = fopen(whole, "r");
  while (file != NULL && !found && fgets(line, (int)size, file) != NULL) {
    found = strncmp(line, prefix, strlen(prefix)) == 0;
  }
  if (file != NULL) {
    fclose(file);
  }
  if (found) {
    line[strcspn(line, "\n")] = '\0';
  }
  return found;
}

bool patient_read(const struct patient *patient, const char *path, char *line, size_t size) {
  return patient_find(patient, path, "", line, size);
}

/* Of this process, whatever the patient's root is: it is what the trial below runs as. */
static bool has_capability(int bit) {
  const struct patient here = {.root = ""};
  char line[256];
  unsigned long long effective = 0;
  if (patient_find(&here, "/proc/self/status", "CapEff:", line, sizeof(line))) {
    sscanf(line, "CapEff: %llx", &effective);
  }
  return (effective >> bit & 1) != 0;
}

static void *do_nothing(void *argument) {
  return argument;
}

/* Of what this user is refused. */
static enum verdict refused(const struct patient *patient) {
  return patient->judged ? VERDICT_NOTE : VERDICT_PROBLEM;
}

/* Tries it: no table of rules is as right as the kernel. */
static void check_fifo(const struct patient *patient, struct finding *finding) {
  const struct realtime_settings wished = {REALTIME_REQUIRED, patient->priority, -1};
  struct message note;
  struct rlimit limit = {0, 0};
  pthread_t thread;
  if (realtime_thread_start(&thread, &wished, do_nothing, NULL, &note) == STATUS_OK) {
    pthread_join(thread, NULL);
    FOUND(VERDICT_GOOD, "a thread can have SCHED_FIFO priority %d", patient->priority);
    return;
  }
  getrlimit(RLIMIT_RTPRIO, &limit);
  if (has_capability(CAPABILITY_SYS_NICE) || limit.rlim_cur >= (rlim_t)patient->priority) {
    FOUND(refused(patient), "SCHED_FIFO is refused although it is permitted: the control group has "
                            "no real-time budget");
    MEND("see check cgroup; do not start it from systemd --user");
  } else {
    FOUND(refused(patient), "SCHED_FIFO priority %d is refused: limit RTPRIO is %llu",
          patient->priority, (unsigned long long)limit.rlim_cur);
    MEND("as a service: LimitRTPRIO= in propriod.service (is there as installed); from a shell: "
         "a line '@propriod - rtprio 99' in /etc/security/limits.d/propriod.conf, then log in "
         "anew");
  }
}

static void check_memory_lock(const struct patient *patient, struct finding *finding) {
  struct rlimit limit = {0, 0};
  getrlimit(RLIMIT_MEMLOCK, &limit);
  if (has_capability(CAPABILITY_IPC_LOCK) || limit.rlim_cur >= LOCKED_MIB << 20) {
    FOUND(VERDICT_GOOD, "memory can be locked");
    return;
  }
  FOUND(refused(patient), "only %llu KiB can be locked, about %llu MiB are needed (limit MEMLOCK)",
        (unsigned long long)limit.rlim_cur >> 10, LOCKED_MIB);
  MEND("as a service: LimitMEMLOCK=infinity in propriod.service (is there as installed); from a "
       "shell: a line '@propriod - memlock unlimited' in /etc/security/limits.d/propriod.conf, "
       "then log in anew");
}

/* Where this process' budget stands in the cpu hierarchy of control groups version 1, whose line
 * reads NUMBER:cpu:GROUP or NUMBER:cpu,cpuacct:GROUP. False when there is no such hierarchy. */
static bool cpu_cgroup(const struct patient *patient, char *path, size_t size) {
  char prefix[8], line[512];
  for (int number = 1; number < 32; number++) {
    snprintf(prefix, sizeof(prefix), "%d:cpu", number);
    if (patient_find(patient, "/proc/self/cgroup", prefix, line, sizeof(line)) &&
        (line[strlen(prefix)] == ':' || strncmp(line + strlen(prefix), ",cpuacct:", 9) == 0)) {
      const char *group = strchr(line + strlen(prefix), ':') + 1;
      snprintf(path, size, "/sys/fs/cgroup/cpu%.400s/cpu.rt_runtime_us", group);
      return true;
    }
  }
  return false;
}

static bool kernel_has(const struct patient *patient, const char *option) {
  char path[128], line[512];
  struct utsname name;
  uname(&name);
  snprintf(path, sizeof(path), "/boot/config-%.64s", name.release);
  return patient_find(patient, path, option, line, sizeof(line));
}

/* With RT_GROUP_SCHED a control group without budget of its own refuses SCHED_FIFO to all. */
static void check_cgroup(const struct patient *patient, struct finding *finding) {
  char path[512], budget[64];
  if (cpu_cgroup(patient, path, sizeof(path)) &&
      patient_read(patient, path, budget, sizeof(budget))) {
    if (strtoll(budget, NULL, 10) != 0) {
      FOUND(VERDICT_GOOD, "the control group's real-time budget is %s us", budget);
      return;
    }
    FOUND(VERDICT_PROBLEM, "the control group has no real-time budget: %s is 0", path);
    MEND("echo 900000 > %.300s, or boot with rt_group_sched=0", path);
  } else if (kernel_has(patient, "CONFIG_RT_GROUP_SCHED=y")) {
    FOUND(VERDICT_WARNING, "the kernel has RT_GROUP_SCHED: SCHED_FIFO fails outside the root "
                           "control group");
    MEND("boot with rt_group_sched=0 (Linux 6.16 on), or use Debian's kernel, which has it off");
  } else {
    FOUND(VERDICT_GOOD, "no control group stands in the way");
  }
}

static void check_throttling(const struct patient *patient, struct finding *finding) {
  char line[64];
  if (!patient_read(patient, "/proc/sys/kernel/sched_rt_runtime_us", line, sizeof(line))) {
    FOUND(VERDICT_GOOD, "real-time threads are not throttled");
    return;
  }
  const long long runtime_us = strtoll(line, NULL, 10);
  if (runtime_us == 0) {
    FOUND(VERDICT_PROBLEM, "sched_rt_runtime_us is 0: no real-time thread may run");
    MEND("sysctl kernel.sched_rt_runtime_us=950000");
  } else if (runtime_us > 0 && runtime_us < 500000) {
    FOUND(VERDICT_WARNING, "real-time threads are stopped after %lld us of every second",
          runtime_us);
    MEND("sysctl kernel.sched_rt_runtime_us=950000");
  } else {
    FOUND(VERDICT_GOOD, "real-time threads may run %lld us of every second; the cycle needs half",
          runtime_us < 0 ? 1000000 : runtime_us);
  }
}

static void check_shared_memory(const struct patient *patient, struct finding *finding) {
  char path[512];
  struct statvfs room;
  struct stat file;
  snprintf(path, sizeof(path), "%s/run", patient->root);
  if (stat(path, &file) != 0 || statvfs(path, &room) != 0) {
    FOUND(VERDICT_PROBLEM, "/run: %s", strerror(errno));
    MEND("mount -t tmpfs -o mode=755 tmpfs /run");
    return;
  }
  const unsigned long long mib = (unsigned long long)room.f_bavail * room.f_frsize >> 20;
  if ((file.st_mode & 0777) != 0755) {
    FOUND(VERDICT_WARNING, "/run has mode %o, not 755: drivers may not find the segment there",
          (unsigned)file.st_mode & 07777);
    MEND("chmod 755 /run");
  } else if (mib < SEGMENT_MIB) {
    FOUND(VERDICT_PROBLEM, "/run has %llu MiB left, up to %llu are needed for shared memory", mib,
          SEGMENT_MIB);
    MEND("remove what lies there, or mount -o remount,size=256M /run");
  } else {
    FOUND(VERDICT_GOOD, "/run has room for shared memory");
  }
}

static bool belongs_to(gid_t group) {
  gid_t groups[256];
  const int n = getgroups(256, groups);
  for (int i = 0; i < n; i++) {
    if (groups[i] == group) {
      return true;
    }
  }
  return getegid() == group;
}

static void check_groups(const struct patient *patient, struct finding *finding) {
  (void)patient;
  const struct group *group = getgrnam(SEGMENT_GROUP);
  if (group == NULL) {
    FOUND(VERDICT_NOTE, "there is no group " SEGMENT_GROUP ": drivers must run as propriod's user");
    MEND("make install, then systemd-sysusers");
  } else if (geteuid() != 0 && !belongs_to(group->gr_gid)) {
    FOUND(VERDICT_NOTE, "this user is not in group " SEGMENT_GROUP ": no driver of it can write");
    MEND("usermod -aG " SEGMENT_GROUP " USER, then log in anew");
  } else {
    FOUND(VERDICT_GOOD, "this user may feed sensors");
  }
}

const struct check doctor_limit_checks[] = {{"fifo", check_fifo},
                                            {"cgroup", check_cgroup},
                                            {"throttling", check_throttling},
                                            {"memlock", check_memory_lock},
                                            {"shm", check_shared_memory},
                                            {"groups", check_groups},
                                            {NULL, NULL}};
