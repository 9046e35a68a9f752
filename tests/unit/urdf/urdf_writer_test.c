#include "urdf/urdf_writer.h"

#include "inertia/inertia.h"
#include "support/random_body.h"
#include "support/robot_text.h"
#include "support/suite.h"
#include "urdf/text_patch.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct random rng;

static char *rewrite(const char *text, size_t length, const struct urdf_change *changes, size_t n,
                     size_t *written) {
  char *out = NULL;
  struct message error = {""};
  const enum status status = urdf_write(text, length, changes, n, &out, written, &error);
  ck_assert_msg(status == STATUS_OK, "%s", error.text);
  ck_assert_uint_eq(strlen(out), *written);
  return out;
}

static void assert_same_inertia(const struct inertia *got, const struct inertia *wanted,
                                double relative) {
  double a[INERTIA_PARAMETERS], b[INERTIA_PARAMETERS], largest = 0.0;
  inertia_to(got, a);
  inertia_to(wanted, b);
  for (int k = 0; k < INERTIA_PARAMETERS; k++) {
    largest = fmax(largest, fabs(b[k]));
  }
  for (int k = 0; k < INERTIA_PARAMETERS; k++) {
    assert_near(a[k], b[k], relative * largest);
  }
}

/* New random values for every body, written, read, and compared. */
static void assert_round_trip(const char *path) {
  size_t length, written;
  const char *text = test_file(path, &length);
  const struct model before = test_model(text, length);
  struct urdf_change *changes = calloc(before.n_links, sizeof(*changes));
  for (size_t i = 0; i < before.n_links; i++) {
    changes[i] = (struct urdf_change){before.link_name[i], random_body(&rng)};
  }
  const char *out = rewrite(text, length, changes, before.n_links, &written);
  const struct model after = test_model(out, written);
  ck_assert_uint_eq(after.n_links, before.n_links);
  ck_assert_uint_eq(after.n_frames, before.n_frames);
  for (size_t i = 0; i < before.n_links; i++) {
    assert_same_inertia(&after.inertia[i], &changes[i].inertia, 1e-12);
  }
  for (size_t j = 0; j < before.n_joints; j++) {
    ck_assert_mem_eq(&before.joint[j].placement, &after.joint[j].placement, sizeof(struct pose));
  }
}

START_TEST(new_values_of_every_body_are_read_back) {
  rng = random_from(test_seed());
  assert_round_trip("config/robots/humanoid30.urdf");
  assert_round_trip("config/robots/humanoid18.urdf");
  assert_round_trip("config/robots/tx40.urdf");
  assert_round_trip("config/robots/chain9.urdf");
}
END_TEST

START_TEST(new_values_of_robots_in_use_are_read_back) {
  rng = random_from(test_seed() + 1);
  const char *folder = shared_data("robots in use are read");
  assert_round_trip(test_path(folder, "models/icub/iCubGenova04.urdf"));
  assert_round_trip(test_path(folder, "models/unitree_g1/g1_29dof.urdf"));
  assert_round_trip(test_path(folder, "models/ur5/ur5_robot.urdf"));
  assert_round_trip(test_path(folder, "icub_walking_real/model.urdf"));
}
END_TEST

START_TEST(values_written_as_they_were_read_stay_to_a_rounding) {
  size_t length, written;
  const char *text = test_file("config/robots/humanoid30.urdf", &length);
  const struct model before = test_model(text, length);
  struct urdf_change changes[MODEL_MAX_JOINTS + 1];
  for (size_t i = 0; i < before.n_links; i++) {
    changes[i] = (struct urdf_change){before.link_name[i], before.inertia[i]};
  }
  const char *out = rewrite(text, length, changes, before.n_links, &written);
  const struct model after = test_model(out, written);
  for (size_t i = 0; i < before.n_links; i++) {
    assert_same_inertia(&after.inertia[i], &before.inertia[i], 1e-14);
  }
}
END_TEST

START_TEST(nothing_to_change_changes_nothing) {
  size_t length, written;
  const char *text = test_file("config/robots/humanoid30.urdf", &length);
  const char *out = rewrite(text, length, NULL, 0, &written);
  ck_assert_uint_eq(written, length);
  ck_assert_mem_eq(out, text, length);
}
END_TEST

#define ARM(link)                                                                                  \
  "<?xml version=\"1.0\"?>\r\n"                                                                    \
  "<!-- <link name=\"arm\"><inertial><mass value=\"9\"/></inertial></link> -->\n"                  \
  "<robot\tname='r'>\n<link name=\"base\"/>\n" link                                                \
  "\n<joint name='j' type='revolute'><parent link='base'/><child link='arm'/></joint>"             \
  "<!-- the end --></robot>\n\n"

