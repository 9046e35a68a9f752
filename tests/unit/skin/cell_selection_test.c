#include "skin/cell_selection.h"

#include "support/cylinder_skin.h"
#include "support/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHOSEN = 7 };

static vec3 place[CELLS];
static double weight[CELLS];
static struct cell_neighbours neighbours[CELLS];
static bool usable[CELLS];
static struct cell_field field;
static struct random rng;

static void make_field(void) {
  rng = random_from(test_seed());
  field = cylinder_skin(place, weight, neighbours, usable);
}

static struct cell_selection *make_selection(const struct cell_selection_settings *settings) {
  struct cell_selection *selection = NULL;
  struct arena count = {0};
  ck_assert_int_eq(cell_selection_init(&selection, settings, CELLS, &count), STATUS_OK);
  static void *block;
  free(block);
  block = aligned_alloc(ARENA_ALIGN, count.used);
  struct arena arena = arena_over(block, count.used);
  ck_assert_int_eq(cell_selection_init(&selection, settings, CELLS, &arena), STATUS_OK);
  return selection;
}

static void random_set(size_t *chosen, size_t m) {
  for (size_t k = 0; k < m; k++) {
    bool again = true;
    while (again) {
      chosen[k] = (size_t)random_uniform(&rng, 0.0, CELLS - 1e-9);
      again = !usable[chosen[k]];
      for (size_t i = 0; i < k; i++) {
        again = again || chosen[i] == chosen[k];
      }
    }
  }
}

/* Independent route to f: the 6x6 information summed cell by cell, its inverse by power and
 * determinant by elimination. */
static double cost_by_elimination(const size_t *chosen, size_t m, double k1, double k2) {
  double A[6][6] = {{0.0}};
  for (size_t k = 0; k < m; k++) {
    const mat3 S = mat3_skew(place[chosen[k]]);
    double H[3][6] = {{0.0}};
    for (int r = 0; r < 3; r++) {
      H[r][r] = 1.0;
      for (int c = 0; c < 3; c++) {
        H[r][3 + c] = -S.m[r][c];
      }
    }
    for (int i = 0; i < 6; i++) {
      for (int j = 0; j < 6; j++) {
        for (int r = 0; r < 3; r++) {
          A[i][j] += weight[chosen[k]] * H[r][i] * H[r][j];
        }
      }
    }
  }
  double L[6][6] = {{0.0}}, det = 1.0; /* Cholesky */
  for (int i = 0; i < 6; i++) {
    for (int j = 0; j <= i; j++) {
      double sum = A[i][j];
      for (int k = 0; k < j; k++) {
        sum -= L[i][k] * L[j][k];
      }
      L[i][j] = i == j ? sqrt(sum) : sum / L[j][j];
    }
    det *= L[i][i] * L[i][i];
  }
  double big = 0.0, small = 0.0, x[6] = {1, 2, 3, 4, 5, 6}, y[6] = {6, 5, 4, 3, 2, 1};
  for (int iteration = 0; iteration < 20000; iteration++) { /* power iterations of A and of A^-1 */
    double ax[6] = {0.0};
    big = small = 0.0;
    for (int i = 0; i < 6; i++) {
      for (int j = 0; j < 6; j++) {
        ax[i] += A[i][j] * x[j];
      }
    }
    for (int i = 0; i < 6; i++) {
      for (int k = 0; k < i; k++) {
        y[i] -= L[i][k] * y[k];
      }
      y[i] /= L[i][i];
    }
    for (int i = 5; i >= 0; i--) {
      for (int k = i + 1; k < 6; k++) {
        y[i] -= L[k][i] * y[k];
      }
      y[i] /= L[i][i];
    }
    for (int i = 0; i < 6; i++) {
      big += ax[i] * ax[i];
      small += y[i] * y[i];
    }
    big = sqrt(big);
    small = sqrt(small);
    for (int i = 0; i < 6; i++) {
      x[i] = ax[i] / big;
      y[i] /= small;
    }
  }
  return k1 * big * small + k2 / sqrt(det);
}

/* @eq Leboutet22 148 */
START_TEST(the_cost_is_that_of_the_whole_information_matrix) {
  make_field();
  struct cell_selection_settings settings = cell_selection_defaults();
  for (int trial = 0; trial < 5; trial++) {
    size_t chosen[CHOSEN];
    random_set(chosen, CHOSEN);
    const double expected =
        cost_by_elimination(chosen, CHOSEN, settings.condition_weight, settings.volume_weight);
    /* 20 000 power iterations leave this much where two eigenvalues are close */
    assert_near(cell_selection_cost(&settings, &field, CHOSEN, chosen) / expected, 1.0, 1e-4);
  }
}
END_TEST

/* @eq Leboutet22 149 */
START_TEST(the_gradient_is_that_of_finite_differences) {
  make_field();
  const struct cell_selection_settings settings = cell_selection_defaults();
  for (int trial = 0; trial < 10; trial++) {
    size_t chosen[CHOSEN];
    vec3 gradient[CHOSEN];
    random_set(chosen, CHOSEN);
    ck_assert_int_eq(cell_selection_gradient(&settings, &field, CHOSEN, chosen, gradient),
                     STATUS_OK);
    for (int k = 0; k < CHOSEN; k++) {
      double *axis[3] = {&place[chosen[k]].x, &place[chosen[k]].y, &place[chosen[k]].z};
      const double analytic[3] = {gradient[k].x, gradient[k].y, gradient[k].z};
      for (int i = 0; i < 3; i++) {
        const double at = *axis[i], h = 1e-6;
        *axis[i] = at + h;
        const double above = cell_selection_cost(&settings, &field, CHOSEN, chosen);
        *axis[i] = at - h;
        const double below = cell_selection_cost(&settings, &field, CHOSEN, chosen);
        *axis[i] = at;
        assert_near((above - below) / (2.0 * h), analytic[i],
                    1e-5 * (vec3_norm(gradient[k]) + 1e-3));
      }
    }
  }
}
END_TEST

