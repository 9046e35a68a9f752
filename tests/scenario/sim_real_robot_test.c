/* What every real robot has, as large as asked for in the simulated one: gears that give way, have
 * play and run unevenly, structures that shake, IMUs with gains, filters and biases that wander. */
#include "resonance.h"
#include "sim_drives.h"
#include "sim_sensors.h"
#include "sim_skin.h"
#include "sim_vibration.h"
#include "support/sim_fixture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LINKS = MODEL_MAX_JOINTS + 1, SEEDS = 60 };

static struct stock_robot stock;
static struct sim_options options;
static double q[MODEL_MAX_JOINTS], dq[MODEL_MAX_JOINTS], tau[MODEL_MAX_JOINTS];
static struct motion velocity[LINKS], acceleration[LINKS];
static const struct pose X_WL = {.R.m = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}};

/* A humanoid at rest whose sensors are perfect until a test spoils one. */
static void begin(void) {
  stock = test_robot("humanoid30");
  options = sim_defaults(stock.robot, stock.urdf, "stand");
  sim_make_ideal(&options);
  memset(q, 0, sizeof(q));
  memset(dq, 0, sizeof(dq));
  memset(tau, 0, sizeof(tau));
  memset(velocity, 0, sizeof(velocity));
  for (size_t i = 0; i < LINKS; i++) {
    acceleration[i] = (struct motion){VEC3_ZERO, {0.0, 0.0, STANDARD_GRAVITY}};
  }
}

static struct sim_truth truth(void) {
  return (struct sim_truth){.n_joints = stock.robot->model.n_joints, .q = q, .dq = dq, .tau = tau};
}

/* How far the encoder of joint 3 is from its link after `ms` of this torque. */
static double off_after(struct sim_sensors *sensors, int ms, double torque) {
  struct joint_sample sample;
  tau[3] = torque;
  const struct sim_truth now = truth();
  for (int k = 0; k < ms; k++) {
    sim_sensors_step(sensors, &now, velocity, acceleration);
  }
  sim_read_joints(sensors, &now, &sample);
  return sample.q[3] - q[3];
}

START_TEST(an_elastic_gear_is_wound_up_by_its_torque_and_the_motor_cannot_jump) {
  begin();
  options.joints.flex = 8e-3;
  struct sim_sensors sensors;
  const double largest = stock.robot->model.joint[3].tau_max;
  ck_assert_double_lt(largest, 1e4);
  sim_sensors_init(&sensors, &options);
  assert_near(off_after(&sensors, 1, 0.25 * largest), 2e-3, 1e-12); /* it stood there before */
  const double soon = off_after(&sensors, 1, 0.5 * largest);
  must(soon > 2e-3 && soon < 2.3e-3);
  assert_near(off_after(&sensors, 100, 0.5 * largest), 4e-3, 1e-8);
  assert_near(off_after(&sensors, 100, -0.5 * largest), -4e-3, 1e-8);
}
END_TEST

START_TEST(a_gear_with_play_lies_at_the_flank_that_its_torque_presses_it_to) {
  begin();
  options.joints.backlash = 1e-3;
  struct sim_sensors sensors;
  const double some = 0.2 * stock.robot->model.joint[3].tau_max;
  sim_sensors_init(&sensors, &options);
  assert_near(off_after(&sensors, 1, some), 0.5e-3, 1e-12);
  assert_near(off_after(&sensors, 100, 1e-3 * some), 0.5e-3, 1e-12); /* nothing moves it away */
  assert_near(off_after(&sensors, 100, -some), -0.5e-3, 1e-12);
  const double on_its_way = off_after(&sensors, 10, some);
  must(on_its_way > -0.5e-3 && on_its_way < 0.5e-3);
  assert_near(off_after(&sensors, 100, some), 0.5e-3, 1e-12);
}
END_TEST

START_TEST(a_gear_runs_unevenly_so_many_times_a_turn_and_its_motor_s_speed_tells) {
  begin();
  options.joints.ripple = 2e-4;
  options.joints.ripple_waves = 100.0;
  options.joints.has_velocity = true;
  struct sim_sensors sensors;
  struct joint_sample sample;
  double most = 0.0, fastest = 0.0, before = 0.0;
  int crossings = 0;
  sim_sensors_init(&sensors, &options);
  for (int ms = 0; ms <= 2000; ms++) {
    q[3] = 1e-3 * ms * M_PI / 2.0; /* half a turn in 2 s */
    const struct sim_truth now = truth();
    sim_sensors_step(&sensors, &now, velocity, acceleration);
    sim_read_joints(&sensors, &now, &sample);
    const double off = sample.q[3] - q[3];
    crossings += ms > 0 && off * before < 0.0;
    before = off;
    most = fmax(most, fabs(off));
    fastest = fmax(fastest, fabs(sample.dq[3]));
  }
  must(crossings >= 99 && crossings <= 101);
  assert_near(most, 2e-4, 2e-6);
  assert_near(fastest, 2e-4 * 100.0 * M_PI / 2.0, 1e-3);
}
END_TEST

