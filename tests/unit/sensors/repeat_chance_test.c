/* Encoders of all noises and steps, at rest and in motion: what repeats itself by chance. */
#include "sensors/repeat_chance.h"

#include "support/random_model.h"
#include "support/suite.h"

#include <math.h>

/* Longest row of equal readings among n of an encoder with noise, in steps, that goes at `pace`,
 * steps per reading. */
static unsigned longest_row(struct repeat_chance *chance, double noise, double pace, int n) {
  struct random rng = random_from(test_seed());
  unsigned row = 0, longest = 0;
  for (int k = 0; k < n; k++) {
    const double q = round(pace * k + noise * random_normal(&rng));
    row = k > 0 && q == chance->last ? row + 1 : 0;
    longest = row > longest ? row : longest;
    repeat_chance_next(chance, q);
  }
  return longest;
}

START_TEST(an_encoder_noisier_than_its_steps_hardly_repeats_itself_at_rest_or_in_motion) {
  static const double noises[] = {4.0, 10.0, 100.0}, paces[] = {0.0, 0.3, 20.0};
  for (size_t i = 0; i < 3; i++) {
    for (size_t k = 0; k < 3; k++) {
      struct repeat_chance chance = {.heard = 0};
      ck_assert_uint_lt(longest_row(&chance, noises[i], paces[k], 100000), 8);
      ck_assert(repeat_chance_is_surely_small(&chance));
    }
  }
}
END_TEST

START_TEST(of_one_that_comes_in_steps_no_row_proves_anything) {
  static const double noises[] = {0.0, 0.3, 1.0}, paces[] = {0.0, 0.3, 20.3};
  for (size_t i = 0; i < 3; i++) {
    for (size_t k = 0; k < 3; k++) {
      struct repeat_chance chance = {.heard = 0};
      longest_row(&chance, noises[i], paces[k], 20000);
      ck_assert(!repeat_chance_is_small(&chance));
    }
  }
}
END_TEST

/* Sampled a little late or early, in fast motion: noise that it has not at rest. */
START_TEST(the_least_noise_counts) {
  struct random rng = random_from(test_seed());
  struct repeat_chance chance = {.heard = 0};
  for (int k = 0; k < 10000; k++) {
    const double pace = k > 2000 && k < 5000 ? 0.0 : 50.0;
    repeat_chance_next(&chance, round(pace * (k + 0.1 * random_normal(&rng))));
  }
  ck_assert_double_gt(chance.variance, 4.0);
  ck_assert(!repeat_chance_is_small(&chance));
}
END_TEST

START_TEST(nothing_is_sure_before_much_was_heard) {
  struct repeat_chance chance = {.heard = 0};
  longest_row(&chance, 10.0, 0.0, 1000);
  ck_assert(repeat_chance_is_small(&chance) && !repeat_chance_is_surely_small(&chance));
  longest_row(&chance, 10.0, 0.0, 1500);
  ck_assert(repeat_chance_is_surely_small(&chance));
}
END_TEST

/* One word of zero from an encoder that rests near it made its steps a third of what they are, and
 * noise of them: what it repeated was no measurement any more. */
START_TEST(one_wrong_word_makes_no_smaller_steps) {
  struct random rng = random_from(test_seed());
  struct repeat_chance chance = {.heard = 0};
  for (int k = 0; k < 4000; k++) {
    const double q = round(0.5 * random_normal(&rng)) + 0.3;
    repeat_chance_next(&chance, k % 1000 == 500 ? 0.0 : q);
  }
  assert_near(chance.step, 1.0, 1e-12);
  ck_assert(!repeat_chance_is_small(&chance));
}
END_TEST

SUITE(an_encoder_noisier_than_its_steps_hardly_repeats_itself_at_rest_or_in_motion,
      of_one_that_comes_in_steps_no_row_proves_anything, the_least_noise_counts,
      nothing_is_sure_before_much_was_heard, one_wrong_word_makes_no_smaller_steps)
