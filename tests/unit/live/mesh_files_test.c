#include "live/mesh_files.h"
#include "support/suite.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char root[PATH_MAX];

/* ROOT/PATH, with the folders above it; a file holds its own path. */
static void make_file(const char *path) {
  char whole[2 * PATH_MAX];
  snprintf(whole, sizeof(whole), "%s/%s", root, path);
  for (char *c = whole + strlen(root) + 1; (c = strchr(c, '/')) != NULL; *c++ = '/') {
    *c = '\0';
    mkdir(whole, 0700);
  }
  FILE *file = fopen(whole, "w");
  ck_assert_ptr_nonnull(file);
  fputs(path, file);
  fclose(file);
}

static void make_world(void) {
  snprintf(root, sizeof(root), "/tmp/propriod-meshes.XXXXXX");
  ck_assert_ptr_nonnull(mkdtemp(root));
  make_file("above/body/urdf/robot.urdf");
  make_file("above/body/urdf/hand.stl");
  make_file("above/body/meshes/arm.stl");
  make_file("above/beside/foot.DAE");
  make_file("listed/head/head.obj");
  make_file("prefix/share/neck/neck.stl");
  make_file("elsewhere/secret.stl");
  make_file("above/body/urdf/secret.txt");
  unsetenv("ROS_PACKAGE_PATH");
  unsetenv("AMENT_PREFIX_PATH");
}

static void end_world(void) {
  char command[PATH_MAX + 16];
  snprintf(command, sizeof(command), "rm -rf %s", root);
  ck_assert_int_eq(system(command), 0);
}

static void set_folders(const char *variable, const char *form) {
  char value[4 * PATH_MAX];
  snprintf(value, sizeof(value), form, root, root);
  setenv(variable, value, 1);
}

/* What a browser gets for a mesh of that name, which is the file's path below the root; "" for
 * nothing. */
static const char *served(const char *name, const char *folder) {
  static char text[PATH_MAX];
  char urdf[2 * PATH_MAX], urdf_folder[2 * PATH_MAX], other[2 * PATH_MAX];
  struct mesh_files files;
  struct live_asset asset;
  snprintf(urdf, sizeof(urdf),
           "<robot><link><visual><geometry><mesh filename=\"%s\"/></geometry></visual>"
           "<collision><geometry><mesh filename=\"%s\"/></geometry></collision></link></robot>",
           name, name);
  snprintf(urdf_folder, sizeof(urdf_folder), "%s/above/body/urdf", root);
  snprintf(other, sizeof(other), "%s/%s", root, folder != NULL ? folder : "");
  mesh_files_find(&files, urdf, strlen(urdf), urdf_folder, folder != NULL ? other : NULL);
  ck_assert_uint_eq(files.n, 1);
  text[0] = '\0';
  if (mesh_files_get(&files, "/mesh/0", &asset)) {
    snprintf(text, sizeof(text), "%.*s", (int)asset.size, asset.bytes);
  }
  ck_assert_int_eq(files.n_missing == 0, text[0] != '\0');
  mesh_files_free(&files);
  return text;
}

START_TEST(a_mesh_is_found_from_the_folder_of_its_urdf) {
  make_world();
  ck_assert_str_eq(served("hand.stl", NULL), "above/body/urdf/hand.stl");
  ck_assert_str_eq(served("../meshes/arm.stl", NULL), "above/body/meshes/arm.stl");
  end_world();
}
END_TEST

START_TEST(a_package_is_a_folder_above_the_urdf_or_beside_one_of_those) {
  make_world();
  ck_assert_str_eq(served("package://body/meshes/arm.stl", NULL), "above/body/meshes/arm.stl");
  ck_assert_str_eq(served("model://body/meshes/arm.stl", NULL), "above/body/meshes/arm.stl");
  ck_assert_str_eq(served("package://beside/foot.DAE", NULL), "above/beside/foot.DAE");
  ck_assert_str_eq(served("package://bod/meshes/arm.stl", NULL), "");
  end_world();
}
END_TEST

START_TEST(packages_are_looked_for_where_ros_has_them) {
  make_world();
  ck_assert_str_eq(served("package://head/head.obj", NULL), "");
  set_folders("ROS_PACKAGE_PATH", "%s/nowhere:%s/listed");
  ck_assert_str_eq(served("package://head/head.obj", NULL), "listed/head/head.obj");
  set_folders("ROS_PACKAGE_PATH", "%s/listed/head");
  ck_assert_str_eq(served("package://head/head.obj", NULL), "listed/head/head.obj");
  ck_assert_str_eq(served("package://neck/neck.stl", NULL), "");
  set_folders("AMENT_PREFIX_PATH", "%s/prefix");
  ck_assert_str_eq(served("package://neck/neck.stl", NULL), "prefix/share/neck/neck.stl");
  end_world();
}
END_TEST

START_TEST(another_folder_can_be_named_for_them) {
  make_world();
  ck_assert_str_eq(served("secret.stl", "elsewhere"), "elsewhere/secret.stl");
  ck_assert_str_eq(served("package://head/head.obj", "listed"), "listed/head/head.obj");
  end_world();
}
END_TEST

START_TEST(what_lies_elsewhere_or_is_no_mesh_is_not_served) {
  make_world();
  char absolute[2 * PATH_MAX];
  ck_assert_str_eq(served("../../../elsewhere/secret.stl", NULL), "");
  ck_assert_str_eq(served("package://body/../../elsewhere/secret.stl", NULL), "");
  ck_assert_str_eq(served("meshes/../../../../elsewhere/secret.stl", NULL), "");
  ck_assert_str_eq(served("secret.txt", NULL), "");
  ck_assert_str_eq(served("package://body", NULL), "");
  snprintf(absolute, sizeof(absolute), "file://%s/elsewhere/secret.stl", root);
  ck_assert_str_eq(served(absolute, NULL), "");
  snprintf(absolute, sizeof(absolute), "file://%s/above/body/urdf/hand.stl", root);
  ck_assert_str_eq(served(absolute, NULL), "above/body/urdf/hand.stl");
  end_world();
}
END_TEST

START_TEST(only_its_number_asks_for_a_mesh) {
  make_world();
  static const char urdf[] = "<robot><mesh filename=\"hand.stl\"/></robot>";
  char folder[2 * PATH_MAX];
  struct mesh_files files;
  struct live_asset asset;
  snprintf(folder, sizeof(folder), "%s/above/body/urdf", root);
  mesh_files_find(&files, urdf, strlen(urdf), folder, NULL);
  ck_assert(mesh_files_get(&files, "/mesh/0", &asset));
  ck_assert(!mesh_files_get(&files, "/mesh/1", &asset));
  ck_assert(!mesh_files_get(&files, "/mesh/", &asset));
  ck_assert(!mesh_files_get(&files, "/mesh/0/", &asset));
  ck_assert(!mesh_files_get(&files, "/mesh/hand.stl", &asset));
  mesh_files_free(&files);
  end_world();
}
END_TEST

SUITE(a_mesh_is_found_from_the_folder_of_its_urdf,
      a_package_is_a_folder_above_the_urdf_or_beside_one_of_those,
      packages_are_looked_for_where_ros_has_them, another_folder_can_be_named_for_them,
      what_lies_elsewhere_or_is_no_mesh_is_not_served, only_its_number_asks_for_a_mesh)
