#include "process/motion_bank.h"

#include "process/joint_process.h"
#include "support/random_model.h"

#include <math.h>

static const struct motion_bank_settings SETTINGS = {.density_min = 1e-1,
                                                     .density_max = 1e9,
                                                     .memory_s = 0.5,
                                                     .bias_ratio = 2.0,
                                                     .bias_time_s = 5.0,
                                                     .jump_gate = 16.0};

static struct motion_bank new_bank(size_t n) {
  struct motion_bank bank;
  struct arena count = {0};
  ck_assert_int_eq(motion_bank_init(&bank, n, &SETTINGS, &count), STATUS_OK);
  struct arena arena = test_arena(count.used);
  ck_assert_int_eq(motion_bank_init(&bank, n, &SETTINGS, &arena), STATUS_OK);
  const double q[8] = {0}, sd[8] = {1e-3, 1e-3, 1e-3, 1e-3, 1e-3, 1e-3, 1e-3, 1e-3};
  motion_bank_reset(&bank, q, sd);
  return bank;
}

/* Motion drawn from the process itself: one step of dt, snap held constant over it. */
static void move(struct random *rng, double density, double dt, double x[4]) {
  const double snap = sqrt(density / dt) * random_normal(rng);
  const double jerk = x[3];
  x[0] += x[1] * dt + x[2] * dt * dt / 2 + jerk * dt * dt * dt / 6;
  x[1] += x[2] * dt + jerk * dt * dt / 2;
  x[2] += jerk * dt + snap * dt * dt / 2;
  x[3] += snap * dt - 2.0 * dt * x[3]; /* kept from running away */
}

START_TEST(the_fitted_density_is_within_a_factor_of_five_of_the_true_one) {
  struct random rng = random_from(test_seed());
  for (double density = 1e1; density < 1e8; density *= 100.0) {
    struct motion_bank bank = new_bank(1);
    double x[4] = {0}, sum = 0.0;
    const double dt = 1e-3;
    int count = 0;
    for (int step = 0; step < 6000; step++) {
      move(&rng, density, dt, x);
      motion_bank_predict(&bank, dt);
      motion_bank_position(&bank, 0, x[0] + 1e-4 * random_normal(&rng), 1e-4);
      if (step % 4 == 0) {
        motion_bank_acceleration(&bank, 0, x[2] + 0.3 * random_normal(&rng), 0.09);
      }
      motion_bank_weigh(&bank);
      if (step > 2000) {
        sum += log(bank.fitted[0]);
        count++;
      }
    }
    ck_assert_double_le(fabs(sum / count - log(density)), log(5.0));
  }
}
END_TEST

/* How lively a joint is called whose velocity and acceleration jump twice a second by such
 * deviations. */
static double liveliness_of_a_knocked_joint(double dq_sd, double ddq_sd, bool told) {
  struct random rng = random_from(test_seed());
  struct motion_bank bank = new_bank(1);
  const double dt = 1e-3;
  double q = 0.0, dq = 0.0, ddq = 0.0, sum = 0.0;
  for (int step = 0; step < 6000; step++) {
    const bool knocked = step % 500 == 499;
    dq += (knocked ? dq_sd * random_normal(&rng) : 0.0) + ddq * dt - 0.005 * dq;
    ddq = knocked ? ddq_sd * random_normal(&rng) : ddq;
    q += dq * dt;
    motion_bank_predict(&bank, dt);
    if (knocked && told) {
      motion_bank_knock(&bank, 0, dq_sd * dq_sd, ddq_sd * ddq_sd);
    }
    motion_bank_position(&bank, 0, q + 1e-4 * random_normal(&rng), 1e-4);
    motion_bank_weigh(&bank);
    sum += step >= 3000 ? log(bank.fitted[0]) / 3000.0 : 0.0;
  }
  return exp(sum);
}

START_TEST(a_joint_that_is_knocked_is_not_called_livelier) {
  static const double jumps[][2] = {{0.5, 0.0}, {0.0, 20.0}}; /* rad/s, rad/s^2 */
  for (size_t k = 0; k < sizeof(jumps) / sizeof(jumps[0]); k++) {
    ck_assert_double_lt(liveliness_of_a_knocked_joint(jumps[k][0], jumps[k][1], true),
                        1e-2 * liveliness_of_a_knocked_joint(jumps[k][0], jumps[k][1], false));
  }
}
END_TEST

START_TEST(it_learns_a_new_liveliness_within_a_second) {
  struct random rng = random_from(test_seed());
  struct motion_bank bank = new_bank(1);
  const double dt = 5e-3;
  double t = 0.0;
  for (int step = 0; step < 1200; step++, t += dt) {
    const double w = t < 4.0 ? 2.0 : 12.0; /* 0.3 Hz, then 2 Hz */
    motion_bank_predict(&bank, dt);
    motion_bank_position(&bank, 0, 0.4 * sin(w * t) + 1e-3 * random_normal(&rng), 1e-3);
    motion_bank_acceleration(&bank, 0, -0.4 * w * w * sin(w * t) + random_normal(&rng), 1.0);
    motion_bank_weigh(&bank);
    if (t > 3.0 && t < 4.0) {
      ck_assert_double_le(bank.fitted[0], 3e3);
    }
    if (t > 5.0) {
      ck_assert_double_ge(bank.fitted[0], 3e4);
    }
  }
}
END_TEST