START_TEST(the_zeros_of_encoders_are_off_by_as_much_as_asked_and_stay_so) {
  begin();
  options.joints.zero = 4e-3;
  double squares = 0.0, n = 0.0;
  for (int seed = 1; seed <= SEEDS; seed++) {
    struct sim_sensors sensors;
    options.seed = (uint64_t)seed;
    sim_sensors_init(&sensors, &options);
    const double off = off_after(&sensors, 1, 0.0);
    must_be_near(off_after(&sensors, 10, 5.0), off, 1e-12);
    squares += off * off;
    n += 1.0;
  }
  assert_near(sqrt(squares / n), 4e-3, 1e-3); /* 60 draws: three deviations */
}
END_TEST

START_TEST(a_resonance_rings_with_its_frequency_and_dies_away) {
  struct resonance z = resonance_at(50.0, 0.05, 1e-4);
  resonance_step(&z, 1.0, 0.0);
  for (int k = 0; k < 50; k++) {
    resonance_step(&z, 0.0, 0.0);
  }
  const double decay = exp(-0.05 * 2.0 * M_PI * 50.0 * 5e-3);
  assert_near(z.im, decay, 1e-9); /* a quarter of a swing */
  assert_near(resonance_slope(&z), 0.0, 1e-9);
  for (int k = 0; k < 100; k++) {
    resonance_step(&z, 0.0, 0.0);
  }
  assert_near(z.im, -decay * decay * decay, 1e-9);
}
END_TEST

START_TEST(a_link_hums_as_loud_as_asked_in_narrow_bands_and_turns_as_its_rate_says) {
  begin();
  options.vibration = (struct sim_vibration){.force = 2.0, .rate = 0.02};
  static struct sim_vibration_state vibration;
  double force = 0.0, rate = 0.0, slope_error = 0.0, slope = 0.0;
  enum { MS = 20000 };
  static double felt[2][MS];
  sim_vibration_init(&vibration, &options);
  must(vibration.exists);
  for (int ms = 0; ms < MS; ms++) {
    sim_vibration_step(&vibration, 0.0, velocity, acceleration);
    felt[0][ms] = vibration.velocity[5].ang.x;
    felt[1][ms] = vibration.acceleration[5].ang.x;
    for (size_t i = 0; i < vibration.n_links; i++) {
      const double f = vibration.acceleration[i].lin.z - STANDARD_GRAVITY;
      force += f * f;
      rate += vibration.velocity[i].ang.y * vibration.velocity[i].ang.y;
    }
  }
  for (int ms = 1; ms < MS - 1; ms++) { /* the central difference knows its own loss */
    const double w = vibration.link[5].hum[0].omega, loss = sin(1e-3 * w) / (1e-3 * w);
    const double by_difference = (felt[0][ms + 1] - felt[0][ms - 1]) / 2e-3;
    slope_error += pow(by_difference - loss * felt[1][ms], 2.0);
    slope += felt[1][ms] * felt[1][ms];
  }
  const double n = (double)MS * (double)vibration.n_links;
  assert_near(sqrt(force / n), 2.0, 0.1);
  assert_near(sqrt(rate / n), 0.02, 0.001);
  ck_assert_double_lt(slope_error, 0.05 * slope);
}
END_TEST

START_TEST(a_strike_lets_every_link_ring_and_lasting_force_does_not) {
  begin();
  options.vibration = (struct sim_vibration){.strike_force = 5.0, .strike_rate = 0.05};
  static struct sim_vibration_state vibration;
  const double weight = STANDARD_GRAVITY * model_mass(&stock.robot->model);
  double most = 0.0, late = 0.0, turns = 0.0;
  sim_vibration_init(&vibration, &options);
  for (int ms = 0; ms < 2000; ms++) {
    const double ground_N = ms < 100 ? 0.0 : weight;
    sim_vibration_step(&vibration, ground_N, velocity, acceleration);
    const vec3 shift = vec3_sub(vibration.acceleration[7].lin, acceleration[7].lin);
    must(ms >= 100 || vec3_norm(shift) < 1e-12);
    most = fmax(most, vec3_norm(shift));
    turns = fmax(turns, vec3_norm(vibration.velocity[7].ang));
    late = ms > 1500 ? fmax(late, vec3_norm(shift)) : 0.0;
  }
  must(most > 3.5 && most <= 5.0);
  must(turns > 0.035 && turns <= 0.05);
  ck_assert_double_lt(late, 0.01);
}
END_TEST

