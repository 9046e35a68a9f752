/* proprioctl inertia show | reset | export: what the daemon has learned about the robot's
 * weight. */
#include "inertia/inertia.h"
#include "commands.h"
#include "common/file.h"
#include "identify/output/provenance.h"
#include "learned/learned_file.h"
#include "service/control.h"
#include "settings/settings.h"
#include "urdf/urdf_reader.h"
#include "urdf/urdf_writer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char help[] =
    "usage: proprioctl inertia show CONFIG\n"
    "       proprioctl inertia reset CONFIG\n"
    "       proprioctl inertia export [--yaml] CONFIG\n"
    "\n"
    "What propriod has learned about the links of inertia.links, from the state\n"
    "folder that the configuration CONFIG names. What a running propriod estimates\n"
    "now is in its topic: proprioctl echo inertia.\n"
    "\n"
    "commands:\n"
    "  show    mass and centre of mass of each link, learned with one standard\n"
    "          deviation, and in the model, which may come from propriod-identify\n"
    "  reset   forgets it, and a running daemon begins again from the model\n"
    "  export  writes the robot's URDF with the learned values in place of its own\n"
    "          to standard output, without the skin's own mass (robot.cell_mass);\n"
    "          with --yaml the ten parameters of each link and their deviations,\n"
    "          skin included, instead\n"
    "\n"
    "exit codes: 0 done, 1 nothing is learned, or it belongs to another model, 2\n"
    "the command line makes no sense\n";

enum { ANSWER_MS = 5000 }; /* a daemon has this long to forget */

/* What the commands work on. */
struct memory {
  struct settings settings;
  struct learned_inertia learned;
  struct robot *robot;
};

static bool complain(const char *what) {
  fprintf(stderr, "proprioctl inertia: %s\n", what);
  return false;
}

static bool read_settings(const char *config, struct settings *settings) {
  static struct settings_report errors;
  if (settings_load(config, NULL, settings, &errors) != STATUS_OK) {
    settings_print_errors(stderr, &errors);
    return false;
  }
  return true;
}

/* Reads configuration, robot and what was learned about that robot. */
static bool recall(struct memory *memory) {
  struct message error;
  const enum status status =
      learned_load(memory->settings.service.state_directory, &memory->learned, &error);
  if (status == STATUS_STALE) {
    message_set(&error, "nothing has been learned in %s", memory->settings.service.state_directory);
  }
  if (status != STATUS_OK ||
      robot_load(&memory->settings.robot, "", &memory->robot, &error) != STATUS_OK) {
    return complain(error.text);
  }
  if (memory->robot->model_hash != memory->learned.model_hash) {
    return complain("what was learned belongs to another model than the configured one");
  }
  return true;
}

/* -- show ------------------------------------------------------------------------------------- */

/* How sure the k-th link is. False, and nothing written, when the file holds no such body. */
static bool deviations(struct memory *memory, size_t k,
                       double covariance[INERTIA_PARAMETERS][INERTIA_PARAMETERS], double *mass,
                       vec3 *com) {
  double x[LEARNED_MAX_N] = {0.0};
  struct inertial_core core = {.settings = {.form = (enum inertial_form)memory->learned.form},
                               .n_links = memory->learned.n_links,
                               .n = (size_t)INERTIA_PARAMETERS * memory->learned.n_links,
                               .x = x,
                               .P = memory->learned.covariance};
  core.pi[k] = memory->learned.estimate[k];
  if (inertial_form_state(core.settings.form, &core.pi[k], x + INERTIA_PARAMETERS * k) !=
      STATUS_OK) {
    return false;
  }
  inertial_core_deviations(&core, k, covariance, mass, com);
  return true;
}

static const struct inertia *in_model(const struct memory *memory, size_t k) {
  const int link = model_find_link(&memory->robot->model, memory->learned.name[k]);
  return link >= 0 ? &memory->robot->model.inertia[link] : NULL;
}

static void print_body(const char *what, const struct inertia *pi) {
  const vec3 c = inertia_com(pi);
  printf("  %-8s %8.3f kg   centre of mass %8.4f %8.4f %8.4f m\n", what, pi->m, c.x, c.y, c.z);
}

static const char *date_of(const struct memory *memory, char date[64]) {
  const time_t seconds = (time_t)(memory->learned.wall_ns / 1000000000);
  struct tm local;
  strftime(date, 64, "%Y-%m-%d %H:%M:%S", localtime_r(&seconds, &local));
  return date;
}

static bool show(struct memory *memory) {
  double covariance[INERTIA_PARAMETERS][INERTIA_PARAMETERS], mass;
  vec3 com;
  char date[64];
  printf("%s, learned until %s\n", memory->robot->model.name, date_of(memory, date));
  for (size_t k = 0; k < memory->learned.n_links; k++) {
    const struct inertia *model = in_model(memory, k);
    printf("%s\n", memory->learned.name[k]);
    print_body("learned", &memory->learned.estimate[k]);
    if (deviations(memory, k, covariance, &mass, &com)) {
      printf("  %-8s %8.3f kg   %14s %8.4f %8.4f %8.4f m\n", "+-", mass, "", com.x, com.y, com.z);
    }
    if (model != NULL) {
      print_body("model", model);
    }
  }
  return true;
}

/* -- export ----------------------------------------------------------------------------------- */

