#include "generation.h"

#include "common/arena.h"
#include "model/name_suggestion.h"
#include "settings/robot_files.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void generation_streams(const struct generation *generation, uint32_t count[PROPRIOD_SHM_STREAMS]) {
  const struct robot *robot = generation->robot;
  const bool has_imu = !robot->fixed_base || generation->settings.robot.imu[0] != '\0';
  count[PROPRIOD_SHM_JOINTS] = (uint32_t)robot->joints.count;
  count[PROPRIOD_SHM_IMU] = has_imu ? 1 + (uint32_t)robot->n_limbs : 0;
  count[PROPRIOD_SHM_SKIN] = (uint32_t)robot->n_cells;
  count[PROPRIOD_SHM_WRENCH] = (uint32_t)(robot->n_wrench + robot->n_switches);
}

void generation_recorded(const struct generation *generation,
                         uint32_t count[PROPRIOD_SHM_STREAMS]) {
  generation_streams(generation, count);
  count[PROPRIOD_SHM_JOINTS] = (uint32_t)generation->robot->model.n_joints;
}

/* The shared memory is laid out for the running robot, and what an estimator has learned belongs
 * to its joints. */
static enum status fit(const struct generation *running, const struct generation *wanted,
                       struct settings_report *report) {
  static const char *const key[] = {"robot.urdf", "robot.imu", "robot.cells", "robot.wrenches"};
  static const char *const what[] = {"joints", "IMUs", "cells", "wrench sensors"};
  uint32_t old[PROPRIOD_SHM_STREAMS], new[PROPRIOD_SHM_STREAMS];
  generation_streams(running, old);
  generation_streams(wanted, new);
  for (unsigned kind = 0; kind < PROPRIOD_SHM_STREAMS; kind++) {
    if (old[kind] != new[kind]) {
      settings_error(report, key[kind], "%u %s instead of the running %u; this needs a restart",
                     new[kind], what[kind], old[kind]);
    }
  }
  const struct model *before = &running->robot->model, *after = &wanted->robot->model;
  for (size_t j = 0; report->n_errors == 0 && j < before->n_joints; j++) {
    if (strcmp(before->joint[j].name, after->joint[j].name) != 0) {
      settings_error(report, "robot.urdf", "joint %zu is %s instead of %s; this needs a restart", j,
                     after->joint[j].name, before->joint[j].name);
    }
  }
  return report->n_errors == 0 ? STATUS_OK : STATUS_REFUSED;
}

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

/* Counts first, then builds in one block. arena_take zeroes what it gives, which touches it. */
static enum status build_pipeline(struct generation *generation, struct settings_report *report) {
  const struct pipeline_settings *settings = &generation->settings.pipeline;
  struct arena arena = {0};
  enum status status = pipeline_init(&generation->pipeline, generation->robot, settings, &arena);
  if (status == STATUS_OK) {
    generation->memory = aligned_alloc(ARENA_ALIGN, arena.used);
    if (generation->memory == NULL) {
      settings_error(report, "", "no memory: the estimators need %zu bytes", arena.used);
      return STATUS_NO_MEMORY;
    }
    arena = arena_over(generation->memory, arena.used);
    status = pipeline_init(&generation->pipeline, generation->robot, settings, &arena);
  }
  if (status != STATUS_OK) {
    settings_error(report, "", "the estimators refuse this robot or these settings: %s",
                   status_text(status));
  }
  return status;
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

/* All links whose inertia cannot be, so that they can be mended in one go. */
static void report_inconsistent_links(const struct robot_settings *robot,
                                      struct settings_report *report) {
  struct urdf_finding finding[SETTINGS_MAX_ERRORS];
  const size_t found = robot_inconsistent_links(robot, "", finding, SETTINGS_MAX_ERRORS);
  const size_t told = found < SETTINGS_MAX_ERRORS ? found : SETTINGS_MAX_ERRORS;
  for (size_t i = 0; i < told; i++) {
    settings_add_error(report, &finding[i].complaint);
  }
  report->n_errors += found - told;
}

/* Files that are not there are named with the options that want them. */
static enum status check_files(const struct robot_settings *robot, struct settings_report *report) {
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
                     errno == EACCES ? "the user of the service must be allowed to read it (chmod)"
                                     : "paths begin at the folder of the configuration");
    } else if (stat(file[i].path, &found) == 0 && S_ISDIR(found.st_mode)) {
      settings_error(report, file[i].key, "%s: a directory; name the file in it", file[i].path);
    }
  }
  return report->n_errors == before ? STATUS_OK : STATUS_REFUSED;
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

