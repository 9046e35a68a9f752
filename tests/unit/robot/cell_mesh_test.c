#include "robot/cell_mesh.h"

#include "support/suite.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Cells with the normal along z unless told otherwise. */
static struct skin_cell cell_at(size_t link, vec3 p) {
  return (struct skin_cell){.link = link, .placement = {MAT3_IDENTITY, p}};
}

static struct skin_cell cell_facing(size_t link, vec3 p, vec3 normal) {
  const vec3 z = {0.0, 0.0, 1.0}, axis = vec3_cross(z, normal);
  const double s = vec3_norm(axis), angle = atan2(s, normal.z);
  const vec3 unit = s > 0.0 ? vec3_scale(1.0 / s, axis) : (vec3){1.0, 0.0, 0.0};
  return (struct skin_cell){.link = link, .placement = {mat3_from_axis_angle(unit, angle), p}};
}

static bool are_neighbours(const struct cell_neighbours *mesh, size_t a, size_t b) {
  for (size_t k = 0; k < mesh[a].count; k++) {
    if (mesh[a].cell[k] == b) {
      return true;
    }
  }
  return false;
}

static void assert_sound(const struct skin_cell *cells, size_t n,
                         const struct cell_neighbours *mesh) {
  for (size_t i = 0; i < n; i++) {
    ck_assert_uint_le(mesh[i].count, CELL_NEIGHBOURS);
    for (size_t k = 0; k < mesh[i].count; k++) {
      const size_t other = mesh[i].cell[k];
      ck_assert_uint_lt(other, n);
      ck_assert_uint_ne(other, i);
      ck_assert_uint_eq(cells[other].link, cells[i].link);
      ck_assert_msg(are_neighbours(mesh, other, i), "%zu has %zu, not the other way round", i,
                    other);
    }
  }
}

enum { ROWS = 12, COLUMNS = 15, SHEET = ROWS * COLUMNS };

static void hexagonal_sheet(struct skin_cell cells[SHEET], double pitch) {
  for (int r = 0; r < ROWS; r++) {
    for (int c = 0; c < COLUMNS; c++) {
      const vec3 p = {pitch * (c + 0.5 * (r % 2)), pitch * r * sqrt(0.75), 0.0};
      cells[r * COLUMNS + c] = cell_at(2, p);
    }
  }
}

START_TEST(a_cell_inside_a_hexagonal_sheet_has_the_six_around_it) {
  struct skin_cell cells[SHEET];
  struct cell_neighbours mesh[SHEET];
  const double pitches[] = {0.003, 0.03, 0.3};
  for (int i = 0; i < 3; i++) {
    hexagonal_sheet(cells, pitches[i]);
    ck_assert_int_eq(cell_mesh_build(cells, SHEET, mesh), STATUS_OK);
    assert_sound(cells, SHEET, mesh);
    for (int r = 1; r < ROWS - 1; r++) {
      for (int c = 1; c < COLUMNS - 1; c++) {
        const int at = r * COLUMNS + c, shift = r % 2;
        const int around[] = {at - 1,
                              at + 1,
                              at - COLUMNS + shift,
                              at - COLUMNS + shift - 1,
                              at + COLUMNS + shift,
                              at + COLUMNS + shift - 1};
        ck_assert_uint_eq(mesh[at].count, 6);
        for (int k = 0; k < 6; k++) {
          ck_assert(are_neighbours(mesh, (size_t)at, (size_t)around[k]));
        }
      }
    }
  }
}
END_TEST

START_TEST(a_cell_inside_a_square_sheet_has_four_and_no_diagonal) {
  enum { N = 9 };
  struct skin_cell cells[N * N];
  struct cell_neighbours mesh[N * N];
  for (int i = 0; i < N * N; i++) {
    cells[i] = cell_at(0, (vec3){0.02 * (i % N), 0.02 * (i / N), 0.0});
  }
  ck_assert_int_eq(cell_mesh_build(cells, N * N, mesh), STATUS_OK);
  assert_sound(cells, N * N, mesh);
  for (int i = 0; i < N * N; i++) {
    const bool inside = i % N > 0 && i % N < N - 1 && i / N > 0 && i / N < N - 1;
    ck_assert(!inside || mesh[i].count == 4);
  }
}
END_TEST

START_TEST(positions_printed_with_five_decimals_make_the_same_mesh) {
  struct skin_cell exact[SHEET], printed[SHEET];
  struct cell_neighbours a[SHEET], b[SHEET];
  hexagonal_sheet(exact, 0.03);
  for (int i = 0; i < SHEET; i++) {
    const vec3 p = exact[i].placement.p;
    printed[i] = cell_at(2, (vec3){round(p.x * 1e5) / 1e5, round(p.y * 1e5) / 1e5, 0.0});
  }
  ck_assert_int_eq(cell_mesh_build(exact, SHEET, a), STATUS_OK);
  ck_assert_int_eq(cell_mesh_build(printed, SHEET, b), STATUS_OK);
  for (size_t i = 0; i < SHEET; i++) {
    ck_assert_uint_eq(a[i].count, b[i].count);
    for (size_t k = 0; k < a[i].count; k++) {
      ck_assert(are_neighbours(b, i, a[i].cell[k]));
    }
  }
}
END_TEST

