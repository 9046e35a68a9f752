#include "identify/command/commands.h"

#include "common/number.h"
#include "common/word_distance.h"
#include "identify/log/recorded_log.h"

#include <stdio.h>
#include <string.h>

const char identify_options_help[] =
    "options:\n"
    "  --robot FILE       the robot as URDF: what is known before (a recording has one)\n"
    "  --log FILE         CSV with position and torque of every joint; again for more\n"
    "                     columns of the same rows. Or a recording (proprioctl record)\n"
    "                     and its later parts: replayed through the joint filter; on a\n"
    "                     floating base it is the feet's wrenches that are fitted\n"
    "  --columns FILE     which column is what, in what unit, as YAML (see below);\n"
    "                     without it columns are found by the joints' names\n"
    "  --validate FILE    another log to judge by; without it the last part of --log\n"
    "  --train SHARE      of the log to fit (default 0.7; 1 with --validate)\n"
    "  --method NAME      pc-irls (default), pc-wls: the global optimum, with and without\n"
    "                     weights against outliers; sqp, sqp-printed, log-cholesky: the\n"
    "                     same problem by other ways, judged by that optimum; wls, tls,\n"
    "                     ols: base parameters, of bodies that need not be possible\n"
    "  --lambda NUMBER    how much to trust the prior (default: chosen by\n"
    "                     cross-validation within the part that is fitted)\n"
    "  --distance NAME    from the prior: pullback (default), euclidean, entropic\n"
    "  --shape WHAT       where bodies' mass can be: collision (the URDF's boxes, cylinders\n"
    "                     and spheres), cells (its accelerometers), a table of cells\n"
    "                     (*.csv), or a YAML file (see below)\n"
    "  --margin M         around cells (default 0.005)\n"
    "  --cutoff HZ        of the zero-phase low-pass (default: 20 mean frequencies of\n"
    "                     the motion, at most 20 and a fifth of the log's rate)\n"
    "  --rate HZ          rows a second after parallel decimation (default: twice\n"
    "                     the cutoff)\n"
    "  --standstill SHARE rows below this share of a joint's greatest speed are left\n"
    "                     out (default 0.01)\n"
    "  --up X,Y,Z         what an accelerometer on the base reads (default 0,0,9.81)\n"
    "  --without KIND     rotor, viscous, coulomb or offset: not identified\n"
    "  --with KIND        asymmetry (viscous friction is another forwards than\n"
    "                     backwards) or stribeck (it falls as the joint sets off):\n"
    "                     identified too, told, and not in the URDF\n"
    "  --allow-still      joints may stand still\n"
    "  --repair           a body of the URDF that cannot be becomes the nearest that can\n"
    "  --json             results as one JSON object\n"
    "  -h, --help         print this\n";

static int usage(const char *command, const char *what, const char *word) {
  fprintf(stderr, "propriod-identify %s: %s%s (propriod-identify %s --help explains)\n", command,
          what, word, command);
  return IDENTIFY_USAGE;
}

static bool take_number(const char *text, double low, double high, double *value) {
  double number;
  const char *end;
  if (number_read(text, &number, &end) != STATUS_OK || *end != '\0' ||
      !(number >= low && number <= high)) {
    return false;
  }
  *value = number;
  return true;
}

static bool take_name(const char *text, const char *const *name, int n, int *value) {
  for (int i = 0; i < n; i++) {
    if (strcmp(text, name[i]) == 0) {
      *value = i;
      return true;
    }
  }
  return false;
}

static bool take_vector(const char *text, vec3 *vector) {
  char spaced[96];
  double value[3];
  snprintf(spaced, sizeof(spaced), "%s", text);
  for (char *c = spaced; *c != '\0'; c++) {
    *c = *c == ',' ? ' ' : *c;
  }
  if (number_read_list(spaced, 3, value) != STATUS_OK) {
    return false;
  }
  *vector = (vec3){value[0], value[1], value[2]};
  return true;
}

/* The kinds from first up to last are there or not. */
static bool take_kind(const char *text, int first, int last, bool there, bool kinds[DRIVE_KINDS]) {
  for (int kind = first; kind <= last; kind++) {
    if (strcmp(text, drive_kind_name((enum drive_kind)kind)) == 0) {
      kinds[kind] = there;
      return true;
    }
  }
  return false;
}

