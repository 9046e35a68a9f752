/* propriod-sim: a simulated robot in place of the real one's drivers. */
#include "common/clock.h"
#include "common/version.h"
#include "describe.h"
#include "recording/recording_writer.h"
#include "replay/feed.h"
#include "settings/settings.h"
#include "sim.h"
#include "sim_arguments.h"
#include "stock_robot.h"
#include "truth_log.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { EXIT_USAGE = 2 };

static const int64_t ns_per_s = 1000000000;
static const int64_t hopeless_ns = 500000000; /* this far behind the wall clock, give the gap up */
static const int64_t status_ns = 100000000;   /* between two status lines */

static const double endless_s = 1e6; /* eleven days: until somebody ends it */

static volatile sig_atomic_t stop;

static void on_signal(int signal) {
  (void)signal;
  stop = 1;
}

/* Everything that a run needs, taken in order and freed together. */
struct run {
  struct sim_arguments arguments;
  struct settings settings; /* only its robot and segment */
  struct stock_robot stock;
  struct sim *sim;
  struct truth_log *truth;
  struct recording_writer *record;
  struct robot_texts texts; /* of a configured robot */
  struct feed feed;
  int64_t begin_ns; /* instant of the first frame */
  int64_t next_status_ns;
  uint64_t frames, gaps; /* simulated; times given up catching up with the clock */
};

static bool fail(const struct message *error) {
  fprintf(stderr, "propriod-sim: %s\n", error->text);
  return false;
}

/* -- beginning -------------------------------------------------------------------------------- */

static bool load_configured(struct run *run, const char *file) {
  struct settings_report report;
  struct message error;
  if (settings_load(file, NULL, &run->settings, &report) != STATUS_OK) {
    settings_print_errors(stderr, &report);
    return false;
  }
  snprintf(run->stock.urdf, sizeof(run->stock.urdf), "%s", run->settings.robot.urdf);
  run->settings.robot.choices.inertia = URDF_INERTIA_GIVEN; /* a body that moves weighs something */
  return robot_load_with_texts(&run->settings.robot, "", &run->stock.robot, &run->texts, NULL,
                               &error) == STATUS_OK ||
         fail(&error);
}

static bool load_stock(struct run *run, const char *name) {
  static const char *const folders[] = {"config/robots", "/etc/propriod/robots"};
  const char *folder = run->arguments.folder;
  for (size_t i = 0; folder == NULL && i < sizeof(folders) / sizeof(folders[0]); i++) {
    folder = access(folders[i], R_OK) == 0 ? folders[i] : NULL;
  }
  struct message error;
  settings_defaults(&run->settings);
  if (stock_robot_settings(name, &run->settings.robot) != STATUS_OK) {
    fprintf(stderr, "propriod-sim: --robot %s: unknown; --help names them\n", name);
    return false;
  }
  return stock_robot_load(name, folder != NULL ? folder : folders[0], &run->stock, &error) ==
             STATUS_OK ||
         fail(&error);
}

static bool load_robot(struct run *run) {
  const struct sim_arguments *arguments = &run->arguments;
  if (arguments->robot_name != NULL) {
    return load_stock(run, arguments->robot_name);
  }
  return load_configured(run, arguments->config != NULL ? arguments->config : SIM_DEFAULT_CONFIG);
}

static void to_record(void *context, const char *name, const void *bytes, size_t size) {
  recording_add_text(context, 1, name, bytes, size);
}

/* With --config it needs nothing beside it; a stock robot has no settings. */
static bool create_record(struct run *run, struct message *error) {
  const struct robot *robot = run->stock.robot;
  const struct recording_header header = {
      .count = {(uint32_t)robot->model.n_joints, 1 + (uint32_t)robot->n_limbs,
                (uint32_t)robot->n_cells, (uint32_t)(robot->n_wrench + robot->n_switches)},
      .model_hash = robot->model_hash};
  unlink(run->arguments.record);
  if (recording_create(&run->record, run->arguments.record, &header, 1, error) != STATUS_OK) {
    return false;
  }
  if (run->texts.urdf != NULL) {
    describe(&run->settings, &run->texts, to_record, run->record);
  }
  return true;
}

