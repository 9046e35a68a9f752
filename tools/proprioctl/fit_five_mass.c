/* proprioctl fit-five-mass CONFIG: the robot of a configuration as five points of mass. */
#include "centroidal/five_mass_fit.h"
#include "commands.h"
#include "configured.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "usage: proprioctl fit-five-mass [OPTION ...] CONFIG\n"
    "\n"
    "Fits torso, legs and arms of the configured robot to five points of mass over\n"
    "random postures and writes the result as YAML to standard output; it can be\n"
    "pasted into the configuration. What the five masses miss on other postures\n"
    "goes to standard error. Legs end in robot.feet; arms are found in the tree, or\n"
    "end in the hands given here. The daemon makes the same fit when its\n"
    "configuration has no five_mass section.\n"
    "\n"
    "options:\n"
    "  --range RAD    joints within +-RAD of zero (default 0.6)\n"
    "  --postures N   postures to fit, and to judge (default 300)\n"
    "  --hand FRAME   frame or link at an arm's end; once per arm\n"
    "  -h, --help     print this\n"
    "\n"
    "exit codes: 0 done, 1 the robot has no such limbs or the file is wrong, 2 the\n"
    "command line makes no sense\n";

struct options {
  const char *file;
  struct five_mass_fit_settings fit;
};

static bool take_option(struct options *options, const char *option, const char *value) {
  long postures;
  if (strcmp(option, "--range") == 0) {
    return number_option(value, 0.01, 3.2, &options->fit.range);
  }
  if (strcmp(option, "--postures") == 0 && count_option(value, 10, 1000000, &postures)) {
    options->fit.postures = (size_t)postures;
    return true;
  }
  if (strcmp(option, "--hand") == 0 && options->fit.n_hands < FIVE_MASS_LIMBS) {
    snprintf(options->fit.hand[options->fit.n_hands++], MODEL_NAME_SIZE, "%s", value);
    return true;
  }
  return false;
}

static int read_options(int argc, char **argv, struct options *options) {
  *options = (struct options){.fit = five_mass_fit_defaults()};
  for (int i = 1; i < argc; i++) {
    if (argv[i][0] != '-') {
      if (options->file != NULL) {
        return usage_error("fit-five-mass", "one configuration, not also '%s'", argv[i]);
      }
      options->file = argv[i];
    } else if (i + 1 == argc || !take_option(options, argv[i], argv[i + 1])) {
      return usage_error("fit-five-mass", "unknown option, or not within its limits: %s %s",
                         argv[i], i + 1 < argc ? argv[i + 1] : "");
    } else {
      i++;
    }
  }
  return options->file != NULL ? CTL_OK : usage_error("fit-five-mass", "which configuration?");
}

static const char *limb_name(const struct five_mass_limb *limb) {
  static const char *const names[2][2] = {{"left leg", "right leg"}, {"left arm", "right arm"}};
  return names[limb->kind][limb->side < 0];
}

static void print_list(const char *key, const double *value, size_t n) {
  printf("  %s: [", key);
  for (size_t i = 0; i < n; i++) {
    printf("%s%.6g", i > 0 ? ", " : "", value[i]);
  }
  printf("]\n");
}

static void print_yaml(const struct options *options, const struct robot *robot,
                       const struct five_mass_model *model) {
  double p_s[FIVE_MASS_LIMBS], p_l[FIVE_MASS_LIMBS], torso[3], pelvis[3];
  vec3_to(model->torso.at, torso);
  vec3_to(model->pelvis.at, pelvis);
  printf("# limbs:");
  for (size_t i = 0; i < model->n_limbs; i++) {
    const struct five_mass_limb *limb = &model->limb[i];
    p_s[i] = limb->p_s;
    p_l[i] = limb->p_l;
    printf("%s %s (%s, %s, %s)", i > 0 ? "," : "", limb_name(limb),
           robot->model.link_name[limb->o.link], robot->model.link_name[limb->k.link],
           robot->model.link_name[limb->e.link]);
  }
  printf("\n# torso: on %s\nfive_mass:\n", robot->model.link_name[model->torso.link]);
  if (options->fit.n_hands > 0) {
    printf("  hands: [");
    for (size_t h = 0; h < options->fit.n_hands; h++) {
      printf("%s%s", h > 0 ? ", " : "", options->fit.hand[h]);
    }
    printf("]\n");
  }
  print_list("masses", model->w, 1 + model->n_limbs);
  print_list("torso", torso, 3);
  if (model->pelvis_share > 0.0) {
    print_list("pelvis", pelvis, 3);
  }
  print_list("p_s", p_s, model->n_limbs);
  print_list("p_l", p_l, model->n_limbs);
}

static void print_error(const struct five_mass_model *model, const struct five_mass_error *error) {
  fprintf(stderr,
          "centre of mass: %.2f mm mean, %.2f mm worst\n"
          "inertia: %.1f %% mean, %.1f %% worst (%.1f %% without the groups' own)\n",
          1e3 * error->com_mean, 1e3 * error->com_worst, 1e2 * error->inertia_mean,
          1e2 * error->inertia_worst, 1e2 * error->points_mean);
  for (size_t g = 0; g <= model->n_limbs; g++) {
    fprintf(stderr, "  %s: %.3f kg, centre %.2f mm mean\n",
            g == 0 ? "torso" : limb_name(&model->limb[g - 1]), model->w[g],
            1e3 * error->limb_mean[g]);
  }
}

static enum status fit(const struct options *options, const struct robot *robot,
                       struct five_mass_model *model, struct five_mass_error *error) {
  struct kinematics kin;
  struct arena arena = {0};
  double q[MODEL_MAX_JOINTS];
  enum status status = STATUS_OK;
  for (int pass = 0; pass < 2 && status == STATUS_OK; pass++) {
    if (pass == 1) {
      arena = arena_over(aligned_alloc(ARENA_ALIGN, arena.used), arena.used);
    }
    status = kinematics_init(&kin, &robot->model, &arena);
  }
  if (status == STATUS_OK) {
    status = five_mass_fit(robot, &options->fit, &kin, q, model);
  }
  if (status == STATUS_OK) {
    status = five_mass_fit_error(robot, &options->fit, model, &kin, q, error);
  }
  free(arena.base);
  return status;
}

int run_fit_five_mass(int argc, char **argv) {
  struct options options;
  struct five_mass_model model;
  struct five_mass_error error;
  if (argc == 2 && strcmp(argv[1], "--help") == 0) {
    fputs(help, stdout);
    return CTL_OK;
  }
  const int usage = read_options(argc, argv, &options);
  if (usage != CTL_OK) {
    return usage;
  }
  struct generation *generation = configured(options.file);
  if (generation == NULL) {
    return CTL_FAILED;
  }
  if (generation->robot->inertia_unknown) {
    fprintf(stderr, "%s: robot.inertia: unknown, and nothing to fit\n", options.file);
    generation_free(generation);
    return CTL_FAILED;
  }
  const enum status status = fit(&options, generation->robot, &model, &error);
  if (status == STATUS_OK) {
    print_yaml(&options, generation->robot, &model);
    print_error(&model, &error);
  } else {
    fprintf(stderr, "%s: no five-mass model: %s\n", options.file,
            status == STATUS_BAD_ARGUMENT
                ? "a hand that is no frame of the robot, or too many limbs"
            : status == STATUS_TOO_FEW ? "a limb with fewer than two joints"
                                       : status_text(status));
  }
  generation_free(generation);
  return status == STATUS_OK ? CTL_OK : CTL_FAILED;
}
