#include "support/cylinder_skin.h"

#include <math.h>

struct cell_field cylinder_skin(vec3 place[CELLS], double weight[CELLS],
                                struct cell_neighbours neighbours[CELLS], bool usable[CELLS]) {
  const double radius = 0.05, pitch = 0.025, reach = 0.032, noise = 0.34; /* m, m, m, m/s^2 */
  for (int c = 0; c < CELLS; c++) {
    const double angle = 2.0 * M_PI * (c % PER_RING + 0.5 * (c / PER_RING % 2)) / PER_RING;
    place[c] = (vec3){radius * cos(angle), radius * sin(angle), pitch * (c / PER_RING)};
    weight[c] = 1.0 / (noise * noise);
    usable[c] = true;
  }
  for (int c = 0; c < CELLS; c++) {
    neighbours[c].count = 0;
    for (int other = 0; other < CELLS && neighbours[c].count < CELL_NEIGHBOURS; other++) {
      if (other != c && vec3_norm(vec3_sub(place[c], place[other])) < reach) {
        neighbours[c].cell[neighbours[c].count++] = (uint16_t)other;
      }
    }
  }
  return (struct cell_field){CELLS, place, weight, neighbours, usable};
}
