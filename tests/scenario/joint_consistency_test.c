/* The filter's covariance says what its errors are: truth drawn from its own model, 200 seeds; with
 * the base's attitude, velocity and position, the IMU's biases and the feet among it. */
#include "numerics/matrix_cholesky.h"
#include "numerics/matrix_products.h"
#include "process/base_process.h"
#include "process/joint_covariance.h"
#include "support/joint_update_fixture.h"
#include "update/base_rows.h"

enum { SEEDS = 200, STEPS = 40 };
static const double DT = 5e-3; /* s */
/* One IMU reading, rad/s and m/s^2; attitude and ground heights told, rad and m. */
static const double GYRO_SD = 2e-3, FORCE_SD = 0.05, TURN_SD = 5e-3, HEIGHT_SD = 5e-3;

/* Two-sided 95 % of a mean of `dof` squared standard normals, in deviations of it. */
static const double BAND = 1.96;

struct world {
  struct fixture f;
  double density[16], bias[16];
  struct joint_densities densities;
  struct row_update rows;
  struct base_reading imu;
  quat attitude;    /* as measured */
  double height[2]; /* m: under each foot, as measured */
  double *truth, *Q, *next, *L;
};

static void multiply_factor(const struct joint_layout *l, const double *R, struct random *rng,
                            double *x) {
  for (size_t k = 0; k < l->size; k++) {
    const double e = random_normal(rng);
    for (size_t i = k; i < l->size; i++) {
      x[i] += e * R[k * l->stride + i];
    }
  }
}

static double *new_square(const struct joint_layout *l) {
  double *P = aligned_alloc(64, l->size * l->stride * sizeof(double));
  memset(P, 0, l->size * l->stride * sizeof(double));
  return P;
}

/* The factor of Q: the chains' part is dense, behind it each state walks alone or not at all. */
static void factor_noise(struct world *w) {
  const struct joint_layout *l = &w->f.layout;
  double *nothing = new_square(l);
  joint_covariance_predict(l, DT, &w->densities, w->f.x, nothing, w->Q);
  for (size_t i = 0; i < l->attitude; i++) {
    w->Q[i * (l->stride + 1)] *= 1.0 + 1e-12; /* nearly singular by nature */
  }
  ck_assert(matrix_cholesky(w->Q, l->stride, l->attitude, 0.0));
  for (size_t i = l->attitude; i < l->size; i++) {
    w->Q[i * (l->stride + 1)] = sqrt(w->Q[i * (l->stride + 1)]);
  }
  free(nothing);
}

static struct world *new_world(bool with_biases) {
  struct world *w = calloc(1, sizeof(*w));
  w->f = fixture(with_biases ? 8 : 9, true, false, 6, 1.0);
  struct joint_layout *l = &w->f.layout;
  w->f.fast.layout = w->f.fast.points.layout = l;
  for (size_t j = 0; j < l->n; j++) {
    w->density[j] = 1e3;
    w->bias[j] = 0.3;
  }
  static const double linear[3] = {0.2, 0.2, 0.2};
  w->densities = (struct joint_densities){.joint = w->density,
                                          .ang = 1e2,
                                          .lin = 1e2,
                                          .bias = w->bias,
                                          .bias_ang = 0.2,
                                          .bias_lin = linear,
                                          .bias_time = 1.0,
                                          .velocity = 1e-4,
                                          .gyro_bias = 1e-5,
                                          .accelerometer_bias = 1e-4,
                                          .foot = 1e-5,
                                          .sole = {1e-5, 1e-5}};
  w->truth = calloc(l->numbers, sizeof(double));
  struct arena arena = {0};
  for (int pass = 0; pass < 2; pass++) {
    arena = pass == 0 ? arena : arena_of(arena.used);
    ck_assert_int_eq(row_update_init(&w->rows, l, 16, &arena), STATUS_OK);
  }
  w->next = new_square(l);
  w->Q = new_square(l);
  w->L = new_square(l);
  factor_noise(w);
  return w;
}

/* A new robot's run: prior and a truth drawn from it. */
static void begin_run(struct world *w) {
  const struct joint_layout *l = &w->f.layout;
  draw_prior(&w->f, 1.0);
  memcpy(w->L, w->f.P, l->size * l->stride * sizeof(double));
  ck_assert(matrix_cholesky(w->L, l->stride, l->size, 0.0));
  memcpy(w->truth, w->f.x, l->numbers * sizeof(double));
  multiply_factor(l, w->L, &w->f.rng, w->truth);
  base_process_fold(l, w->truth);
}

