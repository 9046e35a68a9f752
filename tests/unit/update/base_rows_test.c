#include "update/base_rows.h"

#include "body/frames.h"
#include "body/jacobian.h"
#include "numerics/matrix_products.h"
#include "process/base_process.h"
#include "process/joint_covariance.h"
#include "support/standing_model.h"
#include "update/foot_landing.h"

#include <math.h>
#include <string.h>

/* Rows about the base, and the rows of F by the base's motion, against differences of what they
 * linearise; the update against the textbook's dense one. */

enum { STATES = STANDING_STATES };
static const double STEP = 1e-6;

/* The rows of each kind at x. */
static void imu_rows_at(struct standing_model *f, const double *x) {
  const struct base_reading zero = {VEC3_ZERO, VEC3_ZERO, 0.5, 2.0};
  base_rows_imu(&f->rows, &f->imu, &zero, x);
}

static void foot_rows_at(struct standing_model *f, const double *x) {
  ck_assert(standing_model_update(f, x));
  base_rows_foot(&f->rows, &f->kin, &f->foot, 1, VEC3_ZERO, (vec3){0.01, 0.01, 0.02}, f->J, x);
}

static void sole_rows_at(struct standing_model *f, const double *x) {
  ck_assert(standing_model_update(f, x));
  ck_assert_int_eq(jacobian(&f->kin, f->foot.link, &f->foot.placement, JACOBIAN_IN_BASE, f->J),
                   STATUS_OK);
  base_rows_sole(&f->rows, &f->kin, &f->foot, 1, (vec3){0.02, 0.03, 0.01}, f->J, x);
  base_rows_level(&f->rows, 1, 0.02, x);
}

/* Soles turned nearly as the estimate has them: rows are linear about that. */
static void settle_sole(struct standing_model *f) {
  static double P[STATES * STATES];
  ck_assert(standing_model_update(f, f->x));
  foot_lands(&f->rows, &f->kin, &f->foot, 1, f->J, f->x, P);
}

static void other_rows_at(struct standing_model *f, const double *x) {
  base_rows_height(&f->rows, 0, 0.3, 0.1, x);
  base_rows_stay(&f->rows, 0.2, x);
  base_rows_still(&f->rows, 0.2, x);
}

typedef void rows_at(struct standing_model *f, const double *x);

/* h is minus the derivative of the innovation, state by state. */
static void check_derivatives(struct standing_model *f, rows_at *at) {
  double H[16][STATES] = {{0.0}}, low[16];
  row_update_begin(&f->rows);
  at(f, f->x);
  const size_t rows = f->rows.rows;
  ck_assert_uint_gt(rows, 0);
  for (size_t r = 0; r < rows; r++) {
    for (size_t t = 0; t < f->rows.terms[r]; t++) {
      const size_t k = r * f->rows.terms_max + t;
      H[r][f->rows.state[k]] += f->rows.h[k];
    }
  }
  for (size_t i = 0; i < f->layout.size; i++) {
    double x[STATES + 12];
    for (int side = -1; side <= 1; side += 2) {
      memcpy(x, f->x, sizeof(x));
      x[i] += side * STEP;
      base_process_fold(&f->layout, x);
      row_update_begin(&f->rows);
      at(f, x);
      for (size_t r = 0; r < rows; r++) {
        if (side < 0) {
          low[r] = f->rows.nu[r];
        } else {
          const double difference = -(f->rows.nu[r] - low[r]) / (2.0 * STEP);
          ck_assert_msg(fabs(difference - H[r][i]) < 1e-5 * (1.0 + fabs(difference)),
                        "row %zu state %zu: %g by differences, %g", r, i, difference, H[r][i]);
        }
      }
    }
  }
}

/* @eq Leboutet22 143 */
START_TEST(rows_are_the_derivatives_of_what_they_measure) {
  for (int biased = 0; biased < 2; biased++) {
    struct standing_model f;
    standing_model_draw(&f, biased);
    check_derivatives(&f, imu_rows_at);
    check_derivatives(&f, foot_rows_at);
    check_derivatives(&f, other_rows_at);
    settle_sole(&f);
    check_derivatives(&f, sole_rows_at);
  }
}
END_TEST

START_TEST(what_stays_has_no_velocity_and_what_rests_no_rate) {
  struct standing_model f;
  standing_model_draw(&f, 0);
  row_update_begin(&f.rows);
  base_rows_stay(&f.rows, 0.5, f.x);
  base_rows_still(&f.rows, 0.25, f.x);
  ck_assert_uint_eq(f.rows.rows, 6);
  for (size_t i = 0; i < 3; i++) {
    ck_assert_double_eq(f.rows.nu[i], -2.0 * f.x[f.layout.velocity + i]);
    ck_assert_double_eq(f.rows.nu[3 + i], -4.0 * f.x[f.layout.omega + i]);
  }
}
END_TEST

