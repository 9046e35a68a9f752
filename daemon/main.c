/* propriod: the proprioception daemon. The order of main() is the order of a start. */
#include "arguments.h"
#include "common/log.h"
#include "common/version.h"
#include "daemon.h"
#include "first_generation.h"
#include "generation.h"
#include "publish/topics_print.h"
#include "serve.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { EXIT_USAGE = 2 };

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
  case ACTION_PRINT_TOPICS:
    topics_print(stdout);
    return EXIT_SUCCESS;
  case ACTION_VERSION:
    printf("propriod %s\n", propriod_version);
    return EXIT_SUCCESS;
  default:
    arguments_print_help(stdout);
    return EXIT_SUCCESS;
  }
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
  static struct arguments arguments;
  static struct daemon daemon = {.arguments = &arguments};
  struct daemon *d = &daemon;
  if (!arguments_read(argc, argv, &arguments)) {
    return EXIT_USAGE;
  }
  if (arguments.action != ACTION_RUN) {
    ask_signals_to(SIG_UNBLOCK);
    return act(&arguments);
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
  const int status = daemon_start(d);
  if (status == EXIT_SUCCESS && !signals_want_end()) {
    daemon_run(d);
  }
  const bool all_ended = daemon_stop(d);
  log_close(d->log);
  if (!all_ended) {
    _exit(status); /* what exit() tidies up is still in use */
  }
  return status;
}
