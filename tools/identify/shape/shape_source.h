/* Shapes of a robot's bodies from what there is: its description's <collision> elements, the cells
 * of its skin, or a file written by hand. */
#ifndef SHAPE_SOURCE_H
#define SHAPE_SOURCE_H

#include "identify/rows/unknowns.h"
#include "identify/shape/body_shapes.h"

struct shape_source {
  const char *of;    /* "collision", "cells" (the URDF's accelerometers), a table of cells (*.csv),
                         or a YAML file */
  double margin;     /* m, around cells */
  const char *urdf;  /* its text */
  const char *robot; /* its name, for messages */
};

/* Shapes of all bodies of the unknowns, begun at `prior` [unknowns->n]. [start] Bodies that the
 * source says nothing of may be of any shape. STATUS_BAD_ARGUMENT, STATUS_REFUSED with `error`:
 * `file:line:column: ...`, or the constraints that exclude each other. body_shapes_free frees. */
enum status shapes_make(const struct shape_source *source, const struct unknowns *unknowns,
                        const double *prior, struct body_shapes *shapes, struct message *error);

/* The same from the text of a YAML file, not begun yet. */
enum status shapes_of_file(const char *text, size_t length, const char *name,
                           const struct unknowns *unknowns, struct body_shapes *shapes,
                           struct message *error);

/* What such a file may say, for --help. */
extern const char shape_file_help[];

#endif
