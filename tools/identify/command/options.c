#include "identify/command/commands.h"

#include "common/number.h"
#include "common/word_distance.h"
#include "identify/log/recorded_log.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* Commands that an option is for. */
enum {
  FIT = 1,
  COMPARE = 2,
  EXCITE = 4,
  PAYLOAD = 8,
  GAINS = 16,
  FITS = FIT | COMPARE,
  LOADS = PAYLOAD | GAINS,
  LOGS = FITS | LOADS,
  ALL = LOGS | EXCITE
};
static const char *const commands[] = {"fit", "compare", "excite", "payload", "gains"};

/* What stands behind an option's word, and where it goes. */
enum kind { FLAG, TEXT, LOG, NUMBER, SEED, COUNT, VECTOR, WITH, WITHOUT, METHOD, DISTANCE, AIM };

struct option {
  const char *word, *value; /* value: NULL for a flag */
  unsigned commands;
  enum kind kind;
  size_t at; /* in struct identify_options */
  double low, high;
  const char *help; /* lines of at most 58 characters */
};

#define AT(member) offsetof(struct identify_options, member)

static const struct option options_table[] = {
    {"--output", "FILE", FIT, TEXT, AT(output), 0, 0,
     "the new URDF (comments and all else kept); propriod takes\n"
     "it"},
    {"--settings", "FILE", FIT, TEXT, AT(settings), 0, 0,
     "the drives' offsets, how far they may be off, and noise,\n"
     "as a paragraph of propriod's YAML file (fixed base)"},
    {"--report", "FILE", FIT, TEXT, AT(report), 0, 0,
     "a page of HTML: torques measured and predicted, tables,\n"
     "and what every method of `compare` predicts how well"},
    {"--yaml", "FILE", FIT, TEXT, AT(yaml), 0, 0,
     "all parameters with deviations, and who decided each"},
    {"--output", "FILE", EXCITE, TEXT, AT(output), 0, 0, "the motion"},
    {"--period", "S", EXCITE, NUMBER, AT(design.period), 1.0, 1000.0, "(default 10)"},
    {"--harmonics", "N", EXCITE, COUNT, AT(design.harmonics), 2.0, DESIGN_HARMONICS,
     "of the period, in every joint (default 6, at most 12)"},
    {"--aim", "NAME", EXCITE, AIM, AT(design.aim), 0, 0,
     "information (default): log det, the most; condition: (154)\n"
     "of the thesis, condition number and least singular value,\n"
     "the least"},
    {"--acceleration", "A", EXCITE, NUMBER, AT(design.acceleration), 1e-3, 1e4,
     "limit of every joint, rad/s^2 (default 20)"},
    {"--limits", "SHARE", EXCITE, NUMBER, AT(design.share), 0.01, 1.0,
     "of the limits that may be used (default 0.9)"},
    {"--seconds", "S", EXCITE, NUMBER, AT(design.seconds), 0.0, 3600.0,
     "of processor time to search (default 20)"},
    {"--ground", "Z", EXCITE, NUMBER, AT(clearance.ground), -100.0, 100.0,
     "m above the base's origin; without it there is none"},
    {"--clearance", "M", EXCITE, NUMBER, AT(clearance.margin), 0.0, 1.0,
     "between links, and above the ground (default 0.01)"},
    {"--seed", "N", EXCITE, SEED, AT(design.seed), 0.0, 1e9, "another search (default 1)"},
    {"--loaded", "FILE", LOADS, TEXT, AT(loaded), 0, 0,
     "the log with the load, its columns as in --log"},
    {"--link", "NAME", LOADS, TEXT, AT(link), 0, 0,
     "that carries it; results are in this link's frame"},
    {"--gain-error", "SHARE", PAYLOAD, NUMBER, AT(gain_error), 1e-6, 10.0,
     "of the torque sensors, one standard deviation (default\n0.01)"},
    {"--mass", "KG", GAINS, NUMBER, AT(mass), 1e-6, 1e4, "of the load"},
    {"--com", "X,Y,Z", GAINS, VECTOR, AT(com), 0, 0, "its centre of mass in the link's frame, m"},
    {"--radius", "M", GAINS, NUMBER, AT(radius), 1e-3, 10.0,
     "of a ball of its moments of inertia (default 0.05)"},
    {"--gain-error", "SHARE", GAINS, NUMBER, AT(gain_error), 1e-6, 10.0,
     "of the gains as they are, one standard deviation (default\n0.3)"},
    {"--robot", "FILE", LOGS, TEXT, AT(session.robot), 0, 0,
     "the robot as URDF: what is known before (a recording has\none)"},
    {"--robot", "FILE", EXCITE, TEXT, AT(session.robot), 0, 0, "the robot as URDF"},
    {"--log", "FILE", LOGS, LOG, 0, 0, 0,
     "CSV with position and torque of every joint; again for\n"
     "more columns of the same rows. Or a recording (proprioctl\n"
     "record) and its later parts: replayed through the joint\n"
     "filter; on a floating base it is the feet's wrenches that\n"
     "are fitted"},
    {"--columns", "FILE", LOGS, TEXT, AT(session.columns), 0, 0,
     "which column is what, in what unit, as YAML (see below);\n"
     "without it columns are found by the joints' names"},
    {"--validate", "FILE", FITS, TEXT, AT(validate), 0, 0,
     "another log to judge by; without it the last part of --log"},
    {"--train", "SHARE", FITS, NUMBER, AT(fit.train_share), 0.1, 1.0,
     "of the log to fit (default 0.7; 1 with --validate)"},
    {"--method", "NAME", FIT, METHOD, AT(fit.method), 0, 0,
     "pc-irls (default), pc-wls: the global optimum, with and\n"
     "without weights against outliers; sqp, sqp-printed,\n"
     "log-cholesky: the same problem by other ways, judged by\n"
     "that optimum; wls, tls, ols: base parameters with\n"
     "deviations, of bodies that need not be possible (no URDF)"},
    {"--lambda", "NUMBER", FIT, NUMBER, AT(fit.lambda), 1e-9, 1e12,
     "how much to trust the prior (default: chosen by\n"
     "cross-validation within the part that is fitted)"},
    {"--distance", "NAME", FIT, DISTANCE, AT(fit.distance), 0, 0,
     "from the prior: pullback (default), euclidean, entropic"},
    {"--shape", "WHAT", FITS, TEXT, AT(session.shape), 0, 0,
     "where bodies' mass can be: collision (the URDF's boxes,\n"
     "cylinders and spheres), cells (its accelerometers), a table\n"
     "of cells (*.csv), or a YAML file (see below)"},
    {"--margin", "M", FITS, NUMBER, AT(session.margin), 1e-4, 1.0, "around cells (default 0.005)"},
    {"--cutoff", "HZ", LOGS, NUMBER, AT(session.motion.cutoff_hz), 0.1, 1e4,
     "of the zero-phase low-pass (default: 20 mean frequencies of\n"
     "the motion, at most 20 and a fifth of the log's rate)"},
    {"--rate", "HZ", LOGS, NUMBER, AT(session.rows.rate_hz), 0.1, 1e5,
     "rows a second after parallel decimation (default: twice\nthe cutoff)"},
    {"--standstill", "SHARE", LOGS, NUMBER, AT(session.rows.still_share), 0.0, 0.9,
     "rows below this share of a joint's greatest speed are left\nout (default 0.01)"},
    {"--up", "X,Y,Z", ALL, VECTOR, AT(session.up), 0, 0,
     "what an accelerometer on the base reads (default 0,0,9.81)"},
    {"--without", "KIND", ALL, WITHOUT, AT(session.kinds), 0, 0,
     "rotor, viscous, coulomb or offset: not identified"},
    {"--with", "KIND", FITS, WITH, AT(session.kinds), 0, 0,
     "asymmetry (viscous friction is another forwards than\n"
     "backwards) or stribeck (it falls as the joint sets off):\n"
     "identified too, told, and not in the URDF"},
    {"--allow-still", NULL, LOGS, FLAG, AT(session.motion.allow_still), 0, 0,
     "joints may stand still"},
    {"--repair", NULL, ALL, FLAG, AT(session.repair), 0, 0,
     "a body of the URDF that cannot be becomes the nearest that\ncan"},
    {"--json", NULL, ALL, FLAG, AT(json), 0, 0, "results as one JSON object"}};
