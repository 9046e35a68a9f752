#include "numerics/dense_matrix.h"
#include "support/joint_update_fixture.h"

/* The same estimate by two roads: the textbook's points over the whole state through scalar
 * kinematics, and the sorted form through kinematics of many samples. */

/* Largest difference of means in posterior deviations, and of covariances relative to variances. */
static void compare(struct fixture *f, double *mean, double *covariance) {
  const struct joint_layout *l = &f->layout;
  *mean = *covariance = 0.0;
  for (size_t i = 0; i < l->size; i++) {
    const double sd = sqrt(f->dense.P[i * l->size + i]);
    *mean = fmax(*mean, fabs(f->x[i] - f->dense.x[i]) / sd);
    for (size_t j = i; j < l->size; j++) {
      const double scale = sd * sqrt(f->dense.P[j * l->size + j]);
      const double difference = f->P[i * l->stride + j] - f->dense.P[i * l->size + j];
      *covariance = fmax(*covariance, fabs(difference) / scale);
    }
  }
}

/* Nobody may read below the diagonal. */
static void poison_lower(const struct joint_layout *l, double *P) {
  for (size_t i = 0; i < l->size; i++) {
    for (size_t j = 0; j < i; j++) {
      P[i * l->stride + j] = (double)NAN;
    }
  }
}

static void update_both(struct fixture *f) {
  const struct joint_layout *l = &f->layout;
  double z[600];
  f->fast.layout = f->fast.points.layout = &f->layout;
  for (size_t i = 0; i < l->size; i++) {
    f->dense.x[i] = f->x[i];
    memcpy(f->dense.P + i * l->size, f->P + i * l->stride, l->size * sizeof(double));
  }
  const size_t rows = take_reading(f, z);
  ck_assert_int_eq(dense_ukf_update(&f->dense, observe, f, z, rows), STATUS_OK);
  const struct joint_measurement measurement = {.q = f->q,
                                                .q_used = f->q_used,
                                                .q_sd = f->q_sd,
                                                .q_enough = f->q_enough,
                                                .dq_enough = f->dq_enough,
                                                .omega_enough = f->omega_enough,
                                                .n_blocks = f->n_blocks,
                                                .block = f->block};
  poison_lower(l, f->P);
  ck_assert_int_eq(joint_update_step(&f->fast, &measurement, f->x, f->P), STATUS_OK);
  ck_assert_uint_eq(f->fast.rows, rows);
}

static void assert_equal_updates(struct fixture *f) {
  double mean, covariance;
  update_both(f);
  compare(f, &mean, &covariance);
  ck_assert_double_le(mean, 1e-6);
  ck_assert_double_le(covariance, 1e-6);
  assert_near(f->fast.nis, f->dense.nis, 1e-6 * f->dense.nis);
}

/* @eq Leboutet22 C.4 @eq Leboutet22 140 @eq Leboutet22 145 */
START_TEST(the_sorted_update_is_the_textbook_update_within_a_millionth_of_a_deviation) {
  for (size_t n = 1; n <= 13; n += 3) {
    for (int fixed = 0; fixed < 2; fixed++) {
      struct fixture f = fixture(n, n % 2 == 0, fixed, 6, 1.0);
      assert_equal_updates(&f);
    }
  }
}
END_TEST

START_TEST(they_agree_also_where_second_order_terms_matter) {
  for (int chain = 0; chain < 2; chain++) {
    struct fixture f = fixture(9, chain, 0, 6, 30.0); /* 30 mrad, 0.6 rad/s, 15 rad/s^2 */
    double largest = 0.0;
    assert_equal_updates(&f);
    /* and they do matter: without E and d the mean would be elsewhere */
    ck_assert_uint_eq(f.fast.points.first, 0);
    for (size_t j = 0; j < f.layout.nonlinear; j++) {
      largest = fmax(largest, fabs(f.fast.points.A[j]));
    }
    ck_assert_double_ge(largest, 1e-2);
  }
}
END_TEST

/* Deviations from a tenth of those of a filter at work to five times as wide: E shrinks with their
 * square and falls out somewhere on the way. */
START_TEST(curvature_too_small_to_matter_is_left_out_within_its_bound) {
  int left_out = 0, kept = 0;
  for (double wide = 0.1; wide < 5.0; wide *= 1.3) {
    struct fixture f = fixture(9, false, 0, 6, wide);
    double mean, covariance;
    update_both(&f);
    compare(&f, &mean, &covariance);
    const bool out = f.fast.points.first > 0;
    left_out += f.fast.points.first == f.fast.points.curved;
    kept += !out;
    ck_assert_double_le(covariance, out ? CURVATURE_FLOOR : 1e-6);
    ck_assert_double_le(mean, out ? CURVATURE_FLOOR * sqrt((double)f.fast.rows) : 1e-6);
    assert_near(f.fast.nis, f.dense.nis, (out ? CURVATURE_FLOOR : 1e-6) * f.dense.nis);
  }
  ck_assert_int_ge(left_out, 3);
  ck_assert_int_ge(kept, 3);
}
END_TEST