static bool begin(struct run *run) {
  struct sim_arguments *arguments = &run->arguments;
  struct message error = {""};
  if (!load_robot(run)) {
    return false;
  }
  arguments->options.robot = run->stock.robot;
  arguments->options.urdf_path = run->stock.urdf;
  arguments->options.t0_ns = 0;
  if (!arguments->headless && arguments->options.duration_s <= 0.0) {
    arguments->options.duration_s = endless_s;
  }
  if (run->stock.robot->fixed_base && !sim_scenario_holds_base(arguments->options.scenario)) {
    fprintf(stderr, "propriod-sim: robot %s is bolted down and cannot %s; --list shows what can\n",
            run->stock.robot->model.name, arguments->options.scenario);
    return false;
  }
  if (sim_create(&run->sim, &arguments->options, &error) != STATUS_OK ||
      (arguments->truth != NULL &&
       truth_log_create(&run->truth, arguments->truth, run->stock.robot, &error) != STATUS_OK) ||
      (arguments->record != NULL && !create_record(run, &error))) {
    return fail(&error);
  }
  const bool has_imu = !run->stock.robot->fixed_base || run->settings.robot.imu[0] != '\0';
  const struct robot *robot = run->stock.robot;
  const uint32_t imus = has_imu ? 1 + (uint32_t)robot->n_limbs : 0;
  const uint32_t count[PROPRIOD_SHM_STREAMS] = {(uint32_t)robot->joints.count, imus,
                                                (uint32_t)robot->n_cells,
                                                (uint32_t)(robot->n_wrench + robot->n_switches)};
  feed_init(&run->feed,
            arguments->segment != NULL ? arguments->segment : run->settings.input.segment, count);
  run->feed.joints = &robot->joints;
  run->feed.n_joints = robot->model.n_joints;
  return true;
}

/* -- running ---------------------------------------------------------------------------------- */

static const char *name_of(const struct run *run) {
  return run->arguments.options.scenario;
}

static double seconds_run(const struct run *run) {
  return 1e-9 * (double)(sim_frame(run->sim)->t_ns - run->begin_ns);
}

/* One line that replaces itself, for people who watch. */
static void show_status(struct run *run, int64_t now_ns, int64_t late_ns) {
  if (run->arguments.quiet || now_ns < run->next_status_ns || !isatty(STDERR_FILENO)) {
    return;
  }
  run->next_status_ns = now_ns + status_ns;
  const struct sim_truth *t = sim_truth(run->sim);
  const char *complaint = run->arguments.headless ? NULL : feed_complaint(&run->feed);
  const double seconds = seconds_run(run);
  fprintf(stderr, "\r\033[K%s %.1f s  base %.2f %.2f %.2f m  CoM %.2f %.2f %.2f m  %s",
          name_of(run), seconds, t->base.X_WB.p.x, t->base.X_WB.p.y, t->base.X_WB.p.z, t->com_W.x,
          t->com_W.y, t->com_W.z, t->fallen ? "fallen  " : "");
  if (late_ns > ns_per_s / 100) {
    fprintf(stderr, "%.0f ms late  ", 1e-6 * (double)late_ns);
  }
  fprintf(stderr, "%.90s", complaint != NULL ? complaint : "");
}

static bool write_files(struct run *run) {
  if (run->truth != NULL && truth_log_write(run->truth, sim_truth(run->sim)) != STATUS_OK) {
    fprintf(stderr, "\npropriod-sim: %s: cannot write\n", run->arguments.truth);
    return false;
  }
  const struct recorded_cycle cycle = {.frame = *sim_frame(run->sim)};
  if (run->record != NULL && recording_add_cycle(run->record, &cycle) != STATUS_OK) {
    fprintf(stderr, "\npropriod-sim: %s: cannot write\n", run->arguments.record);
    return false;
  }
  return true;
}

/* Sleeps until the frame's instant on the wall clock. A frame that is late is not waited for, so
 * that the simulation catches up; a gap that is hopeless is left in the time stamps. */
static int64_t keep_pace(struct run *run) {
  const int64_t due_ns = sim_frame(run->sim)->t_ns;
  const int64_t late_ns = clock_now_ns() - due_ns;
  if (late_ns > hopeless_ns) {
    sim_shift_clock(run->sim, late_ns);
    run->gaps++;
    return late_ns;
  }
  const struct timespec due = {due_ns / ns_per_s, due_ns % ns_per_s};
  while (late_ns < 0 && !stop && clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &due, NULL) != 0) {
  }
  return late_ns;
}

