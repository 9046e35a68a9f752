/* proprioctl replay: the estimators on recorded sensor frames, offline and as fast as they go. */
#include "checksum.h"
#include "commands.h"
#include "common/clock.h"
#include "configured.h"
#include "cycle/realtime.h"
#include "frame_source.h"
#include "skin/cell_health.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "usage: proprioctl replay [--output FILE] [--checksum] --recording FILE CONFIG\n"
    "\n"
    "Runs the configured estimators over recorded sensor frames (propriod-sim\n"
    "--record) and says how they fared: how often each status held, what the filter\n"
    "counted, how the cells are, and what a step took.\n"
    "\n"
    "options:\n"
    "  -r, --recording FILE  frames to run over\n"
    "  -o, --output FILE     joints and centre of mass as CSV, a line per frame\n"
    "  -c, --checksum        a line per published number with a checksum of all its\n"
    "                        values, instead of the summary: what differs between two\n"
    "                        versions or two machines, and what is equal to the bit\n"
    "  -h, --help            print this\n"
    "\n"
    "exit codes: 0 done, 1 a bad file or robot, 2 the command line makes no sense\n";

enum { STATUSES = PROPRIOD_STATUS_STALE + 1 };

struct replay {
  const char *config, *recording, *output;
  bool checksum;
  FILE *csv;
  struct checksums *sums; /* NULL: not wanted */
  uint64_t frames, with_status[STATUSES];
  double *took_us; /* [capacity] */
  size_t capacity;
};

static int read_order(int argc, char **argv, struct replay *replay) {
  static const struct option options[] = {{"recording", required_argument, NULL, 'r'},
                                          {"output", required_argument, NULL, 'o'},
                                          {"checksum", no_argument, NULL, 'c'},
                                          {"help", no_argument, NULL, 'h'},
                                          {NULL, 0, NULL, 0}};
  *replay = (struct replay){0};
  optind = 1;
  for (int option; (option = getopt_long(argc, argv, "r:o:ch", options, NULL)) != -1;) {
    switch (option) {
    case 'r':
      replay->recording = optarg;
      break;
    case 'o':
      replay->output = optarg;
      break;
    case 'c':
      replay->checksum = true;
      break;
    case 'h':
      fputs(help, stdout);
      return -1;
    default:
      return option_error("replay", argv);
    }
  }
  if (optind + 1 != argc || replay->recording == NULL) {
    return usage_error("replay", replay->recording == NULL ? "--recording FILE is needed"
                                                           : "which configuration?");
  }
  replay->config = argv[optind];
  return CTL_OK;
}

static void write_header(FILE *csv, const struct model *model) {
  static const char *const kind[] = {"q", "dq", "ddq"};
  fputs("t", csv);
  for (size_t k = 0; k < 3; k++) {
    for (size_t j = 0; j < model->n_joints; j++) {
      fprintf(csv, ",%s_%s", kind[k], model->joint[j].name);
    }
  }
  fputs(",com_x,com_y,com_z,com_vx,com_vy,com_vz\n", csv);
}

static void write_line(FILE *csv, const struct estimates *e) {
  const double *const array[] = {e->state.q, e->state.dq, e->state.ddq};
  fprintf(csv, "%.9f", (double)e->state.t_ns * 1e-9);
  for (size_t k = 0; k < 3; k++) {
    for (uint32_t j = 0; j < e->state.n_joints; j++) {
      fprintf(csv, ",%.9g", array[k][j]);
    }
  }
  const vec3 c = e->centroidal.com_position, v = e->centroidal.com_velocity;
  fprintf(csv, ",%.9g,%.9g,%.9g,%.9g,%.9g,%.9g\n", c.x, c.y, c.z, v.x, v.y, v.z);
}

static bool note_time(struct replay *replay, double us) {
  if (replay->frames == replay->capacity) {
    replay->capacity = replay->capacity == 0 ? 1 << 16 : 2 * replay->capacity;
    double *more = realloc(replay->took_us, replay->capacity * sizeof(double));
    if (more == NULL) {
      return false;
    }
    replay->took_us = more;
  }
  replay->took_us[replay->frames++] = us;
  return true;
}

