#include "skin/skin_fusion.h"

#include "support/synthetic_robot.h"

#include <lapacke.h>

enum { SIX = SKIN_FUSION_SIZE };

static const double NOISE = 0.34; /* m/s^2, the thesis' cells */

struct fixture {
  struct random rng;
  struct robot *robot;
  struct skin_fusion fusion;
  struct skin_reading reading;
  struct motion *a; /* [n_links] the truth */
  vec3 *omega;      /* [n_links] */
};

static void take_reading(struct fixture *f, double noise) {
  for (size_t k = 0; k < f->robot->n_cells; k++) {
    const struct skin_cell *cell = &f->robot->cell[k];
    const vec3 r = cell->placement.p, w = f->omega[cell->link];
    const struct motion *a = &f->a[cell->link];
    vec3 at = vec3_add(a->lin, vec3_cross(a->ang, r));
    at = vec3_add(at, vec3_cross(w, vec3_cross(w, r)));
    const vec3 y = mat3_tmul_vec3(&cell->placement.R, at);
    f->reading.acceleration[3 * k] = (float)(y.x + noise * random_normal(&f->rng));
    f->reading.acceleration[3 * k + 1] = (float)(y.y + noise * random_normal(&f->rng));
    f->reading.acceleration[3 * k + 2] = (float)(y.z + noise * random_normal(&f->rng));
    f->reading.flags[k] = CELL_VALID;
  }
}

static void draw_motion(struct fixture *f) {
  for (size_t i = 0; i < f->robot->model.n_links; i++) {
    f->a[i] = (struct motion){random_vector(&f->rng, 8.0), random_vector(&f->rng, 8.0)};
    f->omega[i] = random_vector(&f->rng, 3.0);
  }
}

static struct fixture fixture(size_t n_joints, size_t cells_per_link) {
  struct fixture f = {.rng = random_from(test_seed())};
  f.robot = synthetic_robot(n_joints, true, cells_per_link, &f.rng);
  struct arena count = {0};
  ck_assert_int_eq(skin_fusion_init(&f.fusion, f.robot, NOISE, NULL, 80.0, &count), STATUS_OK);
  struct arena arena = arena_over(aligned_alloc(ARENA_ALIGN, count.used), count.used);
  ck_assert_int_eq(skin_fusion_init(&f.fusion, f.robot, NOISE, NULL, 80.0, &arena), STATUS_OK);
  ck_assert_uint_eq(arena.used, count.used);
  const size_t n = f.robot->n_cells;
  f.reading = (struct skin_reading){
      .n_cells = n, .acceleration = calloc(3 * n, sizeof(float)), .flags = calloc(n, 1)};
  f.a = calloc(f.robot->model.n_links, sizeof(*f.a));
  f.omega = calloc(f.robot->model.n_links, sizeof(*f.omega));
  draw_motion(&f);
  take_reading(&f, NOISE);
  return f;
}

/* The stacked problem of (137)-(138) handed to LAPACK as it is printed. */
static void direct_solution(const struct fixture *f, size_t link, double x[SIX]) {
  double H[600 * SIX], y[600];
  lapack_int rows = 0;
  for (size_t k = 0; k < f->robot->n_cells; k++) {
    const struct skin_cell *cell = &f->robot->cell[k];
    if (cell->link != link || f->reading.flags[k] == 0) {
      continue;
    }
    const float *raw = f->reading.acceleration + 3 * k;
    const vec3 r = cell->placement.p, w = f->omega[link];
    const vec3 read = {(double)raw[0], (double)raw[1], (double)raw[2]};
    const vec3 pi = vec3_cross(w, vec3_cross(w, r));
    const vec3 corrected = vec3_sub(mat3_mul_vec3(&cell->placement.R, read), pi);
    const mat3 S = mat3_skew(r);
    for (int i = 0; i < 3; i++, rows++) {
      for (int j = 0; j < 3; j++) {
        H[rows * SIX + j] = -S.m[i][j];
        H[rows * SIX + 3 + j] = i == j ? 1.0 : 0.0;
      }
      y[rows] = i == 0 ? corrected.x : i == 1 ? corrected.y : corrected.z;
    }
  }
  ck_assert_int_eq(LAPACKE_dgels(LAPACK_ROW_MAJOR, 'N', rows, SIX, 1, H, SIX, y, 1), 0);
  memcpy(x, y, SIX * sizeof(double));
}

