#include "identify/shape/shaped_fit.h"

#include "inertia/pseudo_inertia.h"
#include "support/random_model.h"
#include "support/suite.h"

#include <math.h>
#include <string.h>

enum { POINTS = 12, ROWS = 40, TEN = CONVEX_TEN };

static const struct pose placed = {{{{0.0, -1.0, 0.0}, {1.0, 0.0, 0.0}, {0.0, 0.0, 1.0}}},
                                   {0.1, 0.2, -0.3}};
static const vec3 edges = {0.2, 0.1, 0.4};
static const char names[4][SHAPE_NAME] = {"upper", "lower", "left", "right"};

/* Point masses at `at` [n], each of 0.5 kg. */
static struct inertia of_points(const vec3 *at, size_t n) {
  double pi[TEN] = {0.0};
  for (size_t i = 0; i < n; i++) {
    const struct inertia one = inertia_of_body(0.5, at[i], &(mat3){{{0.0}}});
    double more[TEN];
    inertia_to(&one, more);
    for (int k = 0; k < TEN; k++) {
      pi[k] += more[k];
    }
  }
  return inertia_from(pi);
}

static vec3 in_box(struct random *random, vec3 size) {
  const double x = random_uniform(random, -0.5, 0.5), y = random_uniform(random, -0.5, 0.5),
               z = random_uniform(random, -0.5, 0.5);
  const vec3 inside = {x * size.x, y * size.y, z * size.z};
  return vec3_add(placed.p, mat3_mul_vec3(&placed.R, inside));
}

static bool is_in(const struct shape_piece *piece, const struct inertia *body) {
  double pi[TEN];
  bool in = true;
  inertia_to(body, pi);
  for (size_t c = 0; c < piece->n_cones; c++) {
    double F[CONE_ENTRIES], L[CONE_ENTRIES];
    cone_at(&piece->cone[c], pi, F);
    in = in && cone_factor(F, piece->cone[c].size, L);
  }
  return in;
}

/* @eq Wensing17 23 @eq Leboutet22 180 */
START_TEST(mass_within_a_box_keeps_its_constraints_and_mass_beyond_breaks_them) {
  struct random random = random_from(test_seed());
  struct body_shapes shapes;
  ck_assert_int_eq(body_shapes_init(&shapes, 2), STATUS_OK);
  ck_assert_int_eq(body_add_box(&shapes.body[0], &placed, edges, "box"), STATUS_OK);
  ck_assert_int_eq(body_add_cylinder(&shapes.body[1], &placed, 0.12, 0.4, "cylinder"), STATUS_OK);
  for (int run = 0; run < 200; run++) {
    vec3 at[POINTS];
    for (int i = 0; i < POINTS; i++) {
      at[i] = in_box(&random, edges);
    }
    struct inertia body = of_points(at, POINTS);
    ck_assert(is_in(&shapes.body[0].piece[0], &body));
    ck_assert(is_in(&shapes.body[1].piece[0], &body)); /* the box is inside of the cylinder */
    for (int i = 0; i < POINTS; i++) {                 /* pushed out along its x by an edge */
      at[i] = vec3_axpy(at[i], edges.x, mat3_mul_vec3(&placed.R, (vec3){1.0, 0.0, 0.0}));
    }
    body = of_points(at, POINTS);
    ck_assert(!is_in(&shapes.body[0].piece[0], &body));
  }
  body_shapes_free(&shapes);
}
END_TEST

START_TEST(the_ellipsoid_around_points_holds_them_all_and_is_little_larger) {
  struct random random = random_from(test_seed());
  struct body_shapes shapes;
  vec3 at[60];
  ck_assert_int_eq(body_shapes_init(&shapes, 1), STATUS_OK);
  for (int i = 0; i < 60; i++) { /* on a sphere of 10 cm */
    const vec3 way = random_vec3(&random, 1.0);
    at[i] = vec3_axpy(placed.p, 0.1 / vec3_norm(way), way);
  }
  ck_assert_int_eq(body_add_points(&shapes.body[0], at, 60, 0.005, "skin"), STATUS_OK);
  const struct shape_piece *piece = &shapes.body[0].piece[0];
  ck_assert_uint_eq(piece->n_cones, 27);
  for (int i = 0; i < 60; i++) {
    const struct inertia there = inertia_of_body(1.0, at[i], &(mat3){{{0.0}}});
    ck_assert(is_in(piece, &there));
  }
  const double(*Q)[3] = piece->within.Q.m;
  const vec3 row[3] = {
      {Q[0][0], Q[0][1], Q[0][2]}, {Q[1][0], Q[1][1], Q[1][2]}, {Q[2][0], Q[2][1], Q[2][2]}};
  const double volume = sqrt(vec3_dot(vec3_cross(row[0], row[1]), row[2]));
  ck_assert_double_gt(volume, 0.7 * 0.1 * 0.1 * 0.1);
  ck_assert_double_lt(volume, 1.3 * 0.105 * 0.105 * 0.105);
  body_shapes_free(&shapes);
}
END_TEST

