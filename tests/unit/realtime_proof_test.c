/* What the real-time thread does not do in 10 000 cycles: allocate, fault, block, or ask the kernel
 * for anything but to wait. */
#include "cycle.h"

#include "cycle_fixture.h"
#include "suite.h"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <ucontext.h>

#define PERIOD_S 0.0005
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#else
#define SANITIZED 0
#endif
enum { CYCLES = 10000, FIRST = 200 };

/* What is observed in the real-time thread between cycle FIRST and FIRST + CYCLES. */
static struct {
  struct rusage before, after;
  _Atomic bool done;
  _Atomic unsigned allocations;
  _Atomic unsigned forbidden_calls;
  _Atomic int forbidden_number; /* the first forbidden call's */
} seen;

static _Thread_local bool observed; /* this thread is inside the observed cycles */

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
 * is caught. Bound to this thread alone. */
static bool forbid_all_but_waiting(void) {
  static struct sock_filter rules[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      ALLOW(SYS_futex),           /* the wait for a frame */
      ALLOW(SYS_clock_nanosleep), /* the wait for an instant */
      ALLOW(SYS_getrusage),       /* of this test, outside the observed cycles */
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

static _Atomic bool filtered;

static void observe(void *context, struct pipeline *pipeline, const struct cycle_result *result) {
  (void)pipeline;
  (void)context;
  if (result->estimates.state.seq == FIRST) {
    atomic_store(&filtered, forbid_all_but_waiting());
    getrusage(RUSAGE_THREAD, &seen.before);
    observed = true;
  } else if (result->estimates.state.seq == FIRST + CYCLES) {
    observed = false;
    getrusage(RUSAGE_THREAD, &seen.after);
    atomic_store(&seen.done, true);
  }
}

/* The driver is forked before memory is taken: a fork leaves every page of its parent to be copied
 * at the next write, which is a fault. */
static pid_t fork_driver_first(void) {
  const pid_t child = fork();
  if (child == 0) {
    struct cycle_fixture f = {.count = {30, 1, 1260, 0}};
    name_segment(&f, getppid());
    usleep(200000);
    drive(&f, (int64_t)(PERIOD_S * 1e9));
  }
  return child;
}

static void run_observed(enum cycle_trigger trigger) {
  if (SANITIZED) {
    skip("a sanitizer allocates and calls the kernel by itself");
  }
  struct message note;
  const struct realtime_settings realtime = {REALTIME_PREFERRED, 60, -1};
  const pid_t driver = fork_driver_first();
  ck_assert_int_eq(realtime_prepare(&realtime, &note), STATUS_OK);
  struct cycle_fixture *f = cycle_fixture_make(PERIOD_S);
  cycle_fixture_start(f, trigger, PERIOD_S, (struct cycle_hook){observe, NULL});
  const int64_t deadline_ns = clock_now_ns() + 60 * NS_PER_S;
  while (!atomic_load(&seen.done)) {
    ck_assert_int_lt(clock_now_ns(), deadline_ns);
    while (handover_oldest(f->handover) != NULL) {
      handover_release(f->handover);
    }
    usleep(10000);
  }
  ck_assert_uint_gt(counter_read(&f->diagnostics.stream[PROPRIOD_SHM_SKIN].frames), CYCLES / 2);
  end_driver(driver);
  cycle_fixture_end(f);
}

static void nothing_forbidden_was_seen(void) {
  ck_assert_uint_eq(atomic_load(&seen.allocations), 0);
  ck_assert_int_eq(seen.after.ru_majflt - seen.before.ru_majflt, 0);
  ck_assert_int_eq(seen.after.ru_minflt - seen.before.ru_minflt, 0);
  /* the thread gave the processor away of its own accord once a cycle: to wait */
  ck_assert_int_le(seen.after.ru_nvcsw - seen.before.ru_nvcsw, CYCLES + CYCLES / 100);
  ck_assert_msg(atomic_load(&seen.forbidden_calls) == 0, "%u system calls, the first number %d",
                atomic_load(&seen.forbidden_calls), atomic_load(&seen.forbidden_number));
  if (!atomic_load(&filtered)) {
    skip("no seccomp filter here: system calls were not observed");
  }
}

START_TEST(
    ten_thousand_cycles_on_frames_neither_allocate_nor_fault_nor_call_the_kernel_but_to_wait) {
  run_observed(CYCLE_ON_FRAME);
  nothing_forbidden_was_seen();
}
END_TEST

START_TEST(ten_thousand_cycles_on_the_timer_neither_allocate_nor_fault_nor_call_the_kernel) {
  run_observed(CYCLE_ON_TIMER);
  nothing_forbidden_was_seen();
}
END_TEST

static void *misbehave(void *argument) {
  (void)argument;
  void *volatile block = malloc(100); /* the thread's share of the heap, set up by system calls */
  free(block);
  atomic_store(&filtered, forbid_all_but_waiting());
  observed = true;
  block = malloc(100);
  free(block);
  syscall(SYS_getppid);
  observed = false;
  return NULL;
}

/* The observer sees what it claims to see. */
START_TEST(the_observer_notices_an_allocation_and_a_system_call) {
  pthread_t thread;
  if (SANITIZED) {
    skip("a sanitizer allocates and calls the kernel by itself");
  }
  pthread_create(&thread, NULL, misbehave, NULL);
  pthread_join(thread, NULL);
  if (!atomic_load(&filtered)) {
    skip("no seccomp filter here");
  }
  ck_assert_uint_eq(atomic_load(&seen.allocations), 2);
  ck_assert_uint_eq(atomic_load(&seen.forbidden_calls), 1);
  ck_assert_int_eq(atomic_load(&seen.forbidden_number), SYS_getppid);
}
END_TEST

SUITE(ten_thousand_cycles_on_frames_neither_allocate_nor_fault_nor_call_the_kernel_but_to_wait,
      ten_thousand_cycles_on_the_timer_neither_allocate_nor_fault_nor_call_the_kernel,
      the_observer_notices_an_allocation_and_a_system_call)
