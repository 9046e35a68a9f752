/* A frame as a configuration names it: one of the URDF, "left_foot", or a place beside it,
 * "left_foot@0.03,0,-0.035", m along its axes, and where it is turned, roll, pitch and yaw in rad
 * behind them. Sensors and soles need no frame of their own in the description then. */
#ifndef PLACED_FRAME_H
#define PLACED_FRAME_H

#include "common/message.h"
#include "common/status.h"
#include "math/spatial.h"
#include "model/model.h"

enum { PLACED_FRAME_SIZE = 160 }; /* bytes of its text with the final zero */

struct placed_frame {
  char name[MODEL_NAME_SIZE]; /* of the URDF's frame */
  struct pose offset;         /* pose in that frame */
};

/* [start] [worker] STATUS_BAD_ARGUMENT: what is behind the '@' is not three or six numbers, of at
 * most 10 m and 2 pi; `error` says so. */
enum status placed_frame_read(const char *text, struct placed_frame *frame, struct message *error);

#endif
