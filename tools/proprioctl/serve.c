/* proprioctl serve: the robot as it moves, in a browser. */
#include "common/clock.h"
#include "live/live_robot.h"
#include "live/live_server.h"
#include "recorded_robot.h"
#include "recording/recording.h"
#include "replay/recorded_generation.h"
#include "settings/settings.h"
#include "state_messages.h"
#include "subscriber.h"

#include <getopt.h>
#include <libgen.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_CONFIG "/etc/propriod/propriod.yaml"

static const char help[] =
    "usage: proprioctl serve [OPTION ...] [CONFIG]\n"
    "       proprioctl serve [OPTION ...] RECORDING\n"
    "\n"
    "Serves a page that shows the robot as it moves: its shape from the URDF, centre\n"
    "of mass and of pressure, support, forces, skin by health, joints, streams and\n"
    "status. CONFIG is the configuration that propriod runs with\n"
    "(default " DEFAULT_CONFIG "). Of a recording it shows the robot as it\n"
    "moved then, again and again. Ctrl-C ends it.\n"
    "\n"
    "Only this machine can see the page, and it fetches nothing from elsewhere. From\n"
    "another machine: ssh -L 9873:localhost:9873 ROBOT, then http://localhost:9873\n"
    "\n"
    "options:\n"
    "  --port N         where to listen, 0 for any that is free (default 9873)\n"
    "  --address A      on another address than 127.0.0.1: whoever reaches it sees\n"
    "                   the robot\n"
    "  --meshes FOLDER  where the URDF's meshes or their packages are, if neither\n"
    "                   beside nor above it nor in ROS_PACKAGE_PATH: STL, OBJ, DAE\n"
    "  --rate HZ        messages to a browser a second, 1 to 120 (default 60)\n"
    "  --seconds S      end by itself after so long\n"
    "  --wait S         wait so long for the daemon to appear (default 0)\n" CONNECTION_HELP
    "  -h, --help       print this\n"
    "\n"
    "exit codes: 0 done, 1 a bad configuration or the port is taken, 2 the command\n"
    "line makes no sense, 3 no daemon, 4 this user may not\n";

enum { DEFAULT_PORT = 9873 };

static volatile sig_atomic_t interrupted; /* a signal handler can reach nothing else */

static void interrupt(int signal) {
  (void)signal;
  interrupted = 1;
}

struct options {
  struct connection connection;
  const char *config;
  const char *meshes; /* a folder, or NULL */
  struct live_server_settings server;
  int seconds_ms; /* 0: no end */
  int wait_ms;
};

/* Where the messages come from. */
struct sources {
  struct subscriber subscriber;
  struct state_messages state; /* beside it, of a daemon on this machine */
  bool shared;                 /* state and centroidal come from there */
};

/* What is new of each topic, as it came; every event. */
static void take(void *context, struct live_feed *feed) {
  struct sources *sources = context;
  struct subscriber *subscriber = &sources->subscriber;
  bool heard[SUBSCRIBER_TOPICS] = {false};
  const int event = subscriber_topic("event");
  for (int topic; (topic = subscriber_hear(subscriber, 0)) >= 0;) {
    heard[topic] = true;
    if (topic == event) {
      live_feed_take(feed, "event", zmq_msg_data(&subscriber->frame[topic]),
                     zmq_msg_size(&subscriber->frame[topic]));
    }
  }
  for (int topic = 0; topic < SUBSCRIBER_TOPICS; topic++) {
    if (heard[topic] && topic != event) {
      live_feed_take(feed, subscriber_topics[topic], zmq_msg_data(&subscriber->frame[topic]),
                     zmq_msg_size(&subscriber->frame[topic]));
    }
  }
  if (sources->shared) {
    state_messages_take(&sources->state, feed);
  }
}

