/* Each imperfection of the simulated sensors has the size that was asked for. The evaluations stand
 * on it: an error that is asked for and does not come makes every estimate look better. */
#include "sim_sensors.h"
#include "sim_skin.h"
#include "support/sim_fixture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SEEDS = 40, READINGS = 2000, LINKS = MODEL_MAX_JOINTS + 1 };

static struct stock_robot stock;
static struct sim_options options;
static struct motion still[LINKS], pulled[LINKS]; /* every link at rest: velocity, proper force */

/* A humanoid whose sensors are perfect until a test spoils one. */
static void begin(void) {
  stock = test_robot("humanoid30");
  options = sim_defaults(stock.robot, stock.urdf, "stand");
  sim_make_ideal(&options);
  for (size_t i = 0; i < LINKS; i++) {
    pulled[i].lin = (vec3){6.0, -4.0, 8.0};
  }
}

/* Mean and deviation of numbers that come one by one. */
struct tally {
  double n, sum, squares;
};
static void count(struct tally *tally, double x) {
  tally->n += 1.0;
  tally->sum += x;
  tally->squares += x * x;
}
static double mean(const struct tally *tally) {
  return tally->sum / tally->n;
}
static double deviation(const struct tally *tally) {
  return sqrt(tally->squares / tally->n - mean(tally) * mean(tally));
}

static void read_joints(struct sim_sensors *sensors, struct joint_sample *sample) {
  static const double q[MODEL_MAX_JOINTS], dq[MODEL_MAX_JOINTS];
  static double tau[MODEL_MAX_JOINTS];
  for (size_t j = 0; j < MODEL_MAX_JOINTS; j++) {
    tau[j] = 50.0;
  }
  const struct sim_truth truth = {
      .n_joints = stock.robot->model.n_joints, .q = q, .dq = dq, .tau = tau};
  sim_read_joints(sensors, &truth, sample);
}

START_TEST(velocities_and_torques_have_their_white_noise) {
  begin();
  options.joints.velocity_white = 0.03;
  options.joints.effort_white = 0.7;
  struct sim_sensors sensors;
  struct joint_sample sample;
  struct tally velocity = {0}, torque = {0};
  sim_sensors_init(&sensors, &options);
  for (int k = 0; k < READINGS; k++) {
    read_joints(&sensors, &sample);
    count(&velocity, sample.dq[3]);
    count(&torque, sample.tau[7]);
  }
  assert_near(deviation(&velocity), 0.03, 0.06 * 0.03);
  assert_near(deviation(&torque), 0.7, 0.06 * 0.7);
  assert_near(mean(&torque), 50.0, 0.1);
}
END_TEST

START_TEST(the_gain_of_a_torque_sensor_is_wrong_by_as_much_as_asked_and_stays_so) {
  begin();
  options.joints.effort_gain = 0.05;
  struct tally gain = {0};
  for (int seed = 1; seed <= SEEDS; seed++) {
    struct sim_sensors sensors;
    struct joint_sample first, later;
    options.seed = (uint64_t)seed;
    sim_sensors_init(&sensors, &options);
    read_joints(&sensors, &first);
    read_joints(&sensors, &later);
    for (size_t j = 0; j < stock.robot->model.n_joints; j++) {
      ck_assert_double_eq(first.tau[j], later.tau[j]);
      count(&gain, first.tau[j] / 50.0);
    }
  }
  assert_near(mean(&gain), 1.0, 0.006);
  assert_near(deviation(&gain), 0.05, 0.1 * 0.05);
}
END_TEST

START_TEST(the_orientation_of_the_imu_is_off_by_as_much_as_asked_about_each_axis) {
  begin();
  options.imu.orientation_white = 0.02;
  struct sim_sensors sensors;
  struct tally axis[3] = {{0}};
  const struct pose X_WL = {mat3_from_rpy((vec3){0.2, -0.4, 1.0}), VEC3_ZERO};
  const mat3 R = mat3_mul(&X_WL.R, &stock.robot->imu_placement.R);
  const quat truth = quat_from_mat3(&R), back = {-truth.x, -truth.y, -truth.z, truth.w};
  sim_sensors_init(&sensors, &options);
  for (int k = 0; k < READINGS; k++) {
    struct imu_sample sample;
    sim_read_imu(&sensors, still, pulled, &X_WL, &sample);
    const vec3 off = quat_to_rotation_vector(quat_mul(back, sample.orientation));
    count(&axis[0], off.x);
    count(&axis[1], off.y);
    count(&axis[2], off.z);
  }
  for (int i = 0; i < 3; i++) {
    assert_near(deviation(&axis[i]), 0.02, 0.06 * 0.02);
    assert_near(mean(&axis[i]), 0.0, 0.002);
  }
}
END_TEST