/* One option and its value. False: it cannot be. */
static bool take(struct identify_options *o, const char *word, const char *value) {
  int choice = 0;
  if (strcmp(word, "--robot") == 0) {
    o->session.robot = value;
  } else if (strcmp(word, "--log") == 0 && o->session.n_logs < SESSION_LOGS) {
    o->session.log[o->session.n_logs++] = value;
  } else if (strcmp(word, "--columns") == 0) {
    o->session.columns = value;
  } else if (strcmp(word, "--shape") == 0) {
    o->session.shape = value;
  } else if (strcmp(word, "--margin") == 0) {
    return take_number(value, 1e-4, 1.0, &o->session.margin);
  } else if (strcmp(word, "--validate") == 0) {
    o->validate = value;
  } else if (strcmp(word, "--output") == 0) {
    o->output = value;
  } else if (strcmp(word, "--yaml") == 0) {
    o->yaml = value;
  } else if (strcmp(word, "--report") == 0) {
    o->report = value;
  } else if (strcmp(word, "--period") == 0) {
    return take_number(value, 1.0, 1000.0, &o->design.period);
  } else if (strcmp(word, "--acceleration") == 0) {
    return take_number(value, 1e-3, 1e4, &o->design.acceleration);
  } else if (strcmp(word, "--limits") == 0) {
    return take_number(value, 0.01, 1.0, &o->design.share);
  } else if (strcmp(word, "--seconds") == 0) {
    return take_number(value, 0.0, 3600.0, &o->design.seconds);
  } else if (strcmp(word, "--seed") == 0) {
    double seed = 0.0;
    const bool taken = take_number(value, 0.0, 1e9, &seed);
    o->design.seed = (unsigned)seed;
    return taken;
  } else if (strcmp(word, "--ground") == 0) {
    return take_number(value, -100.0, 100.0, &o->clearance.ground);
  } else if (strcmp(word, "--clearance") == 0) {
    return take_number(value, 0.0, 1.0, &o->clearance.margin);
  } else if (strcmp(word, "--loaded") == 0) {
    o->loaded = value;
  } else if (strcmp(word, "--link") == 0) {
    o->link = value;
  } else if (strcmp(word, "--gain-error") == 0) {
    return take_number(value, 1e-6, 10.0, &o->gain_error);
  } else if (strcmp(word, "--mass") == 0) {
    return take_number(value, 1e-6, 1e4, &o->mass);
  } else if (strcmp(word, "--radius") == 0) {
    return take_number(value, 1e-3, 10.0, &o->radius);
  } else if (strcmp(word, "--com") == 0) {
    return take_vector(value, &o->com);
  } else if (strcmp(word, "--train") == 0) {
    return take_number(value, 0.1, 1.0, &o->fit.train_share);
  } else if (strcmp(word, "--lambda") == 0) {
    return take_number(value, 1e-9, 1e12, &o->fit.lambda);
  } else if (strcmp(word, "--cutoff") == 0) {
    return take_number(value, 0.1, 1e4, &o->session.motion.cutoff_hz);
  } else if (strcmp(word, "--rate") == 0) {
    return take_number(value, 0.1, 1e5, &o->session.rows.rate_hz);
  } else if (strcmp(word, "--standstill") == 0) {
    return take_number(value, 0.0, 0.9, &o->session.rows.still_share);
  } else if (strcmp(word, "--up") == 0) {
    return take_vector(value, &o->session.up);
  } else if (strcmp(word, "--without") == 0) {
    return take_kind(value, DRIVE_ROTOR, DRIVE_OFFSET, false, o->session.kinds);
  } else if (strcmp(word, "--with") == 0) {
    return take_kind(value, DRIVE_ASYMMETRY, DRIVE_STRIBECK, true, o->session.kinds);
  } else if (strcmp(word, "--method") == 0 &&
             take_name(value, fit_method_name, FIT_METHODS, &choice)) {
    o->fit.method = (enum fit_method)choice;
  } else if (strcmp(word, "--distance") == 0 &&
             take_name(value, fit_distance_name, FIT_DISTANCES, &choice)) {
    o->fit.distance = (enum fit_distance)choice;
  } else {
    return false;
  }
  return true;
}