static bool run(struct replay *replay, struct frame_source *source, struct pipeline *pipeline) {
  static struct estimates estimates;
  const struct sensor_frame *frame;
  denormals_become_zero(); /* as in the daemon's cycle */
  while ((frame = frame_source_next(source)) != NULL) {
    const int64_t start_ns = clock_now_ns();
    pipeline_step(pipeline, frame, &estimates);
    if (!note_time(replay, (double)(clock_now_ns() - start_ns) * 1e-3)) {
      return false;
    }
    replay->with_status[estimates.state.status]++;
    if (replay->csv != NULL) {
      write_line(replay->csv, &estimates);
    }
    if (replay->sums != NULL && !checksums_add(replay->sums, pipeline, &estimates)) {
      return false;
    }
  }
  return true;
}

static int by_value(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void print_summary(struct replay *replay, const struct pipeline *pipeline) {
  static const char *const name[STATUSES] = {"init", "ok", "degraded", "diverged", "stale"};
  const struct joint_filter_counters *f = pipeline_counters(pipeline);
  const struct cell_health *cells = pipeline_cells(pipeline);
  const uint64_t n = replay->frames;
  printf("%" PRIu64 " frames:", n);
  for (int s = 0; s < STATUSES; s++) {
    printf(" %s %.1f %%%s", name[s], 100.0 * (double)replay->with_status[s] / (double)n,
           s + 1 < STATUSES ? "," : "\n");
  }
  printf("filter: %" PRIu64 " updates, %" PRIu64 " replayed, %" PRIu64 " late, %" PRIu64
         " duplicates, %" PRIu64 " jumps, %" PRIu64 " resets, %" PRIu64 " repairs\n",
         f->updates, f->replays, f->late_dropped, f->duplicates, f->jumps, f->resets, f->repairs);
  printf("left out: %" PRIu64 " encoder readings, %" PRIu64 " of the IMU, %" PRIu64
         " of links, %" PRIu64 " of cells\n",
         f->encoder_rejected, f->imu_rejected, f->link_rejected, f->cell_rejected);
  printf("cells:");
  for (int s = 0; s < CELL_STATES; s++) {
    printf(" %zu %s%s", cells->count[s], cell_state_text((enum cell_state)s),
           s + 1 < CELL_STATES ? "," : "\n");
  }
  qsort(replay->took_us, n, sizeof(double), by_value);
  double sum = 0.0;
  for (uint64_t i = 0; i < n; i++) {
    sum += replay->took_us[i];
  }
  printf("a step took %.0f us on average, median %.0f, p99 %.0f, at most %.0f\n", sum / (double)n,
         replay->took_us[n / 2], replay->took_us[n * 99 / 100], replay->took_us[n - 1]);
}

static int replay_all(struct replay *replay, const struct generation *generation) {
  struct frame_source *source = NULL;
  int result = frame_source_open(&source, generation, replay->recording);
  if (result == CTL_OK && replay->output != NULL) {
    replay->csv = fopen(replay->output, "w");
    if (replay->csv == NULL) {
      perror(replay->output);
      result = CTL_FAILED;
    } else {
      write_header(replay->csv, &generation->robot->model);
    }
  }
  if (result == CTL_OK && replay->checksum) {
    replay->sums = checksums_new();
    result = replay->sums != NULL ? CTL_OK : CTL_FAILED;
  }
  if (result == CTL_OK) {
    const bool whole = run(replay, source, generation->pipeline);
    if (!whole || replay->frames == 0) {
      fprintf(stderr, "%s: %s\n", replay->recording, whole ? "no frames" : "out of memory");
      result = CTL_FAILED;
    } else if (replay->sums != NULL) {
      checksums_print(stdout, replay->sums);
    } else {
      print_summary(replay, generation->pipeline);
    }
  }
  if (replay->csv != NULL && fclose(replay->csv) != 0) {
    perror(replay->output);
    result = CTL_FAILED;
  }
  frame_source_close(source);
  checksums_free(replay->sums);
  free(replay->took_us);
  return result;
}

int run_replay(int argc, char **argv) {
  struct replay replay;
  const int result = read_order(argc, argv, &replay);
  if (result != CTL_OK) {
    return result < 0 ? CTL_OK : result;
  }
  struct generation *generation = configured(replay.config);
  if (generation == NULL) {
    return CTL_FAILED;
  }
  const int done = replay_all(&replay, generation);
  generation_free(generation);
  return done;
}