enum { OPTIONS = sizeof(options_table) / sizeof(options_table[0]) };

static unsigned command_of(const char *name) {
  unsigned command = 0;
  for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
    command |= strcmp(commands[i], name) == 0 ? 1U << i : 0U;
  }
  return command;
}

/* One option, the later lines of its help below the first. */
static void print_option(const char *word, const char *value, const char *text) {
  char both[40];
  snprintf(both, sizeof(both), "%s %s", word, value != NULL ? value : "");
  printf("  %-18s ", both);
  for (const char *c = text; *c != '\0'; c++) {
    putchar(*c);
    if (*c == '\n') {
      printf("%21s", "");
    }
  }
  putchar('\n');
}

static void print_help(const char *command, const char *help) {
  const unsigned wanted = command_of(command);
  printf("%s\noptions:\n", help);
  for (size_t i = 0; i < OPTIONS; i++) {
    const struct option *o = &options_table[i];
    if ((o->commands & wanted) != 0) {
      print_option(o->word, o->value, o->help);
    }
  }
  print_option("-h, --help", NULL, "print this");
  if ((wanted & LOGS) != 0) {
    printf("\n%s", log_map_help);
  }
  if ((wanted & FITS) != 0) {
    printf("\n%s", shape_file_help);
  }
  printf("\nexit codes: 0 done, 1 a bad file or too little told: nothing is written,\n"
         "2 the command line makes no sense\n");
}

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
static bool take(struct identify_options *o, const struct option *option, const char *value) {
  void *to = (char *)o + option->at;
  double number = 0.0;
  switch (option->kind) {
  case FLAG:
    *(bool *)to = true;
    return true;
  case TEXT:
    *(const char **)to = value;
    return true;
  case LOG:
    o->session.log[o->session.n_logs < SESSION_LOGS ? o->session.n_logs : 0] = value;
    return o->session.n_logs++ < SESSION_LOGS;
  case NUMBER:
    return take_number(value, option->low, option->high, to);
  case SEED:
  case COUNT:
    if (!take_number(value, option->low, option->high, &number) || number != floor(number)) {
      return false;
    }
    if (option->kind == SEED) {
      *(unsigned *)to = (unsigned)number;
    } else {
      *(int *)to = (int)number;
    }
    return true;
  case VECTOR:
    return take_vector(value, to);
  case WITH:
    return take_kind(value, DRIVE_ASYMMETRY, DRIVE_STRIBECK, true, to);
  case WITHOUT:
    return take_kind(value, DRIVE_ROTOR, DRIVE_OFFSET, false, to);
  case METHOD:
    return take_name(value, fit_method_name, FIT_METHODS, (int *)to);
  case DISTANCE:
    return take_name(value, fit_distance_name, FIT_DISTANCES, (int *)to);
  case AIM:
    return take_name(value, design_aim_name, DESIGN_AIMS, (int *)to);
  }
  return false;
}

