/* The table of cases is sound: what it names exists, and what it asks can be asked. */
#include "trust/trust_case.h"

#include "sim_arguments.h"
#include "support/sim_fixture.h"
#include "support/suite.h"

#include <string.h>

static void check_options(const struct case_run *run) {
  struct sim_options options = {.seed = 1};
  for (size_t i = 0; i < CASE_SPOILS && run->with[i] != NULL; i++) {
    char name[64];
    const char *equals = strchr(run->with[i], '=');
    ck_assert_ptr_nonnull(equals);
    snprintf(name, sizeof(name), "%.*s", (int)(equals - run->with[i]), run->with[i]);
    ck_assert_msg(sim_arguments_set(name, equals + 1, &options), "%s", run->with[i]);
  }
}

START_TEST(every_case_names_numbers_that_the_simulator_has_and_asks_for_something) {
  for (size_t i = 0; trust_case(i) != NULL; i++) {
    const struct trust_case *c = trust_case(i);
    bool compares = false;
    check_options(&c->run);
    ck_assert_ptr_eq(trust_case_find(c->name), c); /* no name twice */
    ck_assert_double_gt(c->limit[0].limit, 0.0);
    for (size_t k = 0; k < CASE_LIMITS && c->limit[k].limit > 0.0; k++) {
      char text[96];
      const char *unit;
      double scale;
      trust_case_title(&c->limit[k], text, sizeof(text), &scale, &unit);
      ck_assert_uint_gt(strlen(text), 5);
      compares = compares || c->limit[k].ratio;
    }
    ck_assert_int_eq(compares, c->against != NULL);
  }
  ck_assert_ptr_null(trust_case_find("no such case"));
}
END_TEST

START_TEST(a_figure_is_what_its_measure_says) {
  static struct score score, reference;
  const struct trust_case *c = trust_case_find("imu-late");
  score_reset(&score);
  score_reset(&reference);
  score.of[QUANTITY_TILT] = (struct quantity_score){.samples = 4, .norms = 8.0};
  reference.of[QUANTITY_TILT] = (struct quantity_score){.samples = 2, .norms = 1.0};
  assert_near(trust_case_figure(c, &c->limit[0], &score, &reference), 4.0, 1e-12);
  const struct case_limit not_ok = {MEASURE_OK, QUANTITY_Q, 0.02, false};
  score.samples = 200;
  score.with_status[PROPRIOD_STATUS_OK] = 150;
  assert_near(trust_case_figure(c, &not_ok, &score, NULL), 0.25, 1e-12);
}
END_TEST

SUITE(every_case_names_numbers_that_the_simulator_has_and_asks_for_something,
      a_figure_is_what_its_measure_says)
