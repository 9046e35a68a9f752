#include "generation.h"

#include "support/suite.h"

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static struct settings_report report;
static struct message kept;

static struct generation *build(const char *file, const struct settings_overrides *overrides) {
  struct generation *generation = NULL;
  const enum status status = generation_build(file, overrides, NULL, &generation, &report, &kept);
  ck_assert_msg(status == STATUS_OK, "%s", report.error[0].text);
  return generation;
}

START_TEST(every_configuration_that_comes_with_the_project_builds) {
  DIR *folder = opendir("config");
  int n = 0;
  for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
    char path[300];
    const char *end = strrchr(entry->d_name, '.');
    if (end != NULL && strcmp(end, ".yaml") == 0) {
      snprintf(path, sizeof(path), "config/%s", entry->d_name);
      generation_free(build(path, NULL));
      n++;
    }
  }
  closedir(folder);
  ck_assert_int_ge(n, 4);
}
END_TEST

/* Copies the example with every commented option (a # right before a letter) made a real one. */
static char *uncommented_example(void) {
  char *text = NULL, line[512];
  size_t size = 0;
  FILE *out = open_memstream(&text, &size), *in = fopen("config/propriod.yaml", "r");
  ck_assert_ptr_nonnull(in);
  while (fgets(line, sizeof(line), in) != NULL) {
    char *hash = line + strspn(line, " ");
    if (*hash == '#' && islower((unsigned char)hash[1])) {
      memmove(hash, hash + 1, strlen(hash));
    }
    fputs(line, out);
  }
  fclose(in);
  fclose(out);
  return text;
}

START_TEST(what_the_example_shows_as_a_default_is_the_default) {
  static struct settings shown, plain;
  char *text = uncommented_example();
  ck_assert_msg(settings_read(text, strlen(text), "config/propriod.yaml", &shown, &report) ==
                    STATUS_OK,
                "%s", report.error[0].text);
  size_t in_file = 0;
  for (size_t i = 0; i < settings_count(); i++) {
    in_file += report.place[i].line > 0;
  }
  ck_assert_uint_ge(in_file, 20);
  ck_assert_int_eq(settings_load("config/propriod.yaml", NULL, &plain, &report), STATUS_OK);
  for (size_t i = 0; i < settings_count(); i++) {
    ck_assert_msg(settings_equal(settings_row(i), &shown, &plain), "%s", settings_row(i)->key);
  }
  free(text);
}
END_TEST

/* Builds beside the arm; refused with these words. */
static void assert_does_not_fit(const struct generation *running, const char *file,
                                const struct settings_overrides *overrides, const char *words) {
  struct generation *next = NULL;
  ck_assert_int_eq(generation_build(file, overrides, running, &next, &report, &kept),
                   STATUS_REFUSED);
  ck_assert_ptr_null(next);
  ck_assert_msg(strstr(report.error[0].text, words) != NULL, "%s", report.error[0].text);
}

/* Refused with this first complaint, which begins with the option's place in the file. */
static void assert_complaint(const char *settings, const char *complaint) {
  char path[] = "/tmp/generation_test_XXXXXX";
  const int fd = mkstemp(path);
  ck_assert_int_ge(fd, 0);
  ck_assert_int_eq(write(fd, settings, strlen(settings)), (ssize_t)strlen(settings));
  close(fd);
  struct generation *none = NULL;
  ck_assert_int_ne(generation_build(path, NULL, NULL, &none, &report, &kept), STATUS_OK);
  unlink(path);
  const size_t length = strlen(path);
  ck_assert_msg(strncmp(report.error[0].text, path, length) == 0 &&
                    strstr(report.error[0].text + length, complaint) ==
                        report.error[0].text + length,
                "%s", report.error[0].text);
}

START_TEST(files_and_frames_that_are_not_there_are_named_with_their_option_and_line) {
  char arm[512], frames[512];
  assert_complaint("robot: {urdf: none.urdf}", ":1:15: robot.urdf: /tmp/none.urdf: No such file");
  char folder[256];
  ck_assert_ptr_nonnull(getcwd(folder, sizeof(folder)));
  snprintf(arm, sizeof(arm), "robot:\n  urdf: %s/config/robots/humanoid30.urdf\n", folder);
  const struct {
    const char *line, *complaint;
  } wrong[] = {{"  cells: none.csv\n", ":3:10: robot.cells: /tmp/none.csv: No such file"},
               {"  imu: there\n", ":3:8: robot.imu: imu frame 'there' is no link"},
               {"  feet: [left_sole, sole]\n", ":3:9: robot.feet: foot frame 'sole' is no link"},
               {"  wrenches: [ft]\n", ":3:13: robot.wrenches: wrench frame 'ft' is no link"}};
  for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
    snprintf(frames, sizeof(frames), "%s%s", arm, wrong[i].line);
    assert_complaint(frames, wrong[i].complaint);
  }
}
END_TEST

