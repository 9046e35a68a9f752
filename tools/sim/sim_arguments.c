#include "sim_arguments.h"

#include "stock_robot.h"

#include <getopt.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define STAMP_HELP     "wrong by so much (0)"
#define MEASURED_HELP  "only so often, repeated between; 0: no (0)"
#define CONVERTER_HELP "step of the converter (0)"

/* Options that set one number: a row each, from which reading and --help come. */
static const struct number_row {
  const char *name, *argument, *help;
  size_t offset;    /* of a double in struct sim_options */
  double low, high; /* both allowed */
} numbers[] = {
#define NUMBER(name, member, low, high, argument, help)                                            \
  { name, argument, help, offsetof(struct sim_options, member), low, high }
    NUMBER("duration", duration_s, 0.0, 1e6, "S", "how long; 0: endless, headless its own (0)"),
    NUMBER("rate", frame_rate_hz, 1.0, 4000.0, "HZ",
           "frames a second (1000); streams of 1000 Hz keep up"),
    NUMBER("step", integration_step_s, 0.0, 1e-3, "S", "of integration; 0: as feet need it (0)"),
    NUMBER("rest", rest_s, 0.0, 1e6, "S", "at rest before anything moves (1)"),
    NUMBER("amplitude", amplitude, 0.0, 3.0, "X", "times the scenario's own motion (1)"),
    NUMBER("step-length", walk.step_length, -1.0, 1.0, "M", "forward per step; 0: by leg length"),
    NUMBER("step-side", walk.step_side, -0.5, 0.5, "M", "to the left per step (0)"),
    NUMBER("step-turn", walk.step_turn, -0.5, 0.5, "RAD", "to the left per step (0)"),
    NUMBER("step-time", walk.step_time, 0.0, 5.0, "S", "single support; 0: by leg length"),
    NUMBER("step-scatter", walk.scatter, 0.0, 0.1, "M", "footholds off by up to (0.01)"),
    NUMBER("strike-speed", walk.strike_speed, 0.0, 2.0, "M/S",
           "of the foot on the ground: 0 soft, 0.1 hard (0)"),
    NUMBER("encoder-noise", joints.white, 0.0, 1.0, "RAD", "one standard deviation (0)"),
    NUMBER("encoder-quantum", joints.quantum, 0.0, 1.0, "RAD", "step of the encoder (1.2e-5)"),
    NUMBER("encoder-zero", joints.zero, 0.0, 1.0, "RAD", "error of its zero, deviation (0)"),
    NUMBER("joint-flex", joints.flex, 0.0, 0.2, "RAD", "wound up by so much at full effort (0)"),
    NUMBER("joint-backlash", joints.backlash, 0.0, 0.2, "RAD", "play of the gear (0)"),
    NUMBER("joint-ripple", joints.ripple, 0.0, 0.1, "RAD", "gear's uneven running, peak (0)"),
    NUMBER("joint-ripple-waves", joints.ripple_waves, 1.0, 1e4, "X", "of it in a turn (200)"),
    NUMBER("torque-noise", joints.effort_white, 0.0, 1e3, "NM", "one standard deviation (0.2)"),
    NUMBER("torque-quantum", joints.effort_quantum, 0.0, 1e3, "NM", CONVERTER_HELP),
    NUMBER("torque-gain", joints.effort_gain, 0.0, 1.0, "X", "relative error per joint (0)"),
    NUMBER("torque-slow", joints.effort_coloured, 0.0, 1e3, "NM", "slow error, deviation (0)"),
    NUMBER("torque-corner", joints.effort_corner_hz, 0.01, 500.0, "HZ", "of the slow error (5)"),
    NUMBER("imu-noise", imu.force_white, 0.0, 100.0, "M/S2", "of the accelerometer (0.03)"),
    NUMBER("imu-bias", imu.force_bias, 0.0, 100.0, "M/S2", "of the accelerometer (0.02)"),
    NUMBER("imu-quantum", imu.force_quantum, 0.0, 100.0, "M/S2", CONVERTER_HELP),
    NUMBER("gyro-noise", imu.rate_white, 0.0, 10.0, "RAD/S", "of the gyroscope (0.002)"),
    NUMBER("gyro-bias", imu.rate_bias, 0.0, 10.0, "RAD/S", "of the gyroscope (0.002)"),
    NUMBER("gyro-quantum", imu.rate_quantum, 0.0, 10.0, "RAD/S", CONVERTER_HELP),
    NUMBER("imu-bias-x", imu.force_offset.x, -100.0, 100.0, "M/S2", "exactly, IMU axis x (0)"),
    NUMBER("imu-bias-y", imu.force_offset.y, -100.0, 100.0, "M/S2", "the same, y"),
    NUMBER("imu-bias-z", imu.force_offset.z, -100.0, 100.0, "M/S2", "the same, z"),
    NUMBER("gyro-bias-x", imu.rate_offset.x, -10.0, 10.0, "RAD/S", "exactly, IMU axis x (0)"),
    NUMBER("gyro-bias-y", imu.rate_offset.y, -10.0, 10.0, "RAD/S", "the same, y"),
    NUMBER("gyro-bias-z", imu.rate_offset.z, -10.0, 10.0, "RAD/S", "the same, z"),
    NUMBER("imu-x", imu.place.x, -1.0, 1.0, "M", "it sits so far off its frame, x (0)"),
    NUMBER("imu-y", imu.place.y, -1.0, 1.0, "M", "the same, y"),
    NUMBER("imu-z", imu.place.z, -1.0, 1.0, "M", "the same, z"),
    NUMBER("imu-turn-x", imu.turn.x, -3.2, 3.2, "RAD", "turned against its frame, x (0)"),
    NUMBER("imu-turn-y", imu.turn.y, -3.2, 3.2, "RAD", "the same, y"),
    NUMBER("imu-turn-z", imu.turn.z, -3.2, 3.2, "RAD", "the same, z"),
    NUMBER("imu-gain", imu.force_gain, 0.0, 0.2, "X", "accelerometer's, per axis (0)"),
    NUMBER("gyro-gain", imu.rate_gain, 0.0, 0.2, "X", "gyroscope's, per axis (0)"),
    NUMBER("imu-cross", imu.cross, 0.0, 0.2, "RAD", "axes lean to each other (0)"),
    NUMBER("gyro-per-g", imu.rate_per_g, 0.0, 0.1, "RAD/S", "of the gyroscope, by 9.81 m/s2 (0)"),
    NUMBER("imu-walk", imu.force_walk, 0.0, 10.0, "M/S2", "bias wanders so far in 10 min (0)"),
    NUMBER("gyro-walk", imu.rate_walk, 0.0, 1.0, "RAD/S", "the same, gyroscope (0)"),
    NUMBER("imu-filter", imu.filter_s, 0.0, 0.05, "S", "delay of its low-pass, untold (0)"),
    NUMBER("vibration", vibration.force, 0.0, 100.0, "M/S2",
           "of each link, rms per axis, 40-300 Hz (0)"),
    NUMBER("vibration-rate", vibration.rate, 0.0, 10.0, "RAD/S", "turning, the same (0)"),
    NUMBER("ringing", vibration.strike_force, 0.0, 100.0, "M/S2",
           "after the ground took the whole weight at once (0)"),
    NUMBER("ringing-rate", vibration.strike_rate, 0.0, 10.0, "RAD/S", "turning, the same (0)"),
    NUMBER("skin-noise", skin.white, 0.0, 100.0, "M/S2", "of each cell (0.05)"),
    NUMBER("skin-bias", skin.bias, 0.0, 100.0, "M/S2", "constant, per axis (0)"),
    NUMBER("skin-scale", skin.scale, 0.0, 1.0, "X", "relative, constant, per axis (0)"),
    NUMBER("skin-tilt", skin.orientation, 0.0, 3.0, "RAD", "mounting error per axis (0)"),
    NUMBER("skin-gain", skin.gain, -0.9, 1.0, "X", "error of every cell's gain (0)"),
    NUMBER("skin-link-gain", skin.link_gain, 0.0, 0.5, "X", "each link's own gain error (0)"),
    NUMBER("skin-link-tilt", skin.link_tilt, 0.0, 3.0, "RAD", "each link's skin turned (0)"),
    NUMBER("skin-link-delay", skin.link_delay, 0.0, SIM_LINK_DELAY_MAX, "S",
           "links sampled up to so much early (0)"),
    NUMBER("skin-filter", skin.filter_s, 0.0, 0.05, "S", "delay of each cell's low-pass (0)"),
    NUMBER("skin-range", skin.saturation, 0.0, 1e4, "M/S2", "largest reading; 0: none (0)"),
    NUMBER("skin-quantum", skin.quantum, 0.0, 100.0, "M/S2", CONVERTER_HELP),
    NUMBER("skin-dead", skin.dead, 0.0, 1.0, "SHARE", "cells that read -1 -1 -1 (0)"),
    NUMBER("skin-stuck", skin.stuck, 0.0, 1.0, "SHARE", "cells that never change (0)"),
    NUMBER("skin-drop", skin.drop, 0.0, 1.0, "SHARE", "readings marked invalid (0)"),
    NUMBER("skin-touches", skin.touch_rate_hz, 0.0, 100.0, "HZ", "touches of cells (0)"),
    NUMBER("force-noise", wrench.force_white, 0.0, 1e3, "N", "of wrench sensors (0.5)"),
    NUMBER("force-bias", wrench.force_bias, 0.0, 1e3, "N", "of their forces, deviation (0)"),
    NUMBER("moment-bias", wrench.moment_bias, 0.0, 1e3, "NM", "of their moments (0)"),
    NUMBER("force-gain", wrench.gain, 0.0, 0.5, "X", "of each component, deviation (0)"),
    NUMBER("force-crosstalk", wrench.crosstalk, 0.0, 0.5, "X", "between components (0)"),
    NUMBER("force-quantum", wrench.force_quantum, 0.0, 1e3, "N", CONVERTER_HELP),
    NUMBER("moment-quantum", wrench.moment_quantum, 0.0, 1e3, "NM", CONVERTER_HELP),
    NUMBER("force-drift", wrench.force_drift, -10.0, 10.0, "N/S", "of their vertical force (0)"),
    NUMBER("imu-latency", stream[PROPRIOD_SHM_IMU].latency_s, 0.0, 1.0, "S", "as in --imu (0)"),
    NUMBER("skin-latency", stream[PROPRIOD_SHM_SKIN].latency_s, 0.0, 1.0, "S",
           "as in --skin (0.002)"),
    NUMBER("skin-rate", stream[PROPRIOD_SHM_SKIN].rate_hz, 0.0, 4000.0, "HZ", "as in --skin (250)"),
    NUMBER("joints-measured", stream[PROPRIOD_SHM_JOINTS].measured_hz, 0.0, 4000.0, "HZ",
           MEASURED_HELP),
    NUMBER("imu-measured", stream[PROPRIOD_SHM_IMU].measured_hz, 0.0, 4000.0, "HZ", MEASURED_HELP),
    NUMBER("skin-measured", stream[PROPRIOD_SHM_SKIN].measured_hz, 0.0, 4000.0, "HZ",
           "the same, cells in turn"),
    NUMBER("wrench-measured", stream[PROPRIOD_SHM_WRENCH].measured_hz, 0.0, 4000.0, "HZ",
           MEASURED_HELP),
    NUMBER("joints-stamp", stream[PROPRIOD_SHM_JOINTS].stamp_error_s, -1.0, 1.0, "S", STAMP_HELP),
    NUMBER("imu-stamp", stream[PROPRIOD_SHM_IMU].stamp_error_s, -1.0, 1.0, "S", STAMP_HELP),
    NUMBER("skin-stamp", stream[PROPRIOD_SHM_SKIN].stamp_error_s, -1.0, 1.0, "S", STAMP_HELP),
    NUMBER("wrench-stamp", stream[PROPRIOD_SHM_WRENCH].stamp_error_s, -1.0, 1.0, "S", STAMP_HELP),
    NUMBER("body-length", body.length, 0.0, 0.1, "M", "joints off their place, per axis (0)"),
    NUMBER("body-tilt", body.tilt, 0.0, 0.5, "RAD", "joint frames turned, per axis (0)"),
    NUMBER("body-mass", body.mass, 0.0, 0.5, "SHARE", "links heavier or lighter (0)"),
    NUMBER("body-com", body.com, 0.0, 0.1, "M", "centres of mass off, per axis (0)"),
    NUMBER("body-friction", body.friction, 0.0, 1.0, "SHARE", "joints rougher or smoother (0)"),
    NUMBER("ground-time", ground.time_s, 0.0, 0.2, "S", "gives way; 0: by the scenario (0)"),
    NUMBER("ground-damping", ground.damping, 0.0, 2.0, "X", "ratio; below 1 feet rebound (1)"),
    NUMBER("ground-friction", ground.friction, 0.0, 5.0, "X", "coefficient (1)"),
    NUMBER("ground-uneven", ground.uneven, 0.0, 0.05, "M", "footholds higher or lower (0)"),
    NUMBER("ground-slope", ground.slope, 0.0, 0.2, "RAD", "footholds tilted (0)"),
    NUMBER("ground-climb", ground.climb, 0.0, 0.1, "RAD", "rises after some steps (0)"),
    NUMBER("ground-ramp", ground.ramp, -0.5, 0.5, "RAD", "all of it rises ahead (0)"),
    NUMBER("payload-mass", payload.mass, 0.0, 1e3, "KG", "with --payload; its mean"),
    NUMBER("payload-amplitude", payload.amplitude, 0.0, 1e3, "KG", "about the mean"),
    NUMBER("payload-rate", payload.rate_hz, 0.0, 100.0, "HZ", "of the variation"),
    NUMBER("payload-attach", payload.attach_s, 0.0, 1e6, "S", "taken up at"),
    NUMBER("payload-release", payload.release_s, 0.0, 1e6, "S", "put down at; 0: never"),
    NUMBER("payload-x", payload.com.x, -10.0, 10.0, "M", "its centre in the link's frame, x"),
    NUMBER("payload-y", payload.com.y, -10.0, 10.0, "M", "the same, y"),
    NUMBER("payload-z", payload.com.z, -10.0, 10.0, "M", "the same, z"),
    NUMBER("push-x", push.force_W.x, -1e4, 1e4, "N", "peak of the push, forward"),
    NUMBER("push-y", push.force_W.y, -1e4, 1e4, "N", "to the left"),
    NUMBER("push-start", push.start_s, 0.0, 1e6, "S", "when"),
    NUMBER("push-duration", push.duration_s, 0.0, 100.0, "S", "how long (0.2)"),
#undef NUMBER
};
enum { N_NUMBERS = sizeof(numbers) / sizeof(numbers[0]) };

