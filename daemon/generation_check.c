#include "generation_check.h"

#include "model/name_suggestion.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* -- before the robot is read ----------------------------------------------------------------- */

bool generation_hides_from_services(const char *path) {
  static const char *const folder[] = {"/home/", "/root/", "/run/user/"};
  bool hidden = false;
  for (size_t i = 0; i < sizeof(folder) / sizeof(folder[0]); i++) {
    hidden = hidden || strncmp(path, folder[i], strlen(folder[i])) == 0;
  }
  return hidden;
}

static const char *remedy(const char *path, int error) {
  if (getenv("INVOCATION_ID") != NULL && generation_hides_from_services(path)) {
    return "a service sees nothing in /home, /root and /run/user; copy it beside the configuration";
  }
  return error == EACCES ? "the user of the service must be allowed to read it (chmod)"
                         : "paths begin at the folder of the configuration";
}

enum status generation_check_files(const struct robot_settings *robot,
                                   struct settings_report *report) {
  const size_t before = report->n_errors;
  const bool has_table = strcmp(robot->cells, "urdf") != 0;
  const struct {
    const char *key, *path;
  } file[] = {{"robot.urdf", robot->urdf},
              {"robot.cells", has_table ? robot->cells : ""},
              {"robot.calibration", robot->calibration}};
  for (size_t i = 0; i < sizeof(file) / sizeof(file[0]); i++) {
    struct stat found;
    if (file[i].path[0] == '\0') {
      continue;
    }
    if (access(file[i].path, R_OK) != 0) {
      settings_error(report, file[i].key, "%s: %s; %s", file[i].path, strerror(errno),
                     remedy(file[i].path, errno));
    } else if (stat(file[i].path, &found) == 0 && S_ISDIR(found.st_mode)) {
      settings_error(report, file[i].key, "%s: a directory; name the file in it", file[i].path);
    }
  }
  return report->n_errors == before ? STATUS_OK : STATUS_REFUSED;
}

/* -- what reading it complained of ------------------------------------------------------------ */

void generation_report_inertias(const struct robot_settings *robot,
                                struct settings_report *report) {
  struct urdf_finding finding[SETTINGS_MAX_ERRORS];
  const size_t found = robot_inconsistent_links(robot, "", finding, SETTINGS_MAX_ERRORS);
  const size_t told = found < SETTINGS_MAX_ERRORS ? found : SETTINGS_MAX_ERRORS;
  for (size_t i = 0; i < told; i++) {
    settings_add_error(report, &finding[i].complaint);
  }
  report->n_errors += found - told;
}

/* The option that a complaint about a frame is about, by what the frame is for; NULL for others. */
static const char *option_of(const struct message *complaint) {
  static const struct {
    const char *begin, *key;
  } use[] = {{"imu frame ", "robot.imu"},
             {"limb imu frame ", "robot.limb_imus"},
             {"joint '", "robot.joints"},
             {"foot frame ", "robot.feet"},
             {"contact switch ", "robot.contact_switches"},
             {"wrench frame ", "robot.wrenches"}};
  for (size_t i = 0; i < sizeof(use) / sizeof(use[0]); i++) {
    if (strncmp(complaint->text, use[i].begin, strlen(use[i].begin)) == 0) {
      return use[i].key;
    }
  }
  return NULL;
}

/* What a complaint of the description says of an option of the configuration: robot.locked is
 * applied while the URDF is read, which has no place for it. NULL: nothing. */
static const char *about_locked(const struct message *complaint) {
  static const char mark[] = ":1:1: locked ";
  const char *found = strstr(complaint->text, mark);
  return found != NULL ? found + sizeof(mark) - 1 : NULL;
}

void generation_report_robot(const struct message *complaint, struct settings_report *report) {
  const char *key = option_of(complaint), *locked = about_locked(complaint);
  if (locked != NULL) {
    settings_error(report, "robot.locked", "%s", locked);
  } else if (key != NULL) {
    settings_error(report, key, "%s", complaint->text);
  } else {
    settings_add_error(report, complaint);
  }
}

/* -- against the robot ------------------------------------------------------------------------ */

