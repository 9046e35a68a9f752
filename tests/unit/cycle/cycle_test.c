#include "cycle/cycle.h"

#include "support/cycle_fixture.h"
#include "support/suite.h"

#define PERIOD_S 0.002
static const int64_t period_ns = 2 * NS_PER_MS;

static const struct cycle_hook no_hook = {NULL, NULL};

/* Takes results as the publisher does, and checks what must hold of any two in a row. */
struct follower {
  struct cycle_fixture *fixture;
  uint64_t taken;
  uint64_t last_seq;
  int64_t last_t_ns;
  int64_t t_ns[8192];
  int64_t age_ns[8192]; /* of each estimate's instant when it was handed over */
};

static void follow(struct follower *follower) {
  const struct cycle_result *result;
  while ((result = handover_oldest(follower->fixture->handover)) != NULL) {
    const struct propriod_state *state = &result->estimates.state;
    if (follower->taken > 0) {
      ck_assert_uint_eq(state->seq, follower->last_seq + 1);
      ck_assert_int_gt(state->t_ns, follower->last_t_ns);
    }
    follower->last_seq = state->seq;
    follower->last_t_ns = state->t_ns;
    follower->age_ns[follower->taken % 8192] = result->committed_ns - state->t_ns;
    follower->t_ns[follower->taken++ % 8192] = state->t_ns;
    handover_release(follower->fixture->handover);
  }
}

static void follow_until(struct follower *follower, uint64_t cycles) {
  const int64_t deadline_ns = clock_now_ns() + 20 * NS_PER_S;
  while (follower->taken < cycles) {
    follow(follower);
    ck_assert_int_lt(clock_now_ns(), deadline_ns);
    usleep(500);
  }
}

/* When a driver commits the frames that it stamps with the instants of a grid. */
struct schedule {
  int64_t latency_before_ns, latency_after_ns; /* from the instant stamped to the commit */
  int change;                                  /* frame from which on the second latency holds */
  int stall; /* of every 25 frames, so many are held back and come at once; 0: none */
};

static pid_t start_scheduled_driver(const struct cycle_fixture *f, struct schedule schedule) {
  const pid_t child = fork();
  if (child != 0) {
    return child;
  }
  const struct sched_param param = {.sched_priority = 50};
  sched_setscheduler(0, SCHED_FIFO, &param);
  struct propriod_shm joints;
  int64_t t_ns = (clock_now_ns() / period_ns + 2) * period_ns;
  bool open = open_patiently(&joints, f, PROPRIOD_SHM_JOINTS);
  for (int k = 0; open && getppid() != 1; k++, t_ns += period_ns) {
    const int64_t latency_ns =
        k < schedule.change ? schedule.latency_before_ns : schedule.latency_after_ns;
    const int64_t stall_ns =
        schedule.stall > 0 && k % 25 < schedule.stall ? (schedule.stall - k % 25) * period_ns : 0;
    sleep_to(t_ns + latency_ns + stall_ns);
    open = drive_joints(&joints, t_ns) == 0;
  }
  _exit(0);
}

/* The share of estimates that are for an instant of the grid. */
static double share_on_grid(const struct follower *follower, uint64_t from, uint64_t to) {
  uint64_t on_grid = 0;
  for (uint64_t k = from; k < to; k++) {
    on_grid += follower->t_ns[k] % period_ns == 0;
  }
  return (double)on_grid / (double)(to - from);
}

START_TEST(estimates_are_for_the_instants_of_sampling_however_long_the_bus_takes) {
  struct cycle_fixture *f = cycle_fixture_make(PERIOD_S);
  struct follower follower = {.fixture = f};
  const pid_t driver = start_scheduled_driver(f, (struct schedule){.latency_after_ns = 700000});
  cycle_fixture_start(f, CYCLE_ON_FRAME, PERIOD_S, no_hook);
  follow_until(&follower, 300);
  ck_assert_double_gt(share_on_grid(&follower, 50, 300), 0.8);
  end_driver(driver);
  cycle_fixture_end(f);
}
END_TEST

START_TEST(a_driver_that_becomes_three_periods_later_is_followed_and_starts_cycles_again) {
  struct cycle_fixture *f = cycle_fixture_make(PERIOD_S);
  struct follower follower = {.fixture = f};
  const pid_t driver = start_scheduled_driver(
      f, (struct schedule){.latency_after_ns = 3 * period_ns, .change = 150});
  cycle_fixture_start(f, CYCLE_ON_FRAME, PERIOD_S, no_hook);
  follow_until(&follower, 500);
  ck_assert_double_gt(share_on_grid(&follower, 250, 500), 0.8);
  int followed = 0; /* predictions alone would be for the grid too, but for now */
  for (int k = 250; k < 500; k++) {
    followed += follower.age_ns[k] > 3 * period_ns - period_ns / 4;
  }
  ck_assert_int_gt(followed, 200);
  end_driver(driver);
  cycle_fixture_end(f);
}
END_TEST

