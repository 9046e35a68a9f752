/* What is remembered of the ground (update/ground_memory.h). */
#include "update/ground_memory.h"

#include "support/suite.h"

#include <math.h>
#include <stdio.h>

static const double TOLD = 5e-3; /* m: how uneven ground is said to be */

/* A foot is heard that is off by so much, m, of which so many times its own variance was to be
 * expected. */
static void hear(struct ground_memory *memory, double off, double expected, double x, double y) {
  const double sd = ground_memory_sd(memory, TOLD);
  const struct ground_heard heard = {.feet = 1, .off = {off / sd}, .expected = {expected}};
  const vec3 from_base[ROBOT_MAX_FEET] = {{x, y, -0.3}};
  ground_memory_hear(memory, &heard, TOLD, from_base);
}

START_TEST(ground_is_as_uneven_as_of_late_and_never_less_than_told) {
  struct ground_memory memory = {.other = false};
  assert_near(ground_memory_sd(&memory, TOLD), TOLD, 1e-12);
  for (int k = 0; k < 20; k++) {
    hear(&memory, k & 1 ? 0.015 : -0.015, 1.0, k & 1 ? 0.2 : -0.2, k & 2 ? 0.1 : -0.1);
  }
  assert_near(ground_memory_sd(&memory, TOLD), 0.015, 1e-4);
  for (int k = 0; k < 20; k++) {
    hear(&memory, 0.0, 1.0, 0.2, 0.1);
  }
  assert_near(ground_memory_sd(&memory, TOLD), TOLD, 1e-9);
}
END_TEST

/* The base was off by 15 mm where that was to be expected. */
START_TEST(what_the_base_was_off_by_is_no_unevenness) {
  struct ground_memory memory = {.other = false};
  hear(&memory, 0.015, 9.0, 0.2, 0.1);
  ck_assert_double_lt(memory.uneven, 2.0 * TOLD * TOLD);
  hear(&memory, 0.015, 1.0, 0.2, 0.1);
  ck_assert_double_gt(memory.uneven, 4.0 * TOLD * TOLD);
}
END_TEST

/* So many landings of a trot over ground that is uneven by chance and rises; all that it was
 * surprised by, summed. */
static double land(struct ground_memory *memory, struct random *random, int landings, double rises,
                   double slope, double expected) {
  double sum = 0.0;
  for (int k = 0; k < landings && !memory->other; k++) {
    const double x = k & 1 ? 0.2 : -0.2, y = k & 2 ? 0.1 : -0.1;
    const double chance = TOLD * random_normal(random);
    hear(memory, chance + rises + slope * x, expected, x, y);
    sum += ground_memory_surprise(memory);
  }
  return sum;
}

START_TEST(uneven_ground_is_level_on_average_and_surprises_as_much_as_chance) {
  struct random random = random_from(test_seed());
  int others = 0;
  double mean = 0.0;
  for (int k = 0; k < 100; k++) {
    struct ground_memory memory = {.other = false};
    mean += land(&memory, &random, 100, 0.0, 0.0, 1.0) / 100.0 / 100.0;
    others += memory.other;
  }
  printf("level: chi-square %.2f, %d of 100 taken for another\n", mean, others);
  ck_assert(mean > 1.5 && mean < 3.2);
  ck_assert_int_le(others, 6);
}
END_TEST

/* Which chance could explain in each landing. */
START_TEST(a_slope_is_found_and_ground_that_rises) {
  struct random random = random_from(test_seed());
  static const double rises[] = {6e-3, 0.0}, slope[] = {0.0, 0.03};
  for (int c = 0; c < 2; c++) {
    struct ground_memory memory = {.other = false};
    land(&memory, &random, 60, rises[c], slope[c], 1.0);
    ck_assert(memory.other);
  }
}
END_TEST

START_TEST(a_base_of_which_little_is_known_tells_of_no_slope) {
  struct random random = random_from(test_seed());
  struct ground_memory memory = {.other = false};
  land(&memory, &random, 60, 0.01, 0.05, 9.0);
  ck_assert(!memory.other);
  ck_assert_double_eq(ground_memory_surprise(&memory), 0.0);
}
END_TEST

SUITE(ground_is_as_uneven_as_of_late_and_never_less_than_told,
      what_the_base_was_off_by_is_no_unevenness,
      uneven_ground_is_level_on_average_and_surprises_as_much_as_chance,
      a_slope_is_found_and_ground_that_rises, a_base_of_which_little_is_known_tells_of_no_slope)
