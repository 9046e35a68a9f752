/* Simulated sensors err as they are told to, and in no other way. */
#include "sim_fixture.h"

#include <stdlib.h>
#include <string.h>

/* Runs the simulation and hands every frame to `look`. */
static void run(const struct sim_options *options, void (*look)(const struct sim *sim, void *user),
                void *user) {
  struct sim *sim = test_sim(options);
  while (sim_step(sim) == STATUS_OK) {
    look(sim, user);
  }
  sim_destroy(sim);
}

static struct sim_options chain_options(const struct stock_robot *stock, double duration_s) {
  struct sim_options options = test_options(stock, SIM_MEDIUM);
  options.duration_s = duration_s;
  return options;
}

/* --- determinism --- */

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

static double fingerprint(enum sim_scenario scenario, uint64_t seed) {
  const struct stock_robot stock = test_robot("humanoid18");
  struct sim_options options = sim_defaults(stock.robot, stock.urdf, scenario);
  options.seed = seed;
  options.duration_s = 2.5;
  options.stream[SIM_SKIN].jitter_s = 0.003;
  double sum = 0.0;
  run(&options, sum_up, &sum);
  robot_destroy(stock.robot);
  return sum;
}

START_TEST(the_same_seed_gives_the_same_bits_and_another_seed_others) {
  static const enum sim_scenario scenarios[] = {SIM_WALK, SIM_MULTISINE, SIM_STOPS};
  for (size_t i = 0; i < sizeof(scenarios) / sizeof(scenarios[0]); i++) {
    const double first = fingerprint(scenarios[i], 5);
    ck_assert_double_eq(first, fingerprint(scenarios[i], 5));
    ck_assert_double_ne(first, fingerprint(scenarios[i], 6));
  }
}
END_TEST

/* --- time --- */

struct timing {
  int64_t last_t_ns[SIM_STREAMS], largest_age_ns[SIM_STREAMS], smallest_age_ns[SIM_STREAMS];
  int arrivals[SIM_STREAMS];
  uint64_t last_seq[SIM_STREAMS];
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
  note_stamp(user, SIM_JOINTS, &frame->joints.stamp, frame->t_ns);
  note_stamp(user, SIM_IMU, &frame->imu.stamp, frame->t_ns);
  note_stamp(user, SIM_SKIN, &frame->skin.stamp, frame->t_ns);
}

static struct timing time_streams(const struct sim_options *options) {
  struct timing timing = {0};
  for (int i = 0; i < SIM_STREAMS; i++) {
    timing.smallest_age_ns[i] = INT64_MAX;
  }
  run(options, note_timing, &timing);
  return timing;
}

START_TEST(streams_come_at_their_rates_and_as_late_as_asked) {
  const struct stock_robot stock = test_robot("chain9");
  struct sim_options options = chain_options(&stock, 2.0);
  options.stream[SIM_JOINTS] = (struct sim_stream_options){.rate_hz = 1000.0};
  options.stream[SIM_IMU] = (struct sim_stream_options){.rate_hz = 200.0, .latency_s = 0.004};
  options.stream[SIM_SKIN] = (struct sim_stream_options){.rate_hz = 250.0, .latency_s = 0.0055};
  const struct timing timing = time_streams(&options);
  ck_assert_int_eq(timing.arrivals[SIM_JOINTS], 2001);
  ck_assert_int_eq(timing.arrivals[SIM_IMU], 400);
  ck_assert_int_eq(timing.arrivals[SIM_SKIN], 499);
  ck_assert_int_eq(timing.smallest_age_ns[SIM_JOINTS], 0);
  ck_assert_int_eq(timing.largest_age_ns[SIM_JOINTS], 0);
  ck_assert_int_eq(timing.smallest_age_ns[SIM_IMU], 4000000);
  ck_assert_int_eq(timing.largest_age_ns[SIM_IMU], 4000000);
  ck_assert_int_eq(timing.smallest_age_ns[SIM_SKIN], 6000000); /* seen at the next millisecond */
  ck_assert_int_eq(timing.largest_age_ns[SIM_SKIN], 6000000);
}
END_TEST

