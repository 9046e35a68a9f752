#include "update/limb_information.h"

#include "body/kinematics.h"
#include "numerics/small_matrix.h"
#include "support/random_model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { JOINTS = 5, LINKS = JOINTS + 1, F = 3 * JOINTS, P_STRIDE = 24, ROWS = ROWS_MAX * JOINTS };

/* As limb_information.c: accelerations are told as if nothing were known of them, per s^2. */
static const double UNTOLD = 1e3;

struct limb {
  struct random rng;
  struct model *model;
  struct kinematics kin;
  struct limb_information info;
  struct link_rows block[JOINTS];
  double m[CARRIER_NUMBERS], f[F], P[F * P_STRIDE];
};

/* All rows at a motion of the carrier and the joints, by scalar kinematics. */
static void read_all(struct limb *l, const double *m, const double *f, double *z) {
  const struct robot_motion motion = {.base = {.X_WB = POSE_IDENTITY,
                                               .v_B.ang = vec3_from(m + 6),
                                               .a_B = {vec3_from(m), vec3_from(m + 3)}},
                                      .q = f,
                                      .dq = f + JOINTS,
                                      .ddq = f + 2 * JOINTS};
  ck_assert_int_eq(kinematics_update(&l->kin, &motion), STATUS_OK);
  for (size_t b = 0, row = 0; b < JOINTS; b++) {
    double part[PART_SIZE];
    const size_t link = l->block[b].link;
    vec3_to(kinematics_a_L(&l->kin, link).ang, part + PART_OMEGADOT);
    vec3_to(kinematics_a_L(&l->kin, link).lin, part + PART_VDOT);
    vec3_to(kinematics_v_L(&l->kin, link).ang, part + PART_OMEGA);
    omega_products(kinematics_v_L(&l->kin, link).ang, part + PART_PRODUCTS);
    for (size_t i = 0; i < ROWS_MAX; i++, row++) {
      z[row] = small_dot(PART_SIZE, l->block[b].W[i], part);
    }
  }
}

static struct limb *limb(unsigned round) {
  struct limb *l = calloc(1, sizeof(*l));
  l->rng = random_from(test_seed() + round);
  l->model = random_model(&l->rng, (struct random_model_options){.n_joints = JOINTS});
  struct arena count = {0};
  ck_assert_int_eq(limb_information_init(&l->info, l->model, &count), STATUS_OK);
  struct arena arena = test_arena(count.used), more = test_arena(1 << 18);
  ck_assert_int_eq(limb_information_init(&l->info, l->model, &arena), STATUS_OK);
  ck_assert_uint_eq(arena.used, count.used);
  ck_assert_int_eq(kinematics_init(&l->kin, l->model, &more), STATUS_OK);
  for (size_t b = 0; b < JOINTS; b++) { /* rows of cells about a link: no single omega */
    l->block[b] = (struct link_rows){.link = b + 1, .rank = ROWS_MAX};
    for (size_t i = 0; i < ROWS_MAX; i++) {
      for (size_t k = 0; k < PART_OMEGA; k++) {
        l->block[b].W[i][k] = random_normal(&l->rng) * (k < 3 ? 0.2 : k < 6 ? 5.0 : 0.1);
      }
    }
  }
  for (size_t k = 0; k < CARRIER_NUMBERS; k++) {
    l->m[k] = random_normal(&l->rng) * (k < 6 ? 10.0 : 1.0);
  }
  for (size_t k = 0; k < F; k++) {
    const double sd = k < JOINTS ? 1e-3 : k < 2 * JOINTS ? 0.05 : 5.0;
    l->f[k] = random_normal(&l->rng);
    l->P[k * (P_STRIDE + 1)] = sd * sd;
  }
  return l;
}

static void inform(struct limb *l) {
  ck_assert(limb_information_expect(&l->info, l->m, l->f, l->block, JOINTS, true));
  ck_assert(limb_information_update(&l->info, l->P, P_STRIDE));
}

/* Rows for what is read at m and f. */
static struct link_rows rows_for(struct limb *l, const double *m, const double *f) {
  struct link_rows rows;
  double z[ROWS];
  read_all(l, m, f, z);
  for (size_t row = 0; row < ROWS; row++) {
    l->block[row / ROWS_MAX].z[row % ROWS_MAX] = z[row];
  }
  limb_information_rows(&l->info, l->m, l->block, JOINTS, &rows);
  return rows;
}

static double expected_of(const struct link_rows *rows, size_t i, const double *m) {
  return small_dot(3, rows->W[i] + PART_OMEGADOT, m) + small_dot(3, rows->W[i] + PART_VDOT, m + 3) +
         small_dot(3, rows->W[i] + PART_OMEGA, m + 6);
}