static bool run_until_over(struct run *run) {
  run->begin_ns = run->arguments.headless ? 0 : clock_now_ns();
  sim_shift_clock(run->sim, run->begin_ns);
  while (!stop) {
    const enum status status = sim_step(run->sim);
    if (status == STATUS_OUT_OF_RANGE) {
      return true;
    }
    if (status != STATUS_OK) {
      fprintf(stderr, "\npropriod-sim: the physics blew up after %.3f s\n", seconds_run(run));
      return false;
    }
    int64_t late_ns = 0;
    if (!run->arguments.headless) {
      late_ns = keep_pace(run);
      feed_write(&run->feed, sim_frame(run->sim), clock_now_ns());
    }
    run->frames++;
    if (!write_files(run)) {
      return false;
    }
    show_status(run, clock_now_ns(), late_ns);
  }
  return true;
}

/* -- ending ----------------------------------------------------------------------------------- */

static bool end(struct run *run) {
  feed_close(&run->feed);
  bool written = true;
  if (truth_log_close(run->truth) != STATUS_OK) {
    fprintf(stderr, "propriod-sim: %s: not completely written\n", run->arguments.truth);
    written = false;
  }
  if (recording_finish(run->record) != STATUS_OK) {
    fprintf(stderr, "propriod-sim: %s: not completely written\n", run->arguments.record);
    written = false;
  }
  sim_destroy(run->sim);
  robot_destroy(run->stock.robot);
  robot_texts_free(&run->texts);
  return written;
}

static void report(const struct run *run) {
  if (run->arguments.quiet) {
    return;
  }
  const char *complaint = run->arguments.headless ? NULL : feed_complaint(&run->feed);
  fprintf(stderr, "%s%s: %llu frames, %.3f s%s", isatty(STDERR_FILENO) ? "\r\033[K" : "",
          name_of(run), (unsigned long long)run->frames, seconds_run(run),
          sim_truth(run->sim)->fallen ? ", fallen" : "");
  if (run->gaps > 0) {
    fprintf(stderr, ", %llu times too late for the clock", (unsigned long long)run->gaps);
  }
  fprintf(stderr, "%s%s\n", complaint != NULL ? "; " : "", complaint != NULL ? complaint : "");
}

/* A run that never could write although somebody is there to read has not done what it was asked
 * for. */
static bool was_heard(const struct run *run) {
  const char *complaint = run->arguments.headless ? NULL : feed_complaint(&run->feed);
  char path[PROPRIOD_SHM_PATH];
  uint64_t written = 0;
  for (int kind = 0; kind < PROPRIOD_SHM_STREAMS; kind++) {
    written += run->feed.stream[kind].written;
  }
  const bool somebody_there = complaint != NULL &&
                              propriod_shm_path(run->feed.segment, path) == 0 &&
                              access(path, F_OK) == 0;
  if (!somebody_there || written > 0) {
    return true;
  }
  fprintf(stderr, "propriod-sim: nothing was written to shared memory: %s\n", complaint);
  return false;
}

static void catch_signals(void) {
  struct sigaction action = {.sa_handler = on_signal};
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
}

int main(int argc, char **argv) {
  static struct run run;
  if (!sim_arguments_read(argc, argv, &run.arguments)) {
    return EXIT_USAGE;
  }
  switch (run.arguments.action) {
  case SIM_ACTION_HELP:
    sim_arguments_print_help(stdout);
    return EXIT_SUCCESS;
  case SIM_ACTION_LIST:
    sim_arguments_print_list(stdout);
    return EXIT_SUCCESS;
  case SIM_ACTION_VERSION:
    printf("propriod-sim %s\n", propriod_version);
    return EXIT_SUCCESS;
  case SIM_ACTION_RUN:
    break;
  }
  catch_signals();
  bool good = begin(&run);
  if (good) {
    good = run_until_over(&run);
    report(&run);
    good = was_heard(&run) && good;
  }
  good = end(&run) && good;
  return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