/* The base's rate has been lost: it is so many times less sure, whatever it went along with. */
static void lose_rate(struct fixture *f, double times) {
  const struct joint_layout *l = &f->layout;
  for (size_t i = l->omega; i < l->omegadot; i++) {
    for (size_t k = l->omega; k < l->omegadot; k++) {
      f->P[i * l->stride + k] *= times * times;
    }
  }
}

START_TEST(curvature_of_the_base_alone_is_taken_without_that_of_joints) {
  for (double times = 3.0; times < 1000.0; times *= 3.0) {
    struct fixture f = fixture(22, false, 0, 6, 0.03);
    const struct joint_layout *l = &f.layout;
    double mean, covariance;
    lose_rate(&f, times);
    update_both(&f);
    compare(&f, &mean, &covariance);
    ck_assert_double_le(covariance, CURVATURE_FLOOR);
    ck_assert_double_le(mean, CURVATURE_FLOOR * sqrt((double)f.fast.rows));
    if (times > 100.0) { /* of joints' columns no more than share a vector with the base's */
      ck_assert_uint_eq(f.fast.points.first, l->omega / MATRIX_LANES * MATRIX_LANES);
    }
  }
}
END_TEST

START_TEST(what_is_prepared_before_the_readings_leads_to_the_same_bits) {
  struct fixture f = fixture(11, false, 0, 6, 1.0);
  const struct joint_layout *l = &f.layout;
  f.fast.layout = f.fast.points.layout = l;
  double z[600], q[64], *P = aligned_alloc(64, l->size * l->stride * sizeof(double)), x[128];
  take_reading(&f, z);
  memcpy(q, f.q, sizeof(q));
  memcpy(P, f.P, l->size * l->stride * sizeof(double));
  memcpy(x, f.x, l->size * sizeof(double));
  struct link_rows unread[64];
  memcpy(unread, f.block, sizeof(unread));
  for (size_t b = 0; b < f.n_blocks; b++) {
    memset(unread[b].z, 0xff, sizeof(unread[b].z)); /* NaN */
  }
  memset(f.q, 0xff, sizeof(f.q));
  struct joint_measurement measurement = {
      .q = f.q, .q_used = f.q_used, .q_sd = f.q_sd, .n_blocks = f.n_blocks, .block = unread};
  ck_assert_int_eq(joint_update_prepare_rows(&f.fast, &measurement, x, P), STATUS_OK);
  ck_assert_int_eq(f.fast.prepared, UPDATE_ROWS);
  ck_assert_int_eq(joint_update_prepare_gain(&f.fast, &measurement, P), STATUS_OK);
  ck_assert_int_eq(f.fast.prepared, UPDATE_GAIN);
  measurement.q = q;
  measurement.block = f.block;
  joint_update_finish(&f.fast, &measurement, x);
  const double nis = f.fast.nis;
  ck_assert_int_eq(joint_update_step(&f.fast, &measurement, f.x, f.P), STATUS_OK);
  ck_assert_int_eq(f.fast.prepared, UPDATE_NOTHING);
  ck_assert_mem_eq(x, f.x, l->size * sizeof(double));
  for (size_t i = 0; i < l->size; i++) {
    const size_t from = i * (l->stride + 1);
    ck_assert_mem_eq(P + from, f.P + from, (l->size - i) * sizeof(double));
  }
  ck_assert_double_eq(nis, f.fast.nis);
}
END_TEST

START_TEST(few_rows_lead_to_the_same_estimate) {
  for (int fixed = 0; fixed < 2; fixed++) {
    struct fixture f = fixture(13, true, fixed, 6, 1.0);
    f.block[0] = f.block[f.n_blocks - 1]; /* one link alone */
    f.n_blocks = 1;
    assert_equal_updates(&f);
    f.n_blocks = 0; /* encoders alone */
    assert_equal_updates(&f);
  }
}
END_TEST

START_TEST(blocks_of_lower_rank_agree_too) {
  for (unsigned rank = 1; rank <= 5; rank += 2) {
    struct fixture f = fixture(12, false, 0, rank, 5.0);
    assert_equal_updates(&f);
  }
}
END_TEST

START_TEST(a_whole_humanoid_agrees) {
  struct fixture f = fixture(30, false, 0, 6, 3.0);
  assert_equal_updates(&f);
}
END_TEST

/* Skin says nothing of a q that is known better than so. */
static void mount_askew(struct fixture *f, double enough) {
  const struct joint_layout *l = &f->layout;
  for (size_t j = 0; j < l->n; j++) {
    f->q_enough[j] = enough;
    f->held[j] = f->P[(l->q + j) * (l->stride + 1)] < enough * enough;
    f->held_x[j] = f->x[l->q + j];
  }
}

/* Nor of a dq or an omega that is. */
static void read_too_much(struct fixture *f, double dq_enough, double omega_enough) {
  const struct joint_layout *l = &f->layout;
  f->dq_enough = dq_enough;
  f->omega_enough = omega_enough;
  for (size_t i = l->dq; i < l->nonlinear; i++) {
    const double enough = i < l->omega ? dq_enough : omega_enough;
    f->held[i] = f->P[i * (l->stride + 1)] < enough * enough;
    f->held_x[i] = f->x[i];
  }
}