/* The five masses by name and number must be those of the robot's limbs. */
static void check_five_mass(const struct generation *generation, struct settings_report *report) {
  const struct five_mass_settings *five = &generation->settings.pipeline.centroidal.posture.five;
  const struct model *robot = &generation->robot->model;
  struct five_mass_model model;
  for (size_t h = 0; h < five->fit.n_hands; h++) {
    if (model_find_frame(robot, five->fit.hand[h]) < 0 &&
        model_find_link(robot, five->fit.hand[h]) < 0) {
      settings_error(report, "five_mass.hands", "%s is no frame of %s", five->fit.hand[h],
                     robot->name);
      return;
    }
  }
  if (five_mass_find_limbs(generation->robot, &five->fit, &model) != STATUS_OK) {
    return; /* a robot without such limbs has no five masses */
  }
  const struct {
    const char *key;
    size_t given, wanted;
  } list[] = {{"five_mass.masses", five->n_masses, 1 + model.n_limbs},
              {"five_mass.torso", five->n_torso, 3},
              {"five_mass.pelvis", five->n_pelvis, 3},
              {"five_mass.p_s", five->n_p_s, model.n_limbs},
              {"five_mass.p_l", five->n_p_l, model.n_limbs}};
  for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++) {
    if (list[i].given != 0 && list[i].given != list[i].wanted) {
      settings_error(report, list[i].key, "%zu numbers, but %s needs %zu", list[i].given,
                     robot->name, list[i].wanted);
    }
  }
}

/* Links that are to be estimated must be the robot's. */
static void check_links(const struct generation *generation, struct settings_report *report) {
  const struct inertial_settings *inertial = &generation->settings.pipeline.inertial;
  if (inertial->n_links > 0 && generation->robot->inertia_unknown) {
    settings_error(report, "inertia.links",
                   "nothing can be weighed while robot.inertia is unknown");
  }
  for (size_t k = 0; k < inertial->n_links; k++) {
    const int link = inertial_link(generation->robot, inertial->link[k]);
    if (link < 0) {
      char meant[NAME_SUGGESTION_SIZE];
      suggest_frame(&generation->robot->model, inertial->link[k], meant);
      settings_error(report, "inertia.links", "%s is neither a link nor a frame of %s%s",
                     inertial->link[k], generation->robot->model.name, meant);
    }
    for (size_t other = 0; link >= 0 && other < k; other++) {
      if (inertial_link(generation->robot, inertial->link[other]) == link) {
        settings_error(report, "inertia.links", "%s and %s are one body", inertial->link[other],
                       inertial->link[k]);
      }
    }
  }
}

/* Drives are told for all joints at once, or for each. */
static void check_drives(const struct generation *generation, struct settings_report *report) {
  const struct drive_settings *drives = &generation->settings.pipeline.inertial.filter.drives;
  const struct model *model = &generation->robot->model;
  if (inertial_drives_set(drives, model, 0.0, 0.0, NULL) == STATUS_OK) {
    return;
  }
  settings_error(report, "joints.gain", "%s",
                 drives->effort == DRIVE_CURRENT && drives->gain.n == 0
                     ? "must be given: joints.effort is current"
                     : "this or another list of joints has neither one number nor one for each "
                       "joint");
}

/* Joints that settings name must be the robot's; the bounds are those of the rows for all. */
static void check_joint_numbers(const struct generation *generation,
                                struct settings_report *report) {
  const struct pipeline_settings *pipeline = &generation->settings.pipeline;
  const struct {
    const char *key, *of_all;
    const struct joint_numbers *numbers;
  } list[] = {
      {"motion.encoder_noise_of", "motion.encoder_noise", &pipeline->joints.encoder_noise_of},
      {"joints.noise_of", "joints.noise", &pipeline->inertial.filter.drives.noise_of},
  };
  for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++) {
    const struct setting *row = settings_find(list[i].of_all);
    struct message error;
    if (joint_numbers_check(list[i].numbers, &generation->robot->model, row->min, row->max,
                            &error) != STATUS_OK) {
      settings_error(report, list[i].key, "%s", error.text);
    }
  }
}

enum status generation_check_names(const struct generation *generation,
                                   struct settings_report *report) {
  check_five_mass(generation, report);
  check_links(generation, report);
  check_joint_numbers(generation, report);
  check_drives(generation, report);
  return report->n_errors > 0 ? STATUS_REFUSED : STATUS_OK;
}
