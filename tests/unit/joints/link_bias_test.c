#include "joints/link_bias.h"

#include "skin/skin_fusion.h"
#include "support/synthetic_robot.h"

static const double NOISE = 0.34; /* m/s^2 */

/* Rows of all links of a chain of two joints, the base's with two cells only: too few for its whole
 * acceleration. The base comes last, after links that have all. */
static size_t rows_with_a_poor_base(const struct robot *robot, struct link_rows *block) {
  struct skin_fusion fusion;
  struct arena arena = {0};
  for (int pass = 0; pass < 2; pass++) {
    arena = pass == 0 ? arena : test_arena(arena.used);
    ck_assert_int_eq(skin_fusion_init(&fusion, robot, NOISE, NULL, 80.0, &arena), STATUS_OK);
  }
  skin_fusion_assume_all(&fusion);
  for (size_t k = 2; k < fusion.link[0].n_cells; k++) {
    skin_fusion_drop(&fusion, &fusion.link[0], k);
  }
  for (size_t i = 0; i < fusion.n_links; i++) {
    block[fusion.n_links - 1 - i] = skin_fusion_rows(&fusion.link[i]);
  }
  return fusion.n_links;
}

START_TEST(of_a_link_with_too_few_cells_no_noise_is_told) {
  struct random rng = random_from(test_seed());
  const struct robot *robot = synthetic_robot(2, true, 20, &rng);
  const struct link_bias_settings settings = {0.5, 4.0};
  struct link_rows block[3];
  struct link_bias stage;
  struct arena arena = {0};
  for (int pass = 0; pass < 2; pass++) {
    arena = pass == 0 ? arena : test_arena(arena.used);
    ck_assert_int_eq(link_bias_init(&stage, robot, false, &settings, &arena), STATUS_OK);
  }
  const size_t n = rows_with_a_poor_base(robot, block);
  ck_assert_uint_lt(block[n - 1].rank, ROWS_MAX);
  ck_assert_uint_eq(block[n - 1].link, 0);
  link_bias_survey(&stage, block, n);
  ck_assert(stage.has[2] && !stage.has[0]);
  ck_assert_double_gt(stage.noise[2].ang.x, 0.0);
  ck_assert_double_eq(stage.noise[0].ang.x, 0.0);
  ck_assert_double_eq(stage.noise[0].lin.z, 0.0);
}
END_TEST

SUITE(of_a_link_with_too_few_cells_no_noise_is_told)
