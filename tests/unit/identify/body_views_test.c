#include "identify/output/body_views.h"

#include "support/suite.h"

#include <math.h>

/* An even ellipsoid of half axes 0.3, 0.2 and 0.1 m: its own outline. */
START_TEST(an_even_ellipsoid_is_drawn_as_it_is) {
  const double half[3] = {0.3, 0.2, 0.1}, centre[3] = {0.05, -0.1, 0.4}, mass = 2.0;
  mat3 I = {{{0.0}}};
  for (int i = 0; i < 3; i++) {
    const double a = half[(i + 1) % 3], b = half[(i + 2) % 3];
    I.m[i][i] = mass / 5.0 * (a * a + b * b);
  }
  const struct inertia body = inertia_of_body(mass, (vec3){centre[0], centre[1], centre[2]}, &I);
  for (int along = 0; along < 3; along++) {
    const int u = (along + 1) % 3, v = (along + 2) % 3;
    for (int k = 0; k < 7; k++) {
      double point[2];
      ck_assert(body_outline(&body, along, k, 7, point));
      const double x = (point[0] - centre[u]) / half[u], y = (point[1] - centre[v]) / half[v];
      assert_near(x * x + y * y, 1.0, 1e-9);
    }
  }
}
END_TEST

START_TEST(what_is_no_body_has_no_outline) {
  double point[2];
  const struct inertia none = {.m = 0.0};
  const struct inertia thin = {.m = 1.0, .h = {0.5, 0.0, 0.0}, .Ixx = 1e-3, .Iyy = 0.1, .Izz = 0.1};
  ck_assert(!body_outline(&none, 0, 0, 8, point));
  ck_assert(!body_outline(&thin, 2, 0, 8, point)); /* less spread than its centre needs */
}
END_TEST

SUITE(an_even_ellipsoid_is_drawn_as_it_is, what_is_no_body_has_no_outline)
