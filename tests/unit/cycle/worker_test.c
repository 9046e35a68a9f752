#include "cycle/worker.h"

#include "common/clock.h"
#include "support/suite.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <time.h>

struct sum {
  struct worker_job job;
  uint64_t n;
  uint64_t result;  /* written by the worker */
  uint64_t adopted; /* written by the cycle */
};

static void add_up(struct worker_job *job) {
  struct sum *sum = (struct sum *)job;
  sum->result = 0;
  for (uint64_t i = 1; i <= sum->n; i++) {
    sum->result += i;
  }
}

static void take_over(struct worker_job *job) {
  struct sum *sum = (struct sum *)job;
  sum->adopted = sum->result;
}

static struct worker *start(void) {
  struct message error;
  struct worker *worker = worker_start(&error);
  ck_assert_ptr_nonnull(worker);
  return worker;
}

static void wait_ms(int ms) {
  nanosleep(&(struct timespec){.tv_nsec = ms * NS_PER_MS}, NULL);
}

START_TEST(a_job_is_run_by_the_thread_and_adopted_by_the_cycle) {
  struct worker *worker = start();
  struct sum sum = {.job = {.run = add_up, .adopt = take_over}, .n = 1000};
  ck_assert(worker_post(worker, &sum.job));
  for (int i = 0; i < 10000 && worker_finished(worker) == 0; i++) {
    wait_ms(2);
  }
  ck_assert_uint_eq(sum.adopted, 0);
  ck_assert_uint_eq(worker_adopt(worker), 1);
  ck_assert_uint_eq(sum.adopted, 500500);
  ck_assert_uint_eq(worker_under_way(worker), 0);
  worker_stop(worker);
}
END_TEST

START_TEST(ten_thousand_jobs_come_back_each_once_and_in_order) {
  struct worker *worker = start();
  struct sum sum[WORKER_MAX_JOBS];
  uint64_t posted = 0, adopted = 0;
  while (adopted < 10000) {
    while (posted < 10000 && worker_under_way(worker) < WORKER_MAX_JOBS) {
      struct sum *next = &sum[posted % WORKER_MAX_JOBS];
      *next = (struct sum){.job = {.run = add_up, .adopt = take_over}, .n = posted % 100};
      ck_assert(worker_post(worker, &next->job));
      posted++;
    }
    const size_t n = worker_adopt(worker);
    for (size_t i = 0; i < n; i++, adopted++) {
      const uint64_t k = adopted % 100;
      ck_assert_uint_eq(sum[adopted % WORKER_MAX_JOBS].adopted, k * (k + 1) / 2);
    }
    sched_yield();
  }
  ck_assert_uint_eq(worker_finished(worker), 10000);
  worker_stop(worker);
}
END_TEST

START_TEST(a_seventeenth_job_is_refused_and_does_not_wait) {
  struct worker *worker = start();
  struct sum sum[WORKER_MAX_JOBS + 1];
  for (size_t i = 0; i <= WORKER_MAX_JOBS; i++) {
    sum[i] = (struct sum){.job = {.run = add_up, .adopt = take_over}, .n = 1};
    ck_assert_int_eq(worker_post(worker, &sum[i].job), i < WORKER_MAX_JOBS);
  }
  worker_stop(worker);
}
END_TEST

START_TEST(posting_and_adopting_cost_less_than_a_microsecond) {
  struct worker *worker = start();
  struct sum sum = {.job = {.run = add_up, .adopt = take_over}, .n = 1};
  int64_t shortest_ns = INT64_MAX;
  for (int i = 0; i < 200; i++) {
    const int64_t before_ns = clock_now_ns();
    worker_post(worker, &sum.job);
    worker_adopt(worker);
    const int64_t took_ns = clock_now_ns() - before_ns;
    shortest_ns = took_ns < shortest_ns ? took_ns : shortest_ns;
    while (worker_under_way(worker) > 0) {
      sched_yield();
      worker_adopt(worker);
    }
  }
  ck_assert_int_lt(shortest_ns, 1000);
  worker_stop(worker);
}
END_TEST

/* Three times, however busy the machine is. */
static void beats_on(struct worker *worker) {
  uint64_t last = worker_heartbeat(worker);
  for (int i = 0; i < 3; i++) {
    uint64_t now = last;
    for (int ms = 0; ms < 20000 && now == last; ms += 5) {
      wait_ms(5);
      now = worker_heartbeat(worker);
    }
    ck_assert_uint_gt(now, last);
    last = now;
  }
}

START_TEST(the_thread_shows_that_it_lives_also_without_jobs) {
  struct worker *worker = start();
  beats_on(worker);
  worker_stop(worker);
}
END_TEST

/* Works until told to stop, and says so all the time. */
static atomic_bool enough;

static void work_and_beat(struct worker_job *job) {
  while (!atomic_load(&enough)) {
    wait_ms(1);
    worker_beat(job);
  }
}

static void nothing(struct worker_job *job) {
  (void)job;
}

START_TEST(a_long_job_that_says_so_is_not_taken_for_one_that_hangs) {
  struct worker *worker = start();
  struct worker_job job = {.run = work_and_beat, .adopt = nothing};
  ck_assert(worker_post(worker, &job));
  wait_ms(20);
  beats_on(worker);
  ck_assert_uint_eq(worker_finished(worker), 0); /* it was this one job all the time */
  atomic_store(&enough, true);
  worker_stop(worker);
}
END_TEST

static atomic_int begun;

static void never_returns_early(struct worker_job *job) {
  (void)job;
  atomic_fetch_add(&begun, 1);
  wait_ms(100);
}

START_TEST(stopping_waits_for_the_running_job_and_forgets_the_others) {
  struct worker *worker = start();
  struct worker_job slow[WORKER_MAX_JOBS];
  for (int i = 0; i < WORKER_MAX_JOBS; i++) {
    slow[i] = (struct worker_job){.run = never_returns_early, .adopt = never_returns_early};
    worker_post(worker, &slow[i]);
  }
  while (atomic_load(&begun) == 0) {
    wait_ms(1);
  }
  worker_stop(worker);
  ck_assert_int_lt(atomic_load(&begun), WORKER_MAX_JOBS);
}
END_TEST

SUITE(a_job_is_run_by_the_thread_and_adopted_by_the_cycle,
      ten_thousand_jobs_come_back_each_once_and_in_order,
      a_seventeenth_job_is_refused_and_does_not_wait,
      posting_and_adopting_cost_less_than_a_microsecond,
      the_thread_shows_that_it_lives_also_without_jobs,
      a_long_job_that_says_so_is_not_taken_for_one_that_hangs,
      stopping_waits_for_the_running_job_and_forgets_the_others)