/* What an IMU reads that feels this. */
static struct imu_sample read_imu(struct sim_sensors *sensors, vec3 force, vec3 rate) {
  struct imu_sample sample;
  for (size_t i = 0; i < LINKS; i++) { /* in the IMU's axes: */
    acceleration[i] =
        (struct motion){VEC3_ZERO, mat3_mul_vec3(&stock.robot->imu_placement.R, force)};
    velocity[i] = (struct motion){mat3_mul_vec3(&stock.robot->imu_placement.R, rate), VEC3_ZERO};
    acceleration[i].lin =
        vec3_sub(/* without what turning adds at its place */
                 acceleration[i].lin,
                 vec3_cross(velocity[i].ang,
                            vec3_cross(velocity[i].ang, stock.robot->imu_placement.p)));
  }
  const struct sim_truth now = truth();
  sim_sensors_step(sensors, &now, velocity, acceleration);
  sim_read_imu(sensors, velocity, acceleration, &X_WL, &sample);
  return sample;
}

START_TEST(gains_leaning_axes_and_the_gyro_s_feeling_for_gravity_are_as_large_as_asked) {
  begin();
  options.imu.force_gain = 0.01;
  options.imu.rate_gain = 0.02;
  options.imu.cross = 5e-3;
  options.imu.rate_per_g = 2e-3;
  const vec3 force = {STANDARD_GRAVITY, 0.0, 0.0}, rate = {0.0, 3.0, 0.0};
  double gain = 0.0, turn = 0.0, lean = 0.0, by_g = 0.0;
  for (int seed = 1; seed <= SEEDS; seed++) {
    struct sim_sensors sensors;
    options.seed = (uint64_t)seed;
    sim_sensors_init(&sensors, &options);
    const struct imu_sample a = read_imu(&sensors, force, VEC3_ZERO);
    const struct imu_sample b = read_imu(&sensors, force, VEC3_ZERO);
    const struct imu_sample c = read_imu(&sensors, force, rate);
    must_be_near(vec3_norm(vec3_sub(a.specific_force, b.specific_force)), 0.0, 1e-12);
    gain += pow(a.specific_force.x / STANDARD_GRAVITY - 1.0, 2.0);
    lean += pow(a.specific_force.z / STANDARD_GRAVITY, 2.0);
    by_g += pow(a.angular_rate.z, 2.0);
    turn += pow((c.angular_rate.y - a.angular_rate.y) / 3.0 - 1.0, 2.0);
  }
  assert_near(sqrt(gain / SEEDS), 0.01, 0.003);
  assert_near(sqrt(turn / SEEDS), 0.02, 0.006);
  assert_near(sqrt(lean / SEEDS), 5e-3, 1.5e-3);
  assert_near(sqrt(by_g / SEEDS), 2e-3, 0.6e-3);
}
END_TEST

START_TEST(biases_wander_as_far_as_asked_and_the_truth_says_where_the_gyro_s_is) {
  begin();
  options.imu.force_walk = 0.1;
  options.imu.rate_walk = 0.01;
  const vec3 up = {0.0, 0.0, STANDARD_GRAVITY};
  double force = 0.0, rate = 0.0;
  enum { MS = 6000 }; /* a hundredth of ten minutes: a tenth of the deviation */
  for (int seed = 1; seed <= SEEDS; seed++) {
    struct sim_sensors sensors;
    options.seed = (uint64_t)seed;
    sim_sensors_init(&sensors, &options);
    const struct imu_sample first = read_imu(&sensors, up, VEC3_ZERO);
    const struct sim_truth now = truth();
    for (int ms = 0; ms < MS; ms++) {
      sim_sensors_step(&sensors, &now, velocity, acceleration);
    }
    const struct imu_sample last = read_imu(&sensors, up, VEC3_ZERO);
    force += pow(last.specific_force.x - first.specific_force.x, 2.0);
    rate += pow(last.angular_rate.z - first.angular_rate.z, 2.0);
    const vec3 told = sim_gyro_at_rest(&sensors, &X_WL);
    must_be_near(vec3_norm(vec3_sub(told, last.angular_rate)), 0.0, 1e-12);
  }
  assert_near(sqrt(force / SEEDS), 0.01, 0.003);
  assert_near(sqrt(rate / SEEDS), 1e-3, 0.3e-3);
}
END_TEST

