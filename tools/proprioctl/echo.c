/* proprioctl echo TOPIC: prints what is published. */
#include "map.h"
#include "subscriber.h"

#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATIENCE_MS = 3000 };

static const char help[] =
    "usage: proprioctl echo TOPIC [OPTION ...]\n"
    "\n"
    "Prints the messages of a topic as they come: state, centroidal, inertia, skin,\n"
    "diag, event or meta. The units and meanings of all that is printed are in meta.\n"
    "\n"
    "options:\n"
    "  -n N             end after N messages\n"
    "  --json           one JSON object a line, numbers with all their digits\n" CONNECTION_HELP
    "  --timeout S      give up when nothing came for so long (default 3; event:\n"
    "                   never)\n"
    "  -h, --help       print this\n"
    "\n"
    "exit codes: 0 done, 2 the command line makes no sense, 3 no daemon or nothing\n"
    "published, 4 this user may not\n";

static const struct option long_options[] = {
    {"json", no_argument, NULL, 'j'}, CONNECTION_OPTIONS, {"timeout", required_argument, NULL, 't'},
    {"help", no_argument, NULL, 'h'}, {NULL, 0, NULL, 0},
};

struct options {
  const char *topic;
  struct connection connection;
  long messages;  /* 0: no end */
  int timeout_ms; /* -1: as the topic has it */
  bool json;
};

static int echo(const struct options *options) {
  struct subscriber subscriber;
  const char *const topics[] = {options->topic, NULL};
  const enum exit_code opened = subscriber_open(&subscriber, "echo", &options->connection, topics);
  if (opened != CTL_OK) {
    return opened;
  }
  const bool for_ever = options->timeout_ms < 0 && strcmp(options->topic, "event") == 0;
  const int patience_ms = options->timeout_ms < 0 ? PATIENCE_MS : options->timeout_ms;
  long printed = 0;
  bool silent = false;
  while (!silent && !ferror(stdout) && (options->messages == 0 || printed < options->messages)) {
    if (subscriber_hear(&subscriber, patience_ms) < 0) {
      silent = !for_ever;
      continue;
    }
    const msgpack_object *map = subscriber_latest(&subscriber, options->topic);
    if (options->json) {
      json_print(stdout, map);
      fputc('\n', stdout);
    } else {
      map_print(stdout, map, 0);
      puts("---");
    }
    fflush(stdout);
    printed++;
  }
  const enum exit_code code = silent ? subscriber_silent(&subscriber, patience_ms) : CTL_OK;
  subscriber_close(&subscriber);
  return code;
}

int run_echo(int argc, char **argv) {
  struct options options = {.connection = connection_default(), .timeout_ms = -1};
  int option;
  while ((option = getopt_long(argc, argv, "n:h", long_options, NULL)) != -1) {
    switch (option) {
    case 'n':
      if (!count_option(optarg, 1, LONG_MAX, &options.messages)) {
        return usage_error("echo", "-n %s: not a whole number above 0", optarg);
      }
      break;
    case 'j':
      options.json = true;
      break;
    case 't':
      options.timeout_ms = seconds_to_ms(optarg);
      if (options.timeout_ms < 0) {
        return usage_error("echo", "--timeout %s: not within 0 .. 3600 s", optarg);
      }
      break;
    case 'h':
      fputs(help, stdout);
      return CTL_OK;
    default:
      if (!connection_option(&options.connection, option, optarg)) {
        return option_error("echo", argv);
      }
    }
  }
  if (optind != argc - 1) {
    return usage_error("echo", "one topic, please");
  }
  options.topic = argv[optind];
  if (subscriber_topic(options.topic) < 0) {
    return usage_error("echo", "there is no topic '%s'; there are " SUBSCRIBER_TOPIC_NAMES,
                       options.topic);
  }
  return echo(&options);
}