START_TEST(a_driver_that_stalls_and_catches_up_makes_no_more_cycles_than_there_are_periods) {
  struct cycle_fixture *f = cycle_fixture_make(PERIOD_S);
  struct follower follower = {.fixture = f};
  const pid_t driver = start_scheduled_driver(f, (struct schedule){.stall = 5});
  cycle_fixture_start(f, CYCLE_ON_FRAME, PERIOD_S, no_hook);
  follow_until(&follower, 50);
  const int64_t start_ns = clock_now_ns();
  const uint64_t before = counter_read(&f->diagnostics.cycles);
  follow_until(&follower, 550);
  const double periods = (double)(clock_now_ns() - start_ns) / (double)period_ns;
  ck_assert_double_lt((double)(counter_read(&f->diagnostics.cycles) - before), 1.05 * periods + 5);
  ck_assert_uint_gt(counter_read(&f->diagnostics.predicted), 20);
  end_driver(driver);
  cycle_fixture_end(f);
}
END_TEST

START_TEST(a_steady_driver_gets_one_cycle_a_frame_and_no_prediction) {
  struct cycle_fixture *f = cycle_fixture_make(PERIOD_S);
  struct follower follower = {.fixture = f};
  const pid_t driver = start_driver(f, period_ns);
  cycle_fixture_start(f, CYCLE_ON_FRAME, PERIOD_S, no_hook);
  follow_until(&follower, 500);
  cycle_stop(f->cycle);
  const uint64_t frames = counter_read(&f->diagnostics.stream[PROPRIOD_SHM_JOINTS].frames);
  const uint64_t predicted = counter_read(&f->diagnostics.predicted);
  const uint64_t on_frames = counter_read(&f->diagnostics.cycles) - predicted;
  ck_assert_uint_le(on_frames, frames);
  ck_assert_uint_lt(frames - on_frames, 25); /* a shared machine may be late: 5 % */
  ck_assert_uint_lt(predicted, 50);
  end_driver(driver);
  cycle_fixture_end(f);
}
END_TEST

START_TEST(a_driver_four_times_as_fast_does_not_drive_the_cycle_beyond_its_rate) {
  struct cycle_fixture *f = cycle_fixture_make(PERIOD_S);
  struct follower follower = {.fixture = f};
  const pid_t driver = start_driver(f, period_ns / 4);
  cycle_fixture_start(f, CYCLE_ON_FRAME, PERIOD_S, no_hook);
  follow_until(&follower, 50);
  const uint64_t before = counter_read(&f->diagnostics.cycles);
  const int64_t start_ns = clock_now_ns();
  follow_until(&follower, 450);
  const double periods = (double)(clock_now_ns() - start_ns) / (double)period_ns;
  /* a frame may come .7 periods after the last, all of them together .8 periods apart */
  ck_assert_double_lt((double)(counter_read(&f->diagnostics.cycles) - before),
                      1.26 * periods + 5.0);
  end_driver(driver);
  cycle_fixture_end(f);
}
END_TEST

START_TEST(without_frames_it_predicts_every_period_and_says_so) {
  struct cycle_fixture *f = cycle_fixture_make(PERIOD_S);
  struct follower follower = {.fixture = f};
  cycle_fixture_start(f, CYCLE_ON_FRAME, PERIOD_S, no_hook);
  const int64_t start_ns = clock_now_ns();
  follow_until(&follower, 200);
  const double elapsed = (double)(clock_now_ns() - start_ns) / (double)period_ns;
  ck_assert_uint_eq(counter_read(&f->diagnostics.predicted), counter_read(&f->diagnostics.cycles));
  ck_assert_double_lt(fabs(elapsed - 200.0), 20.0 + (double)counter_read(&f->diagnostics.skipped));
  for (uint64_t k = 1; k < 200; k++) {
    const int64_t step_ns = follower.t_ns[k] - follower.t_ns[k - 1];
    ck_assert_int_eq(step_ns % period_ns, 0); /* predictions stay on the grid of the period */
  }
  cycle_fixture_end(f);
}
END_TEST

