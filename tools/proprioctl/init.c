/* proprioctl init URDF: a first configuration, with a question where a name does not tell
 * enough. */
#include "commands.h"
#include "sole_place.h"

#include "common/number.h"
#include "settings/robot_files.h"
#include "settings/setting_value.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FOUND = ROBOT_MAX_FEET };

static const char help[] =
    "usage: proprioctl init URDF\n"
    "\n"
    "Prints a first configuration for the robot of a URDF: feet, IMU, force sensors\n"
    "and skin by their names and places, and a question where these do not tell\n"
    "enough. Look it through, then let proprioctl check look at it.\n"
    "\n"
    "  proprioctl init robot.urdf > robot.yaml\n"
    "\n"
    "exit codes: 0 printed, 1 the URDF cannot be read, 2 the command line makes no\n"
    "sense\n";

/* Frames that were recognised; one a link. */
struct found {
  size_t n;
  const struct model_frame *frame[MOST_FOUND];
};

/* True when `word` stands in `name`, in whatever case. */
static bool contains(const char *name, const char *word) {
  const size_t length = strlen(word);
  for (; *name != '\0'; name++) {
    size_t i = 0;
    while (i < length && tolower((unsigned char)name[i]) == word[i]) {
      i++;
    }
    if (i == length) {
      return true;
    }
  }
  return false;
}

/* No joint moves anything behind this link. */
static bool is_end(const struct model *model, size_t link) {
  for (size_t child = link + 1; child < model->n_links; child++) {
    if (model->parent[child] == (int)link) {
      return false;
    }
  }
  return true;
}

/* The frames named with the first of `words` that any is named with, one a link. */
static struct found find_frames(const struct model *model, const char *const words[],
                                bool at_ends) {
  struct found found = {0};
  for (size_t w = 0; words[w] != NULL && found.n == 0; w++) {
    for (size_t f = 0; f < model->n_frames && found.n < MOST_FOUND; f++) {
      const struct model_frame *frame = &model->frame[f];
      bool fits = contains(frame->name, words[w]) && (!at_ends || is_end(model, frame->link));
      for (size_t k = 0; k < found.n && fits; k++) {
        fits = found.frame[k]->link != frame->link;
      }
      if (fits) {
        found.frame[found.n++] = frame;
      }
    }
  }
  return found;
}

/* As YAML reads it: in quotes where it is more than a plain word. */
static void print_word(const char *text) {
  const char *at = text;
  while (isalnum((unsigned char)*at) || (*at != '\0' && strchr("_./-", *at) != NULL)) {
    at++;
  }
  if (*at == '\0' && strchr("-.", text[0]) == NULL) {
    fputs(text, stdout);
  } else {
    setting_print_text(stdout, text);
  }
}

static void print_list(const char *key, const struct found *found) {
  printf("  %s: [", key);
  for (size_t i = 0; i < found->n; i++) {
    fputs(i > 0 ? ", " : "", stdout);
    print_word(found->frame[i]->name);
  }
  puts("]");
}

/* m: a sole so near to a frame is there. */
static const double AT_FRAME = 5e-3;

/* The frame of a foot, or the place beside it where its collision shapes have their sole. Returns
 * whether it is beside. */
static bool print_foot(const struct model *model, const struct shapes *shapes,
                       const struct model_frame *frame) {
  vec3 at;
  if (!sole_place(model, shapes, frame, &at) || vec3_norm(at) < AT_FRAME) {
    print_word(frame->name);
    return false;
  }
  char text[MODEL_NAME_SIZE + 64];
  snprintf(text, sizeof(text), "%s@%g,%g,%g", frame->name, number_to_thousandth(at.x),
           number_to_thousandth(at.y), number_to_thousandth(at.z));
  setting_print_text(stdout, text);
  return true;
}

/* Returns whether there are any. Soles of quadrupeds are points, and where their frames are. */
static bool print_feet(const struct model *model, const struct shapes *shapes) {
  static const char *const words[] = {"sole", "foot_contact", "foot", "toe", "ankle", NULL};
  static const struct shapes none;
  const struct found feet = find_frames(model, words, true);
  if (feet.n == 0) {
    puts("  # No frame is named like a sole or foot. Does it stand on something? Then name frames "
         "in\n"
         "  # the middle of its soles, z away from the ground, or places beside frames:\n"
         "  #feet: [\"left_ankle@0.03,0,-0.05\", ...]");
    return false;
  }
  bool beside = false;
  fputs("  feet: [", stdout);
  for (size_t i = 0; i < feet.n; i++) {
    fputs(i > 0 ? ", " : "", stdout);
    beside = print_foot(model, feet.n <= ROBOT_MAX_SOLES ? shapes : &none, feet.frame[i]) || beside;
  }
  puts(beside ? "]\n  # Behind @ is the middle of each sole, m along the frame's axes, by the "
                "collision shapes."
              : "]");
  puts("  # Is each in the middle of the sole, and does z point away from the ground?");
  return true;
}

/* Those beside the first. */
static void print_limb_imus(const struct found *imu, const struct model_frame *first) {
  struct found others = {0};
  for (size_t i = 0; i < imu->n && others.n < ROBOT_MAX_LIMBS; i++) {
    if (imu->frame[i] != first) {
      others.frame[others.n++] = imu->frame[i];
    }
  }
  if (others.n > 0) {
    puts("  # Further IMUs, in the order of their stream after the first; does the driver give "
         "them?");
    print_list("#limb_imus", &others);
  }
}

