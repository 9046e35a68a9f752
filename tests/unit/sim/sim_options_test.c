#include "sim_options.h"

#include "support/sim_fixture.h"
#include "support/suite.h"

#include <math.h>
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
              {&bad.frame_rate_hz, 3000.0, "frame rate: 3000,"},
              {&bad.frame_rate_hz, 8000.0, "frame rate: 8000,"},
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

/* Every frame has new joints and a new IMU sample, the skin its own rate. */
START_TEST(at_four_kilohertz_every_frame_has_a_sample_of_its_own_and_truth_moves_on) {
  const struct stock_robot stock = test_robot("humanoid18");
  for (int held = 0; held < 2; held++) {
    struct sim_options options = sim_defaults(stock.robot, stock.urdf, held ? "fast" : "squat");
    options.rest_s = 0.0;
    options.frame_rate_hz = 4000.0;
    options.stream[PROPRIOD_SHM_JOINTS].rate_hz = options.stream[PROPRIOD_SHM_IMU].rate_hz = 4000.0;
    options.stream[PROPRIOD_SHM_SKIN].rate_hz = 500.0;
    ck_assert_double_eq(sim_sensor_period(&options), 0.25e-3);
    struct sim *sim;
    struct message error;
    ck_assert_msg(sim_create(&sim, &options, &error) == STATUS_OK, "%s", error.text);
    const int frames = 400;
    int skin = 0;
    int64_t before = 0;
    double moved = 0.0, q_before = 0.0;
    for (int k = 0; k < frames; k++) {
      ck_assert_int_eq(sim_step(sim), STATUS_OK);
      const struct sensor_frame *frame = sim_frame(sim);
      ck_assert(frame->joints.stamp.fresh && frame->imu.stamp.fresh);
      ck_assert(k == 0 || frame->joints.stamp.t_ns - before == 250000);
      ck_assert(k == 0 || sim_truth(sim)->t_ns == frame->joints.stamp.t_ns);
      before = frame->joints.stamp.t_ns;
      skin += frame->skin.stamp.fresh;
      moved += k > 0 ? fabs(sim_truth(sim)->q[0] - q_before) : 0.0;
      q_before = sim_truth(sim)->q[0];
    }
    ck_assert_int_ge(skin, frames / 8 - 2);
    ck_assert_int_le(skin, frames / 8 + 1);
    ck_assert_double_gt(moved, 0.0);
    sim_destroy(sim);
  }
}
END_TEST

SUITE(the_defaults_and_an_ideal_robot_are_within_the_limits,
      an_option_beyond_its_limit_is_named_with_its_value,
      at_four_kilohertz_every_frame_has_a_sample_of_its_own_and_truth_moves_on)
