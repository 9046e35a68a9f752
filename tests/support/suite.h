/* One line to make a test program of Check's tests.
 *
 *   START_TEST(two_cells_are_refused_and_out_is_untouched) { ... } END_TEST
 *   SUITE(two_cells_are_refused_and_out_is_untouched, another_sentence_that_could_be_false)
 *
 * Each test runs in a process of its own; SUITE_AFTER(prepare, ...) makes once, before all of them,
 * what they begin with. `skip("why")` ends a test that cannot run here; it is
 * counted and shown. */
#ifndef SUITE_H
#define SUITE_H

#include <check.h>
#include <math.h>
#include <stddef.h>

/* `prepare` (NULL: nothing) is called once: each test begins with a copy of what it has made. */
int run_suite(const char *file, void (*prepare)(void), const TTest *const tests[], size_t count);

/* Ends the current test as skipped, with a word. */
_Noreturn void skip(const char *why);

/* What is asked and not reached yet: the test says so and counts as skipped, never as passed. */
#define asked(condition)                                                                           \
  do {                                                                                             \
    if (!(condition)) {                                                                            \
      skip("asked and not reached: " #condition);                                                  \
    }                                                                                              \
  } while (0)

/* The folder with recordings and models beside the project, or skips the test when it is not there.
 * `shows` says what the test would have shown; tests/run.sh says it for all of them in one line. */
const char *shared_data(const char *shows);

/* The seed of this run's random tests: PROPRIOD_SEED, or a fixed one; printed when a test fails. */
unsigned long test_seed(void);

/* Deterministic random numbers: uniform in [low, high], and standard normal. */
struct random {
  unsigned long long state;
};
struct random random_from(unsigned long seed);
double random_uniform(struct random *random, double low, double high);
double random_normal(struct random *random);

/* |a - b| <= tolerance, with both values in the message. */
#define assert_near(a, b, tolerance) ck_assert_double_eq_tol((double)(a), (double)(b), (tolerance))

/* As ck_assert, for millions of checks: Check notes every assertion in a file, these only
 * failures. */
#define must(condition)                                                                            \
  do {                                                                                             \
    if (!(condition)) {                                                                            \
      ck_abort_msg("%s", #condition);                                                              \
    }                                                                                              \
  } while (0)
#define must_be_near(a, b, tolerance)                                                              \
  do {                                                                                             \
    const double must_a = (a), must_b = (b);                                                       \
    if (!(fabs(must_a - must_b) <= (tolerance))) {                                                 \
      ck_abort_msg("%s is %.12g, %s is %.12g, allowed %g", #a, must_a, #b, must_b,                 \
                   (double)(tolerance));                                                           \
    }                                                                                              \
  } while (0)

/* Ends the program with a word when `condition` does not hold: for helpers that serve tests and
 * benchmarks alike, since Check's assertions work within a test only. */
#define require(condition)                                                                         \
  do {                                                                                             \
    if (!(condition)) {                                                                            \
      require_failed(__FILE__, __LINE__, #condition);                                              \
    }                                                                                              \
  } while (0)
_Noreturn void require_failed(const char *file, int line, const char *condition);

#define SUITE_AFTER(prepare, ...)                                                                  \
  int main(void) {                                                                                 \
    const TTest *const tests[] = {__VA_ARGS__};                                                    \
    return run_suite(__FILE__, prepare, tests, sizeof(tests) / sizeof(tests[0]));                  \
  }
#define SUITE(...) SUITE_AFTER(NULL, __VA_ARGS__)

#endif