static void advance_truth(struct world *w) {
  joint_process_mean(&w->f.layout, DT, &w->densities, w->truth);
  multiply_factor(&w->f.layout, w->Q, &w->f.rng, w->truth);
  base_process_fold(&w->f.layout, w->truth);
}

static vec3 scatter(struct world *w, vec3 v, double sd) {
  struct random *rng = &w->f.rng;
  return (vec3){v.x + sd * random_normal(rng), v.y + sd * random_normal(rng),
                v.z + sd * random_normal(rng)};
}

/* What IMU, attitude and ground say about the truth. */
static void read_base(struct world *w, double noise) {
  const struct joint_layout *l = &w->f.layout;
  const struct pose *imu = &w->f.robot->imu_placement;
  double x[400];
  memcpy(x, w->truth, l->numbers * sizeof(double));
  joint_process_unbias(l, x);
  const struct motion a = {vec3_from(x + l->omegadot), vec3_from(x + l->force)};
  const vec3 omega = vec3_from(x + l->omega);
  const vec3 rate = vec3_add(omega, vec3_from(x + l->gyro_bias));
  const vec3 force =
      vec3_add(point_acceleration(&a, omega, imu->p), vec3_from(x + l->accelerometer_bias));
  w->imu.rate = scatter(w, mat3_tmul_vec3(&imu->R, rate), noise * GYRO_SD);
  w->imu.force = scatter(w, mat3_tmul_vec3(&imu->R, force), noise * FORCE_SD);
  w->imu.rate_sd = GYRO_SD;
  w->imu.force_sd = FORCE_SD;
  const quat off = quat_from_rotation_vector(scatter(w, VEC3_ZERO, noise * TURN_SD));
  w->attitude = quat_mul(base_process_rotation(l, x), off);
  for (size_t i = 0; i < 2; i++) {
    w->height[i] = x[l->foot + 3 * i + 2] + noise * HEIGHT_SD * random_normal(&w->f.rng);
  }
}

/* Takes them. Returns their normalised innovation and adds their number to `rows`. */
static double update_base(struct world *w, size_t *rows) {
  struct fixture *f = &w->f;
  row_update_begin(&w->rows);
  base_rows_imu(&w->rows, &f->robot->imu_placement, &w->imu, f->x);
  base_rows_orientation(&w->rows, w->attitude, TURN_SD, f->x);
  for (size_t i = 0; i < 2; i++) {
    base_rows_height(&w->rows, i, w->height[i], HEIGHT_SD, f->x);
  }
  row_update_expect(&w->rows, f->P);
  ck_assert_int_eq(row_update_apply(&w->rows, f->x, f->P), STATUS_OK);
  base_process_fold(&f->layout, f->x);
  *rows += w->rows.rows;
  return w->rows.nis;
}

/* Readings of the truth with noise of `noise` deviations. */
static void read_truth(struct world *w, double noise) {
  double z[300];
  struct fixture *f = &w->f;
  observe(w->truth, z, f);
  size_t row = 0;
  for (size_t j = 0; j < f->layout.n; j++) {
    if (f->q_used[j]) {
      f->q[j] = (z[row++] + noise * random_normal(&f->rng)) * f->q_sd[j];
    }
  }
  for (size_t b = 0; b < f->n_blocks; b++) {
    for (unsigned i = 0; i < f->block[b].rank; i++) {
      f->block[b].z[i] = z[row++] + noise * random_normal(&f->rng);
    }
  }
  read_base(w, noise);
}

/* One step of the filter, which believes that the process is `believed` times as lively. Returns
 * the normalised innovation of all rows. */