/* An IMU on the base first; some frames bear the maker's name. Returns whether there is one. */
static bool print_imu(const struct model *model) {
  static const char *const words[] = {"imu",   "gyro",      "accelerometer", "ahrs",
                                      "xsens", "vectornav", "microstrain",   NULL};
  const struct found imu = find_frames(model, words, false);
  const struct model_frame *best = imu.n > 0 ? imu.frame[0] : NULL;
  for (size_t i = 0; i < imu.n; i++) {
    best = imu.frame[i]->link == 0 ? imu.frame[i] : best;
  }
  if (best == NULL) {
    puts(
        "  # No frame is named like an IMU: it is taken to measure in the frame of the base link.\n"
        "  #imu: \"\"");
  } else {
    if (best->link != 0) {
      printf("  # On %s, not on the base %s.\n", model->link_name[best->link], model->link_name[0]);
    }
    fputs("  imu: ", stdout);
    print_word(best->name);
    puts("");
  }
  print_limb_imus(&imu, best);
  return best != NULL;
}

static void print_forces(const struct model *model) {
  static const char *const words[] = {"ft_sensor", "force_torque", "_ft", "wrench", NULL};
  const struct found sensors = find_frames(model, words, false);
  if (sensors.n > 0) {
    puts("  # Force and torque sensors, in the order of their stream; does the driver give them?");
    print_list("#wrenches", &sensors);
  }
}

/* Joints that are held fast as nothing measures them, or that often have no encoder. */
static void print_locked(const struct model *model, const struct urdf_choices *choices) {
  if (choices->n_locked > 0) {
    puts("  # Planar and floating joints, which no encoder measures, are held where they are:");
    fputs("  locked: [", stdout);
    for (size_t i = 0; i < choices->n_locked; i++) {
      fputs(i > 0 ? ", " : "", stdout);
      print_word(choices->locked[i]);
    }
    puts("]");
  }
  static const char *const words[] = {"finger", "thumb", "gripper", "wheel", NULL};
  for (size_t w = 0; words[w] != NULL; w++) {
    for (size_t j = 0; j < model->n_joints; j++) {
      if (contains(model->joint[j].name, words[w])) {
        printf("  # Has %s an encoder? Joints without one are held fast, by name or pattern.\n"
               "  #locked: [",
               model->joint[j].name);
        print_word(model->joint[j].name);
        puts("]");
        return;
      }
    }
  }
}

static void print_configuration(const struct robot_settings *settings, const struct robot *robot,
                                const struct shapes *shapes) {
  const struct model *model = &robot->model;
  printf("# %s: %zu joints", model->name, model->n_joints);
  if (!robot->inertia_unknown) {
    printf(", %.2f kg", model_mass(model));
  }
  fputs(". Made by proprioctl init; every option is in propriod.yaml(5).\nrobot:\n  urdf: ",
        stdout);
  print_word(settings->urdf);
  puts("");
  if (settings->choices.repair == URDF_REPAIR_NEAREST) {
    puts("  # Inertias that no body has are made possible; proprioctl check says which, and by how "
         "much.\n"
         "  repair: nearest");
  }
  if (settings->choices.inertia == URDF_INERTIA_UNKNOWN) {
    puts("  # The URDF lacks masses: joints and base are estimated, and nothing that needs them.\n"
         "  inertia: unknown");
  }
  if (model->n_accelerometers > 0) {
    printf("  # The %zu accelerometers of the URDF.\n  cells: urdf\n", model->n_accelerometers);
  }
  const bool has_imu = print_imu(model), has_feet = print_feet(model, shapes);
  print_forces(model);
  print_locked(model, &settings->choices);
  if (!has_imu && !has_feet) {
    puts("  # Is its base bolted to the ground?\n  fixed_base: true");
  }
  puts("# The period at which the joints driver writes:\n#cycle: {period: 0.001}");
}

int run_init(int argc, char **argv) {
  if (argc == 2 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
    fputs(help, stdout);
    return CTL_OK;
  }
  if (argc != 2 || argv[1][0] == '-') {
    return usage_error("init", "one URDF, please");
  }
  struct robot_settings settings = {.fixed_base = true};
  struct robot *robot = NULL;
  struct message error;
  char *path = realpath(argv[1], NULL); /* wherever the configuration will lie */
  const int length =
      snprintf(settings.urdf, sizeof(settings.urdf), "%s", path != NULL ? path : argv[1]);
  free(path);
  if (length >= (int)sizeof(settings.urdf)) {
    return usage_error("init", "the name is too long");
  }
  robot_lock_loose(&settings, "");
  enum status status = robot_load(&settings, "", &robot, &error);
  if (status == STATUS_NOT_CONSISTENT) {
    settings.choices.repair = URDF_REPAIR_NEAREST;
    status = robot_load(&settings, "", &robot, &error);
    if (status != STATUS_OK) { /* nothing to repair: there are no masses */
      settings.choices.repair = URDF_REPAIR_REFUSE;
      settings.choices.inertia = URDF_INERTIA_UNKNOWN;
      status = robot_load(&settings, "", &robot, &error);
    }
  }
  if (status != STATUS_OK) {
    fprintf(stderr, "proprioctl init: %s\n", error.text);
    return CTL_FAILED;
  }
  struct shapes shapes = {0};
  (void)shapes_read(settings.urdf, &robot->model, &shapes, &error); /* without, frames alone tell */
  print_configuration(&settings, robot, &shapes);
  shapes_free(&shapes);
  robot_destroy(robot);
  return CTL_OK;
}
