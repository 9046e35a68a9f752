/* Simulated streams come when they are told to, and the same seed gives the same bits. */
#include "support/sim_look.h"

#include <string.h>

static void sum_up(const struct sim *sim, void *user) {
  double *sum = user;
  const struct sensor_frame *frame = sim_frame(sim);
  for (size_t j = 0; frame->joints.stamp.present && j < sim_truth(sim)->n_joints; j++) {
    *sum += frame->joints.q[j] * (double)(j + 1);
  }
  for (size_t i = 0; frame->skin.stamp.present && i < 3 * frame->skin.n_cells; i++) {
    *sum += (double)frame->skin.acceleration[i];
  }
  *sum += frame->imu.angular_rate.x + (double)frame->joints.stamp.t_ns * 1e-9;
}

static double fingerprint(const char *scenario, uint64_t seed) {
  const struct stock_robot stock = test_robot("humanoid18");
  struct sim_options options = sim_defaults(stock.robot, stock.urdf, scenario);
  options.seed = seed;
  options.duration_s = 2.5;
  options.stream[PROPRIOD_SHM_SKIN].jitter_s = 0.003;
  double sum = 0.0;
  run(&options, sum_up, &sum);
  robot_destroy(stock.robot);
  return sum;
}

START_TEST(the_same_seed_gives_the_same_bits_and_another_seed_others) {
  static const char *const scenarios[] = {"walk", "multisine", "stops"};
  for (size_t i = 0; i < sizeof(scenarios) / sizeof(scenarios[0]); i++) {
    const double first = fingerprint(scenarios[i], 5);
    ck_assert_double_eq(first, fingerprint(scenarios[i], 5));
    ck_assert_double_ne(first, fingerprint(scenarios[i], 6));
  }
}
END_TEST

struct timing {
  int64_t last_t_ns[PROPRIOD_SHM_STREAMS], largest_age_ns[PROPRIOD_SHM_STREAMS],
      smallest_age_ns[PROPRIOD_SHM_STREAMS];
  int arrivals[PROPRIOD_SHM_STREAMS];
  uint64_t last_seq[PROPRIOD_SHM_STREAMS];
};

static void note_stamp(struct timing *timing, int i, const struct stream_stamp *stamp,
                       int64_t now_ns) {
  if (!stamp->fresh) {
    return;
  }
  const int64_t age = now_ns - stamp->t_ns;
  must(stamp->t_ns > timing->last_t_ns[i]);
  must(stamp->seq > timing->last_seq[i]);
  timing->last_t_ns[i] = stamp->t_ns;
  timing->last_seq[i] = stamp->seq;
  timing->arrivals[i]++;
  timing->largest_age_ns[i] = age > timing->largest_age_ns[i] ? age : timing->largest_age_ns[i];
  timing->smallest_age_ns[i] = age < timing->smallest_age_ns[i] ? age : timing->smallest_age_ns[i];
}

static void note_timing(const struct sim *sim, void *user) {
  const struct sensor_frame *frame = sim_frame(sim);
  note_stamp(user, PROPRIOD_SHM_JOINTS, &frame->joints.stamp, frame->t_ns);
  note_stamp(user, PROPRIOD_SHM_IMU, &frame->imu.stamp, frame->t_ns);
  note_stamp(user, PROPRIOD_SHM_SKIN, &frame->skin.stamp, frame->t_ns);
}

static struct timing time_streams(const struct sim_options *options) {
  struct timing timing = {0};
  for (int i = 0; i < PROPRIOD_SHM_STREAMS; i++) {
    timing.smallest_age_ns[i] = INT64_MAX;
  }
  run(options, note_timing, &timing);
  return timing;
}

