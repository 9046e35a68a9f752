/* The fit's own solver against DSDP, the semidefinite solver by dual scaling. */
#include "identify/convex/convex_fit.h"

#include "support/random_body.h"
#include "support/suite.h"

#ifdef WITH_DSDP
#include <dsdp/dsdp5.h>
#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TEN = CONVEX_TEN, BODIES = 3, N = TEN * BODIES + 2, BIG = N + 1, ROOM = 4096 };

static struct convex_fit fit;
static struct convex_solution best;
static double unit[N]; /* of x: the diagonal of A is one in it */

static struct inertia plausible_body(struct random *random) {
  const vec3 com = {random_uniform(random, -0.1, 0.1), random_uniform(random, -0.1, 0.1),
                    random_uniform(random, -0.1, 0.1)};
  const mat3 about_com = {{{0.02, 0.0, 0.0}, {0.0, 0.015, 0.0}, {0.0, 0.0, 0.012}}};
  return inertia_of_body(random_uniform(random, 0.5, 5.0), com, &about_com);
}

/* Few and noisy rows of three bodies and two frictions, and a weak pull. */
static void measure(struct random *random) {
  struct inertia prior[BODIES];
  const double others[2] = {0.1, 0.1}, one = 1.0;
  convex_free(&fit);
  require(convex_begin(&fit, BODIES, 2) == STATUS_OK);
  for (size_t i = 0; i < BODIES; i++) {
    prior[i] = plausible_body(random);
    require(convex_pull(&fit, i, &prior[i], 10.0) == STATUS_OK);
  }
  for (size_t i = N - 2; i < N; i++) {
    const struct convex_cone bound = cone_of_bound(i, &one, 1, 0.0);
    require(convex_add_cone(&fit, &bound) == STATUS_OK);
    convex_pull_one(&fit, i, 0.1, 10.0);
  }
  for (int r = 0; r < 60; r++) {
    double Y[N];
    for (size_t i = 0; i < N; i++) {
      Y[i] = random_normal(random);
    }
    convex_row(&fit, Y, 2.0 * random_normal(random), 0.09);
  }
  fit.gap = 1e-7;
  ck_assert_int_eq(convex_solve(&fit, prior, others, &best), STATUS_OK);
  for (size_t i = 0; i < N; i++) {
    unit[i] = 1.0 / sqrt(fit.A[i * N + i]);
  }
}

/* One matrix of DSDP's: places in the packed lower half, and values; it does not copy them. */
static int place[ROOM];
static double value[ROOM];
static int used;

static void give(SDPCone cone, int block, int variable, int size, const double *M, double scale) {
  const int first = used;
  for (int i = 0; i < size; i++) {
    for (int k = 0; k <= i; k++) {
      if (M[i * size + k] != 0.0) {
        place[used] = i * (i + 1) / 2 + k;
        value[used++] = scale * M[i * size + k];
      }
    }
  }
  ck_assert_int_lt(used, ROOM);
  ck_assert_int_eq(SDPConeSetASparseVecMat(cone, block, variable, size, 1.0, 0, place + first,
                                           value + first, used - first),
                   0);
}

/* [ 1  L^T x ; x^T L  t ] >= 0: t is at least x^T A x, with x in units. */
static void give_cost(SDPCone cone) {
  double L[N * N], M[BIG * BIG] = {0.0};
  for (int i = 0; i < N * N; i++) {
    L[i] = fit.A[i] * unit[i / N] * unit[i % N];
  }
  ck_assert_int_eq(LAPACKE_dpotrf(LAPACK_ROW_MAJOR, 'L', N, L, N), 0);
  for (int i = 0; i < N; i++) {
    M[i * BIG + i] = 1.0;
  }
  give(cone, 0, 0, BIG, M, 1.0);
  for (int i = 0; i < N; i++) {
    memset(M, 0, sizeof(M));
    for (int k = 0; k <= i; k++) { /* (L^T x)_k has L_ik x_i */
      M[(BIG - 1) * BIG + k] = L[i * N + k];
    }
    give(cone, 0, 1 + i, BIG, M, -1.0);
  }
  memset(M, 0, sizeof(M));
  M[BIG * BIG - 1] = 1.0;
  give(cone, 0, 1 + N, BIG, M, -1.0);
}

/* The least cost by DSDP: the most of b . x - t / 2. */
static double by_dsdp(void) {
  DSDP dsdp;
  SDPCone cone;
  DSDPTerminationReason reason;
  double y[N + 1], x[N];
  used = 0;
  ck_assert_int_eq(DSDPCreate(N + 1, &dsdp), 0);
  ck_assert_int_eq(DSDPCreateSDPCone(dsdp, 1 + (int)fit.n_cones, &cone), 0);
  for (int i = 0; i < N; i++) {
    DSDPSetDualObjective(dsdp, 1 + i, fit.b[i] * unit[i]);
  }
  DSDPSetDualObjective(dsdp, N + 1, -0.5);
  SDPConeSetBlockSize(cone, 0, BIG);
  give_cost(cone);
  for (size_t c = 0; c < fit.n_cones; c++) {
    const struct convex_cone *one = &fit.cone[c];
    SDPConeSetBlockSize(cone, 1 + (int)c, one->size);
    for (size_t k = 0; k < one->columns; k++) {
      const size_t i = one->first + k;
      give(cone, 1 + (int)c, 1 + (int)i, one->size, one->slope[k], -unit[i]);
    }
  }
  DSDPSetGapTolerance(dsdp, 1e-10);
  DSDPSetMaxIts(dsdp, 500);
  ck_assert_int_eq(DSDPSetup(dsdp), 0);
  ck_assert_int_eq(DSDPSolve(dsdp), 0);
  DSDPStopReason(dsdp, &reason);
  ck_assert_int_eq(reason, DSDP_CONVERGED);
  ck_assert_int_eq(DSDPGetY(dsdp, y, N + 1), 0);
  DSDPDestroy(dsdp);
  for (int i = 0; i < N; i++) {
    x[i] = y[i] * unit[i];
  }
  return convex_cost(&fit, x);
}

/* @eq Wensing17 25 */
START_TEST(another_solver_finds_the_same_optimum_to_a_millionth) {
  struct random random = random_from(test_seed());
  int at_border = 0;
  for (int times = 0; times < 10; times++) {
    double free_x[N];
    measure(&random);
    const double theirs = by_dsdp();
    assert_near(theirs, best.cost, 1e-6 * fabs(best.cost));
    ck_assert_int_eq(convex_unconstrained(&fit, free_x), STATUS_OK);
    at_border += convex_cost(&fit, free_x) < best.cost - 0.01 * fabs(best.cost);
  }
  ck_assert_int_ge(at_border, 8); /* it is the cones that are tried */
}
END_TEST
#else
START_TEST(another_solver_finds_the_same_optimum_to_a_millionth) {
  skip("libdsdp-dev was not there when this was built");
}
END_TEST
#endif

SUITE(another_solver_finds_the_same_optimum_to_a_millionth)
