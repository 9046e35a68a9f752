#include "identify/fit/clearance.h"

#include "identify/fit/excitation_design.h"
#include "support/robot_text.h"
#include "support/suite.h"

#include <math.h>
#include <string.h>

/* Shoulder, elbow and wrist about y, half a metre above where it stands; the last link is a ball
 * that reaches the column when the arm is folded. */
static const char arm[] =
    "<robot name='arm'><link name='base'><collision><origin xyz='0 0 0.25'/><geometry>"
    "<cylinder radius='0.05' length='0.5'/></geometry></collision></link>"
    "<link name='upper'><inertial><origin xyz='0.2 0 0'/><mass value='2'/>"
    "<inertia ixx='0.01' iyy='0.02' izz='0.02' ixy='0' ixz='0' iyz='0'/></inertial></link>"
    "<link name='fore'><inertial><origin xyz='0.2 0 0'/><mass value='1'/>"
    "<inertia ixx='0.005' iyy='0.01' izz='0.01' ixy='0' ixz='0' iyz='0'/></inertial>"
    "<collision><origin xyz='0.2 0 0'/><geometry><box size='0.4 0.06 0.08'/></geometry>"
    "</collision></link>"
    "<link name='hand'><inertial><origin xyz='0.05 0 0'/><mass value='0.5'/>"
    "<inertia ixx='0.001' iyy='0.001' izz='0.001' ixy='0' ixz='0' iyz='0'/></inertial>"
    "<collision><origin xyz='0.05 0 0'/><geometry><sphere radius='0.06'/></geometry></collision>"
    "</link>"
    "<joint name='a' type='revolute'><parent link='base'/><child link='upper'/>"
    "<origin xyz='0 0 0.5'/><axis xyz='0 1 0'/>"
    "<limit lower='-3' upper='3' effort='60' velocity='4'/></joint>"
    "<joint name='b' type='revolute'><parent link='upper'/><child link='fore'/>"
    "<origin xyz='0.4 0 0'/><axis xyz='0 1 0'/>"
    "<limit lower='-3' upper='3' effort='40' velocity='4'/></joint>"
    "<joint name='c' type='revolute'><parent link='fore'/><child link='hand'/>"
    "<origin xyz='0.4 0 0'/><axis xyz='0 1 0'/>"
    "<limit lower='-3' upper='3' effort='20' velocity='4'/></joint></robot>";

static const vec3 up = {0.0, 0.0, 9.81};
static struct model model;

static struct clearance clearance_of(double ground) {
  struct clearance c;
  struct message error;
  struct clearance_settings settings = clearance_defaults();
  settings.ground = ground;
  model = test_model(arm, strlen(arm));
  ck_assert_int_eq(clearance_make(arm, "arm", &model, &settings, &c, &error), STATUS_OK);
  return c;
}

/* Where the joints are, by hand: x and z of elbow, wrist and the ball's centre. */
static void by_hand(const double *q, double x[3], double z[3]) {
  static const double length[3] = {0.4, 0.4, 0.05};
  double angle = 0.0, at_x = 0.0, at_z = 0.5;
  for (int i = 0; i < 3; i++) {
    angle += q[i];
    at_x += length[i] * cos(angle);
    at_z -= length[i] * sin(angle);
    x[i] = at_x;
    z[i] = at_z;
  }
}

START_TEST(a_ball_is_as_far_from_the_ground_and_the_column_as_by_hand) {
  struct clearance c = clearance_of(-0.3);
  ck_assert_uint_eq(c.n_bars, 4);
  ck_assert_uint_eq(c.stand_ins, 1);                    /* the upper arm has no shape */
  const double hanging[3] = {0.5, M_PI / 2 - 0.5, 0.0}; /* forearm and hand beside the column */
  assert_near(clearance_at(&c, hanging), 0.5 - 0.4 * sin(0.5) - 0.45 - 0.06 + 0.3 - 0.01, 1e-9);
  double nearest = HUGE_VAL; /* folded: the hand comes to the column */
  for (int k = 0; k <= 1000; k++) {
    const double q[3] = {0.3, M_PI - 0.6 + 1e-3 * k, 0.0};
    double x[3], z[3];
    by_hand(q, x, z);
    const double ball = hypot(x[2], fmax(0.0, fmax(-z[2], z[2] - 0.5))) - 0.06 - 0.05 - 0.01;
    ck_assert_double_le(clearance_at(&c, q), ball + 1e-9);
    nearest = fmin(nearest, clearance_at(&c, q));
  }
  ck_assert_double_lt(nearest, 0.0);
  clearance_free(&c);
}
END_TEST

