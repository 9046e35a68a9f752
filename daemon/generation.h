/* What one reading of the configuration makes: settings, robot, pipeline. A reload makes a second
 * generation beside the running one. */
#ifndef GENERATION_H
#define GENERATION_H

#include "common/status.h"
#include "pipeline.h"
#include "robot/robot.h"
#include "settings/settings.h"

struct generation {
  struct settings settings;
  struct robot *robot;
  struct robot_texts texts; /* the files that it was read from */
  struct pipeline *pipeline;
  void *memory; /* what the pipeline lives in, every page touched */
};

/* Reads `file` and everything it names, and builds. [start, main]
 * `running`: the generation that this one is to replace, or NULL at start. Options that need a
 * restart keep its values and are named in `kept`; a robot with other numbers of joints, cells or
 * sensors is refused, since the shared memory has room for the running one. On STATUS_OK
 * `*generation` is to be freed with generation_free; otherwise `report` has every error. */
enum status generation_build(const char *file, const struct settings_overrides *overrides,
                             const struct generation *running, struct generation **generation,
                             struct settings_report *report, struct message *kept);

/* Sensors of each stream: joints, IMUs, cells, wrench sensors. [start, main] A robot on a fixed
 * base has an IMU only when its frame is named. */
void generation_streams(const struct generation *generation, uint32_t count[PROPRIOD_SHM_STREAMS]);

/* The same as the recorder has them: the joints of the model, in its order. [start, main] */
void generation_recorded(const struct generation *generation, uint32_t count[PROPRIOD_SHM_STREAMS]);

/* Frees all. [main] The cycle must not use it any more. NULL is allowed. */
void generation_free(struct generation *generation);

#endif
