/* How far skin cells scatter about the motion of their link, at rest or in motion: noise, and what
 * gain, mounting and delay add to it when the robot moves. */
#ifndef CELL_SCATTER_H
#define CELL_SCATTER_H

#include "generation.h"
#include "robot/sensor_frame.h"

struct cell_scatter;

/* [start] NULL: no memory. */
struct cell_scatter *cell_scatter_create(struct generation *generation);

/* Steps the pipeline over the next frame, and notes what its skin scatters. [start] */
void cell_scatter_add(struct cell_scatter *scatter, const struct sensor_frame *frame);

/* Median over the cells of one standard deviation per axis, m/s^2; -1 when they said too little.
 * [start] A link's own motion is fitted to its cells: what the fit takes of their scatter is put
 * back. */
double cell_scatter_median(const struct cell_scatter *scatter);

void cell_scatter_free(struct cell_scatter *scatter); /* NULL is allowed */

#endif
