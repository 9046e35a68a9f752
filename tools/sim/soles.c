#include "soles.h"

#include <stdlib.h>

/* of a sole, as shares of the leg's length; those of 0.9 m are 23 cm long and 10 cm wide */
static const double LONG = 0.25, WIDE = 0.11, THICK = 0.03;

static bool has_shape(const struct shapes *shapes, size_t link) {
  bool has = false;
  for (size_t i = 0; i < shapes->count; i++) {
    has = has || shapes->shape[i].link == link;
  }
  return has;
}

enum status soles_add(struct shapes *shapes, const struct robot *robot, double leg_length) {
  for (size_t k = 0; robot->n_feet == 2 && k < robot->n_feet; k++) {
    const struct model_frame *foot = &robot->foot[k];
    if (has_shape(shapes, foot->link)) {
      continue;
    }
    struct shape *grown = realloc(shapes->shape, (shapes->count + 1) * sizeof(*grown));
    if (grown == NULL) {
      return STATUS_NO_MEMORY;
    }
    const vec3 size = vec3_scale(leg_length, (vec3){LONG, WIDE, THICK});
    const struct pose middle = {MAT3_IDENTITY, {0.0, 0.0, 0.5 * size.z}};
    shapes->shape = grown;
    grown[shapes->count++] = (struct shape){.type = SHAPE_BOX,
                                            .link = foot->link,
                                            .placement = pose_mul(&foot->placement, &middle),
                                            .size = size};
  }
  return STATUS_OK;
}
