/* Which skin cells touch which: the mesh over a link's surface, from positions and normals alone.
 *
 * Two cells of a link are neighbours when
 *   - no third cell lies inside the sphere that has them as poles (their Gabriel graph: six
 *     neighbours on a hexagonal layout, four on a square one),
 *   - their distance is at most CELL_MESH_REACH times each one's distance to its second nearest
 *     cell, so that gaps between patches stay gaps,
 *   - their normals are less than 120 degrees apart, so that nothing is joined through a thin limb.
 * Of cells at one place that face alike only the first has neighbours. The relation is symmetric.
 * A cell keeps at most CELL_NEIGHBOURS, the nearest, and only those that keep it too. */
#ifndef CELL_MESH_H
#define CELL_MESH_H

#include "common/status.h"
#include "robot/robot.h"

#include <stddef.h>

#define CELL_MESH_REACH 2.0

/* Finds the neighbours of `cells` [n], nearest first, into `mesh` [n]; indices are those of
 * `cells`. [start] [worker] Allocates while it works. Cells are sorted along each link's longest
 * direction, so that n cells on a surface cost about n^1.5 comparisons. STATUS_OUT_OF_RANGE: n
 * above ROBOT_MAX_CELLS; STATUS_NO_MEMORY; `mesh` is then untouched. */
enum status cell_mesh_build(const struct skin_cell *cells, size_t n, struct cell_neighbours *mesh);

#endif
