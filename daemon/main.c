/* propriod: the proprioception daemon. The order of main() is the order of a start. */
#include "arguments.h"
#include "common/arena.h"
#include "common/log.h"
#include "common/pid_lock.h"
#include "common/version.h"
#include "cycle/cell_chooser.h"
#include "cycle/cycle.h"
#include "cycle/realtime.h"
#include "cycle/worker.h"
#include "describe.h"
#include "generation.h"
#include "learned/learned_store.h"
#include "loader.h"
#include "publish/curve.h"
#include "publish/publisher.h"
#include "publish/state_export.h"
#include "recording/recorder.h"
#include "reload.h"
#include "serve.h"
#include "service/control.h"
#include "service/systemd.h"
#include "shm/segment_keeper.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum { EXIT_USAGE = 2, EXIT_CONFIG = 78 };
enum { LOOK_MS = 20 }; /* how often a start looks whether it is to end */
enum { RUNTIME_FOLDER_MODE = 0751 };
enum { LEAST_DESCRIPTORS = 128 }; /* own ones, control clients, a few dozen subscribers */
enum { ZEROMQ_ROOM = 8 << 20 };   /* bytes: the stacks of two threads and what they allocate */

/* Everything that runs, in the order in which it is started. */
struct daemon {
  struct arguments arguments;
  int signals;
  struct log *log;
  struct loader loader;
  struct generation *generation; /* the first; later ones are the reloader's */
  struct pid_lock lock;          /* of the runtime folder */
  struct diagnostics diagnostics;
  struct segment_keeper segment;
  bool has_segment;
  struct publisher *publisher;
  struct state_export state;
  struct worker *worker;
  void *memory; /* of sensor input, cell chooser and cycle */
  struct sensor_input input;
  struct cell_chooser chooser;
  struct learned_store learned;
  struct recorder *recorder;
  void *recorder_memory;
  struct cycle *cycle;
  struct control *control;
  struct reloader reloader;
};

static bool fail(const struct daemon *d, const char *cause, const struct message *why) {
  log_line(d->log, LOG_LEVEL_ERROR, cause, "%s", why->text);
  return false;
}

static void warn(const struct daemon *d, const char *cause, const struct message *note) {
  if (note->text[0] != '\0') {
    log_line(d->log, LOG_LEVEL_WARNING, cause, "%s", note->text);
  }
}

/* Keys that cannot be read do not mend themselves either. */
static bool keys_are_good(const struct daemon *d) {
  const struct publish_settings *publish = &d->generation->settings.publish;
  struct message error;
  if (publish->curve_secret_key[0] == '\0') {
    return true;
  }
  struct curve_keys *keys = calloc(1, sizeof(*keys));
  const bool good = keys == NULL || curve_read(publish->curve_secret_key, publish->curve_clients,
                                               keys, &error) == STATUS_OK;
  free(keys);
  return good || fail(d, "keys", &error);
}

/* Settings, robot and pipeline from the configuration, unless told to end meanwhile. */
static int build_generation(struct daemon *d) {
  realtime_keep_memory_small();
  struct message error;
  if (loader_start(&d->loader, &error) != STATUS_OK) {
    fail(d, "loader", &error);
    return EXIT_FAILURE;
  }
  loader_order(&d->loader, d->arguments.config, &d->arguments.overrides, NULL);
  struct pollfd wait[] = {{.fd = loader_fd(&d->loader), .events = POLLIN},
                          {.fd = d->signals, .events = POLLIN}};
  struct load *load = NULL;
  while ((load = loader_take(&d->loader)) == NULL && !signals_want_end()) {
    poll(wait, sizeof(wait) / sizeof(wait[0]), LOOK_MS);
  }
  if (load == NULL) {
    return EXIT_SUCCESS;
  }
  for (size_t i = 0; i < load->errors.n_errors && i < SETTINGS_MAX_ERRORS; i++) {
    log_line(d->log, LOG_LEVEL_ERROR, load->errors.error[i].text, "%s", load->errors.error[i].text);
  }
  d->generation = load->made;
  return load->status == STATUS_OK && keys_are_good(d) ? EXIT_SUCCESS : EXIT_CONFIG;
}