/* Writes m = 2 kg at (0.5, 0.25, 0) with moments 1 2 2.5 about it, and compares the whole text. */
static void assert_written(const char *text, const char *wanted) {
  const mat3 I_C = {{{1.0, 0.0, 0.0}, {0.0, 2.0, 0.0}, {0.0, 0.0, 2.5}}};
  const struct urdf_change change = {"arm", inertia_of_body(2.0, (vec3){0.5, 0.25, 0.0}, &I_C)};
  size_t written;
  ck_assert_str_eq(rewrite(text, strlen(text), &change, 1, &written), wanted);
}

#define OLD_INERTIA                                                                                \
  "<inertia izz=\"3\" iyy = '3' ixx='3' ixy='0' ixz='0' iyz='0'><!-- > --></inertia>"
#define NEW_INERTIA                                                                                \
  "<inertia izz=\"2.5\" iyy = '2' ixx='1' ixy='0' ixz='0' iyz='0'><!-- > --></inertia>"

START_TEST(only_the_values_change_whatever_their_quotes_order_and_comments) {
  assert_written(
      ARM("<link name='arm'> <inertial>\n  <!-- mass='7' -->"
          "<mass\n note='value=\"8\"' value = \"1\"/><origin rpy='1 2 3' xyz='1 1 1' />" OLD_INERTIA
          "</inertial></link>"),
      ARM("<link name='arm'> <inertial>\n  <!-- mass='7' -->"
          "<mass\n note='value=\"8\"' value = \"2\"/><origin rpy='0 0 0' xyz='0.5 0.25 0' "
          "/>" NEW_INERTIA "</inertial></link>"));
}
END_TEST

START_TEST(an_origin_or_its_attributes_are_inserted_where_they_are_missing) {
  assert_written(ARM("<link name='arm'>\n  <inertial>\n    <mass value='1'/>" OLD_INERTIA
                     "</inertial></link>"),
                 ARM("<link name='arm'>\n  <inertial>\n    "
                     "<origin xyz=\"0.5 0.25 0\" rpy=\"0 0 0\"/>\n    <mass value='2'/>" NEW_INERTIA
                     "</inertial></link>"));
  assert_written(
      ARM("<link name='arm'><inertial><origin/><mass value='1'/>" OLD_INERTIA "</inertial></link>"),
      ARM("<link name='arm'><inertial><origin xyz=\"0.5 0.25 0\" rpy=\"0 0 0\"/><mass "
          "value='2'/>" NEW_INERTIA "</inertial></link>"));
  assert_written(ARM("<link name='arm'><inertial><origin xyz='0 0 1'/><mass value='1'/>" OLD_INERTIA
                     "</inertial></link>"),
                 ARM("<link name='arm'><inertial><origin rpy=\"0 0 0\" xyz='0.5 0.25 0'/><mass "
                     "value='2'/>" NEW_INERTIA "</inertial></link>"));
}
END_TEST

#define TIP                                                                                        \
  "<link name='tip'><inertial><mass value='0.5'/><inertia ixx='1e-3' ixy='0' ixz='0' iyy='1e-3' "  \
  "iyz='0' izz='1e-3'/></inertial></link><joint name='t' type='fixed'><parent link='arm'/>"        \
  "<child link='tip'/><origin xyz='0 0 1'/></joint>"
#define NEW_TIP_FREE                                                                               \
  "<inertial><origin xyz=\"0.5 0.25 0\" rpy=\"0 0 0\"/><mass value=\"2\"/>"                        \
  "<inertia ixx=\"1\" ixy=\"0\" ixz=\"0\" iyy=\"2\" iyz=\"0\" izz=\"2.5\"/></inertial>"

START_TEST(a_link_without_inertial_gets_one) {
  /* the tip alone weighs here; what is written for the body minus the tip goes to the bare arm */
  const mat3 I_C = {{{1.0, 0.0, 0.0}, {0.0, 2.0, 0.0}, {0.0, 0.0, 2.5}}};
  const struct inertia own = inertia_of_body(2.0, (vec3){0.5, 0.25, 0.0}, &I_C);
  static const char *const opened[] = {"<link name='arm'/>" TIP,
                                       "<link name='arm' >\n\t</link>" TIP};
  static const char *const written[] = {"<link name='arm'>" NEW_TIP_FREE "</link>" TIP,
                                        "<link name='arm' >\n\t" NEW_TIP_FREE "\n\t</link>" TIP};
  for (int i = 0; i < 2; i++) {
    char text[2048], wanted[2048];
    snprintf(text, sizeof(text), ARM("%s"), opened[i]);
    snprintf(wanted, sizeof(wanted), ARM("%s"), written[i]);
    const struct model model = test_model(text, strlen(text));
    const struct urdf_change change = {"arm", inertia_add(&model.inertia[1], &own)};
    size_t length;
    const char *out = rewrite(text, strlen(text), &change, 1, &length);
    const struct model again = test_model(out, length);
    assert_same_inertia(&again.inertia[1], &change.inertia, 1e-14);
    /* dust of the subtraction aside, the text is what a person would have written */
    ck_assert_mem_eq(out, wanted, (size_t)(strstr(wanted, "<inertial>") - wanted));
    const char *rest = strstr(wanted, "</inertial></link><joint");
    ck_assert_str_eq(out + length - strlen(rest), rest);
  }
}
END_TEST