START_TEST(streams_come_at_their_rates_and_as_late_as_asked) {
  const struct stock_robot stock = test_robot("chain9");
  struct sim_options options = chain_options(&stock, 2.0);
  options.stream[PROPRIOD_SHM_JOINTS] = (struct sim_stream_options){.rate_hz = 1000.0};
  options.stream[PROPRIOD_SHM_IMU] =
      (struct sim_stream_options){.rate_hz = 200.0, .latency_s = 0.004};
  options.stream[PROPRIOD_SHM_SKIN] =
      (struct sim_stream_options){.rate_hz = 250.0, .latency_s = 0.0055};
  const struct timing timing = time_streams(&options);
  ck_assert_int_eq(timing.arrivals[PROPRIOD_SHM_JOINTS], 2001);
  ck_assert_int_eq(timing.arrivals[PROPRIOD_SHM_IMU], 400);
  ck_assert_int_eq(timing.arrivals[PROPRIOD_SHM_SKIN], 499);
  ck_assert_int_eq(timing.smallest_age_ns[PROPRIOD_SHM_JOINTS], 0);
  ck_assert_int_eq(timing.largest_age_ns[PROPRIOD_SHM_JOINTS], 0);
  ck_assert_int_eq(timing.smallest_age_ns[PROPRIOD_SHM_IMU], 4000000);
  ck_assert_int_eq(timing.largest_age_ns[PROPRIOD_SHM_IMU], 4000000);
  ck_assert_int_eq(timing.smallest_age_ns[PROPRIOD_SHM_SKIN],
                   6000000); /* seen at the next millisecond */
  ck_assert_int_eq(timing.largest_age_ns[PROPRIOD_SHM_SKIN], 6000000);
}
END_TEST

START_TEST(jitter_delays_within_its_bound_and_never_reorders) {
  const struct stock_robot stock = test_robot("chain9");
  struct sim_options options = chain_options(&stock, 4.0);
  options.stream[PROPRIOD_SHM_SKIN].rate_hz = 0.0;
  options.stream[PROPRIOD_SHM_IMU] =
      (struct sim_stream_options){.rate_hz = 500.0, .latency_s = 0.002, .jitter_s = 0.006};
  const struct timing timing = time_streams(&options); /* checks the order of every stamp */
  ck_assert_int_ge(timing.smallest_age_ns[PROPRIOD_SHM_IMU], 2000000);
  ck_assert_int_lt(timing.smallest_age_ns[PROPRIOD_SHM_IMU], 4000000);
  ck_assert_int_le(timing.largest_age_ns[PROPRIOD_SHM_IMU], 9000000);
  ck_assert_int_gt(timing.largest_age_ns[PROPRIOD_SHM_IMU], 6000000);
}
END_TEST

START_TEST(stamps_are_wrong_by_as_much_as_asked) {
  const struct stock_robot stock = test_robot("chain9");
  struct sim_options options = chain_options(&stock, 1.0);
  options.stream[PROPRIOD_SHM_IMU].stamp_error_s = -0.004; /* says it sampled 4 ms before it did */
  options.stream[PROPRIOD_SHM_SKIN] =
      (struct sim_stream_options){.rate_hz = 250.0, .latency_s = 0.003};
  options.stream[PROPRIOD_SHM_SKIN].stamp_error_s = 0.002;
  const struct timing timing = time_streams(&options);
  ck_assert_int_eq(timing.largest_age_ns[PROPRIOD_SHM_JOINTS], 0);
  ck_assert_int_eq(timing.smallest_age_ns[PROPRIOD_SHM_IMU], 4000000);
  ck_assert_int_eq(timing.largest_age_ns[PROPRIOD_SHM_IMU], 4000000);
  ck_assert_int_eq(timing.largest_age_ns[PROPRIOD_SHM_SKIN], 1000000);
}
END_TEST

START_TEST(a_driver_that_knows_no_better_stamps_the_arrival) {
  const struct stock_robot stock = test_robot("chain9");
  struct sim_options options = chain_options(&stock, 2.0);
  options.stream[PROPRIOD_SHM_SKIN].rate_hz = 0.0;
  options.stream[PROPRIOD_SHM_IMU] = (struct sim_stream_options){
      .rate_hz = 500.0, .latency_s = 0.002, .jitter_s = 0.005, .arrival_stamps = true};
  const struct timing timing = time_streams(&options);
  ck_assert_int_ge(timing.smallest_age_ns[PROPRIOD_SHM_IMU], 0);
  ck_assert_int_lt(timing.largest_age_ns[PROPRIOD_SHM_IMU],
                   1000000); /* of the frame that brings it */
  ck_assert_int_gt(timing.arrivals[PROPRIOD_SHM_IMU], 500);
}
END_TEST

