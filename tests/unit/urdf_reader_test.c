#include "urdf_reader.h"

#include "suite.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *read_text(const char *path, size_t *length) {
  FILE *file = fopen(path, "rb");
  ck_assert_msg(file != NULL, "cannot open %s", path);
  char *text = malloc(URDF_MAX_BYTES + 1);
  *length = fread(text, 1, URDF_MAX_BYTES, file);
  text[*length] = '\0';
  fclose(file);
  return text;
}

/* Reads over a counting arena, then for real; the model's memory lasts as long as the test. */
static struct model read_model(const char *text, size_t length) {
  struct message error = {""};
  struct arena count = {0};
  struct model counted, model;
  enum status status = urdf_read(text, length, &count, &counted, &error);
  ck_assert_msg(status == STATUS_OK, "%s", error.text);
  struct arena arena = arena_over(aligned_alloc(ARENA_ALIGN, count.used), count.used);
  status = urdf_read(text, length, &arena, &model, &error);
  ck_assert_msg(status == STATUS_OK, "%s", error.text);
  ck_assert_uint_eq(arena.used, count.used);
  ck_assert_uint_eq(counted.n_links, model.n_links);
  ck_assert_uint_eq(counted.n_frames, model.n_frames);
  ck_assert_ptr_null(counted.joint);
  return model;
}

static struct model load(const char *path) {
  size_t length;
  char *text = read_text(path, &length);
  const struct model model = read_model(text, length);
  free(text);
  return model;
}

START_TEST(the_projects_own_robots_have_the_joints_and_the_mass_they_promise) {
  const struct {
    const char *path;
    size_t joints;
    double mass;
  } robot[] = {{"config/robots/humanoid30.urdf", 30, 67.0},
               {"config/robots/humanoid18.urdf", 18, 19.0},
               {"config/robots/tx40.urdf", 6, 27.2},
               {"config/robots/chain9.urdf", 9, 32.4}};
  for (size_t i = 0; i < sizeof(robot) / sizeof(robot[0]); i++) {
    const struct model model = load(robot[i].path);
    ck_assert_uint_eq(model.n_joints, robot[i].joints);
    ck_assert_uint_eq(model.n_links, robot[i].joints + 1);
    assert_near(model_mass(&model), robot[i].mass, 0.05 * robot[i].mass);
  }
}
END_TEST

SUITE(the_projects_own_robots_have_the_joints_and_the_mass_they_promise)
