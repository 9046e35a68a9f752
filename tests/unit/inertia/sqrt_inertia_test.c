#include "inertia/sqrt_inertia.h"
#include "support/random_body.h"
#include "support/suite.h"

static void random_rho(struct random *random, double rho[SQRT_INERTIA_SIZE]) {
  for (int i = 0; i < SQRT_INERTIA_SIZE; i++) {
    rho[i] = random_normal(random);
  }
}

/* @eq Leboutet22 168, @eq Leboutet22 169, @eq Leboutet22 171, @eq Leboutet22 172: the printed
 * formulas, entry by entry */
START_TEST(the_parameters_are_the_printed_products) {
  struct random random = random_from(test_seed());
  double C[SQRT_INERTIA_SIZE], found[INERTIA_PARAMETERS];
  random_rho(&random, C);
  const double eps = 0.3, C11 = C[0], C21 = C[1], C22 = C[2], C31 = C[3], C32 = C[4], C33 = C[5],
               C41 = C[6], C42 = C[7], C43 = C[8], C44 = C[9];
  const double printed[INERTIA_PARAMETERS] = {
      C41 * C41 + C42 * C42 + C43 * C43 + C44 * C44 + eps,
      C11 * C41,
      C21 * C41 + C22 * C42,
      C31 * C41 + C32 * C42 + C33 * C43,
      C21 * C21 + C22 * C22 + C31 * C31 + C32 * C32 + C33 * C33 + 2 * eps,
      -C11 * C21,
      -C11 * C31,
      C11 * C11 + C31 * C31 + C32 * C32 + C33 * C33 + 2 * eps,
      -C21 * C31 - C22 * C32,
      C11 * C11 + C21 * C21 + C22 * C22 + 2 * eps};
  const struct inertia pi = sqrt_inertia(C, eps);
  inertia_to(&pi, found);
  for (int i = 0; i < INERTIA_PARAMETERS; i++) {
    assert_near(found[i], printed[i], 1e-13);
  }
}
END_TEST

START_TEST(bodies_survive_the_way_to_the_square_root_and_back) {
  struct random random = random_from(test_seed());
  const double eps = 1e-6;
  for (int trial = 0; trial < 200; trial++) {
    const struct inertia pi = random_body(&random);
    double rho[SQRT_INERTIA_SIZE], expected[INERTIA_PARAMETERS], found[INERTIA_PARAMETERS];
    ck_assert_int_eq(sqrt_inertia_from(&pi, eps, rho), STATUS_OK);
    const struct inertia back = sqrt_inertia(rho, eps);
    inertia_to(&pi, expected);
    inertia_to(&back, found);
    for (int i = 0; i < INERTIA_PARAMETERS; i++) {
      assert_near(found[i], expected[i], 1e-12);
    }
  }
}
END_TEST

/* @eq Leboutet22 173: rows 1, 5 and 9 as printed, and the product for all */
START_TEST(the_matrix_times_the_square_root_is_the_parameters_and_reads_as_printed) {
  struct random random = random_from(test_seed());
  double rho[SQRT_INERTIA_SIZE], A[INERTIA_PARAMETERS][SQRT_INERTIA_SIZE], pi[INERTIA_PARAMETERS];
  random_rho(&random, rho);
  sqrt_inertia_matrix(rho, A);
  const double row1[10] = {0, 0, 0, 0, 0, 0, rho[6], rho[7], rho[8], rho[9]};
  const double row5[10] = {0, rho[1], rho[2], rho[3], rho[4], rho[5], 0, 0, 0, 0};
  const double row9[10] = {0, 0, 0, -rho[1], -rho[2], 0, 0, 0, 0, 0};
  const struct inertia body = sqrt_inertia(rho, 0.0);
  inertia_to(&body, pi);
  for (int i = 0; i < INERTIA_PARAMETERS; i++) {
    double sum = 0.0;
    for (int k = 0; k < SQRT_INERTIA_SIZE; k++) {
      sum += A[i][k] * rho[k];
    }
    assert_near(sum, pi[i], 1e-13);
    assert_near(A[0][i], row1[i], 1e-15);
    assert_near(A[4][i], row5[i], 1e-15);
    assert_near(A[8][i], row9[i], 1e-15);
  }
}
END_TEST

START_TEST(the_jacobian_is_the_derivative_exactly_because_the_map_is_quadratic) {
  struct random random = random_from(test_seed());
  double rho[SQRT_INERTIA_SIZE], G[INERTIA_PARAMETERS][SQRT_INERTIA_SIZE];
  random_rho(&random, rho);
  sqrt_inertia_jacobian(rho, G);
  for (int k = 0; k < SQRT_INERTIA_SIZE; k++) {
    double ahead[SQRT_INERTIA_SIZE], behind[SQRT_INERTIA_SIZE];
    for (int i = 0; i < SQRT_INERTIA_SIZE; i++) {
      ahead[i] = rho[i] + (i == k ? 0.5 : 0.0);
      behind[i] = rho[i] - (i == k ? 0.5 : 0.0);
    }
    const struct inertia a = sqrt_inertia(ahead, 0.0), b = sqrt_inertia(behind, 0.0);
    double pa[INERTIA_PARAMETERS], pb[INERTIA_PARAMETERS];
    inertia_to(&a, pa);
    inertia_to(&b, pb);
    for (int i = 0; i < INERTIA_PARAMETERS; i++) {
      assert_near(G[i][k], pa[i] - pb[i], 1e-13);
    }
  }
}
END_TEST

START_TEST(a_body_that_eps_does_not_fit_into_is_refused) {
  struct random random = random_from(test_seed());
  const struct inertia pi = random_body(&random);
  double rho[SQRT_INERTIA_SIZE] = {7.0};
  ck_assert_int_eq(sqrt_inertia_from(&pi, 1e3, rho), STATUS_NOT_CONSISTENT);
  ck_assert(rho[0] == 7.0);
}
END_TEST

SUITE(the_parameters_are_the_printed_products, bodies_survive_the_way_to_the_square_root_and_back,
      the_matrix_times_the_square_root_is_the_parameters_and_reads_as_printed,
      the_jacobian_is_the_derivative_exactly_because_the_map_is_quadratic,
      a_body_that_eps_does_not_fit_into_is_refused)
