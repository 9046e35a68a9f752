#include "collision.h"

#include "common/file.h"
#include "urdf/urdf_reader.h"

#include <expat.h>
#include <stdlib.h>
#include <string.h>

enum { SHAPES_MAX = 4096 };

/* Where the parser stands in the document. */
struct walk {
  const struct model *model;
  struct shapes *shapes;
  int frame; /* model frame of the <link> we are in, or -1 */
  bool in_collision, has_shape, failed;
  struct shape next; /* the shape being read, placement still in its URDF link's frame */
};

static const char *attribute(const XML_Char **attributes, const char *name) {
  for (; attributes[0] != NULL; attributes += 2) {
    if (strcmp(attributes[0], name) == 0) {
      return attributes[1];
    }
  }
  return NULL;
}

/* Reads up to three numbers; what is missing stays as it was. */
static void numbers(const char *text, double *x, double *y, double *z) {
  double *const out[3] = {x, y, z};
  for (int i = 0; text != NULL && i < 3 && out[i] != NULL; i++) {
    char *end;
    const double value = strtod(text, &end);
    if (end == text) {
      return;
    }
    *out[i] = value;
    text = end;
  }
}

static void read_origin(struct walk *walk, const XML_Char **attributes) {
  vec3 rpy = VEC3_ZERO;
  vec3 *p = &walk->next.placement.p;
  numbers(attribute(attributes, "xyz"), &p->x, &p->y, &p->z);
  numbers(attribute(attributes, "rpy"), &rpy.x, &rpy.y, &rpy.z);
  walk->next.placement.R = mat3_from_rpy(rpy);
}

static void read_shape(struct walk *walk, const char *element, const XML_Char **attributes) {
  vec3 *size = &walk->next.size;
  walk->has_shape = true;
  if (strcmp(element, "box") == 0) {
    walk->next.type = SHAPE_BOX;
    numbers(attribute(attributes, "size"), &size->x, &size->y, &size->z);
  } else if (strcmp(element, "cylinder") == 0) {
    walk->next.type = SHAPE_CYLINDER;
    numbers(attribute(attributes, "radius"), &size->x, NULL, NULL);
    numbers(attribute(attributes, "length"), &size->z, NULL, NULL);
    size->y = size->x;
  } else if (strcmp(element, "sphere") == 0) {
    walk->next.type = SHAPE_SPHERE;
    numbers(attribute(attributes, "radius"), &size->x, NULL, NULL);
    size->y = size->z = size->x;
  } else {
    walk->has_shape = false;
  }
}

static void on_start(void *user, const XML_Char *element, const XML_Char **attributes) {
  struct walk *walk = user;
  if (strcmp(element, "link") == 0) {
    const char *name = attribute(attributes, "name");
    walk->frame = name != NULL ? model_find_frame(walk->model, name) : -1;
  } else if (strcmp(element, "collision") == 0) {
    walk->in_collision = true;
    walk->has_shape = false;
    walk->next = (struct shape){.placement = {MAT3_IDENTITY, VEC3_ZERO}};
  } else if (walk->in_collision && strcmp(element, "origin") == 0) {
    read_origin(walk, attributes);
  } else if (walk->in_collision && !walk->has_shape) {
    read_shape(walk, element, attributes);
  }
}

static bool has_volume(const struct shape *shape) {
  return shape->size.x > 0.0 && shape->size.y > 0.0 && shape->size.z > 0.0 &&
         vec3_is_finite(shape->size) && vec3_is_finite(shape->placement.p);
}

/* Moves the shape from its URDF link's frame to that of the lumped link, and keeps it. */
static void keep(struct walk *walk) {
  struct shapes *shapes = walk->shapes;
  struct shape *grown = realloc(shapes->shape, (shapes->count + 1) * sizeof(*grown));
  if (grown == NULL || shapes->count >= SHAPES_MAX) {
    walk->failed = true;
    return;
  }
  const struct model_frame *frame = &walk->model->frame[walk->frame];
  shapes->shape = grown;
  grown[shapes->count] = walk->next;
  grown[shapes->count].link = frame->link;
  grown[shapes->count].placement = pose_mul(&frame->placement, &walk->next.placement);
  shapes->count++;
}

static void on_end(void *user, const XML_Char *element) {
  struct walk *walk = user;
  if (strcmp(element, "collision") == 0) {
    if (walk->in_collision && walk->has_shape && walk->frame >= 0 && has_volume(&walk->next)) {
      keep(walk);
    }
    walk->in_collision = false;
  } else if (strcmp(element, "link") == 0) {
    walk->frame = -1;
  }
}

static enum status parse(const char *text, size_t length, const char *name, struct walk *walk,
                         struct message *error) {
  XML_Parser parser = XML_ParserCreate(NULL);
  if (parser == NULL) {
    return STATUS_NO_MEMORY;
  }
  XML_SetUserData(parser, walk);
  XML_SetElementHandler(parser, on_start, on_end);
  enum status status = STATUS_OK;
  if (XML_Parse(parser, text, (int)length, 1) != XML_STATUS_OK || walk->failed) {
    message_set(error, "%s:%lu: %s", name, (unsigned long)XML_GetCurrentLineNumber(parser),
                walk->failed ? "too many collision shapes"
                             : XML_ErrorString(XML_GetErrorCode(parser)));
    status = STATUS_REFUSED;
  }
  XML_ParserFree(parser);
  return status;
}

enum status shapes_of_urdf(const char *text, size_t length, const char *name,
                           const struct model *model, struct shapes *shapes,
                           struct message *error) {
  struct shapes read = {0};
  struct walk walk = {.model = model, .shapes = &read, .frame = -1};
  const enum status status = parse(text, length, name, &walk, error);
  if (status != STATUS_OK) {
    shapes_free(&read);
    return status;
  }
  *shapes = read;
  return STATUS_OK;
}

enum status shapes_read(const char *path, const struct model *model, struct shapes *shapes,
                        struct message *error) {
  char *text;
  size_t length;
  if (file_read(path, URDF_MAX_BYTES, &text, &length, error) != STATUS_OK) {
    return STATUS_REFUSED;
  }
  const enum status status = shapes_of_urdf(text, length, path, model, shapes, error);
  free(text);
  return status;
}

void shapes_free(struct shapes *shapes) {
  free(shapes->shape);
  *shapes = (struct shapes){0};
}
