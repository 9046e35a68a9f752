/* A robot in motion, recorded once, on which bursts of faults are tried one after the other: the
 * healthy part before each is not computed anew.
 *
 *   struct fault_bench bench;
 *   fault_bench_init(&bench, "humanoid30", MOTION_WALK, NULL, 1, &error);
 *   const struct burst_fault fault = {BURST_IMU, BURST_FROZEN, .length_s = 0.1};
 *   fault_bench_try(&bench, &fault, 7, &verdict); */
#ifndef FAULT_BENCH_H
#define FAULT_BENCH_H

#include "scaled_robot.h"
#include "verdict.h"

enum bench_motion { MOTION_WALK, MOTION_STAND, MOTION_ARM, MOTIONS };

enum { BENCH_MOMENTS = 6 }; /* at which a fault may begin */

struct fault_bench {
  struct stock_robot stock;
  enum bench_motion motion;
  struct tape tape;
  struct trust_run run;
  struct trust_moment moment[BENCH_MOMENTS];
  size_t reached;       /* of them */
  struct score healthy; /* up to the last that is reached */
};

/* Words as the command line has them; NULL beyond the last. [any] */
const char *bench_motion_name(size_t motion);

/* The moment, s from the tape's start, from which a burst of this seed begins. [any] */
double bench_moment_s(uint64_t seed);

/* The simulation of a robot with ordinary sensors in this motion: encoders of 2e-4 rad; a MEMS IMU
 * with small biases; skin of 0.34 m/s^2, bias 0.1, gain 2 %, 2 degrees, 250 Hz, 2 ms late; forces.
 * [start] */
struct sim_options bench_options(const struct stock_robot *stock, enum bench_motion motion,
                                 uint64_t seed);

/* Loads, records, and stands at the start. [start] `options` NULL: bench_options; otherwise its
 * robot and urdf_path are ignored. Free with fault_bench_free. STATUS_BAD_ARGUMENT: this robot does
 * not move so; statuses of scaled_robot_load, tape_record and trust_run_init. */
enum status fault_bench_init(struct fault_bench *bench, const char *robot, enum bench_motion motion,
                             const struct sim_options *options, uint64_t seed,
                             struct message *error);
void fault_bench_free(struct fault_bench *bench);

/* Runs the healthy part up to moment `last`, as far as that has not been reached: once for all that
 * is tried aside from then on. [any] STATUS_OUT_OF_RANGE: the tape ends before; or
 * STATUS_NO_MEMORY. */
enum status fault_bench_reach(struct fault_bench *bench, size_t last);

/* Tries one burst from a moment that `seed` chooses; the fault's start and seed are set. [any]
 * False: this robot has no such sensor, or the moment cannot be reached. `target` (NULL: not
 * wanted) gets what was hit. */
bool fault_bench_try(struct fault_bench *bench, const struct burst_fault *fault, uint64_t seed,
                     struct verdict *verdict, const char **target);

#endif
