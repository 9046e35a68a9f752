/* A robot of some of another's joints, for an estimator that takes a large robot in parts.
 *
 * A part has a base and the links that its joints move, in the order of the whole. What hangs from
 * a joint that it has not hangs from its base instead. So the base of a part that is all that hangs
 * from one link is that link; of others that have not the whole's base kinematics mean nothing,
 * only joints do. Cells are those of the whole: a part has none. */
#ifndef ROBOT_PART_H
#define ROBOT_PART_H

#include "common/arena.h"
#include "robot/robot.h"

struct robot_part {
  const struct robot *robot; /* the whole where all joints are kept */
  size_t *joint;             /* [n_joints of it] which of the whole's each is, rising */
  size_t *link;              /* [n_links of the whole] which of its links, or ROBOT_NO_LINK */
};
#define ROBOT_NO_LINK ((size_t)-1)

/* The joints with keep[j], [n_joints of `whole`], which must outlive it. [start] `sensors`: with
 * base, IMUs and feet as the whole has them; else a fixed base and encoders alone. Bodies, frames
 * and force sensors are left out. STATUS_BAD_ARGUMENT: a sensor on a link that is not kept;
 * STATUS_NO_MEMORY. On a counting arena only counts. */
enum status robot_part_init(struct robot_part *part, const struct robot *whole, const bool *keep,
                            bool sensors, struct arena *arena);

/* Marks the joints that anything but an encoder tells of: those between the base and a link with
 * skin, an IMU or a foot. [start] seen: [n_joints]. Returns how many. */
size_t robot_joints_seen(const struct robot *robot, bool *seen);

#endif
