#include "process/joint_bounds.h"

#include "support/suite.h"

#include <math.h>

enum { STATES = 128 };

struct fixture {
  struct joint_layout layout;
  double x[STATES], variance[STATES];
};

static struct fixture well(void) {
  struct fixture f = {.layout = joint_layout_of(2, false, false, 0)};
  for (size_t i = 0; i < f.layout.size; i++) {
    f.variance[i] = 1e-6;
  }
  return f;
}

static bool allowed(double q, double dq, double sd) {
  static const struct joint joint = {.q_min = -1.0, .q_max = 2.0, .dq_max = 4.0};
  struct fixture f = well();
  const size_t j = 1;
  f.x[f.layout.q + j] = q;
  f.x[f.layout.dq + j] = dq;
  f.variance[f.layout.q + j] = f.variance[f.layout.dq + j] = sd * sd;
  return joint_bounds_allow(&f.layout, &joint, j, f.x, f.variance);
}

START_TEST(a_joint_is_within_its_limits_but_for_some_slack) {
  ck_assert(allowed(-1.0, -4.0, 1e-4));
  ck_assert(allowed(2.05, 4.7, 1e-4));
  ck_assert(!allowed(2.07, 0.0, 1e-4));
  ck_assert(!allowed(-1.07, 0.0, 1e-4));
  ck_assert(!allowed(0.0, 4.9, 1e-4));
  ck_assert(!allowed(0.0, -4.9, 1e-4));
  ck_assert(allowed(2.07, 4.9, 0.1)); /* who knows */
}
END_TEST

START_TEST(a_joint_without_limits_is_never_beyond_them) {
  static const struct joint free_joint = {
      .q_min = -HUGE_VAL, .q_max = HUGE_VAL, .dq_max = HUGE_VAL};
  struct fixture f = well();
  f.x[f.layout.q] = 1e3;
  f.x[f.layout.dq] = -1e3;
  ck_assert(joint_bounds_allow(&f.layout, &free_joint, 0, f.x, f.variance));
}
END_TEST

START_TEST(whatever_a_controller_leans_on_is_known_well_enough_or_not_ok) {
  struct fixture f = well();
  const struct joint_layout *l = &f.layout;
  const struct {
    size_t state;
    double sd; /* too large a one */
    bool based;
  } cases[] = {{l->q + 1, 0.11, false},       {l->dq, 10.1, false},
               {l->attitude, 0.21, true},     {l->attitude + 1, 0.21, true},
               {l->velocity + 2, 1.01, true}, {l->q, (double)NAN, false}};
  ck_assert(joint_bounds_known(l, f.variance, true));
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    f = well();
    f.variance[cases[i].state] = cases[i].sd * cases[i].sd;
    ck_assert(!joint_bounds_known(l, f.variance, true));
    ck_assert(joint_bounds_known(l, f.variance, false) == cases[i].based);
  }
  f = well();
  f.variance[l->attitude + 2] = f.variance[l->position] = 100.0; /* nobody can know those */
  ck_assert(joint_bounds_known(l, f.variance, true));
}
END_TEST

SUITE(a_joint_is_within_its_limits_but_for_some_slack, a_joint_without_limits_is_never_beyond_them,
      whatever_a_controller_leans_on_is_known_well_enough_or_not_ok)
