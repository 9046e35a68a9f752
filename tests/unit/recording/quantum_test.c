/* Counts of a converter's step give back the same bits, and a step is found where there is one. */
#include "recording/quantum.h"

#include "support/suite.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 60, ELEMENTS = 90, N = ROWS * ELEMENTS };

static unsigned char numbers[8 * N], back[8 * N], exceptions[8 * N];
static int32_t counts[N];

static void put(size_t i, size_t width, double number) {
  const float f = (float)number;
  memcpy(numbers + i * width, width == 4 ? (const void *)&f : (const void *)&number, width);
}

/* Elements that wander by a few steps a row, around places of their own. */
static void convert(size_t width, double step, unsigned long seed) {
  struct random random = random_from(seed);
  static double value[ELEMENTS];
  for (size_t i = 0; i < N; i++) {
    double *v = &value[i % ELEMENTS];
    *v = i < ELEMENTS ? random_uniform(&random, -800.0, 800.0) * step
                      : *v + step * random_normal(&random);
    put(i, width, rint(*v / step) * step);
  }
}

static bool there_and_back(size_t width, double step, size_t *n_exceptions) {
  memset(back, 0xee, sizeof(back));
  if (!quantum_split(numbers, N, width, step, counts, exceptions, N / 16, n_exceptions)) {
    return false;
  }
  ck_assert(quantum_join(counts, N, width, step, exceptions, *n_exceptions, back));
  ck_assert_mem_eq(back, numbers, N * width);
  return true;
}

START_TEST(the_step_of_a_converter_is_found_and_its_numbers_come_back_bit_by_bit) {
  const double steps[] = {
      0.0383, 2.0 * M_PI / (1 << 19), 1e-3, 9.81 / 2048, 0.125, 1.0 / 3, M_PI * 1e-4, 7.0, 2.3e-7};
  for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
    for (size_t width = 4; width <= 8; width += 4) {
      size_t n_exceptions;
      convert(width, steps[i], test_seed() + i);
      const double step = quantum_find(numbers, ROWS, ELEMENTS, width);
      ck_assert_msg(fabs(step / steps[i] - 1.0) < 1e-6, "%g (%zu bytes) is found as %g", steps[i],
                    width, step);
      ck_assert_msg(there_and_back(width, step, &n_exceptions), "%g", steps[i]);
      ck_assert_uint_le(n_exceptions, N / 50);
    }
  }
}
END_TEST

START_TEST(what_is_no_product_comes_back_too_if_it_is_rare) {
  for (size_t width = 4; width <= 8; width += 4) {
    const double strange[] = {(double)NAN, (double)INFINITY, -0.0, -1.0, 1e300, 1e-300, 0.0};
    size_t n_exceptions;
    convert(width, 0.0383, test_seed());
    for (size_t i = 0; i < N; i += 40) {
      put(i, width, strange[i / 40 % 7]);
    }
    ck_assert(there_and_back(width, 0.0383, &n_exceptions));
    ck_assert_uint_gt(n_exceptions, N / 40 / 2);
    ck_assert(!quantum_join(counts, N, width, 0.0383, exceptions, n_exceptions - 1, back));
  }
}
END_TEST

START_TEST(what_crosses_zero_changes_by_few_counts) {
  const double across[] = {-2.0, -1.0, -0.0, 0.0, 1.0, -0.0, -1.0, 0.0};
  enum { ACROSS = sizeof(across) / sizeof(across[0]) };
  for (size_t width = 4; width <= 8; width += 4) {
    size_t n_exceptions;
    for (size_t i = 0; i < N; i++) {
      put(i, width, 0.0383 * across[i % ACROSS]);
    }
    ck_assert(there_and_back(width, 0.0383, &n_exceptions));
    ck_assert_uint_eq(n_exceptions, 0);
    for (size_t i = 1; i < N; i++) {
      ck_assert_int_le(abs(counts[i] - counts[i - 1]), 3);
    }
  }
}
END_TEST

START_TEST(noise_without_a_step_has_none) {
  struct random random = random_from(test_seed());
  for (size_t width = 4; width <= 8; width += 4) {
    size_t n_exceptions;
    for (size_t i = 0; i < N; i++) {
      put(i, width, 9.81 + 0.05 * random_normal(&random));
    }
    const double step = quantum_find(numbers, ROWS, ELEMENTS, width);
    ck_assert(width == 4 || step == 0.0);
    ck_assert(step == 0.0 || there_and_back(width, step, &n_exceptions)); /* floats are products */
    ck_assert(!quantum_split(numbers, N, width, 0.0383, counts, exceptions, N / 16, &n_exceptions));
  }
  memset(numbers, 0, sizeof(numbers));
  ck_assert_double_eq(quantum_find(numbers, ROWS, ELEMENTS, 4), 0.0);
}
END_TEST

SUITE(the_step_of_a_converter_is_found_and_its_numbers_come_back_bit_by_bit,
      what_is_no_product_comes_back_too_if_it_is_rare, what_crosses_zero_changes_by_few_counts,
      noise_without_a_step_has_none)
