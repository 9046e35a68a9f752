#include "first_generation.h"

#include "common/clock.h"
#include "publish/curve.h"
#include "serve.h"
#include "service/control.h"
#include "service/systemd.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LOOK_MS = 20 }; /* how often a load is asked whether it is to end */
enum { TICK_MS = 100 };
enum { RUNTIME_FOLDER_MODE = 0751 };

static const char remedy[] = "proprioctl init ROBOT.urdf writes a first configuration, "
                             "proprioctl reload puts it into effect";

enum status runtime_folder_lock(const struct settings *settings, struct pid_lock *lock,
                                struct message *error) {
  const char *folder = settings->service.runtime_directory;
  char path[SETTINGS_PATH_SIZE];
  const bool made = mkdir(folder, RUNTIME_FOLDER_MODE) == 0;
  if (made ? chmod(folder, RUNTIME_FOLDER_MODE) != 0 : errno != EEXIST) {
    message_set(error, "%s: %s", folder, strerror(errno));
    return STATUS_REFUSED;
  }
  settings_runtime_path(settings, "lock", path, sizeof(path));
  return pid_lock_take(lock, path, "runs on this folder", error);
}

/* Keys that cannot be read do not mend themselves either. */
static void check_keys(struct load *load) {
  if (load->status != STATUS_OK || load->made->settings.publish.curve_secret_key[0] == '\0') {
    return;
  }
  const struct publish_settings *publish = &load->made->settings.publish;
  struct message error;
  struct curve_keys *keys = calloc(1, sizeof(*keys));
  if (keys != NULL &&
      curve_read(publish->curve_secret_key, publish->curve_clients, keys, &error) != STATUS_OK) {
    settings_add_error(&load->errors, &error);
    generation_free(load->made);
    load->made = NULL;
    load->status = STATUS_REFUSED;
  }
  free(keys);
}

/* What the loader has made, or NULL: not yet. */
static struct load *take_load(struct loader *loader) {
  struct load *load = loader_take(loader, clock_now_ns());
  if (load != NULL) {
    check_keys(load);
  }
  return load;
}

static void log_errors(struct log *log, const struct settings_report *errors) {
  for (size_t i = 0; i < errors->n_errors && i < SETTINGS_MAX_ERRORS; i++) {
    log_line(log, LOG_LEVEL_ERROR, errors->error[i].text, "%s", errors->error[i].text);
  }
}

/* A service that waits for its robot. */
struct waiting {
  const struct first_generation_parts *parts;
  struct control *control;
  bool end, reload;    /* asked to */
  struct message last; /* why the last configuration was not it; "": it named no robot */
};

static void say_what_it_waits_for(const struct waiting *w) {
  systemd_status("waits for a robot: %s names none in robot.urdf%s%.200s", w->parts->config,
                 w->last.text[0] != '\0' ? "; reload refused: " : "", w->last.text);
}

static bool begin_load(struct waiting *w) {
  if (w->parts->loader->under_way) {
    return false;
  }
  systemd_reloading(clock_now_ns());
  loader_order(w->parts->loader, w->parts->config, w->parts->overrides, NULL);
  return true;
}

static enum control_verdict answer(void *context, const struct control_request *request,
                                   FILE *out) {
  struct waiting *w = context;
  if (strcmp(request->words, "reload") == 0) {
    return begin_load(w) ? CONTROL_LATER : CONTROL_AGAIN;
  }
  if (strcmp(request->words, "status") == 0) {
    fprintf(out, "pid %ld\nconfig %s\nwaits_for a robot: %s names none in robot.urdf; %s\n",
            (long)getpid(), w->parts->config, w->parts->config, remedy);
    return CONTROL_OK;
  }
  fputs("it waits for a robot: robot.urdf names none; there are reload, status\n", out);
  return CONTROL_FAILED;
}

static void take_signals(struct waiting *w) {
  struct signalfd_siginfo info;
  while (read(w->parts->signals, &info, sizeof(info)) == (ssize_t)sizeof(info)) {
    w->reload = w->reload || info.ssi_signo == SIGHUP;
    w->end = w->end || info.ssi_signo != SIGHUP;
  }
}

