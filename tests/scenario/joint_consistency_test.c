/* The filter's covariance says what its errors are: truth drawn from its own model, 200 seeds. */
#include "numerics/dense_matrix.h"
#include "support/joint_update_fixture.h"

enum { SEEDS = 200, STEPS = 40 };
static const double DT = 5e-3; /* s */

/* Two-sided 95 % of a mean of `dof` squared standard normals, in deviations of it. */
static const double BAND = 1.96;

struct world {
  struct fixture f;
  double density[16], bias[16];
  struct joint_densities densities;
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

static struct world *new_world(bool with_biases) {
  struct world *w = calloc(1, sizeof(*w));
  w->f = fixture(with_biases ? 8 : 9, true, false, 6, 1.0);
  struct joint_layout *l = &w->f.layout;
  w->f.fast.layout = w->f.fast.points.layout = l;
  for (size_t j = 0; j < l->n; j++) {
    w->density[j] = 1e3;
    w->bias[j] = 0.3;
  }
  w->densities = (struct joint_densities){.joint = w->density,
                                          .ang = 1e2,
                                          .lin = 1e2,
                                          .bias = w->bias,
                                          .bias_ang = 0.2,
                                          .bias_time = 1.0};
  w->truth = calloc(l->size, sizeof(double));
  w->next = new_square(l);
  w->Q = new_square(l);
  w->L = new_square(l);
  double *nothing = new_square(l);
  joint_process_covariance(l, DT, &w->densities, nothing, w->Q);
  for (size_t i = 0; i < l->size; i++) {
    w->Q[i * (l->stride + 1)] *= 1.0 + 1e-12; /* nearly singular by nature */
  }
  ck_assert(matrix_cholesky(w->Q, l->stride, l->size, 0.0));
  return w;
}

/* A new robot's run: prior and a truth drawn from it. */
static void begin_run(struct world *w) {
  const struct joint_layout *l = &w->f.layout;
  draw_prior(&w->f, 1.0);
  memcpy(w->L, w->f.P, l->size * l->stride * sizeof(double));
  ck_assert(matrix_cholesky(w->L, l->stride, l->size, 0.0));
  memcpy(w->truth, w->f.x, l->size * sizeof(double));
  multiply_factor(l, w->L, &w->f.rng, w->truth);
}

static void advance_truth(struct world *w) {
  joint_process_mean(&w->f.layout, DT, &w->densities, w->truth);
  multiply_factor(&w->f.layout, w->Q, &w->f.rng, w->truth);
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
}

/* One step of the filter, which believes that the process is `believed` times as lively. */
static void step_filter(struct world *w, double believed) {
  struct fixture *f = &w->f;
  struct joint_densities densities = w->densities;
  double density[16];
  for (size_t j = 0; j < f->layout.n; j++) {
    density[j] = believed * w->density[j];
  }
  densities.joint = density;
  densities.ang *= believed;
  densities.lin *= believed;
  joint_process_mean(&f->layout, DT, &densities, f->x);
  joint_process_covariance(&f->layout, DT, &densities, f->P, w->next);
  memcpy(f->P, w->next, f->layout.size * f->layout.stride * sizeof(double));
  const struct joint_measurement z = {
      .q = f->q, .q_used = f->q_used, .q_sd = f->q_sd, .n_blocks = f->n_blocks, .block = f->block};
  ck_assert_int_eq(joint_update_step(&f->fast, &z, f->x, f->P), STATUS_OK);
}

static double nees_of(struct world *w) {
  const struct joint_layout *l = &w->f.layout;
  double e[200];
  for (size_t i = 0; i < l->size; i++) {
    e[i] = w->f.x[i] - w->truth[i];
  }
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
      step_filter(w, believed);
    }
    sum.nees += nees_of(w);
    sum.nis += w->f.fast.nis; /* of the last step: seeds are independent, steps nearly */
    sum.nees_dof += (double)w->f.layout.size;
    sum.nis_dof += (double)w->f.fast.rows;
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