enum {
  OPTION_NUMBER = 1000,
  OPTION_STREAM = 2000,
  OPTION_SEED = 3000,
  OPTION_FOLDER,
  OPTION_SEGMENT,
  OPTION_HEADLESS,
  OPTION_RECORD,
  OPTION_IDEAL,
  OPTION_QUIET,
  OPTION_VELOCITY,
  OPTION_ORIENTATION,
  OPTION_PAYLOAD,
  OPTION_WAVE,
  OPTION_ARRIVAL
};

static const struct option named[] = {
    {"config", required_argument, NULL, 'c'},
    {"robot", required_argument, NULL, 'r'},
    {"scenario", required_argument, NULL, 's'},
    {"truth", required_argument, NULL, 't'},
    {"list", no_argument, NULL, 'l'},
    {"help", no_argument, NULL, 'h'},
    {"version", no_argument, NULL, 'V'},
    {"seed", required_argument, NULL, OPTION_SEED},
    {"robots", required_argument, NULL, OPTION_FOLDER},
    {"segment", required_argument, NULL, OPTION_SEGMENT},
    {"headless", no_argument, NULL, OPTION_HEADLESS},
    {"record", required_argument, NULL, OPTION_RECORD},
    {"ideal", no_argument, NULL, OPTION_IDEAL},
    {"quiet", no_argument, NULL, OPTION_QUIET},
    {"encoder-velocity", no_argument, NULL, OPTION_VELOCITY},
    {"imu-orientation", no_argument, NULL, OPTION_ORIENTATION},
    {"arrival-stamps", no_argument, NULL, OPTION_ARRIVAL},
    {"payload", required_argument, NULL, OPTION_PAYLOAD},
    {"payload-wave", required_argument, NULL, OPTION_WAVE},
};
enum { N_NAMED = sizeof(named) / sizeof(named[0]) };

