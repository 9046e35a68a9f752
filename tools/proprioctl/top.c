/* proprioctl top: the robot as it moves, drawn in place. */
#include "common/clock.h"
#include "recorded_robot.h"
#include "top_picture.h"

#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

enum { SILENT_MS = 1000 };

static const char help[] =
    "usage: proprioctl top [OPTION ...] [RECORDING]\n"
    "\n"
    "Shows joints, balance, sensor streams and the cycle as they change: of the\n"
    "running robot, or of a recording, again and again. A larger window shows more:\n"
    "deviations, feet and forces, biases, skin, what happened last. q or Ctrl-C\n"
    "ends it.\n"
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

struct screen {
  bool in_place; /* a terminal: drawn over the last picture */
  struct window window;
};

static struct screen screen_now(void) {
  struct winsize size;
  const bool terminal = isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 &&
                        size.ws_row > 0 && size.ws_col > 0;
  return terminal ? (struct screen){true, {size.ws_row, size.ws_col}}
                  : (struct screen){false, {1000, 120}};
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
  for (const char *line = picture; *line != '\0' && row < screen->window.rows; row++) {
    const size_t length = strcspn(line, "\n");
    fwrite(line, 1, fitting(line, length, screen->window.columns), stdout);
    if (screen->in_place) {
      fputs(row + 1 < screen->window.rows ? "\033[0m\033[K\r\n" : "\033[0m\033[K", stdout);
    } else {
      fputc('\n', stdout);
    }
    line += length + (line[length] == '\n');
  }
  fputs(screen->in_place ? "\033[J" : "\n", stdout);
  fflush(stdout);
}

static void draw(const struct subscriber *subscriber, const struct cycle_rate *rate, bool silent) {
  const struct screen screen = screen_now();
  char *picture = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&picture, &size);
  const struct view view = {out, screen.in_place && getenv("NO_COLOR") == NULL, true};
  top_picture(&view, subscriber, rate, silent, screen.window);
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
  static const char *const topics[] = {"diag",    "meta", "state", "centroidal",
                                       "inertia", "skin", "event", NULL};
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