static int run_server(const struct options *options, struct sources *sources) {
  struct live_server *server;
  struct message error;
  if (live_server_open(&server, &options->server, take, sources, &error) != STATUS_OK) {
    fprintf(stderr, "proprioctl serve: %s\n", error.text);
    return CTL_FAILED;
  }
  const char *address = options->server.address;
  const bool six = strchr(address, ':') != NULL;
  printf("http://%s%s%s:%d\n", six ? "[" : "", address, six ? "]" : "", live_server_port(server));
  fflush(stdout);
  const int64_t end_ns =
      options->seconds_ms > 0 ? clock_now_ns() + options->seconds_ms * NS_PER_MS : INT64_MAX;
  while (!interrupted && clock_now_ns() < end_ns) {
    live_server_step(server);
  }
  live_server_close(server);
  return CTL_OK;
}

/* Connects as soon as somebody serves the endpoint. `segment`: of the daemon's input when it is on
 * this machine, whose state then need not be sent; or NULL. */
static enum exit_code open_sources(struct sources *sources, const struct options *options,
                                   const char *segment) {
  static const char *const all[] = {"", NULL};
  static const char *const others[] = {"skin", "inertia", "diag", "event", "meta", NULL};
  enum exit_code code =
      subscriber_open_when_there(&sources->subscriber, "serve", &options->connection,
                                 segment != NULL ? others : all, options->wait_ms, &interrupted);
  sources->shared =
      code == CTL_OK && segment != NULL && state_messages_open(&sources->state, segment);
  if (code == CTL_OK && segment != NULL && !sources->shared) {
    subscriber_close(&sources->subscriber);
    code = subscriber_open(&sources->subscriber, "serve", &options->connection, all);
  }
  return code;
}

static int serve_robot(const struct options *options, const char *segment) {
  static struct sources sources;
  int code = (int)open_sources(&sources, options, segment);
  if (code == CTL_OK) {
    code = run_server(options, &sources);
    subscriber_close(&sources.subscriber);
  }
  if (sources.shared) {
    state_messages_close(&sources.state);
  }
  return code;
}

/* The segment of the daemon that this configuration is of, when it is that which is heard. */
static const char *segment_of(const struct options *options, const struct settings *settings) {
  char endpoint[sizeof("ipc://") + PUBLISH_IPC_SIZE] = "ipc://";
  return settings->publish.shared_memory &&
                 settings_runtime_path(settings, settings->publish.ipc, endpoint + 6,
                                       PUBLISH_IPC_SIZE) &&
                 strcmp(endpoint, options->connection.endpoint) == 0
             ? settings->input.segment
             : NULL;
}

/* Makes of a robot what the page draws, and serves it. */
static int show(struct options *options, const struct robot *robot, const struct settings *settings,
                const char *urdf, size_t urdf_size) {
  struct mesh_files meshes;
  struct message missing;
  char folder[sizeof(settings->robot.urdf)];
  snprintf(folder, sizeof(folder), "%s", settings->robot.urdf);
  mesh_files_find(&meshes, urdf, urdf_size, dirname(folder), options->meshes);
  if (mesh_files_missing(&meshes, &missing)) {
    fprintf(stderr, "proprioctl serve: %s\n", missing.text);
  }
  const struct contact_settings *contacts = &settings->pipeline.centroidal.contacts;
  const struct live_sole sole = {contacts->sole_length, contacts->sole_width};
  char *json = live_robot_json(robot, sole, &meshes, &options->server.robot_size);
  options->server.robot = json;
  options->server.meshes = &meshes;
  options->server.urdf = urdf;
  options->server.urdf_size = urdf_size;
  const char *segment = segment_of(options, settings);
  const int code = json != NULL ? serve_robot(options, segment) : CTL_FAILED;
  free(json);
  mesh_files_free(&meshes);
  return code;
}

