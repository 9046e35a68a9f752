/* proprioctl replay: the estimators on recorded sensor frames, offline and as fast as they go. */
#include "replay.h"

#include "checksum.h"
#include "commands.h"
#include "common/clock.h"
#include "common/version.h"
#include "describe.h"
#include "recording/result_digest.h"
#include "replay/result_columns.h"
#include "skin/cell_health.h"

#include <getopt.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char help[] =
    "usage: proprioctl replay [OPTION ...] FILE ...\n"
    "       proprioctl replay [OPTION ...] --recording FILE CONFIG\n"
    "\n"
    "Runs the estimators over a recording (proprioctl record, propriod-sim --record),\n"
    "with the configuration that is in it, and says whether they give the bits that\n"
    "were published, how often each status held, what the filter counted, how the\n"
    "cells are, and what a step took. Several files are parts of one recording.\n"
    "\n"
    "options:\n"
    "  -r, --recording FILE  the same as FILE, before a CONFIG\n"
    "      --config CONFIG   with this configuration instead of the recorded one\n"
    "      --compare CONFIG  with both: which quantities differ, from when on, by how\n"
    "                        much\n"
    "  -o, --output FILE     every number that would be published as CSV, a line per\n"
    "                        cycle\n"
    "  -c, --checksum        a line per published number with a checksum of all its\n"
    "                        values, instead of the summary: what differs between two\n"
    "                        versions or two machines, and what is equal to the bit\n"
    "      --into-segment NAME\n"
    "                        plays the sensors into the shared memory of a running\n"
    "                        propriod, as their drivers did\n"
    "      --publish PATH    publishes on this Unix socket what is estimated, as\n"
    "                        propriod does, for top, echo and whoever else listens\n"
    "                        (--endpoint ipc://PATH)\n"
    "      --pace X          so many times as fast (1)\n"
    "  -h, --help            print this\n"
    "\n"
    "exit codes: 0 done, and the bits are the published ones, or it is said why they\n"
    "cannot be; 1 they are not, or a bad file or robot; 2 the command line makes no\n"
    "sense\n";

enum { STATUSES = PROPRIOD_STATUS_STALE + 1 };

struct replay {
  const struct replay_order *order;
  struct replayer *replayer;
  FILE *csv;
  struct result_columns columns;
  struct checksums *sums; /* NULL: not wanted */
  uint64_t frames, with_status[STATUSES];
  double *took_us; /* [capacity] */
  size_t capacity;
};

enum { OPTION_CONFIG = 256, OPTION_COMPARE, OPTION_SEGMENT, OPTION_PUBLISH, OPTION_PACE };

/* A negative result: help was asked for. */
static int read_options(int argc, char **argv, struct replay_order *order, const char **old) {
  static const struct option options[] = {{"recording", required_argument, NULL, 'r'},
                                          {"output", required_argument, NULL, 'o'},
                                          {"checksum", no_argument, NULL, 'c'},
                                          {"config", required_argument, NULL, OPTION_CONFIG},
                                          {"compare", required_argument, NULL, OPTION_COMPARE},
                                          {"into-segment", required_argument, NULL, OPTION_SEGMENT},
                                          {"publish", required_argument, NULL, OPTION_PUBLISH},
                                          {"pace", required_argument, NULL, OPTION_PACE},
                                          {"help", no_argument, NULL, 'h'},
                                          {NULL, 0, NULL, 0}};
  optind = 1;
  for (int option; (option = getopt_long(argc, argv, "r:o:ch", options, NULL)) != -1;) {
    switch (option) {
    case 'r':
      *old = optarg;
      break;
    case 'o':
      order->output = optarg;
      break;
    case 'c':
      order->checksum = true;
      break;
    case OPTION_CONFIG:
      order->plan.config = optarg;
      break;
    case OPTION_COMPARE:
      order->compare = optarg;
      break;
    case OPTION_SEGMENT:
      order->segment = optarg;
      break;
    case OPTION_PUBLISH:
      order->publish = optarg;
      break;
    case OPTION_PACE:
      if (!number_option(optarg, 0.01, 100.0, &order->pace)) {
        return usage_error("replay", "--pace %s: not within 0.01 .. 100", optarg);
      }
      break;
    case 'h':
      fputs(help, stdout);
      return -1;
    default:
      return option_error("replay", argv);
    }
  }
  return CTL_OK;
}

