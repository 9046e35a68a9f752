#include "cycle/realtime.h"

#include "cycle/cycle.h"
#include "support/cycle_fixture.h"
#include "support/suite.h"

#include <dirent.h>
#include <float.h>
#include <sys/resource.h>

#define PERIOD_S 0.002

static const struct cycle_hook no_hook = {NULL, NULL};

static void skip_unless_root(void) {
  if (geteuid() != 0) {
    skip("only root can become a user without rights");
  }
}

/* Becomes a user without rights, with nothing granted. */
static void drop_rights(void) {
  const struct rlimit none = {0, 0};
  ck_assert_int_eq(setrlimit(RLIMIT_RTPRIO, &none), 0);
  ck_assert_int_eq(setrlimit(RLIMIT_MEMLOCK, &none), 0);
  ck_assert_int_eq(setuid(65534), 0);
}

START_TEST(real_time_that_is_required_and_not_granted_ends_the_start_with_a_reason) {
  skip_unless_root();
  struct cycle_fixture *f = cycle_fixture_make(PERIOD_S);
  const struct realtime_settings required = {REALTIME_REQUIRED, 60, -1};
  struct message note;
  pthread_t thread;
  segment_retire(&f->keeper.place[0]); /* their names could not be removed afterwards */
  unlink(f->keeper.lock.path);
  drop_rights();
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) /* mlockall() does nothing */
  ck_assert_int_eq(realtime_prepare(&required, &note), STATUS_REFUSED);
  ck_assert_ptr_nonnull(strstr(note.text, "memory cannot be locked"));
#endif
  ck_assert_int_eq(realtime_thread_start(&thread, &required, (void *(*)(void *))abort, NULL, &note),
                   STATUS_REFUSED);
  ck_assert_ptr_nonnull(strstr(note.text, "SCHED_FIFO"));
  cycle_fixture_end(f);
}
END_TEST

START_TEST(real_time_that_is_preferred_and_not_granted_runs_all_the_same_and_says_so) {
  skip_unless_root();
  struct cycle_fixture *f = cycle_fixture_make(PERIOD_S);
  struct message note;
  cycle_fixture_prepare(f, CYCLE_ON_TIMER, PERIOD_S, no_hook);
  segment_retire(&f->keeper.place[0]); /* their names could not be removed afterwards */
  unlink(f->keeper.lock.path);
  drop_rights();
  ck_assert_int_eq(cycle_start(f->cycle, &note), STATUS_OK);
  ck_assert_ptr_nonnull(strstr(note.text, "SCHED_FIFO"));
  wait_for(&f->diagnostics.cycles, 10);
  cycle_fixture_end(f);
}
END_TEST

START_TEST(a_cpu_that_is_not_there_is_named) {
  const struct realtime_settings settings = {REALTIME_REQUIRED, 60, 1000};
  struct message note;
  pthread_t thread;
  ck_assert_int_eq(realtime_thread_start(&thread, &settings, (void *(*)(void *))abort, NULL, &note),
                   STATUS_REFUSED);
  ck_assert_ptr_nonnull(strstr(note.text, "no cpu 1000"));
}
END_TEST

/* faults.md Y6 */
START_TEST(no_memory_for_the_thread_is_a_reason_and_not_a_crash) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  skip("address space cannot be limited under a sanitizer");
#endif
  struct cycle_fixture *f = cycle_fixture_make(PERIOD_S);
  struct message note = {""};
  cycle_fixture_prepare(f, CYCLE_ON_TIMER, PERIOD_S, no_hook);
  struct rlimit space;
  getrlimit(RLIMIT_AS, &space);
  space.rlim_cur = 1024;
  setrlimit(RLIMIT_AS, &space);
  const enum status status = cycle_start(f->cycle, &note);
  space.rlim_cur = space.rlim_max;
  setrlimit(RLIMIT_AS, &space);
  ck_assert_int_eq(status, STATUS_REFUSED);
  ck_assert_ptr_nonnull(strstr(note.text, "thread: "));
  cycle_fixture_end(f);
}
END_TEST

static int threads_of_this_process(void) {
  int n = 0;
  DIR *tasks = opendir("/proc/self/task");
  for (const struct dirent *entry; (entry = readdir(tasks)) != NULL;) {
    n += entry->d_name[0] != '.';
  }
  closedir(tasks);
  return n;
}

START_TEST(preparing_makes_no_thread) {
  struct message note;
  const int before = threads_of_this_process();
  ck_assert_int_eq(realtime_prepare(&(struct realtime_settings){REALTIME_OFF, 1, -1}, &note),
                   STATUS_OK);
  realtime_warm_up();
  ck_assert_int_eq(threads_of_this_process(), before);
}
END_TEST

START_TEST(a_warmed_up_thread_computes_with_zero_in_place_of_denormals) {
  volatile double smallest = DBL_MIN;
  ck_assert_double_gt(0.5 * smallest, 0.0);
  realtime_warm_up();
  ck_assert_double_eq(0.5 * smallest, 0.0);
}
END_TEST

SUITE(real_time_that_is_required_and_not_granted_ends_the_start_with_a_reason,
      real_time_that_is_preferred_and_not_granted_runs_all_the_same_and_says_so,
      a_cpu_that_is_not_there_is_named, no_memory_for_the_thread_is_a_reason_and_not_a_crash,
      preparing_makes_no_thread, a_warmed_up_thread_computes_with_zero_in_place_of_denormals)
