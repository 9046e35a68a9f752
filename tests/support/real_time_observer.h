/* Sees what a real-time thread must not do: allocate, fault, or ask the kernel for anything but to
 * wait. For one file of a test program: it replaces the C library's malloc. */
#ifndef REAL_TIME_OBSERVER_H
#define REAL_TIME_OBSERVER_H

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#else
#define SANITIZED 0
#endif

/* What was seen while `observed` was set. */
static struct {
  struct rusage before, after;
  _Atomic bool done;
  _Atomic unsigned allocations;
  _Atomic unsigned forbidden_calls;
  _Atomic int forbidden_number; /* the first forbidden call's */
} seen;

/* This thread is watched now. Volatile: a compiler believes that malloc reads nothing of ours. */
static _Thread_local volatile bool observed;

#if !SANITIZED
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *old, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);
extern void __libc_free(void *block);

static void count_allocation(void) {
  if (observed) {
    atomic_fetch_add(&seen.allocations, 1);
  }
}

/* The C library lets a program replace these; each counts and passes on. */
void *malloc(size_t size) {
  count_allocation();
  return __libc_malloc(size);
}
void *calloc(size_t count, size_t size) {
  count_allocation();
  return __libc_calloc(count, size);
}
void *realloc(void *old, size_t size) {
  count_allocation();
  return __libc_realloc(old, size);
}
void *aligned_alloc(size_t alignment, size_t size) {
  count_allocation();
  return __libc_memalign(alignment, size);
}
int posix_memalign(void **block, size_t alignment, size_t size) {
  count_allocation();
  *block = __libc_memalign(alignment, size);
  return *block != NULL ? 0 : ENOMEM;
}
void free(void *block) {
  if (block != NULL) {
    count_allocation();
  }
  __libc_free(block);
}
#endif

/* A system call that the filter below does not allow arrives here instead of in the kernel. */
static void on_forbidden_call(int signal_number, siginfo_t *info, void *context) {
  (void)signal_number;
  (void)context;
  if (observed) {
    if (atomic_fetch_add(&seen.forbidden_calls, 1) == 0) {
      atomic_store(&seen.forbidden_number, info->si_syscall);
    }
  }
}

#define ALLOW(number)                                                                              \
  BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (number), 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

/* From here on the calling thread may wait, and look at its own account at the end; anything else
 * is caught. Bound to this thread alone. False: there are no such filters here. */
static bool forbid_all_but_waiting(void) {
  static struct sock_filter rules[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      ALLOW(SYS_futex),           /* the wait for a frame */
      ALLOW(SYS_clock_nanosleep), /* the wait for an instant */
      ALLOW(SYS_getrusage),       /* of the tests, while nothing is observed */
      ALLOW(SYS_rt_sigreturn),    /* from the handler above */
      ALLOW(SYS_exit),
      ALLOW(SYS_madvise), /* the C library's end of a thread */
      ALLOW(SYS_rt_sigprocmask),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
  };
  const struct sock_fprog program = {sizeof(rules) / sizeof(rules[0]), rules};
  struct sigaction action = {.sa_sigaction = on_forbidden_call, .sa_flags = SA_SIGINFO};
  sigaction(SIGSYS, &action, NULL);
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

#endif