START_TEST(force_sensors_have_noise_bias_and_drift_as_asked) {
  begin();
  options.wrench = (struct sim_wrench_noise){.force_white = 2.0,
                                             .force_bias = 5.0,
                                             .moment_white = 0.3,
                                             .moment_bias = 0.8,
                                             .force_drift = 0.25};
  const struct force none = {VEC3_ZERO, VEC3_ZERO};
  const struct pose here = POSE_IDENTITY;
  struct tally force_bias = {0}, moment_bias = {0}, force = {0}, moment = {0}, drifted = {0};
  for (int seed = 1; seed <= SEEDS; seed++) {
    struct sim_sensors sensors;
    struct tally read[6] = {{0}};
    options.seed = (uint64_t)seed;
    sim_sensors_init(&sensors, &options);
    for (int k = 0; k < 200; k++) {
      const struct force now = sim_read_wrench(&sensors, 0, 0.0, &none, &here);
      const struct force later = sim_read_wrench(&sensors, 0, 40.0, &none, &here);
      for (int i = 0; i < 6; i++) {
        count(&read[i], (&now.ang.x)[i]);
      }
      count(&drifted, later.lin.z - now.lin.z);
    }
    for (int i = 0; i < 3; i++) {
      count(&moment_bias, mean(&read[i]));
      count(&moment, deviation(&read[i]));
      count(&force_bias, mean(&read[3 + i]));
      count(&force, deviation(&read[3 + i]));
    }
  }
  assert_near(mean(&force), 2.0, 0.06);
  assert_near(mean(&moment), 0.3, 0.01);
  assert_near(deviation(&force_bias), 5.0, 1.0); /* 120 draws: three deviations */
  assert_near(deviation(&moment_bias), 0.8, 0.16);
  assert_near(mean(&drifted), 10.0, 0.2);
}
END_TEST

/* One sample of the whole skin at `t`. */
static struct skin_sample read_skin(struct sim_skin *skin, double t) {
  static void *block;
  block = block != NULL ? block : malloc(skin_sample_bytes(stock.robot->n_cells));
  const struct skin_sample sample = skin_sample_in(block, stock.robot->n_cells);
  sim_read_skin(skin, t, still, pulled, &sample);
  return sample;
}

/* What a perfect cell reads. */
static vec3 nominal(size_t cell) {
  return mat3_tmul_vec3(&stock.robot->cell[cell].placement.R, pulled[0].lin);
}

START_TEST(each_axis_of_a_cell_has_a_scale_of_its_own_that_stays) {
  begin();
  options.skin.scale = 0.04;
  struct sim_skin skin;
  struct tally scale = {0};
  ck_assert_int_eq(sim_skin_init(&skin, &options), STATUS_OK);
  for (int k = 0; k < 2; k++) {
    const struct skin_sample sample = read_skin(&skin, 0.004 * k);
    for (size_t c = 0; c < stock.robot->n_cells; c++) {
      double expected[3];
      vec3_to(nominal(c), expected);
      for (int i = 0; i < 3; i++) {
        if (fabs(expected[i]) > 2.0) {
          count(&scale, (double)sample.acceleration[3 * c + (size_t)i] / expected[i]);
        }
      }
    }
  }
  assert_near(mean(&scale), 1.0, 0.003);
  assert_near(deviation(&scale), 0.04, 0.1 * 0.04);
  sim_skin_free(&skin);
}
END_TEST

START_TEST(a_converter_reads_whole_steps_and_is_off_by_half_a_step_at_most) {
  begin();
  options.skin.quantum = 0.15;
  struct sim_skin skin;
  ck_assert_int_eq(sim_skin_init(&skin, &options), STATUS_OK);
  const struct skin_sample sample = read_skin(&skin, 0.0);
  for (size_t c = 0; c < stock.robot->n_cells; c++) {
    double expected[3];
    vec3_to(nominal(c), expected);
    for (int i = 0; i < 3; i++) {
      const double read = (double)sample.acceleration[3 * c + (size_t)i];
      assert_near(read / 0.15, round(read / 0.15), 1e-5);
      ck_assert_double_le(fabs(read - expected[i]), 0.5 * 0.15 + 1e-5);
    }
  }
  sim_skin_free(&skin);
}
END_TEST

