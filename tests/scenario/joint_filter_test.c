/* How the joint filter begins, goes on, says how it fares and begins again. */
#include "joints/joint_filter_core.h"
#include "support/chain_run.h"

START_TEST(it_settles_without_a_transient_and_says_when) {
  struct run *run = new_run("fast", 1000.0, 250.0, 0.0);
  start(run);
  take_frame(run);
  give(run);
  ck_assert_int_eq(run->out.status, PROPRIOD_STATUS_INIT);
  advance(run, 0.25);
  ck_assert_int_eq(run->out.status, PROPRIOD_STATUS_OK);
  for (int step = 0; step < 100; step++) { /* the chain stands still: nothing may move */
    take_frame(run);
    give(run);
    for (size_t j = 0; j < JOINTS && step < 50; j++) {
      ck_assert_double_le(fabs(run->out.dq[j]), 0.05);
      ck_assert_double_le(fabs(run->out.ddq[j]), 5.0 * run->out.ddq_sd[j]);
    }
  }
}
END_TEST

START_TEST(duplicates_change_not_one_bit) {
  struct run *a = new_run("fast", 200.0, 200.0, 0.0), *b = new_run("fast", 200.0, 200.0, 0.0);
  start(a);
  start(b);
  struct sensor_frame again;
  for (int step = 0; step < 300; step++) {
    take_frame(a);
    give(a);
    take_frame(b);
    give(b);
    if (step % 20 == 7) { /* the same samples, called fresh once more */
      again = b->frame;
      joint_filter_step(b->filter, &again, &b->out);
    }
    ck_assert_mem_eq(a->out.q, b->out.q, sizeof(a->out.q[0]) * JOINTS);
    ck_assert_mem_eq(a->out.ddq_sd, b->out.ddq_sd, sizeof(a->out.ddq_sd[0]) * JOINTS);
  }
  ck_assert_uint_ge(joint_filter_counters(b->filter)->duplicates, 3 * 14);
}
END_TEST

START_TEST(stamps_of_zero_from_the_future_or_from_long_ago_are_refused) {
  struct run *run = new_run("medium", 200.0, 200.0, 0.0);
  start(run);
  advance(run, 1.0);
  const struct joint_filter_counters before = *joint_filter_counters(run->filter);
  take_frame(run);
  run->frame.joints.stamp.t_ns = 0;
  run->frame.imu.stamp.t_ns = run->frame.t_ns + 3600000000000;
  run->frame.skin.stamp.t_ns -= 500000000;
  give(run);
  const struct joint_filter_counters *after = joint_filter_counters(run->filter);
  ck_assert_uint_eq(after->time_refused, before.time_refused + 2);
  ck_assert_uint_eq(after->duplicates, before.duplicates + 1);
  ck_assert_uint_eq(after->updates, before.updates);
  advance(run, 0.1);
  ck_assert_uint_eq(after->resets, 0);
}
END_TEST

/* So many frames of 5 ms in which nobody speaks. */
static void be_silent(struct run *run, int frames) {
  for (int step = 0; step < frames; step++) {
    take_frame(run);
    run->frame.joints.stamp.fresh = run->frame.imu.stamp.fresh = run->frame.skin.stamp.fresh =
        false;
    give(run);
  }
}

START_TEST(a_gap_of_a_second_is_stale_and_no_reset) {
  struct run *run = new_run("medium", 200.0, 200.0, 0.0);
  start(run);
  advance(run, 1.0);
  be_silent(run, 200);
  ck_assert_int_eq(run->out.status, PROPRIOD_STATUS_STALE);
  advance(run, 1.0);
  ck_assert_uint_eq(run->out.resets, 0);
  ck_assert_int_eq(run->out.status, PROPRIOD_STATUS_OK);
}
END_TEST

START_TEST(a_gap_of_six_seconds_starts_anew_once_and_says_so) {
  struct run *run = new_run("medium", 200.0, 200.0, 0.0);
  start(run);
  advance(run, 1.0);
  be_silent(run, 1200);
  ck_assert_int_eq(run->out.status, PROPRIOD_STATUS_STALE);
  const uint32_t resets = run->out.resets;
  advance(run, 1.0);
  ck_assert_uint_eq(run->out.resets, resets + 1);
  ck_assert_int_eq(run->out.status, PROPRIOD_STATUS_OK);
}
END_TEST

/* Whoever speaks first after the gap: nothing is predicted across it. */
START_TEST(a_gap_that_the_imu_ends_starts_anew_once_too) {
  struct run *run = new_run("medium", 200.0, 200.0, 0.0);
  start(run);
  advance(run, 1.0);
  be_silent(run, 1200);
  for (int step = 0; step < 20; step++) {
    take_frame(run);
    run->frame.joints.stamp.fresh = run->frame.skin.stamp.fresh = false;
    give(run);
  }
  ck_assert_uint_eq(run->out.resets, 1);
  advance(run, 1.0);
  ck_assert_uint_eq(run->out.resets, 1);
  ck_assert_int_eq(run->out.status, PROPRIOD_STATUS_OK);
}
END_TEST

