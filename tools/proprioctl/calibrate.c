/* proprioctl calibrate: bias, scale, misalignment and mounting of every skin cell, from poses at
 * rest. */
#include "commands.h"
#include "common/file.h"
#include "configured.h"
#include "frame_source.h"
#include "robot/accelerometer_calibration.h"
#include "robot/cell_calibration.h"
#include "skin/pose_collector.h"

#include <getopt.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "usage: proprioctl calibrate [OPTION ...] --output FILE CONFIG\n"
    "\n"
    "Calibrates the accelerometers of the configured robot's skin. Take one pose\n"
    "after another and rest two seconds in each, so that every link is turned all\n"
    "around: on its back, its belly, its sides, on its head. Each rest found is\n"
    "reported. Ctrl-C, or --poses, ends collecting; then every cell is fitted, to\n"
    "an ellipsoid and its mounting where gravity came from all sides, otherwise\n"
    "with a prior that leaves alone what the poses do not show. Cells that fit\n"
    "badly are named and left uncalibrated. The table goes to FILE in one step;\n"
    "name it in the configuration: robot.calibration.\n"
    "\n"
    "options:\n"
    "  -o, --output FILE     table to write\n"
    "      --recording FILE  frames from a recording instead of the running robot\n"
    "      --poses N         end after N poses (default 24)\n"
    "      --rest S          rest that makes a pose (default 1)\n"
    "      --limit M/S2      residual above which a cell is left uncalibrated\n"
    "                        (default 0.3)\n"
    "      --noise M/S2      of a mean reading, for the prior (default 0.05)\n"
    "  -h, --help            print this\n"
    "\n"
    "exit codes: 0 done, 1 too few poses, a bad file or robot, 2 the command line\n"
    "makes no sense, 3 no daemon or no frames, 4 this user may not\n";

struct options {
  const char *config, *output, *recording;
  double rest_s, limit, noise;
  size_t poses;
};

/* What became of the cells. */
struct outcome {
  size_t ellipsoid, prior, rejected, silent;
  double before, after; /* sums of squares over the calibrated cells */
};

static volatile sig_atomic_t ended;

static void end(int signal_number) {
  (void)signal_number;
  ended = 1;
}

static int read_options(int argc, char **argv, struct options *options) {
  static const struct option long_options[] = {
      {"output", required_argument, NULL, 'o'}, {"recording", required_argument, NULL, 'r'},
      {"poses", required_argument, NULL, 'p'},  {"rest", required_argument, NULL, 's'},
      {"limit", required_argument, NULL, 'l'},  {"noise", required_argument, NULL, 'n'},
      {"help", no_argument, NULL, 'h'},         {NULL, 0, NULL, 0}};
  double poses = 24.0;
  bool good = true;
  *options = (struct options){.rest_s = 1.0, .limit = 0.3, .noise = 0.05};
  optind = 1;
  for (int option; good && (option = getopt_long(argc, argv, "o:h", long_options, NULL)) != -1;) {
    switch (option) {
    case 'o':
      options->output = optarg;
      break;
    case 'r':
      options->recording = optarg;
      break;
    case 'p':
      good = number_option(optarg, 2.0, CALIBRATION_MAX_POSES, &poses);
      break;
    case 's':
      good = number_option(optarg, 0.05, 60.0, &options->rest_s);
      break;
    case 'l':
      good = number_option(optarg, 1e-3, 10.0, &options->limit);
      break;
    case 'n':
      good = number_option(optarg, 1e-4, 10.0, &options->noise);
      break;
    case 'h':
      fputs(help, stdout);
      return -1;
    default:
      return option_error("calibrate", argv);
    }
  }
  options->poses = (size_t)poses;
  if (!good) {
    return usage_error("calibrate", "'%s' is not within the option's range", optarg);
  }
  if (optind + 1 != argc || options->output == NULL) {
    return usage_error("calibrate", options->output == NULL ? "--output FILE is needed"
                                                            : "which configuration?");
  }
  options->config = argv[optind];
  return CTL_OK;
}

static bool collector_create(struct pose_collector *collector, const struct robot *robot,
                             const struct options *options, void **memory) {
  struct pose_collector_settings settings = pose_collector_defaults();
  settings.rest_s = options->rest_s;
  settings.max_poses = options->poses;
  struct arena arena = {0};
  if (pose_collector_init(collector, robot, &settings, &arena) != STATUS_OK) {
    return false;
  }
  *memory = aligned_alloc(ARENA_ALIGN, arena.used);
  if (*memory == NULL) {
    return false;
  }
  arena = arena_over(*memory, arena.used);
  return pose_collector_init(collector, robot, &settings, &arena) == STATUS_OK;
}

static void collect(struct pose_collector *collector, struct frame_source *source) {
  const struct sensor_frame *frame;
  signal(SIGINT, end);
  if (frame_source_is_live(source)) {
    fprintf(stderr, "take a pose and rest in it; Ctrl-C when done\n");
  }
  while (!ended && collector->n_poses < collector->settings.max_poses &&
         (frame = frame_source_next(source)) != NULL) {
    if (pose_collector_step(collector, frame)) {
      fprintf(stderr, "pose %zu of %zu%s\n", collector->n_poses, collector->settings.max_poses,
              frame_source_is_live(source) ? ": now another one" : "");
    }
  }
  signal(SIGINT, SIG_DFL);
}

