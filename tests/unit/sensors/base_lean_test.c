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
  vec3 normal_B;     /* of the soles that stand, base axes */
  double sways;      /* m/s^2, to and fro along x, twice a second, velocity with it */
  int64_t t_ns;
};

static struct fixture turned(double x, double y) {
  struct fixture f;
  memset(&f, 0, sizeof(f));
  f.R = mat3_from_rpy((vec3){x, y, 0.7});
  f.normal_B = (vec3){0.0, 0.0, 1.0};
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
    const vec3 swings = {f->sways / w * sin(w * t), 0.0, 0.0}, pushed = {sway, 0.0, 0.0};
    const struct lean_reading reading = {
        .force = vec3_add(mat3_mul_vec3(&f->R, force_B), vec3_add(f->pushed, pushed)),
        .speed = vec3_add(vec3_scale(t, f->rate), swings),
        .normal = mat3_mul_vec3(&f->R, f->normal_B)};
    base_lean_read(&f->lean, &reading, f->t_ns);
    leans = f->lean.leans;
  }
  return leans;
}

static const vec3 UP = {0.0, 0.0, STANDARD_GRAVITY};

START_TEST(a_base_that_is_turned_wrongly_leans_and_is_put_upright_without_another_heading) {
  static const double tilt[][2] = {{6.0, 0.0}, {0.0, -20.0}, {25.0, 25.0}, {-45.0, 10.0}};
  for (size_t i = 0; i < sizeof(tilt) / sizeof(tilt[0]); i++) {
    struct fixture f = turned(tilt[i][0] * DEGREE, tilt[i][1] * DEGREE);
    ck_assert(!read_for(&f, UP, 290));
    ck_assert(read_for(&f, UP, 20));
    const mat3 R = base_lean_upright(&f.lean, &f.R), back = mat3_transpose(&f.R),
               turn = mat3_mul(&R, &back);
    assert_near(R.m[2][2], 1.0, 1e-9);
    const vec3 turned_by = quat_to_rotation_vector(quat_from_mat3(&turn));
    assert_near(turned_by.z, 0.0, 1e-9);
  }
}
END_TEST

START_TEST(one_that_is_turned_by_a_few_degrees_does_not_lean_however_it_strides) {
  struct fixture f = turned(3.0 * DEGREE, -1.5 * DEGREE);
  ck_assert(!read_for(&f, UP, 2000));
  f.sways = 5.0;
  ck_assert(!read_for(&f, UP, 2000));
  f = turned(10.0 * DEGREE, 0.0);
  f.sways = 5.0; /* nor does that hide it */
  ck_assert(read_for(&f, UP, 310));
}
END_TEST

/* On soles that lie askew as well, by chance: what moves the base shows in its velocity. */
START_TEST(what_changes_the_velocity_is_no_gravity) {
  struct fixture f = turned(0.0, 0.0);
  f.pushed = f.rate = (vec3){2.0, 0.0, 0.0};
  f.R = (mat3)MAT3_IDENTITY;
  f.normal_B = (vec3){0.2, 0.0, 0.98};
  ck_assert(!read_for(&f, UP, 2000));
  f.rate = VEC3_ZERO;
  base_lean_reset(&f.lean);
  ck_assert(read_for(&f, UP, 310));
  assert_near(f.lean.up.x, 2.0, 0.05);
}
END_TEST

/* An accelerometer that was off by 2 m/s^2, and feet that swung and were thought to stand, put a
 * base askew that was upright. */
START_TEST(soles_that_lie_as_they_should_deny_it) {
  struct fixture f = turned(0.0, 0.0);
  f.pushed = (vec3){2.0, 0.0, 0.0};
  ck_assert(!read_for(&f, UP, 2000));
  f.pushed = VEC3_ZERO;
  f.rate = (vec3){0.0, 3.0, 0.0};
  ck_assert(!read_for(&f, UP, 2000));
  f = turned(0.3, 0.0);
  f.normal_B = VEC3_ZERO; /* none stands: nobody says so */
  ck_assert(!read_for(&f, UP, 2000));
  f.normal_B = (vec3){0.1, 0.0, 0.995}; /* ground is not quite level */
  ck_assert(read_for(&f, UP, 310));
}
END_TEST

START_TEST(a_push_that_comes_and_goes_is_no_lean) {
  struct fixture f = turned(0.0, 0.0);
  f.R = (mat3)MAT3_IDENTITY;
  f.normal_B = (vec3){0.17, 0.0, 0.985};
  ck_assert(!read_for(&f, UP, 150));
  f.pushed.x = 3.5;
  ck_assert(!read_for(&f, UP, 150));
  f.pushed.x = 0.0;
  ck_assert(!read_for(&f, UP, 1000));
}
END_TEST

START_TEST(only_gravity_tells) {
  static const vec3 off[] = {{0.0, 0.0, -STANDARD_GRAVITY}, /* negated */
                             {0.0, 0.0, STANDARD_GRAVITY + 2.0},
                             {0.0, 0.0, 4.0}};
  for (size_t i = 0; i < sizeof(off) / sizeof(off[0]); i++) {
    struct fixture f = turned(0.4, 0.0);
    ck_assert(!read_for(&f, off[i], 1000));
  }
}
END_TEST

START_TEST(readings_that_are_missing_begin_it_anew) {
  const vec3 none = {(double)NAN, 0.0, 0.0};
  struct fixture f = turned(0.4, 0.0);
  ck_assert(!read_for(&f, UP, 250));
  ck_assert(!read_for(&f, none, 60));
  ck_assert(!read_for(&f, UP, 290));
  ck_assert(read_for(&f, UP, 20));
  base_lean_reset(&f.lean);
  ck_assert(!f.lean.leans && !read_for(&f, UP, 290));
}
END_TEST

SUITE(a_base_that_is_turned_wrongly_leans_and_is_put_upright_without_another_heading,
      one_that_is_turned_by_a_few_degrees_does_not_lean_however_it_strides,
      what_changes_the_velocity_is_no_gravity, soles_that_lie_as_they_should_deny_it,
      a_push_that_comes_and_goes_is_no_lean, only_gravity_tells,
      readings_that_are_missing_begin_it_anew)
