#include "inertia/bounding_ellipsoid.h"
#include "inertia/pseudo_inertia.h"
#include "support/random_body.h"
#include "support/suite.h"

static const vec3 HALF_AXES = {0.3, 0.2, 0.1};

static struct ellipsoid random_ellipsoid(struct random *random, struct pose *X_LE) {
  *X_LE = random_pose(random);
  return ellipsoid_from_axes(X_LE, HALF_AXES);
}

/* A point at `radius` times the surface in a random direction, link coordinates. */
static vec3 random_point(struct random *random, const struct pose *X_LE, double radius) {
  vec3 u = {random_normal(random), random_normal(random), random_normal(random)};
  u = vec3_scale(radius / vec3_norm(u), u);
  return pose_apply(X_LE, (vec3){HALF_AXES.x * u.x, HALF_AXES.y * u.y, HALF_AXES.z * u.z});
}

/* @eq Wensing17 23 */
START_TEST(room_is_the_mean_over_the_mass_of_the_distance_to_the_surface) {
  struct random random = random_from(test_seed());
  struct pose X_LE;
  const struct ellipsoid ellipsoid = random_ellipsoid(&random, &X_LE);
  struct inertia body = {0};
  double expected = 0.0;
  for (int k = 0; k < 20; k++) {
    const double m = random_uniform(&random, 0.1, 1.0), radius = random_uniform(&random, 0.0, 1.3);
    const struct inertia point = inertia_of_point(m, random_point(&random, &X_LE, radius));
    body = inertia_add(&body, &point);
    expected += m * (1.0 - radius * radius);
  }
  double room;
  ck_assert_int_eq(ellipsoid_room(&ellipsoid, &body, &room), STATUS_OK);
  assert_near(room, expected / body.m, 1e-10);
}
END_TEST

/* @eq Wensing17 22 23 */
START_TEST(mass_inside_has_room_and_mass_far_outside_has_none) {
  struct random random = random_from(test_seed());
  for (int trial = 0; trial < 100; trial++) {
    struct pose X_LE;
    const struct ellipsoid ellipsoid = random_ellipsoid(&random, &X_LE);
    struct inertia inside = {0}, outside = {0};
    for (int k = 0; k < 8; k++) {
      const struct inertia in = inertia_of_point(0.5, random_point(&random, &X_LE, 0.99)),
                           out = inertia_of_point(0.5, random_point(&random, &X_LE, 1.01));
      inside = inertia_add(&inside, &in);
      outside = inertia_add(&outside, &out);
    }
    double room;
    bool holds;
    ck_assert_int_eq(ellipsoid_room(&ellipsoid, &inside, &room), STATUS_OK);
    ck_assert(room > 0.0);
    ck_assert_int_eq(ellipsoid_holds_com(&ellipsoid, &inside, &holds), STATUS_OK);
    ck_assert(holds);
    ck_assert_int_eq(ellipsoid_room(&ellipsoid, &outside, &room), STATUS_OK);
    ck_assert(room < 0.0);
  }
}
END_TEST

/* @eq Wensing17 22 */
START_TEST(a_centre_of_mass_beyond_the_surface_is_not_held) {
  struct random random = random_from(test_seed());
  for (int trial = 0; trial < 100; trial++) {
    struct pose X_LE;
    const struct ellipsoid ellipsoid = random_ellipsoid(&random, &X_LE);
    const struct inertia out = inertia_of_point(0.5, random_point(&random, &X_LE, 1.01)),
                         in = inertia_of_point(0.5, random_point(&random, &X_LE, 0.99));
    bool holds;
    ck_assert_int_eq(ellipsoid_holds_com(&ellipsoid, &out, &holds), STATUS_OK);
    ck_assert(!holds);
    ck_assert_int_eq(ellipsoid_holds_com(&ellipsoid, &in, &holds), STATUS_OK);
    ck_assert(holds);
  }
}
END_TEST

/* The centre may be inside although the mass is not: (23) is the stronger condition.
 * @eq Wensing17 22 23 */
START_TEST(a_shell_around_the_ellipsoid_has_its_centre_inside_and_no_room) {
  struct random random = random_from(test_seed());
  struct pose X_LE;
  const struct ellipsoid ellipsoid = random_ellipsoid(&random, &X_LE);
  struct inertia shell = {0};
  for (int k = 0; k < 3; k++) {
    for (int side = -1; side <= 1; side += 2) {
      const vec3 e = {k == 0 ? 0.4 * side : 0, k == 1 ? 0.4 * side : 0, k == 2 ? 0.4 * side : 0};
      const struct inertia point = inertia_of_point(1.0, pose_apply(&X_LE, e));
      shell = inertia_add(&shell, &point);
    }
  }
  double room;
  bool holds;
  ck_assert_int_eq(inertia_consistency(&shell, 0.0, NULL), STATUS_OK);
  ck_assert_int_eq(ellipsoid_holds_com(&ellipsoid, &shell, &holds), STATUS_OK);
  ck_assert(holds);
  ck_assert_int_eq(ellipsoid_room(&ellipsoid, &shell, &room), STATUS_OK);
  ck_assert(room < 0.0);
}
END_TEST

START_TEST(a_flat_ellipsoid_and_a_body_without_mass_are_refused) {
  const struct pose here = POSE_IDENTITY;
  struct ellipsoid ellipsoid = ellipsoid_from_axes(&here, (vec3){0.1, 0.1, 0.0});
  const struct inertia none = {0};
  double room = 7.0;
  mat4 Q;
  ck_assert_int_eq(ellipsoid_matrix(&ellipsoid, &Q), STATUS_SINGULAR);
  ellipsoid = ellipsoid_from_axes(&here, (vec3){0.1, 0.1, 0.1});
  ck_assert_int_eq(ellipsoid_room(&ellipsoid, &none, &room), STATUS_NOT_CONSISTENT);
  ellipsoid.centre.x = (double)NAN;
  ck_assert_int_eq(ellipsoid_matrix(&ellipsoid, &Q), STATUS_NOT_FINITE);
  ck_assert(room == 7.0);
}
END_TEST

SUITE(room_is_the_mean_over_the_mass_of_the_distance_to_the_surface,
      mass_inside_has_room_and_mass_far_outside_has_none,
      a_centre_of_mass_beyond_the_surface_is_not_held,
      a_shell_around_the_ellipsoid_has_its_centre_inside_and_no_room,
      a_flat_ellipsoid_and_a_body_without_mass_are_refused)