/* The option of this word, for this command if there is one; NULL: none has it. */
static const struct option *find_option(const char *word, unsigned command) {
  const struct option *found = NULL;
  for (size_t i = 0; i < OPTIONS; i++) {
    const struct option *o = &options_table[i];
    if (strcmp(o->word, word) == 0 && (found == NULL || (o->commands & command) != 0)) {
      found = o;
    }
  }
  return found;
}

/* The option of this command that was perhaps meant, or NULL. */
static const char *nearest_option(const char *word, unsigned command) {
  const char *nearest = NULL;
  size_t least = 4;
  for (size_t i = 0; i < OPTIONS; i++) {
    const size_t distance = word_distance(options_table[i].word, word);
    if (distance < least && (options_table[i].commands & command) != 0) {
      nearest = options_table[i].word;
      least = distance;
    }
  }
  return nearest;
}

static int refuse_word(const char *command, const char *word) {
  const char *nearest = nearest_option(word, command_of(command));
  char said[256];
  snprintf(said, sizeof(said), "%.80s%s%s%s", word, nearest == NULL ? "" : ", did you mean ",
           nearest == NULL ? "" : nearest, nearest == NULL ? "" : "?");
  return usage(command, "unknown option: ", said);
}

static bool is_option(const char *word) {
  return word[0] == '-' && word[1] == '-' && strchr(word, '=') == NULL;
}

