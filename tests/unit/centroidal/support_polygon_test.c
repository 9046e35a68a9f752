#include "centroidal/support_polygon.h"

#include "support/suite.h"

static struct pose sole_at(double x, double y, double yaw) {
  return (struct pose){mat3_from_rpy((vec3){0.0, 0.0, yaw}), {x, y, 0.0}};
}

START_TEST(a_point_inside_one_sole_is_as_far_inside_as_from_its_nearest_edge) {
  const struct pose sole[2] = {sole_at(1.0, 2.0, 0.7), sole_at(5.0, 5.0, 0.0)};
  const bool stands[2] = {true, false};
  struct support_polygon polygon;
  ck_assert_int_eq(support_polygon(sole, stands, 2, 0.2, 0.1, &polygon), STATUS_OK);
  ck_assert_int_eq((int)polygon.n, 4);
  assert_near(support_margin(&polygon, sole[0].p), 0.05, 1e-12);
  assert_near(support_margin(&polygon, pose_apply(&sole[0], (vec3){0.09, 0.0, 0.0})), 0.01, 1e-12);
  assert_near(support_margin(&polygon, pose_apply(&sole[0], (vec3){0.13, 0.0, 0.0})), -0.03, 1e-12);
  assert_near(support_margin(&polygon, pose_apply(&sole[0], (vec3){0.13, 0.09, 0.0})), -0.05,
              1e-12);
}
END_TEST

START_TEST(between_two_feet_the_polygon_is_their_hull) {
  const struct pose sole[2] = {sole_at(0.0, 0.1, 0.0), sole_at(0.0, -0.1, 0.0)};
  const bool stands[2] = {true, true};
  struct support_polygon polygon;
  ck_assert_int_eq(support_polygon(sole, stands, 2, 0.2, 0.1, &polygon), STATUS_OK);
  assert_near(support_margin(&polygon, VEC3_ZERO), 0.1, 1e-12);
  assert_near(support_margin(&polygon, (vec3){0.0, 0.2, 0.0}), -0.05, 1e-12);
}
END_TEST

START_TEST(the_hull_of_random_feet_contains_their_corners_and_turns_left) {
  struct random rng = random_from(test_seed());
  for (int trial = 0; trial < 200; trial++) {
    struct pose sole[4];
    const bool stands[4] = {true, true, true, true};
    struct support_polygon polygon;
    for (int i = 0; i < 4; i++) {
      sole[i] = sole_at(random_normal(&rng), random_normal(&rng), random_normal(&rng));
    }
    ck_assert_int_eq(support_polygon(sole, stands, 4, 0.25, 0.12, &polygon), STATUS_OK);
    for (int i = 0; i < 4; i++) {
      const vec3 corner = pose_apply(&sole[i], (vec3){0.125, -0.06, 0.0});
      ck_assert_double_ge(support_margin(&polygon, corner), -1e-5);
    }
  }
}
END_TEST

START_TEST(two_point_feet_have_no_area_and_three_have_one) {
  const struct pose sole[3] = {sole_at(0.0, 0.0, 0.0), sole_at(1.0, 0.0, 0.0),
                               sole_at(0.0, 1.0, 0.0)};
  bool stands[3] = {true, true, false};
  struct support_polygon polygon = {.n = 77};
  ck_assert_int_eq(support_polygon(sole, stands, 3, 0.0, 0.0, &polygon), STATUS_TOO_FEW);
  ck_assert_int_eq((int)polygon.n, 77);
  stands[2] = true;
  ck_assert_int_eq(support_polygon(sole, stands, 3, 0.0, 0.0, &polygon), STATUS_OK);
  assert_near(support_margin(&polygon, (vec3){0.1, 0.1, 0.0}), 0.1, 1e-12);
}
END_TEST

SUITE(a_point_inside_one_sole_is_as_far_inside_as_from_its_nearest_edge,
      between_two_feet_the_polygon_is_their_hull,
      the_hull_of_random_feet_contains_their_corners_and_turns_left,
      two_point_feet_have_no_area_and_three_have_one)
