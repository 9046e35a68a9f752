#include "settings/robot_files.h"

#include "common/file.h"
#include "support/suite.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct robot_settings humanoid = {.urdf = "humanoid30.urdf",
                                               .cells = "humanoid30_cells.csv"};

START_TEST(the_humanoid_loads_with_its_1260_cells) {
  struct robot *robot = NULL;
  struct message error;
  const enum status status = robot_load(&humanoid, "config/robots", &robot, &error);
  ck_assert_msg(status == STATUS_OK, "%s", error.text);
  ck_assert_uint_eq(robot->model.n_joints, 30);
  ck_assert_uint_eq(robot->n_cells, 1260);
  ck_assert_uint_ne(robot->model_hash, 0);
  size_t alone = 0;
  for (size_t i = 0; i < robot->n_cells; i++) {
    alone += robot->neighbours[i].count == 0;
  }
  ck_assert_uint_eq(alone, 0);
  robot_destroy(robot);
}
END_TEST

START_TEST(paths_start_from_the_folder_unless_they_are_absolute) {
  char here[200];
  ck_assert_ptr_nonnull(getcwd(here, sizeof(here)));
  struct robot_settings settings = {.fixed_base = true, .cells = "urdf"};
  snprintf(settings.urdf, sizeof(settings.urdf), "%s/config/robots/tx40.urdf", here);
  struct robot *robot = NULL;
  struct message error = {""};
  ck_assert_msg(robot_load(&settings, "/nowhere", &robot, &error) == STATUS_OK, "%s", error.text);
  ck_assert_uint_eq(robot->n_cells, robot->model.n_accelerometers);
  robot_destroy(robot);
  const char *const folders[] = {NULL, ""};
  for (int i = 0; i < 2; i++) {
    strcpy(settings.urdf, "config/robots/tx40.urdf");
    ck_assert_int_eq(robot_load(&settings, folders[i], &robot, &error), STATUS_OK);
    robot_destroy(robot);
  }
}
END_TEST

/* A folder of its own for each test, which runs in a process of its own. */
static char folder[] = "/tmp/propriod-files-XXXXXX";

static void enter_folder(void) {
  ck_assert_ptr_nonnull(mkdtemp(folder));
}

static void leave_folder(void) {
  char command[64];
  snprintf(command, sizeof(command), "rm -rf '%s'", folder);
  ck_assert_int_eq(system(command), 0);
}

static const char *in_folder(const char *name) {
  static char path[128];
  snprintf(path, sizeof(path), "%s/%s", folder, name);
  return path;
}

static void assert_refused(const struct robot_settings *settings, enum status wanted,
                           const char *end_of_complaint) {
  struct robot *robot = NULL;
  struct message error = {"no complaint"};
  const enum status status = robot_load(settings, folder, &robot, &error);
  const size_t length = strlen(error.text), wanted_length = strlen(end_of_complaint);
  ck_assert_msg(length >= wanted_length &&
                    strcmp(error.text + length - wanted_length, end_of_complaint) == 0,
                "%s", error.text);
  ck_assert_int_eq(status, wanted);
  ck_assert_ptr_null(robot);
}

START_TEST(files_that_are_missing_or_no_files_are_refused_at_once) {
  enter_folder();
  struct robot_settings settings = {.urdf = ""};
  assert_refused(&settings, STATUS_BAD_ARGUMENT, "robot.urdf: no file is named");
  strcpy(settings.urdf, "robot.urdf");
  assert_refused(&settings, STATUS_REFUSED,
                 "/robot.urdf: cannot be opened: No such file or directory");
  ck_assert_int_eq(mkdir(in_folder("robot.urdf"), 0700), 0);
  assert_refused(&settings, STATUS_REFUSED, "/robot.urdf: is not a file");
  strcpy(settings.urdf, "pipe");
  ck_assert_int_eq(mkfifo(in_folder("pipe"), 0600), 0);
  assert_refused(&settings, STATUS_REFUSED, "/pipe: is not a file"); /* and does not wait for it */
  strcpy(settings.urdf, "/dev/zero");
  assert_refused(&settings, STATUS_REFUSED, "/dev/zero: is not a file");
  leave_folder();
}
END_TEST

