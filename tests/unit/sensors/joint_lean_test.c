/* All joints together: noise says nothing, a body that begins to move is found within milliseconds,
 * one joint's outlier is its own affair. */
#include "sensors/joint_lean.h"

#include "support/suite.h"

#include <stdio.h>
#include <stdlib.h>

enum { USUAL = 3000 }; /* readings, by when what is usual is known */

static struct joint_lean lean_of(size_t n) {
  struct joint_lean lean;
  struct arena arena = {0};
  ck_assert_int_eq(joint_lean_init(&lean, n, &arena), STATUS_OK);
  arena = arena_over(aligned_alloc(ARENA_ALIGN, arena.used), arena.used);
  ck_assert_int_eq(joint_lean_init(&lean, n, &arena), STATUS_OK);
  return lean;
}

/* Of noise of `sd` deviations, once it has become usual. */
static unsigned alarms(size_t n, long readings, double sd) {
  struct joint_lean lean = lean_of(n);
  struct random random = random_from(test_seed());
  unsigned count = 0;
  for (long k = 0; k < readings; k++) {
    for (size_t j = 0; j < n; j++) {
      joint_lean_add(&lean, j, sd * random_normal(&random));
    }
    count += joint_lean_tells(&lean) && k > USUAL;
  }
  free(lean.mean);
  return count;
}

START_TEST(noise_alone_tells_nothing) {
  ck_assert_uint_eq(alarms(30, 300000, 1.0), 0);
  ck_assert_uint_eq(alarms(6, 300000, 1.0), 0);
  ck_assert_uint_eq(alarms(1, 300000, 1.0), 0);
}
END_TEST

START_TEST(noise_of_three_times_what_was_told_becomes_usual) {
  ck_assert_uint_eq(alarms(30, 100000, 3.0), 0);
  ck_assert_uint_eq(alarms(6, 100000, 3.0), 0);
}
END_TEST

/* A joint that is refused after it has leant is not remembered as leaning. */
START_TEST(a_joint_that_is_not_believed_is_forgotten) {
  struct joint_lean lean = lean_of(1);
  for (int k = 0; k < 20; k++) {
    joint_lean_add(&lean, 0, 4.0);
  }
  ck_assert(joint_lean_tells(&lean));
  for (int k = 0; k < 10; k++) {
    joint_lean_add(&lean, 0, 0.0);
  }
  ck_assert(!joint_lean_tells(&lean));
  free(lean.mean);
}
END_TEST

/* Readings until it is told that every joint but the first `still` is `off` deviations off. */
static int readings_until(size_t n, size_t still, double off) {
  struct joint_lean lean = lean_of(n);
  struct random random = random_from(test_seed());
  int k = 0;
  while (k < 100 && !joint_lean_tells(&lean)) {
    for (size_t j = 0; j < n; j++) {
      joint_lean_add(&lean, j, random_normal(&random) + (j >= still ? off : 0.0));
    }
    k++;
  }
  free(lean.mean);
  return k;
}

/* An alarm of one joint alone waits for 7 deviations. */
START_TEST(what_is_within_the_noise_of_each_is_plain_of_all) {
  const int all = readings_until(30, 0, 1.5), legs = readings_until(30, 18, 2.5);
  printf("30 joints by 1.5 deviations: %d readings; 12 of 30 by 2.5: %d\n", all, legs);
  ck_assert_int_le(all, 8);
  ck_assert_int_le(legs, 8);
  ck_assert_int_eq(readings_until(30, 30, 0.0), 100);
}
END_TEST

START_TEST(one_encoder_far_off_is_no_body_that_moves) {
  struct joint_lean lean = lean_of(30);
  for (int k = 0; k < 3; k++) {
    joint_lean_add(&lean, 7, 1e6);
    ck_assert(!joint_lean_tells(&lean));
  }
  joint_lean_reset(&lean);
  ck_assert(!joint_lean_tells(&lean));
  joint_lean_add(&lean, 7, -1e300);
  ck_assert(!joint_lean_tells(&lean));
  free(lean.mean);
}
END_TEST

SUITE(noise_alone_tells_nothing, noise_of_three_times_what_was_told_becomes_usual,
      a_joint_that_is_not_believed_is_forgotten, what_is_within_the_noise_of_each_is_plain_of_all,
      one_encoder_far_off_is_no_body_that_moves)