/* A folder of our own, and nobody else in it. Drivers and clients may pass through; what they may
 * touch there, its own mode says. */
static bool lock_folder(struct daemon *d) {
  const char *folder = d->generation->settings.service.runtime_directory;
  char path[SETTINGS_PATH_SIZE];
  struct message error;
  const bool made = mkdir(folder, RUNTIME_FOLDER_MODE) == 0;
  if (made ? chmod(folder, RUNTIME_FOLDER_MODE) != 0 : errno != EEXIST) {
    message_set(&error, "%s: %s", folder, strerror(errno));
    return fail(d, "folder", &error);
  }
  settings_runtime_path(&d->generation->settings, "lock", path, sizeof(path));
  return pid_lock_take(&d->lock, path, "runs on this folder", &error) == STATUS_OK ||
         fail(d, "lock", &error);
}

/* ZeroMQ aborts the process when it gets no descriptor at its start; too few are better known
 * before. */
static bool allow_descriptors(struct daemon *d) {
  struct rlimit limit = {0};
  struct message error;
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  if (limit.rlim_max < LEAST_DESCRIPTORS || setrlimit(RLIMIT_NOFILE, &limit) != 0) {
    message_set(&error, "%llu file descriptors allowed (limit NOFILE), %d are needed",
                (unsigned long long)limit.rlim_max, LEAST_DESCRIPTORS);
    return fail(d, "descriptors", &error);
  }
  return true;
}

