/* Time of one whole step of the joint filter's core: prediction and update with encoders and the
 * skin of every link, for the thesis' chain and for the humanoid, next to the textbook's form
 * of the same filter in the same run; and between two skin samples, with encoders and IMU alone,
 * which is what each instant behind late skin costs again. */
#include "body/kinematics.h"
#include "numerics/matrix_products.h"
#include "process/base_process.h"
#include "process/joint_covariance.h"
#include "reference/dense_ukf.h"
#include "settings/robot_files.h"
#include "skin/skin_fusion.h"
#include "support/bench_clock.h"
#include "support/suite.h"
#include "update/base_rows.h"
#include "update/joint_update.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { RUNS = 300, DENSE_RUNS = 60, LINKS_MAX = 64, FEET = 2, NUMBERS_MAX = 1024 };

static double report(const char *kind, const char *robot, double *us, size_t runs) {
  qsort(us, runs, sizeof(double), by_value);
  printf("{\"name\": \"%s_%s\", \"value\": %.1f, \"unit\": \"us\", \"p99\": %.1f, \"runs\": %zu}\n",
         kind, robot, us[runs / 2], us[runs * 99 / 100], runs);
  return us[runs / 2];
}

struct bench {
  struct robot *robot;
  struct joint_layout layout;
  struct skin_fusion fusion;
  struct skin_reading reading;
  struct joint_update fast;
  struct row_update rows;
  struct dense_ukf dense;
  struct kinematics kin;
  struct link_rows block[LINKS_MAX];
  size_t n_blocks;
  double *x, *P, *next, *Q, *z, *joint_density, *bias;
  double q[MODEL_MAX_JOINTS], sd[MODEL_MAX_JOINTS];
  bool used[MODEL_MAX_JOINTS];
};

static void carve(struct bench *b, struct arena *arena) {
  const struct model *model = &b->robot->model;
  const size_t size = b->layout.size, rows = 6 * model->n_links;
  skin_fusion_init(&b->fusion, b->robot, 0.34, NULL, 80.0, arena);
  joint_update_init(&b->fast, &b->layout, model, NULL, VEC3_ZERO, rows, arena);
  row_update_init(&b->rows, &b->layout, model->n_joints + 6, arena);
  dense_ukf_init(&b->dense, size, rows + model->n_joints, UKF_ALPHA, UKF_BETA, UKF_KAPPA, arena);
  kinematics_init(&b->kin, model, arena);
  b->x = ARENA_ARRAY(arena, double, b->layout.numbers);
  b->P = ARENA_ARRAY(arena, double, size * b->layout.stride);
  b->next = ARENA_ARRAY(arena, double, size * b->layout.stride);
  b->Q = ARENA_ARRAY(arena, double, size *size);
  b->z = ARENA_ARRAY(arena, double, rows + model->n_joints);
  b->joint_density = ARENA_ARRAY(arena, double, model->n_joints);
  b->bias = ARENA_ARRAY(arena, double, model->n_joints);
  b->reading.acceleration = ARENA_ARRAY(arena, float, 3 * b->robot->n_cells);
  b->reading.flags = ARENA_ARRAY(arena, uint8_t, b->robot->n_cells);
}

/* The robot stands in gravity; every sensor says so. */
static void still_readings(struct bench *b) {
  const struct joint_layout *l = &b->layout;
  struct robot_motion motion = {.q = b->x + l->q};
  motion.base.X_WB = POSE_IDENTITY;
  motion.base.a_B.lin.z = STANDARD_GRAVITY;
  kinematics_update(&b->kin, &motion);
  b->x[l->force + 2] = STANDARD_GRAVITY;
  b->reading.n_cells = b->robot->n_cells;
  for (size_t k = 0; k < b->robot->n_cells; k++) {
    const struct skin_cell *cell = &b->robot->cell[k];
    const vec3 f = mat3_tmul_vec3(&cell->placement.R, kinematics_a_L(&b->kin, cell->link).lin);
    b->reading.flags[k] = CELL_VALID;
    b->reading.acceleration[3 * k] = (float)f.x;
    b->reading.acceleration[3 * k + 1] = (float)f.y;
    b->reading.acceleration[3 * k + 2] = (float)f.z;
  }
  skin_fusion_step(&b->fusion, &b->reading);
}

