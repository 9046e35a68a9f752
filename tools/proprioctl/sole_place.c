#include "sole_place.h"

#include "body/kinematics.h"

#include <math.h>
#include <stdlib.h>

/* m: what is no higher above the lowest point than this belongs to the sole; */
static const double SOLE_DEPTH = 0.01;
/* cosine of the angle between z and up */
static const double UPRIGHT = 0.95;

enum { CORNERS = 8 };

/* The link's upward axis with all joints at zero, link coordinates. */
static bool find_up(const struct model *model, size_t link, vec3 *up) {
  static const double zero[MODEL_MAX_JOINTS];
  struct kinematics kin;
  struct arena arena = {0};
  enum status status = kinematics_init(&kin, model, &arena);
  void *memory = status == STATUS_OK ? aligned_alloc(ARENA_ALIGN, arena.used) : NULL;
  arena = arena_over(memory, arena.used);
  status = memory != NULL ? kinematics_init(&kin, model, &arena) : STATUS_NO_MEMORY;
  status = status == STATUS_OK ? kinematics_update_position(&kin, zero) : status;
  if (status == STATUS_OK) {
    *up = mat3_tmul_vec3(&kin.X_BL[link].R, (vec3){0.0, 0.0, 1.0});
  }
  free(memory);
  return status == STATUS_OK;
}

/* Corner i of a shape, link coordinates; of a round one the lowest there. */
static vec3 corner(const struct shape *shape, int i, vec3 up) {
  const double x = i & 1 ? 0.5 : -0.5, y = i & 2 ? 0.5 : -0.5, z = i & 4 ? 0.5 : -0.5;
  const vec3 size = shape->size;
  if (shape->type == SHAPE_SPHERE) {
    return vec3_axpy(shape->placement.p, -size.x, up);
  }
  if (shape->type == SHAPE_CYLINDER) { /* four points of each rim */
    const double a = 0.5 * M_PI * (double)(i & 3);
    return pose_apply(&shape->placement, (vec3){size.x * cos(a), size.x * sin(a), z * size.z});
  }
  return pose_apply(&shape->placement, (vec3){x * size.x, y * size.y, z * size.z});
}

/* How low the link's shapes reach, m along `up`; HUGE_VAL without any. */
static double lowest(const struct shapes *shapes, size_t link, vec3 up) {
  double low = HUGE_VAL;
  for (size_t k = 0; k < shapes->count; k++) {
    for (int i = 0; i < CORNERS && shapes->shape[k].link == link; i++) {
      low = fmin(low, vec3_dot(corner(&shapes->shape[k], i, up), up));
    }
  }
  return low;
}

bool sole_place(const struct model *model, const struct shapes *shapes,
                const struct model_frame *frame, vec3 *middle) {
  vec3 up, most = {-HUGE_VAL, -HUGE_VAL, 0.0}, least = {HUGE_VAL, HUGE_VAL, 0.0};
  if (!find_up(model, frame->link, &up) || mat3_tmul_vec3(&frame->placement.R, up).z < UPRIGHT) {
    return false;
  }
  const double low = lowest(shapes, frame->link, up);
  const struct pose to_frame = pose_inverse(&frame->placement);
  for (size_t k = 0; k < shapes->count; k++) {
    for (int i = 0; i < CORNERS && shapes->shape[k].link == frame->link; i++) {
      const vec3 at = corner(&shapes->shape[k], i, up);
      const vec3 p = pose_apply(&to_frame, at);
      if (vec3_dot(at, up) < low + SOLE_DEPTH) {
        most = (vec3){fmax(most.x, p.x), fmax(most.y, p.y), 0.0};
        least = (vec3){fmin(least.x, p.x), fmin(least.y, p.y), 0.0};
      }
    }
  }
  const double height = low - vec3_dot(frame->placement.p, up);
  *middle = (vec3){0.5 * (most.x + least.x), 0.5 * (most.y + least.y), height};
  return isfinite(low);
}
