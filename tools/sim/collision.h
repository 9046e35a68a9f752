/* The simple shapes of a URDF's <collision> elements: what touches the ground.
 *
 * The robot model does not keep them, for the estimators have no use for them. Boxes, cylinders
 * and spheres are read; meshes are passed over. */
#ifndef COLLISION_H
#define COLLISION_H

#include "common/message.h"
#include "common/status.h"
#include "model/model.h"

enum shape_type { SHAPE_BOX, SHAPE_CYLINDER, SHAPE_SPHERE };

struct shape {
  enum shape_type type;
  size_t link;           /* index into model.link */
  struct pose placement; /* pose of the shape in that link's frame; a cylinder lies along z */
  vec3 size;             /* m: edges of the box; radius, radius, length; radius in x */
};

struct shapes {
  struct shape *shape; /* [count], owned */
  size_t count;
};

/* Reads the shapes of every link of `model` from the URDF at `path`. [start] Free with
 * `shapes_free`. STATUS_REFUSED with path and line when the file cannot be read. */
enum status shapes_read(const char *path, const struct model *model, struct shapes *shapes,
                        struct message *error);

/* The same from the `length` bytes of its text, called `name` in messages. */
enum status shapes_of_urdf(const char *text, size_t length, const char *name,
                           const struct model *model, struct shapes *shapes, struct message *error);

void shapes_free(struct shapes *shapes);

#endif
