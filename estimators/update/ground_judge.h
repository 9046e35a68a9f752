/* Whether feet stand on the ground that is known.
 *
 * Ground that is far from level, or from its height, is other ground: it says nothing. What it
 * contradicts is all that is known of the foot, and the ground under others that is heard with it:
 * on a ramp each foot for itself stands but a little too high. Of those that are heard together the
 * least surprising is heard first. */
#ifndef GROUND_JUDGE_H
#define GROUND_JUDGE_H

#include "robot/robot.h"
#include "update/row_update.h"

#include <stddef.h>

/* One group of rows each, so that each can be judged alone. */
struct row_group {
  size_t first, count;
};

/* What one foot says: where it stands, how its sole is turned; and of the ground, when it has
 * landed, each behind what it stands on: how high it is, how it slopes. */
struct foot_rows {
  struct row_group place, height, sole, slope;
};

/* What ground is judged by. */
enum ground_part { GROUND_HEIGHT, GROUND_SLOPE };

/* Feet under which it was heard, and what the last row of each was off by beyond all before it, in
 * deviations of that row alone, with the variance to be expected: 1 but for what was not known. */
struct ground_heard {
  size_t feet, foot[ROBOT_MAX_FEET];
  double off[ROBOT_MAX_FEET], expected[ROBOT_MAX_FEET];
};

/* Takes the weight of the ground's rows under feet where they are off by more than `other`
 * deviations in all. [real-time] After row_update_expect. feet: [n_feet], whose rows are among
 * `rows`; no more than ROBOT_MAX_FEET. */
struct ground_heard ground_judge(struct row_update *rows,
                                 const struct foot_rows feet[ROBOT_MAX_FEET], size_t n_feet,
                                 enum ground_part part, double other);

#endif
