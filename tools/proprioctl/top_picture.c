#include "top_picture.h"

#include "map.h"

#include "propriod/shm_layout.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
  NAME = 15,                                  /* places of a joint's name */
  Q = 6,                                      /* of its position */
  RATE = 7,                                   /* of velocity, acceleration, torque */
  COLUMN = NAME + 1 + Q + 2 * (1 + RATE) + 2, /* of a joint, with the gap to the next */
  DEVIATION = 7,                              /* " +-.012" */
  WIDE = COLUMN + 3 * DEVIATION + 1 + RATE,   /* with deviations and torque */
  TRIPLE = 14 + 3 * 8,                        /* three numbers with their name */
  BALANCE = 2 * (TRIPLE + DEVIATION) + 3,
  TEXT = 64
};

/* -- numbers ---------------------------------------------------------------------------------- */

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
  const bool minus_zero = text[0] == '-' && text[1] != '\0' && strtod(text, NULL) == 0.0;
  fprintf(out, " %*s", width, minus_zero ? text + 1 : text);
}

/* Two digits that count, without a leading zero: " +-38.1", " +-.012", " +-4e-4"; blanks for
 * NaN. */
static void print_deviation(FILE *out, double deviation) {
  char text[32] = "";
  if (deviation >= 0.00095 && deviation < 0.9995) {
    snprintf(text, sizeof(text), "+-%.3f", deviation);
    memmove(text + 2, text + 3, strlen(text + 2)); /* the zero before the point */
  } else if (deviation >= 0.9995 && deviation < 9999.5) {
    snprintf(text, sizeof(text), "+-%.*f",
             deviation < 9.995   ? 2
             : deviation < 99.95 ? 1
                                 : 0,
             deviation);
  } else if (!isnan(deviation)) {
    snprintf(text, sizeof(text), "+-%.0e", deviation);
    char *zero = strchr(text, 'e');
    if (zero != NULL && zero[2] == '0') { /* of the exponent */
      memmove(zero + 2, zero + 3, strlen(zero + 2));
    }
  }
  fprintf(out, " %-*s", DEVIATION - 1, text);
}

static void read_triple(const msgpack_object *map, const char *key, double value[3]) {
  for (size_t i = 0; i < 3; i++) {
    value[i] = object_number(map_element(map, key, i));
  }
}

/* The largest of a vector's deviations, NaN where there is none. */
static double largest(const msgpack_object *map, const char *key) {
  double value[3], most = (double)NAN;
  read_triple(map, key, value);
  for (size_t i = 0; i < 3; i++) {
    most = fmax(most, value[i]);
  }
  return most;
}

static void print_triple(FILE *out, const char *name, const double value[3]) {
  fprintf(out, "%-14s", name);
  for (int i = 0; i < 3; i++) {
    print_number(out, value[i], 7, 3);
  }
}

/* With the largest deviation of the three, where there is room. */
static void print_vector(FILE *out, const msgpack_object *map, const char *key, const char *sd,
                         const char *name) {
  double value[3];
  read_triple(map, key, value);
  print_triple(out, name, value);
  if (sd != NULL) {
    print_deviation(out, largest(map, sd));
  }
}

/* -- health and balance ----------------------------------------------------------------------- */

/* Roll, pitch and yaw, for the eye only. */
static void print_attitude(FILE *out, const msgpack_object *state, bool wide) {
  double q[4];
  for (size_t i = 0; i < 4; i++) {
    q[i] = object_number(map_element(state, "quat_xyzw", i));
  }
  const double x = q[0], y = q[1], z = q[2], w = q[3], sine = 2.0 * (w * y - z * x);
  const double rpy[3] = {degrees(atan2(2.0 * (w * x + y * z), 1.0 - 2.0 * (x * x + y * y))),
                         degrees(asin(fmin(fmax(sine, -1.0), 1.0))),
                         degrees(atan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z)))};
  print_triple(out, "base rpy deg", rpy);
  if (wide) {
    print_deviation(out, degrees(largest(state, "base_orientation_sd")));
  }
}

static void print_balance(FILE *out, const msgpack_object *state, const msgpack_object *centroidal,
                          bool wide) {
  const bool world = map_find(centroidal, "com_position") != NULL;
  print_vector(out, centroidal, world ? "com_position" : "com_in_base",
               !wide   ? NULL
               : world ? "com_position_sd"
                       : "com_in_base_sd",
               world ? "com m" : "com in base m");
  print_vector(out, centroidal, "com_velocity", wide ? "com_velocity_sd" : NULL, "   com m/s");
  fputc('\n', out);
  print_attitude(out, state, wide);
  print_vector(out, centroidal, "com_acceleration", wide ? "com_acceleration_sd" : NULL,
               "   com m/s^2");
  fputc('\n', out);
  print_vector(out, state, "base_angular_velocity", wide ? "base_angular_velocity_sd" : NULL,
               "base rad/s");
  print_vector(out, centroidal, "cop_position", wide ? "cop_sd" : NULL, "   pressure m");
  fputc('\n', out);
}

