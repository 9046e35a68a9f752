/* A quadruped that hops: between two grounds nothing carries it. */
#include "sim_arguments.h"
#include "support/scored_run.h"
#include "support/sim_fixture.h"
#include "support/suite.h"

#include <stdio.h>

/* As it takes off the IMU jumps, and was suspected of what feet did that were held where they had
 * stood, though their sensors felt nothing: it was refused, and a push that had long been over was
 * taken back, for 8 m/s in a tenth of a second. */
START_TEST(a_quadruped_that_hops_knows_that_it_has_left_the_ground) {
  static struct scored_run scored;
  for (uint64_t seed = 23; seed < 26; seed++) {
    const struct stock_robot stock = test_robot("quadruped12");
    struct sim_options options = bench_options(&stock, MOTION_WALK, seed);
    options.scenario = "hop";
    options.duration_s = 8.0;
    test_a_little_wrong(&options);
    ck_assert(sim_arguments_set("imu-bias", "0.3", &options));
    scored_run_begin(&scored, &options);
    scored_run_go(&scored, 0.5);
    const double velocity = score_rms(&scored.score, QUANTITY_VELOCITY),
                 height = score_rms(&scored.score, QUANTITY_HEIGHT),
                 nees = score_nees(&scored.score, QUANTITY_VELOCITY),
                 ok = (double)scored.score.with_status[PROPRIOD_STATUS_OK] /
                      (double)scored.score.samples;
    printf("hops %zu: velocity %.1f mm/s, NEES %.2f, height %.1f mm, ok %.1f %%\n", (size_t)seed,
           1e3 * velocity, nees, 1e3 * height, 100.0 * ok);
    ck_assert_double_lt(velocity, 0.03);
    ck_assert_double_lt(nees, 2.0);
    ck_assert_double_lt(height, 0.01);
    ck_assert_double_ge(ok, 0.92);
    ck_assert_uint_eq(scored.score.resets, 0);
    scored_run_end(&scored);
  }
}
END_TEST

SUITE(a_quadruped_that_hops_knows_that_it_has_left_the_ground)