void sim_arguments_print_list(FILE *out) {
  for (size_t i = 0; sim_scenario_at(i) != NULL; i++) {
    fprintf(out, "  %-12s %s\n", sim_scenario_at(i), sim_scenario_help(sim_scenario_at(i)));
  }
}

void sim_arguments_print_help(FILE *out) {
  fputs("usage: propriod-sim [OPTION ...]\n"
        "\n"
        "Simulates a robot and feeds its sensors to propriod through shared memory, at\n"
        "the pace of the wall clock; or, headless, as fast as it can into files.\n"
        "\n"
        "robot and scenario:\n"
        "  -c, --config FILE        the robot and segment of this configuration\n"
        "                           (default " SIM_DEFAULT_CONFIG ")\n"
        "  -r, --robot NAME         one that comes with propriod, one of\n"
        "                          ",
        out);
  for (size_t i = 0; stock_robot_name(i) != NULL; i++) {
    fprintf(out, " %s", stock_robot_name(i));
  }
  fputs("\n"
        "                           (NAME-bare: without its skin)\n"
        "      --robots DIR         folder of these robots\n"
        "  -s, --scenario NAME      what it does (walk); --list shows all\n"
        "      --seed N             of everything random (1)\n"
        "\n"
        "output:\n"
        "      --segment NAME       shared memory to feed (propriod)\n"
        "      --headless           no shared memory, no waiting\n"
        "  -t, --truth FILE         what is true, as CSV with a line per frame\n"
        "      --record FILE        sensor frames, for replays\n"
        "      --quiet              no status line\n"
        "  -l, --list               scenarios, end\n"
        "  -h, --help               this, end\n"
        "  -V, --version            the version, end\n"
        "\n"
        "sensors:\n"
        "      --joints, --imu, --skin, --wrench RATE[:LATENCY[:JITTER[:LOSS]]]\n"
        "                           Hz, s, s, share; skin 250:0.002, the others 1000\n"
        "      --ideal              without any error or delay; options behind it add\n"
        "                           some\n"
        "      --arrival-stamps     stamps are the instants of arrival, jitter and all\n"
        "      --encoder-velocity   the joints stream has velocities\n"
        "      --imu-orientation    the IMU gives its orientation\n"
        "\n"
        "payload:\n"
        "      --payload LINK       taken up by this link or frame, in any scenario\n"
        "      --payload-wave WAVE  constant, sine or square\n"
        "\n"
        "numbers (defaults in parentheses):\n",
        out);
  for (int i = 0; i < N_NUMBERS; i++) {
    const int width = 18 - (int)strlen(numbers[i].name);
    fprintf(out, "      --%s %-*s  %s\n", numbers[i].name, width, numbers[i].argument,
            numbers[i].help);
  }
  fputs("\nexit status:\n"
        "  0   the time was over, or ended by SIGINT or SIGTERM\n"
        "  1   could not start, write a file, or the physics blew up; standard error\n"
        "      says why\n"
        "  2   the command line makes no sense\n",
        out);
}

