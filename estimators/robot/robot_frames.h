/* The frames and joints that a configuration names, looked up in the robot's model. */
#ifndef ROBOT_FRAMES_H
#define ROBOT_FRAMES_H

#include "robot/robot.h"

/* Fills the joints' stream, IMUs, feet, wrench sensors and contact switches of `robot`, whose model
 * is there. [start] [worker] BAD_ARGUMENT when a name is wrong: `error` tells the first,
 * `source->faults` all of them, each as "USE frame 'NAME' ...". */
enum status robot_frames_find(const struct robot_source *source, struct robot *robot,
                              struct message *error);

#endif
