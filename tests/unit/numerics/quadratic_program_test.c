#include "numerics/quadratic_program.h"

#include "support/suite.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 40, ROWS = 12 };

static struct random rng;
static double H[MOST * MOST], g[MOST]; /* as given: solving loses H */

static struct quadratic_program program_of(size_t n, size_t rows) {
  struct quadratic_program qp;
  struct arena arena = {0};
  ck_assert_int_eq(quadratic_program_init(&qp, n, rows, &arena), STATUS_OK);
  void *block = aligned_alloc(ARENA_ALIGN, arena.used);
  arena = arena_over(block, arena.used);
  ck_assert_int_eq(quadratic_program_init(&qp, n, rows, &arena), STATUS_OK);
  return qp;
}

/* A random positive definite H, of diagonals that differ by six decades, and a random g. */
static void draw_cost(struct quadratic_program *qp) {
  const size_t n = qp->n;
  double A[MOST][MOST];
  for (size_t i = 0; i < n; i++) {
    for (size_t k = 0; k < n; k++) {
      A[i][k] = random_normal(&rng) * pow(10.0, (double)(k % 7) - 3.0);
    }
  }
  for (size_t i = 0; i < n; i++) {
    g[i] = random_normal(&rng) * pow(10.0, (double)(i % 7) - 3.0);
    for (size_t k = 0; k < n; k++) {
      H[i * n + k] = i == k ? 0.01 * pow(10.0, 2.0 * (double)(k % 7) - 6.0) : 0.0;
      for (size_t l = 0; l < n; l++) {
        H[i * n + k] += A[l][i] * A[l][k];
      }
    }
  }
}

static void give_cost(struct quadratic_program *qp) {
  memcpy(qp->H, H, qp->n * qp->n * sizeof(double));
  memcpy(qp->g, g, qp->n * sizeof(double));
}

/* The problem of H and g as given. */
static void solve(struct quadratic_program *qp) {
  give_cost(qp);
  ck_assert_int_eq(quadratic_program_solve(qp), STATUS_OK);
}

/* Bounds and rows that a point drawn keeps, so that something is left. */
static void draw_constraints(struct quadratic_program *qp, size_t rows) {
  double inside[MOST];
  qp->rows = rows;
  for (size_t i = 0; i < qp->n; i++) {
    const double size = pow(10.0, 3.0 - (double)(i % 7));
    inside[i] = size * random_normal(&rng);
    qp->low[i] = i % 3 == 0 ? -HUGE_VAL : inside[i] - size * random_uniform(&rng, 0.0, 1.0);
    qp->high[i] = i % 4 == 0 ? HUGE_VAL : inside[i] + size * random_uniform(&rng, 0.0, 1.0);
  }
  for (size_t r = 0; r < rows; r++) {
    qp->least[r] = -random_uniform(&rng, 0.0, 1.0);
    for (size_t i = 0; i < qp->n; i++) {
      qp->row[r * qp->n + i] = random_normal(&rng) * pow(10.0, (double)(i % 7) - 3.0);
      qp->least[r] += qp->row[r * qp->n + i] * inside[i];
    }
  }
}

/* Karush, Kuhn and Tucker: nothing is broken, H x + g is what the active ones push with, and those
 * push inwards. */
static void assert_optimal(const struct quadratic_program *qp) {
  const size_t n = qp->n;
  double rest[MOST], unit[MOST];
  for (size_t i = 0; i < n; i++) {
    unit[i] = 1.0 / sqrt(H[i * n + i]);
    rest[i] = g[i];
    for (size_t k = 0; k < n; k++) {
      rest[i] += H[i * n + k] * qp->x[k];
    }
    ck_assert_double_ge(qp->x[i], qp->low[i] - 1e-9 * unit[i]);
    ck_assert_double_le(qp->x[i], qp->high[i] + 1e-9 * unit[i]);
  }
  for (size_t r = 0; r < qp->rows; r++) {
    double at = -qp->least[r];
    for (size_t i = 0; i < n; i++) {
      at += qp->row[r * n + i] * qp->x[i];
    }
    ck_assert_double_ge(at, -1e-6);
  }
  for (size_t k = 0; k < qp->n_active; k++) {
    const size_t p = qp->active[k];
    const double u = qp->multiplier[k];
    ck_assert_double_ge(u, 0.0);
    for (size_t i = 0; i < n; i++) {
      rest[i] -= p >= 2 * n ? u * qp->row[(p - 2 * n) * n + i] : p % n != i ? 0.0 : p < n ? u : -u;
    }
  }
  for (size_t i = 0; i < n; i++) {
    assert_near(rest[i] * unit[i], 0.0, 1e-7);
  }
}