START_TEST(a_constant_bias_is_found_and_known_as_well_as_it_is_said) {
  struct random rng = random_from(test_seed());
  for (int trial = 0; trial < 20; trial++) {
    struct motion_bank bank = new_bank(2);
    const double b = random_normal(&rng), dt = 5e-3;
    for (int step = 0; step < 1000; step++) {
      const double t = step * dt, w = 5.0;
      motion_bank_predict(&bank, dt);
      for (size_t j = 0; j < 2; j++) {
        motion_bank_position(&bank, j, 0.4 * sin(w * t) + 1e-3 * random_normal(&rng), 1e-3);
      }
      motion_bank_acceleration(&bank, 1, b - 0.4 * w * w * sin(w * t) + 0.5 * random_normal(&rng),
                               0.25);
    }
    motion_bank_weigh(&bank);
    const double sd = sqrt(bank.bias_variance[1]);
    ck_assert_double_le(sd, 0.3);
    ck_assert_double_le(fabs(bank.bias[1] - b), 4.0 * sd);
    assert_near(bank.bias[0], 0.0, 1e-12); /* never measured: nothing learned */
    assert_near(bank.bias_variance[0], 0.0, 1e-12);
  }
}
END_TEST

START_TEST(the_weighted_lanes_stay_finite_and_definite_through_outliers) {
  struct random rng = random_from(test_seed());
  struct motion_bank bank = new_bank(1);
  for (int step = 0; step < 20000; step++) {
    const double spike = step % 97 == 0 ? 1e4 * random_normal(&rng) : 0.0;
    motion_bank_predict(&bank, 1e-3);
    motion_bank_position(&bank, 0, 1e-5 * random_normal(&rng) + 1e-3 * spike, 1e-5);
    motion_bank_acceleration(&bank, 0, random_normal(&rng) + spike, 1.0);
  }
  motion_bank_weigh(&bank);
  ck_assert(isfinite(bank.fitted[0]) && isfinite(bank.bias[0]));
  for (int i = 0; i < BANK_STATES; i++) {
    for (int lane = 0; lane < BANK_LANES; lane++) {
      ck_assert_double_gt(bank.joint[0].P[i][i][lane], 0.0);
    }
  }
}
END_TEST

/* Rounding that makes the halves of P unequal grows along the chain until it is all there is: after
 * 40 s at 200 Hz, once. */
START_TEST(a_million_updates_leave_every_hypothesis_definite_and_none_repaired) {
  struct random rng = random_from(test_seed());
  struct motion_bank bank = new_bank(1);
  double smallest = HUGE_VAL;
  for (int step = 0; step < 1000000; step++) {
    motion_bank_predict(&bank, 5e-3);
    motion_bank_position(&bank, 0, 1e-3 * random_normal(&rng), 1e-3);
    motion_bank_acceleration(&bank, 0, 0.3 * random_normal(&rng), 0.09);
    for (int lane = 0; lane < BANK_LANES; lane++) {
      for (int i = 0; i < BANK_STATES; i++) {
        smallest = fmin(smallest, bank.joint[0].P[i][i][lane]);
      }
    }
  }
  motion_bank_weigh(&bank);
  ck_assert_double_gt(smallest, 0.0);
  ck_assert(isfinite(bank.fitted[0]) && isfinite(bank.bias[0]) && bank.bias_variance[0] > 0.0);
  ck_assert_uint_eq(bank.repairs, 0);
}
END_TEST

START_TEST(a_hypothesis_that_has_lost_its_numbers_begins_anew_and_is_counted) {
  struct motion_bank bank = new_bank(2);
  bank.joint[1].P[2][2][3] = (double)NAN;
  for (int step = 0; step < 400; step++) {
    motion_bank_predict(&bank, 5e-3);
    for (size_t j = 0; j < 2; j++) {
      motion_bank_position(&bank, j, 0.1, 1e-3);
    }
    motion_bank_weigh(&bank);
    ck_assert(isfinite(bank.fitted[1]) && isfinite(bank.bias[1]));
  }
  ck_assert_uint_eq(bank.repairs, 1);
}
END_TEST

SUITE(a_million_updates_leave_every_hypothesis_definite_and_none_repaired,
      a_hypothesis_that_has_lost_its_numbers_begins_anew_and_is_counted,
      the_fitted_density_is_within_a_factor_of_five_of_the_true_one,
      a_joint_that_is_knocked_is_not_called_livelier, it_learns_a_new_liveliness_within_a_second,
      a_constant_bias_is_found_and_known_as_well_as_it_is_said,
      the_weighted_lanes_stay_finite_and_definite_through_outliers)