START_TEST(on_the_timer_every_estimate_is_for_a_multiple_of_the_period) {
  struct cycle_fixture *f = cycle_fixture_make(PERIOD_S);
  struct follower follower = {.fixture = f};
  const pid_t driver = start_driver(f, period_ns / 2);
  cycle_fixture_start(f, CYCLE_ON_TIMER, PERIOD_S, no_hook);
  follow_until(&follower, 300);
  for (uint64_t k = 1; k < 300; k++) {
    ck_assert_int_eq((follower.t_ns[k] - follower.t_ns[0]) % period_ns, 0);
  }
  ck_assert_uint_gt(counter_read(&f->diagnostics.stream[PROPRIOD_SHM_JOINTS].lost), 100);
  end_driver(driver);
  cycle_fixture_end(f);
}
END_TEST

/* Holds the cycle up for 10 ms once. */
static void hold_up_once(void *context, struct pipeline *pipeline,
                         const struct cycle_result *result) {
  (void)pipeline;
  if (result->estimates.state.seq == *(const uint64_t *)context) {
    sleep_to(clock_now_ns() + 10 * NS_PER_MS); /* not by computing: the driver needs a processor */
  }
}

/* faults.md Y3 */
START_TEST(ten_milliseconds_of_overrun_skip_periods_keep_the_phase_and_burst_nothing) {
  uint64_t held_up = 100;
  struct cycle_fixture *f = cycle_fixture_make(PERIOD_S);
  struct follower follower = {.fixture = f};
  cycle_fixture_start(f, CYCLE_ON_TIMER, PERIOD_S, (struct cycle_hook){hold_up_once, &held_up});
  follow_until(&follower, 200);
  cycle_stop(f->cycle);
  ck_assert_int_ge(follower.t_ns[100] - follower.t_ns[99], 6 * period_ns);
  int64_t left_out = 0;
  for (uint64_t k = 1; k < 200; k++) {
    const int64_t step_ns = follower.t_ns[k] - follower.t_ns[k - 1];
    ck_assert_int_ge(step_ns, period_ns);
    ck_assert_int_eq(step_ns % period_ns, 0);
    left_out += step_ns / period_ns - 1;
  }
  /* since we looked, on a machine that may have stood still meanwhile */
  const uint64_t after = (uint64_t)((clock_now_ns() - follower.t_ns[199]) / period_ns);
  ck_assert_uint_ge(counter_read(&f->diagnostics.overruns), 1);
  ck_assert_uint_ge(counter_read(&f->diagnostics.skipped), (uint64_t)left_out);
  ck_assert_uint_le(counter_read(&f->diagnostics.skipped), (uint64_t)left_out + after);
  ck_assert_int_ge(histogram_quantile(&f->diagnostics.busy, 1.0), 10 * NS_PER_MS);
  cycle_fixture_end(f);
}
END_TEST

/* faults.md Y3, with frames: the newest one is taken at once, those overtaken are counted. */
START_TEST(an_overrun_on_frames_takes_the_newest_frame_and_counts_those_overtaken) {
  uint64_t held_up = 100;
  struct cycle_fixture *f = cycle_fixture_make(PERIOD_S);
  struct follower follower = {.fixture = f};
  const pid_t driver = start_driver(f, period_ns);
  cycle_fixture_start(f, CYCLE_ON_FRAME, PERIOD_S, (struct cycle_hook){hold_up_once, &held_up});
  follow_until(&follower, 200);
  cycle_stop(f->cycle);
  ck_assert_uint_ge(counter_read(&f->diagnostics.overruns), 1);
  ck_assert_uint_ge(counter_read(&f->diagnostics.stream[PROPRIOD_SHM_JOINTS].lost), 3);
  ck_assert_uint_ge(counter_read(&f->diagnostics.skipped), 3);
  ck_assert_int_ge(follower.t_ns[100] - follower.t_ns[99], 4 * period_ns);
  end_driver(driver);
  cycle_fixture_end(f);
}
END_TEST

START_TEST(two_hundred_pipelines_are_swapped_in_without_a_gap_in_seq) {
  struct cycle_fixture *f = cycle_fixture_make(PERIOD_S);
  struct follower follower = {.fixture = f};
  const pid_t driver = start_driver(f, period_ns);
  cycle_fixture_start(f, CYCLE_ON_FRAME, PERIOD_S, no_hook);
  struct pipeline *spare = fixture_pipeline(f, PERIOD_S);
  follow_until(&follower, 20);
  for (int i = 0; i < 200; i++) {
    ck_assert(cycle_swap(f->cycle, spare, 20 * NS_PER_S));
    struct pipeline *const old = f->pipeline;
    f->pipeline = spare;
    spare = old;
    follow(&follower);
  }
  ck_assert_uint_eq(counter_read(&f->diagnostics.swapped), 200);
  ck_assert_uint_eq(counter_read(&f->diagnostics.dropped), 0);
  end_driver(driver);
  cycle_fixture_end(f);
}
END_TEST