START_TEST(a_mirrored_body_is_made_of_mirrored_mass) {
  struct random random = random_from(test_seed());
  for (int axis = 0; axis < 3; axis++) {
    struct body_shape body = {.n_pieces = 0};
    vec3 at[POINTS], turned[POINTS];
    double here[TEN], there[TEN];
    for (int i = 0; i < POINTS; i++) {
      at[i] = turned[i] = random_vec3(&random, 0.3);
      double *const part[] = {&turned[i].x, &turned[i].y, &turned[i].z};
      *part[axis] = -*part[axis];
    }
    const struct inertia one = of_points(at, POINTS), other = of_points(turned, POINTS);
    inertia_to(&one, here);
    inertia_to(&other, there);
    body_mirror(&body, 0, axis);
    for (int k = 0; k < TEN; k++) {
      assert_near(body.sign[k] * here[k], there[k], 1e-12);
    }
  }
}
END_TEST

START_TEST(constraints_that_exclude_each_other_are_named_and_no_others) {
  struct body_shapes shapes;
  struct message error;
  const struct inertia prior = inertia_of_body(
      2.0, placed.p, &(mat3){{{0.02, 0.0, 0.0}, {0.0, 0.02, 0.0}, {0.0, 0.0, 0.02}}});
  const struct inertia priors[2] = {prior, prior};
  const struct pose elsewhere = {MAT3_IDENTITY, {0.1, 0.5, -0.3}};
  const struct ellipsoid there = ellipsoid_from_axes(&elsewhere, (vec3){0.05, 0.05, 0.05});
  ck_assert_int_eq(body_shapes_init(&shapes, 2), STATUS_OK);
  ck_assert_int_eq(body_add_box(&shapes.body[1], &placed, edges, "box 1"), STATUS_OK);
  ck_assert_int_eq(body_bound_mass(&shapes.body[1], 1.0, 3.0), STATUS_OK);
  ck_assert_int_eq(body_shapes_begin(&shapes, priors, names, &error), STATUS_OK);
  ck_assert(is_in(&shapes.body[1].piece[0], &shapes.body[1].piece[0].start));
  ck_assert(is_in(&shapes.body[1].total, &shapes.body[1].piece[0].start));
  ck_assert_int_eq(body_bound_com(&shapes.body[1], &there), STATUS_OK);
  ck_assert_int_eq(body_shapes_begin(&shapes, priors, names, &error), STATUS_REFUSED);
  ck_assert_str_eq(error.text, "link 'lower': no body can be in box 1 and com");
  body_shapes_free(&shapes);
}
END_TEST

/* Four bodies: one in two boxes, one of any shape, one that is fixed, one mirroring the second. */
static void four_bodies(struct body_shapes *shapes, const struct inertia *prior) {
  struct message error;
  const struct pose other = {MAT3_IDENTITY, {-0.2, 0.0, 0.1}};
  ck_assert_int_eq(body_shapes_init(shapes, 4), STATUS_OK);
  ck_assert_int_eq(body_add_box(&shapes->body[0], &placed, edges, "box 1"), STATUS_OK);
  ck_assert_int_eq(body_add_box(&shapes->body[0], &other, edges, "box 2"), STATUS_OK);
  body_fix(&shapes->body[2]);
  body_mirror(&shapes->body[3], 1, 1);
  ck_assert_int_eq(body_shapes_begin(shapes, prior, names, &error), STATUS_OK);
}

/* Rows that tell everything but how a sum is split. */
static void random_rows(struct random *random, struct convex_fit *whole, const double *truth,
                        double noise) {
  for (int r = 0; r < ROWS * 4; r++) {
    double Y[4 * TEN + 1], z = 0.0;
    for (int i = 0; i < 4 * TEN + 1; i++) {
      Y[i] = random_normal(random);
      z += Y[i] * truth[i];
    }
    convex_row(whole, Y, z + noise * random_normal(random), 1e-6);
  }
}