#define HEAVY_ARM                                                                                  \
  "<link name='arm'><inertial><mass value='1'/><inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' "  \
  "izz='1'/></inertial></link>"

START_TEST(lumped_links_keep_their_values_while_the_difference_is_possible) {
  static const char text[] = ARM(HEAVY_ARM TIP);
  const struct model model = test_model(text, strlen(text));
  const struct inertia payload = inertia_of_point(0.25, (vec3){0.0, 0.0, 1.0});
  const struct urdf_change more = {"arm", inertia_add(&model.inertia[1], &payload)};
  size_t length;
  const char *out = rewrite(text, strlen(text), &more, 1, &length);
  ck_assert_ptr_nonnull(strstr(out, TIP));
  const struct model again = test_model(out, length);
  assert_same_inertia(&again.inertia[1], &more.inertia, 1e-14);
}
END_TEST

START_TEST(lumped_links_are_emptied_when_no_body_could_have_the_difference) {
  static const char text[] = ARM(HEAVY_ARM TIP);
  rng = random_from(test_seed());
  const struct inertia small = random_body(&rng);
  const struct urdf_change less = {"arm",
                                   inertia_axpy(&(struct inertia){0}, 0.3 / small.m, &small)};
  size_t length;
  const char *out = rewrite(text, strlen(text), &less, 1, &length);
  const struct model again = test_model(out, length);
  assert_near(again.inertia[1].m, 0.3, 1e-15);
  assert_same_inertia(&again.inertia[1], &less.inertia, 1e-14);
  ck_assert_ptr_nonnull(strstr(out, "<mass value='0'/>"));
}
END_TEST

START_TEST(an_inconsistent_file_can_be_mended_link_by_link) {
  size_t length, written;
  const char *text =
      test_file(test_path(shared_data("impossible inertias of robots in use are found"),
                          "tx40_real/tx40_mdh_modified.urdf"),
                &length);
  rng = random_from(test_seed());
  const struct urdf_change wrist = {"link_6", random_body(&rng)};
  const char *out = rewrite(text, length, &wrist, 1, &written);
  const struct model mended = test_model(out, written);
  assert_same_inertia(&mended.inertia[6], &wrist.inertia, 1e-14);
}
END_TEST

static void assert_refused(const struct urdf_change *changes, size_t n, enum status wanted,
                           const char *complaint) {
  static const char text[] = ARM(HEAVY_ARM);
  char *out = NULL;
  size_t length = 77;
  struct message error = {"no complaint"};
  ck_assert_int_eq(urdf_write(text, strlen(text), changes, n, &out, &length, &error), wanted);
  ck_assert_str_eq(error.text, complaint);
  ck_assert_ptr_null(out);
  ck_assert_uint_eq(length, 77);
}

START_TEST(unknown_repeated_and_impossible_changes_are_refused) {
  rng = random_from(test_seed());
  const struct inertia good = random_body(&rng);
  const struct urdf_change unknown = {"leg", good}, twice[] = {{"arm", good}, {"arm", good}};
  assert_refused(&unknown, 1, STATUS_BAD_ARGUMENT, "link 'leg' is no body of this robot");
  assert_refused(twice, 2, STATUS_BAD_ARGUMENT, "link 'arm' is to be changed twice");
  struct urdf_change bad = {"arm", good};
  bad.inertia.m = -1.0;
  assert_refused(&bad, 1, STATUS_NOT_CONSISTENT,
                 "link 'arm': new values: mass is not positive: -1 kg must be above 0");
  bad.inertia.m = (double)NAN;
  assert_refused(&bad, 1, STATUS_NOT_CONSISTENT,
                 "link 'arm': new values: a parameter is not finite");
}
END_TEST