static double step_filter(struct world *w, double believed, size_t *rows) {
  struct fixture *f = &w->f;
  struct joint_densities densities = w->densities;
  double density[16];
  for (size_t j = 0; j < f->layout.n; j++) {
    density[j] = believed * w->density[j];
  }
  densities.joint = density;
  densities.ang *= believed;
  densities.lin *= believed;
  joint_covariance_predict(&f->layout, DT, &densities, f->x, f->P, w->next);
  joint_process_mean(&f->layout, DT, &densities, f->x);
  matrix_mirror(w->next, f->layout.stride, f->layout.size);
  memcpy(f->P, w->next, f->layout.size * f->layout.stride * sizeof(double));
  *rows = 0;
  const double nis = update_base(w, rows);
  const struct joint_measurement z = {
      .q = f->q, .q_used = f->q_used, .q_sd = f->q_sd, .n_blocks = f->n_blocks, .block = f->block};
  ck_assert_int_eq(joint_update_step(&f->fast, &z, f->x, f->P), STATUS_OK);
  base_process_fold(&f->layout, f->x);
  *rows += f->fast.rows;
  return nis + f->fast.nis;
}

/* Rotation errors as rotation vectors, the truth's axes. */
static void error_of(const struct joint_layout *l, const double *x, const double *truth,
                     double *e) {
  for (size_t i = 0; i < l->size; i++) {
    e[i] = x[i] - truth[i];
  }
  for (size_t r = 0; r <= l->n_soles; r++) {
    const double *a = x + l->rotation + 4 * r, *b = truth + l->rotation + 4 * r;
    const quat q = {a[0], a[1], a[2], a[3]}, back = {-b[0], -b[1], -b[2], b[3]};
    vec3_to(quat_to_rotation_vector(quat_mul(back, q)),
            e + (r == 0 ? l->attitude : l->sole + 3 * (r - 1)));
  }
}

static double nees_of(struct world *w) {
  const struct joint_layout *l = &w->f.layout;
  double e[400];
  error_of(l, w->f.x, w->truth, e);
  memcpy(w->L, w->f.P, l->size * l->stride * sizeof(double));
  ck_assert(matrix_cholesky(w->L, l->stride, l->size, 0.0));
  matrix_solve_transposed(w->L, l->stride, l->size, e);
  return matrix_dot(e, e, l->size);
}

struct consistency {
  double nees, nis;         /* per degree of freedom */
  double nees_dof, nis_dof; /* degrees of freedom in all */
};

static struct consistency run_seeds(bool with_biases, double believed, double noise) {
  struct world *w = new_world(with_biases);
  struct consistency sum = {0};
  for (int seed = 0; seed < SEEDS; seed++) {
    begin_run(w);
    for (int step = 0; step < STEPS; step++) {
      advance_truth(w);
      read_truth(w, noise);
      size_t rows = 0;
      const double nis = step_filter(w, believed, &rows);
      if (step >= STEPS / 2) { /* settled; innovations of different steps are independent */
        sum.nis += nis;
        sum.nis_dof += (double)rows;
      }
    }
    sum.nees += nees_of(w);
    sum.nees_dof += (double)w->f.layout.size;
  }
  sum.nees /= sum.nees_dof;
  sum.nis /= sum.nis_dof;
  return sum;
}

static bool inside(double mean, double dof) {
  return fabs(mean - 1.0) <= BAND * sqrt(2.0 / dof);
}

START_TEST(nees_and_nis_lie_inside_the_95_percent_band_over_200_seeds) {
  for (int with_biases = 0; with_biases < 2; with_biases++) {
    const struct consistency c = run_seeds(with_biases, 1.0, 1.0);
    printf("NEES %.4f of %.0f, NIS %.4f of %.0f\n", c.nees, c.nees_dof, c.nis, c.nis_dof);
    ck_assert_msg(inside(c.nees, c.nees_dof), "NEES %.4f of %.0f degrees", c.nees, c.nees_dof);
    ck_assert_msg(inside(c.nis, c.nis_dof), "NIS %.4f of %.0f degrees", c.nis, c.nis_dof);
  }
}
END_TEST

START_TEST(a_wrong_process_or_measurement_noise_falls_outside_the_band) {
  const double believed[] = {0.1, 10.0, 1.0, 1.0}, noise[] = {1.0, 1.0, 1.3, 0.75};
  for (int k = 0; k < 4; k++) {
    const struct consistency c = run_seeds(false, believed[k], noise[k]);
    ck_assert_msg(!inside(c.nees, c.nees_dof) || !inside(c.nis, c.nis_dof),
                  "case %d passes: NEES %.4f, NIS %.4f", k, c.nees, c.nis);
  }
}
END_TEST

SUITE(nees_and_nis_lie_inside_the_95_percent_band_over_200_seeds,
      a_wrong_process_or_measurement_noise_falls_outside_the_band)