START_TEST(an_adopted_state_goes_on_without_a_jump) {
  struct run *run = new_run("fast", 200.0, 200.0, 0.0), *next = new_run("fast", 200.0, 200.0, 0.0);
  start(run);
  start(next);
  advance(run, 2.0);
  for (int step = 0; step < 401; step++) {
    take_frame(next);
  }
  run->filter->ground.other = true;
  ck_assert_int_eq(joint_filter_adopt(next->filter, run->filter), STATUS_OK);
  ck_assert(next->filter->ground.other);
  take_frame(run);
  give(run);
  while (sim_truth(next->sim)->t_ns < sim_truth(run->sim)->t_ns) {
    take_frame(next);
  }
  give(next);
  for (size_t j = 0; j < JOINTS; j++) {
    assert_near(next->out.q[j], run->out.q[j], 0.2 * run->out.q_sd[j]);
    assert_near(next->out.ddq[j], run->out.ddq[j], 0.5 * run->out.ddq_sd[j]);
  }
  ck_assert_int_eq(next->out.status, PROPRIOD_STATUS_OK);
}
END_TEST

/* What is published must not count backwards when a reload changes the size of the state. */
START_TEST(a_state_of_another_size_is_adopted_without_a_reset_and_no_counter_falls) {
  struct run *run = new_run("fast", 200.0, 200.0, 0.0), *next = new_run("fast", 200.0, 200.0, 0.0);
  next->settings.link_bias = false;
  start(run);
  start(next);
  advance(run, 1.0);
  const struct joint_filter_counters before = *joint_filter_counters(run->filter);
  const uint32_t resets = run->out.resets;
  ck_assert_int_eq(joint_filter_adopt(next->filter, run->filter), STATUS_OK);
  take_frame(next);
  give(next);
  ck_assert_uint_eq(next->out.resets, resets);
  ck_assert_uint_gt(joint_filter_counters(next->filter)->steps, before.steps);
  ck_assert_uint_ge(joint_filter_counters(next->filter)->updates, before.updates);
}
END_TEST

START_TEST(settings_that_a_reload_changes_hold_for_the_state_that_is_taken_over) {
  struct run *run = new_run("fast", 200.0, 200.0, 0.0), *next = new_run("fast", 200.0, 200.0, 0.0);
  next->settings.adapt_density = false;
  next->settings.joint_density = 1e5;
  next->settings.gyro_noise = 0.02;
  start(run);
  start(next);
  advance(run, 1.0);
  ck_assert_int_eq(joint_filter_adopt(next->filter, run->filter), STATUS_OK);
  for (size_t j = 0; j < JOINTS; j++) {
    ck_assert_double_ne(run->filter->density[j], 1e5);
    ck_assert_double_eq(next->filter->density[j], 1e5);
  }
  ck_assert_double_eq(next->filter->settings.gyro_noise, 0.02);
  const struct joint_layout *l = &run->filter->layout;
  const struct instant *before = instants_newest(&run->filter->instants),
                       *after = instants_newest(&next->filter->instants);
  ck_assert_mem_eq(after->x, before->x, l->numbers * sizeof(double)); /* biases among it */
  ck_assert_mem_eq(after->P, before->P, l->size * l->stride * sizeof(double));
}
END_TEST

/* Believed noises a thousand times too small: said within a hundred cycles, and no end to it that
 * is not finite. */
START_TEST(a_filter_that_believes_too_much_says_so_within_a_hundred_cycles) {
  for (int which = 0; which < 3; which++) {
    struct run *run = new_run("fast", 200.0, 200.0, 0.0);
    double *const noise[] = {&run->settings.encoder_noise, &run->settings.cell_noise,
                             &run->settings.accelerometer_noise};
    *noise[which] /= sqrt(1000.0);
    run->settings.adapt_density = false;
    run->settings.joint_density = 10.0;
    start(run);
    int cycles = 0;
    while (cycles < 100 && run->out.status != PROPRIOD_STATUS_DEGRADED &&
           run->out.status != PROPRIOD_STATUS_DIVERGED) {
      take_frame(run);
      give(run);
      cycles += run->out.status != PROPRIOD_STATUS_INIT; /* from the moment it claims to be well */
    }
    ck_assert_msg(cycles < 100, "noise %d: status %d", which, (int)run->out.status);
    advance(run, 2.0);
    ck_assert_int_ne(run->out.status, PROPRIOD_STATUS_OK);
  }
}
END_TEST

START_TEST(settings_that_are_no_noise_or_time_are_refused) {
  struct run *run = new_run("rest", 200.0, 200.0, 0.0);
  double *const setting[] = {&run->settings.period_s,   &run->settings.encoder_noise,
                             &run->settings.cell_noise, &run->settings.joint_density_max,
                             &run->settings.gyro_noise, &run->settings.window_s};
  for (size_t k = 0; k < sizeof(setting) / sizeof(setting[0]); k++) {
    const double good = *setting[k], bad[] = {0.0, -1.0, NAN, INFINITY};
    for (size_t b = 0; b < 4; b++) {
      struct arena count = {0};
      *setting[k] = bad[b];
      ck_assert_int_eq(joint_filter_init(&run->filter, run->stock.robot, &run->settings, &count),
                       STATUS_OUT_OF_RANGE);
      ck_assert_ptr_null(run->filter);
    }
    *setting[k] = good;
  }
}
END_TEST

SUITE(it_settles_without_a_transient_and_says_when, duplicates_change_not_one_bit,
      stamps_of_zero_from_the_future_or_from_long_ago_are_refused,
      a_gap_of_a_second_is_stale_and_no_reset, a_gap_of_six_seconds_starts_anew_once_and_says_so,
      a_gap_that_the_imu_ends_starts_anew_once_too, an_adopted_state_goes_on_without_a_jump,
      a_state_of_another_size_is_adopted_without_a_reset_and_no_counter_falls,
      settings_that_a_reload_changes_hold_for_the_state_that_is_taken_over,
      a_filter_that_believes_too_much_says_so_within_a_hundred_cycles,
      settings_that_are_no_noise_or_time_are_refused)