START_TEST(the_optimality_conditions_hold_for_bounds_and_rows_together) {
  rng = random_from(test_seed());
  for (int times = 0; times < 200; times++) {
    struct quadratic_program qp = program_of(1 + (size_t)(times % MOST), ROWS);
    draw_cost(&qp);
    draw_constraints(&qp, (size_t)(times % (ROWS + 1)));
    solve(&qp);
    assert_optimal(&qp);
    free(qp.H);
  }
}
END_TEST

START_TEST(without_constraints_it_is_a_linear_system) {
  rng = random_from(test_seed());
  struct quadratic_program qp = program_of(17, 0);
  draw_cost(&qp);
  solve(&qp);
  ck_assert_uint_eq(qp.n_active, 0);
  assert_optimal(&qp);
  free(qp.H);
}
END_TEST

START_TEST(the_set_of_the_last_time_saves_the_way_to_the_same_answer) {
  rng = random_from(test_seed());
  struct quadratic_program qp = program_of(MOST, ROWS);
  int cold = 0, warm = 0;
  for (int times = 0; times < 20; times++) {
    double x[MOST];
    draw_cost(&qp);
    draw_constraints(&qp, ROWS);
    qp.n_active = 0;
    solve(&qp);
    for (size_t i = 0; i < qp.n; i++) { /* the next problem is nearly this one */
      g[i] *= 1.0 + 0.01 * random_normal(&rng);
    }
    solve(&qp);
    warm += qp.steps - (int)qp.n_active; /* those of the last time come in anyway */
    assert_optimal(&qp);
    memcpy(x, qp.x, sizeof(x));
    qp.n_active = 0;
    solve(&qp);
    cold += qp.steps - (int)qp.n_active;
    for (size_t i = 0; i < qp.n; i++) {
      assert_near(qp.x[i] * sqrt(H[i * qp.n + i]), x[i] * sqrt(H[i * qp.n + i]), 1e-8);
    }
  }
  ck_assert_int_lt(2 * warm, cold);
  free(qp.H);
}
END_TEST

START_TEST(rows_that_exclude_each_other_are_told_and_the_next_problem_is_solved) {
  rng = random_from(test_seed());
  struct quadratic_program qp = program_of(5, 2);
  draw_cost(&qp);
  give_cost(&qp);
  qp.rows = 2;
  qp.row[0] = 1.0; /* x0 + x1 >= 1 and -x0 - x1 >= 0 */
  qp.row[1] = 1.0;
  qp.row[5] = qp.row[6] = -1.0;
  qp.least[0] = 1.0;
  ck_assert_int_eq(quadratic_program_solve(&qp), STATUS_NOT_CONSISTENT);
  qp.least[1] = -3.0;
  solve(&qp);
  assert_optimal(&qp);
  free(qp.H);
}
END_TEST

START_TEST(an_equal_pair_of_bounds_holds_an_unknown_fast) {
  rng = random_from(test_seed());
  struct quadratic_program qp = program_of(6, 0);
  draw_cost(&qp);
  for (size_t i = 0; i < 6; i++) {
    qp.low[i] = qp.high[i] = (double)i;
  }
  solve(&qp);
  for (size_t i = 0; i < 6; i++) {
    assert_near(qp.x[i], (double)i, 1e-9);
  }
  free(qp.H);
}
END_TEST

START_TEST(what_is_not_positive_definite_is_refused) {
  struct quadratic_program qp = program_of(2, 0);
  const double indefinite[4] = {1.0, 2.0, 2.0, 1.0};
  memcpy(qp.H, indefinite, sizeof(indefinite));
  ck_assert_int_eq(quadratic_program_solve(&qp), STATUS_SINGULAR);
  free(qp.H);
}
END_TEST

SUITE(the_optimality_conditions_hold_for_bounds_and_rows_together,
      without_constraints_it_is_a_linear_system,
      the_set_of_the_last_time_saves_the_way_to_the_same_answer,
      rows_that_exclude_each_other_are_told_and_the_next_problem_is_solved,
      an_equal_pair_of_bounds_holds_an_unknown_fast, what_is_not_positive_definite_is_refused)
