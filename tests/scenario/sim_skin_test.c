/* Simulated skin errs, dies and is touched as it is told to. */
#include "support/sim_look.h"

#include <stdlib.h>
#include <string.h>

/* Readings of two runs that differ only in the skin's options, side by side. */
static void skin_errors(const struct sim_options *options, struct moments *all,
                        double *largest_of_mean) {
  struct sim_options clean = *options;
  clean.skin = (struct sim_skin_noise){0};
  struct sim *a = test_sim(options), *b = test_sim(&clean);
  const size_t n = 3 * options->robot->n_cells;
  struct moments *axis = calloc(n, sizeof(*axis));
  while (sim_step(a) == STATUS_OK && sim_step(b) == STATUS_OK) {
    const struct skin_reading *x = &sim_frame(a)->skin, *y = &sim_frame(b)->skin;
    for (size_t i = 0; x->stamp.fresh && i < n; i++) {
      const double error = (double)x->acceleration[i] - (double)y->acceleration[i];
      add(all, error);
      add(&axis[i], error);
    }
  }
  *largest_of_mean = 0.0;
  for (size_t i = 0; i < n; i++) {
    *largest_of_mean = fmax(*largest_of_mean, fabs(mean_of(&axis[i])));
  }
  free(axis);
  sim_destroy(a);
  sim_destroy(b);
}

START_TEST(white_skin_noise_has_its_deviation_on_every_axis) {
  const struct stock_robot stock = test_robot("chain9");
  struct sim_options options = chain_options(&stock, 2.0);
  options.skin.white = 0.34;
  struct moments all = {0};
  double largest;
  skin_errors(&options, &all, &largest);
  assert_near(deviation_of(&all), 0.34, 4.0 * 0.34 / sqrt(2.0 * (double)all.n));
  ck_assert_double_lt(largest, 6.0 * 0.34 / sqrt(501.0));
}
END_TEST

START_TEST(skin_bias_is_constant_and_of_the_size_asked_for) {
  const struct stock_robot stock = test_robot("chain9");
  struct sim_options options = chain_options(&stock, 1.0);
  options.skin.bias = 0.1;
  struct moments all = {0};
  double largest;
  skin_errors(&options, &all, &largest);
  assert_near(deviation_of(&all), 0.1, 4.0 * 0.1 / sqrt(2.0 * 936.0)); /* 312 cells, 3 axes */
  ck_assert_double_gt(largest, 0.2); /* white noise would vanish */
}
END_TEST

START_TEST(a_tilted_cell_reads_a_turned_vector_of_the_same_length) {
  const struct stock_robot stock = test_robot("chain9");
  struct sim_options options = chain_options(&stock, 0.5);
  options.skin.orientation = 0.035;
  struct sim *sim = test_sim(&options);
  ck_assert_int_eq(sim_step(sim), STATUS_OK); /* at rest: gravity only */
  double squares = 0.0;
  for (size_t i = 0; i < stock.robot->n_cells; i++) {
    const float *y = &sim_frame(sim)->skin.acceleration[3 * i];
    const vec3 read = {(double)y[0], (double)y[1], (double)y[2]};
    const struct skin_cell *cell = &stock.robot->cell[i];
    const vec3 f_L = sim_link_acceleration(sim)[cell->link].lin;
    const vec3 ideal = mat3_tmul_vec3(&cell->placement.R, f_L);
    assert_near(vec3_norm(read), STANDARD_GRAVITY, 1e-5);
    squares += vec3_dot(vec3_cross(read, ideal), vec3_cross(read, ideal));
  }
  const double n = (double)stock.robot->n_cells, g2 = STANDARD_GRAVITY * STANDARD_GRAVITY;
  /* two of three turns are seen: the mean of sin^2 is twice the variance, give or take 4 sigma */
  const double tilt = sqrt(squares / (2.0 * n)) / g2;
  assert_near(tilt, 0.035, 0.035 * 4.0 / sqrt(4.0 * n));
  sim_destroy(sim);
}
END_TEST

static void check_range(const struct sim *sim, void *user) {
  const struct skin_reading *skin = &sim_frame(sim)->skin;
  for (size_t i = 0; i < 3 * skin->n_cells; i++) {
    must(fabsf(skin->acceleration[i]) <= 10.0f);
    *(int *)user += fabsf(skin->acceleration[i]) >= 10.0f;
  }
}