START_TEST(an_orientation_turns_the_base_towards_it) {
  struct standing_model f;
  standing_model_draw(&f, true);
  const vec3 phi = {0.02, -0.03, 0.01};
  const quat wanted =
      quat_mul(base_process_rotation(&f.layout, f.x), quat_from_rotation_vector(phi));
  row_update_begin(&f.rows);
  base_rows_orientation(&f.rows, wanted, 0.1, f.x);
  ck_assert_uint_eq(f.rows.rows, 3);
  assert_near(f.rows.nu[0], phi.x / 0.1, 1e-9);
  assert_near(f.rows.nu[1], phi.y / 0.1, 1e-9);
  assert_near(f.rows.nu[2], phi.z / 0.1, 1e-9);
}
END_TEST

START_TEST(an_axis_that_gives_no_number_leaves_its_row_out) {
  struct standing_model f;
  standing_model_draw(&f, true);
  row_update_begin(&f.rows);
  const struct base_reading reading = {{NAN, 0.0, 0.0}, {0.0, NAN, NAN}, 0.5, 2.0};
  ck_assert_uint_eq(base_rows_imu(&f.rows, &f.imu, &reading, f.x), 2);
  ck_assert_uint_eq(f.rows.rows, 3);
}
END_TEST

/* Small errors before the step and after it, by differences of the mean. */
START_TEST(the_transition_is_the_derivative_of_the_motion) {
  const double dt = 2e-3;
  for (int biased = 0; biased < 2; biased++) {
    struct standing_model f;
    standing_model_draw(&f, biased);
    const struct joint_layout *l = &f.layout;
    const double bias_time = 1e12;
    const struct joint_densities none = {.bias_time = bias_time};
    double F[BASE_MOVING * STATES], after[STATES + 12];
    base_process_transition(l, dt, f.x, F);
    memcpy(after, f.x, sizeof(after));
    joint_process_mean(l, dt, &none, after);
    const quat q = base_process_rotation(l, after), back = {-q.x, -q.y, -q.z, q.w};
    for (size_t i = 0; i < l->size; i++) {
      double x[STATES + 12], moved[BASE_MOVING];
      memcpy(x, f.x, sizeof(x));
      x[i] += STEP;
      base_process_fold(l, x);
      joint_process_mean(l, dt, &none, x);
      vec3_to(quat_to_rotation_vector(quat_mul(back, base_process_rotation(l, x))), moved);
      for (size_t k = 0; k < 6; k++) {
        moved[3 + k] = x[l->velocity + k] - after[l->velocity + k];
      }
      for (size_t k = 0; k < BASE_MOVING; k++) {
        /* first order in dt: what is left out is dt^2 and smaller */
        assert_near(moved[k] / STEP, F[k * l->size + i], 2e-4);
      }
    }
  }
}
END_TEST

/* Nobody may read below the diagonal. */
static void poison_lower(const struct joint_layout *l, double *P) {
  for (size_t i = 0; i < l->size; i++) {
    for (size_t j = 0; j < i; j++) {
      P[i * l->stride + j] = (double)NAN;
    }
  }
}

static void random_covariance(struct standing_model *f, double *P) {
  const size_t size = f->layout.size, stride = f->layout.stride;
  double A[STATES][STATES];
  for (size_t i = 0; i < size; i++) {
    for (size_t k = 0; k < size; k++) {
      A[i][k] = (i == k) + 0.1 * random_normal(&f->rng);
    }
  }
  memset(P, 0, STATES * STATES * sizeof(double));
  for (size_t i = 0; i < size; i++) {
    for (size_t j = 0; j < size; j++) {
      for (size_t k = 0; k < size; k++) {
        P[i * stride + j] += A[i][k] * A[j][k];
      }
    }
  }
}

