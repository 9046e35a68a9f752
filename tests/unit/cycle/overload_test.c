#include "cycle/overload.h"
#include "support/suite.h"

#define PERIOD_S 0.001

/* Steps through one pattern of overruns a number of times; true when it ended in an overload. */
static bool after(struct overload *overload, int times, int every) {
  bool lasts = overload->lasts;
  for (int i = 0; i < times; i++) {
    lasts = overload_step(overload, every > 0 && i % every == 0);
  }
  return lasts;
}

START_TEST(two_cycles_of_three_are_an_overload_within_a_tenth_of_a_second) {
  struct overload overload;
  overload_init(&overload, PERIOD_S);
  for (int i = 0; i < 100; i++) {
    overload_step(&overload, i % 3 != 0);
  }
  ck_assert(overload.lasts);
}
END_TEST

START_TEST(one_cycle_in_fifty_and_one_long_stall_are_none) {
  struct overload overload;
  overload_init(&overload, PERIOD_S);
  ck_assert(!after(&overload, 10000, 50));
  ck_assert(!after(&overload, 30, 1));
}
END_TEST

START_TEST(an_overload_ends_a_second_or_two_after_its_cause_and_does_not_flicker_on_the_way) {
  struct overload overload;
  overload_init(&overload, PERIOD_S);
  ck_assert(after(&overload, 5000, 15));
  int changes = 0;
  for (int i = 0; i < 3000; i++) {
    const bool before = overload.lasts;
    changes += overload_step(&overload, i < 1000 && i % 25 == 0) != before;
  }
  ck_assert(!overload.lasts);
  ck_assert_int_eq(changes, 1);
}
END_TEST

START_TEST(a_period_of_several_seconds_looks_at_the_last_cycle_alone) {
  struct overload overload;
  overload_init(&overload, 5.0);
  ck_assert(overload_step(&overload, true));
  ck_assert(!overload_step(&overload, false));
}
END_TEST

SUITE(two_cycles_of_three_are_an_overload_within_a_tenth_of_a_second,
      one_cycle_in_fifty_and_one_long_stall_are_none,
      an_overload_ends_a_second_or_two_after_its_cause_and_does_not_flicker_on_the_way,
      a_period_of_several_seconds_looks_at_the_last_cycle_alone)
