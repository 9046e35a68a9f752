/* The mass of artificial skin: each cell a homogeneous cylinder that stands on its link. A robot in
 * a skin of a thousand cells carries some kilograms that its description does not know. [any] */
#ifndef SKIN_MASS_H
#define SKIN_MASS_H

#include "inertia/inertia.h"

/* One cell with its share of wires and glue. */
struct skin_cell_body {
  double mass;   /* kg */
  double radius; /* m */
  double height; /* m, along the cell's z axis */
  vec3 com;      /* m, cell frame: the cylinder's centre */
};

/* The cell as parameters about the link's origin, link coordinates. X_LS: pose of the cell frame in
 * the link's frame. */
struct inertia skin_cell_inertia(const struct skin_cell_body *cell, const struct pose *X_LS);

#endif
