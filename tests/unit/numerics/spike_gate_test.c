#include "numerics/spike_gate.h"

#include "support/suite.h"

#include <math.h>

static const double LIMIT = 1.0, DT = 1e-3;

/* Area under what the gate lets through, by trapezoids as its user forms them, debts paid. */
static double area(struct spike_gate *gate, const double *v, int n) {
  double sum = 0.0, before = 0.0;
  for (int k = 0; k < n; k++) {
    vec3 owed;
    const vec3 used = spike_gate_step(gate, (vec3){v[k], 0.0, 0.0}, LIMIT, DT, &owed);
    sum += k > 0 ? 0.5 * owed.x : 0.0;
    before += owed.x;
    sum += k > 0 ? 0.5 * (before + used.x) : 0.0;
    before = used.x;
  }
  return sum;
}

START_TEST(a_reading_that_stands_alone_is_replaced_by_the_one_before) {
  static const double sizes[] = {2.0, -15.0, 300.0, -1e6};
  for (int i = 0; i < 4; i++) {
    struct spike_gate gate = {0};
    const double v[] = {0.0, 0.1, 0.2, 0.3 + sizes[i], 0.4, 0.5};
    const double expected = 0.05 + 0.15 + 0.2 + 0.3 + 0.45;
    assert_near(area(&gate, v, 6), expected, 1e-12);
    ck_assert_uint_eq(gate.refused, 1);
  }
}
END_TEST

START_TEST(a_step_and_an_impact_of_many_samples_lose_nothing) {
  const double step[] = {0.0, 0.0, 30.0, 30.1, 29.9, 30.0};
  const double impact[] = {0.0, 25.0, 45.0, 60.0, 50.0, 25.0, 5.0, 0.0, 0.0};
  struct spike_gate first = {0}, second = {0};
  assert_near(area(&first, step, 6), 15.0 + 30.05 + 30.0 + 29.95, 1e-12);
  assert_near(area(&second, impact, 9), 210.0, 1e-12);
  ck_assert_uint_eq(first.refused + second.refused, 0);
}
END_TEST

START_TEST(after_an_impact_steps_of_its_size_are_believed_at_once_and_a_while_later_doubted_again) {
  struct spike_gate gate = {0};
  const double impact[] = {0.0, 20.0, 30.0, 10.0, 0.0};
  vec3 owed;
  area(&gate, impact, 5);
  ck_assert_double_eq(spike_gate_step(&gate, (vec3){25.0, 0.0, 0.0}, LIMIT, DT, &owed).x, 25.0);
  for (int k = 0; k < 300; k++) {
    spike_gate_step(&gate, VEC3_ZERO, LIMIT, DT, &owed);
  }
  ck_assert_double_eq(spike_gate_step(&gate, (vec3){25.0, 0.0, 0.0}, LIMIT, DT, &owed).x, 0.0);
}
END_TEST

START_TEST(noise_within_the_limit_passes_untouched) {
  struct random rng = random_from(test_seed());
  struct spike_gate gate = {0};
  for (int k = 0; k < 100000; k++) {
    vec3 owed;
    const vec3 v = {0.1 * random_normal(&rng), 0.1 * random_normal(&rng),
                    0.1 * random_normal(&rng)};
    const vec3 used = spike_gate_step(&gate, v, LIMIT, DT, &owed);
    ck_assert_double_eq(vec3_norm(vec3_sub(used, v)) + vec3_norm(owed), 0.0);
  }
}
END_TEST

SUITE(a_reading_that_stands_alone_is_replaced_by_the_one_before,
      a_step_and_an_impact_of_many_samples_lose_nothing,
      after_an_impact_steps_of_its_size_are_believed_at_once_and_a_while_later_doubted_again,
      noise_within_the_limit_passes_untouched)