static bool complain(const char *option, const char *value, const char *what) {
  fprintf(stderr, "propriod-sim: --%s %s: %s\n", option, value, what);
  return false;
}

static bool read_number(const char *name, const char *text, double low, double high,
                        double *number) {
  char *end;
  const double value = strtod(text, &end);
  if (end == text || *end != '\0') {
    return complain(name, text, "not a number");
  }
  if (!(value >= low && value <= high)) {
    fprintf(stderr, "propriod-sim: --%s %s: must be within %g and %g\n", name, text, low, high);
    return false;
  }
  *number = value;
  return true;
}

static bool take_number(const struct number_row *row, const char *text,
                        struct sim_options *options) {
  double value;
  if (!read_number(row->name, text, row->low, row->high, &value)) {
    return false;
  }
  memcpy((char *)options + row->offset, &value, sizeof(value));
  return true;
}

/* RATE[:LATENCY[:JITTER[:LOSS]]] */
static bool take_stream(const char *name, const char *text, struct sim_stream_options *stream) {
  double part[4] = {stream->rate_hz, 0.0, 0.0, 0.0};
  const char *at = text;
  for (int i = 0; i < 4 && at != NULL; i++) {
    char *end;
    part[i] = strtod(at, &end);
    if (end == at || (*end != ':' && *end != '\0')) {
      return complain(name, text, "expected RATE[:LATENCY[:JITTER[:LOSS]]]");
    }
    at = *end == ':' ? end + 1 : NULL;
  }
  if (at != NULL) {
    return complain(name, text, "more than four parts");
  }
  stream->rate_hz = part[0];
  stream->latency_s = part[1];
  stream->jitter_s = part[2];
  stream->loss = part[3];
  return true; /* sim_create knows the limits */
}

