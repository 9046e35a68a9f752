#include "daemon.h"

#include "common/arena.h"
#include "cycle/realtime.h"
#include "describe.h"
#include "first_generation.h"
#include "process_limits.h"
#include "serve.h"
#include "service/systemd.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool fail(const struct daemon *d, const char *cause, const struct message *why) {
  log_line(d->log, LOG_LEVEL_ERROR, cause, "%s", why->text);
  return false;
}

static void warn(const struct daemon *d, const char *cause, const struct message *note) {
  if (note->text[0] != '\0') {
    log_line(d->log, LOG_LEVEL_WARNING, cause, "%s", note->text);
  }
}

static bool allow_descriptors(struct daemon *d) {
  struct message error;
  return process_allow_descriptors(&error) == STATUS_OK || fail(d, "descriptors", &error);
}

static bool has_room_for_zeromq(struct daemon *d) {
  struct message error;
  return process_has_room_for_zeromq(&error) == STATUS_OK || fail(d, "memory", &error);
}

static bool lock_folder(struct daemon *d) {
  struct message error;
  return runtime_folder_lock(&d->generation->settings, &d->lock, &error) == STATUS_OK ||
         fail(d, "lock", &error);
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
  state_export_write(&d->state, world_origin_show(&result->origin, &result->estimates, &d->placed));
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
      .world = &d->world,
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

/* The order of a start, after the configuration. Each step says itself why it fails. */
static bool (*const steps[])(struct daemon *d) = {
    tell_notes,     allow_descriptors, has_room_for_zeromq, lock_folder,  prepare_realtime,
    create_segment, make_recorder,     start_publisher,     open_state,   start_worker,
    start_cycle,    start_saver,       start_recorder,      open_control,
};

/* The configuration, from which all else follows. */
static int read_configuration(struct daemon *d) {
  struct message error;
  realtime_keep_memory_small();
  if (loader_start(&d->loader, &error) != STATUS_OK) {
    fail(d, "loader", &error);
    return EXIT_FAILURE;
  }
  const struct first_generation_parts parts = {d->arguments->config, &d->arguments->overrides,
                                               &d->loader, d->signals, d->log};
  return first_generation(&parts, &d->generation);
}

int daemon_start(struct daemon *d) {
  const int read = read_configuration(d);
  if (read != EXIT_SUCCESS) {
    return read;
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

static void say_ready(struct daemon *d) {
  const struct robot *robot = d->generation->robot;
  log_line(d->log, LOG_LEVEL_NOTICE, "ready", "ready: %s, %zu joints, %zu cells, %g s period",
           robot->model.name, robot->model.n_joints, robot->n_cells,
           d->generation->settings.pipeline.period_s);
  systemd_ready();
}

void daemon_run(struct daemon *d) {
  say_ready(d);
  d->reloader = (struct reloader){.file = d->arguments->config,
                                  .overrides = &d->arguments->overrides,
                                  .loader = &d->loader,
                                  .running = d->generation,
                                  .generation = 1,
                                  .recorder = d->recorder,
                                  .cycle = d->cycle,
                                  .publisher = d->publisher,
                                  .log = d->log};
  struct serve looked_after = {
      .signals = d->signals,
      .control = d->control,
      .reloader = &d->reloader,
      .segment = &d->segment,
      .state = &d->state,
      .diagnostics = &d->diagnostics,
      .publisher = d->publisher,
      .worker = d->worker,
      .learned = &d->learned,
      .recorder = d->recorder,
      .origin = {.keeper = &d->world, .publisher = d->publisher, .log = d->log},
      .log = d->log};
  serve(&looked_after);
  d->generation = d->reloader.running;
}

bool daemon_stop(struct daemon *d) {
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
  return loader_ended;
}
