#include "inertia/log_cholesky.h"
#include "inertia/pseudo_inertia.h"
#include "support/random_body.h"
#include "support/suite.h"

enum { TRIALS = 200 };

static const enum log_cholesky_form FORMS[2] = {LOG_CHOLESKY_RUCKER, LOG_CHOLESKY_FOSTER};

static void random_theta(struct random *random, double theta[LOG_CHOLESKY_SIZE]) {
  for (int i = 0; i < LOG_CHOLESKY_SIZE; i++) {
    theta[i] = 0.7 * random_normal(random);
  }
}

/* @eq Foster24 16, @eq Foster24 17: the printed formulas, entry by entry */
START_TEST(fosters_form_is_the_printed_one) {
  struct random random = random_from(test_seed());
  double theta[LOG_CHOLESKY_SIZE];
  random_theta(&random, theta);
  const double e2a = exp(2 * theta[0]), e1 = exp(theta[1]), e2 = exp(theta[2]), e3 = exp(theta[3]),
               s12 = theta[4], s13 = theta[5], s23 = theta[6], t1 = theta[7], t2 = theta[8],
               t3 = theta[9];
  const double printed[INERTIA_PARAMETERS] = {t1 * t1 + t2 * t2 + t3 * t3 + 1,
                                              t1 * e1,
                                              t1 * s12 + t2 * e2,
                                              t1 * s13 + t2 * s23 + t3 * e3,
                                              s12 * s12 + s13 * s13 + s23 * s23 + e2 * e2 + e3 * e3,
                                              -s12 * e1,
                                              -s13 * e1,
                                              s13 * s13 + s23 * s23 + e1 * e1 + e3 * e3,
                                              -s12 * s13 - s23 * e2,
                                              s12 * s12 + e1 * e1 + e2 * e2};
  const struct inertia pi = log_cholesky_inertia(LOG_CHOLESKY_FOSTER, theta);
  double parameters[INERTIA_PARAMETERS];
  inertia_to(&pi, parameters);
  for (int i = 0; i < INERTIA_PARAMETERS; i++) {
    assert_near(parameters[i], e2a * printed[i], 1e-12);
  }
}
END_TEST

START_TEST(in_ruckers_form_mass_and_centre_of_mass_stand_apart) {
  struct random random = random_from(test_seed());
  double theta[LOG_CHOLESKY_SIZE];
  random_theta(&random, theta);
  const struct inertia pi = log_cholesky_inertia(LOG_CHOLESKY_RUCKER, theta);
  const vec3 c = inertia_com(&pi);
  assert_near(pi.m, exp(2 * theta[LOG_CHOLESKY_ALPHA]), 1e-12);
  assert_near(c.x, theta[LOG_CHOLESKY_T], 1e-12);
  assert_near(c.y, theta[LOG_CHOLESKY_T + 1], 1e-12);
  assert_near(c.z, theta[LOG_CHOLESKY_T + 2], 1e-12);
}
END_TEST

START_TEST(every_theta_is_a_consistent_body_and_comes_back) {
  struct random random = random_from(test_seed());
  for (int trial = 0; trial < TRIALS; trial++) {
    double theta[LOG_CHOLESKY_SIZE], back[LOG_CHOLESKY_SIZE];
    random_theta(&random, theta);
    for (int f = 0; f < 2; f++) {
      const struct inertia pi = log_cholesky_inertia(FORMS[f], theta);
      ck_assert_int_eq(inertia_consistency(&pi, 0.0, NULL), STATUS_OK);
      ck_assert_int_eq(log_cholesky_from_inertia(FORMS[f], &pi, back), STATUS_OK);
      for (int i = 0; i < LOG_CHOLESKY_SIZE; i++) {
        assert_near(back[i], theta[i], 1e-10);
      }
    }
  }
}
END_TEST

START_TEST(every_consistent_body_has_a_theta_that_gives_it_back) {
  struct random random = random_from(test_seed());
  for (int trial = 0; trial < TRIALS; trial++) {
    const struct inertia pi = random_body(&random);
    double theta[LOG_CHOLESKY_SIZE], expected[INERTIA_PARAMETERS], found[INERTIA_PARAMETERS];
    inertia_to(&pi, expected);
    for (int f = 0; f < 2; f++) {
      ck_assert_int_eq(log_cholesky_from_inertia(FORMS[f], &pi, theta), STATUS_OK);
      const struct inertia back = log_cholesky_inertia(FORMS[f], theta);
      inertia_to(&back, found);
      for (int i = 0; i < INERTIA_PARAMETERS; i++) {
        assert_near(found[i], expected[i], 1e-12);
      }
    }
  }
}
END_TEST

/* @eq Foster24 21 */
START_TEST(the_jacobian_is_the_derivative_by_central_differences) {
  struct random random = random_from(test_seed());
  const double h = 1e-6;
  for (int trial = 0; trial < 20; trial++) {
    double theta[LOG_CHOLESKY_SIZE], G[INERTIA_PARAMETERS][LOG_CHOLESKY_SIZE];
    random_theta(&random, theta);
    for (int f = 0; f < 2; f++) {
      log_cholesky_jacobian(FORMS[f], theta, G);
      for (int j = 0; j < LOG_CHOLESKY_SIZE; j++) {
        double ahead[LOG_CHOLESKY_SIZE], behind[LOG_CHOLESKY_SIZE];
        for (int i = 0; i < LOG_CHOLESKY_SIZE; i++) {
          ahead[i] = theta[i] + (i == j ? h : 0.0);
          behind[i] = theta[i] - (i == j ? h : 0.0);
        }
        const struct inertia a = log_cholesky_inertia(FORMS[f], ahead),
                             b = log_cholesky_inertia(FORMS[f], behind);
        double pa[INERTIA_PARAMETERS], pb[INERTIA_PARAMETERS];
        inertia_to(&a, pa);
        inertia_to(&b, pb);
        for (int i = 0; i < INERTIA_PARAMETERS; i++) {
          const double difference = (pa[i] - pb[i]) / (2 * h);
          assert_near(G[i][j], difference, 1e-7 * (1.0 + fabs(difference)));
        }
      }
    }
  }
}
END_TEST

START_TEST(an_inconsistent_body_is_refused_and_theta_is_untouched) {
  struct inertia pi = {.m = 1.0, .Ixx = 0.1, .Iyy = 0.1, .Izz = 0.3};
  double theta[LOG_CHOLESKY_SIZE] = {7.0};
  for (int f = 0; f < 2; f++) {
    ck_assert_int_eq(log_cholesky_from_inertia(FORMS[f], &pi, theta), STATUS_NOT_CONSISTENT);
  }
  pi.Ixx = (double)NAN;
  for (int f = 0; f < 2; f++) {
    ck_assert_int_eq(log_cholesky_from_inertia(FORMS[f], &pi, theta), STATUS_NOT_FINITE);
  }
  ck_assert(theta[0] == 7.0);
}
END_TEST

SUITE(fosters_form_is_the_printed_one, in_ruckers_form_mass_and_centre_of_mass_stand_apart,
      every_theta_is_a_consistent_body_and_comes_back,
      every_consistent_body_has_a_theta_that_gives_it_back,
      the_jacobian_is_the_derivative_by_central_differences,
      an_inconsistent_body_is_refused_and_theta_is_untouched)
