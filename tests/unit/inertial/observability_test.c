#include "inertia/log_cholesky.h"
#include "inertial/inertial_link_estimate.h"
#include "inertial/observability.h"
#include "numerics/small_matrix.h"
#include "support/random_model.h"
#include "support/suite.h"

#include <stdlib.h>
#include <string.h>

/* A body of 10 kg weighed with rows of force and moment about its origin, as it is accelerated. */
enum { TEN = INERTIA_PARAMETERS, ROWS = 6 };

struct bench {
  struct inertial_core core;
  struct observability observability;
  double Y[ROWS * TEN], z[ROWS], R[ROWS];
  struct inertial_rows rows;
};

static struct bench *new_bench_in(enum inertial_form form) {
  const struct inertial_core_settings settings = {
      .form = form, .iterations = 8, .prior = {1.0, 0.02, 0.1}};
  const mat3 tensor = {{{0.5, 0.0, 0.0}, {0.0, 0.4, 0.0}, {0.0, 0.0, 0.3}}};
  const struct inertia body = inertia_of_body(10.0, (vec3){0.0, 0.0, 0.2}, &tensor);
  struct bench *bench = calloc(1, sizeof(*bench));
  struct arena arena = test_arena(1 << 18);
  ck_assert_int_eq(inertial_core_init(&bench->core, &settings, &body, 1, &arena), STATUS_OK);
  observability_init(&bench->observability, 1, 1.0, &arena);
  for (size_t r = 0; r < ROWS; r++) {
    bench->R[r] = 1.0;
  }
  bench->rows = (struct inertial_rows){.n = ROWS, .Y = bench->Y, .z = bench->z, .R = bench->R};
  return bench;
}

static struct bench *new_bench(void) {
  return new_bench_in(INERTIAL_RUCKER);
}

/* Columns of force and moment for a body that is accelerated by `a` (gravity in it) and turned by
 * `w_dot`, slowly: f = m a + w_dot x h, n = h x a + I w_dot. */
static void move(struct bench *bench, vec3 a, vec3 w_dot) {
  for (size_t i = 0; i < TEN; i++) {
    double unit[TEN] = {0.0};
    unit[i] = 1.0;
    const struct inertia pi = inertia_from(unit);
    const mat3 tensor = inertia_tensor(&pi);
    const vec3 f = vec3_add(vec3_scale(pi.m, a), vec3_cross(w_dot, pi.h));
    const vec3 n = vec3_add(vec3_cross(pi.h, a), mat3_mul_vec3(&tensor, w_dot));
    const double column[ROWS] = {n.x, n.y, n.z, f.x, f.y, f.z};
    for (size_t r = 0; r < ROWS; r++) {
      bench->Y[r * TEN + i] = column[r];
    }
  }
  double nis, gain;
  ck_assert_int_eq(inertial_core_innovation(&bench->core, &bench->rows, &nis, &gain), STATUS_OK);
  observability_take(&bench->observability, &bench->core, &bench->rows, 0.02);
}

static const vec3 UP = {0.0, 0.0, STANDARD_GRAVITY};

/* One second upright, or rocking about all axes. */
static unsigned after(struct bench *bench, double tilt, double turn) {
  for (int k = 0; k < 50; k++) {
    const double s = sin(0.3 * k), c = cos(0.2 * k);
    move(bench, (vec3){tilt * s, tilt * c, UP.z}, (vec3){turn * s, turn * c, turn * s * c});
  }
  return bench->observability.shown[0];
}

START_TEST(a_body_that_stands_shows_its_mass_and_where_its_weight_acts_and_not_how_high) {
  struct bench *bench = new_bench();
  ck_assert_uint_eq(after(bench, 0.0, 0.0),
                    INERTIAL_KNOWS_MASS | INERTIAL_KNOWS_COM_X | INERTIAL_KNOWS_COM_Y);
}
END_TEST

START_TEST(a_body_that_is_tilted_shows_its_height_and_one_that_is_turned_its_shape) {
  ck_assert(after(new_bench(), 4.0, 0.0) & INERTIAL_KNOWS_COM_Z);
  const unsigned turned = after(new_bench(), 4.0, 40.0);
  ck_assert(turned & INERTIAL_KNOWS_SHAPE);
  ck_assert((after(new_bench(), 4.0, 0.1) & INERTIAL_KNOWS_SHAPE) == 0);
}
END_TEST

/* The bits were those of the state's coordinates, whatever these were: in the linear form a body
 * that stood showed its place by its moments of inertia. */
START_TEST(what_is_shown_does_not_depend_on_the_form_of_the_state) {
  const enum inertial_form form[2] = {INERTIAL_FOSTER, INERTIAL_LINEAR};
  for (int i = 0; i < 2; i++) {
    ck_assert_uint_eq(after(new_bench_in(form[i]), 0.0, 0.0), after(new_bench(), 0.0, 0.0));
    ck_assert_uint_eq(after(new_bench_in(form[i]), 4.0, 0.0), after(new_bench(), 4.0, 0.0));
    ck_assert_uint_eq(after(new_bench_in(form[i]), 4.0, 40.0), after(new_bench(), 4.0, 40.0));
  }
}
END_TEST

START_TEST(what_was_shown_long_ago_is_not_observable_now) {
  struct bench *bench = new_bench();
  ck_assert(after(bench, 4.0, 0.0) & INERTIAL_KNOWS_COM_Z);
  for (int s = 0; s < 10; s++) {
    after(bench, 0.0, 0.0);
  }
  ck_assert((bench->observability.shown[0] & INERTIAL_KNOWS_COM_Z) == 0);
  ck_assert(bench->observability.shown[0] & INERTIAL_KNOWS_MASS);
}
END_TEST

SUITE(a_body_that_stands_shows_its_mass_and_where_its_weight_acts_and_not_how_high,
      a_body_that_is_tilted_shows_its_height_and_one_that_is_turned_its_shape,
      what_is_shown_does_not_depend_on_the_form_of_the_state,
      what_was_shown_long_ago_is_not_observable_now)