/* It aborts as well when there is no room for its threads. */
static bool has_room_for_zeromq(struct daemon *d) {
  struct message error;
  void *room = mmap(NULL, ZEROMQ_ROOM, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (room == MAP_FAILED) {
    message_set(&error, "no %d MiB of address space left for ZeroMQ (limit AS): %s",
                ZEROMQ_ROOM >> 20, strerror(errno));
    return fail(d, "memory", &error);
  }
  munmap(room, ZEROMQ_ROOM);
  return true;
}

static bool prepare_realtime(struct daemon *d) {
  struct message note = {.text = ""};
  if (realtime_prepare(&d->generation->settings.cycle.realtime, &note) != STATUS_OK) {
    return fail(d, "realtime", &note);
  }
  warn(d, "realtime", &note);
  return true;
}

/* What was read in spite of a fault. */
static bool tell_notes(struct daemon *d) {
  const struct urdf_notes *notes = &d->generation->robot->notes;
  for (size_t i = 0; i < notes->n && i < URDF_MAX_NOTES; i++) {
    log_line(d->log, LOG_LEVEL_WARNING, notes->note[i].text, "%s", notes->note[i].text);
  }
  return true;
}

static bool create_segment(struct daemon *d) {
  uint32_t count[PROPRIOD_SHM_STREAMS];
  struct message error;
  generation_streams(d->generation, count);
  if (segment_keeper_init(&d->segment, d->generation->settings.input.segment, count,
                          &d->diagnostics, &error) != STATUS_OK) {
    return fail(d, "segment", &error);
  }
  d->has_segment = true;
  warn(d, "segment", &d->segment.place[d->segment.current].warning);
  return true;
}

static bool start_publisher(struct daemon *d) {
  const struct settings *settings = &d->generation->settings;
  struct publish_settings publish = settings->publish;
  struct publish_content content = {
      .robot = d->generation->robot,
      .diagnostics = &d->diagnostics,
      .period_s = settings->pipeline.period_s,
  };
  struct message error;
  if (d->recorder != NULL) {
    content.events = recorder_events(d->recorder);
  }
  settings_runtime_path(settings, settings->publish.ipc, publish.ipc, sizeof(publish.ipc));
  d->publisher = publisher_start(&publish, &content, &error);
  return d->publisher != NULL || fail(d, "publisher", &error);
}

static bool open_state(struct daemon *d) {
  const struct settings *settings = &d->generation->settings;
  const int64_t period_ns = llround(settings->pipeline.period_s * 1e9);
  struct message error;
  return !settings->publish.shared_memory ||
         state_export_open(&d->state, settings->input.segment, period_ns, &error) == STATUS_OK ||
         fail(d, "state", &error);
}

/* [real-time] */
static void after_cycle(void *context, struct pipeline *pipeline,
                        const struct cycle_result *result) {
  struct daemon *d = context;
  state_export_write(&d->state, &result->estimates);
  estimator_reports_write(publisher_reports(d->publisher), pipeline, &result->estimates);
  cell_chooser_cycle(&d->chooser, pipeline);
  const bool forgot = learned_store_cycle(&d->learned, pipeline);
  const struct recorder_beside beside = {&d->input, &d->chooser, forgot};
  recorder_take(d->recorder, cycle_latest(d->cycle), &beside, &result->estimates);
}

static enum status init_recorder(struct daemon *d, struct arena *arena) {
  const struct settings *settings = &d->generation->settings;
  char folder[SETTINGS_PATH_SIZE + 16], flight[SETTINGS_PATH_SIZE + 16];
  const bool named = settings->record.folder[0] != '\0';
  snprintf(folder, sizeof(folder), "%s%s",
           named ? settings->record.folder : settings->service.state_directory,
           named ? "" : "/recordings");
  snprintf(flight, sizeof(flight), "%s/flight", settings->service.runtime_directory);
  struct recorder_plan plan = {.settings = &settings->record,
                               .folder = folder,
                               .flight_folder = flight,
                               .model_hash = d->generation->robot->model_hash,
                               .log = d->log};
  generation_recorded(d->generation, plan.count);
  return recorder_init(&d->recorder, &plan, arena);
}

static bool make_recorder(struct daemon *d) {
  struct arena arena = {0};
  struct message error;
  enum status status = init_recorder(d, &arena);
  if (status == STATUS_OK) {
    d->recorder_memory = aligned_alloc(ARENA_ALIGN, arena.used);
    arena = arena_over(d->recorder_memory, d->recorder_memory != NULL ? arena.used : 0);
    status = d->recorder_memory != NULL ? init_recorder(d, &arena) : STATUS_NO_MEMORY;
  }
  message_set(&error, "record.buffer: %d MiB: %s", d->generation->settings.record.buffer_mib,
              status == STATUS_BAD_ARGUMENT ? "too small for a robot with so many sensors"
                                            : status_text(status));
  return status == STATUS_OK || fail(d, "recorder", &error);
}

static bool start_recorder(struct daemon *d) {
  struct message error;
  return recorder_start(d->recorder, &error) == STATUS_OK || fail(d, "recorder", &error);
}

static bool start_worker(struct daemon *d) {
  struct message error;
  d->worker = worker_start(&error);
  return d->worker != NULL || fail(d, "worker", &error);
}

static enum status init_cycle(struct daemon *d, struct arena *arena) {
  const struct settings *settings = &d->generation->settings;
  const struct cycle_parts parts = {
      .keeper = &d->segment,
      .input = &d->input,
      .pipeline = d->generation->pipeline,
      .handover = publisher_handover(d->publisher),
      .diagnostics = &d->diagnostics,
      .hook = {after_cycle, d},
  };
  uint32_t count[PROPRIOD_SHM_STREAMS];
  generation_streams(d->generation, count);
  enum status status =
      sensor_input_init(&d->input, &settings->input, count, &d->diagnostics, arena);
  const struct robot *robot = d->generation->robot;
  sensor_input_sort(&d->input, &robot->joints, robot->model.n_joints);
  if (status == STATUS_OK) {
    status = cell_chooser_init(&d->chooser, d->generation->robot,
                               settings->pipeline.joints.cell_noise, d->worker, &d->segment, arena);
  }
  if (status == STATUS_OK) {
    status = learned_store_init(&d->learned, settings->service.state_directory,
                                settings->pipeline.period_s, d->log, arena);
  }
  return status == STATUS_OK
             ? cycle_init(&d->cycle, &settings->cycle, settings->pipeline.period_s, &parts, arena)
             : status;
}

/* What an earlier run has learned is part of what this one is made of. */
static void recall(struct daemon *d) {
  struct learned_inertia *learned = calloc(1, sizeof(*learned));
  const bool recalled =
      learned != NULL && learned_store_recall(&d->learned, d->generation->pipeline, learned);
  describe_generation(d->recorder, 1, d->generation, recalled ? learned : NULL);
  free(learned);
}

static bool start_cycle(struct daemon *d) {
  struct arena arena = {0};
  struct message note = {.text = ""};
  enum status status = init_cycle(d, &arena);
  if (status == STATUS_OK) {
    d->memory = aligned_alloc(ARENA_ALIGN, arena.used);
    arena = arena_over(d->memory, d->memory != NULL ? arena.used : 0);
    status = d->memory != NULL ? init_cycle(d, &arena) : STATUS_NO_MEMORY;
  }
  if (status == STATUS_OK) {
    recall(d);
  }
  message_set(&note, "the cycle cannot be set up: %s", status_text(status));
  if (status != STATUS_OK || cycle_start(d->cycle, &note) != STATUS_OK) {
    return fail(d, "cycle", &note);
  }
  warn(d, "cycle", &note);
  return true;
}

static bool start_saver(struct daemon *d) {
  struct message error;
  return learned_store_start(&d->learned, &error) == STATUS_OK || fail(d, "saver", &error);
}

static bool open_control(struct daemon *d) {
  char path[SETTINGS_PATH_SIZE];
  struct message error;
  settings_runtime_path(&d->generation->settings, CONTROL_SOCKET, path, sizeof(path));
  d->control = control_open(path, &error);
  return d->control != NULL || fail(d, "control", &error);
}

static void say_ready(struct daemon *d) {
  const struct robot *robot = d->generation->robot;
  log_line(d->log, LOG_LEVEL_NOTICE, "ready", "ready: %s, %zu joints, %zu cells, %g s period",
           robot->model.name, robot->model.n_joints, robot->n_cells,
           d->generation->settings.pipeline.period_s);
  systemd_ready();
}

static void serve_until_told(struct daemon *d) {
  d->reloader = (struct reloader){.file = d->arguments.config,
                                  .overrides = &d->arguments.overrides,
                                  .loader = &d->loader,
                                  .running = d->generation,
                                  .generation = 1,
                                  .recorder = d->recorder,
                                  .cycle = d->cycle,
                                  .publisher = d->publisher,
                                  .log = d->log};
  struct serve looked_after = {.signals = d->signals,
                               .control = d->control,
                               .reloader = &d->reloader,
                               .segment = &d->segment,
                               .state = &d->state,
                               .diagnostics = &d->diagnostics,
                               .publisher = d->publisher,
                               .worker = d->worker,
                               .learned = &d->learned,
                               .recorder = d->recorder,
                               .log = d->log};
  serve(&looked_after);
  d->generation = d->reloader.running;
}

/* Undoes in the opposite order what was done, however far that went. False: a load hangs, and lives
 * on until the process ends. */
static bool stop(struct daemon *d) {
  systemd_stopping();
  const bool loader_ended = loader_stop(&d->loader);
  control_close(d->control);
  if (d->cycle != NULL) {
    cycle_stop(d->cycle);
    learned_store_stop(&d->learned);
    learned_store_finish(&d->learned, d->generation->pipeline);
  }
  worker_stop(d->worker);
  state_export_close(&d->state);
  publisher_stop(d->publisher);
  recorder_stop(d->recorder);
  if (d->has_segment) {
    segment_keeper_close(&d->segment, false);
  }
  free(d->memory);
  free(d->recorder_memory);
  if (loader_ended) {
    generation_free(d->generation);
  }
  pid_lock_release(&d->lock);
  log_close(d->log);
  return loader_ended;
}

static int print_settings(const struct arguments *arguments) {
  static struct settings_report errors;
  static struct settings settings;
  if (settings_load(arguments->config, &arguments->overrides, &settings, &errors) != STATUS_OK) {
    settings_print_errors(stderr, &errors);
    return EXIT_CONFIG;
  }
  settings_print(stdout, &settings);
  return EXIT_SUCCESS;
}

static int check_config(const struct arguments *arguments) {
  static struct settings_report errors;
  struct generation *generation = NULL;
  struct message kept;
  if (generation_build(arguments->config, &arguments->overrides, NULL, &generation, &errors,
                       &kept) != STATUS_OK) {
    settings_print_errors(stderr, &errors);
    return EXIT_CONFIG;
  }
  if (errors.retired != NULL) {
    printf("%s: %s does nothing any more\n", arguments->config, errors.retired);
  }
  printf("%s: good: %s, %zu joints, %zu cells\n", arguments->config, generation->robot->model.name,
         generation->robot->model.n_joints, generation->robot->n_cells);
  generation_free(generation);
  return EXIT_SUCCESS;
}

/* What is done instead of running. */
static int act(const struct arguments *arguments) {
  switch (arguments->action) {
  case ACTION_CHECK_CONFIG:
    return check_config(arguments);
  case ACTION_PRINT_SETTINGS:
    return print_settings(arguments);
  case ACTION_PRINT_REFERENCE:
    settings_print_reference(stdout);
    return EXIT_SUCCESS;
  case ACTION_VERSION:
    printf("propriod %s\n", propriod_version);
    return EXIT_SUCCESS;
  default:
    arguments_print_help(stdout);
    return EXIT_SUCCESS;
  }
}

/* The order of a start, after the configuration. Each step says itself why it fails. */
static bool (*const steps[])(struct daemon *d) = {
    tell_notes,     allow_descriptors, has_room_for_zeromq, lock_folder,  prepare_realtime,
    create_segment, make_recorder,     start_publisher,     open_state,   start_worker,
    start_cycle,    start_saver,       start_recorder,      open_control,
};

/* Exit status; EXIT_SUCCESS also when told to end before the last step. */
static int start(struct daemon *d) {
  const int built = build_generation(d);
  if (built != EXIT_SUCCESS) {
    return built;
  }
  for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
    if (signals_want_end()) {
      return EXIT_SUCCESS;
    }
    if (!steps[i](d)) {
      return EXIT_FAILURE;
    }
  }
  return EXIT_SUCCESS;
}