START_TEST(cells_on_the_two_sides_of_a_thin_plate_are_not_neighbours) {
  enum { SIDE = 16 };
  struct skin_cell cells[2 * SIDE];
  struct cell_neighbours mesh[2 * SIDE];
  for (int i = 0; i < SIDE; i++) {
    const vec3 p = {0.03 * (i % 4), 0.03 * (i / 4), 0.0};
    cells[i] = cell_facing(1, vec3_add(p, (vec3){0.0, 0.0, 0.005}), (vec3){0.0, 0.0, 1.0});
    cells[SIDE + i] = cell_facing(1, vec3_add(p, (vec3){0.0, 0.0, -0.005}), (vec3){0.0, 0.0, -1.0});
  }
  ck_assert_int_eq(cell_mesh_build(cells, (size_t)2 * SIDE, mesh), STATUS_OK);
  assert_sound(cells, (size_t)2 * SIDE, mesh);
  for (size_t i = 0; i < SIDE; i++) {
    ck_assert_uint_ge(mesh[i].count, 2);
    for (size_t k = 0; k < mesh[i].count; k++) {
      ck_assert_uint_lt(mesh[i].cell[k], SIDE);
    }
  }
}
END_TEST

START_TEST(a_ring_of_cells_around_a_limb_closes) {
  enum { AROUND = 8 };
  struct skin_cell cells[AROUND];
  struct cell_neighbours mesh[AROUND];
  for (int i = 0; i < AROUND; i++) {
    const double angle = 2.0 * M_PI * i / AROUND;
    const vec3 normal = {cos(angle), sin(angle), 0.0};
    cells[i] = cell_facing(3, vec3_scale(0.04, normal), normal);
  }
  ck_assert_int_eq(cell_mesh_build(cells, AROUND, mesh), STATUS_OK);
  for (size_t i = 0; i < AROUND; i++) {
    ck_assert_uint_eq(mesh[i].count, 2);
    ck_assert(are_neighbours(mesh, i, (i + 1) % AROUND));
  }
}
END_TEST

START_TEST(patches_far_apart_and_cells_of_other_links_stay_apart) {
  enum { PATCH = 9 };
  struct skin_cell cells[3 * PATCH];
  struct cell_neighbours mesh[3 * PATCH];
  for (int i = 0; i < PATCH; i++) {
    const vec3 p = {0.02 * (i % 3), 0.02 * (i / 3), 0.0};
    cells[3 * i] = cell_at(0, p);
    cells[3 * i + 1] = cell_at(0, vec3_add(p, (vec3){0.3, 0.0, 0.0}));
    cells[3 * i + 2] = cell_at(1, vec3_add(p, (vec3){0.01, 0.01, 0.0}));
  }
  ck_assert_int_eq(cell_mesh_build(cells, (size_t)3 * PATCH, mesh), STATUS_OK);
  assert_sound(cells, (size_t)3 * PATCH, mesh);
  for (size_t i = 0; i < (size_t)3 * PATCH; i++) {
    ck_assert_uint_ge(mesh[i].count, 2);
    for (size_t k = 0; k < mesh[i].count; k++) {
      ck_assert_uint_eq(mesh[i].cell[k] % 3, i % 3);
    }
  }
}
END_TEST

START_TEST(one_cell_two_cells_and_cells_in_one_place_are_survived) {
  struct skin_cell cells[20];
  struct cell_neighbours mesh[20];
  cells[0] = cell_at(0, VEC3_ZERO);
  ck_assert_int_eq(cell_mesh_build(cells, 0, mesh), STATUS_OK);
  ck_assert_int_eq(cell_mesh_build(cells, 1, mesh), STATUS_OK);
  ck_assert_uint_eq(mesh[0].count, 0);
  cells[1] = cell_at(0, (vec3){0.5, 0.0, 0.0});
  ck_assert_int_eq(cell_mesh_build(cells, 2, mesh), STATUS_OK);
  ck_assert(mesh[0].count == 1 && mesh[1].count == 1);
  for (int i = 0; i < 20; i++) {
    cells[i] = cell_at(0, VEC3_ZERO);
  }
  ck_assert_int_eq(cell_mesh_build(cells, 20, mesh), STATUS_OK);
  assert_sound(cells, 20, mesh);
  ck_assert_int_eq(cell_mesh_build(cells, ROBOT_MAX_CELLS + 1, mesh), STATUS_OUT_OF_RANGE);
}
END_TEST

