#include "joints/base_rows.h"
#include "joints/joint_points.h"

#include "numerics/dense_matrix.h"
#include "reference/dense_ukf.h"
#include "support/random_model.h"
#include "support/suite.h"

#include <math.h>
#include <string.h>

/* Rows about the base against the textbook's sums over sigma points, drawn from a state in which
 * omega, omegadot and f stand first. */

enum { SIZE_MAX_ = 80, POINTS = 2 * BASE_STATES + 1 };

struct fixture {
  struct random rng;
  struct joint_layout layout;
  struct link_rows block;
  double gamma;
  double x[SIZE_MAX_], P[SIZE_MAX_ * SIZE_MAX_] __attribute__((aligned(64)));
  size_t state[BASE_STATES];
};

/* wide: deviations of omega in rad/s, of the others ten times that. */
static void draw(struct fixture *f, size_t n_joints, double wide) {
  f->rng = random_from(test_seed() + n_joints);
  f->layout = joint_layout_of(n_joints, false, true);
  const struct joint_layout *l = &f->layout;
  f->gamma = UKF_ALPHA * sqrt((double)l->size + UKF_KAPPA);
  double A[SIZE_MAX_][SIZE_MAX_];
  for (size_t i = 0; i < l->size; i++) {
    const double sd = wide * (i < l->nonlinear ? 1.0 : 10.0);
    f->x[i] = random_normal(&f->rng);
    for (size_t k = 0; k < l->size; k++) {
      A[i][k] = sd * (i == k ? 1.0 : 0.3 * random_normal(&f->rng) / sqrt((double)l->size));
    }
  }
  for (size_t i = 0; i < l->size; i++) {
    for (size_t j = 0; j < l->size; j++) {
      f->P[i * l->stride + j] = matrix_dot(A[i], A[j], l->size);
    }
  }
  for (size_t k = 0; k < 3; k++) {
    f->state[k] = l->omega + k;
    f->state[3 + k] = l->omegadot + k;
    f->state[6 + k] = l->force + k;
  }
  const struct pose imu = {random_rotation(&f->rng), {0.1, -0.2, 0.3}};
  f->block = imu_rows(0, &imu, VEC3_ZERO, 5e-3, VEC3_ZERO, 0.05);
  for (unsigned i = 0; i < f->block.rank; i++) {
    f->block.z[i] = 10.0 * random_normal(&f->rng);
  }
}

/* Whitened rows for omega, omegadot and f. */
static void observe(const struct link_rows *block, const double s[BASE_STATES], double *y) {
  double part[PART_SIZE];
  memcpy(part + PART_OMEGADOT, s + 3, 3 * sizeof(double));
  memcpy(part + PART_VDOT, s + 6, 3 * sizeof(double));
  memcpy(part + PART_OMEGA, s, 3 * sizeof(double));
  omega_products(vec3_from(s), part + PART_PRODUCTS);
  for (unsigned i = 0; i < block->rank; i++) {
    y[i] = 0.0;
    for (size_t k = 0; k < PART_SIZE; k++) {
      y[i] += block->W[i][k] * part[k];
    }
  }
}

struct sums {
  double mean[ROWS_MAX], Pyy[ROWS_MAX][ROWS_MAX], Pys[ROWS_MAX][BASE_STATES];
};

/* @eq Leboutet22 C.4: points, weights and sums as printed; columns of L that leave these states
 * alone give the centre's own image. */
static struct sums textbook(const struct fixture *f) {
  const struct joint_layout *l = &f->layout;
  double R[BASE_STATES * 2 * MATRIX_LANES] __attribute__((aligned(64)));
  const size_t stride = 2 * MATRIX_LANES;
  double point[POINTS][BASE_STATES], y[POINTS][ROWS_MAX];
  for (size_t i = 0; i < BASE_STATES; i++) {
    for (size_t j = 0; j < BASE_STATES; j++) {
      R[i * stride + j] = f->P[f->state[i] * l->stride + f->state[j]];
    }
  }
  ck_assert(matrix_cholesky(R, stride, BASE_STATES, 0.0));
  for (size_t p = 0; p < POINTS; p++) {
    for (size_t i = 0; i < BASE_STATES; i++) {
      const double step = p == 0 ? 0.0 : f->gamma * R[(p - 1) / 2 * stride + i];
      point[p][i] = f->x[f->state[i]] + (p % 2 == 1 ? step : -step);
    }
    observe(&f->block, point[p], y[p]);
  }
  const double square = f->gamma * f->gamma, each = 0.5 / square;
  const double centre = 1.0 - 2.0 * BASE_STATES * each; /* the other points coincide with it */
  struct sums sums = {0};
  for (size_t p = 0; p < POINTS; p++) {
    for (unsigned i = 0; i < f->block.rank; i++) {
      sums.mean[i] += (p == 0 ? centre : each) * y[p][i];
    }
  }
  for (size_t p = 0; p < POINTS; p++) {
    const double weight = p == 0 ? centre + 1.0 - UKF_ALPHA * UKF_ALPHA + UKF_BETA : each;
    for (unsigned i = 0; i < f->block.rank; i++) {
      for (unsigned j = 0; j < f->block.rank; j++) {
        sums.Pyy[i][j] += weight * (y[p][i] - sums.mean[i]) * (y[p][j] - sums.mean[j]);
      }
      for (size_t s = 0; s < BASE_STATES; s++) {
        sums.Pys[i][s] += weight * (y[p][i] - sums.mean[i]) * (point[p][s] - point[0][s]);
      }
    }
  }
  return sums;
}

