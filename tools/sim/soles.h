/* What a robot stands on whose description has meshes alone for its feet. */
#ifndef SOLES_H
#define SOLES_H

#include "collision.h"
#include "robot/robot.h"

/* Adds a box to the foot of each leg of a robot on two that has no simple shape: its underside
 * about the foot's frame, as large as feet of legs of `leg_length`, m, are. [start]
 * STATUS_NO_MEMORY. */
enum status soles_add(struct shapes *shapes, const struct robot *robot, double leg_length);

/* How wide the narrowest foot's shapes are, m, across its frame's x. [any] */
double soles_width(const struct shapes *shapes, const struct robot *robot);

#endif
