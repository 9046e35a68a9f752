/* A large robot for tests and benches: humanoid30 with two five-fingered hands, 60 joints.
 *
 * A finger is three links of 45, 30 and 22 mm that bend about the hand's y, the thumb is one that
 * stands across. What has no skin on its hands has 30 joints that nothing but encoders sees, as
 * most hands have. */
#ifndef HANDED_ROBOT_H
#define HANDED_ROBOT_H

#include "stock_robot.h"

/* Which parts of it carry skin. */
enum hand_skin {
  HANDS_BARE,   /* the body as humanoid30's, none on fingers */
  HANDS_SKIN,   /* six cells on each of a finger's links besides: 1440 in all */
  HANDS_NOTHING /* none anywhere */
};

/* Writes URDF and cells into a folder of its own and loads them. Ends the test with the reader's
 * complaint if they are refused. handed_robot_free removes both. */
struct stock_robot handed_robot(enum hand_skin skin);
void handed_robot_free(struct stock_robot *stock);

#endif
