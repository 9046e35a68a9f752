/* The convex hull of the soles that stand, and how far inside of it a point lies. Horizontal plane
 * only. All functions: [real-time]. */
#ifndef SUPPORT_POLYGON_H
#define SUPPORT_POLYGON_H

#include "common/status.h"
#include "math/spatial.h"
#include "robot/robot.h"

#define POLYGON_MOST (4 * ROBOT_MAX_FEET)

struct support_polygon {
  size_t n;
  vec3 corner[POLYGON_MOST]; /* m, world, counter-clockwise seen from above; z is not used */
};

/* Hull of the soles, rectangles about their frames' origins. TOO_FEW: less than an area.
 *   sole_W  [n] poses of the soles;  stands  [n]
 *   length, width  m, along the soles' x and y; 0 for point feet */
enum status support_polygon(const struct pose *sole_W, const bool *stands, size_t n, double length,
                            double width, struct support_polygon *out);

/* Distance of a point from the nearest edge, m: positive inside, negative outside. */
double support_margin(const struct support_polygon *polygon, vec3 point_W);

#endif