/* The best of exchanges from many random starts, each carried on until no single exchange helps. */
static double best_of_many_starts(struct cell_selection *selection, int starts) {
  double best = HUGE_VAL;
  for (int i = 0; i < starts; i++) {
    size_t chosen[CHOSEN];
    struct cell_selection_report report;
    random_set(chosen, CHOSEN);
    ck_assert_int_eq(cell_selection_run(selection, &field, CHOSEN, chosen, &report), STATUS_OK);
    best = fmin(best, report.cost);
  }
  return best;
}

/* @eq Leboutet22 146 150 */
START_TEST(
    seven_of_144_cells_cost_at_most_2_percent_more_than_the_best_of_200_exhaustive_exchanges) {
  make_field();
  struct cell_selection_settings settings = cell_selection_defaults();
  struct cell_selection *selection = make_selection(&settings);
  const double best = best_of_many_starts(selection, 200);
  size_t chosen[CHOSEN];
  struct cell_selection_report report, greedy;
  memset(chosen, 0xff, sizeof(chosen));
  ck_assert_int_eq(cell_selection_run(selection, &field, CHOSEN, chosen, &report), STATUS_OK);
  settings.max_iterations = settings.max_exchanges = 0; /* adds the cell that helps most, no more */
  selection = make_selection(&settings);
  memset(chosen, 0xff, sizeof(chosen));
  ck_assert_int_eq(cell_selection_run(selection, &field, CHOSEN, chosen, &greedy), STATUS_OK);
  printf("cost: best of 200 starts %.6f, ours %.6f (%d iterations, %d exchanges), greedy %.6f\n",
         best, report.cost, report.iterations, report.exchanges, greedy.cost);
  ck_assert_double_le(report.cost, 1.02 * best);
  ck_assert_double_le(report.cost, greedy.cost);
  ck_assert_int_lt(report.iterations, 10);
}
END_TEST

START_TEST(the_projected_gradient_alone_lowers_the_cost_of_random_starts) {
  make_field();
  struct cell_selection_settings settings = cell_selection_defaults();
  settings.max_exchanges = 0;
  struct cell_selection *selection = make_selection(&settings);
  double before = 0.0, after = 0.0;
  for (int i = 0; i < 100; i++) {
    size_t chosen[CHOSEN];
    struct cell_selection_report report;
    random_set(chosen, CHOSEN);
    const double start = cell_selection_cost(&settings, &field, CHOSEN, chosen);
    ck_assert_int_eq(cell_selection_run(selection, &field, CHOSEN, chosen, &report), STATUS_OK);
    ck_assert_double_le(report.cost, start);
    before += start / 100.0;
    after += report.cost / 100.0;
  }
  printf("mean cost: random %.6f, after the projected gradient %.6f\n", before, after);
  ck_assert_double_le(after, 0.8 * before);
}
END_TEST

START_TEST(a_cell_that_drops_out_is_replaced_and_never_chosen_again) {
  make_field();
  const struct cell_selection_settings settings = cell_selection_defaults();
  struct cell_selection *selection = make_selection(&settings);
  size_t chosen[CHOSEN];
  struct cell_selection_report report;
  memset(chosen, 0xff, sizeof(chosen));
  ck_assert_int_eq(cell_selection_run(selection, &field, CHOSEN, chosen, &report), STATUS_OK);
  for (int round = 0; round < 60; round++) {
    usable[chosen[0]] = false;
    ck_assert_int_eq(cell_selection_run(selection, &field, CHOSEN, chosen, &report), STATUS_OK);
    for (int k = 0; k < CHOSEN; k++) {
      ck_assert(usable[chosen[k]]);
      for (int i = 0; i < k; i++) {
        ck_assert_uint_ne(chosen[i], chosen[k]);
      }
    }
  }
}
END_TEST

START_TEST(too_few_usable_cells_are_refused_and_cells_on_a_line_are_singular) {
  make_field();
  const struct cell_selection_settings settings = cell_selection_defaults();
  struct cell_selection *selection = make_selection(&settings);
  size_t chosen[CHOSEN];
  struct cell_selection_report report;
  memset(usable, 0, sizeof(usable));
  memset(chosen, 0xff, sizeof(chosen));
  for (int k = 0; k < CHOSEN - 1; k++) {
    usable[k] = true;
  }
  ck_assert_int_eq(cell_selection_run(selection, &field, CHOSEN, chosen, &report), STATUS_TOO_FEW);
  for (int c = 0; c < CELLS; c++) {
    usable[c] = c < 20;
    place[c] = (vec3){0.01 * c, 0.02 * c, 0.1};
  }
  memset(chosen, 0xff, sizeof(chosen));
  ck_assert_int_eq(cell_selection_run(selection, &field, CHOSEN, chosen, &report), STATUS_SINGULAR);
}
END_TEST

SUITE(the_cost_is_that_of_the_whole_information_matrix, the_gradient_is_that_of_finite_differences,
      seven_of_144_cells_cost_at_most_2_percent_more_than_the_best_of_200_exhaustive_exchanges,
      the_projected_gradient_alone_lowers_the_cost_of_random_starts,
      a_cell_that_drops_out_is_replaced_and_never_chosen_again,
      too_few_usable_cells_are_refused_and_cells_on_a_line_are_singular)
