/* All skin lies at once, for longer than an IMU is refused because of it: what the base has been
 * turned by meanwhile does not stay. */
#include "support/suite.h"
#include "trust/fault_bench.h"

#include <stdio.h>

/* Tilt of the base where a run stands, rad; its deviation. */
static double tilt_of(const struct trust_run *run, double *sd) {
  const struct quantity_truth truth = trust_run_truth(run);
  struct quantity_error tilt;
  quantity_compare(QUANTITY_TILT, &run->out, &truth, &tilt);
  ck_assert_uint_gt(tilt.n, 0);
  *sd = tilt.sd[0];
  return hypot(tilt.error[0], tilt.error[1]);
}

/* It stayed as it was, up to 38 degrees off, with what skin has in common off by 6 m/s^2: each made
 * the other fit. */
START_TEST(a_base_that_lying_skin_has_turned_is_found_again) {
  static struct fault_bench bench;
  struct message error;
  ck_assert_msg(fault_bench_init(&bench, "humanoid30", MOTION_WALK, NULL, 85, &error) == STATUS_OK,
                "%s", error.text);
  double sum = 0.0;
  for (uint64_t seed = 0; seed < BENCH_MOMENTS; seed++) {
    const struct burst_fault fault = {
        .sensor = BURST_SKIN, .kind = BURST_OFFSET, .length_s = 0.8, .seed = seed};
    struct verdict v;
    double sd;
    ck_assert(fault_bench_try(&bench, &fault, seed, &v, NULL));
    const double tilt = tilt_of(&bench.run, &sd);
    printf("after %g s: tilt %.2f degrees, deviation %.2f, %.1f at worst, positions wrong %.3f s, "
           "%u resets\n",
           VERDICT_WATCH_S, tilt * 180.0 / M_PI, sd * 180.0 / M_PI, v.worst_tilt * 180.0 / M_PI,
           v.q_wrong_s, v.resets);
    ck_assert_double_lt(tilt, 3.0 * M_PI / 180.0);
    ck_assert_double_lt(tilt, 5.0 * sd);
    ck_assert_double_lt(v.q_wrong_s, VERDICT_Q_WRONG_S);
    ck_assert_uint_le(v.resets, 2);
    sum += tilt;
  }
  ck_assert_double_lt(sum / BENCH_MOMENTS, M_PI / 180.0);
  fault_bench_free(&bench);
}
END_TEST

SUITE(a_base_that_lying_skin_has_turned_is_found_again)
