#include "inertia/log_cholesky.h"
#include "inertia/pseudo_inertia.h"
#include "inertial/inertia_follower.h"
#include "support/random_body.h"
#include "support/suite.h"

static const struct inertia_follower_settings LINE = {
    .mass_rate = 3.0, .com_rate = 0.1, .shape_rate = 0.5};
static const double DT = 1e-3;

/* On the way in Rucker's coordinates no stretch, and no shear in units of the body's size, exceeds
 * the rate. */
static void check_shape(const struct inertia_follower_settings *settings,
                        const struct inertia *before, const struct inertia *after) {
  double a[LOG_CHOLESKY_SIZE], b[LOG_CHOLESKY_SIZE];
  ck_assert_int_eq(log_cholesky_from_inertia(LOG_CHOLESKY_RUCKER, before, a), STATUS_OK);
  ck_assert_int_eq(log_cholesky_from_inertia(LOG_CHOLESKY_RUCKER, after, b), STATUS_OK);
  const double *d = a + LOG_CHOLESKY_D, radius = exp((d[0] + d[1] + d[2]) / 3.0);
  const double most = settings->shape_rate * DT * (1.0 + 1e-6) + 1e-12;
  for (int i = 0; i < 3; i++) {
    ck_assert_double_le(fabs(b[LOG_CHOLESKY_D + i] - d[i]), most);
    ck_assert_double_le(fabs(b[LOG_CHOLESKY_S + i] - a[LOG_CHOLESKY_S + i]) / radius, most);
  }
}

/* Follows from `from` to `to` under all limits; returns the seconds it took. */
static double follow(struct inertia_follower_settings settings, struct inertia from,
                     struct inertia to) {
  struct inertia at = from;
  int steps = 0;
  for (; steps < 200000; steps++) {
    const struct inertia before = at;
    ck_assert_int_eq(inertia_follow(&settings, DT, &to, &at), STATUS_OK);
    ck_assert_int_eq(inertia_consistency(&at, 0.0, NULL), STATUS_OK);
    ck_assert_double_le(fabs(at.m - before.m), settings.mass_rate * DT * (1.0 + 1e-9));
    ck_assert_double_le(vec3_norm(vec3_sub(inertia_com(&at), inertia_com(&before))),
                        settings.com_rate * DT * (1.0 + 1e-6) + 1e-12);
    check_shape(&settings, &before, &at);
    ck_assert((to.m - before.m) * (at.m - before.m) >= -1e-12);
    if (at.m == to.m && at.Ixx == to.Ixx && at.h.z == to.h.z) {
      break;
    }
  }
  return steps * DT;
}

START_TEST(limits_hold_and_the_estimate_is_reached) {
  struct random random = random_from(test_seed());
  for (int trial = 0; trial < 10; trial++) {
    const struct inertia from = random_body(&random), to = random_body(&random);
    const double least = fabs(to.m - from.m) / LINE.mass_rate;
    const double line = follow(LINE, from, to);
    ck_assert(line >= least - DT && line < 60.0);
  }
}
END_TEST

START_TEST(a_mass_alone_takes_exactly_the_time_that_its_rate_allows) {
  struct random random = random_from(test_seed());
  const struct inertia from = random_body(&random), none = {0},
                       to = inertia_axpy(&none, 1.0 + 6.0 / from.m, &from);
  /* 6 kg at 3 kg/s */
  assert_near(follow(LINE, from, to), 2.0, 0.02);
  assert_near(follow(LINE, to, from), 2.0, 0.02);
}
END_TEST

START_TEST(a_body_that_cannot_be_is_not_followed) {
  struct random random = random_from(test_seed());
  const struct inertia good = random_body(&random);
  struct inertia bad = good, at = good;
  bad.m = -1.0;
  ck_assert_int_eq(inertia_follow(&LINE, DT, &bad, &at), STATUS_NOT_CONSISTENT);
  bad.m = (double)NAN;
  ck_assert_int_eq(inertia_follow(&LINE, DT, &bad, &at), STATUS_NOT_FINITE);
  ck_assert(at.m == good.m && at.Izz == good.Izz);
}
END_TEST

SUITE(limits_hold_and_the_estimate_is_reached,
      a_mass_alone_takes_exactly_the_time_that_its_rate_allows,
      a_body_that_cannot_be_is_not_followed)