static void report_robot(const struct message *complaint, struct settings_report *report) {
  const char *key = option_of(complaint), *locked = about_locked(complaint);
  if (locked != NULL) {
    settings_error(report, "robot.locked", "%s", locked);
  } else if (key != NULL) {
    settings_error(report, key, "%s", complaint->text);
  } else {
    settings_add_error(report, complaint);
  }
}

static enum status load_robot(struct generation *generation, struct settings_report *report) {
  struct message error;
  struct robot_faults faults = {.n = 0};
  const size_t before = report->n_errors;
  const struct robot_settings *robot = &generation->settings.robot;
  if (robot->urdf[0] == '\0') {
    settings_error(report, "robot.urdf",
                   "no robot is named: proprioctl init ROBOT.urdf writes a first configuration");
    report->no_robot = true;
    return STATUS_REFUSED;
  }
  if (check_files(robot, report) != STATUS_OK) {
    return STATUS_REFUSED;
  }
  const enum status status =
      robot_load_with_texts(robot, "", &generation->robot, &generation->texts, &faults, &error);
  if (status == STATUS_NOT_CONSISTENT) {
    report_inconsistent_links(robot, report);
  }
  for (size_t i = 0; i < faults.n && i < ROBOT_MAX_FAULTS; i++) {
    report_robot(&faults.fault[i], report);
  }
  if (status != STATUS_OK && report->n_errors == before) {
    report_robot(&error, report);
  }
  return status;
}

static enum status build(struct generation *generation, const struct generation *running,
                         struct settings_report *report) {
  enum status status = load_robot(generation, report);
  if (status != STATUS_OK) {
    return status;
  }
  if (running != NULL) {
    status = fit(running, generation, report);
  }
  if (status == STATUS_OK) {
    check_five_mass(generation, report);
    check_links(generation, report);
    check_joint_numbers(generation, report);
    check_drives(generation, report);
    status = report->n_errors > 0 ? STATUS_REFUSED : STATUS_OK;
  }
  return status == STATUS_OK ? build_pipeline(generation, report) : status;
}

/* A file with mistakes may name a robot with mistakes: all are told at once, unless those of the
 * file are about the robot. */
static void look_further(struct generation *generation, struct settings_report *report) {
  for (size_t i = 0; i < report->n_errors && i < SETTINGS_MAX_ERRORS; i++) {
    if (strstr(report->error[i].text, ": robot.") != NULL) {
      return;
    }
  }
  if (generation->settings.robot.urdf[0] != '\0') {
    load_robot(generation, report);
  }
}

enum status generation_build(const char *file, const struct settings_overrides *overrides,
                             const struct generation *running, struct generation **generation,
                             struct settings_report *report, struct message *kept) {
  message_set(kept, "%s", "");
  *report = (struct settings_report){.n_errors = 0};
  struct generation *built = calloc(1, sizeof(*built));
  if (built == NULL) {
    settings_error(report, "", "no memory");
    return STATUS_NO_MEMORY;
  }
  enum status status = settings_load_as_far(file, overrides, &built->settings, report);
  if (status == STATUS_REFUSED && running == NULL) {
    look_further(built, report);
  }
  if (status == STATUS_OK) {
    if (running != NULL) {
      settings_keep_running(&running->settings, &built->settings, kept);
    }
    status = build(built, running, report);
  }
  if (status != STATUS_OK) {
    generation_free(built);
    return status;
  }
  *generation = built;
  return STATUS_OK;
}

void generation_free(struct generation *generation) {
  if (generation != NULL) {
    free(generation->memory);
    robot_destroy(generation->robot);
    robot_texts_free(&generation->texts);
    free(generation);
  }
}
