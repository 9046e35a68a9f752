#include "sim_normals.h"
#include "sim_skin.h"
#include "support/sim_fixture.h"
#include "support/suite.h"

#include <math.h>
#include <stdlib.h>

START_TEST(many_at_once_are_those_that_come_one_by_one) {
  enum { PAIRS = 2 * SIM_NORMALS_WIDTH };
  static double u[PAIRS], v[PAIRS], many[2 * PAIRS];
  struct sim_random random = sim_random_from(test_seed(), 0), again = random;
  for (size_t i = 0; i < PAIRS; i++) {
    u[i] = sim_uniform(&random, 0.0, 1.0);
    v[i] = sim_uniform(&random, 0.0, 1.0);
  }
  sim_normals(u, v, PAIRS, many);
  for (size_t i = 0; i < 2 * PAIRS; i++) {
    must(fabs(many[i] - sim_normal(&again)) < 1e-14);
  }
}
END_TEST

START_TEST(the_ends_of_the_uniform_numbers_make_numbers) {
  static double u[SIM_NORMALS_WIDTH] = {0.0, 1.0 - 0x1p-53}, v[SIM_NORMALS_WIDTH];
  static double many[2 * SIM_NORMALS_WIDTH];
  sim_normals(u, v, SIM_NORMALS_WIDTH, many);
  ck_assert_double_eq(many[0], 0.0);
  assert_near(many[2], sqrt(2.0 * 53.0 * M_LN2), 1e-13);
}
END_TEST

/* An odd number of cells leaves a number of a pair to the next sample. */
START_TEST(noise_of_the_skin_is_drawn_cell_after_cell) {
  struct stock_robot stock = test_robot("humanoid30");
  stock.robot->n_cells = 7;
  struct sim_options options = test_options(&stock, "stand");
  options.skin.white = 1.0;
  struct sim_skin skin;
  ck_assert_int_eq(sim_skin_init(&skin, &options), STATUS_OK);
  struct sim_random random = skin.random;
  static const struct motion still[MODEL_MAX_JOINTS + 1];
  void *block = malloc(skin_sample_bytes(7));
  const struct skin_sample sample = skin_sample_in(block, 7);
  for (int k = 0; k < 3; k++) {
    sim_read_skin(&skin, 0.004 * k, still, still, &sample);
    for (size_t i = 0; i < 7; i++) {
      for (size_t axis = 0; axis < 3; axis++) {
        assert_near((double)sample.acceleration[3 * i + axis], sim_normal(&random), 1e-6);
      }
      sim_random_next(&random); /* whether it is dropped */
    }
  }
  free(block);
  sim_skin_free(&skin);
}
END_TEST

SUITE(many_at_once_are_those_that_come_one_by_one, the_ends_of_the_uniform_numbers_make_numbers,
      noise_of_the_skin_is_drawn_cell_after_cell)