/* The ellipsoid where the poses allow it, the prior where they do not. */
static enum status fit(const struct pose_collector *collector, size_t cell, double noise,
                       struct accelerometer_calibration *out, struct calibration_quality *quality,
                       bool *by_prior) {
  const vec3 *raw = collector->raw + cell * collector->settings.max_poses;
  const vec3 *expected = collector->expected + cell * collector->settings.max_poses;
  const size_t n = collector->n_valid[cell];
  const struct calibration_prior prior = {.bias = 1.0, .matrix = 0.1, .noise = noise};
  *by_prior = false;
  const enum status status = accelerometer_fit_ellipsoid(raw, expected, n, out, quality);
  if (status == STATUS_OK || status == STATUS_NOT_FINITE) {
    return status;
  }
  *by_prior = true;
  return accelerometer_fit_with_prior(raw, expected, n, &prior, out, quality);
}

static void fit_cell(const struct pose_collector *collector, size_t k,
                     const struct options *options, FILE *table, struct outcome *outcome) {
  const char *name = collector->robot->cell[k].name;
  struct accelerometer_calibration calibration;
  struct calibration_quality quality;
  bool by_prior;
  if (collector->n_valid[k] < 2 ||
      fit(collector, k, options->noise, &calibration, &quality, &by_prior) != STATUS_OK) {
    fprintf(stderr, "%s: no readings to fit (%zu poses); left uncalibrated\n", name,
            collector->n_valid[k]);
    outcome->silent++;
    return;
  }
  if (!(quality.residual_after < options->limit)) {
    fprintf(stderr, "%s: %.2f m/s^2 remain, at most %.2f are allowed; left uncalibrated\n", name,
            quality.residual_after, options->limit);
    outcome->rejected++;
    return;
  }
  char line[512];
  cell_calibration_print(name, &calibration, line, sizeof(line));
  fputs(line, table);
  *(by_prior ? &outcome->prior : &outcome->ellipsoid) += 1;
  outcome->before += quality.residual_before * quality.residual_before;
  outcome->after += quality.residual_after * quality.residual_after;
}

static int write_table(const struct pose_collector *collector, const struct options *options) {
  struct outcome outcome = {0};
  struct message error;
  char *text = NULL;
  size_t size = 0;
  FILE *table = open_memstream(&text, &size);
  if (table == NULL) {
    return CTL_FAILED;
  }
  fputs(cell_calibration_header, table);
  for (size_t k = 0; k < collector->robot->n_cells; k++) {
    fit_cell(collector, k, options, table, &outcome);
  }
  fclose(table);
  const size_t good = outcome.ellipsoid + outcome.prior;
  const enum status status =
      good > 0 ? file_write(options->output, text, size, 0644, &error) : STATUS_TOO_FEW;
  free(text);
  if (status != STATUS_OK) {
    fprintf(stderr, "%s\n",
            good > 0 ? error.text : "no cell could be calibrated; nothing was written");
    return CTL_FAILED;
  }
  printf("%zu poses: %zu cells by ellipsoid, %zu with the prior, %zu rejected, %zu silent\n",
         collector->n_poses, outcome.ellipsoid, outcome.prior, outcome.rejected, outcome.silent);
  printf("residual against gravity: %.3f m/s^2 before, %.3f after\n",
         sqrt(outcome.before / (double)good), sqrt(outcome.after / (double)good));
  if (outcome.prior > 0) {
    printf("%zu cells saw gravity from too few sides (at least %d poses all around are needed): "
           "what they did not see "
           "stays nominal\n",
           outcome.prior, CALIBRATION_MIN_POSES);
  }
  return CTL_OK;
}

static int calibrate(const struct generation *generation, const struct options *options) {
  struct frame_source *source = NULL;
  struct pose_collector collector;
  void *memory = NULL;
  if (generation->robot->n_cells == 0) {
    fprintf(stderr, "%s: the robot has no skin cells\n", options->config);
    return CTL_FAILED;
  }
  int result = frame_source_open(&source, generation, options->recording);
  if (result == CTL_OK && !collector_create(&collector, generation->robot, options, &memory)) {
    fprintf(stderr, "no memory for %zu poses\n", options->poses);
    result = CTL_FAILED;
  }
  if (result == CTL_OK) {
    collect(&collector, source);
    if (collector.n_poses < 2) {
      fprintf(stderr,
              "%zu poses found, at least 2 are needed and %d for a full calibration: let the robot "
              "rest for %g s "
              "in poses that differ\n",
              collector.n_poses, CALIBRATION_MIN_POSES, options->rest_s);
      result = CTL_FAILED;
    } else {
      result = write_table(&collector, options);
    }
  }
  frame_source_close(source);
  free(memory);
  return result;
}

int run_calibrate(int argc, char **argv) {
  struct options options;
  const int result = read_options(argc, argv, &options);
  if (result != CTL_OK) {
    return result < 0 ? CTL_OK : result;
  }
  struct generation *generation = configured(options.config);
  if (generation == NULL) {
    return CTL_FAILED;
  }
  const int done = calibrate(generation, &options);
  generation_free(generation);
  return done;
}
