#include "update/joint_jump.h"

#include "numerics/matrix_cholesky.h"
#include "support/joint_update_fixture.h"

struct jump_fixture {
  struct fixture f;
  struct joint_jump jump;
  double *x0, *P0; /* the prior */
};

static void prepare_jump(struct jump_fixture *j, bool fixed) {
  j->f = fixture(7, false, fixed, 6, 1.0);
  j->f.fast.layout = j->f.fast.points.layout = &j->f.layout;
  struct arena count = {0};
  ck_assert_int_eq(joint_jump_init(&j->jump, &j->f.layout, &count), STATUS_OK);
  struct arena arena = arena_of(count.used);
  ck_assert_int_eq(joint_jump_init(&j->jump, &j->f.layout, &arena), STATUS_OK);
  for (size_t i = 0; i < j->jump.count; i++) {
    j->jump.allowed[i] = true;
  }
  const size_t bytes = j->f.layout.size * j->f.layout.stride * sizeof(double);
  j->x0 = malloc(bytes);
  j->P0 = malloc(bytes);
  memcpy(j->x0, j->f.x, j->f.layout.size * sizeof(double));
  memcpy(j->P0, j->f.P, bytes);
}

/* A reading in which the state `i` stands `step` away from the prior. */
static void read_with_step(struct jump_fixture *j, size_t i, double step) {
  double z[300];
  const struct joint_layout *l = &j->f.layout;
  memcpy(j->f.x, j->x0, l->size * sizeof(double));
  memset(j->f.P, 0, l->size * l->stride * sizeof(double)); /* the prior is right otherwise */
  j->f.x[i] += step;
  take_reading(&j->f, z);
}

static void update_from_prior(struct jump_fixture *j) {
  const struct joint_layout *l = &j->f.layout;
  const struct joint_measurement z = {.q = j->f.q,
                                      .q_used = j->f.q_used,
                                      .q_sd = j->f.q_sd,
                                      .n_blocks = j->f.n_blocks,
                                      .block = j->f.block};
  memcpy(j->f.x, j->x0, l->size * sizeof(double));
  memcpy(j->f.P, j->P0, l->size * l->stride * sizeof(double));
  ck_assert_int_eq(joint_update_step(&j->f.fast, &z, j->f.x, j->f.P), STATUS_OK);
}

START_TEST(a_step_of_any_acceleration_is_found_where_it_happened) {
  for (int fixed = 0; fixed < 2; fixed++) {
    struct jump_fixture j;
    prepare_jump(&j, fixed);
    for (size_t i = 0; i < j.jump.count; i++) {
      read_with_step(&j, j.f.layout.nonlinear + i, 40.0);
      update_from_prior(&j);
      ck_assert_uint_ge(joint_jump_step(&j.jump, &j.f.fast, 16.0, 10.0, j.f.x, j.f.P), 1);
      ck_assert_uint_eq(j.jump.order[0], j.jump.count - 1 - i);
    }
  }
}
END_TEST

/* The correction is that of an update whose prior was wider along the jump. */
START_TEST(following_jumps_equals_an_update_from_the_inflated_prior) {
  struct jump_fixture j;
  prepare_jump(&j, false);
  const struct joint_layout *l = &j.f.layout;
  j.x0[l->ddq + 1] -= 30.0; /* two at once: one of a joint, one of the base */
  j.x0[l->omegadot + 2] += 25.0;
  double z[300];
  take_reading(&j.f, z);
  update_from_prior(&j);
  const size_t found = joint_jump_step(&j.jump, &j.f.fast, 16.0, 10.0, j.f.x, j.f.P);
  ck_assert_uint_eq(found, 2);
  double *x = malloc(l->size * sizeof(double)),
         *P = aligned_alloc(64, l->size * l->stride * sizeof(double));
  memcpy(x, j.f.x, l->size * sizeof(double));
  memcpy(P, j.f.P, l->size * l->stride * sizeof(double));
  for (size_t k = 0; k < found; k++) {
    const size_t c = j.jump.order[k], state = l->observed - 1 - c;
    const double v = j.jump.turned[c * j.jump.stride + c], w = j.jump.weight[k];
    j.P0[state * l->stride + state] += w / (1.0 - w * v); /* p from p/(1 + p v) */
  }
  update_from_prior(&j);
  for (size_t i = 0; i < l->size; i++) {
    const double sd = sqrt(j.f.P[i * l->stride + i]);
    assert_near(x[i], j.f.x[i], 2e-2 * sd); /* points of a wider prior differ a little */
    assert_near(sqrt(P[i * l->stride + i]), sd, 1e-3 * sd);
  }
}
END_TEST