/* @eq Leboutet22 138 */
START_TEST(fusion_equals_the_stacked_least_squares_problem_solved_directly) {
  struct fixture f = fixture(5, 37);
  for (int set = 0; set < 20; set++) {
    for (size_t k = 0; k < f.robot->n_cells; k++) {
      f.reading.flags[k] = random_uniform(&f.rng, 0, 1) < 0.3 ? 0 : CELL_VALID;
    }
    ck_assert_int_eq(skin_fusion_step(&f.fusion, &f.reading), STATUS_OK);
    for (size_t i = 0; i < f.fusion.n_links; i++) {
      const struct link_skin *link = &f.fusion.link[i];
      double direct[SIX];
      direct_solution(&f, link->link, direct);
      struct motion a;
      ck_assert_int_eq(skin_fusion_solve(link, f.omega[link->link], &a, NULL), STATUS_OK);
      /* float products: 1e-7 of 10 m/s^2 over 6 cm */
      ck_assert_double_le(vec3_norm(vec3_sub(a.ang, vec3_from(direct))), 2e-4);
      ck_assert_double_le(vec3_norm(vec3_sub(a.lin, vec3_from(direct + 3))), 5e-5);
    }
  }
}
END_TEST

START_TEST(the_error_of_the_fused_acceleration_lies_inside_its_own_covariance) {
  struct fixture f = fixture(3, 12);
  double sum = 0.0;
  int count = 0;
  for (int trial = 0; trial < 2000; trial++) {
    draw_motion(&f);
    take_reading(&f, NOISE);
    ck_assert_int_eq(skin_fusion_step(&f.fusion, &f.reading), STATUS_OK);
    for (size_t i = 0; i < f.fusion.n_links; i++, count++) {
      struct motion a;
      double P[SIX][SIX];
      const vec3 w = f.omega[i];
      ck_assert_int_eq(skin_fusion_solve(&f.fusion.link[i], w, &a, P), STATUS_OK);
      double e[SIX], solved[SIX];
      vec3_to(vec3_sub(a.ang, f.a[i].ang), e);
      vec3_to(vec3_sub(a.lin, f.a[i].lin), e + 3);
      memcpy(solved, e, sizeof(e));
      ck_assert_int_eq(LAPACKE_dposv(LAPACK_ROW_MAJOR, 'L', SIX, 1, &P[0][0], SIX, solved, 1), 0);
      for (int k = 0; k < SIX; k++) {
        sum += e[k] * solved[k];
      }
    }
  }
  /* chi-square of 6 x 8000 degrees of freedom: mean 6, deviation sqrt(12/8000); four of them */
  assert_near(sum / count, 6.0, 4.0 * sqrt(12.0 / count));
}
END_TEST

/* The cells' readings differentiated from places of a body that really moves.
 * @eq Leboutet22 134 @eq Leboutet22 135 */
