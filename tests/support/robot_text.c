#include "support/robot_text.h"

#include "support/suite.h"
#include "urdf/urdf_reader.h"

#include <stdio.h>
#include <stdlib.h>

char *test_file(const char *path, size_t *length) {
  FILE *file = fopen(path, "rb");
  ck_assert_msg(file != NULL, "cannot open %s", path);
  char *text = malloc(URDF_MAX_BYTES + 1);
  *length = fread(text, 1, URDF_MAX_BYTES, file);
  text[*length] = '\0';
  fclose(file);
  return text;
}

struct model test_model(const char *text, size_t length) {
  struct message error = {""};
  struct arena count = {0};
  struct model counted, model;
  enum status status = urdf_read(text, length, &count, &counted, &error);
  ck_assert_msg(status == STATUS_OK, "%s", error.text);
  ck_assert_ptr_null(counted.joint);
  struct arena arena = arena_over(aligned_alloc(ARENA_ALIGN, count.used), count.used);
  status = urdf_read(text, length, &arena, &model, &error);
  ck_assert_msg(status == STATUS_OK, "%s", error.text);
  ck_assert_uint_eq(arena.used, count.used);
  ck_assert_uint_eq(counted.n_links, model.n_links);
  ck_assert_uint_eq(counted.n_frames, model.n_frames);
  return model;
}

struct model test_model_file(const char *path) {
  size_t length;
  char *text = test_file(path, &length);
  return test_model(text, length);
}

const char *test_path(const char *folder, const char *name) {
  static char path[512];
  snprintf(path, sizeof(path), "%s/%s", folder, name);
  return path;
}
