/* What becomes of the base's states within a step: its F, row by row, of which few numbers are not
 * zero. The base's are all states but the joints': its two chains and their biases, attitude,
 * velocity, position, biases of the IMU, the feet, and biases of IMUs on limbs; of a fixed base the
 * last alone. */
#ifndef BASE_PASSAGE_H
#define BASE_PASSAGE_H

#include "process/base_process.h"
#include "process/joint_chains.h"
#include "robot/robot.h"

#include <stdint.h>

enum {
  BASE_PASSAGE_MOVING = 3 * 4 + 3 * 3 + BASE_MOVING, /* most states that change within a step */
  BASE_PASSAGE_STATES =
      BASE_PASSAGE_MOVING + 6 + 6 * ROBOT_MAX_FEET + 6 * (ROBOT_MAX_LIMBS + 1), /* most states */
  BASE_PASSAGE_TERMS = 3 * 10 + 3 * 6 + BASE_TERMS_MAX,
  BASE_PASSAGE_RUNS = 4
};

/* States that follow each other in the whole state; `at` counts the base's own. */
struct base_run {
  size_t at, state, count;
};

/* The base's states in rising order, and the rows of F of those that move, which come first: row k
 * is the sum of `by[t]` times state `from[t]`, t from start[k] to start[k + 1]. Those that do not
 * move are the whole state's last. */
struct base_passage {
  size_t count, moving, runs;
  size_t still; /* the first state that does not move */
  struct base_run run[BASE_PASSAGE_RUNS];
  size_t start[BASE_PASSAGE_MOVING + 1];
  uint8_t from[BASE_PASSAGE_TERMS]; /* counted as the base's own */
  double by[BASE_PASSAGE_TERMS];
};

/* x: [numbers] before the step; read with a floating base. [real-time] */
void base_passage_of(struct base_passage *passage, const struct joint_layout *layout, double dt,
                     const double *x, const struct joint_chain chain[N_CHAINS],
                     const struct chain_passage step[N_CHAINS]);

#endif