START_TEST(a_generation_that_does_not_fit_the_running_one_is_refused) {
  struct generation *running = build("config/tx40.yaml", NULL);
  assert_does_not_fit(running, "config/chain9.yaml", NULL,
                      "robot.urdf: 9 joints instead of the running 6; this needs a restart");
  const struct settings_overrides without_skin = {1, {"robot.cells="}};
  assert_does_not_fit(running, "config/tx40.yaml", &without_skin,
                      "robot.cells: 0 cells instead of the running 16; this needs a restart");
  const struct settings_overrides with_imu = {1, {"robot.imu=base_link"}};
  assert_does_not_fit(running, "config/tx40.yaml", &with_imu,
                      "robot.imu: 1 IMUs instead of the running 0; this needs a restart");
  generation_free(running);
}
END_TEST

START_TEST(the_same_configuration_fits_and_what_waits_for_a_restart_keeps_its_value) {
  const struct settings_overrides changed = {1, {"cycle.period=0.002"}};
  struct generation *running = build("config/tx40.yaml", NULL), *next = NULL;
  ck_assert_int_eq(generation_build("config/tx40.yaml", &changed, running, &next, &report, &kept),
                   STATUS_OK);
  ck_assert_str_eq(kept.text, "cycle.period");
  ck_assert_double_eq(next->settings.pipeline.period_s, running->settings.pipeline.period_s);
  generation_free(running);
  generation_free(next);
}
END_TEST

START_TEST(a_robot_on_a_fixed_base_has_an_imu_only_when_it_is_named) {
  uint32_t count[PROPRIOD_SHM_STREAMS];
  struct generation *arm = build("config/tx40.yaml", NULL);
  generation_streams(arm, count);
  ck_assert_uint_eq(count[PROPRIOD_SHM_JOINTS], 6);
  ck_assert_uint_eq(count[PROPRIOD_SHM_IMU], 0);
  ck_assert_uint_eq(count[PROPRIOD_SHM_SKIN], 16);
  generation_free(arm);
  struct generation *chain = build("config/chain9.yaml", NULL);
  generation_streams(chain, count);
  ck_assert_uint_eq(count[PROPRIOD_SHM_IMU], 1);
  generation_free(chain);
}
END_TEST

START_TEST(imus_on_limbs_come_after_the_first_which_may_sit_anywhere) {
  uint32_t count[PROPRIOD_SHM_STREAMS];
  const struct settings_overrides elsewhere = {
      2, {"robot.imu=left_elbow_link", "robot.limb_imus=[left_hand, right_hand]"}};
  struct generation *torso = NULL;
  ck_assert_int_eq(
      generation_build("config/humanoid18.yaml", &elsewhere, NULL, &torso, &report, &kept),
      STATUS_OK);
  generation_streams(torso, count);
  ck_assert_uint_eq(count[PROPRIOD_SHM_IMU], 3);
  ck_assert_uint_ne(torso->robot->imu_link, 0);
  generation_free(torso);
  /* a fixed base without an IMU has no stream for them */
  const struct settings_overrides alone = {1, {"robot.limb_imus=[tool0]"}};
  ck_assert_int_ne(generation_build("config/tx40.yaml", &alone, NULL, &torso, &report, &kept),
                   STATUS_OK);
  ck_assert_str_eq(report.error[0].text,
                   "config/tx40.yaml: robot.limb_imus: the base is fixed and has no IMU: name the "
                   "first of them in robot.imu");
}
END_TEST

/* A body on a joint whose moments of inertia no mass can have when `moment` is 9. */
static void write_body(FILE *out, const char *name, int moment) {
  fprintf(out,
          "<link name='%s'><inertial><mass value='1'/><inertia ixx='%d' iyy='1' izz='1' ixy='0' "
          "ixz='0' iyz='0'/></inertial></link>"
          "<joint name='%s_joint' type='revolute'><parent link='base'/><child link='%s'/>"
          "<axis xyz='0 0 1'/><limit effort='1' velocity='1' lower='-1' upper='1'/></joint>",
          name, moment, name, name);
}