bool sim_arguments_set(const char *name, const char *text, struct sim_options *options) {
  for (int i = 0; i < N_NUMBERS; i++) {
    if (strcmp(numbers[i].name, name) == 0) {
      return take_number(&numbers[i], text, options);
    }
  }
  for (int i = 0; i < PROPRIOD_SHM_STREAMS; i++) {
    if (strcmp(propriod_shm_name((unsigned)i), name) == 0) {
      return take_stream(name, text, &options->stream[i]);
    }
  }
  return complain(name, text, "no such number or stream; propriod-sim --help has them all");
}

static bool take_scenario(const char *text, struct sim_options *options) {
  options->scenario = text;
  return sim_scenario_help(text) != NULL || complain("scenario", text, "unknown; --list shows all");
}

static bool take_seed(const char *text, struct sim_options *options) {
  char *end;
  options->seed = strtoull(text, &end, 10);
  return (end != text && *end == '\0') || complain("seed", text, "not a whole number");
}

static bool take_wave(const char *text, struct sim_options *options) {
  static const char *const names[] = {"constant", "sine", "square"};
  for (int i = 0; i < 3; i++) {
    if (strcmp(names[i], text) == 0) {
      options->payload.waveform = (enum sim_waveform)i;
      return true;
    }
  }
  return complain("payload-wave", text, "constant, sine or square");
}

