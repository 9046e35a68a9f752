/* Where the sole of a foot is: the middle of what is lowest of its link's collision shapes. */
#ifndef SOLE_PLACE_H
#define SOLE_PLACE_H

#include "collision.h"

#include <stdbool.h>

/* The sole's middle with all joints at zero, m along the axes of `frame`. [start] False: the link
 * has no simple shapes, or the frame's z does not point up. */
bool sole_place(const struct model *model, const struct shapes *shapes,
                const struct model_frame *frame, vec3 *middle);

#endif