START_TEST(the_rigid_body_formula_is_the_second_derivative_of_a_moving_point) {
  struct fixture f = fixture(1, 10);
  const vec3 w0 = {1.0, -2.0, 0.7}, alpha = {-3.0, 4.0, 5.0}, acc = {2.0, 1.0, -4.0};
  const double h = 1e-3;
  f.omega[0] = w0;
  f.a[0] = (struct motion){alpha, acc};
  take_reading(&f, 0.0);
  ck_assert_int_eq(skin_fusion_step(&f.fusion, &f.reading), STATUS_OK);
  const struct link_skin *link = &f.fusion.link[0];
  for (size_t k = 0; k < link->n_cells; k++) {
    const vec3 r = f.robot->cell[link->cell[k]].placement.p;
    vec3 at[3];
    for (int s = -1; s <= 1; s++) {
      /* R(t) to third order about t = 0: a frame turning with w(t) = w0 + alpha t (body rates) */
      const double t = s * h;
      const vec3 phi = vec3_axpy(vec3_scale(t, w0), 0.5 * t * t, alpha);
      const vec3 commutator = vec3_scale(t * t * t / 12.0, vec3_cross(w0, alpha));
      const mat3 R = mat3_from_quat(quat_from_rotation_vector(vec3_add(phi, commutator)));
      at[s + 1] = vec3_axpy(mat3_mul_vec3(&R, r), 0.5 * t * t, acc);
    }
    const vec3 second =
        vec3_scale(1.0 / (h * h), vec3_add(vec3_sub(at[2], vec3_scale(2.0, at[1])), at[0]));
    const struct force_field field = force_field_of(w0, &f.a[0]);
    const vec3 formula = skin_fusion_predict(link, k, &field);
    ck_assert_double_le(vec3_norm(vec3_sub(second, formula)), 1e-5);
  }
  struct motion a;
  ck_assert_int_eq(skin_fusion_solve(link, w0, &a, NULL), STATUS_OK);
  ck_assert_double_le(vec3_norm(vec3_sub(a.ang, alpha)), 2e-4);
  ck_assert_double_le(vec3_norm(vec3_sub(a.lin, acc)), 5e-5);
}
END_TEST

START_TEST(two_cells_give_rank_five_and_no_solution_and_out_is_untouched) {
  struct fixture f = fixture(1, 9);
  const struct link_skin *link = &f.fusion.link[0];
  for (size_t k = 2; k < link->n_cells; k++) {
    skin_fusion_mask(&f.fusion, link->cell[k], true);
  }
  ck_assert_int_eq(skin_fusion_step(&f.fusion, &f.reading), STATUS_OK);
  ck_assert_uint_eq(link->rank, 5);
  struct motion a = {{1, 2, 3}, {4, 5, 6}};
  ck_assert_int_eq(skin_fusion_solve(link, f.omega[0], &a, NULL), STATUS_TOO_FEW);
  ck_assert_double_eq(a.ang.x, 1.0);
  ck_assert_double_eq(a.lin.z, 6.0);
}
END_TEST

/* What remains observable is still measured right: U x + K p predicts z of the noise-free reading.
 * @eq Leboutet22 144: the centripetal term, placed in the prediction. */
START_TEST(any_set_of_cells_predicts_its_own_observable_part) {
  for (size_t n_used = 0; n_used < 9; n_used++) {
    struct fixture f = fixture(2, 9);
    take_reading(&f, 0.0);
    for (size_t i = 0; i < f.fusion.n_links; i++) {
      for (size_t k = n_used; k < f.fusion.link[i].n_cells; k++) {
        skin_fusion_mask(&f.fusion, f.fusion.link[i].cell[k], true);
      }
    }
    ck_assert_int_eq(skin_fusion_step(&f.fusion, &f.reading), STATUS_OK);
    const unsigned expected[] = {0, 3, 5, 6};
    for (size_t i = 0; i < f.fusion.n_links; i++) {
      const struct link_skin *link = &f.fusion.link[i];
      ck_assert_uint_eq(link->rank, expected[n_used < 3 ? n_used : 3]);
      double x[SIX], p[SIX];
      vec3_to(f.a[link->link].ang, x);
      vec3_to(f.a[link->link].lin, x + 3);
      omega_products(f.omega[link->link], p);
      for (unsigned row = 0; row < link->rank; row++) {
        double z = 0.0;
        for (int j = 0; j < SIX; j++) {
          z += link->U[row][j] * x[j] + link->K[row][j] * p[j];
        }
        assert_near(link->z[row], z, 2e-3); /* of unit variance */
      }
    }
  }
}
END_TEST

