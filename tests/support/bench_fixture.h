/* Robots that are a little wrong, for bursts of faults. */
#ifndef BENCH_FIXTURE_H
#define BENCH_FIXTURE_H

#include "trust/fault_bench.h"

/* One whose body is a little other than described, and whose IMU is biased as cheap ones are. The
 * test fails when it cannot be had. */
void test_bench(struct fault_bench *bench, const char *robot, enum bench_motion motion,
                uint64_t seed);

#endif