/* Tells who asked and the log what has come of a load. True: there is a robot. */
static bool judge(struct waiting *w, struct load *load) {
  const bool done = load->status == STATUS_OK;
  char text[CONTROL_ANSWER_SIZE] = "";
  FILE *out = fmemopen(text, sizeof(text), "w");
  if (out != NULL && done) {
    fprintf(out, "%s is taken: %s, %zu joints; the service begins\n", w->parts->config,
            load->made->robot->model.name, load->made->robot->model.n_joints);
  } else if (out != NULL) {
    settings_print_errors(out, &load->errors);
  }
  if (out != NULL) {
    fclose(out);
  }
  control_tell(w->control, "reload", done, text);
  if (!done && !load->errors.no_robot) {
    log_line(w->parts->log, LOG_LEVEL_ERROR, "reload refused", "reload refused: %s",
             load->errors.error[0].text);
  }
  message_set(&w->last, "%s", done || load->errors.no_robot ? "" : load->errors.error[0].text);
  systemd_ready();
  return done;
}

/* The load that has a robot, or NULL when told to end. */
static struct load *wait_for_robot(struct waiting *w) {
  struct pollfd wait[] = {{.fd = w->parts->signals, .events = POLLIN},
                          {.fd = control_fd(w->control), .events = POLLIN},
                          {.fd = loader_fd(w->parts->loader), .events = POLLIN}};
  log_line(w->parts->log, LOG_LEVEL_NOTICE, "unconfigured",
           "waits for a robot: %s names none in robot.urdf; %s", w->parts->config, remedy);
  say_what_it_waits_for(w);
  systemd_ready();
  while (!w->end) {
    poll(wait, sizeof(wait) / sizeof(wait[0]), TICK_MS);
    take_signals(w);
    struct load *load = take_load(w->parts->loader);
    if (load != NULL && judge(w, load)) {
      return load;
    }
    control_step(w->control, clock_now_ns(), answer, w);
    w->reload = w->reload && !begin_load(w);
    systemd_alive();
    say_what_it_waits_for(w);
  }
  return NULL;
}

/* Runs with a lock and a control socket of its own, which are given back: the robot's configuration
 * may have other folders. */
static int run_without_robot(const struct first_generation_parts *parts,
                             struct generation **generation) {
  static struct settings settings;
  static struct settings_report errors;
  struct waiting w = {.parts = parts};
  struct pid_lock lock = {.held = false};
  char path[SETTINGS_PATH_SIZE];
  struct message error;
  if (settings_load(parts->config, parts->overrides, &settings, &errors) != STATUS_OK) {
    log_errors(parts->log, &errors); /* it has changed since */
    return EXIT_CONFIG;
  }
  settings_runtime_path(&settings, CONTROL_SOCKET, path, sizeof(path));
  if (runtime_folder_lock(&settings, &lock, &error) != STATUS_OK ||
      (w.control = control_open(path, &error)) == NULL) {
    log_line(parts->log, LOG_LEVEL_ERROR, "lock", "%s", error.text);
    pid_lock_release(&lock);
    return EXIT_FAILURE;
  }
  struct load *load = wait_for_robot(&w);
  *generation = load != NULL ? load->made : NULL;
  control_close(w.control);
  pid_lock_release(&lock);
  if (load == NULL) {
    raise(SIGTERM); /* was read here: who looks next shall see it, too */
  }
  return EXIT_SUCCESS;
}

int first_generation(const struct first_generation_parts *parts, struct generation **generation) {
  loader_order(parts->loader, parts->config, parts->overrides, NULL);
  struct pollfd wait[] = {{.fd = loader_fd(parts->loader), .events = POLLIN},
                          {.fd = parts->signals, .events = POLLIN}};
  struct load *load = NULL;
  while ((load = take_load(parts->loader)) == NULL && !signals_want_end()) {
    poll(wait, sizeof(wait) / sizeof(wait[0]), LOOK_MS);
  }
  if (load == NULL) {
    return EXIT_SUCCESS;
  }
  if (load->errors.no_robot) {
    return run_without_robot(parts, generation);
  }
  log_errors(parts->log, &load->errors);
  *generation = load->made;
  if (load->status == STATUS_STALE) { /* try again later */
    return EXIT_FAILURE;
  }
  return load->status == STATUS_OK ? EXIT_SUCCESS : EXIT_CONFIG;
}
