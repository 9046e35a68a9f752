#include "common/diagnostics_window.h"

#include "support/suite.h"

static struct diagnostics now;
static struct diagnostics_window window;
static const int64_t second_ns = 1000000000;

static void begin(void) {
  static const struct diagnostics none;
  now = none;
  diagnostics_window_reset(&window);
}

START_TEST(only_the_last_seconds_count) {
  begin();
  counter_add(&now.overruns, 1000); /* before anybody looked */
  for (int t = 0; t <= 60; t++) {
    counter_add(&now.cycles, 100);
    counter_add(&now.stream[PROPRIOD_SHM_IMU].late, 1);
    diagnostics_window_step(&window, &now, 5 * second_ns + t * second_ns);
    ck_assert_uint_eq(counter_read(&window.recent.overruns), 0);
    ck_assert_double_ge(window.span_s, t < 10 ? t : 10.0);
    ck_assert_double_lt(window.span_s, 12.0);
    assert_near((double)counter_read(&window.recent.cycles), 100.0 * window.span_s, 1e-9);
    assert_near((double)counter_read(&window.recent.stream[PROPRIOD_SHM_IMU].late), window.span_s,
                1e-9);
  }
  counter_add(&now.overruns, 7);
  diagnostics_window_step(&window, &now, 66 * second_ns);
  ck_assert_uint_eq(counter_read(&window.recent.overruns), 7);
  ck_assert_uint_eq(counter_read(&now.overruns), 1007);
}
END_TEST

START_TEST(a_long_cycle_of_the_past_is_not_the_largest_of_now) {
  begin();
  histogram_add(&now.busy, 5000000);
  diagnostics_window_step(&window, &now, second_ns);
  for (int k = 0; k < 100; k++) {
    histogram_add(&now.busy, 100000);
  }
  diagnostics_window_step(&window, &now, 2 * second_ns);
  ck_assert_uint_eq(counter_read(&window.recent.busy.count), 100);
  assert_near((double)counter_read(&window.recent.busy.max_ns), 1e5, 0.04e5);
  assert_near((double)histogram_quantile(&window.recent.busy, 0.5), 1e5, 0.04e5);
  assert_near(histogram_mean(&window.recent.busy), 1e5, 1e-9);
}
END_TEST

START_TEST(what_is_granted_and_how_fresh_a_stream_is_stays_as_it_is) {
  begin();
  counter_set(&now.rt_priority, 80);
  atomic_store(&now.stream[PROPRIOD_SHM_SKIN].t_ns, 42);
  atomic_store(&now.stream[PROPRIOD_SHM_SKIN].present, true);
  diagnostics_window_step(&window, &now, second_ns);
  diagnostics_window_step(&window, &now, 9 * second_ns);
  ck_assert_uint_eq(counter_read(&window.recent.rt_priority), 80);
  ck_assert_int_eq(atomic_load(&window.recent.stream[PROPRIOD_SHM_SKIN].t_ns), 42);
  ck_assert(atomic_load(&window.recent.stream[PROPRIOD_SHM_SKIN].present));
}
END_TEST

SUITE(only_the_last_seconds_count, a_long_cycle_of_the_past_is_not_the_largest_of_now,
      what_is_granted_and_how_fresh_a_stream_is_stays_as_it_is)
