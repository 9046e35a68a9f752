#include "identify/output/body_views.h"

#include "inertia/pseudo_inertia.h"

#include <math.h>

enum { SIDE = 220, OUTLINE = 48, VIEWS = 3 };

bool body_outline(const struct inertia *body, int along, int k, int n, double point[2]) {
  const int u = (along + 1) % 3, v = (along + 2) % 3;
  const mat4 J = pseudo_inertia(body);
  if (!(body->m > 0.0)) {
    return false;
  }
  /* second moments about the centre, per mass: a fifth of an even ellipsoid's squared half axes */
  const double cu = J.m[u][3] / body->m, cv = J.m[v][3] / body->m;
  const double uu = 5.0 * (J.m[u][u] / body->m - cu * cu),
               uv = 5.0 * (J.m[u][v] / body->m - cu * cv),
               vv = 5.0 * (J.m[v][v] / body->m - cv * cv);
  if (!(uu > 0.0 && vv - uv * uv / uu >= 0.0)) {
    return false;
  }
  /* its outline is the projection, by Cholesky's factor */
  const double angle = 2.0 * M_PI * k / n, left = sqrt(uu);
  point[0] = cu + left * cos(angle);
  point[1] = cv + uv / left * cos(angle) + sqrt(vv - uv * uv / uu) * sin(angle);
  return true;
}

/* The furthest that either body reaches from the origin in any view, m. */
static double reach_of(const struct inertia *const body[2]) {
  double reach = 1e-3;
  for (int i = 0; i < 2; i++) {
    for (int k = 0; k < OUTLINE * VIEWS; k++) {
      double point[2];
      if (body_outline(body[i], k / OUTLINE, k % OUTLINE, OUTLINE, point)) {
        reach = fmax(reach, fmax(fabs(point[0]), fabs(point[1])));
      }
    }
  }
  return reach;
}

static void print_outline(const struct inertia *body, int along, double scale, const char *kind,
                          FILE *file) {
  double point[2];
  if (!body_outline(body, along, 0, OUTLINE, point)) {
    return;
  }
  fprintf(file, "<polyline class=\"%s\" points=\"", kind);
  for (int k = 0; k <= OUTLINE; k++) {
    body_outline(body, along, k, OUTLINE, point);
    fprintf(file, "%.1f,%.1f ", SIDE * (along + 0.5) + scale * point[0],
            0.5 * SIDE - scale * point[1]);
  }
  fputs("\"/>", file);
}

void body_views(const struct inertia *now, const struct inertia *before, FILE *file) {
  static const char axes[] = "xyz";
  const struct inertia *const both[2] = {now, before};
  const double reach = reach_of(both), scale = 0.45 * SIDE / reach;
  fprintf(file, "<svg viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\">", VIEWS * SIDE, SIDE,
          VIEWS * SIDE, SIDE);
  for (int along = 0; along < VIEWS; along++) {
    const double x = SIDE * (along + 0.5), y = 0.5 * SIDE;
    fprintf(file,
            "<path class=\"m\" d=\"M%.0f %.0fh8M%.0f %.0fv8\"/><text x=\"%d\" y=\"14\" "
            "font-size=\"12\">%c right, %c up, half a side %.2g m</text>",
            x - 4.0, y, x, y - 4.0, SIDE * along + 4, axes[(along + 1) % 3], axes[(along + 2) % 3],
            0.5 * SIDE / scale);
    print_outline(before, along, scale, "m", file);
    print_outline(now, along, scale, "p", file);
  }
  fputs("</svg>\n", file);
}