/* "joints ok  1.0 ms  imu ok  0.4 ms  skin silent   3 s  wrench never" */
static void print_streams(const struct view *view, const msgpack_object *diag) {
  fputs("streams ", view->out);
  for (unsigned i = 0; i < PROPRIOD_SHM_STREAMS; i++) {
    char path[TEXT];
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

static void print_health(const struct view *view, const struct subscriber *subscriber,
                         const struct cycle_rate *rate, bool silent) {
  const msgpack_object *diag = subscriber_latest(subscriber, "diag");
  if (silent) {
    fputs("propriod: ", view->out);
    view_word(view, "silent");
    fputs("  nothing has come for a second; below is the last\n", view->out);
  } else {
    view_headline(view, subscriber);
  }
  print_cycle(view, diag, rate);
  print_streams(view, diag);
}

/* What the estimated links weigh, a line each. */
static void print_weights(const struct view *view, const msgpack_object *inertia) {
  for (size_t k = 0; k < map_count(inertia, "mass"); k++) {
    fputs("weight    ", view->out);
    view_weighed_link(view, inertia, k);
    fputc('\n', view->out);
  }
}

/* Where to listen, for who wants to do so from another terminal, unless everybody knows. */
static void print_elsewhere(FILE *out, const struct subscriber *subscriber) {
  if (strcmp(subscriber->connection.endpoint, CONNECTION_ENDPOINT) != 0) {
    fprintf(out, "export    PROPRIOD_ENDPOINT=%s\n", subscriber->connection.endpoint);
  }
}

/* -- joints ----------------------------------------------------------------------------------- */

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

static double joint_number(const msgpack_object *state, const char *key, size_t joint) {
  return object_number(map_element(state, key, joint));
}

static void print_joint(FILE *out, const msgpack_object *meta, const msgpack_object *state,
                        size_t joint, bool wide) {
  static const struct {
    const char *key, *sd;
    int width, digits;
  } number[] = {{"q", "q_sd", Q, 3}, {"dq", "dq_sd", RATE, 2}, {"ddq", "ddq_sd", RATE, 1}};
  print_name(out, map_element(meta, "joints", joint));
  for (int i = 0; i < 3; i++) {
    print_number(out, joint_number(state, number[i].key, joint), number[i].width, number[i].digits);
    if (wide) {
      print_deviation(out, joint_number(state, number[i].sd, joint));
    }
  }
  if (wide) {
    print_number(out, joint_number(state, "effort", joint), RATE, 1);
  }
}

static void print_joint_heads(FILE *out, bool wide) {
  const int gap = wide ? DEVIATION : 0;
  fprintf(out, "%-*s %*s%*s %*s%*s %*s%*s", NAME, "joint", Q, "q", gap, "", RATE, "dq", gap, "",
          RATE, "ddq", gap, "");
  if (wide) {
    fprintf(out, " %*s", RATE, "torque");
  }
}

static int fitting_columns(struct window window, int width) {
  return window.columns + 2 > width ? (window.columns + 2) / width : 1;
}

static int rows_in(size_t joints, int columns) {
  return ((int)joints + columns - 1) / columns;
}

/* As many as fit, downwards, then in the next column. */
static void print_joints(FILE *out, const msgpack_object *meta, const msgpack_object *state,
                         int rows, int columns, bool wide) {
  const size_t joints = map_count(state, "q");
  const int needed = rows_in(joints, columns);
  const size_t shown = (size_t)(needed <= rows ? needed : rows > 1 ? rows - 1 : 0);
  for (int c = 0; c < columns; c++) {
    fputs(c > 0 ? "  " : "", out);
    print_joint_heads(out, wide);
  }
  fputc('\n', out);
  for (size_t r = 0; r < shown; r++) {
    for (size_t c = 0; c < (size_t)columns && c * shown + r < joints; c++) {
      fputs(c > 0 ? "  " : "", out);
      print_joint(out, meta, state, c * shown + r, wide);
    }
    fputc('\n', out);
  }
  if ((int)shown < needed) {
    fprintf(out, "%zu more joints; a larger window shows them\n", joints - shown * (size_t)columns);
  }
}

/* -- what has room below ---------------------------------------------------------------------- */

/* "feet      left_sole 0.52 341 N, right_sole 0.48 316 N; several carry": eighty columns. */
static void print_feet(const struct view *view, const struct subscriber *subscriber) {
  static const char *const phases[] = {"none carries", "one carries", "several carry",
                                       "one has landed"};
  const msgpack_object *centroidal = subscriber_latest(subscriber, "centroidal");
  const msgpack_object *meta = subscriber_latest(subscriber, "meta");
  const size_t feet = map_count(centroidal, "support_share");
  if (feet == 0) {
    return;
  }
  fputs("feet      ", view->out);
  for (size_t i = 0; i < feet; i++) {
    const double force = object_number(map_element(centroidal, "foot_force", i));
    fputs(i > 0 ? ", " : "", view->out);
    print_name(view->out, map_element(meta, "feet", i));
    fprintf(view->out, " %.2f", object_number(map_element(centroidal, "support_share", i)));
    if (!isnan(force)) {
      fprintf(view->out, " %.0f N", force);
    }
  }
  const double phase = map_number(centroidal, "support_phase", 4.0);
  const double margin = map_number(centroidal, "support_margin", (double)NAN);
  fprintf(view->out, "; %s", phase >= 0.0 && phase < 4.0 ? phases[(int)phase] : "?");
  if (!isnan(margin)) {
    fprintf(view->out, ", %.3f m from the edge", margin);
  }
  fputs(map_number(centroidal, "support_slips", 0.0) > 0.0 ? ", slips\n" : "\n", view->out);
}

static void print_forces(const struct view *view, const struct subscriber *subscriber) {
  const msgpack_object *centroidal = subscriber_latest(subscriber, "centroidal");
  if (map_find(centroidal, "contact_force") == NULL) {
    return;
  }
  print_vector(view->out, centroidal, "contact_force", "contact_force_sd", "forces N");
  if (map_number(centroidal, "push_active", 0.0) > 0.0) {
    print_vector(view->out, centroidal, "push_force", "push_force_sd", "   push N");
  } else {
    fprintf(view->out, "   %.0f pushes so far", map_number(centroidal, "push_count", 0.0));
  }
  fputc('\n', view->out);
}

static void print_biases(const struct view *view, const struct subscriber *subscriber) {
  const msgpack_object *state = subscriber_latest(subscriber, "state");
  if (map_find(state, "gyro_bias") == NULL) {
    return;
  }
  print_vector(view->out, state, "gyro_bias", "gyro_bias_sd", "bias rad/s");
  print_vector(view->out, state, "accelerometer_bias", "accelerometer_bias_sd", "   m/s^2");
  fputc('\n', view->out);
}

static void print_skin(const struct view *view, const struct subscriber *subscriber) {
  const msgpack_object *skin = subscriber_latest(subscriber, "skin");
  if (skin != NULL) {
    fputs("cells     ", view->out);
    view_cells(view, skin);
  }
}

/* "event       3 s ago: state: ok -> degraded" */
static void print_event(const struct view *view, const struct subscriber *subscriber) {
  const msgpack_object *event = subscriber_latest(subscriber, "event");
  if (event == NULL) {
    return;
  }
  char text[256];
  const double now_ns = map_number(subscriber_latest(subscriber, "diag"), "t_mono_ns", (double)NAN);
  fputs("event     ", view->out);
  view_age(view, fmax(0.0, 1e-9 * (now_ns - map_number(event, "t_mono_ns", now_ns))));
  fprintf(view->out, " ago: %s\n", map_text(event, "text", "?", text, sizeof(text)));
}

/* Lines of a section, drawn apart to see how many there are. */
static char *section_text(const struct view *view, const struct subscriber *subscriber,
                          void (*print)(const struct view *, const struct subscriber *)) {
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  const struct view apart = {out, view->colours, view->recent};
  print(&apart, subscriber);
  fclose(out);
  return text;
}

static int lines_of(const char *text) {
  int lines = 0;
  for (; *text != '\0'; text++) {
    lines += *text == '\n';
  }
  return lines;
}

void top_picture(const struct view *view, const struct subscriber *subscriber,
                 const struct cycle_rate *rate, bool silent, struct window window) {
  static void (*const sections[])(const struct view *, const struct subscriber *) = {
      print_feet, print_forces, print_event, print_skin, print_biases};
  enum { SECTIONS = sizeof(sections) / sizeof(sections[0]), HEAD = 6 };
  const msgpack_object *state = subscriber_latest(subscriber, "state");
  const size_t joints = map_count(state, "q");
  /* what is always there, and the rows that are left below it and the joints' heading */
  print_health(view, subscriber, rate, silent);
  print_balance(view->out, state, subscriber_latest(subscriber, "centroidal"),
                window.columns >= BALANCE);
  print_weights(view, subscriber_latest(subscriber, "inertia"));
  print_elsewhere(view->out, subscriber);
  const int left = window.rows - HEAD -
                   (int)map_count(subscriber_latest(subscriber, "inertia"), "mass") -
                   (strcmp(subscriber->connection.endpoint, CONNECTION_ENDPOINT) != 0) - 1;
  int spare = left - rows_in(joints, fitting_columns(window, COLUMN));
  /* sections as they fit, above the joints so that they stand still */
  for (int i = 0; i < SECTIONS; i++) {
    char *text = section_text(view, subscriber, sections[i]);
    const int lines = text != NULL ? lines_of(text) : 0;
    if (lines > 0 && lines <= spare) {
      fputs(text, view->out);
      spare -= lines;
    }
    free(text);
  }
  /* joints, with their deviations if all of them still fit */
  const int rows = spare + rows_in(joints, fitting_columns(window, COLUMN));
  const bool wide =
      window.columns + 2 >= WIDE && rows_in(joints, fitting_columns(window, WIDE)) <= rows;
  print_joints(view->out, subscriber_latest(subscriber, "meta"), state, rows,
               fitting_columns(window, wide ? WIDE : COLUMN), wide);
}