/* Of two bars as they lie, by points along both. */
static double by_points(const struct clearance *c, size_t i, size_t k) {
  enum { POINTS = 100 };
  double least = HUGE_VAL;
  for (int s = 0; s <= POINTS; s++) {
    for (int t = 0; t <= POINTS; t++) {
      const vec3 p = vec3_axpy(c->a[i], (double)s / POINTS, vec3_sub(c->b[i], c->a[i])),
                 q = vec3_axpy(c->a[k], (double)t / POINTS, vec3_sub(c->b[k], c->a[k]));
      least = fmin(least, vec3_norm(vec3_sub(p, q)));
    }
  }
  return least - c->bar[i].radius - c->bar[k].radius;
}

START_TEST(bars_askew_in_space_are_as_far_apart_as_their_nearest_points) {
  struct random random = random_from(test_seed());
  struct clearance c = clearance_of(-HUGE_VAL);
  const double q[3] = {0.0};
  ck_assert_uint_gt(c.n_pairs, 0);
  for (int times = 0; times < 100; times++) {
    for (size_t i = 0; i < c.n_bars; i++) { /* bars of any length, anywhere */
      double *const end[6] = {&c.bar[i].a.x, &c.bar[i].a.y, &c.bar[i].a.z,
                              &c.bar[i].b.x, &c.bar[i].b.y, &c.bar[i].b.z};
      for (int e = 0; e < 6; e++) {
        *end[e] = random_uniform(&random, -1.0, 1.0);
      }
    }
    const double least = clearance_at(&c, q);
    double sampled = HUGE_VAL;
    for (size_t p = 0; p < c.n_pairs; p++) {
      sampled = fmin(sampled, by_points(&c, c.pair[p][0], c.pair[p][1]) - c.settings.margin);
    }
    ck_assert_double_le(least, sampled + 1e-12);
    ck_assert_double_ge(least, sampled - 0.025); /* points are up to 0.035 m apart */
  }
  clearance_free(&c);
}
END_TEST

START_TEST(neighbours_and_what_touches_at_zero_are_not_looked_at) {
  struct clearance c = clearance_of(0.45);
  double q[3];
  clearance_neutral(&model, q);
  ck_assert_double_gt(clearance_at(&c, q), 0.0); /* the forearm is within the ground's margin */
  for (size_t p = 0; p < c.n_pairs; p++) {
    const size_t a = c.bar[c.pair[p][0]].link, b = c.bar[c.pair[p][1]].link;
    ck_assert_uint_ge(a > b ? a - b : b - a, 2);
  }
  clearance_free(&c);
}
END_TEST

static double ticks;
static double tick(void) {
  return ticks += 1.0;
}

/* The lowest the ball comes, and the nearest to the column's middle while beside it. */
static void extremes(const struct excitation_design *design, double *lowest, double *nearest) {
  *lowest = *nearest = HUGE_VAL;
  for (int k = 0; k <= 10000; k++) {
    double q[3], dq, ddq, x[3], z[3];
    for (size_t j = 0; j < 3; j++) {
      excitation_design_at(design, j, 1e-3 * k, &q[j], &dq, &ddq);
    }
    by_hand(q, x, z);
    *lowest = fmin(*lowest, z[2] - 0.06);
    *nearest = z[2] < 0.5 && z[2] > 0.0 ? fmin(*nearest, fabs(x[2]) - 0.06 - 0.05) : *nearest;
  }
}

START_TEST(a_designed_motion_keeps_clear_at_every_millisecond_where_one_without_does_not) {
  static struct unknowns u;
  const struct log_map map = {.rate_hz = 1e3};
  const bool kinds[DRIVE_KINDS] = {true, true, true, true};
  struct base_parameters base;
  struct excitation_design design;
  double sd[64], lowest, nearest;
  struct clearance c = clearance_of(0.1);
  struct design_settings settings = design_defaults();
  settings.seconds = 100.0; /* tries */
  u = unknowns_of(&model, &map, kinds);
  ck_assert_int_eq(base_parameters_find(&u, up, &base), STATUS_OK);
  ck_assert_int_eq(excitation_design_find(&u, &base, up, &settings, tick, &design, sd), STATUS_OK);
  extremes(&design, &lowest, &nearest);
  ck_assert(lowest < 0.1 || nearest < 0.0);
  settings.clearance = &c;
  ticks = 0.0;
  ck_assert_int_eq(excitation_design_find(&u, &base, up, &settings, tick, &design, sd), STATUS_OK);
  extremes(&design, &lowest, &nearest);
  ck_assert_double_ge(lowest, 0.11);
  ck_assert_double_ge(nearest, 0.01);
  clearance_free(&c);
  base_parameters_free(&base);
}
END_TEST

SUITE(a_ball_is_as_far_from_the_ground_and_the_column_as_by_hand,
      bars_askew_in_space_are_as_far_apart_as_their_nearest_points,
      neighbours_and_what_touches_at_zero_are_not_looked_at,
      a_designed_motion_keeps_clear_at_every_millisecond_where_one_without_does_not)