/* Never comes round. */
static void hang(void *context, struct pipeline *pipeline, const struct cycle_result *result) {
  (void)pipeline;
  (void)result;
  while (!atomic_load((_Atomic bool *)context)) {
    usleep(1000);
  }
}

START_TEST(a_pipeline_that_the_cycle_does_not_fetch_in_time_is_taken_back) {
  _Atomic bool go_on = false;
  struct cycle_fixture *f = cycle_fixture_make(PERIOD_S);
  cycle_fixture_start(f, CYCLE_ON_TIMER, PERIOD_S, (struct cycle_hook){hang, &go_on});
  struct pipeline *next = fixture_pipeline(f, PERIOD_S);
  usleep(20000);
  ck_assert(!cycle_swap(f->cycle, next, 20 * NS_PER_MS));
  atomic_store(&go_on, true);
  wait_for(&f->diagnostics.cycles, 5);
  ck_assert_uint_eq(counter_read(&f->diagnostics.swapped), 0);
  ck_assert(cycle_swap(f->cycle, next, 20 * NS_PER_S));
  cycle_fixture_end(f);
}
END_TEST

/* Removes the segment or cuts it short; nanoseconds until a frame is taken from the next one. */
static int64_t back_after(struct cycle_fixture *f, struct propriod_shm *joints, bool removed) {
  const struct counter *frames = &f->diagnostics.stream[PROPRIOD_SHM_JOINTS].frames;
  char path[128];
  struct message event = {""};
  snprintf(path, sizeof(path), "/dev/shm/%s", f->segment);
  uint64_t before = counter_read(frames);
  drive_joints(joints, clock_now_ns());
  wait_for(frames, before + 1);
  propriod_shm_close(joints);
  const int64_t gone_ns = clock_now_ns();
  ck_assert_int_eq(removed ? unlink(path) : truncate(path, 0), 0);
  sleep_to(gone_ns + NS_PER_S); /* as late as it may look */
  ck_assert_int_eq(segment_keeper_step(&f->keeper, &event), STATUS_STALE);
  ck_assert(open_patiently(joints, f, PROPRIOD_SHM_JOINTS));
  before = counter_read(frames);
  for (drive_joints(joints, clock_now_ns()); counter_read(frames) == before;) {
    usleep(100);
  }
  return clock_now_ns() - gone_ns;
}

/* faults.md M2, in real time: the main thread's look once a second included. */
START_TEST(a_segment_removed_or_cut_under_a_running_cycle_is_back_within_1_1_seconds) {
  struct cycle_fixture *f = cycle_fixture_make(PERIOD_S);
  struct propriod_shm joints;
  ck_assert(open_patiently(&joints, f, PROPRIOD_SHM_JOINTS));
  cycle_fixture_start(f, CYCLE_ON_FRAME, PERIOD_S, no_hook);
  for (int way = 0; way < 2; way++) {
    int64_t took_ns = INT64_MAX;
    for (int i = 0; i < 5 && took_ns >= 1100 * NS_PER_MS; i++) { /* what is slow is so each time */
      took_ns = back_after(f, &joints, way == 0);
    }
    ck_assert_int_lt(took_ns, 1100 * NS_PER_MS);
  }
  propriod_shm_close(&joints);
  cycle_fixture_end(f);
}
END_TEST

/* Takes a period and a half. */
static void take_too_long(void *context, struct pipeline *pipeline,
                          const struct cycle_result *result) {
  (void)context, (void)pipeline, (void)result;
  const int64_t until_ns = clock_now_ns() + (int64_t)(1.5e9 * PERIOD_S);
  while (clock_now_ns() < until_ns) {
  }
}

START_TEST(cycles_that_take_too_long_all_the_time_are_an_overload) {
  struct cycle_fixture *f = cycle_fixture_make(PERIOD_S);
  cycle_fixture_start(f, CYCLE_ON_TIMER, PERIOD_S, (struct cycle_hook){take_too_long, NULL});
  wait_for(&f->diagnostics.cycles, 200);
  cycle_stop(f->cycle);
  ck_assert_uint_gt(counter_read(&f->diagnostics.overloaded), 50);
  ck_assert_uint_eq(counter_read(&f->diagnostics.rt_wanted), 1);
  cycle_fixture_end(f);
}
END_TEST

