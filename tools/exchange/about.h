/* What an exported file says about the robot and its numbers, as one JSON object: robot, joints,
 * feet, cells (with their links), wrench sensors, and of each array unit and shape. */
#ifndef ABOUT_H
#define ABOUT_H

#include "exchange/sink.h"

/* The text, to be freed; NULL: out of memory. [start] */
char *about_text(const struct sink_about *about, size_t *length);

#endif
