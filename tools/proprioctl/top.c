/* proprioctl top: the robot as it moves, drawn in place. */
#include "common/clock.h"
#include "map.h"
#include "recorded_robot.h"
#include "view.h"

#include "propriod/shm_layout.h"

#include <getopt.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

enum {
  NAME = 15,                                  /* places of a joint's name */
  Q = 6,                                      /* of its position */
  RATE = 7,                                   /* of its velocity, and of its acceleration */
  COLUMN = NAME + 1 + Q + 2 * (1 + RATE) + 2, /* of a joint, with the gap to the next */
  SILENT_MS = 1000
};

static const char help[] =
    "usage: proprioctl top [OPTION ...] [RECORDING]\n"
    "\n"
    "Shows joints, balance, sensor streams and the cycle as they change: of the\n"
    "running robot, or of a recording, again and again. q or Ctrl-C ends it.\n"
    "\n"
    "options:\n"
    "  --rate HZ        how often to draw, 1 to 30 (default 8)\n"
    "  --seconds S      end by itself after so long\n"
    "  --wait S         wait so long for the daemon to appear (default 0)\n" CONNECTION_HELP
    "  -h, --help       print this\n"
    "\n"
    "exit codes: 0 done, 2 the command line makes no sense, 3 no daemon or it is\n"
    "silent, 4 this user may not\n";

static const struct option long_options[] = {
    {"rate", required_argument, NULL, 'r'}, {"seconds", required_argument, NULL, 's'},
    {"wait", required_argument, NULL, 'w'}, CONNECTION_OPTIONS,
    {"help", no_argument, NULL, 'h'},       {NULL, 0, NULL, 0},
};

static volatile sig_atomic_t interrupted; /* a signal handler can reach nothing else */

static void interrupt(int signal) {
  (void)signal;
  interrupted = 1;
}

/* -- lines ------------------------------------------------------------------------------------ */

static double degrees(double radians) {
  return radians * (180.0 / 3.14159265358979323846);
}

/* With fewer digits when it does not fit, "-" for NaN. */
static void print_number(FILE *out, double value, int width, int digits) {
  char text[32] = "-";
  for (int d = digits; !isnan(value) && d >= 0; d--) {
    if (snprintf(text, sizeof(text), "%.*f", d, value) <= width) {
      break;
    }
    snprintf(text, sizeof(text), "%.0e", value); /* if none is left to spare */
  }
  fprintf(out, " %*s", width, text);
}

static void print_triple(FILE *out, const char *name, const double value[3]) {
  fprintf(out, "%-14s", name);
  for (int i = 0; i < 3; i++) {
    print_number(out, value[i], 7, 3);
  }
}

static void print_vector(FILE *out, const msgpack_object *map, const char *key, const char *name) {
  double value[3];
  for (size_t i = 0; i < 3; i++) {
    value[i] = object_number(map_element(map, key, i));
  }
  print_triple(out, name, value);
}

/* Roll, pitch and yaw, for the eye only. */
static void print_attitude(FILE *out, const msgpack_object *state) {
  double q[4];
  for (size_t i = 0; i < 4; i++) {
    q[i] = object_number(map_element(state, "quat_xyzw", i));
  }
  const double x = q[0], y = q[1], z = q[2], w = q[3], sine = 2.0 * (w * y - z * x);
  const double rpy[3] = {degrees(atan2(2.0 * (w * x + y * z), 1.0 - 2.0 * (x * x + y * y))),
                         degrees(asin(sine > 1.0    ? 1.0
                                      : sine < -1.0 ? -1.0
                                                    : sine)),
                         degrees(atan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z)))};
  print_triple(out, "base rpy deg", rpy);
}

static void print_balance(FILE *out, const msgpack_object *state,
                          const msgpack_object *centroidal) {
  const bool world = map_find(centroidal, "com_position") != NULL;
  print_vector(out, centroidal, world ? "com_position" : "com_in_base",
               world ? "com m" : "com in base m");
  print_vector(out, centroidal, "com_velocity", "   com m/s");
  fputc('\n', out);
  print_attitude(out, state);
  print_vector(out, centroidal, "com_acceleration", "   com m/s^2");
  fputc('\n', out);
  print_vector(out, state, "base_angular_velocity", "base rad/s");
  print_vector(out, centroidal, "cop_position", "   pressure m");
  fputc('\n', out);
}

