#include "common/clock.h"
#include "publish/publish_sender.h"
#include "support/suite.h"

static const int64_t period_ns = NS_PER_MS;

START_TEST(the_next_look_is_just_after_the_next_result_is_due) {
  const int64_t newest_ns = 10 * NS_PER_S;
  for (int64_t now_ns = newest_ns; now_ns < newest_ns + period_ns; now_ns += 50 * NS_PER_US) {
    const int64_t look_ns = publish_next_look(newest_ns, period_ns, now_ns);
    ck_assert_int_gt(look_ns, newest_ns + period_ns);
    ck_assert_int_le(look_ns, newest_ns + period_ns + 100 * NS_PER_US);
  }
}
END_TEST

START_TEST(it_always_lies_ahead_and_never_more_than_a_period_when_the_result_is_late) {
  struct random random = random_from(test_seed());
  for (int i = 0; i < 10000; i++) {
    const int64_t period = (int64_t)random_uniform(&random, 1e5, 1e8);
    const int64_t newest_ns = (int64_t)random_uniform(&random, 0.0, 1e12);
    const int64_t now_ns = newest_ns + (int64_t)random_uniform(&random, 0.0, 1e10);
    const int64_t look_ns = publish_next_look(newest_ns, period, now_ns);
    ck_assert_int_gt(look_ns, now_ns);
    ck_assert_int_le(look_ns - now_ns, period + 100 * NS_PER_US);
  }
}
END_TEST

/* Looks until a result that is `late_ns` late has come: how often, and how long after it. */
static int64_t wait_for_late(int64_t late_ns, int *looks) {
  const int64_t newest_ns = NS_PER_S, comes_ns = newest_ns + period_ns + late_ns;
  int64_t now_ns = newest_ns;
  for (*looks = 0; now_ns < comes_ns; (*looks)++) {
    now_ns = publish_next_look(newest_ns, period_ns, now_ns);
  }
  return now_ns - comes_ns;
}

START_TEST(a_late_result_is_seen_within_half_of_its_lateness_and_costs_few_looks) {
  for (int64_t late_ns = 0; late_ns < 3 * period_ns; late_ns += 7 * NS_PER_US) {
    int looks;
    const int64_t after_ns = wait_for_late(late_ns, &looks);
    ck_assert_int_le(after_ns, late_ns / 2 + 100 * NS_PER_US);
    ck_assert_int_le(looks, 12);
  }
}
END_TEST

SUITE(the_next_look_is_just_after_the_next_result_is_due,
      it_always_lies_ahead_and_never_more_than_a_period_when_the_result_is_late,
      a_late_result_is_seen_within_half_of_its_lateness_and_costs_few_looks)
