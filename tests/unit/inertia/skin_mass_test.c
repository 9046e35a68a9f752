#include "inertia/pseudo_inertia.h"
#include "inertia/skin_mass.h"
#include "support/random_body.h"
#include "support/suite.h"

static const struct skin_cell_body CELL = {
    .mass = 5e-3, .radius = 14e-3, .height = 6e-3, .com = {1e-3, -2e-3, 3e-3}};

/* Fills the cylinder with points: rings of equal area, evenly in angle and height. */
static struct inertia filled(const struct pose *X_LS) {
  enum { RINGS = 40, ANGLES = 32, LAYERS = 40 };
  struct inertia sum = {0};
  for (int r = 0; r < RINGS; r++) {
    const double radius = CELL.radius * sqrt((r + 0.5) / RINGS);
    for (int a = 0; a < ANGLES; a++) {
      const double angle = 2.0 * 3.14159265358979323846 * a / ANGLES;
      for (int z = 0; z < LAYERS; z++) {
        const vec3 p = {CELL.com.x + radius * cos(angle), CELL.com.y + radius * sin(angle),
                        CELL.com.z + CELL.height * ((z + 0.5) / LAYERS - 0.5)};
        const struct inertia point =
            inertia_of_point(CELL.mass / (RINGS * ANGLES * LAYERS), pose_apply(X_LS, p));
        sum = inertia_add(&sum, &point);
      }
    }
  }
  return sum;
}

/* @eq Leboutet22 186 187 188 189 */
START_TEST(a_cell_weighs_on_its_link_as_a_cylinder_full_of_points_does) {
  struct random random = random_from(test_seed());
  for (int trial = 0; trial < 5; trial++) {
    const struct pose X_LS = random_pose(&random);
    const struct inertia cell = skin_cell_inertia(&CELL, &X_LS), points = filled(&X_LS);
    double a[INERTIA_PARAMETERS], b[INERTIA_PARAMETERS];
    inertia_to(&cell, a);
    inertia_to(&points, b);
    for (int i = 0; i < INERTIA_PARAMETERS; i++) {
      /* the layers' own thickness is missing from the points: m h^2 / 12 / LAYERS^2 */
      assert_near(a[i], b[i], i < 4 ? 1e-14 : 2e-11);
    }
  }
}
END_TEST

START_TEST(a_link_stays_physical_under_its_skin) {
  struct random random = random_from(test_seed());
  struct inertia link = random_body(&random);
  const double bare = link.m;
  for (int k = 0; k < 40; k++) {
    const struct pose X_LS = random_pose(&random);
    const struct inertia cell = skin_cell_inertia(&CELL, &X_LS);
    link = inertia_add(&link, &cell);
    ck_assert_int_eq(inertia_consistency(&cell, 1e-3, NULL), STATUS_OK);
  }
  assert_near(link.m, bare + 40 * CELL.mass, 1e-12);
  ck_assert_int_eq(inertia_consistency(&link, 0.0, NULL), STATUS_OK);
}
END_TEST

SUITE(a_cell_weighs_on_its_link_as_a_cylinder_full_of_points_does,
      a_link_stays_physical_under_its_skin)
