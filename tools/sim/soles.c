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

/* Half of a shape's width along y of the frame in which it has the placement X. */
static double half_width(const struct shape *shape, const struct pose *X) {
  const vec3 y = {X->R.m[1][0], X->R.m[1][1], X->R.m[1][2]};
  const vec3 *size = &shape->size;
  switch (shape->type) {
  case SHAPE_BOX:
    return 0.5 * (fabs(y.x) * size->x + fabs(y.y) * size->y + fabs(y.z) * size->z);
  case SHAPE_CYLINDER:
    return size->x * sqrt(fmax(1.0 - y.z * y.z, 0.0)) + 0.5 * fabs(y.z) * size->z;
  default:
    return size->x;
  }
}

double soles_width(const struct shapes *shapes, const struct robot *robot) {
  double narrowest = HUGE_VAL;
  for (size_t k = 0; k < robot->n_feet; k++) {
    const struct pose X_FL = pose_inverse(&robot->foot[k].placement);
    double left = -HUGE_VAL, right = HUGE_VAL;
    for (size_t i = 0; i < shapes->count; i++) {
      if (shapes->shape[i].link == robot->foot[k].link) {
        const struct pose X_FS = pose_mul(&X_FL, &shapes->shape[i].placement);
        const double half = half_width(&shapes->shape[i], &X_FS);
        left = fmax(left, X_FS.p.y + half);
        right = fmin(right, X_FS.p.y - half);
      }
    }
    narrowest = fmin(narrowest, fmax(left - right, 0.0));
  }
  return narrowest;
}