static bool take_flag(struct identify_options *o, const char *word) {
  o->json = o->json || strcmp(word, "--json") == 0;
  o->session.motion.allow_still =
      o->session.motion.allow_still || strcmp(word, "--allow-still") == 0;
  o->session.repair = o->session.repair || strcmp(word, "--repair") == 0;
  return strcmp(word, "--json") == 0 || strcmp(word, "--allow-still") == 0 ||
         strcmp(word, "--repair") == 0;
}

static const char *const words[] = {
    "--robot",   "--log",       "--columns", "--validate", "--train",      "--method",
    "--lambda",  "--distance",  "--cutoff",  "--rate",     "--standstill", "--up",
    "--without", "--with",      "--output",  "--yaml",     "--report",     "--loaded",
    "--link",    "--mass",      "--radius",  "--com",      "--period",     "--acceleration",
    "--limits",  "--shape",     "--margin",  "--seconds",  "--seed",       "--gain-error",
    "--ground",  "--clearance", "--repair",  "--json",     "--allow-still"};

/* The option that was perhaps meant, or NULL; the same when it is one. */
static const char *nearest_option(const char *word) {
  const char *nearest = NULL;
  size_t least = 4;
  for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
    const size_t distance = word_distance(words[i], word);
    nearest = distance < least ? words[i] : nearest;
    least = distance < least ? distance : least;
  }
  return nearest;
}

/* What is wrong with a word and its value ("" where none follows). */
static int refuse_option(const char *command, const char *word, const char *value) {
  const char *nearest = nearest_option(word);
  const bool known = nearest != NULL && strcmp(nearest, word) == 0;
  char said[256];
  snprintf(said, sizeof(said), "%.80s%s%.80s%s%s%s", word, known ? " " : "", known ? value : "",
           known || nearest == NULL ? "" : ", did you mean ",
           known || nearest == NULL ? "" : nearest, known || nearest == NULL ? "" : "?");
  return usage(command,
               !known             ? "unknown option: "
               : value[0] == '\0' ? "a value is missing: "
                                  : "not within its limits: ",
               said);
}

static bool is_option(const char *word) {
  return word[0] == '-' && word[1] == '-' && strchr(word, '=') == NULL;
}

int identify_options_read(int argc, char **argv, const char *help,
                          struct identify_options *options) {
  struct identify_options o = {.session = session_defaults(),
                               .fit = fit_defaults(),
                               .radius = 0.05,
                               .design = design_defaults(),
                               .clearance = clearance_defaults()};
  bool train = false;
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
      printf("%s\n%s\n%s\n%s\nexit codes: 0 done, 1 a bad file or too little told: nothing is "
             "written,\n"
             "2 the command line makes no sense\n",
             help, identify_options_help, log_map_help, shape_file_help);
      return -1;
    }
  }
  for (int i = 1; i < argc; i++) {
    train = train || strcmp(argv[i], "--train") == 0;
    if (take_flag(&o, argv[i])) {
      continue;
    }
    if (i + 1 == argc || is_option(argv[i + 1])) {
      return refuse_option(argv[0], argv[i], "");
    }
    if (!take(&o, argv[i], argv[i + 1])) {
      return refuse_option(argv[0], argv[i], argv[i + 1]);
    }
    i++;
  }
  const bool without_log = strcmp(argv[0], "excite") == 0;
  const bool recorded = o.session.n_logs > 0 && is_recording(o.session.log[0]);
  if ((o.session.robot == NULL && !recorded) || (o.session.n_logs == 0 && !without_log)) {
    return usage(argv[0], "which ", o.session.robot == NULL && !recorded ? "--robot?" : "--log?");
  }
  if (o.fit.distance == FIT_ENTROPIC && o.fit.method >= FIT_SQP && o.fit.method < FIT_WLS) {
    return usage(argv[0], "--distance entropic is not for --method ",
                 fit_method_name[o.fit.method]);
  }
  if (o.session.shape != NULL && o.fit.distance == FIT_ENTROPIC) {
    return usage(argv[0], "--shape is not for --distance ", "entropic");
  }
  o.fit.train_share = o.validate != NULL && !train ? 1.0 : o.fit.train_share;
  o.session.train_share = o.fit.train_share;
  *options = o;
  return IDENTIFY_OK;
}

int identify_failed(const char *command, const struct message *why) {
  fprintf(stderr, "propriod-identify %s: %s\n", command, why->text);
  return IDENTIFY_FAILED;
}