/* The whole F P F^T, F by differences of the chains and base_process_transition of the base. */
START_TEST(the_covariance_is_that_of_the_dense_product) {
  static double P[STATES * STATES] __attribute__((aligned(64))),
      next[STATES * STATES] __attribute__((aligned(64))), F[STATES][STATES], FP[STATES][STATES];
  static const double zero[STANDING_JOINTS];
  const double dt = 3e-3;
  struct standing_model f;
  standing_model_draw(&f, true);
  const struct joint_layout *l = &f.layout;
  const struct joint_densities none = {.joint = zero, .bias = zero, .bias_time = 0.5};
  random_covariance(&f, P);
  for (size_t i = 0; i < l->size; i++) { /* columns of the chains' F: they are linear */
    double e[STATES + 12] = {0.0};
    e[i] = i < l->attitude ? 1.0 : 0.0;
    base_process_set_rotation(l, QUAT_IDENTITY, e);
    joint_process_mean(l, dt, &none, e);
    for (size_t k = 0; k < l->size; k++) {
      F[k][i] = k < l->attitude ? e[k] : k == i;
    }
  }
  base_process_transition(l, dt, f.x, FP[0]);
  for (size_t k = 0; k < BASE_MOVING; k++) {
    memcpy(F[l->attitude + k], FP[0] + k * l->size, l->size * sizeof(double));
  }
  for (size_t i = 0; i < l->size; i++) {
    for (size_t j = 0; j < l->size; j++) {
      FP[i][j] = 0.0;
      for (size_t k = 0; k < l->size; k++) {
        FP[i][j] += F[i][k] * P[k * l->stride + j];
      }
    }
  }
  poison_lower(l, P);
  joint_covariance_predict(l, dt, &none, f.x, P, next);
  matrix_mirror(next, l->stride, l->size);
  for (size_t i = 0; i < l->size; i++) {
    for (size_t j = 0; j < l->size; j++) {
      double sum = 0.0;
      for (size_t k = 0; k < l->size; k++) {
        sum += FP[i][k] * F[j][k];
      }
      ck_assert_msg(fabs(next[i * l->stride + j] - sum) < 1e-9, "%zu %zu: %g, %g", i, j,
                    next[i * l->stride + j], sum);
    }
  }
}
END_TEST

/* Against K = P H^T S^-1 with a dense solve, weakened rows included. */
START_TEST(the_update_is_the_textbooks) {
  static double P[STATES * STATES] __attribute__((aligned(64))), H[16][STATES];
  struct standing_model f;
  standing_model_draw(&f, true);
  const struct joint_layout *l = &f.layout;
  random_covariance(&f, P);
  row_update_begin(&f.rows);
  imu_rows_at(&f, f.x);
  foot_rows_at(&f, f.x);
  const size_t rows = f.rows.rows;
  memset(H, 0, sizeof(H));
  for (size_t r = 0; r < rows; r++) {
    for (size_t t = 0; t < f.rows.terms[r]; t++) {
      H[r][f.rows.state[r * f.rows.terms_max + t]] += f.rows.h[r * f.rows.terms_max + t];
    }
  }
  /* one row after the other, as a reference: independent noise */
  static double Q[STATES][STATES];
  double x[STATES];
  for (size_t i = 0; i < l->size; i++) {
    x[i] = 0.0;
    for (size_t j = 0; j < l->size; j++) {
      Q[i][j] = P[i * l->stride + j];
    }
  }
  for (size_t r = 0; r < rows; r++) {
    double Qh[STATES] = {0.0}, S = r < 3 ? 1.0 / 0.25 : 1.0, nu = f.rows.nu[r];
    for (size_t i = 0; i < l->size; i++) {
      for (size_t j = 0; j < l->size; j++) {
        Qh[i] += Q[i][j] * H[r][j];
      }
    }
    for (size_t i = 0; i < l->size; i++) {
      S += H[r][i] * Qh[i];
      nu -= H[r][i] * x[i];
    }
    for (size_t i = 0; i < l->size; i++) {
      x[i] += Qh[i] / S * nu;
      for (size_t j = 0; j < l->size; j++) {
        Q[i][j] -= Qh[i] * Qh[j] / S;
      }
    }
  }
  double moved[STATES + 12];
  memcpy(moved, f.x, sizeof(moved));
  poison_lower(l, P);
  row_update_expect(&f.rows, P);
  row_update_weaken(&f.rows, 0, 3, 0.25);
  ck_assert_int_eq(row_update_apply(&f.rows, moved, P), STATUS_OK);
  matrix_mirror(P, l->stride, l->size);
  for (size_t i = 0; i < l->size; i++) {
    assert_near(moved[i] - f.x[i], x[i], 1e-8);
    for (size_t j = 0; j < l->size; j++) {
      assert_near(P[i * l->stride + j], Q[i][j], 1e-9);
    }
  }
}
END_TEST

SUITE(rows_are_the_derivatives_of_what_they_measure,
      what_stays_has_no_velocity_and_what_rests_no_rate, an_orientation_turns_the_base_towards_it,
      an_axis_that_gives_no_number_leaves_its_row_out,
      the_transition_is_the_derivative_of_the_motion, the_covariance_is_that_of_the_dense_product,
      the_update_is_the_textbooks)
