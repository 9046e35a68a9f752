/* What a joint's acceleration does that its jerk did not foretell. */
#include "process/joint_changes.h"

#include "support/suite.h"

#include <math.h>
#include <stdlib.h>

enum { JOINTS = 2 };

static const double DT = 1e-3; /* s */

static struct joint_layout layout;
static struct joint_changes changes;
static double *x;

static void begin(void) {
  struct arena arena = {0};
  layout = joint_layout_of(JOINTS, true, true, 0);
  joint_changes_init(&changes, JOINTS, &arena);
  arena = arena_over(aligned_alloc(ARENA_ALIGN, arena.used), arena.used);
  ck_assert_int_eq(joint_changes_init(&changes, JOINTS, &arena), STATUS_OK);
  joint_changes_reset(&changes);
  x = calloc(layout.numbers, sizeof(double));
}

static void step(double ddq, double jerk) {
  x[layout.ddq] = ddq + x[layout.bias];
  x[layout.jerk] = jerk;
  joint_changes_step(&changes, &layout, x, DT);
}

START_TEST(a_jerk_that_goes_on_changes_nothing_unforetold) {
  begin();
  const double rest = joint_changes_rate(&changes, 0);
  ck_assert_double_gt(rest, 0.0);
  x[layout.bias] = 3.0; /* of what its skin says: no acceleration of its own */
  for (int k = 0; k < 5000; k++) {
    step(30.0 * DT * k, 30.0);
  }
  ck_assert_double_eq_tol(joint_changes_rate(&changes, 0), rest, 1e-6 * rest);
}
END_TEST

START_TEST(steps_are_known_by_their_mean_size_and_of_their_joint_alone) {
  begin();
  const double rest = joint_changes_rate(&changes, 1);
  for (int k = 0; k < 20000; k++) {
    step(k / 100 % 2 == 0 ? 3.0 : -3.0, 0.0); /* every other comparison sees 6 per s^2 */
  }
  ck_assert_double_eq_tol(changes.size[0], 3.0, 0.3);
  ck_assert_double_gt(joint_changes_rate(&changes, 0), changes.size[0] * changes.size[0]);
  ck_assert_double_eq(joint_changes_rate(&changes, 1), rest);
}
END_TEST

START_TEST(a_single_fault_is_forgotten_in_seconds_and_bounded) {
  begin();
  for (int k = 0; k < 3000; k++) {
    step(k / 60 == 20 ? 1000.0 : 0.0, 0.0);
  }
  ck_assert_double_lt(changes.size[0], 50.0);
  for (int k = 0; k < 10000; k++) {
    step(0.0, 0.0);
  }
  ck_assert_double_lt(changes.size[0], 0.5);
}
END_TEST

START_TEST(what_passed_unseen_is_not_compared) {
  begin();
  for (int k = 0; k < 1000; k++) {
    step(0.0, 0.0);
  }
  joint_changes_resume(&changes);
  step(50.0, 0.0);
  ck_assert_double_eq(changes.size[0], 0.0);
}
END_TEST

SUITE(a_jerk_that_goes_on_changes_nothing_unforetold,
      steps_are_known_by_their_mean_size_and_of_their_joint_alone,
      a_single_fault_is_forgotten_in_seconds_and_bounded, what_passed_unseen_is_not_compared)