START_TEST(a_touched_cell_is_shaken_and_the_others_are_not) {
  begin();
  options.skin.touch_rate_hz = 5.0;
  options.skin.white = 0.05;
  struct sim_skin skin;
  struct tally touched = {0}, others = {0};
  ck_assert_int_eq(sim_skin_init(&skin, &options), STATUS_OK);
  for (int k = 0; k < 2500; k++) {
    const struct skin_sample sample = read_skin(&skin, 0.004 * k);
    for (size_t c = 0; c < stock.robot->n_cells; c++) {
      const double off = (double)sample.acceleration[3 * c] - nominal(c).x;
      count(sample.force[c] > 0.0f ? &touched : &others, off);
    }
  }
  ck_assert_double_gt(touched.n, 500.0);
  assert_near(deviation(&touched), 3.0, 0.3);
  assert_near(deviation(&others), 0.05, 0.002);
  sim_skin_free(&skin);
}
END_TEST

START_TEST(a_slow_error_of_torques_has_its_deviation_and_its_corner) {
  begin();
  options.joints.effort_coloured = 3.0;
  options.joints.effort_corner_hz = 2.0;
  struct sim_sensors sensors;
  struct joint_sample sample;
  struct tally error = {0};
  double products = 0.0, before = 0.0;
  enum { LATER = 80 }; /* ms: at 2 Hz the correlation is down to 1/e there */
  double past[LATER] = {0.0};
  sim_sensors_init(&sensors, &options);
  for (int k = 0; k < 400 * LATER; k++) {
    read_joints(&sensors, &sample);
    const double e = sample.tau[5] - 50.0;
    products += k >= LATER ? e * past[k % LATER] : 0.0;
    must(k == 0 || fabs(e - before) < 3.0); /* slow: never a jump */
    count(&error, e);
    before = past[k % LATER] = e;
  }
  assert_near(deviation(&error), 3.0, 0.3); /* 200 independent draws: two deviations of it */
  assert_near(products / error.n / (deviation(&error) * deviation(&error)), exp(-1.0), 0.12);
}
END_TEST

START_TEST(an_imu_has_exactly_the_bias_that_it_is_given) {
  begin();
  options.imu.force_offset = (vec3){0.5, -0.25, 0.125};
  options.imu.rate_offset = (vec3){0.03, 0.0, -0.01};
  const struct pose X_WL = POSE_IDENTITY;
  struct sim_sensors spoilt, right;
  struct imu_sample a, b;
  sim_sensors_init(&spoilt, &options);
  options.imu.force_offset = options.imu.rate_offset = VEC3_ZERO;
  sim_sensors_init(&right, &options);
  sim_read_imu(&spoilt, still, pulled, &X_WL, &a);
  sim_read_imu(&right, still, pulled, &X_WL, &b);
  const vec3 force = vec3_sub(a.specific_force, b.specific_force),
             rate = vec3_sub(a.angular_rate, b.angular_rate);
  assert_near(vec3_norm(vec3_sub(force, (vec3){0.5, -0.25, 0.125})), 0.0, 1e-12);
  assert_near(vec3_norm(vec3_sub(rate, (vec3){0.03, 0.0, -0.01})), 0.0, 1e-12);
}
END_TEST

START_TEST(an_imu_elsewhere_on_its_link_feels_what_is_felt_there) {
  begin();
  options.imu.place = (vec3){0.1, -0.05, 0.2};
  options.imu.turn = (vec3){0.0, 0.0, 0.5 * M_PI};
  struct robot described = *stock.robot; /* with the IMU where the other really is */
  const struct pose off = {mat3_from_rpy(options.imu.turn), options.imu.place};
  described.imu_placement = pose_mul(&described.imu_placement, &off);
  struct motion turning[LINKS], swung[LINKS];
  for (size_t i = 0; i < LINKS; i++) {
    turning[i] = (struct motion){{0.4, -1.0, 2.0}, VEC3_ZERO};
    swung[i] = (struct motion){{3.0, 5.0, -2.0}, {0.0, 0.0, 9.8}};
  }
  const struct pose X_WL = POSE_IDENTITY;
  struct sim_sensors moved, told;
  struct imu_sample a, b, at_frame;
  sim_sensors_init(&moved, &options);
  sim_read_imu(&moved, turning, swung, &X_WL, &a);
  options.imu.place = options.imu.turn = VEC3_ZERO;
  sim_sensors_init(&moved, &options);
  sim_read_imu(&moved, turning, swung, &X_WL, &at_frame);
  options.robot = &described;
  sim_sensors_init(&told, &options);
  sim_read_imu(&told, turning, swung, &X_WL, &b);
  assert_near(vec3_norm(vec3_sub(a.specific_force, b.specific_force)), 0.0, 1e-12);
  assert_near(vec3_norm(vec3_sub(a.angular_rate, b.angular_rate)), 0.0, 1e-12);
  ck_assert_double_gt(vec3_norm(vec3_sub(a.specific_force, at_frame.specific_force)), 0.5);
}
END_TEST

