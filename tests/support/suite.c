#include "support/suite.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Against what hangs: a machine that is shared, or a sanitizer, makes minutes of seconds. */
enum { TEST_TIMEOUT_S = 600 };

/* What a test takes may last as long as its process. Leaks of the code under test are found where
 * nothing else is taken: by the fuzz targets and their replay, which run without this file. */
int __lsan_is_turned_off(void);
int __lsan_is_turned_off(void) {
  return 1;
}

int run_suite(const char *file, void (*prepare)(void), const TTest *const tests[], size_t count) {
  Suite *suite = suite_create(file);
  TCase *tcase = tcase_create("");
  tcase_set_timeout(tcase, TEST_TIMEOUT_S);
  tcase_add_unchecked_fixture(tcase, prepare, NULL);
  for (size_t i = 0; i < count; i++) {
    tcase_add_test(tcase, tests[i]);
  }
  suite_add_tcase(suite, tcase);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_VERBOSE);
  const int failed = srunner_ntests_failed(runner);
  if (failed > 0) {
    printf("seed %lu\n", test_seed());
  }
  srunner_free(runner);
  return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

void skip(const char *why) {
  printf("SKIP: %s\n", why);
  fflush(stdout);
  exit(EXIT_SUCCESS);
}

void require_failed(const char *file, int line, const char *condition) {
  fprintf(stderr, "%s:%d: needed: %s\n", file, line, condition);
  abort();
}

const char *shared_data(const char *shows) {
  static const char *const places[] = {"../shared/data", "../../shared/data"};
  for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
    if (access(places[i], R_OK) == 0) {
      return places[i];
    }
  }
  printf("SKIP: ../shared/data: %s\n", shows);
  fflush(stdout);
  exit(EXIT_SUCCESS);
}

unsigned long test_seed(void) {
  const char *seed = getenv("PROPRIOD_SEED");
  return seed != NULL ? strtoul(seed, NULL, 10) : 20261121ul;
}

struct random random_from(unsigned long seed) {
  return (struct random){.state = seed * 0x9E3779B97F4A7C15ull + 1u};
}

/* splitmix64 */
static unsigned long long next(struct random *random) {
  unsigned long long z = (random->state += 0x9E3779B97F4A7C15ull);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return z ^ (z >> 31);
}

double random_uniform(struct random *random, double low, double high) {
  return low + (high - low) * ((double)(next(random) >> 11) * 0x1p-53);
}

double random_normal(struct random *random) {
  const double u = 1.0 - random_uniform(random, 0.0, 1.0);
  return sqrt(-2.0 * log(u)) * cos(2.0 * 3.14159265358979323846 * random_uniform(random, 0.0, 1.0));
}