START_TEST(the_filter_of_an_imu_is_late_by_its_group_delay) {
  begin();
  options.imu.filter_s = 4e-3;
  struct sim_sensors sensors;
  struct imu_sample sample = {0};
  sim_sensors_init(&sensors, &options);
  for (int ms = 0; ms <= 200; ms++) { /* ramps of 100 m/s^3 and 1 rad/s^2 */
    sample = read_imu(&sensors, (vec3){0.1 * ms, 0.0, 0.0}, (vec3){0.0, 1e-3 * ms, 0.0});
  }
  assert_near(sample.specific_force.x, 0.1 * (200.0 - 4.0), 1e-3);
  assert_near(sample.angular_rate.y, 1e-3 * (200.0 - 4.0), 1e-5);
}
END_TEST

START_TEST(the_filter_of_a_cell_is_late_by_its_group_delay_and_stops_what_is_fast) {
  begin();
  options.skin.filter_s = 3e-3;
  struct sim_skin skin;
  ck_assert_int_eq(sim_skin_init(&skin, &options), STATUS_OK);
  must(sim_skin_live(&skin));
  void *block = malloc(skin_sample_bytes(stock.robot->n_cells));
  const struct skin_sample sample = skin_sample_in(block, stock.robot->n_cells);
  for (int fast = 0; fast <= 1; fast++) {
    for (int ms = 0; ms <= 200; ms++) { /* a ramp of 100 m/s^3; 250 Hz */
      const double a = fast ? 8.0 * cos(0.5 * M_PI * ms) : 0.1 * ms;
      for (size_t i = 0; i < LINKS; i++) {
        acceleration[i] = (struct motion){VEC3_ZERO, {a, 0.0, 0.0}};
      }
      sim_skin_remember(&skin, velocity, acceleration);
    }
    sim_read_skin(&skin, 0.2, velocity, acceleration, &sample);
    const float *read = sample.acceleration;
    const double felt = hypot(hypot((double)read[0], (double)read[1]), (double)read[2]);
    must(fast ? felt < 0.15 * 8.0 : fabs(felt - 0.1 * (200.0 - 3.0)) < 1e-2);
  }
  free(block);
  sim_skin_free(&skin);
}
END_TEST

START_TEST(the_components_of_a_force_sensor_have_gains_and_reach_into_each_other) {
  begin();
  options.wrench.gain = 0.02;
  options.wrench.crosstalk = 0.01;
  const struct pose *X_LS = &stock.robot->wrench[0].placement;
  const struct force wrench_W = {
      vec3_cross(X_LS->p, mat3_mul_vec3(&X_LS->R, (vec3){0.0, 0.0, 500.0})),
      mat3_mul_vec3(&X_LS->R, (vec3){0.0, 0.0, 500.0})};
  double gain = 0.0, across = 0.0, moment = 0.0;
  for (int seed = 1; seed <= SEEDS; seed++) {
    struct sim_sensors sensors;
    options.seed = (uint64_t)seed;
    sim_sensors_init(&sensors, &options);
    const struct force read = sim_read_wrench(&sensors, 0, 0.0, &wrench_W, &X_WL);
    gain += pow(read.lin.z / 500.0 - 1.0, 2.0);
    across += pow(read.lin.x / 500.0, 2.0);
    moment += pow(read.ang.y / 500.0, 2.0);
  }
  assert_near(sqrt(gain / SEEDS), 0.02, 6e-3);
  assert_near(sqrt(across / SEEDS), 0.01, 3e-3);
  assert_near(sqrt(moment / SEEDS), 0.01 * SIM_CROSSTALK_ARM, 0.3 * 0.01 * SIM_CROSSTALK_ARM);
}
END_TEST

SUITE(an_elastic_gear_is_wound_up_by_its_torque_and_the_motor_cannot_jump,
      a_gear_with_play_lies_at_the_flank_that_its_torque_presses_it_to,
      a_gear_runs_unevenly_so_many_times_a_turn_and_its_motor_s_speed_tells,
      the_zeros_of_encoders_are_off_by_as_much_as_asked_and_stay_so,
      a_resonance_rings_with_its_frequency_and_dies_away,
      a_link_hums_as_loud_as_asked_in_narrow_bands_and_turns_as_its_rate_says,
      a_strike_lets_every_link_ring_and_lasting_force_does_not,
      gains_leaning_axes_and_the_gyro_s_feeling_for_gravity_are_as_large_as_asked,
      biases_wander_as_far_as_asked_and_the_truth_says_where_the_gyro_s_is,
      the_filter_of_an_imu_is_late_by_its_group_delay,
      the_filter_of_a_cell_is_late_by_its_group_delay_and_stops_what_is_fast,
      the_components_of_a_force_sensor_have_gains_and_reach_into_each_other)