START_TEST(a_limb_whose_joints_move_as_believed_tells_how_its_carrier_does) {
  for (unsigned round = 0; round < 5; round++) {
    struct limb *l = limb(round);
    double m[CARRIER_NUMBERS];
    inform(l);
    for (size_t k = 0; k < CARRIER_NUMBERS; k++) {
      m[k] = l->m[k] + (k < 6 ? 3.0 * random_normal(&l->rng) : 0.0);
    }
    const struct link_rows rows = rows_for(l, m, l->f);
    ck_assert(rows.told_by_limb);
    ck_assert_uint_eq(rows.rank, ROWS_MAX);
    for (size_t i = 0; i < ROWS_MAX; i++) {
      const double expected = expected_of(&rows, i, m);
      /* in deviations of a row: what is hardly told at all is drawn to what was believed */
      assert_near(rows.z[i], expected, 0.02 + 1e-5 * fabs(expected));
    }
  }
}
END_TEST

START_TEST(what_its_joints_accelerations_do_is_not_taken_for_its_carriers) {
  struct limb *l = limb(7);
  double f[F];
  inform(l);
  memcpy(f, l->f, sizeof(f));
  for (size_t j = 0; j < JOINTS; j++) {
    f[2 * JOINTS + j] += 5.0;
  }
  const struct link_rows rows = rows_for(l, l->m, f);
  for (size_t i = 0; i < ROWS_MAX; i++) {
    assert_near(rows.z[i], expected_of(&rows, i, l->m), 0.05);
  }
}
END_TEST

/* By central differences: rows by number. */
static void differences(struct limb *l, double *at, size_t count, double *H, size_t stride) {
  double plus[ROWS], minus[ROWS];
  for (size_t k = 0; k < count; k++) {
    const double step = 1e-5, kept = at[k];
    at[k] = kept + step;
    read_all(l, l->m, l->f, plus);
    at[k] = kept - step;
    read_all(l, l->m, l->f, minus);
    at[k] = kept;
    for (size_t row = 0; row < ROWS; row++) {
      H[row * stride + k] = (plus[row] - minus[row]) / (2.0 * step);
    }
  }
}

/* @eq Leboutet22 C.4: innovations have the covariance H P H^T + 1. */
START_TEST(the_information_is_that_of_rows_with_the_joints_as_noise) {
  for (unsigned round = 0; round < 5; round++) {
    struct limb *l = limb(10 + round);
    double H_m[ROWS * CARRIER_NUMBERS], H_f[ROWS * F], N[ROWS * ROWS], X[ROWS * CARRIER_NUMBERS];
    int pivot[ROWS];
    inform(l);
    differences(l, l->m, CARRIER_NUMBERS, H_m, CARRIER_NUMBERS);
    differences(l, l->f, F, H_f, F);
    for (size_t a = 0; a < ROWS; a++) {
      for (size_t b = 0; b < ROWS; b++) {
        N[a * ROWS + b] = a == b;
        for (size_t k = 0; k < F; k++) {
          const double variance =
              l->P[k * (P_STRIDE + 1)] + (k < 2 * JOINTS ? 0.0 : UNTOLD * UNTOLD);
          N[a * ROWS + b] += H_f[a * F + k] * variance * H_f[b * F + k];
        }
      }
    }
    memcpy(X, H_m, sizeof(X));
    ck_assert(small_lu(ROWS, N, pivot));
    small_lu_solve(ROWS, N, pivot, CARRIER_NUMBERS, X, CARRIER_NUMBERS);
    double expected[CARRIER_NUMBERS][CARRIER_NUMBERS] = {{0.0}};
    for (size_t row = 0; row < ROWS; row++) {
      for (size_t i = 0; i < CARRIER_NUMBERS; i++) {
        small_add(CARRIER_NUMBERS, H_m[row * CARRIER_NUMBERS + i], X + row * CARRIER_NUMBERS,
                  expected[i]);
      }
    }
    const double *U = l->info.factor;
    for (size_t i = 0; i < CARRIER_NUMBERS; i++) {
      for (size_t k = 0; k < CARRIER_NUMBERS; k++) {
        double told = 0.0;
        for (size_t r = 0; r <= i && r <= k; r++) {
          told += U[r * CARRIER_STRIDE + i] * U[r * CARRIER_STRIDE + k];
        }
        const double scale = sqrt(expected[i][i] * expected[k][k]);
        assert_near(told, expected[i][k], 1e-3 * scale);
      }
    }
  }
}
END_TEST

START_TEST(what_is_no_motion_tells_nothing) {
  struct limb *l = limb(20);
  l->f[0] = (double)NAN;
  ck_assert(!limb_information_expect(&l->info, l->m, l->f, l->block, JOINTS, true));
  ck_assert_uint_eq(l->info.rows, 0);
}
END_TEST

SUITE(a_limb_whose_joints_move_as_believed_tells_how_its_carrier_does,
      what_its_joints_accelerations_do_is_not_taken_for_its_carriers,
      the_information_is_that_of_rows_with_the_joints_as_noise, what_is_no_motion_tells_nothing)
