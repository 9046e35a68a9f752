#include "joints/motion_covariance.h"

#include "math/link_lanes.h"
#include "support/uncertain_filter.h"

#include <string.h>

enum { JOINTS = 7 };

static struct random rng;

/* errors = T state, written down state by state */
static void put(double *T, size_t size, size_t row, size_t state, double by) {
  T[row * size + state] += by;
}

static double *transfer(const struct joint_layout *l, const double w[MOTION_ORDERS]) {
  double *T = calloc(motion_covariance_size(l) * l->size, sizeof(double));
  for (size_t k = 0; k < l->base; k++) {
    put(T, l->size, k, l->attitude + k, 1.0);
    put(T, l->size, 3 + k, l->attitude + k, w[0]);
    put(T, l->size, 3 + k, l->omega + k, w[1]);
    put(T, l->size, 3 + k, l->omegadot + k, w[2]);
    put(T, l->size, 6 + k, l->position + k, w[0]);
    put(T, l->size, 6 + k, l->velocity + k, w[1]);
    put(T, l->size, 6 + k, l->force + k, w[2]);
    if (l->biases > 0) {
      put(T, l->size, 3 + k, l->bias_ang + k, -w[2]);
      put(T, l->size, 6 + k, l->bias_lin + k, -w[2]);
    }
  }
  for (size_t j = 0; j < l->n; j++) {
    const size_t row = 3 * l->base + j;
    put(T, l->size, row, l->q + j, w[0]);
    put(T, l->size, row, l->dq + j, w[1]);
    put(T, l->size, row, l->ddq + j, w[2]);
    if (l->biases > 0) {
      put(T, l->size, row, l->bias + j, -w[2]);
    }
  }
  return T;
}

static void compare(bool fixed_base, bool biases, const double w[MOTION_ORDERS]) {
  const struct uncertain_filter *u = uncertain_filter(JOINTS, fixed_base, biases, &rng);
  const struct joint_layout *l = &u->filter.layout;
  const size_t size = motion_covariance_size(l);
  const double *T = transfer(l, w);
  double *C = malloc(size * size * sizeof(double));
  ck_assert_uint_eq(size, fixed_base ? JOINTS : 9 + JOINTS);
  ck_assert_int_eq(motion_covariance(&u->filter, w, C, size), STATUS_OK);
  for (size_t i = 0; i < size; i++) {
    for (size_t k = 0; k < size; k++) {
      double expected = 0.0;
      for (size_t a = 0; a < l->size; a++) {
        for (size_t b = 0; b < l->size; b++) {
          expected += T[i * l->size + a] * u->dense[a * l->size + b] * T[k * l->size + b];
        }
      }
      assert_near(C[i * size + k], expected, 1e-9 * (1.0 + fabs(expected)));
    }
  }
}

START_TEST(it_is_the_filters_covariance_carried_on_to_each_order_and_to_sums_of_them) {
  const double weights[][MOTION_ORDERS] = {
      {1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}, {1.0, 0.3, 0.0}, {0.5, -2.0, 3.0}};
  rng = random_from(test_seed());
  for (size_t i = 0; i < sizeof(weights) / sizeof(weights[0]); i++) {
    compare(false, true, weights[i]);
    compare(false, false, weights[i]);
    compare(true, true, weights[i]);
  }
}
END_TEST

START_TEST(what_a_blow_leaves_is_added_to_rates_and_accelerations) {
  rng = random_from(test_seed());
  struct uncertain_filter *u = uncertain_filter(JOINTS, false, true, &rng);
  struct aftershock *shock = &u->filter.aftershock;
  const double weight[MOTION_ORDERS] = {1.0, -2.0, 3.0};
  const size_t size = 9 + JOINTS, turn = 3 + 1, force = 6 + 2, joint = 9 + 2;
  double before[(9 + JOINTS) * (9 + JOINTS)], C[(9 + JOINTS) * (9 + JOINTS)];
  ck_assert_int_eq(motion_covariance(&u->filter, weight, before, size), STATUS_OK);
  shock_chains_at(&shock->joint, shock->joint.U, 1, 1)[2] = 0.7; /* dq, ddq */
  shock_chains_at(&shock->joint, shock->joint.U, 2, 2)[2] = 11.0;
  shock_chains_at(&shock->base, shock->base.U, 0, 0)[1] = 0.3; /* omega, omegadot */
  shock_chains_at(&shock->base, shock->base.U, 1, 1)[1] = 13.0;
  aftershock_miss(shock, (vec3){0.0, 0.5, 0.0}, (vec3){0.0, 0.0, 7.0}); /* omega, force */
  ck_assert_int_eq(motion_covariance(&u->filter, weight, C, size), STATUS_OK);
  for (size_t i = 0; i < size * size; i++) {
    const double more = i == joint * size + joint   ? 4.0 * 0.7 + 9.0 * 11.0
                        : i == turn * size + turn   ? 4.0 * (0.3 + 0.25) + 9.0 * 13.0
                        : i == force * size + force ? 9.0 * 49.0
                                                    : 0.0;
    assert_near(C[i], before[i] + more, 1e-9 * (1.0 + fabs(C[i])));
  }
}
END_TEST