START_TEST(the_cells_of_a_link_share_its_gain_and_its_turn) {
  begin();
  options.skin.gain = 0.1;
  options.skin.link_gain = 0.05;
  options.skin.link_tilt = 0.03;
  struct sim_skin skin;
  struct tally gain = {0}, turn = {0};
  vec3 of_link[LINKS] = {{0}};
  bool seen[LINKS] = {false};
  for (int seed = 1; seed <= 10; seed++) {
    options.seed = (uint64_t)seed;
    memset(seen, 0, sizeof(seen));
    ck_assert_int_eq(sim_skin_init(&skin, &options), STATUS_OK);
    const struct skin_sample sample = read_skin(&skin, 0.0);
    for (size_t c = 0; c < stock.robot->n_cells; c++) {
      const float *read = &sample.acceleration[3 * c];
      const vec3 a_S = {(double)read[0], (double)read[1], (double)read[2]};
      const size_t link = stock.robot->cell[c].link;
      const vec3 a_L = mat3_mul_vec3(&stock.robot->cell[c].placement.R, a_S);
      if (!seen[link]) {
        seen[link] = true;
        of_link[link] = a_L;
        count(&gain, vec3_norm(a_L) / vec3_norm(pulled[0].lin));
        count(&turn, vec3_norm(vec3_cross(a_L, pulled[0].lin)) /
                         (vec3_norm(a_L) * vec3_norm(pulled[0].lin)));
      }
      must(vec3_norm(vec3_sub(a_L, of_link[link])) < 1e-4); /* all cells of the link agree */
    }
    sim_skin_free(&skin);
  }
  assert_near(mean(&gain), 1.1, 0.015);
  assert_near(deviation(&gain), 1.1 * 0.05, 0.01);
  assert_near(sqrt(turn.squares / turn.n), 0.03 * sqrt(2.0), 0.006); /* two axes show */
}
END_TEST

START_TEST(a_late_link_reads_what_was_felt_before_and_the_others_their_own_delay) {
  begin();
  options.skin.link_delay = 0.01;
  struct sim_skin skin;
  struct motion now[LINKS];
  memset(now, 0, sizeof(now));
  ck_assert_int_eq(sim_skin_init(&skin, &options), STATUS_OK);
  for (int ms = 0; ms <= 30; ms++) {
    for (size_t i = 0; i < LINKS; i++) {
      now[i].lin = (vec3){1e3 * ms * 1e-3, 0.0, 0.0}; /* a ramp of 1000 m/s^3 */
    }
    sim_skin_remember(&skin, still, now);
  }
  void *block = malloc(skin_sample_bytes(stock.robot->n_cells));
  const struct skin_sample sample = skin_sample_in(block, stock.robot->n_cells);
  sim_read_skin(&skin, 0.03, still, now, &sample);
  struct tally delay = {0};
  for (size_t c = 0; c < stock.robot->n_cells; c++) {
    const float *read = &sample.acceleration[3 * c];
    const vec3 a_S = {(double)read[0], (double)read[1], (double)read[2]};
    const double age = 0.03 - vec3_norm(a_S) / 1e3;
    must(age > -1e-6 && age < 0.01 + 1e-6);
    assert_near(age, skin.link[stock.robot->cell[c].link].delay_s, 1e-6);
    count(&delay, age);
  }
  ck_assert_double_gt(deviation(&delay), 1e-3);
  free(block);
  sim_skin_free(&skin);
}
END_TEST

SUITE(velocities_and_torques_have_their_white_noise,
      the_gain_of_a_torque_sensor_is_wrong_by_as_much_as_asked_and_stays_so,
      the_orientation_of_the_imu_is_off_by_as_much_as_asked_about_each_axis,
      force_sensors_have_noise_bias_and_drift_as_asked,
      each_axis_of_a_cell_has_a_scale_of_its_own_that_stays,
      a_converter_reads_whole_steps_and_is_off_by_half_a_step_at_most,
      a_touched_cell_is_shaken_and_the_others_are_not,
      a_slow_error_of_torques_has_its_deviation_and_its_corner,
      an_imu_has_exactly_the_bias_that_it_is_given,
      an_imu_elsewhere_on_its_link_feels_what_is_felt_there,
      the_cells_of_a_link_share_its_gain_and_its_turn,
      a_late_link_reads_what_was_felt_before_and_the_others_their_own_delay)