static int read_order(int argc, char **argv, struct replay_order *order) {
  static const char *old;
  *order = (struct replay_order){.pace = 1.0};
  old = NULL;
  const int result = read_options(argc, argv, order, &old);
  if (result != CTL_OK) {
    return result;
  }
  if (optind == argc) {
    return usage_error("replay", old == NULL ? "which recording?" : "which configuration?");
  }
  if (old == NULL) {
    order->plan.paths = (const char *const *)(argv + optind);
    order->plan.n_paths = (size_t)(argc - optind);
    return CTL_OK;
  }
  if (optind + 1 != argc || order->plan.config != NULL) {
    return usage_error("replay", "one configuration, behind --recording FILE");
  }
  order->plan.paths = &old;
  order->plan.n_paths = 1;
  order->plan.config = argv[optind];
  return CTL_OK;
}

/* A cell with a blank or a comma in it does not come: names are words. */
static void write_header(FILE *csv, const struct result_columns *columns) {
  fputs("t", csv);
  for (size_t i = 0; i < columns->n; i++) {
    fprintf(csv, ",%s", columns->column[i].name);
  }
  fputc('\n', csv);
}

/* Empty where nothing is estimated. */
static void write_line(FILE *csv, const struct result_columns *columns,
                       const struct estimates *estimates) {
  fprintf(csv, "%.9f", (double)estimates->state.t_ns * 1e-9);
  for (size_t i = 0; i < columns->n; i++) {
    const double number = result_number(columns, i, estimates);
    if (isfinite(number)) {
      fprintf(csv, ",%.9g", number);
    } else {
      fputc(',', csv);
    }
  }
  fputc('\n', csv);
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

void replay_progress(const struct replayer *replayer) {
  static int64_t next_ns;
  const int64_t now_ns = clock_now_ns();
  if (!isatty(STDERR_FILENO) || now_ns < next_ns) {
    return;
  }
  next_ns = now_ns + NS_PER_S;
  fprintf(stderr, "\r%3.0f %%\r", 100.0 * recording_progress(replayer_recording(replayer)));
}

static bool take_cycle(struct replay *replay, const struct replayed *replayed, double us) {
  replay->with_status[replayed->estimates->state.status]++;
  if (replay->csv != NULL) {
    write_line(replay->csv, &replay->columns, replayed->estimates);
  }
  return note_time(replay, us) &&
         (replay->sums == NULL ||
          checksums_add(replay->sums, replayed->pipeline, replayed->estimates));
}

static bool run(struct replay *replay, struct message *error) {
  for (;;) {
    struct recording_item item;
    struct replayed replayed;
    const int64_t start_ns = clock_now_ns();
    const enum status status = replayer_next(replay->replayer, &item, &replayed, error);
    const double us = (double)(clock_now_ns() - start_ns) * 1e-3;
    if (status != STATUS_OK) {
      return status == STATUS_OUT_OF_RANGE;
    }
    if (item.kind == RECORDING_CYCLE && !take_cycle(replay, &replayed, us)) {
      message_set(error, "out of memory");
      return false;
    }
    replay_progress(replay->replayer);
  }
}

/* How the bits compare with those that were published. True: nothing speaks against them. */
static bool print_verdict(const struct replay_verdict *v, bool own_config) {
  char topics[40];
  if (v->note.text[0] != '\0') {
    fprintf(stderr, "%s\n", v->note.text);
  }
  if (v->losses > 0) {
    printf("something is missing at %" PRIu64 " places, the first behind %.6f s\n", v->losses,
           (double)v->loss_ns * 1e-9);
  }
  if (v->compared == 0 || !own_config) {
    return true;
  }
  if (v->different == 0) {
    printf("published: the same bits in all %" PRIu64 " cycles\n", v->compared);
    return true;
  }
  digest_difference(v->first_digests[0], v->first_digests[1], topics);
  printf("published: other bits in %" PRIu64 " of %" PRIu64 " cycles, first at %.6f s in%s\n",
         v->different, v->compared, (double)v->first_ns * 1e-9, topics);
  const char *line = strchr(v->program, '\n');
  const char *recorded = line != NULL ? line + 1 : "";
  const size_t length = strcspn(recorded, "\n");
  const bool other =
      strncmp(recorded, instruction_set(), length) != 0 || instruction_set()[length] != '\0';
  if (other) {
    printf("because: recorded with instruction set %.*s, replayed with %s\n", (int)length, recorded,
           instruction_set());
  }
  char program[sizeof(v->program)];
  snprintf(program, sizeof(program), "propriod %s", propriod_version);
  const size_t name = strcspn(v->program, "\n");
  const bool version = strlen(program) != name || strncmp(v->program, program, name) != 0;
  if (version) {
    printf("because: recorded by %.*s, replayed by %s\n", (int)name, v->program, program);
  }
  if (!v->from_start) {
    printf("because: it begins after the daemon did, whose estimators knew more\n");
  }
  if (v->losses > 0 && v->first_ns > v->loss_ns) {
    printf("because: cycles are missing before\n");
  }
  return other || version || !v->from_start || (v->losses > 0 && v->first_ns > v->loss_ns);
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

static int open_outputs(struct replay *replay) {
  const struct replay_order *order = replay->order;
  const struct generation *generation = replayer_generation(replay->replayer);
  if (order->output != NULL) {
    replay->csv = fopen(order->output, "w");
    if (replay->csv == NULL) {
      perror(order->output);
      return CTL_FAILED;
    }
    if (result_columns_init(&replay->columns, generation->robot,
                            &generation->settings.pipeline.inertial) != STATUS_OK) {
      return CTL_FAILED;
    }
    write_header(replay->csv, &replay->columns);
  }
  replay->sums = order->checksum ? checksums_new() : NULL;
  return !order->checksum || replay->sums != NULL ? CTL_OK : CTL_FAILED;
}

static int replay_all(struct replay *replay) {
  struct message error = {""};
  int result = open_outputs(replay);
  if (result == CTL_OK && !run(replay, &error)) {
    fprintf(stderr, "proprioctl replay: %s\n", error.text);
    result = CTL_FAILED;
  }
  if (result == CTL_OK && replay->frames == 0) {
    fprintf(stderr, "%s: no frames\n", replay->order->plan.paths[0]);
    result = CTL_FAILED;
  }
  if (result == CTL_OK && replay->sums != NULL) {
    checksums_print(stdout, replay->sums);
  } else if (result == CTL_OK) {
    print_summary(replay, replayer_generation(replay->replayer)->pipeline);
    result = print_verdict(replayer_verdict(replay->replayer), replay->order->plan.config == NULL)
                 ? CTL_OK
                 : CTL_FAILED;
  }
  if (replay->csv != NULL && fclose(replay->csv) != 0) {
    perror(replay->order->output);
    result = CTL_FAILED;
  }
  return result;
}

static int replay_once(const struct replay_order *order) {
  struct replay replay = {.order = order};
  struct message error;
  if (replayer_open(&replay.replayer, &order->plan, &error) != STATUS_OK) {
    fprintf(stderr, "%s\n", error.text);
    return CTL_FAILED;
  }
  const int result = replay_all(&replay);
  replayer_close(replay.replayer);
  checksums_free(replay.sums);
  result_columns_free(&replay.columns);
  free(replay.took_us);
  return result;
}

int run_replay(int argc, char **argv) {
  struct replay_order order;
  const int result = read_order(argc, argv, &order);
  if (result != CTL_OK) {
    return result < 0 ? CTL_OK : result;
  }
  if (order.segment != NULL) {
    return replay_into_segment(&order);
  }
  if (order.publish != NULL) {
    return replay_to_subscribers(&order);
  }
  return order.compare != NULL ? replay_compare(&order) : replay_once(&order);
}