START_TEST(random_clouds_make_symmetric_meshes_that_the_order_of_cells_does_not_change) {
  enum { N = 400 };
  struct random random = random_from(test_seed());
  for (int run = 0; run < 20; run++) {
    struct skin_cell cells[N], reversed[N];
    struct cell_neighbours mesh[N], mirror[N];
    for (int i = 0; i < N; i++) {
      const vec3 p = {random_uniform(&random, 0.0, 1.0), random_uniform(&random, 0.0, 0.3),
                      random_uniform(&random, 0.0, 0.1)};
      const vec3 n = {random_normal(&random), random_normal(&random), random_normal(&random)};
      cells[i] = cell_facing((size_t)(i % 3), p, vec3_scale(1.0 / vec3_norm(n), n));
      reversed[N - 1 - i] = cells[i];
    }
    ck_assert_int_eq(cell_mesh_build(cells, N, mesh), STATUS_OK);
    ck_assert_int_eq(cell_mesh_build(reversed, N, mirror), STATUS_OK);
    assert_sound(cells, N, mesh);
    for (size_t i = 0; i < N; i++) {
      ck_assert_uint_eq(mesh[i].count, mirror[N - 1 - i].count);
      for (size_t k = 0; k < mesh[i].count; k++) {
        ck_assert(are_neighbours(mirror, N - 1 - i, N - 1 - (size_t)mesh[i].cell[k]));
      }
    }
  }
}
END_TEST

START_TEST(sixteen_thousand_cells_on_one_link_cost_less_than_a_second) {
  static struct skin_cell cells[ROBOT_MAX_CELLS];
  static struct cell_neighbours mesh[ROBOT_MAX_CELLS];
  for (int i = 0; i < ROBOT_MAX_CELLS; i++) {
    const int row = i / 128, column = i % 128;
    const double angle = 2.0 * M_PI * (column + 0.5 * (row % 2)) / 128.0;
    const vec3 normal = {cos(angle), sin(angle), 0.0};
    const vec3 p = {0.2 * normal.x, 0.2 * normal.y, 0.0085 * row};
    cells[i] = cell_facing(0, p, normal);
  }
  const clock_t start = clock();
  ck_assert_int_eq(cell_mesh_build(cells, ROBOT_MAX_CELLS, mesh), STATUS_OK);
  const double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
  printf("mesh of %d cells: %.3f s\n", ROBOT_MAX_CELLS, seconds);
  assert_sound(cells, ROBOT_MAX_CELLS, mesh);
  size_t six = 0;
  for (int i = 0; i < ROBOT_MAX_CELLS; i++) {
    six += mesh[i].count == 6;
  }
  ck_assert_uint_ge(six, ROBOT_MAX_CELLS - 2 * 128); /* all but the two rims */
  ck_assert_double_lt(seconds, 1.0);
}
END_TEST

START_TEST(sixteen_thousand_cells_in_one_place_cost_less_than_a_second_and_one_stands_for_all) {
  const size_t n = ROBOT_MAX_CELLS;
  struct skin_cell *cells = calloc(n, sizeof(*cells));
  struct cell_neighbours *mesh = calloc(n, sizeof(*mesh));
  for (size_t i = 0; i < n; i++) { /* but for the last two, to have a neighbour */
    cells[i] = cell_at(1, (vec3){i < n - 2 ? 0.0 : 0.01 * (double)(i + 3 - n), 0.0, 0.0});
  }
  const clock_t before = clock();
  ck_assert_int_eq(cell_mesh_build(cells, n, mesh), STATUS_OK);
  const double seconds = (double)(clock() - before) / CLOCKS_PER_SEC;
  printf("%zu cells in one place in %.3f s\n", n, seconds);
  ck_assert_double_lt(seconds, 1.0);
  assert_sound(cells, n, mesh);
  ck_assert(are_neighbours(mesh, 0, n - 2));
  ck_assert_uint_eq(mesh[1].count, 0);
  free(cells);
  free(mesh);
}
END_TEST

START_TEST(cells_in_one_place_that_face_apart_each_have_their_neighbours) {
  struct skin_cell cells[8];
  struct cell_neighbours mesh[8];
  for (size_t i = 0; i < 8; i++) {
    cells[i] = cell_facing(1, (vec3){0.01 * (double)(i / 2), 0.0, 0.0},
                           (vec3){0.0, 0.0, i % 2 == 0 ? 1.0 : -1.0});
  }
  ck_assert_int_eq(cell_mesh_build(cells, 8, mesh), STATUS_OK);
  for (size_t i = 0; i + 2 < 8; i++) {
    ck_assert(are_neighbours(mesh, i, i + 2));
  }
}
END_TEST

SUITE(sixteen_thousand_cells_in_one_place_cost_less_than_a_second_and_one_stands_for_all,
      cells_in_one_place_that_face_apart_each_have_their_neighbours,
      a_cell_inside_a_hexagonal_sheet_has_the_six_around_it,
      a_cell_inside_a_square_sheet_has_four_and_no_diagonal,
      positions_printed_with_five_decimals_make_the_same_mesh,
      cells_on_the_two_sides_of_a_thin_plate_are_not_neighbours,
      a_ring_of_cells_around_a_limb_closes, patches_far_apart_and_cells_of_other_links_stay_apart,
      one_cell_two_cells_and_cells_in_one_place_are_survived,
      random_clouds_make_symmetric_meshes_that_the_order_of_cells_does_not_change,
      sixteen_thousand_cells_on_one_link_cost_less_than_a_second)