START_TEST(jitter_delays_within_its_bound_and_never_reorders) {
  const struct stock_robot stock = test_robot("chain9");
  struct sim_options options = chain_options(&stock, 4.0);
  options.stream[SIM_SKIN].rate_hz = 0.0;
  options.stream[SIM_IMU] =
      (struct sim_stream_options){.rate_hz = 500.0, .latency_s = 0.002, .jitter_s = 0.006};
  const struct timing timing = time_streams(&options); /* checks the order of every stamp */
  ck_assert_int_ge(timing.smallest_age_ns[SIM_IMU], 2000000);
  ck_assert_int_lt(timing.smallest_age_ns[SIM_IMU], 4000000);
  ck_assert_int_le(timing.largest_age_ns[SIM_IMU], 9000000);
  ck_assert_int_gt(timing.largest_age_ns[SIM_IMU], 6000000);
}
END_TEST

START_TEST(as_many_samples_are_lost_as_asked) {
  const struct stock_robot stock = test_robot("chain9");
  struct sim_options options = chain_options(&stock, 5.0);
  options.stream[SIM_SKIN].rate_hz = 0.0;
  options.stream[SIM_JOINTS].loss = 0.2;
  const struct timing timing = time_streams(&options);
  /* 5001 tries, one standard deviation is 28 */
  ck_assert_int_gt(timing.arrivals[SIM_JOINTS], 4001 - 4 * 28);
  ck_assert_int_lt(timing.arrivals[SIM_JOINTS], 4001 + 4 * 28);
}
END_TEST

START_TEST(slow_frames_bring_the_newest_of_fast_streams) {
  const struct stock_robot stock = test_robot("chain9");
  struct sim_options options = chain_options(&stock, 1.0);
  options.frame_rate_hz = 100.0;
  options.stream[SIM_IMU].latency_s = 0.003;
  const struct timing timing = time_streams(&options);
  ck_assert_int_eq(timing.arrivals[SIM_JOINTS], 101);
  ck_assert_int_eq(timing.largest_age_ns[SIM_JOINTS], 0);
  ck_assert_int_eq(timing.smallest_age_ns[SIM_IMU], 3000000);
  ck_assert_int_eq(timing.largest_age_ns[SIM_IMU], 3000000);
  ck_assert_uint_ge(timing.last_seq[SIM_JOINTS], 1000); /* the writer's count goes on */
}
END_TEST