/* @eq Leboutet22 143 */
START_TEST(rows_about_the_base_are_the_textbooks_sums_without_its_points) {
  const double wides[] = {1e-3, 0.1, 3.0}; /* rad/s: from a filter at work to absurd */
  for (size_t w = 0; w < 3; w++) {
    struct fixture f = {0};
    struct base_rows rows;
    double seen[BASE_STATES * SIZE_MAX_] __attribute__((aligned(64)));
    double Pyx[ROWS_MAX * SIZE_MAX_] __attribute__((aligned(64))) = {0};
    draw(&f, 5, wides[w]);
    const struct sums expected = textbook(&f);
    ck_assert_int_eq(base_rows_step(&rows, &f.layout, f.gamma, &f.block, f.x, f.P, seen),
                     STATUS_OK);
    base_rows_covariance(&rows, &f.layout, seen, Pyx);
    ck_assert_uint_eq(rows.rank, 6);
    for (unsigned i = 0; i < rows.rank; i++) {
      const double variance = expected.Pyy[i][i] + 1.0;
      assert_near(rows.nu[i], f.block.z[i] - expected.mean[i], 1e-7 * sqrt(variance));
      for (unsigned j = 0; j < rows.rank; j++) {
        const double scale = sqrt(variance * (expected.Pyy[j][j] + 1.0));
        assert_near(rows.Pyy[i][j], expected.Pyy[i][j] + (i == j ? 1.0 : 0.0), 1e-6 * scale);
      }
      for (size_t s = 0; s < BASE_STATES; s++) {
        const double sd = sqrt(f.P[f.state[s] * (f.layout.stride + 1)]);
        assert_near(Pyx[i * f.layout.stride + f.state[s]], expected.Pys[i][s],
                    1e-6 * sd * sqrt(variance));
      }
    }
  }
}
END_TEST

/* What is correlated with the base is corrected with it: rows of Pyx are linear in those of P. */
START_TEST(states_that_the_rows_do_not_see_are_reached_through_their_covariance) {
  struct fixture f = {0};
  struct base_rows rows;
  double seen[BASE_STATES * SIZE_MAX_] __attribute__((aligned(64)));
  double Pyx[ROWS_MAX * SIZE_MAX_] __attribute__((aligned(64))) = {0};
  draw(&f, 7, 0.1);
  ck_assert_int_eq(base_rows_step(&rows, &f.layout, f.gamma, &f.block, f.x, f.P, seen), STATUS_OK);
  base_rows_covariance(&rows, &f.layout, seen, Pyx);
  for (unsigned i = 0; i < rows.rank; i++) {
    for (size_t j = 0; j < f.layout.size; j++) {
      double expected = 0.0;
      for (size_t s = 0; s < BASE_STATES; s++) {
        expected += rows.H[i][s] * f.P[f.state[s] * f.layout.stride + j];
      }
      assert_near(Pyx[i * f.layout.stride + j], expected, 1e-12 * (1.0 + fabs(expected)));
    }
  }
}
END_TEST

START_TEST(an_angular_velocity_without_a_covariance_is_refused) {
  struct fixture f = {0};
  struct base_rows rows;
  double seen[BASE_STATES * SIZE_MAX_] __attribute__((aligned(64)));
  draw(&f, 4, 0.1);
  f.P[(f.layout.omega + 1) * (f.layout.stride + 1)] = -1e-3;
  ck_assert_int_eq(base_rows_step(&rows, &f.layout, f.gamma, &f.block, f.x, f.P, seen),
                   STATUS_SINGULAR);
}
END_TEST

SUITE(rows_about_the_base_are_the_textbooks_sums_without_its_points,
      states_that_the_rows_do_not_see_are_reached_through_their_covariance,
      an_angular_velocity_without_a_covariance_is_refused)