START_TEST(skin_is_not_asked_for_an_angle_known_better_than_its_mounting) {
  for (size_t n = 2; n <= 14; n += 3) {
    struct fixture f = fixture(n, n % 2 == 0, false, 6, 3.0);
    const size_t middle = f.layout.q + n / 2; /* others are known better, or worse */
    mount_askew(&f, sqrt(f.P[middle * (f.layout.stride + 1)]));
    assert_equal_updates(&f);
  }
}
END_TEST

START_TEST(skin_is_not_asked_for_a_rate_known_better_than_its_gain) {
  for (size_t n = 2; n <= 14; n += 3) {
    struct fixture f = fixture(n, n % 2 == 0, n % 4 == 0, 6, 3.0);
    const size_t middle = f.layout.dq + n / 2;
    read_too_much(&f, sqrt(f.P[middle * (f.layout.stride + 1)]), 0.06); /* 0.06 was drawn */
    assert_equal_updates(&f);
  }
}
END_TEST

START_TEST(skin_that_is_asked_for_neither_angles_nor_rates_has_no_curvature) {
  struct fixture f = fixture(9, false, false, 6, 3.0);
  mount_askew(&f, 1.0);
  read_too_much(&f, 1.0, 1.0);
  assert_equal_updates(&f);
  ck_assert_uint_eq(f.fast.points.first, f.fast.points.curved);
}
END_TEST

START_TEST(skin_that_is_asked_for_no_angle_agrees_too) {
  struct fixture f = fixture(9, false, false, 6, 3.0);
  mount_askew(&f, 1.0);
  assert_equal_updates(&f);
}
END_TEST

/* What is added to a block's readings along one way is all that the rest does not see. */
START_TEST(what_moved_a_block_one_way_leaves_no_rest) {
  struct fixture f = fixture(9, false, 0, 6, 1.0);
  double way[ROWS_MAX], other[ROWS_MAX];
  f.fast.layout = f.fast.points.layout = &f.layout;
  update_both(&f);
  for (unsigned i = 0; i < ROWS_MAX; i++) {
    way[i] = random_normal(&f.rng);
    other[i] = random_normal(&f.rng);
  }
  const size_t row = 2 * ROWS_MAX;
  double *nu = f.fast.points.nu + row;
  const double before = joint_update_block_rest(&f.fast, row, ROWS_MAX, way),
               whole = joint_update_block_nis(&f.fast, row, ROWS_MAX);
  for (unsigned i = 0; i < ROWS_MAX; i++) {
    nu[i] += 100.0 * way[i];
  }
  assert_near(joint_update_block_rest(&f.fast, row, ROWS_MAX, way), before, 1e-6 * (1.0 + before));
  ck_assert_double_le(before, whole * (1.0 + 1e-9));
  ck_assert_double_gt(joint_update_block_nis(&f.fast, row, ROWS_MAX), 10.0 * whole);
  ck_assert_double_gt(joint_update_block_rest(&f.fast, row, ROWS_MAX, other), 10.0 * whole);
}
END_TEST

START_TEST(a_hopeless_prior_is_refused_and_nothing_changes) {
  struct fixture f = fixture(5, true, 0, 6, 1.0);
  f.fast.layout = f.fast.points.layout = &f.layout;
  f.P[2 * f.layout.stride + 2] = -1.0;
  double x[128], P[64];
  memcpy(x, f.x, sizeof(double) * f.layout.size);
  memcpy(P, f.P, sizeof(P));
  const struct joint_measurement measurement = {
      .q = f.q, .q_used = f.q_used, .q_sd = f.q_sd, .n_blocks = f.n_blocks, .block = f.block};
  ck_assert_int_eq(joint_update_step(&f.fast, &measurement, f.x, f.P), STATUS_SINGULAR);
  ck_assert_mem_eq(x, f.x, sizeof(double) * f.layout.size);
  ck_assert_mem_eq(P, f.P, sizeof(P));
}
END_TEST

SUITE(the_sorted_update_is_the_textbook_update_within_a_millionth_of_a_deviation,
      they_agree_also_where_second_order_terms_matter,
      curvature_too_small_to_matter_is_left_out_within_its_bound,
      curvature_of_the_base_alone_is_taken_without_that_of_joints,
      what_is_prepared_before_the_readings_leads_to_the_same_bits,
      few_rows_lead_to_the_same_estimate, blocks_of_lower_rank_agree_too, a_whole_humanoid_agrees,
      skin_is_not_asked_for_an_angle_known_better_than_its_mounting,
      skin_is_not_asked_for_a_rate_known_better_than_its_gain,
      skin_that_is_asked_for_neither_angles_nor_rates_has_no_curvature,
      skin_that_is_asked_for_no_angle_agrees_too, what_moved_a_block_one_way_leaves_no_rest,
      a_hopeless_prior_is_refused_and_nothing_changes)