START_TEST(cells_in_a_line_leave_the_turn_about_the_line_unobserved) {
  struct fixture f = fixture(1, 9);
  for (size_t k = 0; k < f.robot->n_cells; k++) {
    f.robot->cell[k].placement.p = (vec3){0.1, 0.02 * (double)k, -0.05};
  }
  struct arena count = {0};
  ck_assert_int_eq(skin_fusion_init(&f.fusion, f.robot, NOISE, NULL, 80.0, &count), STATUS_OK);
  struct arena arena = arena_over(aligned_alloc(ARENA_ALIGN, count.used), count.used);
  ck_assert_int_eq(skin_fusion_init(&f.fusion, f.robot, NOISE, NULL, 80.0, &arena), STATUS_OK);
  take_reading(&f, NOISE);
  ck_assert_int_eq(skin_fusion_step(&f.fusion, &f.reading), STATUS_OK);
  for (size_t i = 0; i < f.fusion.n_links; i++) {
    const struct link_skin *link = &f.fusion.link[i];
    ck_assert_uint_eq(link->rank, 5);
    /* a turn about the line through the cells moves none of them */
    const vec3 about = {0.0, 1.0, 0.0}, through = {0.1, 0.0, -0.05};
    const vec3 lin = vec3_neg(vec3_cross(about, through));
    const double x[SIX] = {about.x, about.y, about.z, lin.x, lin.y, lin.z};
    for (unsigned row = 0; row < link->rank; row++) {
      double z = 0.0;
      for (int j = 0; j < SIX; j++) {
        z += link->U[row][j] * x[j];
      }
      assert_near(z, 0.0, 1e-9);
    }
  }
}
END_TEST

START_TEST(bad_readings_of_every_kind_equal_the_cell_being_absent) {
  const float bad[] = {NAN, INFINITY, -INFINITY, 1e30f, 80.0f, -500.0f};
  for (size_t b = 0; b < sizeof(bad) / sizeof(bad[0]); b++) {
    for (size_t axis = 0; axis < 3; axis++) {
      struct fixture f = fixture(1, 8), g = fixture(1, 8);
      f.reading.acceleration[3 * 4 + axis] = bad[b];
      g.reading.flags[4] = 0;
      ck_assert_int_eq(skin_fusion_step(&f.fusion, &f.reading), STATUS_OK);
      ck_assert_int_eq(skin_fusion_step(&g.fusion, &g.reading), STATUS_OK);
      ck_assert_uint_eq(f.fusion.rejected, 1);
      for (size_t i = 0; i < f.fusion.n_links; i++) {
        ck_assert_mem_eq(f.fusion.link[i].z, g.fusion.link[i].z, sizeof(f.fusion.link[i].z));
      }
    }
  }
}
END_TEST

START_TEST(the_factor_is_computed_only_when_the_set_changes) {
  struct fixture f = fixture(3, 8);
  for (int step = 0; step < 10; step++) {
    ck_assert_int_eq(skin_fusion_step(&f.fusion, &f.reading), STATUS_OK);
  }
  ck_assert_uint_eq(f.fusion.refactored, f.fusion.n_links);
  skin_fusion_mask(&f.fusion, 5, true);
  ck_assert_int_eq(skin_fusion_step(&f.fusion, &f.reading), STATUS_OK);
  ck_assert_uint_eq(f.fusion.refactored, f.fusion.n_links + 1);
}
END_TEST

START_TEST(a_reading_of_another_size_is_refused_and_changes_nothing) {
  struct fixture f = fixture(2, 8);
  ck_assert_int_eq(skin_fusion_step(&f.fusion, &f.reading), STATUS_OK);
  const struct link_skin before = f.fusion.link[1];
  f.reading.n_cells--;
  ck_assert_int_eq(skin_fusion_step(&f.fusion, &f.reading), STATUS_BAD_ARGUMENT);
  ck_assert_mem_eq(&before, &f.fusion.link[1], sizeof(before));
}
END_TEST

SUITE(fusion_equals_the_stacked_least_squares_problem_solved_directly,
      the_error_of_the_fused_acceleration_lies_inside_its_own_covariance,
      the_rigid_body_formula_is_the_second_derivative_of_a_moving_point,
      two_cells_give_rank_five_and_no_solution_and_out_is_untouched,
      any_set_of_cells_predicts_its_own_observable_part,
      cells_in_a_line_leave_the_turn_about_the_line_unobserved,
      bad_readings_of_every_kind_equal_the_cell_being_absent,
      the_factor_is_computed_only_when_the_set_changes,
      a_reading_of_another_size_is_refused_and_changes_nothing)