/* "joints ok  1.0 ms  imu ok  0.4 ms  skin silent   3 s  wrench never" */
static void print_streams(const struct view *view, const msgpack_object *diag) {
  fputs("streams ", view->out);
  for (unsigned i = 0; i < PROPRIOD_SHM_STREAMS; i++) {
    char path[64];
    snprintf(path, sizeof(path), "streams.%s", propriod_shm_name(i));
    const msgpack_object *stream = map_find(diag, path);
    fprintf(view->out, "  %s ", propriod_shm_name(i));
    view_word(view, view_stream_word(stream));
    if (map_truth(stream, "seen")) {
      fputc(' ', view->out);
      view_age(view, map_number(stream, "age", 0.0));
    }
  }
  fputc('\n', view->out);
}

static void print_cycle(const struct view *view, const msgpack_object *diag,
                        const struct cycle_rate *rate) {
  fprintf(view->out, "cycle     %.1f Hz, busy %.0f/%.0f us, late %.0f/%.0f us (p50/p99), ",
          isnan(rate->hz) ? 0.0 : rate->hz, 1e6 * map_number(diag, "cycle.busy.p50", 0.0),
          1e6 * map_number(diag, "cycle.busy.p99", 0.0),
          1e6 * map_number(diag, "cycle.wakeup.p50", 0.0),
          1e6 * map_number(diag, "cycle.wakeup.p99", 0.0));
  fprintf(view->out, "overruns %.0f\n", map_number(diag, "cycle.overruns", 0.0));
}

/* Without what all joints' names end with, and shortened in the middle, where names differ
 * least. */
static void print_name(FILE *out, const msgpack_object *name) {
  static const char ending[] = "_joint";
  enum { END = sizeof(ending) - 1, FRONT = 8, BACK = NAME - FRONT - 1 };
  const bool text = name != NULL && name->type == MSGPACK_OBJECT_STR;
  const char *letters = text ? name->via.str.ptr : "?";
  int length = text ? (int)name->via.str.size : 1;
  length -= length > END && memcmp(letters + length - END, ending, END) == 0 ? END : 0;
  if (length <= NAME) {
    fprintf(out, "%-*.*s", NAME, length, letters);
  } else {
    fprintf(out, "%.*s~%.*s", FRONT, letters, BACK, letters + length - BACK);
  }
}

static void print_joint(FILE *out, const msgpack_object *meta, const msgpack_object *state,
                        size_t joint) {
  print_name(out, map_element(meta, "joints", joint));
  print_number(out, object_number(map_element(state, "q", joint)), Q, 3);
  print_number(out, object_number(map_element(state, "dq", joint)), RATE, 2);
  print_number(out, object_number(map_element(state, "ddq", joint)), RATE, 1);
}

/* As many as fit, downwards, then in the next column. */
static void print_joints(FILE *out, const msgpack_object *meta, const msgpack_object *state,
                         int rows, int columns) {
  const size_t joints = map_count(state, "q");
  const size_t needed = (joints + (size_t)columns - 1) / (size_t)columns;
  const size_t shown = needed < (size_t)rows ? needed : (size_t)rows;
  for (int c = 0; c < columns; c++) {
    fprintf(out, "%s%-*s %*s %*s %*s", c > 0 ? "  " : "", NAME, "joint", Q, "q", RATE, "dq", RATE,
            "ddq");
  }
  fputc('\n', out);
  for (size_t r = 0; r < shown; r++) {
    for (size_t c = 0; c < (size_t)columns && c * shown + r < joints; c++) {
      fputs(c > 0 ? "  " : "", out);
      print_joint(out, meta, state, c * shown + r);
    }
    fputc('\n', out);
  }
  if (shown < needed) {
    fprintf(out, "%zu more joints; a larger window shows them\n", joints - shown * (size_t)columns);
  }
}

/* What the estimated links weigh, a line each. */
static void print_weights(const struct view *view, const msgpack_object *inertia) {
  for (size_t k = 0; k < map_count(inertia, "mass"); k++) {
    fputs("weight    ", view->out);
    view_weighed_link(view, inertia, k);
    fputc('\n', view->out);
  }
}

static bool is_elsewhere(const struct subscriber *subscriber) {
  return strcmp(subscriber->connection.endpoint, CONNECTION_ENDPOINT) != 0;
}