/* Options that say where things are and what happens. */
static bool take_place(int option, const char *text, struct sim_arguments *arguments) {
  switch (option) {
  case 'c':
    arguments->config = text;
    return true;
  case 'r':
    arguments->robot_name = text;
    return true;
  case 't':
    arguments->truth = text;
    return true;
  case OPTION_FOLDER:
    arguments->folder = text;
    return true;
  case OPTION_SEGMENT:
    arguments->segment = text;
    return true;
  case OPTION_RECORD:
    arguments->record = text;
    return true;
  case 'l':
    arguments->action = SIM_ACTION_LIST;
    return true;
  case 'h':
    arguments->action = SIM_ACTION_HELP;
    return true;
  case 'V':
    arguments->action = SIM_ACTION_VERSION;
    return true;
  default: /* getopt has said what was wrong */
    fputs("propriod-sim --help explains\n", stderr);
    return false;
  }
}

/* Streams that were as fast as frames are so still, unless told otherwise later. */
static bool take_frame_rate(const struct number_row *row, const char *text,
                            struct sim_options *options) {
  const double usual = 1000.0;
  if (!take_number(row, text, options)) {
    return false;
  }
  for (int i = 0; i < PROPRIOD_SHM_STREAMS; i++) {
    struct sim_stream_options *stream = &options->stream[i];
    if (stream->rate_hz == usual && options->frame_rate_hz > usual) {
      stream->rate_hz = options->frame_rate_hz;
    }
  }
  return true;
}