static void take_blocks(struct bench *b) {
  b->n_blocks = 0;
  for (size_t i = 0; i < b->fusion.n_links; i++) {
    const struct link_skin *skin = &b->fusion.link[i];
    struct link_rows *block = &b->block[b->n_blocks++];
    *block = (struct link_rows){.link = skin->link, .rank = skin->rank};
    for (unsigned r = 0; r < skin->rank; r++) {
      memcpy(block->W[r], skin->U[r], sizeof(skin->U[r]));
      memcpy(block->W[r] + PART_PRODUCTS, skin->K[r], sizeof(skin->K[r]));
      block->z[r] = skin->z[r];
    }
  }
}

static void observe(const double *x, double *y, void *context) {
  struct bench *b = context;
  const struct joint_layout *l = &b->layout;
  struct robot_motion motion = {.q = x + l->q, .dq = x + l->dq, .ddq = x + l->ddq};
  motion.base.X_WB = POSE_IDENTITY;
  motion.base.v_B.ang = vec3_from(x + l->omega);
  motion.base.a_B = (struct motion){vec3_from(x + l->omegadot), vec3_from(x + l->force)};
  kinematics_update(&b->kin, &motion);
  for (size_t j = 0; j < l->n; j++) {
    *y++ = x[l->q + j] / b->sd[j];
  }
  for (size_t k = 0; k < b->n_blocks; k++) {
    const struct link_rows *block = &b->block[k];
    double part[PART_SIZE];
    vec3_to(kinematics_a_L(&b->kin, block->link).ang, part + PART_OMEGADOT);
    vec3_to(kinematics_a_L(&b->kin, block->link).lin, part + PART_VDOT);
    vec3_to(kinematics_v_L(&b->kin, block->link).ang, part + PART_OMEGA);
    omega_products(kinematics_v_L(&b->kin, block->link).ang, part + PART_PRODUCTS);
    for (unsigned i = 0; i < block->rank; i++) {
      double sum = 0.0;
      for (unsigned k2 = 0; k2 < PART_SIZE; k2++) {
        sum += block->W[i][k2] * part[k2];
      }
      *y++ = sum;
    }
  }
}

static void advance(const double *in, double *out, void *context) {
  const struct bench *b = context;
  double x[NUMBERS_MAX];
  memcpy(x, b->x,
         b->layout.numbers * sizeof(double)); /* rotations stand behind what is predicted */
  memcpy(x, in, b->layout.size * sizeof(double));
  const struct joint_densities densities = {.bias_time = 2.0};
  joint_process_mean(&b->layout, 1e-3, &densities, x);
  memcpy(out, x, b->layout.size * sizeof(double));
}

static struct joint_densities densities_of(const struct bench *b) {
  return (struct joint_densities){.joint = b->joint_density,
                                  .ang = 1e4,
                                  .lin = 1e4,
                                  .bias = b->bias,
                                  .bias_ang = 1.0,
                                  .bias_time = 2.0};
}

static void prepare(struct bench *b) {
  const struct joint_layout *l = &b->layout;
  const size_t size = l->size;
  for (size_t j = 0; j < l->n; j++) {
    b->joint_density[j] = 1e4;
    b->bias[j] = 1.0;
    b->sd[j] = 1e-3;
    b->used[j] = true;
  }
  still_readings(b);
  const struct joint_densities densities = densities_of(b);
  memset(b->P, 0, size * l->stride * sizeof(double));
  base_process_set_rotation(l, QUAT_IDENTITY, b->x);
  for (size_t i = 0; i < l->n_soles; i++) {
    base_process_set_sole(l, i, QUAT_IDENTITY, b->x);
  }
  joint_covariance_predict(l, 1e-3, &densities, b->x, b->P, b->next);
  matrix_mirror(b->next, l->stride, size);
  for (size_t i = 0; i < size; i++) {
    memcpy(b->Q + i * size, b->next + i * l->stride, size * sizeof(double));
    b->P[i * l->stride + i] = i < l->observed ? 1e-2 : 1e2;
  }
  memcpy(b->dense.x, b->x, size * sizeof(double));
  for (size_t i = 0; i < size; i++) {
    memcpy(b->dense.P + i * size, b->P + i * l->stride, size * sizeof(double));
  }
}

static void predict(struct bench *b) {
  const struct joint_densities densities = densities_of(b);
  joint_covariance_predict(&b->layout, 1e-3, &densities, b->x, b->P, b->next);
  joint_process_mean(&b->layout, 1e-3, &densities, b->x);
  double *P = b->P;
  b->P = b->next;
  b->next = P;
}