/* Where to listen, for who wants to do so from another terminal, unless everybody knows. */
static void print_elsewhere(FILE *out, const struct subscriber *subscriber) {
  if (is_elsewhere(subscriber)) {
    fprintf(out, "export    PROPRIOD_ENDPOINT=%s\n", subscriber->connection.endpoint);
  }
}

/* -- the screen ------------------------------------------------------------------------------- */

struct screen {
  bool in_place; /* a terminal: drawn over the last picture */
  int rows, columns;
};

static struct screen screen_now(void) {
  struct winsize size;
  const bool terminal = isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 &&
                        size.ws_row > 0 && size.ws_col > 0;
  return terminal ? (struct screen){true, size.ws_row, size.ws_col}
                  : (struct screen){false, 1000, 2 * COLUMN};
}

/* Bytes of a line's part that fills `columns` places; escape sequences fill none. */
static size_t fitting(const char *line, size_t length, int columns) {
  size_t i = 0;
  while (i < length && columns > 0) {
    if (line[i] == '\033') {
      i += strcspn(line + i, "m") + 1;
    } else {
      i++;
      /* not within a character */
      columns -= i == length || ((unsigned char)line[i] & 0xC0) != 0x80;
    }
  }
  return i < length ? i : length;
}

/* Shows a picture of lines, cut to the screen. */
static void show(const struct screen *screen, const char *picture) {
  fputs(screen->in_place ? "\033[H" : "", stdout);
  int row = 0;
  for (const char *line = picture; *line != '\0' && row < screen->rows; row++) {
    const size_t length = strcspn(line, "\n");
    fwrite(line, 1, fitting(line, length, screen->columns), stdout);
    if (screen->in_place) {
      fputs(row + 1 < screen->rows ? "\033[0m\033[K\r\n" : "\033[0m\033[K", stdout);
    } else {
      fputc('\n', stdout);
    }
    line += length + (line[length] == '\n');
  }
  fputs(screen->in_place ? "\033[J" : "\n", stdout);
  fflush(stdout);
}

static void draw(const struct subscriber *subscriber, const struct cycle_rate *rate, bool silent) {
  enum { LINES_ABOVE = 7 };
  const struct screen screen = screen_now();
  char *picture = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&picture, &size);
  const struct view view = {out, screen.in_place && getenv("NO_COLOR") == NULL, true};
  const msgpack_object *diag = subscriber_latest(subscriber, "diag");
  const msgpack_object *state = subscriber_latest(subscriber, "state");
  const msgpack_object *inertia = subscriber_latest(subscriber, "inertia");
  if (silent) {
    fputs("propriod: ", out);
    view_word(&view, "silent");
    fputs("  nothing has come for a second; below is the last\n", out);
  } else {
    view_headline(&view, subscriber);
  }
  print_cycle(&view, diag, rate);
  print_streams(&view, diag);
  print_balance(out, state, subscriber_latest(subscriber, "centroidal"));
  const int columns = screen.columns + 2 > COLUMN ? (screen.columns + 2) / COLUMN : 1;
  print_weights(&view, inertia);
  print_elsewhere(out, subscriber);
  const int lines_above = LINES_ABOVE + is_elsewhere(subscriber) + (int)map_count(inertia, "mass");
  print_joints(out, subscriber_latest(subscriber, "meta"), state, screen.rows - lines_above - 1,
               columns);
  fclose(out);
  show(&screen, picture);
  free(picture);
}

struct options {
  struct connection connection;
  double rate_hz;
  int seconds_ms; /* 0: no end */
  int wait_ms;
  bool keys; /* somebody may type q */
};

/* While the screen is drawn keys come one by one, unseen; false where nobody types. */
static bool keys_begin(struct termios *before) {
  if (!isatty(STDIN_FILENO) || tcgetattr(STDIN_FILENO, before) != 0) {
    return false;
  }
  struct termios raw = *before;
  raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
  raw.c_cc[VMIN] = 0;
  raw.c_cc[VTIME] = 0;
  return tcsetattr(STDIN_FILENO, TCSANOW, &raw) == 0;
}

static bool q_was_typed(void) {
  char key;
  while (read(STDIN_FILENO, &key, 1) == 1) {
    if (key == 'q' || key == 'Q') {
      return true;
    }
  }
  return false;
}

