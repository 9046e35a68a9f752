#include "model/motion.h"

#include "support/suite.h"

static struct random rng;

static vec3 random_vec3(double scale) {
  return (vec3){random_uniform(&rng, -scale, scale), random_uniform(&rng, -scale, scale),
                random_uniform(&rng, -scale, scale)};
}

/* Where the point is at `t`, in the axes that the body has at t = 0. */
static vec3 place(const struct motion *a, vec3 omega, vec3 r, double t) {
  const vec3 phi = vec3_axpy(vec3_scale(t, omega), 0.5 * t * t, a->ang);
  const mat3 R = mat3_from_quat(quat_from_rotation_vector(phi));
  return vec3_axpy(mat3_mul_vec3(&R, r), 0.5 * t * t, a->lin);
}

/* @eq Leboutet22 134 */
START_TEST(the_acceleration_of_a_point_is_the_second_difference_of_its_path) {
  const double h = 1e-3;
  rng = random_from(test_seed());
  for (int i = 0; i < 100; i++) {
    const struct motion a = {random_vec3(20.0), random_vec3(10.0)};
    const vec3 omega = random_vec3(4.0), r = random_vec3(0.5);
    const vec3 ends = vec3_add(place(&a, omega, r, h), place(&a, omega, r, -h));
    const vec3 second = vec3_scale(1.0 / (h * h), vec3_axpy(ends, -2.0, r));
    const vec3 off = vec3_sub(point_acceleration(&a, omega, r), second);
    ck_assert_double_le(vec3_norm(off), 1e-3);
  }
}
END_TEST

START_TEST(from_the_point_back_to_the_origin_is_the_lever_reversed) {
  rng = random_from(test_seed());
  for (int i = 0; i < 100; i++) {
    const struct motion a = {random_vec3(20.0), random_vec3(10.0)};
    const vec3 omega = random_vec3(4.0), r = random_vec3(0.5);
    const struct motion there = {a.ang, point_acceleration(&a, omega, r)};
    const vec3 back = point_acceleration(&there, omega, vec3_neg(r));
    ck_assert_double_le(vec3_norm(vec3_sub(back, a.lin)), 1e-13);
  }
}
END_TEST

SUITE(the_acceleration_of_a_point_is_the_second_difference_of_its_path,
      from_the_point_back_to_the_origin_is_the_lever_reversed)
