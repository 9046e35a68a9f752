/* The recording of a real iCub that walks, which lies beside the project. */
#ifndef ICUB_WALK_H
#define ICUB_WALK_H

#include "support/walk_log.h"

#include "body/kinematics.h"

/* The recording, in the folder of recordings. [start] False: it is not there. */
bool icub_walk_read(struct walk_log *log, const char *folder);

/* Its robot; gives up when that cannot be loaded. [start] Free with robot_destroy. */
struct robot *icub_walk_robot(const char *folder);

/* For walk_run_pipeline; its memory is never freed. [start] Gives up without. */
struct kinematics icub_walk_kinematics(const struct robot *robot);

#endif