START_TEST(every_link_whose_inertia_cannot_be_is_named_at_once) {
  char folder[] = "/tmp/propriod-generation-XXXXXX", urdf[64], order[96];
  ck_assert_ptr_nonnull(mkdtemp(folder));
  snprintf(urdf, sizeof(urdf), "%s/robot.urdf", folder);
  snprintf(order, sizeof(order), "robot.urdf=%s", urdf);
  FILE *out = fopen(urdf, "w");
  ck_assert_ptr_nonnull(out);
  fputs("<robot name='r'><link name='base'/>", out);
  write_body(out, "left", 9);
  write_body(out, "middle", 1);
  write_body(out, "right", 9);
  fputs("</robot>", out);
  fclose(out);
  struct settings_overrides overrides = {1, {order}};
  struct generation *generation = NULL;
  ck_assert_int_eq(
      generation_build("config/tx40.yaml", &overrides, NULL, &generation, &report, &kept),
      STATUS_NOT_CONSISTENT);
  unlink(urdf);
  rmdir(folder);
  ck_assert_uint_eq(report.n_errors, 2);
  ck_assert_ptr_nonnull(strstr(report.error[0].text, "link 'left'"));
  ck_assert_ptr_nonnull(strstr(report.error[1].text, "link 'right'"));
  ck_assert_ptr_nonnull(strstr(report.error[1].text, "robot.urdf:1:"));
}
END_TEST

/* Writes the arm's description with another name for its third joint; answers its path. */
static void rename_a_joint(char path[64]) {
  char line[1024];
  strcpy(path, "/tmp/generation_test_XXXXXX");
  const int fd = mkstemp(path);
  ck_assert_int_ge(fd, 0);
  FILE *in = fopen("config/robots/tx40.urdf", "r"), *out = fdopen(fd, "w");
  ck_assert(in != NULL && out != NULL);
  while (fgets(line, sizeof(line), in) != NULL) {
    char *name = strstr(line, "\"joint_3\"");
    if (name != NULL) {
      memcpy(name, "\"elbow_3\"", strlen("\"elbow_3\""));
    }
    fputs(line, out);
  }
  fclose(in);
  fclose(out);
}

START_TEST(a_robot_with_as_many_but_other_joints_does_not_fit) {
  struct generation *running = build("config/tx40.yaml", NULL);
  char path[64];
  rename_a_joint(path);
  struct settings_overrides renamed = {.count = 1};
  char option[128];
  snprintf(option, sizeof(option), "robot.urdf=%s", path);
  renamed.text[0] = option;
  assert_does_not_fit(running, "config/tx40.yaml", &renamed,
                      "robot.urdf: joint 2 is elbow_3 instead of joint_3; this needs a restart");
  unlink(path);
  generation_free(running);
}
END_TEST

START_TEST(noise_of_a_joint_that_the_robot_lacks_is_refused) {
  struct settings_overrides encoder = {1, {"motion.encoder_noise_of=[joint_0=1e-3]"}};
  assert_does_not_fit(NULL, "config/tx40.yaml", &encoder,
                      "motion.encoder_noise_of: joint_0 fits no joint of");
  struct settings_overrides torque = {1, {"joints.noise_of=[joint_*=-3]"}};
  assert_does_not_fit(NULL, "config/tx40.yaml", &torque,
                      "joints.noise_of: 'joint_*=-3': not within 1e-06 .. 1000000");
}
END_TEST

START_TEST(one_body_is_weighed_once_and_hands_are_frames_of_the_robot) {
  struct settings_overrides twice = {1, {"inertia.links=[torso_pitch_link, torso_pitch_link]"}};
  assert_does_not_fit(NULL, "config/propriod.yaml", &twice,
                      "inertia.links: torso_pitch_link and torso_pitch_link are one body");
  struct settings_overrides unweighed = {
      2, {"robot.inertia=unknown", "inertia.links=[torso_pitch_link]"}};
  assert_does_not_fit(NULL, "config/propriod.yaml", &unweighed,
                      "inertia.links: nothing can be weighed while robot.inertia is unknown");
  struct settings_overrides hands = {1, {"five_mass.hands=[left_paw]"}};
  assert_does_not_fit(NULL, "config/propriod.yaml", &hands,
                      "five_mass.hands: left_paw is no frame of");
}
END_TEST

SUITE(noise_of_a_joint_that_the_robot_lacks_is_refused,
      a_robot_with_as_many_but_other_joints_does_not_fit,
      one_body_is_weighed_once_and_hands_are_frames_of_the_robot,
      every_configuration_that_comes_with_the_project_builds,
      what_the_example_shows_as_a_default_is_the_default,
      files_and_frames_that_are_not_there_are_named_with_their_option_and_line,
      a_generation_that_does_not_fit_the_running_one_is_refused,
      the_same_configuration_fits_and_what_waits_for_a_restart_keeps_its_value,
      a_robot_on_a_fixed_base_has_an_imu_only_when_it_is_named,
      imus_on_limbs_come_after_the_first_which_may_sit_anywhere,
      every_link_whose_inertia_cannot_be_is_named_at_once)
