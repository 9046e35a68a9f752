/* Bursts of wrong readings on a humanoid that swings its arms, every one tried from the same
 * healthy run: what recovers within a second, never says ok while it is wrong, and keeps its
 * joints. The whole matrix, with what still fails, is in build/evaluate/trust. */
#include "support/suite.h"
#include "trust/fault_matrix.h"

#include <stdio.h>
#include <stdlib.h>

static const struct kept {
  enum burst_sensor sensor;
  enum burst_kind kind;
} kept[] = {
    {BURST_ACCELEROMETER, BURST_FROZEN},
    {BURST_ACCELEROMETER, BURST_NOISE},
    {BURST_GYRO, BURST_ZERO},
    {BURST_GYRO, BURST_NEGATED},
    {BURST_GYRO, BURST_FROZEN},
    {BURST_GYRO, BURST_NOISE},
    {BURST_IMU, BURST_FROZEN},
    {BURST_IMU, BURST_NOISE},
    {BURST_LIMB, BURST_ZERO},
    {BURST_LIMB, BURST_FULL_SCALE},
    {BURST_LIMB, BURST_FROZEN},
    {BURST_LINK, BURST_FROZEN},
    {BURST_FORCES, BURST_ZERO},
    {BURST_FORCES, BURST_FULL_SCALE},
    {BURST_FORCES, BURST_NEGATED},
    {BURST_FORCES, BURST_FROZEN},
    {BURST_FORCES, BURST_NOISE},
    {BURST_FORCES, BURST_SILENT},
};

/* Whether this burst at this length has to pass: what is kept at every length, and all at 1 ms. */
static bool is_kept(const struct burst_fault *fault) {
  for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++) {
    if (kept[i].sensor == fault->sensor && kept[i].kind == fault->kind) {
      return true;
    }
  }
  return fault->length_s <= matrix_length_s[0] && fault->sensor != BURST_SKIN &&
         fault->sensor != BURST_LINK;
}

START_TEST(a_second_after_a_burst_everything_is_right_and_ok_again) {
  static struct fault_bench bench;
  struct message error;
  int tried = 0, passed = 0;
  ck_assert_msg(fault_bench_init(&bench, "humanoid18", MOTION_ARM, NULL, 1, &error) == STATUS_OK,
                "%s", error.text);
  ck_assert_int_eq(fault_bench_reach(&bench, BENCH_MOMENTS - 1), STATUS_OK);
  ck_assert_double_gt(score_ok(&bench.healthy), 0.98);
  for (size_t i = 0; i < MATRIX_CELLS; i++) {
    const struct burst_fault fault = matrix_fault(i);
    struct verdict v;
    const char *target;
    if (is_kept(&fault) && fault_bench_try(&bench, &fault, matrix_seed(i, 1), &v, &target)) {
      tried++;
      passed += verdict_passes(&v);
      if (!verdict_passes(&v)) {
        printf(
            "%s:%s:%g:%lu %s: right %.3f s, ok %.3f s, q wrong %.3f s, ok and wrong %.3f s (%s), "
            "%u resets\n",
            burst_sensor_name(fault.sensor), burst_kind_name(fault.kind), 1e3 * fault.length_s,
            (unsigned long)matrix_seed(i, 1), target, v.right_s, v.ok_s, v.q_wrong_s, v.lie_s,
            quantity_row(v.liar)->name, v.resets);
      }
    }
  }
  printf("%d of %d bursts passed\n", passed, tried);
  fflush(stdout);
  ck_assert_int_ge(tried, 65);
  ck_assert_int_ge(100 * passed, 90 * tried);
  fault_bench_free(&bench);
  asked(passed == tried);
}
END_TEST

SUITE(a_second_after_a_burst_everything_is_right_and_ok_again)
