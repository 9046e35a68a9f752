#include "identify/shape/shape_source.h"

#include "collision.h"
#include "common/file.h"
#include "robot/cell_table.h"
#include "settings/yaml_reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Cells on a link, at least, before they say how large it is. */
enum { CELLS_THAT_ENCLOSE = 8 };

/* -- collision shapes ------------------------------------------------------------------------- */

static enum status add_shape(struct body_shape *body, const struct shape *shape) {
  char name[SHAPE_NAME];
  const char *kind = shape->type == SHAPE_BOX        ? "box"
                     : shape->type == SHAPE_CYLINDER ? "cylinder"
                                                     : "sphere";
  snprintf(name, sizeof(name), "collision %s %zu", kind, body->n_pieces + 1);
  const struct ellipsoid ball = ellipsoid_from_axes(&shape->placement, shape->size);
  return shape->type == SHAPE_BOX ? body_add_box(body, &shape->placement, shape->size, name)
         : shape->type == SHAPE_CYLINDER
             ? body_add_cylinder(body, &shape->placement, shape->size.x, shape->size.z, name)
             : body_add_ellipsoid(body, &ball, name);
}

/* The body of a link, or the number of bodies. */
static size_t body_of(const struct unknowns *u, size_t link) {
  return link >= u->first_link && link - u->first_link < u->links ? link - u->first_link
                                                                  : u->bodies;
}

static enum status from_collision(const struct shape_source *source, const struct unknowns *u,
                                  struct body_shapes *out, struct message *error) {
  struct shapes read;
  enum status status =
      shapes_of_urdf(source->urdf, strlen(source->urdf), source->robot, u->model, &read, error);
  if (status != STATUS_OK) {
    return status;
  }
  if (read.count == 0) {
    message_set(error, "%s: no <collision> with a box, a cylinder or a sphere", source->robot);
    status = STATUS_REFUSED;
  }
  for (size_t i = 0; i < read.count && status == STATUS_OK; i++) {
    const size_t body = body_of(u, read.shape[i].link);
    status = body < u->bodies ? add_shape(&out->body[body], &read.shape[i]) : STATUS_OK;
  }
  shapes_free(&read);
  return status;
}

/* -- skin cells ------------------------------------------------------------------------------- */

/* Cells of a table, or of the description when there is none; from malloc. */
static enum status read_cells(const struct shape_source *source, const struct model *model,
                              struct skin_cell **cells, size_t *n, void **memory,
                              struct message *error) {
  const bool table = strcmp(source->of, "cells") != 0;
  char *text = NULL;
  size_t length = 0;
  enum status status =
      table ? file_read(source->of, CELL_TABLE_MAX_BYTES, &text, &length, error) : STATUS_OK;
  struct arena arena = {0};
  struct message why = {""};
  for (int pass = 0; pass < 2 && status == STATUS_OK; pass++) {
    status = table ? cell_table_read(text, length, model, &arena, cells, n, &why)
                   : cell_table_from_model(model, &arena, cells, n, &why);
    if (status == STATUS_OK && pass == 0) {
      *memory = aligned_alloc(ARENA_ALIGN, arena.used);
      arena = arena_over(*memory, arena.used);
      status = *memory != NULL ? STATUS_OK : STATUS_NO_MEMORY;
    }
    if (status != STATUS_OK) {
      message_set(error, "%.200s: %.300s", table ? source->of : source->robot, why.text);
    }
  }
  free(text);
  return status;
}

static enum status from_cells(const struct shape_source *source, const struct unknowns *u,
                              struct body_shapes *out, struct message *error) {
  struct skin_cell *cells;
  size_t n;
  void *memory = NULL;
  enum status status = read_cells(source, u->model, &cells, &n, &memory, error);
  vec3 *point = status == STATUS_OK ? calloc(n + 1, sizeof(*point)) : NULL;
  for (size_t i = 0; i < u->links && status == STATUS_OK && point != NULL; i++) {
    size_t on = 0;
    for (size_t k = 0; k < n; k++) {
      if (cells[k].link == u->first_link + i) {
        point[on++] = cells[k].placement.p;
      }
    }
    /* a few cells on one side enclose nothing */
    if (on >= CELLS_THAT_ENCLOSE) {
      status = body_add_points(&out->body[i], point, on, source->margin, "skin");
    }
  }
  if (status == STATUS_OK && point == NULL) {
    status = STATUS_NO_MEMORY;
  }
  free(point);
  free(memory);
  return status;
}

/* -- all of them ------------------------------------------------------------------------------ */

static bool ends_with(const char *word, const char *end) {
  const size_t n = strlen(word), m = strlen(end);
  return n >= m && strcmp(word + n - m, end) == 0;
}

static enum status from_file(const struct shape_source *source, const struct unknowns *u,
                             struct body_shapes *out, struct message *error) {
  char *text;
  size_t length;
  enum status status = file_read(source->of, YAML_MAX_BYTES, &text, &length, error);
  if (status == STATUS_OK) {
    status = shapes_of_file(text, length, source->of, u, out, error);
    free(text);
  }
  return status;
}

static enum status begin(const struct unknowns *u, const double *prior, struct body_shapes *out,
                         struct message *error) {
  struct inertia *body = calloc(u->bodies + 1, sizeof(*body));
  char(*name)[SHAPE_NAME] = calloc(u->bodies + 1, sizeof(*name));
  enum status status = body != NULL && name != NULL ? STATUS_OK : STATUS_NO_MEMORY;
  for (size_t i = 0; i < u->bodies && status == STATUS_OK; i++) {
    body[i] = convex_body(prior, i);
    unknowns_body(u, i, name[i], SHAPE_NAME);
  }
  if (status == STATUS_OK) {
    status = body_shapes_begin(out, body, name, error);
  }
  free(body);
  free(name);
  return status;
}

enum status shapes_make(const struct shape_source *source, const struct unknowns *unknowns,
                        const double *prior, struct body_shapes *shapes, struct message *error) {
  struct body_shapes made;
  message_set(error, "%s: no memory", source->of);
  enum status status = body_shapes_init(&made, unknowns->bodies);
  if (status == STATUS_OK) {
    status = strcmp(source->of, "collision") == 0 ? from_collision(source, unknowns, &made, error)
             : strcmp(source->of, "cells") == 0 || ends_with(source->of, ".csv")
                 ? from_cells(source, unknowns, &made, error)
                 : from_file(source, unknowns, &made, error);
  }
  if (status == STATUS_OK) {
    status = begin(unknowns, prior, &made, error);
  }
  if (status == STATUS_OK) {
    *shapes = made;
  } else {
    body_shapes_free(&made);
  }
  return status;
}