START_TEST(a_file_beyond_its_limit_is_refused_by_its_size) {
  enter_folder();
  struct robot_settings settings = {.urdf = "huge.urdf"};
  const int fd = open(in_folder("huge.urdf"), O_WRONLY | O_CREAT, 0600);
  ck_assert_int_eq(ftruncate(fd, (off_t)1 << 40), 0); /* a terabyte of nothing */
  close(fd);
  assert_refused(&settings, STATUS_OUT_OF_RANGE,
                 "/huge.urdf: 1099511627776 bytes, at most 16777216 are allowed");
  leave_folder();
}
END_TEST

START_TEST(a_text_file_arrives_whole_and_ended_by_a_zero) {
  enter_folder();
  FILE *file = fopen(in_folder("text"), "w");
  fputs("one\ntwo", file);
  fclose(file);
  char *text = NULL;
  size_t length = 0;
  struct message error;
  ck_assert_int_eq(file_read(in_folder("text"), 7, &text, &length, &error), STATUS_OK);
  ck_assert_uint_eq(length, 7);
  ck_assert_str_eq(text, "one\ntwo");
  free(text);
  ck_assert_int_eq(file_read(in_folder("text"), 6, &text, &length, &error), STATUS_OUT_OF_RANGE);
  leave_folder();
}
END_TEST

START_TEST(an_error_in_the_cells_names_file_and_line) {
  enter_folder();
  char here[128];
  ck_assert_ptr_nonnull(getcwd(here, sizeof(here)));
  struct robot_settings settings = {.cells = "cells.csv"};
  snprintf(settings.urdf, sizeof(settings.urdf), "%s/config/robots/chain9.urdf", here);
  FILE *file = fopen(in_folder("cells.csv"), "w");
  fputs("cell,link,x,y,z,qx,qy,qz,qw\nc,base_link,0,0,far,0,0,0,1\n", file);
  fclose(file);
  assert_refused(&settings, STATUS_BAD_ARGUMENT, "cells.csv:2: z: 'far' is not a number");
  leave_folder();
}
END_TEST

/* @eq Leboutet22 186 187 188 189 */
START_TEST(skin_with_a_mass_weighs_its_cells_where_they_sit_and_is_another_model) {
  struct robot_settings settings = humanoid;
  struct robot *bare, *skinned;
  struct message error;
  settings.cell_mass = 0.003;
  settings.cell_radius = 0.015;
  settings.cell_height = 0.005;
  ck_assert_int_eq(robot_load(&humanoid, "config/robots", &bare, &error), STATUS_OK);
  ck_assert_int_eq(robot_load(&settings, "config/robots", &skinned, &error), STATUS_OK);
  assert_near(model_mass(&skinned->model) - model_mass(&bare->model), 1260 * 0.003, 1e-9);
  const size_t link = skinned->cell[700].link;
  vec3 moment = VEC3_ZERO;
  for (size_t k = 0; k < skinned->n_cells; k++) {
    if (skinned->cell[k].link == link) {
      moment = vec3_axpy(moment, 0.003, skinned->cell[k].placement.p);
    }
  }
  const vec3 added = vec3_sub(skinned->model.inertia[link].h, bare->model.inertia[link].h);
  ck_assert_double_le(vec3_norm(vec3_sub(added, moment)), 1e-12);
  ck_assert(skinned->model_hash != bare->model_hash);
  robot_destroy(bare);
  robot_destroy(skinned);
}
END_TEST

SUITE(skin_with_a_mass_weighs_its_cells_where_they_sit_and_is_another_model,
      the_humanoid_loads_with_its_1260_cells, paths_start_from_the_folder_unless_they_are_absolute,
      files_that_are_missing_or_no_files_are_refused_at_once,
      a_file_beyond_its_limit_is_refused_by_its_size, a_text_file_arrives_whole_and_ended_by_a_zero,
      an_error_in_the_cells_names_file_and_line)