START_TEST(saturated_cells_read_the_end_of_their_range) {
  const struct stock_robot stock = test_robot("chain9");
  struct sim_options options = test_options(&stock, "fast");
  options.duration_s = 4.0;
  options.skin.saturation = 10.0;
  int clipped = 0;
  run(&options, check_range, &clipped);
  ck_assert_int_gt(clipped, 100);
}
END_TEST

struct fates {
  float first[3 * 312];
  int changes[312], invalid;
  bool begun;
};

static void note_fates(const struct sim *sim, void *user) {
  struct fates *fates = user;
  const struct skin_reading *skin = &sim_frame(sim)->skin;
  must(skin->n_cells == 312);
  for (size_t i = 0; i < skin->n_cells; i++) {
    const float *y = &skin->acceleration[3 * i];
    if (!fates->begun) {
      memcpy(&fates->first[3 * i], y, 3 * sizeof(float));
    }
    fates->changes[i] += memcmp(&fates->first[3 * i], y, 3 * sizeof(float)) != 0;
    fates->invalid += skin->stamp.fresh && (skin->flags[i] & CELL_VALID) == 0;
  }
  fates->begun = true;
}

START_TEST(dead_stuck_and_dropping_cells_are_as_many_as_asked) {
  const struct stock_robot stock = test_robot("chain9");
  struct sim_options options = chain_options(&stock, 3.0);
  options.skin = (struct sim_skin_noise){.white = 0.05, .dead = 0.1, .stuck = 0.2, .drop = 0.05};
  static struct fates fates;
  run(&options, note_fates, &fates);
  int dead = 0, stuck = 0;
  for (int i = 0; i < 312; i++) {
    const float *y = &fates.first[3 * i];
    const bool reads_dead = y[0] == -1.0f && y[1] == -1.0f && y[2] == -1.0f;
    dead += reads_dead && fates.changes[i] == 0;
    stuck += !reads_dead && fates.changes[i] == 0;
  }
  /* binomial: one standard deviation is 5.3 and 7.1 cells */
  ck_assert_int_gt(dead, 31 - 4 * 6);
  ck_assert_int_lt(dead, 31 + 4 * 6);
  ck_assert_int_gt(stuck, 62 - 4 * 8);
  ck_assert_int_lt(stuck, 62 + 4 * 8);
  const double expected = 0.05 * 312.0 * 751.0, deviation = sqrt(expected * 0.95);
  assert_near(fates.invalid, expected, 4.0 * deviation);
}
END_TEST

struct touch {
  float nearest_before[312]; /* proximity of the frame before */
  int touched, announced;
};

static void note_touches(const struct sim *sim, void *user) {
  struct touch *touch = user;
  const struct skin_reading *skin = &sim_frame(sim)->skin;
  for (size_t i = 0; skin->stamp.fresh && i < skin->n_cells; i++) {
    const bool touched = skin->force[i] > 0.0f;
    must(touched == (skin->proximity[i] >= 1.0f));
    if (touched && touch->nearest_before[i] < 1.0f) {
      touch->touched++;
      touch->announced += touch->nearest_before[i] > 0.5f;
    }
    touch->nearest_before[i] = skin->proximity[i];
  }
}

START_TEST(a_touch_is_announced_by_proximity_and_felt_as_force) {
  const struct stock_robot stock = test_robot("chain9");
  struct sim_options options = chain_options(&stock, 10.0);
  options.skin.touch_rate_hz = 2.0;
  options.skin.has_proximity = options.skin.has_force = true;
  struct touch touch = {0};
  run(&options, note_touches, &touch);
  ck_assert_int_gt(touch.touched, 20); /* about 20 touches of a cell and its neighbours */
  ck_assert_int_eq(touch.announced, touch.touched);
}
END_TEST

SUITE(white_skin_noise_has_its_deviation_on_every_axis,
      skin_bias_is_constant_and_of_the_size_asked_for,
      a_tilted_cell_reads_a_turned_vector_of_the_same_length,
      saturated_cells_read_the_end_of_their_range,
      dead_stuck_and_dropping_cells_are_as_many_as_asked,
      a_touch_is_announced_by_proximity_and_felt_as_force)