static bool export_yaml(struct memory *memory) {
  static const char *const key[] = {"m",   "hx",  "hy",  "hz",  "Ixx",
                                    "Ixy", "Ixz", "Iyy", "Iyz", "Izz"};
  double covariance[INERTIA_PARAMETERS][INERTIA_PARAMETERS], mass;
  vec3 com;
  char date[64];
  printf("# %s, learned until %s\n", memory->robot->model.name, date_of(memory, date));
  puts("# kg, kg m, kg m^2 about each link's origin, link coordinates; sd: one standard deviation");
  for (size_t k = 0; k < memory->learned.n_links; k++) {
    double parameters[INERTIA_PARAMETERS];
    inertia_to(&memory->learned.estimate[k], parameters);
    printf("%s:\n", memory->learned.name[k]);
    for (size_t i = 0; i < INERTIA_PARAMETERS; i++) {
      printf("  %s: %.17g\n", key[i], parameters[i]);
    }
    const bool sure = deviations(memory, k, covariance, &mass, &com);
    for (size_t i = 0; sure && i < INERTIA_PARAMETERS; i++) {
      printf("%s%s: %.6g%s", i == 0 ? "  sd: {" : ", ", key[i], sqrt(fmax(0.0, covariance[i][i])),
             i + 1 == INERTIA_PARAMETERS ? "}\n" : "");
    }
  }
  return true;
}

/* The robot as its URDF has it, without the mass of the cells, which robot_load adds. */
static struct robot *load_bare(const struct memory *memory, struct message *error) {
  struct robot_settings settings = memory->settings.robot;
  struct robot *bare = NULL;
  settings.cell_mass = 0.0;
  return robot_load(&settings, "", &bare, error) == STATUS_OK ? bare : NULL;
}

/* What was learned, less the skin: loaded with the same configuration it is what was learned. */
static bool find_changes(const struct memory *memory, struct urdf_change *change,
                         struct message *error) {
  struct robot *bare = load_bare(memory, error);
  for (size_t k = 0; bare != NULL && k < memory->learned.n_links; k++) {
    const int link = model_find_link(&bare->model, memory->learned.name[k]);
    change[k] = (struct urdf_change){memory->learned.name[k], memory->learned.estimate[k]};
    if (link >= 0 && memory->settings.robot.cell_mass > 0.0) {
      const struct inertia skin =
          inertia_axpy(&memory->robot->model.inertia[link], -1.0, &bare->model.inertia[link]);
      change[k].inertia = inertia_axpy(&change[k].inertia, -1.0, &skin);
    }
  }
  const bool found = bare != NULL;
  robot_destroy(bare);
  return found;
}

static bool export_urdf(const struct memory *memory) {
  struct urdf_change change[INERTIAL_MAX_LINKS];
  struct message error;
  char *text = NULL, *out = NULL;
  size_t length, out_length;
  bool good =
      find_changes(memory, change, &error) &&
      file_read(memory->settings.robot.urdf, URDF_MAX_BYTES, &text, &length, &error) == STATUS_OK &&
      urdf_write(text, length, change, memory->learned.n_links, &out, &out_length, &error) ==
          STATUS_OK;
  if (good) {
    good = fwrite(out, 1, out_length, stdout) == out_length;
  } else {
    complain(error.text);
  }
  free(text);
  free(out);
  return good;
}

/* -- reset ------------------------------------------------------------------------------------ */

/* A running daemon would save what it knows again: it forgets, and removes the files itself. */
static bool reset(const struct memory *memory) {
  char path[SETTINGS_PATH_SIZE], answer[CONTROL_ANSWER_SIZE];
  struct message error;
  settings_runtime_path(&memory->settings, "control.sock", path, sizeof(path));
  const enum status status = control_ask(path, "forget", ANSWER_MS, answer, &error);
  if (status == STATUS_OK) {
    const char *why = strchr(answer, '\n');
    return strncmp(answer, "ok\n", 3) == 0 || complain(why != NULL ? why + 1 : answer);
  }
  if (status == STATUS_REFUSED) {
    return complain(error.text);
  }
  return learned_remove(memory->settings.service.state_directory, &error) == STATUS_OK ||
         complain(error.text);
}

static bool run(const char *verb, bool yaml, struct memory *memory) {
  if (strcmp(verb, "reset") == 0) {
    return reset(memory);
  }
  if (!recall(memory)) {
    return false;
  }
  if (strcmp(verb, "show") == 0) {
    return show(memory);
  }
  return yaml ? export_yaml(memory) : export_urdf(memory);
}

/* Where the model's own numbers come from, when propriod-identify found them. */
static void print_origin(const struct settings *settings) {
  char *text, how[512];
  size_t length;
  struct message error;
  if (file_read(settings->robot.urdf, URDF_MAX_BYTES, &text, &length, &error) == STATUS_OK) {
    if (provenance_how(text, how, sizeof(how))) {
      printf("the model was identified %s\n", how);
    }
    free(text);
  }
}

int run_inertia(int argc, char **argv) {
  if (argc == 2 && strcmp(argv[1], "--help") == 0) {
    fputs(help, stdout);
    return CTL_OK;
  }
  const bool yaml = argc == 4 && strcmp(argv[1], "export") == 0 && strcmp(argv[2], "--yaml") == 0;
  const bool known = argc >= 2 && (strcmp(argv[1], "show") == 0 || strcmp(argv[1], "reset") == 0 ||
                                   strcmp(argv[1], "export") == 0);
  if (!known) {
    return usage_error("inertia", "show, reset or export?");
  }
  if ((argc != 3 && !yaml) || argv[argc - 1][0] == '-') {
    return usage_error("inertia", "which configuration?");
  }
  struct memory *memory = calloc(1, sizeof(*memory));
  const bool read = memory != NULL && read_settings(argv[argc - 1], &memory->settings);
  if (read && strcmp(argv[1], "show") == 0) {
    print_origin(&memory->settings);
  }
  const bool good = read && run(argv[1], yaml, memory);
  if (memory != NULL) {
    robot_destroy(memory->robot);
  }
  free(memory);
  return good ? CTL_OK : CTL_FAILED;
}
