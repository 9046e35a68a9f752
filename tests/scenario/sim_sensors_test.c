/* Simulated encoders, IMU and wrench sensors err as they are told to, and in no other way. */
#include "support/sim_look.h"

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
  options.stream[PROPRIOD_SHM_SKIN].rate_hz = 0.0;
  struct moments ideal[6] = {{0}}, noisy[6] = {{0}};
  options.scenario = "rest";
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

START_TEST(ideal_wrench_sensors_carry_the_robot_and_see_its_centre_of_pressure) {
  const struct stock_robot stock = test_robot("humanoid30");
  struct sim_options options = test_options(&stock, "stand");
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

static void check_converters(const struct sim *sim, void *user) {
  const struct sim_options *o = user;
  const struct sensor_frame *frame = sim_frame(sim);
  for (size_t j = 0; j < sim_truth(sim)->n_joints; j++) {
    must_be_near(remainder(frame->joints.tau[j], o->joints.effort_quantum), 0.0, 1e-9);
  }
  const double readings[4][2] = {{frame->imu.specific_force.z, o->imu.force_quantum},
                                 {frame->imu.angular_rate.x, o->imu.rate_quantum},
                                 {frame->wrench.wrench[0].lin.z, o->wrench.force_quantum},
                                 {frame->wrench.wrench[0].ang.x, o->wrench.moment_quantum}};
  for (int i = 0; i < 4; i++) {
    must_be_near(remainder(readings[i][0], readings[i][1]), 0.0, 1e-9);
  }
}

START_TEST(torques_imu_and_forces_count_in_steps_when_they_are_converters) {
  const struct stock_robot stock = test_robot("humanoid18");
  struct sim_options options = sim_defaults(stock.robot, stock.urdf, "stand");
  options.duration_s = 0.5;
  options.joints.effort_quantum = 0.02;
  options.imu.force_quantum = 2.4e-3;
  options.imu.rate_quantum = 5.3e-4;
  options.wrench.force_quantum = 0.1;
  options.wrench.moment_quantum = 0.01;
  run(&options, check_converters, &options);
}
END_TEST

SUITE(white_encoder_noise_has_its_deviation_and_no_mean,
      a_quantised_encoder_is_off_by_at_most_half_a_step,
      torques_imu_and_forces_count_in_steps_when_they_are_converters,
      an_imu_at_rest_shows_its_bias_and_noise,
      ideal_wrench_sensors_carry_the_robot_and_see_its_centre_of_pressure)
