#include "update/row_update.h"

#include "support/random_model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A measurement of few rows against one row after the other on the whole matrix, for numbers of
 * rows and terms that fill vector registers and that do not. */

enum { JOINTS = 17, ROWS_MOST = 45, STATES = 128 };

struct fixture {
  struct joint_layout layout;
  struct row_update rows;
  double P[STATES * STATES] __attribute__((aligned(64))); /* [size][stride], upper triangle */
  double Q[STATES][STATES];                               /* the same, whole */
  double H[ROWS_MOST][STATES];
  double x[STATES + 16];
  struct random rng;
};

static void draw_covariance(struct fixture *f) {
  const struct joint_layout *l = &f->layout;
  double A[STATES][6];
  for (size_t i = 0; i < l->size; i++) {
    for (size_t k = 0; k < 6; k++) {
      A[i][k] = random_normal(&f->rng);
    }
  }
  for (size_t i = 0; i < l->size; i++) {
    for (size_t j = 0; j < l->size; j++) {
      double sum = i == j;
      for (size_t k = 0; k < 6; k++) {
        sum += A[i][k] * A[j][k];
      }
      f->Q[i][j] = sum;
      f->P[i * l->stride + j] = i <= j ? sum : (double)NAN;
    }
  }
}

static void draw_rows(struct fixture *f, size_t rows, size_t taken) {
  memset(f->H, 0, sizeof(f->H));
  row_update_begin(&f->rows);
  for (size_t r = 0; r < rows; r++) {
    if (r == taken) {
      row_update_wait(&f->rows);
    }
    const size_t terms = r % 7; /* none, too: a row of noise alone */
    row_update_row(&f->rows, random_normal(&f->rng));
    for (size_t t = 0; t < terms; t++) {
      const size_t state = (r * 11 + t * t * 5 + (t & 1) * 40) % f->layout.size;
      const double h = random_normal(&f->rng);
      row_update_term(&f->rows, state, h);
      f->H[r][state] += h;
    }
  }
}

/* One row after the other: x moved, Q the posterior of the first `taken`. */
static void take_rows(struct fixture *f, size_t rows, size_t taken, double *x) {
  static double posterior[STATES][STATES];
  const size_t size = f->layout.size;
  for (size_t r = 0; r < rows; r++) {
    if (r == taken) {
      memcpy(posterior, f->Q, sizeof(posterior));
    }
    double Qh[STATES] = {0.0}, S = r == 2 ? 4.0 : 1.0, nu = f->rows.nu[r];
    for (size_t i = 0; i < size; i++) {
      for (size_t j = 0; j < size; j++) {
        Qh[i] += f->Q[i][j] * f->H[r][j];
      }
    }
    for (size_t i = 0; i < size; i++) {
      S += f->H[r][i] * Qh[i];
      nu -= f->H[r][i] * x[i];
    }
    for (size_t i = 0; i < size; i++) {
      x[i] += Qh[i] / S * nu;
      for (size_t j = 0; j < size; j++) {
        f->Q[i][j] -= Qh[i] * Qh[j] / S;
      }
    }
  }
  if (taken < rows) {
    memcpy(f->Q, posterior, sizeof(posterior));
  }
}

/* fmax passes over what is no number. */
static double larger(double a, double b) {
  return isnan(a) || a > b ? a : b;
}

/* Rows from `taken` on wait. */
static void check_rows(struct fixture *f, size_t rows, size_t taken) {
  double x[STATES] = {0.0}, far = 0.0;
  draw_covariance(f);
  draw_rows(f, rows, taken);
  take_rows(f, rows, taken, x);
  row_update_expect(&f->rows, f->P);
  if (rows > 2) {
    row_update_weaken(&f->rows, 2, 1, 0.25);
  }
  memset(f->x, 0, sizeof(f->x));
  ck_assert_int_eq(row_update_apply(&f->rows, f->x, f->P), STATUS_OK);
  ck_assert_int_eq(row_update_apply_waiting(&f->rows, f->x, f->P), STATUS_OK);
  for (size_t i = 0; i < f->layout.size; i++) {
    far = larger(far, fabs(f->x[i] - x[i]));
    for (size_t j = i; j < f->layout.size; j++) {
      far = larger(far, fabs(f->P[i * f->layout.stride + j] - f->Q[i][j]));
    }
  }
  ck_assert_msg(far < 1e-9, "%zu rows, %zu taken: %g", rows, taken, far);
}

static void begin(struct fixture *f) {
  f->rng = random_from(test_seed());
  f->layout = joint_layout_of(JOINTS, false, true, 1);
  ck_assert_uint_le(f->layout.size, STATES);
  struct arena arena = {0};
  for (int pass = 0; pass < 2; pass++) {
    arena = pass == 0 ? arena : test_arena(arena.used);
    ck_assert_int_eq(row_update_init(&f->rows, &f->layout, ROWS_MOST, &arena), STATUS_OK);
  }
}

/* @eq Leboutet22 143 */
START_TEST(many_numbers_of_rows_lead_to_what_one_row_after_the_other_does) {
  static struct fixture f;
  begin(&f);
  for (size_t rows = 1; rows <= ROWS_MOST; rows += 4) {
    check_rows(&f, rows, rows);
  }
}
END_TEST

START_TEST(rows_that_wait_move_the_estimate_and_not_the_covariance) {
  static struct fixture f;
  begin(&f);
  for (size_t rows = 1; rows <= ROWS_MOST; rows += 4) {
    check_rows(&f, rows, rows / 2);
    check_rows(&f, rows, 0);
  }
}
END_TEST

SUITE(many_numbers_of_rows_lead_to_what_one_row_after_the_other_does,
      rows_that_wait_move_the_estimate_and_not_the_covariance)