/* @eq Wensing17 22 23 */
START_TEST(a_fit_keeps_all_rules_and_finds_a_truth_that_keeps_them) {
  struct random random = random_from(test_seed());
  struct body_shapes shapes;
  struct convex_fit whole;
  struct shaped_fit fit;
  struct convex_solution solution;
  struct inertia prior[4];
  double truth[4 * TEN + 1], other = 0.5;
  vec3 at[2 * POINTS];
  for (int i = 0; i < 4; i++) {
    prior[i] = random_inertia_near(&random, placed.p);
  }
  for (int i = 0; i < 2 * POINTS; i++) { /* mass in both boxes */
    at[i] = in_box(&random, edges);
    at[i] = i % 2 == 0 ? at[i] : (vec3){-0.2 + 0.1 * sin(i), 0.05 * cos(i), 0.1 + 0.2 * sin(3 * i)};
  }
  const struct inertia spread = of_points(at, 2 * POINTS),
                       free = random_inertia_near(&random, at[0]);
  four_bodies(&shapes, prior);
  inertia_to(&spread, truth);
  inertia_to(&free, truth + TEN);
  inertia_to(&prior[2], truth + 2 * TEN);
  for (int k = 0; k < TEN; k++) {
    truth[3 * TEN + k] = shapes.body[3].sign[k] * truth[TEN + k];
  }
  truth[4 * TEN] = 0.7;
  ck_assert_int_eq(convex_begin(&whole, 4, 1), STATUS_OK);
  whole.gap = 1e-6;
  ck_assert_int_eq(shaped_fit_init(&fit, &shapes, prior, 1, NULL, 0, 1e-6), STATUS_OK);
  ck_assert_uint_eq(fit.z.n, 31);
  random_rows(&random, &whole, truth, 0.0);
  ck_assert_int_eq(shaped_fit_solve(&fit, &whole, &other, &solution), STATUS_OK);
  for (int i = 0; i < 4 * TEN + 1; i++) {
    assert_near(solution.x[i], truth[i], 1e-5 * (1.0 + fabs(truth[i])));
  }
  ck_assert_double_le(solution.gap, 1e-6);
  /* a truth that breaks them is not found: all rules are kept, and no body that keeps them fits
   * better */
  truth[TEN * 3 + 1] += 0.3;
  truth[1] += 2.0;
  convex_clear(&whole);
  random_rows(&random, &whole, truth, 0.0);
  ck_assert_int_eq(shaped_fit_solve(&fit, &whole, &other, &solution), STATUS_OK);
  ck_assert(shaped_fit_holds(&fit, 0) && shaped_fit_holds(&fit, 2) && !shaped_fit_holds(&fit, 1));
  double kept[4 * TEN + 1], fixed[TEN];
  memcpy(kept, solution.x, sizeof(kept));
  inertia_to(&prior[2], fixed);
  for (int k = 0; k < TEN; k++) {
    assert_near(kept[2 * TEN + k], fixed[k], 1e-15);
    assert_near(kept[3 * TEN + k], shapes.body[3].sign[k] * kept[TEN + k], 1e-12);
  }
  for (int run = 0; run < 200; run++) {
    for (int i = 0; i < 2 * POINTS; i++) {
      const vec3 inside = in_box(&random, edges);
      at[i] = i % 2 == 0 ? inside
                         : (vec3){-0.2 + 0.1 * random_uniform(&random, -1.0, 1.0),
                                  0.05 * random_uniform(&random, -1.0, 1.0), 0.1};
    }
    const struct inertia body = of_points(at, 2 * POINTS);
    double try[4 * TEN + 1];
    memcpy(try, kept, sizeof(try));
    inertia_to(&body, try);
    ck_assert_double_ge(convex_cost(&whole, try), solution.cost - 1e-6);
  }
  shaped_fit_free(&fit);
  convex_free(&whole);
  body_shapes_free(&shapes);
}
END_TEST

START_TEST(without_any_shape_it_is_the_problem_as_it_was) {
  struct random random = random_from(test_seed());
  struct body_shapes shapes;
  struct convex_fit whole;
  struct shaped_fit fit;
  struct convex_solution shaped, plain;
  struct inertia prior[4];
  struct message error;
  double truth[4 * TEN + 1] = {0.0}, other = 0.5;
  for (int i = 0; i < 4; i++) {
    prior[i] = random_inertia_near(&random, placed.p);
    inertia_to(&prior[i], truth + TEN * i);
    truth[TEN * i] *= 0.3; /* no body has so little mass: the border is reached */
  }
  ck_assert_int_eq(body_shapes_init(&shapes, 4), STATUS_OK);
  ck_assert_int_eq(body_shapes_begin(&shapes, prior, names, &error), STATUS_OK);
  ck_assert_int_eq(convex_begin(&whole, 4, 1), STATUS_OK);
  whole.gap = 1e-6;
  random_rows(&random, &whole, truth, 1e-3);
  ck_assert_int_eq(shaped_fit_init(&fit, &shapes, prior, 1, NULL, 0, 0.0), STATUS_OK);
  ck_assert_int_eq(shaped_fit_solve(&fit, &whole, &other, &shaped), STATUS_OK);
  ck_assert_int_eq(convex_solve(&whole, prior, &other, &plain), STATUS_OK);
  assert_near(shaped.cost, plain.cost, 3e-6);
  shaped_fit_free(&fit);
  convex_free(&whole);
  body_shapes_free(&shapes);
}
END_TEST

SUITE(mass_within_a_box_keeps_its_constraints_and_mass_beyond_breaks_them,
      the_ellipsoid_around_points_holds_them_all_and_is_little_larger,
      a_mirrored_body_is_made_of_mirrored_mass,
      constraints_that_exclude_each_other_are_named_and_no_others,
      a_fit_keeps_all_rules_and_finds_a_truth_that_keeps_them,
      without_any_shape_it_is_the_problem_as_it_was)
