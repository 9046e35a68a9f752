#include "math/sym4.h"
#include "support/suite.h"

enum { TRIALS = 200 };

/* A random positive definite matrix with eigenvalues spread over a few decades. */
static mat4 random_spd(struct random *random) {
  mat4 G;
  for (int i = 0; i < 4; i++) {
    const double scale = pow(10.0, random_uniform(random, -2.0, 1.0));
    for (int j = 0; j < 4; j++) {
      G.m[i][j] = scale * random_normal(random);
    }
  }
  const mat4 Gt = mat4_transpose(&G);
  const mat4 A = mat4_mul(&G, &Gt), one = MAT4_IDENTITY;
  return mat4_axpy(&A, 1e-4, &one);
}

static double distance(const mat4 *A, const mat4 *B) {
  const mat4 D = mat4_axpy(A, -1.0, B);
  return sqrt(mat4_dot(&D, &D) / (1e-300 + mat4_dot(B, B)));
}

START_TEST(the_lower_factor_times_its_transpose_is_the_matrix) {
  struct random random = random_from(test_seed());
  for (int trial = 0; trial < TRIALS; trial++) {
    const mat4 A = random_spd(&random);
    mat4 L;
    ck_assert_int_eq(sym4_cholesky(&A, &L), STATUS_OK);
    const mat4 Lt = mat4_transpose(&L), LLt = mat4_mul(&L, &Lt);
    assert_near(distance(&LLt, &A), 0.0, 1e-14);
    ck_assert(L.m[0][1] == 0.0 && L.m[1][3] == 0.0 && L.m[3][3] > 0.0);
  }
}
END_TEST

START_TEST(the_upper_factor_times_its_transpose_is_the_matrix) {
  struct random random = random_from(test_seed());
  for (int trial = 0; trial < TRIALS; trial++) {
    mat4 A = random_spd(&random), U;
    const mat4 whole = A;
    A.m[0][3] = (double)NAN; /* only the lower triangle may be read */
    ck_assert_int_eq(sym4_reverse_cholesky(&A, &U), STATUS_OK);
    const mat4 Ut = mat4_transpose(&U), UUt = mat4_mul(&U, &Ut);
    assert_near(distance(&UUt, &whole), 0.0, 1e-14);
    ck_assert(U.m[1][0] == 0.0 && U.m[3][1] == 0.0 && U.m[0][0] > 0.0);
  }
}
END_TEST

START_TEST(an_indefinite_or_broken_matrix_is_refused_and_the_factor_is_untouched) {
  const mat4 untouched = {{{7.0}}};
  mat4 A = MAT4_IDENTITY, L = untouched;
  A.m[2][2] = -1e-12;
  ck_assert_int_eq(sym4_cholesky(&A, &L), STATUS_SINGULAR);
  ck_assert_int_eq(sym4_reverse_cholesky(&A, &L), STATUS_SINGULAR);
  A.m[2][2] = (double)INFINITY;
  ck_assert_int_eq(sym4_cholesky(&A, &L), STATUS_NOT_FINITE);
  double lambda[4] = {7.0};
  ck_assert_int_eq(sym4_eigen(&A, lambda, &L), STATUS_NOT_FINITE);
  ck_assert(L.m[0][0] == 7.0 && lambda[0] == 7.0);
}
END_TEST

START_TEST(eigenvectors_are_orthonormal_and_rebuild_the_matrix_in_ascending_order) {
  struct random random = random_from(test_seed());
  for (int trial = 0; trial < TRIALS; trial++) {
    const mat4 A = random_spd(&random);
    double lambda[4];
    mat4 V, D = MAT4_ZERO;
    ck_assert_int_eq(sym4_eigen(&A, lambda, &V), STATUS_OK);
    for (int i = 0; i < 4; i++) {
      D.m[i][i] = lambda[i];
      ck_assert(i == 0 || lambda[i] >= lambda[i - 1]);
    }
    const mat4 Vt = mat4_transpose(&V), VVt = mat4_mul(&V, &Vt), one = MAT4_IDENTITY;
    assert_near(distance(&VVt, &one), 0.0, 1e-14);
    const mat4 VD = mat4_mul(&V, &D), VDVt = mat4_mul(&VD, &Vt);
    assert_near(distance(&VDVt, &A), 0.0, 1e-14);
  }
}
END_TEST

START_TEST(three_by_three_eigenvalues_match_a_known_rotation_of_a_diagonal) {
  const mat3 R = mat3_from_rpy((vec3){0.4, -1.1, 2.3});
  const double known[3] = {-0.5, 2.0, 3.0}; /* eigenvalues may be negative */
  mat3 A = {{{0.0}}}, V;
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      for (int k = 0; k < 3; k++) {
        A.m[i][j] += R.m[i][k] * known[k] * R.m[j][k];
      }
    }
  }
  double lambda[3];
  ck_assert_int_eq(sym3_eigen(&A, lambda, &V), STATUS_OK);
  for (int k = 0; k < 3; k++) {
    assert_near(lambda[k], known[k], 1e-14);
    const double along = V.m[0][k] * R.m[0][k] + V.m[1][k] * R.m[1][k] + V.m[2][k] * R.m[2][k];
    assert_near(fabs(along), 1.0, 1e-14);
  }
}
END_TEST

START_TEST(whitening_a_matrix_by_its_own_factor_gives_the_identity) {
  struct random random = random_from(test_seed());
  for (int trial = 0; trial < TRIALS; trial++) {
    const mat4 A = random_spd(&random), one = MAT4_IDENTITY;
    mat4 L;
    ck_assert_int_eq(sym4_cholesky(&A, &L), STATUS_OK);
    const mat4 white = sym4_whiten(&L, &A);
    assert_near(distance(&white, &one), 0.0, 1e-9);
  }
}
END_TEST

SUITE(the_lower_factor_times_its_transpose_is_the_matrix,
      the_upper_factor_times_its_transpose_is_the_matrix,
      an_indefinite_or_broken_matrix_is_refused_and_the_factor_is_untouched,
      eigenvectors_are_orthonormal_and_rebuild_the_matrix_in_ascending_order,
      three_by_three_eigenvalues_match_a_known_rotation_of_a_diagonal,
      whitening_a_matrix_by_its_own_factor_gives_the_identity)
