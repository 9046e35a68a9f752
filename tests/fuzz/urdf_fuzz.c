/* Any bytes as a URDF: refused with a place and a reason, or a sound model that survives
 * writing. */
#include "require.h"
#include "urdf/urdf_reader.h"
#include "urdf/urdf_writer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* `line:column: reason`. */
static void require_complaint(const struct message *error) {
  unsigned long line = 0, column = 0;
  int reason = 0;
  REQUIRE(sscanf(error->text, "%lu:%lu: %n", &line, &column, &reason) == 2);
  REQUIRE(line > 0 && column > 0 && error->text[reason] != '\0');
}

static void require_sound(const struct model *model) {
  REQUIRE(model->n_joints > 0 && model->n_joints <= MODEL_MAX_JOINTS);
  REQUIRE(model->n_links == model->n_joints + 1);
  for (size_t i = 1; i < model->n_links; i++) {
    REQUIRE(model->parent[i] >= 0 && model->parent[i] < (int)i);
    REQUIRE(model->inertia[i].m > 0.0 && vec3_is_finite(model->inertia[i].h));
    REQUIRE(fabs(vec3_norm(model->joint[i - 1].axis) - 1.0) < 1e-9);
    REQUIRE(vec3_is_finite(model->joint[i - 1].placement.p));
    REQUIRE(model->joint[i - 1].mimics < (int)model->n_joints);
  }
  for (size_t i = 0; i < model->n_frames; i++) {
    REQUIRE(model->frame[i].link < model->n_links && model->frame[i].name[0] != '\0');
  }
}

/* Writing the last body's own values back leaves a text that can be read again. */
static void require_rewrite(const char *text, size_t size, const struct model *model) {
  const size_t last = model->n_links - 1;
  const struct urdf_change same = {model->link_name[last], model->inertia[last]};
  char *out = NULL;
  size_t length = 0;
  struct message error = {""};
  struct arena count = {0};
  struct model again;
  REQUIRE(urdf_write(text, size, &same, 1, &out, &length, &error) == STATUS_OK);
  REQUIRE(strlen(out) == length);
  const enum status status = urdf_read(out, length, &count, &again, &error);
  /* rounding may push what was barely consistent, or barely in range, over the edge */
  REQUIRE(status == STATUS_OK || status == STATUS_NOT_CONSISTENT || status == STATUS_OUT_OF_RANGE);
  REQUIRE(status != STATUS_OK || again.n_links == model->n_links);
  free(out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const char *text = (const char *)data;
  struct arena count = {0};
  struct model model;
  struct message error = {""};
  if (urdf_read(text, size, &count, &model, &error) != STATUS_OK) {
    require_complaint(&error);
    return 0;
  }
  struct arena arena = arena_over(aligned_alloc(ARENA_ALIGN, count.used), count.used);
  REQUIRE(urdf_read(text, size, &arena, &model, &error) == STATUS_OK);
  REQUIRE(arena.used == count.used);
  require_sound(&model);
  require_rewrite(text, size, &model);
  free(arena.base);
  return 0;
}