START_TEST(as_many_samples_are_lost_as_asked) {
  const struct stock_robot stock = test_robot("chain9");
  struct sim_options options = chain_options(&stock, 5.0);
  options.stream[PROPRIOD_SHM_SKIN].rate_hz = 0.0;
  options.stream[PROPRIOD_SHM_JOINTS].loss = 0.2;
  const struct timing timing = time_streams(&options);
  /* 5001 tries, one standard deviation is 28 */
  ck_assert_int_gt(timing.arrivals[PROPRIOD_SHM_JOINTS], 4001 - 4 * 28);
  ck_assert_int_lt(timing.arrivals[PROPRIOD_SHM_JOINTS], 4001 + 4 * 28);
}
END_TEST

START_TEST(slow_frames_bring_the_newest_of_fast_streams) {
  const struct stock_robot stock = test_robot("chain9");
  struct sim_options options = chain_options(&stock, 1.0);
  options.frame_rate_hz = 100.0;
  options.stream[PROPRIOD_SHM_IMU].latency_s = 0.003;
  const struct timing timing = time_streams(&options);
  ck_assert_int_eq(timing.arrivals[PROPRIOD_SHM_JOINTS], 101);
  ck_assert_int_eq(timing.largest_age_ns[PROPRIOD_SHM_JOINTS], 0);
  ck_assert_int_eq(timing.smallest_age_ns[PROPRIOD_SHM_IMU], 3000000);
  ck_assert_int_eq(timing.largest_age_ns[PROPRIOD_SHM_IMU], 3000000);
  ck_assert_uint_ge(timing.last_seq[PROPRIOD_SHM_JOINTS], 1000); /* the writer's count goes on */
}
END_TEST

START_TEST(a_shifted_clock_moves_stamps_and_nothing_else) {
  const struct stock_robot stock = test_robot("chain9");
  struct sim_options options = chain_options(&stock, 1.5);
  options.stream[PROPRIOD_SHM_IMU].latency_s = 0.003;
  struct sim *a = test_sim(&options), *b = test_sim(&options);
  sim_shift_clock(b, 7000000000);
  while (sim_step(a) == STATUS_OK && sim_step(b) == STATUS_OK) {
    const struct sensor_frame *x = sim_frame(a), *y = sim_frame(b);
    must(y->t_ns - x->t_ns == 7000000000);
    must(sim_truth(b)->t_ns - sim_truth(a)->t_ns == 7000000000);
    must(y->joints.stamp.t_ns - x->joints.stamp.t_ns == 7000000000);
    must(x->imu.stamp.present == y->imu.stamp.present);
    must(!x->imu.stamp.present || y->imu.stamp.t_ns - x->imu.stamp.t_ns == 7000000000);
    must(memcmp(x->joints.q, y->joints.q, sim_truth(a)->n_joints * sizeof(double)) == 0);
  }
  sim_destroy(a);
  sim_destroy(b);
}
END_TEST

static void must_be_alike(const struct sim *a, const struct sim *b) {
  const struct sensor_frame *x = sim_frame(a), *y = sim_frame(b);
  const struct sim_truth *t = sim_truth(a), *u = sim_truth(b);
  must(x->joints.stamp.t_ns == y->joints.stamp.t_ns && x->imu.stamp.t_ns == y->imu.stamp.t_ns);
  must(memcmp(x->joints.q, y->joints.q, t->n_joints * sizeof(double)) == 0);
  must(memcmp(&x->imu.angular_rate, &y->imu.angular_rate, sizeof(vec3)) == 0);
  must(x->skin.stamp.present == y->skin.stamp.present && x->skin.stamp.t_ns == y->skin.stamp.t_ns);
  must(!x->skin.stamp.present || memcmp(x->skin.acceleration, y->skin.acceleration,
                                        3 * x->skin.n_cells * sizeof(float)) == 0);
  must(memcmp(t->tau, u->tau, t->n_joints * sizeof(double)) == 0);
  must(memcmp(&t->com_acceleration_W, &u->com_acceleration_W, sizeof(vec3)) == 0);
  must(t->mass == u->mass && t->t_ns == u->t_ns);
}