START_TEST(an_arena_without_room_gives_a_status_everywhere_at_start) {
  struct cycle_fixture *f = cycle_fixture_make(PERIOD_S);
  unsigned char little[ARENA_ALIGN] __attribute__((aligned(64)));
  struct arena arena = arena_over(little, sizeof(little));
  const struct sensor_input_settings settings = {.limit_s = {1, 1, 1, 1}};
  struct sensor_input input;
  const struct cycle_parts parts = {0};
  struct cycle *cycle = NULL;
  ck_assert_int_eq(sensor_input_init(&input, &settings, f->count, &f->diagnostics, &arena),
                   STATUS_NO_MEMORY);
  ck_assert_int_eq(cycle_init(&cycle, &(struct cycle_settings){0}, 0.001, &parts, &arena),
                   STATUS_NO_MEMORY);
  ck_assert_int_eq(cycle_init(&cycle, &(struct cycle_settings){0}, 0.0, &parts, &arena),
                   STATUS_BAD_ARGUMENT);
  ck_assert_ptr_null(cycle);
  cycle_fixture_end(f);
}
END_TEST

/* Leaves no room in the ring, and gives none back. */
START_TEST(results_that_nobody_fetches_are_counted_as_dropped_and_the_cycle_goes_on) {
  struct cycle_fixture *f = cycle_fixture_make(PERIOD_S);
  handover_begin(f->handover);
  while (handover_commit(f->handover, 1)) {
    handover_begin(f->handover);
  }
  cycle_fixture_start(f, CYCLE_ON_TIMER, PERIOD_S, no_hook);
  wait_for(&f->diagnostics.cycles, 20);
  cycle_stop(f->cycle);
  ck_assert_uint_eq(counter_read(&f->diagnostics.dropped), counter_read(&f->diagnostics.cycles));
  cycle_fixture_end(f);
}
END_TEST

static void stay_for_two_periods(void *context, struct pipeline *pipeline,
                                 const struct cycle_result *result) {
  (void)context, (void)pipeline, (void)result;
  sleep_to(clock_now_ns() + 2 * period_ns + period_ns / 2);
}

START_TEST(a_frame_that_came_while_the_cycle_was_at_work_is_not_counted_as_a_late_wakeup) {
  struct cycle_fixture *f = cycle_fixture_make(PERIOD_S);
  struct follower follower = {.fixture = f};
  const pid_t driver = start_driver(f, period_ns);
  cycle_fixture_start(f, CYCLE_ON_FRAME, PERIOD_S, (struct cycle_hook){stay_for_two_periods, NULL});
  follow_until(&follower, 100);
  cycle_stop(f->cycle);
  /* only those count for which it waited: before the driver came, and where that was late itself */
  ck_assert_uint_lt(counter_read(&f->diagnostics.wakeup.count),
                    counter_read(&f->diagnostics.cycles) / 2);
  end_driver(driver);
  cycle_fixture_end(f);
}
END_TEST

SUITE(results_that_nobody_fetches_are_counted_as_dropped_and_the_cycle_goes_on,
      a_frame_that_came_while_the_cycle_was_at_work_is_not_counted_as_a_late_wakeup,
      estimates_are_for_the_instants_of_sampling_however_long_the_bus_takes,
      a_driver_that_becomes_three_periods_later_is_followed_and_starts_cycles_again,
      a_driver_that_stalls_and_catches_up_makes_no_more_cycles_than_there_are_periods,
      a_steady_driver_gets_one_cycle_a_frame_and_no_prediction,
      a_driver_four_times_as_fast_does_not_drive_the_cycle_beyond_its_rate,
      without_frames_it_predicts_every_period_and_says_so,
      on_the_timer_every_estimate_is_for_a_multiple_of_the_period,
      ten_milliseconds_of_overrun_skip_periods_keep_the_phase_and_burst_nothing,
      an_overrun_on_frames_takes_the_newest_frame_and_counts_those_overtaken,
      two_hundred_pipelines_are_swapped_in_without_a_gap_in_seq,
      a_pipeline_that_the_cycle_does_not_fetch_in_time_is_taken_back,
      a_segment_removed_or_cut_under_a_running_cycle_is_back_within_1_1_seconds,
      cycles_that_take_too_long_all_the_time_are_an_overload,
      an_arena_without_room_gives_a_status_everywhere_at_start)
