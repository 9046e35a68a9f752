#include "inertia/skin_mass.h"

/* @eq Leboutet22 186 187 188 189
 * @differs Leboutet22 186: the cell's centre goes to the link by R, not by its transpose
 * @differs Leboutet22 188: the parallel-axis term is that of the cell's centre, R com + p, not of
 * its frame's origin p alone */
struct inertia skin_cell_inertia(const struct skin_cell_body *cell, const struct pose *X_LS) {
  const double m = cell->mass, r2 = cell->radius * cell->radius, h2 = cell->height * cell->height;
  const double across = m * (3.0 * r2 + h2) / 12.0, along = 0.5 * m * r2;
  const mat3 I_cell = {{{across, 0.0, 0.0}, {0.0, across, 0.0}, {0.0, 0.0, along}}};
  const struct inertia in_S = inertia_of_body(m, cell->com, &I_cell);
  return inertia_transform(X_LS, &in_S);
}
