/* Skin that is thin: an accelerometer here and there, as robots have that carry boards of one or a
 * few. What they are off by does not average out with their number. */
#include "support/scored_run.h"
#include "support/sim_fixture.h"
#include "support/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Copies of every link's cells the first ones: of the base `base`, of others `others`. */
static void thin(const char *from, const char *to, int base, int others) {
  char line[256], link[64], last[64] = "";
  FILE *in = fopen(from, "r"), *out = fopen(to, "w");
  ck_assert(in != NULL && out != NULL);
  for (int taken = 0; fgets(line, sizeof(line), in) != NULL;) {
    ck_assert_int_eq(sscanf(line, "%*[^,],%63[^,]", link), 1);
    taken = strcmp(link, last) == 0 ? taken + 1 : 1;
    strcpy(last, link);
    if (taken <= (strcmp(link, "base_link") == 0 ? base : others)) {
      fputs(line, out);
    }
  }
  fclose(in);
  fclose(out);
}

static struct robot *thin_skinned(int base, int others) {
  char cells[] = "/tmp/propriod-cells-XXXXXX";
  struct robot_settings settings;
  struct robot *robot = NULL;
  struct message error = {""};
  const int file = mkstemp(cells);
  ck_assert_int_ge(file, 0);
  close(file);
  thin("config/robots/humanoid18_cells.csv", cells, base, others);
  ck_assert_int_eq(stock_robot_settings("humanoid18", &settings), STATUS_OK);
  snprintf(settings.urdf, sizeof(settings.urdf), "config/robots/humanoid18.urdf");
  strcpy(settings.cells, cells);
  ck_assert_msg(robot_load(&settings, "", &robot, &error) == STATUS_OK, "%s", error.text);
  unlink(cells);
  return robot;
}

/* With a base of one cell or none its deviation shrank like that of white noise: 17 of them off. */
START_TEST(tilt_is_as_well_known_as_it_is_said_to_be) {
  static const struct { int base, others; } rows[] = {{1, 3}, {0, 3}, {1, 1}, {2, 2}};
  static struct scored_run scored;
  const struct score *score = &scored.score;
  for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
    struct stock_robot stock = {.robot = thin_skinned(rows[i].base, rows[i].others),
                                .urdf = "config/robots/humanoid18.urdf"};
    struct sim_options options = bench_options(&stock, MOTION_STAND, test_seed() + i);
    options.duration_s = 6.0;
    scored_run_begin(&scored, &options);
    scored_run_go(&scored, 2.0);
    printf("%d and %d cells: tilt %.2f degrees, NEES %.2f, base rate %.2f\n", rows[i].base,
           rows[i].others, score_norm(score, QUANTITY_TILT) * 180.0 / M_PI,
           score_nees(score, QUANTITY_TILT), score_nees(score, QUANTITY_RATE));
    ck_assert_double_lt(score_nees(score, QUANTITY_TILT), 3.0);
    ck_assert_double_lt(score_nees(score, QUANTITY_RATE), 3.0);
    ck_assert_double_lt(score_norm(score, QUANTITY_TILT), 1.0 * M_PI / 180.0);
    scored_run_end(&scored);
    robot_destroy(stock.robot);
  }
}
END_TEST

SUITE(tilt_is_as_well_known_as_it_is_said_to_be)