static bool take(int option, const char *text, struct sim_arguments *arguments) {
  struct sim_options *options = &arguments->options;
  if (option >= OPTION_NUMBER && option < OPTION_NUMBER + N_NUMBERS) {
    const struct number_row *row = &numbers[option - OPTION_NUMBER];
    return row->offset == offsetof(struct sim_options, frame_rate_hz)
               ? take_frame_rate(row, text, options)
               : take_number(row, text, options);
  }
  if (option >= OPTION_STREAM && option < OPTION_STREAM + PROPRIOD_SHM_STREAMS) {
    const int i = option - OPTION_STREAM;
    return take_stream(propriod_shm_name((unsigned)i), text, &options->stream[i]);
  }
  switch (option) {
  case 's':
    return take_scenario(text, options);
  case OPTION_SEED:
    return take_seed(text, options);
  case OPTION_WAVE:
    return take_wave(text, options);
  case OPTION_PAYLOAD:
    options->payload.link = text;
    return true;
  case OPTION_HEADLESS:
    arguments->headless = true;
    return true;
  case OPTION_QUIET:
    arguments->quiet = true;
    return true;
  case OPTION_IDEAL:
    sim_make_ideal(options);
    return true;
  case OPTION_ARRIVAL:
    for (int i = 0; i < PROPRIOD_SHM_STREAMS; i++) {
      options->stream[i].arrival_stamps = true;
    }
    return true;
  case OPTION_VELOCITY:
    options->joints.has_velocity = true;
    return true;
  case OPTION_ORIENTATION:
    options->imu.has_orientation = true;
    return true;
  default:
    return take_place(option, text, arguments);
  }
}

/* getopt's table: the named options, then streams and numbers. */
static void build_options(struct option *all) {
  memcpy(all, named, sizeof(named));
  struct option *next = all + N_NAMED;
  for (int i = 0; i < PROPRIOD_SHM_STREAMS; i++) {
    *next++ =
        (struct option){propriod_shm_name((unsigned)i), required_argument, NULL, OPTION_STREAM + i};
  }
  for (int i = 0; i < N_NUMBERS; i++) {
    *next++ = (struct option){numbers[i].name, required_argument, NULL, OPTION_NUMBER + i};
  }
  *next = (struct option){0};
}

bool sim_arguments_read(int argc, char **argv, struct sim_arguments *arguments) {
  struct option all[N_NAMED + PROPRIOD_SHM_STREAMS + N_NUMBERS + 1];
  build_options(all);
  *arguments = (struct sim_arguments){.options = sim_defaults(NULL, NULL, "walk")};
  for (int option; (option = getopt_long(argc, argv, "c:r:s:t:lhV", all, NULL)) != -1;) {
    if (!take(option, optarg, arguments)) {
      return false;
    }
  }
  if (optind < argc) {
    fprintf(stderr, "propriod-sim: %s: no arguments are taken\n", argv[optind]);
    return false;
  }
  if (arguments->config != NULL && arguments->robot_name != NULL) {
    fputs("propriod-sim: either --config or --robot\n", stderr);
    return false;
  }
  return true;
}
