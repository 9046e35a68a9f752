#include "body/body_lanes.h"

#include "inertia/inertia.h"
#include "support/random_model.h"

#include <string.h>

static struct random rng;

static double distance(v3 a, vec3 b) {
  return vec3_norm(vec3_sub(v3_vec3(a), b)) + fabs(v3_at(a, 3)); /* the fourth lane stays zero */
}

static double matrix_distance(const struct m3 *A, const mat3 *B) {
  const struct m3 C = m3_of(B);
  return distance(v3_sub(A->x, C.x), VEC3_ZERO) + distance(v3_sub(A->y, C.y), VEC3_ZERO) +
         distance(v3_sub(A->z, C.z), VEC3_ZERO);
}

START_TEST(vector_registers_and_plain_numbers_have_one_algebra) {
  rng = random_from(test_seed());
  for (int i = 0; i < 100; i++) {
    const vec3 a = random_vec3(&rng, 2.0), b = random_vec3(&rng, 2.0);
    const mat3 A = random_rotation(&rng), B = random_rotation(&rng);
    const struct m3 A3 = m3_of(&A), B3 = m3_of(&B), AB3 = m3_mul(&A3, &B3);
    const struct m3 At3 = m3_transpose(&A3);
    const mat3 AB = mat3_mul(&A, &B), At = mat3_transpose(&A);
    ck_assert_double_le(distance(v3_cross(v3_of(a), v3_of(b)), vec3_cross(a, b)), 1e-15);
    assert_near(v3_dot(v3_of(a), v3_of(b)), vec3_dot(a, b), 1e-14);
    ck_assert_double_le(distance(m3_mul_v3(&A3, v3_of(a)), mat3_mul_vec3(&A, a)), 1e-14);
    ck_assert_double_le(matrix_distance(&AB3, &AB), 1e-14);
    ck_assert_double_le(matrix_distance(&At3, &At), 1e-300);
  }
}
END_TEST

START_TEST(a_stored_pose_is_the_pose_and_its_neighbours_are_untouched) {
  rng = random_from(test_seed());
  const struct pose X = {random_rotation(&rng), random_vec3(&rng, 2.0)};
  const mat3 Rt = mat3_transpose(&X.R);
  const struct m3 rows = m3_of(&Rt);
  struct pose out[3];
  memset(out, 0x5a, sizeof(out));
  const struct pose untouched = out[0];
  pose_store(&out[1], &rows, v3_of(X.p));
  ck_assert_int_eq(memcmp(&out[1], &X, sizeof(X)), 0);
  ck_assert_int_eq(memcmp(&out[0], &untouched, sizeof(X)), 0);
  ck_assert_int_eq(memcmp(&out[2], &untouched, sizeof(X)), 0);
}
END_TEST

/* Against inertia.h, which knows nothing of lanes. */
START_TEST(a_body_in_vector_registers_has_the_mechanics_of_its_ten_parameters) {
  rng = random_from(test_seed());
  for (int i = 0; i < 100; i++) {
    const struct inertia pi = random_inertia_near(&rng, random_vec3(&rng, 0.5));
    const struct body_lanes body = body_of(&pi);
    const struct pose X = {random_rotation(&rng), random_vec3(&rng, 1.0)};
    const mat3 Rt = mat3_transpose(&X.R);
    const struct link_lanes L = {.R_BL = m3_of(&X.R), .R_LB = m3_of(&Rt), .p = v3_of(X.p)};
    const struct motion v = {random_vec3(&rng, 2.0), random_vec3(&rng, 2.0)};

    const struct inertia expected = inertia_transform(&X, &pi);
    const struct body_lanes moved = body_to_base(&L, &body);
    const struct inertia got = body_inertia(&moved);
    for (int k = 0; k < INERTIA_PARAMETERS; k++) {
      assert_near((&got.m)[k], (&expected.m)[k], 1e-13);
    }
    const struct force momentum = inertia_apply(&pi, &v);
    const struct v6 momentum6 = body_momentum(&body, v6_of_motion(&v));
    ck_assert_double_le(distance(momentum6.ang, momentum.ang), 1e-13);
    ck_assert_double_le(distance(momentum6.lin, momentum.lin), 1e-13);
  }
}
END_TEST

SUITE(vector_registers_and_plain_numbers_have_one_algebra,
      a_stored_pose_is_the_pose_and_its_neighbours_are_untouched,
      a_body_in_vector_registers_has_the_mechanics_of_its_ten_parameters)
