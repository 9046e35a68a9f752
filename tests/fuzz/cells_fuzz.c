/* Any bytes as a table of skin cells: refused with a line and a reason, or sound cells whose mesh
 * is symmetric. */
#include "require.h"
#include "robot/cell_mesh.h"
#include "robot/cell_table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* As much of a robot as a table of cells asks for: links by name. */
static struct model two_links(void) {
  static struct model_frame frame[2] = {
      {.name = "base", .link = 0, .placement = {MAT3_IDENTITY, {0.0, 0.0, 0.1}}},
      {.name = "arm", .link = 1, .placement = {MAT3_IDENTITY, {0.0, 0.0, 0.0}}}};
  return (struct model){.n_links = 2, .n_joints = 1, .n_frames = 2, .frame = frame};
}

static void require_sound(const struct skin_cell *cell, size_t n) {
  for (size_t i = 0; i < n; i++) {
    const mat3 T = mat3_transpose(&cell[i].placement.R), one = mat3_mul(&cell[i].placement.R, &T);
    REQUIRE(cell[i].name[0] != '\0' && cell[i].link < 2);
    REQUIRE(vec3_is_finite(cell[i].placement.p));
    REQUIRE(fabs(one.m[0][0] - 1.0) < 1e-9 && fabs(one.m[0][1]) < 1e-9);
  }
}

static bool has(const struct cell_neighbours *of, size_t cell) {
  for (size_t k = 0; k < of->count; k++) {
    if (of->cell[k] == cell) {
      return true;
    }
  }
  return false;
}

static void require_symmetric_mesh(const struct skin_cell *cell, size_t n) {
  struct cell_neighbours *mesh = calloc(n, sizeof(*mesh));
  REQUIRE(cell_mesh_build(cell, n, mesh) == STATUS_OK);
  for (size_t i = 0; i < n; i++) {
    for (size_t k = 0; k < mesh[i].count; k++) {
      REQUIRE(mesh[i].cell[k] < n && mesh[i].cell[k] != i && has(&mesh[mesh[i].cell[k]], i));
    }
  }
  free(mesh);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const struct model model = two_links();
  const char *text = (const char *)data;
  struct arena count = {0};
  struct skin_cell *cell = NULL;
  size_t n = 0, line = 0;
  struct message error = {""};
  enum status status = cell_table_read(text, size, &model, &count, &cell, &n, &error);
  struct arena arena = {0};
  if (status == STATUS_OK) {
    arena = arena_over(aligned_alloc(ARENA_ALIGN, count.used), count.used);
    status = cell_table_read(text, size, &model, &arena, &cell, &n, &error);
  }
  if (status == STATUS_OK) {
    require_sound(cell, n);
    require_symmetric_mesh(cell, n);
  } else {
    REQUIRE(sscanf(error.text, "%zu: ", &line) == 1 && line > 0);
  }
  free(arena.base);
  return 0;
}
