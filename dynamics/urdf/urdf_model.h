/* The last stage of reading: a model's arrays carved and filled from what the others found. */
#ifndef URDF_MODEL_H
#define URDF_MODEL_H

#include "common/arena.h"
#include "common/message.h"
#include "common/status.h"
#include "model/model.h"
#include "urdf/urdf_stages.h"

/* Builds `model` from stages whose checks have passed. [start] [worker] Over a counting arena
 * only counts and name are set. STATUS_NO_MEMORY: `model` is untouched and `error` (not NULL)
 * says so. */
enum status urdf_model_build(const struct urdf_stages *stages, struct arena *arena,
                             struct model *model, struct message *error);

#endif