/* An IMU that is not at the base's origin, and beyond a joint. */
static void place_imu(struct uncertain_filter *u, size_t joint, struct motion S) {
  static int parent[JOINTS + 1];
  u->robot.imu_link = joint + 1;
  u->robot.model.parent = parent; /* all on the base */
  u->filter.base_imu = true;
  u->filter.imu.p = (vec3){0.1, -0.2, 0.5};
  u->filter.kin.link = aligned_alloc(ARENA_ALIGN, (JOINTS + 1) * sizeof(struct link_lanes));
  u->filter.kin.link[joint + 1].S = v6_of_motion(&S);
}

/* The IMU is struck with the body: what of its reading turns out to be the base's turning, or a
 * joint's, was no force. Standing off by half a metre it had that wrong by 700 deviations. */
START_TEST(what_a_blow_leaves_of_turning_is_in_the_force_too_by_way_of_the_imus_arm) {
  rng = random_from(test_seed());
  struct uncertain_filter *u = uncertain_filter(JOINTS, false, true, &rng);
  struct aftershock *shock = &u->filter.aftershock;
  const double weight[MOTION_ORDERS] = {1.0, -2.0, 3.0};
  const size_t size = 9 + JOINTS, joint = 2;
  const struct motion S = {{0.0, 0.6, 0.8}, {0.3, -0.1, 0.2}};
  double before[(9 + JOINTS) * (9 + JOINTS)], C[(9 + JOINTS) * (9 + JOINTS)];
  place_imu(u, joint, S);
  ck_assert_int_eq(motion_covariance(&u->filter, weight, before, size), STATUS_OK);
  shock_chains_at(&shock->joint, shock->joint.U, 2, 2)[joint] = 11.0;
  shock_chains_at(&shock->base, shock->base.U, 1, 1)[1] = 13.0;
  ck_assert_int_eq(motion_covariance(&u->filter, weight, C, size), STATUS_OK);
  /* a_imu = f + omegadot x p + (S_lin + S_ang x p) ddq stays as it was read */
  double turned[9 + JOINTS] = {0.0}, moved[9 + JOINTS] = {0.0};
  const vec3 p = u->filter.imu.p;
  turned[3 + 1] = moved[9 + joint] = 1.0;
  vec3_to(vec3_neg(vec3_cross((vec3){0.0, 1.0, 0.0}, p)), turned + 6);
  vec3_to(vec3_neg(vec3_add(S.lin, vec3_cross(S.ang, p))), moved + 6);
  for (size_t i = 0; i < size; i++) {
    for (size_t k = 0; k < size; k++) {
      const double more = 9.0 * (13.0 * turned[i] * turned[k] + 11.0 * moved[i] * moved[k]);
      assert_near(C[i * size + k], before[i * size + k] + more,
                  1e-9 * (1.0 + fabs(C[i * size + k])));
    }
  }
  double variance[7 * (9 + JOINTS) + 60] = {0.0};
  aftershock_add(&u->filter, variance);
  for (size_t k = 0; k < 3; k++) {
    assert_near(variance[u->filter.layout.force + k],
                13.0 * turned[6 + k] * turned[6 + k] + 11.0 * moved[6 + k] * moved[6 + k], 1e-9);
  }
}
END_TEST

START_TEST(before_the_base_has_begun_nothing_is_told) {
  rng = random_from(test_seed());
  struct uncertain_filter *u = uncertain_filter(JOINTS, false, true, &rng);
  const double weight[MOTION_ORDERS] = {1.0, 0.0, 0.0};
  double C[(9 + JOINTS) * (9 + JOINTS)] = {7.0};
  u->filter.base_started = false;
  ck_assert_int_eq(motion_covariance(&u->filter, weight, C, 9 + JOINTS), STATUS_TOO_FEW);
  u->filter.base_started = true;
  u->filter.running = false;
  ck_assert_int_eq(motion_covariance(&u->filter, weight, C, 9 + JOINTS), STATUS_TOO_FEW);
  ck_assert_double_eq(C[0], 7.0);
}
END_TEST

SUITE(it_is_the_filters_covariance_carried_on_to_each_order_and_to_sums_of_them,
      what_a_blow_leaves_is_added_to_rates_and_accelerations,
      what_a_blow_leaves_of_turning_is_in_the_force_too_by_way_of_the_imus_arm,
      before_the_base_has_begun_nothing_is_told)