/* An instant with skin and encoders. */
static void step_fast(struct bench *b) {
  skin_fusion_step(&b->fusion, &b->reading);
  take_blocks(b);
  predict(b);
  const struct joint_measurement z = {
      .q = b->q, .q_used = b->used, .q_sd = b->sd, .n_blocks = b->n_blocks, .block = b->block};
  if (joint_update_step(&b->fast, &z, b->x, b->P) != STATUS_OK) {
    exit(EXIT_FAILURE);
  }
}

/* An instant between two looks of the skin: encoders and IMU. */
static void step_between(struct bench *b) {
  const struct base_reading imu = {
      .rate_sd = 2e-3,
      .force_sd = 0.05,
      .force = mat3_tmul_vec3(&b->robot->imu_placement.R, (vec3){0.0, 0.0, STANDARD_GRAVITY})};
  predict(b);
  row_update_begin(&b->rows);
  for (size_t j = 0; j < b->layout.n; j++) {
    row_update_row(&b->rows, (b->q[j] - b->x[b->layout.q + j]) / b->sd[j]);
    row_update_term(&b->rows, b->layout.q + j, 1.0 / b->sd[j]);
  }
  base_rows_imu(&b->rows, &b->robot->imu_placement, &imu, b->x);
  row_update_expect(&b->rows, b->P);
  if (row_update_apply(&b->rows, b->x, b->P) != STATUS_OK) {
    exit(EXIT_FAILURE);
  }
  base_process_fold(&b->layout, b->x);
}

static void step_dense(struct bench *b) {
  size_t rows = 0;
  dense_ukf_predict(&b->dense, advance, b, b->Q);
  for (size_t j = 0; j < b->layout.n; j++) {
    b->z[rows++] = b->q[j] / b->sd[j];
  }
  for (size_t k = 0; k < b->n_blocks; k++) {
    memcpy(b->z + rows, b->block[k].z, b->block[k].rank * sizeof(double));
    rows += b->block[k].rank;
  }
  if (dense_ukf_update(&b->dense, observe, b, b->z, rows) != STATUS_OK) {
    exit(EXIT_FAILURE);
  }
}

static void bench_robot(const char *name, const char *skin_name) {
  struct robot_settings settings = {0};
  struct message error;
  snprintf(settings.urdf, sizeof(settings.urdf), "config/robots/%s.urdf", name);
  snprintf(settings.cells, sizeof(settings.cells), "config/robots/%s_cells.csv", name);
  struct bench b = {0};
  if (robot_load(&settings, NULL, &b.robot, &error) != STATUS_OK) {
    fprintf(stderr, "%s\n", error.text);
    exit(EXIT_FAILURE);
  }
  b.layout = joint_layout_of(b.robot->model.n_joints, false, true, FEET);
  struct arena count = {0};
  carve(&b, &count);
  struct arena arena = arena_over(aligned_alloc(ARENA_ALIGN, count.used), count.used);
  carve(&b, &arena);
  prepare(&b);
  double fast[RUNS], between[RUNS], dense[DENSE_RUNS], fusion[RUNS];
  for (size_t run = 0; run < RUNS; run++) { /* one dense step in five of the fast ones: A B A B */
    double start = now_us();
    step_fast(&b);
    fast[run] = now_us() - start;
    start = now_us();
    step_between(&b);
    between[run] = now_us() - start;
    start = now_us();
    skin_fusion_step(&b.fusion, &b.reading);
    fusion[run] = now_us() - start;
    if (run % (RUNS / DENSE_RUNS) == 0) {
      start = now_us();
      step_dense(&b);
      dense[run / (RUNS / DENSE_RUNS)] = now_us() - start;
    }
  }
  const double a = report("ukf", name, fast, RUNS);
  report("ukf_between", name, between, RUNS);
  const double c = report("ukf_dense", name, dense, DENSE_RUNS);
  printf("{\"name\": \"ukf_ratio_%s\", \"value\": %.2f, \"unit\": \"dense/fast\"}\n", name, c / a);
  if (skin_name != NULL) {
    report("skin_fusion", skin_name, fusion, RUNS);
  }
  free(arena.base);
  robot_destroy(b.robot);
}

int main(void) {
  bench_robot("chain9", NULL);
  bench_robot("humanoid30", "1260");
  return EXIT_SUCCESS;
}