/* Takes what comes until it is time to draw again. True: something came. */
static bool hear_until(struct subscriber *subscriber, struct cycle_rate *rate, int64_t end_ns) {
  bool any = false;
  while (!interrupted && clock_now_ns() < end_ns) {
    const int left_ms = (int)((end_ns - clock_now_ns()) / NS_PER_MS) + 1;
    const int topic = subscriber_hear(subscriber, left_ms);
    any = any || topic >= 0;
    if (topic == subscriber_topic("diag")) {
      cycle_rate_update(rate, subscriber_latest(subscriber, "diag"));
    }
  }
  return any;
}

static void watch(struct subscriber *subscriber, const struct options *options) {
  const int64_t start_ns = clock_now_ns(), step_ns = (int64_t)(1e9 / options->rate_hz);
  const int64_t end_ns =
      options->seconds_ms > 0 ? start_ns + options->seconds_ms * NS_PER_MS : INT64_MAX;
  struct cycle_rate rate = cycle_rate_unknown();
  int64_t heard_ns = start_ns, next_ns = start_ns + step_ns;
  while (!interrupted && !ferror(stdout) && clock_now_ns() < end_ns) {
    if (hear_until(subscriber, &rate, next_ns < end_ns ? next_ns : end_ns)) {
      heard_ns = clock_now_ns();
    }
    interrupted = interrupted || (options->keys && q_was_typed());
    draw(subscriber, &rate, clock_now_ns() - heard_ns > SILENT_MS * NS_PER_MS);
    next_ns = clock_now_ns() + step_ns;
  }
}

static int top(struct options *options) {
  struct subscriber subscriber;
  struct termios before;
  signal(SIGINT, interrupt);
  signal(SIGTERM, interrupt);
  static const char *const topics[] = {"diag", "meta", "state", "centroidal", "inertia", NULL};
  const enum exit_code opened = subscriber_open_when_there(&subscriber, "top", &options->connection,
                                                           topics, options->wait_ms, &interrupted);
  if (opened != CTL_OK) {
    return opened;
  }
  const bool in_place = screen_now().in_place;
  options->keys = keys_begin(&before);
  fputs(in_place ? "\033[?1049h\033[?25l" : "", stdout); /* a screen of its own, no cursor */
  watch(&subscriber, options);
  if (options->keys) {
    tcsetattr(STDIN_FILENO, TCSANOW, &before);
  }
  fputs(in_place ? "\033[?25h\033[?1049l" : "", stdout);
  const bool heard = subscriber_latest(&subscriber, "diag") != NULL;
  const enum exit_code code = heard ? CTL_OK : subscriber_silent(&subscriber, SILENT_MS);
  subscriber_close(&subscriber);
  return code;
}

static int top_recording(struct options *options, const char *path) {
  struct recorded_robot robot = {0};
  int code = recorded_robot_begin(&robot, path);
  if (code == CTL_OK) {
    options->connection = (struct connection){.endpoint = robot.endpoint};
    code = top(options);
  }
  recorded_robot_end(&robot);
  return code;
}

int run_top(int argc, char **argv) {
  struct options options = {.connection = connection_default(), .rate_hz = 8.0};
  int option;
  while ((option = getopt_long(argc, argv, "h", long_options, NULL)) != -1) {
    switch (option) {
    case 'r':
      if (!number_option(optarg, 1.0, 30.0, &options.rate_hz)) {
        return usage_error("top", "--rate %s: not within 1 .. 30 Hz", optarg);
      }
      break;
    case 's':
      options.seconds_ms = seconds_to_ms(optarg);
      break;
    case 'w':
      options.wait_ms = seconds_to_ms(optarg);
      break;
    case 'h':
      fputs(help, stdout);
      return CTL_OK;
    default:
      if (!connection_option(&options.connection, option, optarg)) {
        return option_error("top", argv);
      }
    }
  }
  if (optind + 1 < argc) {
    return usage_error("top", "unexpected '%s'", argv[optind + 1]);
  }
  if (options.seconds_ms < 0 || options.wait_ms < 0) {
    return usage_error("top", "--seconds and --wait: not within 0 .. 3600 s");
  }
  return optind < argc ? top_recording(&options, argv[optind]) : top(&options);
}
