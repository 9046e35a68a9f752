/* Whether a base is turned wrongly, by what its accelerometer reads on average
 * (sensors/base_lean.h). */
#include "sensors/base_lean.h"

#include "support/suite.h"

#include <math.h>
#include <string.h>

static const int64_t MS = 1000000;
static const double DEGREE = M_PI / 180.0;

/* A base that is believed to be turned by R, when it is level. */
struct fixture {
  struct base_lean lean;
  mat3 R;
  vec3 pushed, rate; /* m/s^2: what changes its velocity; as the estimate has it, world axes */
  double sways;      /* m/s^2, to and fro along x, twice a second, velocity with it */
  int64_t t_ns;
};

static struct fixture turned(double x, double y) {
  struct fixture f;
  memset(&f, 0, sizeof(f));
  f.R = mat3_from_rpy((vec3){x, y, 0.7});
  f.t_ns = MS;
  return f;
}

/* Reads for so many ms; true when it leaned at any time. */
static bool read_for(struct fixture *f, vec3 force_B, int ms) {
  bool leans = false;
  const double w = 4.0 * M_PI;
  for (int k = 0; k < ms && !leans; k++) {
    f->t_ns += MS;
    const double t = 1e-9 * (double)f->t_ns, sway = f->sways * cos(w * t);
    vec3 force = mat3_mul_vec3(&f->R, force_B), speed = vec3_scale(t, f->rate);
    force = vec3_add(force, vec3_add(f->pushed, (vec3){sway, 0.0, 0.0}));
    speed.x += f->sways / w * sin(w * t);
    base_lean_read(&f->lean, force, speed, f->t_ns);
    leans = f->lean.leans;
  }
  return leans;
}

static const vec3 UP = {0.0, 0.0, STANDARD_GRAVITY};

START_TEST(a_base_that_is_turned_wrongly_leans_and_is_put_upright_without_another_heading) {
  static const double tilt[][2] = {{8.0, 0.0}, {0.0, -20.0}, {25.0, 25.0}, {-45.0, 10.0}};
  for (size_t i = 0; i < sizeof(tilt) / sizeof(tilt[0]); i++) {
    struct fixture f = turned(tilt[i][0] * DEGREE, tilt[i][1] * DEGREE);
    ck_assert(!read_for(&f, UP, 390));
    ck_assert(read_for(&f, UP, 30));
    const mat3 R = base_lean_upright(&f.lean, &f.R), back = mat3_transpose(&f.R),
               turn = mat3_mul(&R, &back);
    assert_near(R.m[2][2], 1.0, 1e-9);
    const vec3 turned_by = quat_to_rotation_vector(quat_from_mat3(&turn));
    assert_near(turned_by.z, 0.0, 1e-9);
  }
}
END_TEST

START_TEST(one_that_is_turned_by_a_few_degrees_or_strides_does_not_lean) {
  struct fixture f = turned(3.0 * DEGREE, -4.0 * DEGREE);
  ck_assert(!read_for(&f, UP, 2000));
  f = turned(0.0, 0.0);
  f.sways = 5.0;
  ck_assert(!read_for(&f, UP, 2000));
  f = turned(10.0 * DEGREE, 0.0);
  f.sways = 5.0; /* nor does that hide it */
  ck_assert(read_for(&f, UP, 450));
}
END_TEST

/* Half of it is what the base is pushed by: its velocity says so. */
START_TEST(what_changes_the_velocity_is_no_gravity) {
  struct fixture f = turned(0.0, 0.0);
  f.pushed = f.rate = (vec3){2.0, 0.0, 0.0};
  ck_assert(!read_for(&f, UP, 2000));
  f.rate = VEC3_ZERO;
  ck_assert(read_for(&f, UP, 650));
  assert_near(f.lean.up.x, 2.0, 0.05);
}
END_TEST

/* Feet that swing were thought to stand: the velocity that they told put a base askew that was
 * upright. */
START_TEST(a_velocity_that_is_not_felt_makes_no_base_lean) {
  struct fixture f = turned(0.0, 0.0);
  f.rate = (vec3){0.0, 3.0, 0.0};
  ck_assert(!read_for(&f, UP, 2000));
}
END_TEST

START_TEST(a_push_that_comes_and_goes_is_no_lean) {
  struct fixture f = turned(0.0, 0.0);
  ck_assert(!read_for(&f, UP, 200));
  f.pushed.x = 3.5;
  ck_assert(!read_for(&f, UP, 200));
  f.pushed.x = 0.0;
  ck_assert(!read_for(&f, UP, 1000));
}
END_TEST

START_TEST(only_gravity_tells) {
  static const vec3 off[] = {{0.0, 0.0, -STANDARD_GRAVITY}, /* negated */
                             {20.0, 20.0, STANDARD_GRAVITY + 20.0},
                             {0.0, 0.0, 0.0},
                             {4.0, 0.0, 3.0}};
  for (size_t i = 0; i < sizeof(off) / sizeof(off[0]); i++) {
    struct fixture f = turned(0.4, 0.0);
    ck_assert(!read_for(&f, off[i], 1000));
  }
}
END_TEST

START_TEST(readings_that_are_missing_begin_it_anew) {
  const vec3 none = {(double)NAN, 0.0, 0.0};
  struct fixture f = turned(0.4, 0.0);
  ck_assert(!read_for(&f, UP, 300));
  ck_assert(!read_for(&f, none, 60));
  ck_assert(!read_for(&f, UP, 390));
  ck_assert(read_for(&f, UP, 30));
  base_lean_reset(&f.lean);
  ck_assert(!f.lean.leans && !read_for(&f, UP, 390));
}
END_TEST

SUITE(a_base_that_is_turned_wrongly_leans_and_is_put_upright_without_another_heading,
      one_that_is_turned_by_a_few_degrees_or_strides_does_not_lean,
      what_changes_the_velocity_is_no_gravity, a_velocity_that_is_not_felt_makes_no_base_lean,
      a_push_that_comes_and_goes_is_no_lean, only_gravity_tells,
      readings_that_are_missing_begin_it_anew)
