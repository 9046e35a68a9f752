/* Bodies as people see them: the even ellipsoid of the same mass, centre and moments of inertia, in
 * three views of its link's frame, now and before. */
#ifndef BODY_VIEWS_H
#define BODY_VIEWS_H

#include "inertia/inertia.h"

#include <stdbool.h>
#include <stdio.h>

/* Writes one SVG with three views of one scale: class `m` what was known before, `p` what was
 * found; the cross is the link's origin. [start] A body that cannot be is left out of it. */
void body_views(const struct inertia *now, const struct inertia *before, FILE *file);

/* Outline of a body's ellipsoid seen along an axis (0 to 2): point k of n, m, in the two axes
 * that follow it. False: a body that cannot be. */
bool body_outline(const struct inertia *body, int along, int k, int n, double point[2]);

#endif
