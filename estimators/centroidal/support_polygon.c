#include "centroidal/support_polygon.h"

#include <math.h>

static const double LEAST_AREA = 1e-6; /* m^2: turns smaller than this are straight */

/* Twice the area of the triangle a, b, c: positive when it turns left. */
static double turn(vec3 a, vec3 b, vec3 c) {
  return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

static void sort_by_x(vec3 *point, size_t n) {
  for (size_t i = 1; i < n; i++) {
    const vec3 moved = point[i];
    size_t at = i;
    for (; at > 0 &&
           (point[at - 1].x > moved.x || (point[at - 1].x == moved.x && point[at - 1].y > moved.y));
         at--) {
      point[at] = point[at - 1];
    }
    point[at] = moved;
  }
}

/* Appends a corner to the chain that begins at `base`, without the ones that it makes concave. */
static size_t append(vec3 *hull, size_t n, size_t base, vec3 corner) {
  while (n >= base + 2 && turn(hull[n - 2], hull[n - 1], corner) <= LEAST_AREA) {
    n--;
  }
  hull[n] = corner;
  return n + 1;
}

/* Andrew's monotone chain: the lower side from left to right, then the upper one back. */
static enum status hull_of(vec3 *point, size_t n, struct support_polygon *out) {
  vec3 hull[POLYGON_MOST + 2];
  size_t count = 0;
  if (n < 3) {
    return STATUS_TOO_FEW;
  }
  sort_by_x(point, n);
  for (size_t i = 0; i < n; i++) {
    count = append(hull, count, 0, point[i]);
  }
  const size_t base = count - 1;
  for (size_t i = n - 1; i-- > 0;) {
    count = append(hull, count, base, point[i]);
  }
  if (count < 4) { /* the last corner repeats the first */
    return STATUS_TOO_FEW;
  }
  out->n = count - 1;
  for (size_t i = 0; i < out->n; i++) {
    out->corner[i] = hull[i];
  }
  return STATUS_OK;
}

enum status support_polygon(const struct pose *sole_W, const bool *stands, size_t n, double length,
                            double width, struct support_polygon *out) {
  vec3 point[POLYGON_MOST];
  size_t count = 0;
  for (size_t i = 0; i < n && i < ROBOT_MAX_FEET; i++) {
    const size_t corners = length > 0.0 && width > 0.0 ? 4 : 1;
    for (size_t c = 0; stands[i] && c < corners; c++) {
      const double x = corners == 1   ? 0.0
                       : (c & 1) != 0 ? 0.5 * length
                                      : -0.5 * length,
                   y = corners == 1   ? 0.0
                       : (c & 2) != 0 ? 0.5 * width
                                      : -0.5 * width;
      point[count++] = pose_apply(&sole_W[i], (vec3){x, y, 0.0});
    }
  }
  return hull_of(point, count, out);
}

double support_margin(const struct support_polygon *polygon, vec3 p) {
  bool inside = true;
  double least = HUGE_VAL;
  for (size_t i = 0; i < polygon->n; i++) {
    const vec3 a = polygon->corner[i], b = polygon->corner[(i + 1) % polygon->n];
    const double ex = b.x - a.x, ey = b.y - a.y;
    const double along = ((p.x - a.x) * ex + (p.y - a.y) * ey) / (ex * ex + ey * ey);
    const double s = fmin(fmax(along, 0.0), 1.0);
    least = fmin(least, hypot(p.x - a.x - s * ex, p.y - a.y - s * ey));
    inside = inside && turn(a, b, p) >= 0.0;
  }
  return inside ? least : -least;
}
