/* proprioctl status: is all well? */
#include "ask_daemon.h"
#include "common/clock.h"
#include "map.h"
#include "view.h"
#include "wrap.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATIENCE_MS = 3000, MOST_REASONS = 8 };

static const char help[] =
    "usage: proprioctl status [OPTION ...]\n"
    "\n"
    "Shows at a glance how the running propriod fares: its estimates, the cycle,\n"
    "the sensor streams, subscribers, and how the last reload ended.\n"
    "\n"
    "options:\n"
    "  --since-start    counters since the start, and not of the last ten seconds\n"
    "  --json           one JSON object: healthy, reasons, rate_hz, diag, and the\n"
    "                   robot of meta\n" CONNECTION_HELP
    "  --timeout S      how long to wait for an answer (default 3)\n"
    "  -h, --help       print this\n"
    "\n"
    "exit codes: 0 healthy, 1 not healthy (reasons are shown), 2 the command line\n"
    "makes no sense, 3 no daemon or it is silent, 4 this user may not\n";

static const struct option options[] = {
    {"json", no_argument, NULL, 'j'},
    {"since-start", no_argument, NULL, 'a'},
    CONNECTION_OPTIONS,
    {"timeout", required_argument, NULL, 't'},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

/* Hears until there is a meta, two diags, and the estimates have had their chance. False:
 * silent. */
static bool look(struct subscriber *subscriber, int timeout_ms, struct cycle_rate *rate) {
  const int64_t end_ns = clock_now_ns() + timeout_ms * NS_PER_MS;
  int diags = 0;
  while (diags < 2 || subscriber_latest(subscriber, "meta") == NULL) {
    const int64_t left_ms = (end_ns - clock_now_ns()) / NS_PER_MS;
    const int topic = left_ms > 0 ? subscriber_hear(subscriber, (int)left_ms) : -1;
    if (topic < 0) {
      break;
    }
    if (topic == subscriber_topic("diag")) {
      cycle_rate_update(rate, subscriber_latest(subscriber, "diag"));
      diags++;
    }
  }
  return diags > 0;
}

static void print_json(const struct subscriber *subscriber, const struct cycle_rate *rate,
                       char reason[][128], int reasons) {
  const msgpack_object *diag = subscriber_latest(subscriber, "diag");
  const msgpack_object *meta = subscriber_latest(subscriber, "meta");
  printf("{\"healthy\": %s, \"reasons\": [", reasons == 0 ? "true" : "false");
  for (int i = 0; i < reasons; i++) {
    printf("%s\"%s\"", i > 0 ? ", " : "", reason[i]);
  }
  fputs("], ", stdout);
  if (rate->hz >= 0.0) {
    printf("\"rate_hz\": %.6g, ", rate->hz);
  }
  fputs("\"robot\": ", stdout);
  json_print(stdout, map_find(meta, "robot"));
  fputs(", \"joints\": ", stdout);
  json_print(stdout, map_find(meta, "joints"));
  fputs(", \"diag\": ", stdout);
  json_print(stdout, diag);
  fputs("}\n", stdout);
}

static void print_view(const struct subscriber *subscriber, const struct cycle_rate *rate,
                       bool recent, char reason[][128], int reasons) {
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  const struct view view = {out, isatty(STDOUT_FILENO) && getenv("NO_COLOR") == NULL, recent};
  const msgpack_object *diag = subscriber_latest(subscriber, "diag");
  view_headline(&view, subscriber);
  char word[16];
  const bool ok = strcmp(map_text(diag, "status", "silent", word, sizeof(word)), "ok") == 0;
  for (int i = 0; i < reasons; i++) {
    fprintf(out, "  %-12s %s\n", i > 0 ? "" : ok ? "but" : "because", reason[i]);
  }
  view_estimates(&view, subscriber);
  view_cycle(&view, diag, rate);
  view_real_time(&view, diag);
  view_streams(&view, diag);
  view_skin(&view, subscriber_latest(subscriber, "skin"));
  view_inertia(&view, subscriber_latest(subscriber, "inertia"));
  view_filter(&view, diag);
  view_publish(&view, diag);
  view_reload(&view, diag);
  fclose(out);
  wrap(stdout, text, wrap_columns(), VIEW_INDENT);
  free(text);
}

/* A service without a robot is not healthy, and says so as any other does. */
static int say_what_it_waits_for(const char *what, bool json) {
  if (json) {
    printf("{\"healthy\": false, \"reasons\": [\"waits for %s\"]}\n", what);
  } else {
    char text[600];
    snprintf(text, sizeof(text), "propriod runs, and waits\n  %-12s %s\n", "for", what);
    wrap(stdout, text, wrap_columns(), VIEW_INDENT);
  }
  return CTL_FAILED;
}

static int status(const struct connection *connection, int timeout_ms, bool json, bool recent) {
  static const char *const topics[] = {"diag", "meta",    "state", "centroidal",
                                       "skin", "inertia", NULL};
  struct subscriber subscriber;
  char what[512];
  if (strncmp(connection->endpoint, "ipc://", 6) == 0 &&
      access(connection->endpoint + 6, F_OK) != 0 &&
      daemon_waits(connection->endpoint, what, sizeof(what))) {
    return say_what_it_waits_for(what, json);
  }
  const enum exit_code opened = subscriber_open(&subscriber, "status", connection, topics);
  if (opened != CTL_OK) {
    return opened;
  }
  struct cycle_rate rate = cycle_rate_unknown();
  if (!look(&subscriber, timeout_ms, &rate)) {
    const enum exit_code silent = subscriber_silent(&subscriber, timeout_ms);
    subscriber_close(&subscriber);
    return silent;
  }
  char reason[MOST_REASONS][128];
  const int reasons = view_reasons(&subscriber, &rate, reason, MOST_REASONS);
  if (json) {
    print_json(&subscriber, &rate, reason, reasons);
  } else {
    print_view(&subscriber, &rate, recent, reason, reasons);
  }
  subscriber_close(&subscriber);
  return reasons == 0 ? CTL_OK : CTL_FAILED;
}

int run_status(int argc, char **argv) {
  struct connection connection = connection_default();
  int timeout_ms = PATIENCE_MS, option;
  bool json = false, recent = true;
  while ((option = getopt_long(argc, argv, "h", options, NULL)) != -1) {
    switch (option) {
    case 'j':
      json = true;
      break;
    case 'a':
      recent = false;
      break;
    case 't':
      timeout_ms = seconds_to_ms(optarg);
      if (timeout_ms < 0) {
        return usage_error("status", "--timeout %s: not within 0 .. 3600 s", optarg);
      }
      break;
    case 'h':
      fputs(help, stdout);
      return CTL_OK;
    default:
      if (!connection_option(&connection, option, optarg)) {
        return option_error("status", argv);
      }
    }
  }
  if (optind < argc) {
    return usage_error("status", "unexpected '%s'", argv[optind]);
  }
  return status(&connection, timeout_ms, json, recent);
}
