/* Many normal numbers at once, in vector registers: what sim_normal makes one by one. */
#ifndef SIM_NORMALS_H
#define SIM_NORMALS_H

#include <stddef.h>

/* Pairs are made by as many: pad arrays to a multiple of this. */
#define SIM_NORMALS_WIDTH ((size_t)64)

/* Two standard normal numbers of each pair of uniform ones (Box and Muller), up to rounding as
 * sim_normal makes them. [any] u, v: [n] in [0, 1), n a multiple of SIM_NORMALS_WIDTH; out: [2 n],
 * may not overlap with them. */
void sim_normals(const double *u, const double *v, size_t n, double *out);

#endif