/* Of a base that is held such instants are left out: streams at rates that no frame has, a load
 * that swings, and, the second time, links whose skin is late. */
START_TEST(instants_that_nothing_looks_at_change_not_one_bit) {
  const struct stock_robot stock = test_robot("humanoid18");
  for (int late = 0; late < 2; late++) {
    struct sim_options options = sim_defaults(stock.robot, stock.urdf, "medium");
    options.duration_s = 1.5;
    options.rest_s = 0.2;
    options.stream[PROPRIOD_SHM_JOINTS].rate_hz = 125.0;
    options.stream[PROPRIOD_SHM_IMU].rate_hz = 160.0;
    options.stream[PROPRIOD_SHM_SKIN].rate_hz = 40.0;
    options.stream[PROPRIOD_SHM_WRENCH].rate_hz = 100.0;
    options.skin.link_delay = 4e-3 * late;
    options.payload = (struct sim_payload){.link = "left_hand",
                                           .mass = 1.0,
                                           .amplitude = 0.5,
                                           .waveform = SIM_SINE,
                                           .rate_hz = 3.0,
                                           .size = {0.1, 0.1, 0.1}};
    struct sim *often = test_sim(&options);
    options.frame_rate_hz = 50.0;
    struct sim *seldom = test_sim(&options);
    int compared = 0;
    while (sim_step(often) == STATUS_OK) {
      if (compared == 0 || sim_truth(often)->t_ns == sim_truth(seldom)->t_ns + 20000000) {
        must(sim_step(seldom) == STATUS_OK);
        must_be_alike(often, seldom);
        compared++;
      }
    }
    ck_assert_int_eq(compared, 76);
    sim_destroy(often);
    sim_destroy(seldom);
  }
}
END_TEST

START_TEST(options_that_make_no_sense_are_refused_by_name) {
  const struct stock_robot stock = test_robot("chain9");
  const struct sim_options good = chain_options(&stock, 1.0);
  struct sim *sim = NULL;
  struct message error;
  struct sim_options bad = good;
  bad.frame_rate_hz = 300.0;
  ck_assert_int_eq(sim_create(&sim, &bad, &error), STATUS_BAD_ARGUMENT);
  ck_assert_ptr_nonnull(strstr(error.text, "frame rate: 300"));
  bad = good;
  bad.stream[PROPRIOD_SHM_SKIN].loss = 1.0;
  ck_assert_int_eq(sim_create(&sim, &bad, &error), STATUS_BAD_ARGUMENT);
  ck_assert_ptr_nonnull(strstr(error.text, "loss"));
  bad = good;
  bad.skin.link_delay = 0.5;
  ck_assert_int_eq(sim_create(&sim, &bad, &error), STATUS_BAD_ARGUMENT);
  ck_assert_ptr_nonnull(strstr(error.text, "skin link delay: 0.5"));
  bad = good;
  bad.payload = (struct sim_payload){.link = "pocket", .mass = 1.0};
  ck_assert_int_eq(sim_create(&sim, &bad, &error), STATUS_BAD_ARGUMENT);
  ck_assert_ptr_nonnull(strstr(error.text, "pocket"));
  bad = good;
  bad.scenario = "walk";
  ck_assert_int_eq(sim_create(&sim, &bad, &error), STATUS_REFUSED);
  ck_assert_ptr_nonnull(strstr(error.text, "0 feet"));
  ck_assert_ptr_null(sim);
}
END_TEST

SUITE(the_same_seed_gives_the_same_bits_and_another_seed_others,
      streams_come_at_their_rates_and_as_late_as_asked,
      jitter_delays_within_its_bound_and_never_reorders, stamps_are_wrong_by_as_much_as_asked,
      a_driver_that_knows_no_better_stamps_the_arrival, as_many_samples_are_lost_as_asked,
      slow_frames_bring_the_newest_of_fast_streams, a_shifted_clock_moves_stamps_and_nothing_else,
      instants_that_nothing_looks_at_change_not_one_bit,
      options_that_make_no_sense_are_refused_by_name)