START_TEST(a_shifted_clock_moves_stamps_and_nothing_else) {
  const struct stock_robot stock = test_robot("chain9");
  struct sim_options options = chain_options(&stock, 1.5);
  options.stream[SIM_IMU].latency_s = 0.003;
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

/* --- noise --- */

struct moments {
  double sum, squares;
  long n;
};

static void add(struct moments *moments, double x) {
  moments->sum += x;
  moments->squares += x * x;
  moments->n++;
}

static double mean_of(const struct moments *m) {
  return m->sum / (double)m->n;
}

static double deviation_of(const struct moments *m) {
  return sqrt(fmax(m->squares / (double)m->n - mean_of(m) * mean_of(m), 0.0));
}

static void note_encoder_errors(const struct sim *sim, void *user) {
  for (size_t j = 0; j < sim_truth(sim)->n_joints; j++) {
    add(user, sim_frame(sim)->joints.q[j] - sim_truth(sim)->q[j]);
  }
}

START_TEST(white_encoder_noise_has_its_deviation_and_no_mean) {
  const struct stock_robot stock = test_robot("chain9");
  struct sim_options options = chain_options(&stock, 3.0);
  options.joints.white = 1e-3;
  struct moments m = {0};
  run(&options, note_encoder_errors, &m);
  const double n = sqrt((double)m.n);
  assert_near(mean_of(&m), 0.0, 4.0 * 1e-3 / n);
  assert_near(deviation_of(&m), 1e-3, 4.0 * 1e-3 / (n * sqrt(2.0)));
}
END_TEST

static void check_steps(const struct sim *sim, void *user) {
  const double quantum = *(double *)user;
  for (size_t j = 0; j < sim_truth(sim)->n_joints; j++) {
    const double q = sim_frame(sim)->joints.q[j];
    must_be_near(remainder(q, quantum), 0.0, 1e-12);
    must(fabs(q - sim_truth(sim)->q[j]) <= 0.5 * quantum * (1.0 + 1e-9));
  }
}

START_TEST(a_quantised_encoder_is_off_by_at_most_half_a_step) {
  const struct stock_robot stock = test_robot("chain9");
  struct sim_options options = chain_options(&stock, 2.0);
  options.joints.quantum = 1e-3;
  run(&options, check_steps, &options.joints.quantum);
}
END_TEST

static void note_imu(const struct sim *sim, void *user) {
  struct moments *m = user; /* x, y, z of force, then of rate */
  const struct imu_reading *imu = &sim_frame(sim)->imu;
  double value[6];
  vec3_to(imu->specific_force, value);
  vec3_to(imu->angular_rate, value + 3);
  for (int i = 0; i < 6; i++) {
    add(&m[i], value[i]);
  }
}

/* Length of the difference of three means. */
static double offset_of(const struct moments *noisy, const struct moments *ideal) {
  const vec3 a = {mean_of(&noisy[0]), mean_of(&noisy[1]), mean_of(&noisy[2])};
  const vec3 b = {mean_of(&ideal[0]), mean_of(&ideal[1]), mean_of(&ideal[2])};
  return vec3_norm(vec3_sub(a, b));
}

START_TEST(an_imu_at_rest_shows_its_bias_and_noise) {
  const struct stock_robot stock = test_robot("chain9");
  struct sim_options options = chain_options(&stock, 20.0);
  options.stream[SIM_SKIN].rate_hz = 0.0;
  struct moments ideal[6] = {{0}}, noisy[6] = {{0}};
  options.scenario = SIM_REST;
  run(&options, note_imu, ideal);
  options.imu = (struct sim_imu_noise){
      .force_white = 0.05, .force_bias = 0.3, .rate_white = 0.01, .rate_bias = 0.02};
  run(&options, note_imu, noisy);
  for (int i = 0; i < 6; i++) {
    const double sigma = i < 3 ? 0.05 : 0.01;
    assert_near(deviation_of(&ideal[i]), 0.0, 1e-6); /* rounding of the difference of squares */
    assert_near(deviation_of(&noisy[i]), sigma, 4.0 * sigma / sqrt(2.0 * 20001.0));
  }
  /* far above what the mean of white noise is, and within four deviations on three axes */
  ck_assert_double_gt(offset_of(noisy, ideal), 10.0 * 0.05 / sqrt(20001.0));
  ck_assert_double_lt(offset_of(noisy, ideal), 4.0 * sqrt(3.0) * 0.3);
  ck_assert_double_gt(offset_of(noisy + 3, ideal + 3), 10.0 * 0.01 / sqrt(20001.0));
  ck_assert_double_lt(offset_of(noisy + 3, ideal + 3), 4.0 * sqrt(3.0) * 0.02);
}
END_TEST

/* --- skin --- */

/* Readings of two runs that differ only in the skin's options, side by side. */
static void skin_errors(const struct sim_options *options, struct moments *all,
                        double *largest_of_mean) {
  struct sim_options clean = *options;
  clean.skin = (struct sim_skin_noise){0};
  struct sim *a = test_sim(options), *b = test_sim(&clean);
  const size_t n = 3 * options->robot->n_cells;
  struct moments *axis = calloc(n, sizeof(*axis));
  while (sim_step(a) == STATUS_OK && sim_step(b) == STATUS_OK) {
    const struct skin_reading *x = &sim_frame(a)->skin, *y = &sim_frame(b)->skin;
    for (size_t i = 0; x->stamp.fresh && i < n; i++) {
      const double error = (double)x->acceleration[i] - (double)y->acceleration[i];
      add(all, error);
      add(&axis[i], error);
    }
  }
  *largest_of_mean = 0.0;
  for (size_t i = 0; i < n; i++) {
    *largest_of_mean = fmax(*largest_of_mean, fabs(mean_of(&axis[i])));
  }
  free(axis);
  sim_destroy(a);
  sim_destroy(b);
}

START_TEST(white_skin_noise_has_its_deviation_on_every_axis) {
  const struct stock_robot stock = test_robot("chain9");
  struct sim_options options = chain_options(&stock, 2.0);
  options.skin.white = 0.34;
  struct moments all = {0};
  double largest;
  skin_errors(&options, &all, &largest);
  assert_near(deviation_of(&all), 0.34, 4.0 * 0.34 / sqrt(2.0 * (double)all.n));
  ck_assert_double_lt(largest, 6.0 * 0.34 / sqrt(501.0));
}
END_TEST

START_TEST(skin_bias_is_constant_and_of_the_size_asked_for) {
  const struct stock_robot stock = test_robot("chain9");
  struct sim_options options = chain_options(&stock, 1.0);
  options.skin.bias = 0.1;
  struct moments all = {0};
  double largest;
  skin_errors(&options, &all, &largest);
  assert_near(deviation_of(&all), 0.1, 4.0 * 0.1 / sqrt(2.0 * 936.0)); /* 312 cells, 3 axes */
  ck_assert_double_gt(largest, 0.2); /* white noise would vanish */
}
END_TEST

START_TEST(a_tilted_cell_reads_a_turned_vector_of_the_same_length) {
  const struct stock_robot stock = test_robot("chain9");
  struct sim_options options = chain_options(&stock, 0.5);
  options.skin.orientation = 0.035;
  struct sim *sim = test_sim(&options);
  ck_assert_int_eq(sim_step(sim), STATUS_OK); /* at rest: gravity only */
  double squares = 0.0;
  for (size_t i = 0; i < stock.robot->n_cells; i++) {
    const float *y = &sim_frame(sim)->skin.acceleration[3 * i];
    const vec3 read = {(double)y[0], (double)y[1], (double)y[2]};
    const struct skin_cell *cell = &stock.robot->cell[i];
    const vec3 f_L = sim_link_acceleration(sim)[cell->link].lin;
    const vec3 ideal = mat3_tmul_vec3(&cell->placement.R, f_L);
    assert_near(vec3_norm(read), STANDARD_GRAVITY, 1e-5);
    squares += vec3_dot(vec3_cross(read, ideal), vec3_cross(read, ideal));
  }
  const double n = (double)stock.robot->n_cells, g2 = STANDARD_GRAVITY * STANDARD_GRAVITY;
  /* two of three turns are seen: the mean of sin^2 is twice the variance, give or take 4 sigma */
  const double tilt = sqrt(squares / (2.0 * n)) / g2;
  assert_near(tilt, 0.035, 0.035 * 4.0 / sqrt(4.0 * n));
  sim_destroy(sim);
}
END_TEST

static void check_range(const struct sim *sim, void *user) {
  const struct skin_reading *skin = &sim_frame(sim)->skin;
  for (size_t i = 0; i < 3 * skin->n_cells; i++) {
    must(fabsf(skin->acceleration[i]) <= 10.0f);
    *(int *)user += fabsf(skin->acceleration[i]) >= 10.0f;
  }
}

START_TEST(saturated_cells_read_the_end_of_their_range) {
  const struct stock_robot stock = test_robot("chain9");
  struct sim_options options = test_options(&stock, SIM_FAST);
  options.duration_s = 4.0;
  options.skin.saturation = 10.0;
  int clipped = 0;
  run(&options, check_range, &clipped);
  ck_assert_int_gt(clipped, 100);
}
END_TEST

struct fates {
  float first[3 * 312];
  int changes[312], invalid;
  bool begun;
};

static void note_fates(const struct sim *sim, void *user) {
  struct fates *fates = user;
  const struct skin_reading *skin = &sim_frame(sim)->skin;
  must(skin->n_cells == 312);
  for (size_t i = 0; i < skin->n_cells; i++) {
    const float *y = &skin->acceleration[3 * i];
    if (!fates->begun) {
      memcpy(&fates->first[3 * i], y, 3 * sizeof(float));
    }
    fates->changes[i] += memcmp(&fates->first[3 * i], y, 3 * sizeof(float)) != 0;
    fates->invalid += skin->stamp.fresh && (skin->flags[i] & CELL_VALID) == 0;
  }
  fates->begun = true;
}

START_TEST(dead_stuck_and_dropping_cells_are_as_many_as_asked) {
  const struct stock_robot stock = test_robot("chain9");
  struct sim_options options = chain_options(&stock, 3.0);
  options.skin = (struct sim_skin_noise){.white = 0.05, .dead = 0.1, .stuck = 0.2, .drop = 0.05};
  static struct fates fates;
  run(&options, note_fates, &fates);
  int dead = 0, stuck = 0;
  for (int i = 0; i < 312; i++) {
    const float *y = &fates.first[3 * i];
    const bool reads_dead = y[0] == -1.0f && y[1] == -1.0f && y[2] == -1.0f;
    dead += reads_dead && fates.changes[i] == 0;
    stuck += !reads_dead && fates.changes[i] == 0;
  }
  /* binomial: one standard deviation is 5.3 and 7.1 cells */
  ck_assert_int_gt(dead, 31 - 4 * 6);
  ck_assert_int_lt(dead, 31 + 4 * 6);
  ck_assert_int_gt(stuck, 62 - 4 * 8);
  ck_assert_int_lt(stuck, 62 + 4 * 8);
  const double expected = 0.05 * 312.0 * 751.0, deviation = sqrt(expected * 0.95);
  assert_near(fates.invalid, expected, 4.0 * deviation);
}
END_TEST

struct touch {
  float nearest_before[312]; /* proximity of the frame before */
  int touched, announced;
};

static void note_touches(const struct sim *sim, void *user) {
  struct touch *touch = user;
  const struct skin_reading *skin = &sim_frame(sim)->skin;
  for (size_t i = 0; skin->stamp.fresh && i < skin->n_cells; i++) {
    const bool touched = skin->force[i] > 0.0f;
    must(touched == (skin->proximity[i] >= 1.0f));
    if (touched && touch->nearest_before[i] < 1.0f) {
      touch->touched++;
      touch->announced += touch->nearest_before[i] > 0.5f;
    }
    touch->nearest_before[i] = skin->proximity[i];
  }
}

START_TEST(a_touch_is_announced_by_proximity_and_felt_as_force) {
  const struct stock_robot stock = test_robot("chain9");
  struct sim_options options = chain_options(&stock, 10.0);
  options.skin.touch_rate_hz = 2.0;
  options.skin.has_proximity = options.skin.has_force = true;
  struct touch touch = {0};
  run(&options, note_touches, &touch);
  ck_assert_int_gt(touch.touched, 20); /* about 20 touches of a cell and its neighbours */
  ck_assert_int_eq(touch.announced, touch.touched);
}
END_TEST

/* --- force and torque --- */

START_TEST(ideal_wrench_sensors_carry_the_robot_and_see_its_centre_of_pressure) {
  const struct stock_robot stock = test_robot("humanoid30");
  struct sim_options options = test_options(&stock, SIM_STAND);
  options.duration_s = 1.0;
  struct sim *sim = test_sim(&options);
  while (sim_step(sim) == STATUS_OK) {
    const struct wrench_reading *read = &sim_frame(sim)->wrench;
    const struct sim_truth *t = sim_truth(sim);
    double weight = 0.0;
    for (size_t k = 0; k < 2; k++) {
      const struct pose *X_LS = &stock.robot->wrench[k].placement;
      const struct pose *X_LF = &stock.robot->foot[k].placement;
      const struct pose back = pose_inverse(X_LF);
      const struct pose X_FS = pose_mul(&back, X_LS);
      const vec3 f_F = mat3_mul_vec3(&X_FS.R, read->wrench[k].lin);
      const vec3 n_F =
          vec3_add(mat3_mul_vec3(&X_FS.R, read->wrench[k].ang), vec3_cross(X_FS.p, f_F));
      must_be_near(vec3_norm(vec3_sub(f_F, t->foot_wrench[k].lin)), 0.0, 1e-9);
      must_be_near(vec3_norm(vec3_sub(n_F, t->foot_wrench[k].ang)), 0.0, 1e-9);
      weight += f_F.z;
    }
    must_be_near(weight, t->mass * STANDARD_GRAVITY, 2.0);
  }
  sim_destroy(sim);
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
  bad.stream[SIM_SKIN].loss = 1.0;
  ck_assert_int_eq(sim_create(&sim, &bad, &error), STATUS_BAD_ARGUMENT);
  ck_assert_ptr_nonnull(strstr(error.text, "loss"));
  bad = good;
  bad.payload = (struct sim_payload){.link = "pocket", .mass = 1.0};
  ck_assert_int_eq(sim_create(&sim, &bad, &error), STATUS_BAD_ARGUMENT);
  ck_assert_ptr_nonnull(strstr(error.text, "pocket"));
  bad = good;
  bad.scenario = SIM_WALK;
  ck_assert_int_eq(sim_create(&sim, &bad, &error), STATUS_REFUSED);
  ck_assert_ptr_nonnull(strstr(error.text, "0 feet"));
  ck_assert_ptr_null(sim);
}
END_TEST

SUITE(the_same_seed_gives_the_same_bits_and_another_seed_others,
      streams_come_at_their_rates_and_as_late_as_asked,
      jitter_delays_within_its_bound_and_never_reorders, as_many_samples_are_lost_as_asked,
      slow_frames_bring_the_newest_of_fast_streams, a_shifted_clock_moves_stamps_and_nothing_else,
      white_encoder_noise_has_its_deviation_and_no_mean,
      a_quantised_encoder_is_off_by_at_most_half_a_step, an_imu_at_rest_shows_its_bias_and_noise,
      white_skin_noise_has_its_deviation_on_every_axis,
      skin_bias_is_constant_and_of_the_size_asked_for,
      a_tilted_cell_reads_a_turned_vector_of_the_same_length,
      saturated_cells_read_the_end_of_their_range,
      dead_stuck_and_dropping_cells_are_as_many_as_asked,
      a_touch_is_announced_by_proximity_and_felt_as_force,
      ideal_wrench_sensors_carry_the_robot_and_see_its_centre_of_pressure,
      options_that_make_no_sense_are_refused_by_name)
