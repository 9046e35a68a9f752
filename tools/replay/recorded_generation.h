/* The robot and estimators of a recording, built again from the texts that are in it. */
#ifndef RECORDED_GENERATION_H
#define RECORDED_GENERATION_H

#include "generation.h"
#include "recording/recording.h"

/* Builds generation `number` of a recording: its settings, robot, cells and calibration, and for
 * the first what had been learned. [main] Writes the texts to a folder of its own while it builds,
 * in the arithmetic of an ordinary thread. `*generation` is freed with generation_free.
 * STATUS_REFUSED with `error`: the recording holds no texts, or they do not build here. `note` says
 * what is left out, or "". */
enum status recorded_generation(const struct recording *recording, uint32_t number,
                                struct generation **generation, struct message *note,
                                struct message *error);

/* Gives a pipeline what had been learned before the recording's start, when that is in it. [main]
 * STATUS_STALE: nothing was; STATUS_REFUSED with `error`: it does not fit. */
enum status recorded_learned(const struct recording *recording, struct pipeline *pipeline,
                             struct message *error);

#endif