static void ask_signals_to(int how) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGHUP);
  sigprocmask(how, &set, NULL);
}

/* Signals wait from the first instant: libraries take some milliseconds to begin, and who is told
 * to end meanwhile shall end as at any other time. */
static void before_the_libraries(void) {
  ask_signals_to(SIG_BLOCK);
}
__attribute__((section(".preinit_array"),
               used)) static void (*const first_of_all)(void) = before_the_libraries;

int main(int argc, char **argv) {
  static struct daemon daemon;
  struct daemon *d = &daemon;
  if (!arguments_read(argc, argv, &d->arguments)) {
    return EXIT_USAGE;
  }
  if (d->arguments.action != ACTION_RUN) {
    ask_signals_to(SIG_UNBLOCK);
    return act(&d->arguments);
  }
  umask(0007);
  d->signals = signals_open();
  d->log = log_open(stderr, log_is_journal());
  if (d->signals < 0 || d->log == NULL) {
    perror("propriod");
    return EXIT_FAILURE;
  }
  if (log_is_journal()) {
    log_use_journal(d->log);
  }
  const int status = start(d);
  if (status == EXIT_SUCCESS && !signals_want_end()) {
    say_ready(d);
    serve_until_told(d);
  }
  if (!stop(d)) {
    _exit(status); /* what exit() tidies up is still in use */
  }
  return status;
}