/* Reads word i and what belongs to it; the next one's number into *i. */
static int read_word(int argc, char **argv, int *i, struct identify_options *o) {
  const char *command = argv[0], *word = argv[*i];
  const unsigned own = command_of(command);
  const struct option *option = find_option(word, own);
  char said[256];
  if (option == NULL) {
    return refuse_word(command, word);
  }
  if ((option->commands & own) == 0) {
    snprintf(said, sizeof(said), "%s is no option of %s", word, command);
    return usage(command, said, "");
  }
  const bool alone = option->kind == FLAG;
  if (!alone && (*i + 1 == argc || is_option(argv[*i + 1]))) {
    return usage(command, "a value is missing: ", word);
  }
  const char *value = alone ? "" : argv[*i + 1];
  if (!take(o, option, value)) {
    snprintf(said, sizeof(said), "%s %.80s", word, value);
    return usage(command, "not within its limits: ", said);
  }
  *i += alone ? 1 : 2;
  return IDENTIFY_OK;
}

/* What does not go together. */
static int check(const char *command, const struct identify_options *o) {
  const bool recorded = o->session.n_logs > 0 && is_recording(o->session.log[0]);
  const bool bodies = o->fit.method < FIT_WLS;
  if (o->session.robot == NULL && !recorded) {
    return usage(command, "which --robot?", "");
  }
  if (o->session.n_logs == 0 && command_of(command) != EXCITE) {
    return usage(command, "which --log?", "");
  }
  if (recorded && o->session.columns != NULL) {
    return usage(command, "a recording knows its columns: no ", "--columns");
  }
  if (o->fit.distance == FIT_ENTROPIC && o->fit.method >= FIT_SQP && bodies) {
    return usage(command, "--distance entropic is not for --method ",
                 fit_method_name[o->fit.method]);
  }
  if (o->session.shape != NULL && o->fit.distance == FIT_ENTROPIC) {
    return usage(command, "--shape is not for --distance ", "entropic");
  }
  if (!bodies && command_of(command) == FIT && o->output != NULL) {
    return usage(command, "base parameters are no bodies: no --output with --method ",
                 fit_method_name[o->fit.method]);
  }
  return IDENTIFY_OK;
}

int identify_options_read(int argc, char **argv, const char *help,
                          struct identify_options *options) {
  struct identify_options o = {.session = session_defaults(),
                               .fit = fit_defaults(),
                               .radius = 0.05,
                               .design = design_defaults(),
                               .clearance = clearance_defaults()};
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
      print_help(argv[0], help);
      return -1;
    }
  }
  const double not_told = -1.0;
  const double train = o.fit.train_share;
  o.fit.train_share = not_told;
  int read = IDENTIFY_OK;
  for (int i = 1; i < argc && read == IDENTIFY_OK;) {
    read = read_word(argc, argv, &i, &o);
  }
  if (read == IDENTIFY_OK) {
    read = check(argv[0], &o);
  }
  if (read != IDENTIFY_OK) {
    return read;
  }
  if (o.fit.train_share == not_told) {
    o.fit.train_share = o.validate != NULL ? 1.0 : train;
  }
  o.session.train_share = o.fit.train_share;
  *options = o;
  return IDENTIFY_OK;
}

int identify_failed(const char *command, const struct message *why) {
  fprintf(stderr, "propriod-identify %s: %s\n", command, why->text);
  return IDENTIFY_FAILED;
}
