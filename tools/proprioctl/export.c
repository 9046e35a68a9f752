/* proprioctl export: a recording, and what is estimated from it, for other tools. */
#include "exchange/exporter.h"

#include "commands.h"
#include "recording/mcap_leftover.h"

#include <getopt.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char help[] =
    "usage: proprioctl export [OPTION ...] RECORDING [CONFIG]\n"
    "\n"
    "Writes what a recording holds, and what the estimators make of it, for other\n"
    "tools: with the configuration that is in the recording, or with CONFIG. Into\n"
    "several files at once when several are named. A file gets its name when it is\n"
    "whole.\n"
    "\n"
    "options:\n"
    "      --mcap FILE   for Foxglove, PlotJuggler and ROS 2: joint states, IMU,\n"
    "                    wrenches, odometry, transforms and the robot's URDF as ROS 2\n"
    "                    messages, state and centroidal as JSON; without the skin\n"
    "      --csv FOLDER  a file for each series; names in the first line, units in\n"
    "                    the second\n"
    "      --npz FILE    for numpy.load: SERIES/ARRAY, SERIES/t_ns, about.json\n"
    "      --mat FILE    for MATLAB and Octave: a struct for each series\n"
    "      --only NAME   this series, again for more: joints, imu, skin, wrench,\n"
    "                    state, centroidal\n"
    "      --raw         what was measured; nothing is estimated\n"
    "      --from S      seconds of the recording from where on rows are written\n"
    "      --to S        and up to where\n"
    "  -h, --help        print this\n"
    "\n"
    "Time is CLOCK_MONOTONIC, in MCAP the time of day where the recording knows it.\n"
    "\n"
    "exit codes: 0 done, 1 a bad file or robot, 2 the command line makes no sense\n";

enum { OPTION_MCAP = 256, OPTION_CSV, OPTION_NPZ, OPTION_MAT, ONLY, RAW, FROM, TO };

static bool add_sink(struct exporter *exporter, int option, const char *path) {
  const struct sink_format *const format[] = {&mcap_format, &csv_format, &npz_format, &mat_format};
  if (exporter->n_sinks == MOST_SINKS) {
    return false;
  }
  exporter->format[exporter->n_sinks] = format[option - OPTION_MCAP];
  exporter->to[exporter->n_sinks++] = path;
  return true;
}

static bool add_series(struct exporter *exporter, const char *name) {
  static const char *const names[SERIES_KINDS] = {"joints", "imu",   "skin",
                                                  "wrench", "state", "centroidal"};
  for (int kind = 0; kind < SERIES_KINDS; kind++) {
    if (strcmp(name, names[kind]) == 0) {
      exporter->only |= 1u << kind;
      return true;
    }
  }
  return false;
}

static bool take(struct exporter *exporter, int option) {
  const double longest = 1e7; /* seconds */
  switch (option) {
  case ONLY:
    return add_series(exporter, optarg);
  case RAW:
    exporter->results = false;
    return true;
  case FROM:
    return number_option(optarg, 0.0, longest, &exporter->from_s);
  case TO:
    return number_option(optarg, 0.0, longest, &exporter->to_s);
  default:
    return add_sink(exporter, option, optarg);
  }
}

/* An exit code, or -1 when help was asked for. */
static int read_order(int argc, char **argv, struct exporter *exporter) {
  static const struct option options[] = {
      {"mcap", required_argument, NULL, OPTION_MCAP},
      {"csv", required_argument, NULL, OPTION_CSV},
      {"npz", required_argument, NULL, OPTION_NPZ},
      {"mat", required_argument, NULL, OPTION_MAT},
      {"only", required_argument, NULL, ONLY},
      {"raw", no_argument, NULL, RAW},
      {"from", required_argument, NULL, FROM},
      {"to", required_argument, NULL, TO},
      {"help", no_argument, NULL, 'h'},
      {NULL, 0, NULL, 0},
  };
  *exporter = (struct exporter){.results = true, .progress = isatty(STDERR_FILENO) == 1};
  optind = 1;
  for (int option; (option = getopt_long(argc, argv, "h", options, NULL)) != -1;) {
    if (option == 'h') {
      fputs(help, stdout);
      return -1;
    }
    if (option == '?') {
      return option_error("export", argv);
    }
    if (!take(exporter, option)) {
      return usage_error("export", "'%s' makes no sense there", optarg);
    }
  }
  if (optind == argc || optind + 2 < argc) {
    return usage_error("export", optind == argc ? "which recording?" : "'%s' is one word too many",
                       argv[argc - 1]);
  }
  exporter->path = argv[optind];
  exporter->config = argv[optind + 1]; /* NULL at the end */
  return exporter->n_sinks > 0 ? CTL_OK : usage_error("export", "into which file?");
}

/* Nobody shall wonder what lies beside the recording. */
static void tell_leftover(const char *path) {
  char part[PATH_MAX];
  if (mcap_leftover_beside(path, part, sizeof(part))) {
    fprintf(stderr, "%s was not finished by a daemon that was killed; %s has all of it\n", part,
            path);
  }
}

static void print_count(const struct exporter_count *count) {
  static const char *const names[SERIES_KINDS] = {"joints", "imu",   "skin",
                                                  "wrench", "state", "centroidal"};
  bool first = true;
  for (int kind = 0; kind < SERIES_KINDS; kind++) {
    if (count->rows[kind] > 0) {
      printf("%s%" PRIu64 " rows of %s", first ? "" : ", ", count->rows[kind], names[kind]);
      first = false;
    }
  }
  printf("%s\n", first ? "no rows" : "");
  if (count->lost > 0) {
    printf("in %" PRIu64 " places of the recording something is missing\n", count->lost);
  }
}

int run_export(int argc, char **argv) {
  struct exporter exporter;
  struct message error = {.text = "out of memory"};
  const int order = read_order(argc, argv, &exporter);
  if (order != CTL_OK) {
    return order < 0 ? CTL_OK : order;
  }
  struct exporter_count count;
  const bool done = exporter_open(&exporter, &error) == STATUS_OK &&
                    exporter_run(&exporter, &count, &error) == STATUS_OK;
  if (done) {
    print_count(&count);
    tell_leftover(exporter.path);
  } else {
    fprintf(stderr, "%s\n", error.text);
  }
  exporter_close(&exporter);
  return done ? CTL_OK : CTL_FAILED;
}
