/* What was perhaps meant by a name that the robot does not have. */
#ifndef NAME_SUGGESTION_H
#define NAME_SUGGESTION_H

#include "model/model.h"

#define NAME_SUGGESTION_SIZE (MODEL_NAME_SIZE + 32)

/* Writes ", did you mean 'x'?" for the name nearest to `name`, or "" when more than one letter in
 * three differs from any. [start] [worker] Of frames: links, fixed joints and sensors. */
void suggest_frame(const struct model *model, const char *name, char text[NAME_SUGGESTION_SIZE]);
void suggest_joint(const struct model *model, const char *name, char text[NAME_SUGGESTION_SIZE]);

/* The same of `count` names, the i-th at `first + i stride` bytes. */
void suggest_of(const char *name, const char *first, size_t count, size_t stride,
                char text[NAME_SUGGESTION_SIZE]);

#endif
