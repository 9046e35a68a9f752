#include "support/joint_update_fixture.h"

#include "numerics/matrix_products.h"
#include "process/base_process.h"

#include <math.h>
#include <stdlib.h>

struct arena arena_of(size_t used) {
  return arena_over(aligned_alloc(ARENA_ALIGN, used + ARENA_ALIGN), used);
}

void prepare(struct fixture *f, struct arena *arena) {
  const struct model *model = &f->robot->model;
  const size_t rows = 6 * model->n_links;
  ck_assert_int_eq(joint_update_init(&f->fast, &f->layout, model, NULL, f->force, rows, arena),
                   STATUS_OK);
  ck_assert_int_eq(dense_ukf_init(&f->dense, f->layout.size, rows + model->n_joints, UKF_ALPHA,
                                  UKF_BETA, UKF_KAPPA, arena),
                   STATUS_OK);
  ck_assert_int_eq(kinematics_init(&f->kin, model, arena), STATUS_OK);
  f->x = ARENA_ARRAY(arena, double, f->layout.numbers);
  f->P = ARENA_ARRAY(arena, double, f->layout.size * f->layout.stride);
}

void draw_prior(struct fixture *f, double wide) {
  const struct joint_layout *l = &f->layout;
  const size_t behind = l->base > 0 ? l->attitude : l->size; /* where the base stands begins here */
  for (size_t i = 0; i < l->size; i++) {
    f->x[i] = (i < l->nonlinear || i >= behind ? 1.0 : 10.0) * random_normal(&f->rng);
  }
  if (l->base > 0) { /* rotations are errors in P and quaternions in x */
    const mat3 R = random_rotation(&f->rng);
    vec3_to(VEC3_ZERO, f->x + l->attitude);
    base_process_set_rotation(l, quat_from_mat3(&R), f->x);
    for (size_t i = 0; i < l->n_soles; i++) {
      vec3_to(VEC3_ZERO, f->x + l->sole + 3 * i);
      base_process_set_sole(l, i, QUAT_IDENTITY, f->x);
    }
  }
  double *A = aligned_alloc(64, l->size * l->stride * sizeof(double));
  for (size_t i = 0; i < l->size; i++) {
    const double sd = wide * (i < l->dq          ? 1e-3
                              : i < l->nonlinear ? 2e-2
                              : i < l->jerk      ? 0.5
                              : i < behind       ? 20.0
                                                 : 1e-2);
    for (size_t k = 0; k < l->size; k++) {
      A[i * l->stride + k] =
          sd * (i == k ? 1.0 : 0.3 * random_normal(&f->rng) / sqrt((double)l->size));
    }
  }
  for (size_t i = 0; i < l->size; i++) {
    for (size_t j = 0; j < l->size; j++) {
      f->P[i * l->stride + j] = matrix_dot(A + i * l->stride, A + j * l->stride, l->size);
    }
  }
  free(A);
}

/* Rows as skin gives them, about every link; the readings fit the state as well as noise lets
 * them. */
static void draw_blocks(struct fixture *f, unsigned rank) {
  f->n_blocks = 0;
  for (size_t link = 0; link < f->robot->model.n_links; link++) {
    struct link_rows *block = &f->block[f->n_blocks++];
    *block = (struct link_rows){.link = link, .rank = rank};
    for (unsigned i = 0; i < rank; i++) {
      for (unsigned k = 0; k < PART_OMEGA; k++) {
        block->W[i][k] = random_normal(&f->rng) * (k < 6 ? 10.0 : 1.0);
      }
    }
  }
  for (size_t j = 0; j < f->layout.n; j++) {
    f->q_sd[j] = 1e-3;
    f->q_used[j] = j % 4 != 3;
  }
}

struct fixture fixture(size_t n_joints, bool chain, bool fixed, unsigned rank, double wide) {
  struct fixture f = {.rng = random_from(test_seed() + n_joints), .force = {1.0, -2.0, 9.0}};
  f.robot = synthetic_robot(n_joints, chain, 3, &f.rng);
  f.layout = joint_layout_of(n_joints, fixed, n_joints % 2 == 0, 2);
  struct arena count = {0};
  prepare(&f, &count);
  struct arena arena = arena_of(count.used);
  prepare(&f, &arena);
  ck_assert_uint_eq(arena.used, count.used);
  f.fast.layout = f.fast.points.layout = NULL; /* set again where the fixture finally lives */
  draw_prior(&f, wide);
  draw_blocks(&f, rank);
  return f;
}

void observe(const double *x, double *y, void *context) {
  struct fixture *f = context;
  const struct joint_layout *l = &f->layout;
  double shown[128];
  for (size_t i = 0; i < l->nonlinear; i++) {
    shown[i] = f->held[i] ? f->held_x[i] : x[i];
  }
  struct robot_motion motion = {.q = shown + l->q, .dq = shown + l->dq, .ddq = x + l->ddq};
  motion.base.X_WB = POSE_IDENTITY;
  motion.base.a_B.lin = f->force;
  if (l->base > 0) {
    motion.base.v_B.ang = vec3_from(shown + l->omega);
    motion.base.a_B = (struct motion){vec3_from(x + l->omegadot), vec3_from(x + l->force)};
  }
  ck_assert_int_eq(kinematics_update(&f->kin, &motion), STATUS_OK);
  size_t row = 0;
  for (size_t j = 0; j < l->n; j++) {
    if (f->q_used[j]) {
      y[row++] = x[l->q + j] / f->q_sd[j];
    }
  }
  for (size_t b = 0; b < f->n_blocks; b++) {
    const struct link_rows *block = &f->block[b];
    double part[PART_SIZE];
    vec3_to(kinematics_a_L(&f->kin, block->link).ang, part + PART_OMEGADOT);
    vec3_to(kinematics_a_L(&f->kin, block->link).lin, part + PART_VDOT);
    vec3_to(kinematics_v_L(&f->kin, block->link).ang, part + PART_OMEGA);
    omega_products(kinematics_v_L(&f->kin, block->link).ang, part + PART_PRODUCTS);
    for (unsigned i = 0; i < block->rank; i++, row++) {
      y[row] = 0.0;
      for (unsigned k = 0; k < PART_SIZE; k++) {
        y[row] += block->W[i][k] * part[k];
      }
    }
  }
}

size_t take_reading(struct fixture *f, double *z) {
  const struct joint_layout *l = &f->layout;
  double truth[300];
  for (size_t i = 0; i < l->size; i++) {
    truth[i] = f->x[i] + sqrt(f->P[i * l->stride + i]) * random_normal(&f->rng);
  }
  observe(truth, z, f);
  size_t row = 0;
  for (size_t j = 0; j < l->n; j++) {
    if (f->q_used[j]) {
      z[row] += random_normal(&f->rng);
      f->q[j] = z[row++] * f->q_sd[j];
    }
  }
  for (size_t b = 0; b < f->n_blocks; b++) {
    for (unsigned i = 0; i < f->block[b].rank; i++) {
      z[row] += random_normal(&f->rng);
      f->block[b].z[i] = z[row++];
    }
  }
  return row;
}
