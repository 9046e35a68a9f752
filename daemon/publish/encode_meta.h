/* Topic `meta`: what the numbers of the other topics mean: names, units, frames, order of the
 * joints. */
#ifndef ENCODE_META_H
#define ENCODE_META_H

#include "publish/wire.h"
#include "robot/robot.h"

extern const size_t meta_pairs; /* that encode_meta_body writes */

/* Writes the pairs that do not change from message to message, without the map around them: encoded
 * once for a robot and copied behind the stamp of each message. [publisher] */
void encode_meta_body(struct wire *wire, const struct robot *robot, double period_s);

#endif
