#include "inertial/row_block.h"
#include "support/random_model.h"
#include "support/suite.h"

#include <string.h>

enum { N = 2, ROWS = 3 };

struct bench {
  struct row_block block;
  struct inertial_measurement measured;
  double Y[ROWS * N], bias[ROBOT_BASE_ROWS + MODEL_MAX_JOINTS];
};

static struct bench new_bench(void) {
  struct bench bench;
  struct arena arena = test_arena(1 << 16);
  memset(&bench, 0, sizeof(bench));
  row_block_init(&bench.block, N, &arena);
  row_block_empty(&bench.block);
  bench.measured.n_rows = ROWS;
  for (size_t r = 0; r < ROWS; r++) {
    bench.measured.row[r] = 2 * r;
  }
  return bench;
}

/* A cycle whose regressor and measurement are multiples of `x`. */
static void cycle(struct bench *bench, double x, double rate) {
  bench->measured.Y = bench->Y;
  for (size_t i = 0; i < ROWS * N; i++) {
    bench->Y[i] = x * (double)(i + 1);
  }
  for (size_t r = 0; r < ROWS; r++) {
    bench->measured.z[r] = 10.0 * x * (double)(r + 1);
    bench->measured.friction[r] = x;
    bench->measured.force[r] = 5.0 * x;
  }
  row_block_add(&bench->block, &bench->measured, bench->bias, rate, 1e-3);
}

START_TEST(a_block_is_the_mean_of_its_cycles_less_the_bias) {
  struct bench bench = new_bench();
  bench.bias[2] = 5.0; /* of the robot's third row, the block's second */
  cycle(&bench, 1.0, 0.1);
  cycle(&bench, 3.0, 0.4);
  cycle(&bench, 2.0, 0.2);
  ck_assert_uint_eq(bench.block.count, 3);
  assert_near(bench.block.time, 3e-3, 1e-15);
  ck_assert_double_eq(bench.block.fastest, 0.4);
  row_block_average(&bench.block);
  for (size_t i = 0; i < ROWS * N; i++) {
    assert_near(bench.block.Y[i], 2.0 * (double)(i + 1), 1e-12);
  }
  const double z[ROWS] = {20.0, 40.0 - 5.0, 60.0};
  for (size_t r = 0; r < ROWS; r++) {
    assert_near(bench.block.z[r], z[r], 1e-12);
    assert_near(bench.block.friction[r], 2.0, 1e-12);
  }
  assert_near(bench.block.force[1], 10.0, 1e-12);
}
END_TEST

START_TEST(a_block_begins_anew_when_a_sensor_comes_or_goes) {
  struct bench bench = new_bench();
  cycle(&bench, 1.0, 9.0);
  cycle(&bench, 1.0, 9.0);
  bench.measured.row[2] = 7;
  cycle(&bench, 4.0, 0.1);
  ck_assert_uint_eq(bench.block.count, 1);
  assert_near(bench.block.time, 1e-3, 1e-15);
  ck_assert_double_eq(bench.block.fastest, 0.1);
  row_block_average(&bench.block);
  assert_near(bench.block.z[2], 120.0, 1e-12);
  ck_assert_uint_eq(bench.block.row[2], 7);
}
END_TEST

SUITE(a_block_is_the_mean_of_its_cycles_less_the_bias,
      a_block_begins_anew_when_a_sensor_comes_or_goes)
