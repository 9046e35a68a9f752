#include "sim_options.h"

#include "support/suite.h"

#include <string.h>

static struct sim_options good(void) {
  return sim_defaults(NULL, NULL, "rest");
}

START_TEST(the_defaults_and_an_ideal_robot_are_within_the_limits) {
  struct message error;
  struct sim_options options = good();
  ck_assert_int_eq(sim_options_check(&options, &error), STATUS_OK);
  sim_make_ideal(&options);
  ck_assert_int_eq(sim_options_check(&options, &error), STATUS_OK);
}
END_TEST

START_TEST(an_option_beyond_its_limit_is_named_with_its_value) {
  struct sim_options bad;
  const struct {
    double *option;
    double value;
    const char *said;
  } rows[] = {{&bad.frame_rate_hz, 0.0, "frame rate: 0,"},
              {&bad.frame_rate_hz, 300.0, "frame rate: 300,"},
              {&bad.integration_step_s, 0.0003, "integration step: 0.0003,"},
              {&bad.integration_step_s, 0.002, "integration step: 0.002,"},
              {&bad.duration_s, -2.0, "duration: -2,"},
              {&bad.rest_s, -3.0, "rest: -3,"},
              {&bad.amplitude, 4.0, "amplitude: 4,"},
              {&bad.amplitude, (double)NAN, "amplitude: nan,"},
              {&bad.stream[PROPRIOD_SHM_SKIN].rate_hz, 2000.0, "stream rate: 2000,"},
              {&bad.stream[PROPRIOD_SHM_IMU].latency_s, 2.0, "stream latency: 2,"},
              {&bad.stream[PROPRIOD_SHM_JOINTS].jitter_s, -1.0, "stream jitter: -1,"},
              {&bad.stream[PROPRIOD_SHM_WRENCH].loss, 1.0, "stream loss: 1,"}};
  for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
    struct message error = {""};
    bad = good();
    *rows[i].option = rows[i].value;
    ck_assert_int_eq(sim_options_check(&bad, &error), STATUS_BAD_ARGUMENT);
    ck_assert_msg(strstr(error.text, rows[i].said) == error.text, "'%s' said '%s'", rows[i].said,
                  error.text);
  }
}
END_TEST

SUITE(the_defaults_and_an_ideal_robot_are_within_the_limits,
      an_option_beyond_its_limit_is_named_with_its_value)