/* The running robot, as its configuration describes it. */
static int serve_configured(struct options *options) {
  static struct settings settings;
  static struct settings_report report;
  struct robot *robot;
  struct robot_texts texts;
  struct message error;
  if (settings_load(options->config, NULL, &settings, &report) != STATUS_OK) {
    settings_print_errors(stderr, &report);
    return CTL_FAILED;
  }
  if (robot_load_with_texts(&settings.robot, "", &robot, &texts, NULL, &error) != STATUS_OK) {
    fprintf(stderr, "%s\n", error.text);
    return CTL_FAILED;
  }
  const int code = show(options, robot, &settings, texts.urdf, texts.urdf_length);
  robot_texts_free(&texts);
  robot_destroy(robot);
  return code;
}

/* A recording's robot, from what is in it. */
static int show_recorded(struct options *options, const struct recording *recording) {
  struct generation *generation;
  struct message note, error;
  if (recorded_generation(recording, 1, &generation, &note, &error) != STATUS_OK) {
    fprintf(stderr, "%s\n", error.text);
    return CTL_FAILED;
  }
  const int code = show(options, generation->robot, &generation->settings, generation->texts.urdf,
                        generation->texts.urdf_length);
  generation_free(generation);
  return code;
}

static int serve_recording(struct options *options) {
  struct recorded_robot robot = {0};
  struct recording *recording;
  struct message error;
  if (recording_open(&recording, options->config, &error) != STATUS_OK) {
    fprintf(stderr, "%s\n", error.text);
    return CTL_FAILED;
  }
  int code = recorded_robot_begin(&robot, options->config);
  if (code == CTL_OK) {
    options->connection = (struct connection){.endpoint = robot.endpoint};
    code = show_recorded(options, recording);
  }
  recorded_robot_end(&robot);
  recording_close(recording);
  return code;
}

static const struct option long_options[] = {
    {"port", required_argument, NULL, 'p'},
    {"address", required_argument, NULL, 'a'},
    {"rate", required_argument, NULL, 'r'},
    {"seconds", required_argument, NULL, 's'},
    {"wait", required_argument, NULL, 'w'},
    {"meshes", required_argument, NULL, 'm'},
    CONNECTION_OPTIONS,
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

/* An exit code, or -1 when help was asked for. */
static int read_options(int argc, char **argv, struct options *options) {
  long port = DEFAULT_PORT;
  *options = (struct options){.connection = connection_default(),
                              .config = DEFAULT_CONFIG,
                              .server = {.address = "127.0.0.1", .rate_hz = 60.0}};
  for (int option; (option = getopt_long(argc, argv, "h", long_options, NULL)) != -1;) {
    switch (option) {
    case 'p':
      if (!count_option(optarg, 0, 65535, &port)) {
        return usage_error("serve", "--port %s: not within 0 .. 65535", optarg);
      }
      break;
    case 'a':
      options->server.address = optarg;
      break;
    case 'm':
      options->meshes = optarg;
      break;
    case 'r':
      if (!number_option(optarg, 1.0, 120.0, &options->server.rate_hz)) {
        return usage_error("serve", "--rate %s: not within 1 .. 120 Hz", optarg);
      }
      break;
    case 's':
      options->seconds_ms = seconds_to_ms(optarg);
      break;
    case 'w':
      options->wait_ms = seconds_to_ms(optarg);
      break;
    case 'h':
      fputs(help, stdout);
      return -1;
    default:
      if (!connection_option(&options->connection, option, optarg)) {
        return option_error("serve", argv);
      }
    }
  }
  options->server.port = (int)port;
  if (options->seconds_ms < 0 || options->wait_ms < 0) {
    return usage_error("serve", "--seconds and --wait: not within 0 .. 3600 s");
  }
  return CTL_OK;
}

int run_serve(int argc, char **argv) {
  struct options options;
  const int result = read_options(argc, argv, &options);
  if (result != CTL_OK) {
    return result < 0 ? CTL_OK : result;
  }
  if (optind + 1 < argc) {
    return usage_error("serve", "unexpected '%s'", argv[optind + 1]);
  }
  if (optind < argc) {
    options.config = argv[optind];
  }
  signal(SIGINT, interrupt);
  signal(SIGTERM, interrupt);
  return is_recording(options.config) ? serve_recording(&options) : serve_configured(&options);
}
