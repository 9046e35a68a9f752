/* The thesis' upper arm for tests of cell selection: 144 cells around a cylinder, 12 rings of 12,
 * each ring turned by half a cell against the one before. */
#ifndef CYLINDER_SKIN_H
#define CYLINDER_SKIN_H

#include "skin/cell_selection.h"

enum { RINGS = 12, PER_RING = 12, CELLS = RINGS * PER_RING };

struct cell_field cylinder_skin(vec3 place[CELLS], double weight[CELLS],
                                struct cell_neighbours neighbours[CELLS], bool usable[CELLS]);

#endif