START_TEST(without_a_jump_the_statistic_is_chi_square_and_nothing_is_followed) {
  struct jump_fixture j;
  prepare_jump(&j, false);
  double sum = 0.0, z[300];
  size_t count = 0, found = 0;
  const struct joint_layout *l = &j.f.layout;
  double *A = aligned_alloc(64, l->size * l->stride * sizeof(double)),
         *mean = malloc(l->size * sizeof(double));
  memcpy(A, j.P0, l->size * l->stride * sizeof(double));
  ck_assert(matrix_cholesky(A, l->stride, l->size, 0.0));
  memcpy(mean, j.x0, l->size * sizeof(double));
  for (int trial = 0; trial < 300; trial++) {
    /* a truth drawn from the prior, all correlations included */
    memset(j.f.P, 0, l->size * l->stride * sizeof(double));
    memcpy(j.f.x, mean, l->size * sizeof(double));
    for (size_t k = 0; k < l->size; k++) {
      const double e = random_normal(&j.f.rng);
      for (size_t i = k; i < l->size; i++) {
        j.f.x[i] += e * A[k * l->stride + i];
      }
    }
    take_reading(&j.f, z);
    update_from_prior(&j);
    found += joint_jump_step(&j.jump, &j.f.fast, 16.0, 10.0, j.f.x, j.f.P);
    for (size_t i = 0; i < j.jump.count; i++, count++) {
      sum += j.jump.statistic[i];
    }
  }
  assert_near(sum / (double)count, 1.0, 0.15);
  ck_assert_uint_le(found, 3); /* 300 x 13 chances of 6e-5 */
}
END_TEST

/* With H what the rows see, H^T Pyy^-1 nu = P^-1 (x' - x) and H^T Pyy^-1 H = P^-1 (P - P') P^-1. */
START_TEST(the_statistic_is_what_the_update_has_learned_of_the_acceleration) {
  for (int fixed = 0; fixed < 2; fixed++) {
    struct jump_fixture j;
    prepare_jump(&j, fixed);
    const struct joint_layout *l = &j.f.layout;
    const size_t n = l->observed, s = l->stride;
    read_with_step(&j, l->ddq + 2, 5.0);
    update_from_prior(&j);
    double *R = aligned_alloc(64, l->size * s * sizeof(double)), *y = malloc(n * sizeof(double));
    memcpy(R, j.P0, l->size * s * sizeof(double));
    ck_assert(matrix_cholesky(R, s, n, 0.0));
    ck_assert_uint_eq(joint_jump_step(&j.jump, &j.f.fast, 1e12, 10.0, j.f.x, j.f.P), 0);
    for (size_t c = 0; c < j.jump.count; c++) {
      double u = 0.0, v = 0.0;
      memset(y, 0, n * sizeof(double));
      y[l->nonlinear + c] = 1.0;
      matrix_solve_transposed(R, s, n, y);
      matrix_solve_upper(R, s, n, y);
      for (size_t i = 0; i < n; i++) {
        u += y[i] * (j.f.x[i] - j.x0[i]);
        for (size_t k = 0; k < n; k++) {
          const size_t at = i < k ? i * s + k : k * s + i;
          v += y[i] * (j.P0[at] - j.f.P[at]) * y[k];
        }
      }
      assert_near(j.jump.statistic[c] * v / (u * u), 1.0, 1e-5);
    }
  }
}
END_TEST

START_TEST(a_candidate_that_is_not_allowed_or_not_seen_is_let_be) {
  struct jump_fixture j;
  prepare_jump(&j, false);
  read_with_step(&j, j.f.layout.ddq, 40.0);
  update_from_prior(&j);
  ck_assert_uint_eq(joint_jump_step(&j.jump, &j.f.fast, 16.0, 1e-9, j.f.x, j.f.P), 0);
  for (size_t i = 0; i < j.jump.count; i++) {
    j.jump.allowed[i] = false;
  }
  ck_assert_uint_eq(joint_jump_step(&j.jump, &j.f.fast, 16.0, 10.0, j.f.x, j.f.P), 0);
}
END_TEST

SUITE(a_step_of_any_acceleration_is_found_where_it_happened,
      following_jumps_equals_an_update_from_the_inflated_prior,
      without_a_jump_the_statistic_is_chi_square_and_nothing_is_followed,
      the_statistic_is_what_the_update_has_learned_of_the_acceleration,
      a_candidate_that_is_not_allowed_or_not_seen_is_let_be)