START_TEST(edits_apply_in_order_and_never_overlap) {
  struct text_patch patch = {0};
  char *out = NULL;
  size_t length = 0;
  ck_assert_int_eq(text_patch_add(&patch, 6, 5, "moon"), STATUS_OK);
  ck_assert_int_eq(text_patch_add(&patch, 0, 0, "("), STATUS_OK);
  ck_assert_int_eq(text_patch_add(&patch, 0, 0, "["), STATUS_OK);
  ck_assert_int_eq(text_patch_add(&patch, 11, 0, "])"), STATUS_OK);
  ck_assert_int_eq(text_patch_apply(&patch, "hello world", 11, &out, &length), STATUS_OK);
  ck_assert_str_eq(out, "([hello moon])");
  ck_assert_int_eq(text_patch_add(&patch, 8, 1, "x"), STATUS_OK);
  ck_assert_int_eq(text_patch_apply(&patch, "hello world", 11, &out, &length), STATUS_BAD_ARGUMENT);
  text_patch_free(&patch);
  ck_assert_int_eq(text_patch_add(&patch, 12, 0, "x"), STATUS_OK);
  ck_assert_int_eq(text_patch_apply(&patch, "hello world", 11, &out, &length), STATUS_BAD_ARGUMENT);
  ck_assert_str_eq(out, "([hello moon])");
  text_patch_free(&patch);
  free(out);
}
END_TEST

/* Drives of every joint, where there are elements for them and where there are none. */
static void assert_drives_round_trip(const char *path) {
  size_t length, written;
  const char *text = test_file(path, &length);
  const struct model before = test_model(text, length);
  struct urdf_drive_change *changes = calloc(before.n_joints, sizeof(*changes));
  for (size_t j = 0; j < before.n_joints; j++) {
    changes[j] =
        (struct urdf_drive_change){before.joint[j].name, random_uniform(&rng, 0.0, 9.0),
                                   random_uniform(&rng, 0.0, 9.0), random_uniform(&rng, 0.1, 2.0)};
  }
  char *out = NULL;
  struct message error = {""};
  ck_assert_int_eq(
      urdf_write_drives(text, length, changes, before.n_joints, &out, &written, &error), STATUS_OK);
  const struct model after = test_model(out, written);
  for (size_t j = 0; j < before.n_joints; j++) {
    ck_assert_double_eq(after.joint[j].viscous, changes[j].viscous);
    ck_assert_double_eq(after.joint[j].coulomb, changes[j].coulomb);
    ck_assert_double_eq(after.joint[j].rotor_inertia, changes[j].rotor_inertia);
    ck_assert_mem_eq(&before.inertia[j + 1], &after.inertia[j + 1], sizeof(struct inertia));
  }
  free(out);
  free(changes);
}

START_TEST(new_drives_of_every_joint_are_read_back) {
  rng = random_from(test_seed());
  assert_drives_round_trip("config/robots/tx40.urdf");
  assert_drives_round_trip("config/robots/panda.urdf");
  assert_drives_round_trip("config/robots/humanoid18.urdf");
}
END_TEST

START_TEST(a_rotors_ratio_does_not_multiply_what_is_written) {
  const char *const text =
      "<robot name='a'><link name='base'><inertial><mass value='1'/><inertia ixx='1' iyy='1' "
      "izz='1' ixy='0' ixz='0' iyz='0'/></inertial></link><link name='arm'><inertial><mass "
      "value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial></link>"
      "<joint name='j' type='continuous'><parent link='base'/><child link='arm'/><rotor "
      "ratio='50' inertia='1e-4'/></joint></robot>";
  const struct urdf_drive_change change = {"j", 0.5, 0.25, 0.125};
  const struct urdf_drive_change bad[] = {{"k", 0.0, 0.0, 0.0}, {"j", -1.0, 0.0, 0.0}};
  char *out = NULL;
  size_t written = 0;
  struct message error = {""};
  ck_assert_int_eq(urdf_write_drives(text, strlen(text), &bad[0], 1, &out, &written, &error),
                   STATUS_BAD_ARGUMENT);
  ck_assert_int_eq(urdf_write_drives(text, strlen(text), &bad[1], 1, &out, &written, &error),
                   STATUS_OUT_OF_RANGE);
  ck_assert_ptr_null(out);
  ck_assert_int_eq(urdf_write_drives(text, strlen(text), &change, 1, &out, &written, &error),
                   STATUS_OK);
  const struct model after = test_model(out, written);
  ck_assert_double_eq(after.joint[0].rotor_inertia, 0.125);
  ck_assert_double_eq(after.joint[0].viscous, 0.5);
  free(out);
}
END_TEST

SUITE(new_drives_of_every_joint_are_read_back, a_rotors_ratio_does_not_multiply_what_is_written,
      new_values_of_every_body_are_read_back, new_values_of_robots_in_use_are_read_back,
      values_written_as_they_were_read_stay_to_a_rounding, nothing_to_change_changes_nothing,
      only_the_values_change_whatever_their_quotes_order_and_comments,
      an_origin_or_its_attributes_are_inserted_where_they_are_missing,
      a_link_without_inertial_gets_one,
      lumped_links_keep_their_values_while_the_difference_is_possible,
      lumped_links_are_emptied_when_no_body_could_have_the_difference,
      an_inconsistent_file_can_be_mended_link_by_link,
      unknown_repeated_and_impossible_changes_are_refused, edits_apply_in_order_and_never_overlap)
