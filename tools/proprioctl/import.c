/* proprioctl import: a log of another program as a recording. */
#include "exchange/import.h"

#include "commands.h"
#include "configured.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>

static const char help[] =
    "usage: proprioctl import [OPTION ...] --output RECORDING CONFIG LOG ...\n"
    "\n"
    "Makes a recording of the positions of all joints, and what else there is, in a\n"
    "log of another program: a table (columns of several files stand side by side),\n"
    "an MCAP file, or a rosbag2 (.db3). Stamps are kept, uneven as they are. Then:\n"
    "proprioctl replay --config CONFIG RECORDING\n"
    "\n"
    "options:\n"
    "  -o, --output FILE         the recording, which must not exist yet\n"
    "  -h, --help                print this\n"
    "\n"
    "columns of a table; @ stands for a joint's name, or for x, y, z; a list between\n"
    "commas has one for each joint; columns without names are called 1, 2, 3 ...; a\n"
    "column of the second file whose name the first has, too, is called 2:NAME\n"
    "      --time NAME           stamps (time, t, timestamp)\n"
    "      --time-scale S        seconds per unit of it (1)\n"
    "      --position PATTERN    (q_@, @_position, position_@, @.position, @)\n"
    "      --degrees             positions and velocities are in degrees\n"
    "      --velocity PATTERN    (dq_@, @_velocity ...)\n"
    "      --effort PATTERN      (tau_@, @_torque, effort_@ ...)\n"
    "      --specific-force PATTERN  of the IMU, m/s^2 (imu_acc_@, acc_@ ...)\n"
    "      --angular-rate PATTERN    of the IMU, rad/s (imu_gyro_@, gyro_@ ...)\n"
    "\n"
    "topics of an MCAP file or a rosbag2; without them the first of the type\n"
    "      --joints TOPIC        sensor_msgs/msg/JointState\n"
    "      --imu TOPIC           sensor_msgs/msg/Imu\n"
    "\n"
    "exit codes: 0 done, 1 a bad file or robot, 2 the command line makes no sense\n";

enum { TIME = 256, TIME_SCALE, POSITION, DEGREES, VELOCITY, EFFORT, FORCE, RATE, JOINTS, IMU };

struct order {
  struct import_map map;
  const char *output, *config;
  const char *const *logs; /* [n_logs] */
  size_t n_logs;
};

static bool take(struct order *order, int option) {
  struct import_map *map = &order->map;
  const double pi = 3.14159265358979323846;
  const char **text[] = {[TIME - TIME] = &map->time,
                         [POSITION - TIME] = &map->position,
                         [VELOCITY - TIME] = &map->velocity,
                         [EFFORT - TIME] = &map->effort,
                         [FORCE - TIME] = &map->specific_force,
                         [RATE - TIME] = &map->angular_rate,
                         [JOINTS - TIME] = &map->joints,
                         [IMU - TIME] = &map->imu};
  if (option == TIME_SCALE) {
    return number_option(optarg, 1e-12, 1e12, &map->time_scale);
  }
  if (option == DEGREES) {
    map->position_scale = pi / 180.0;
  } else if (option == 'o') {
    order->output = optarg;
  } else {
    *text[option - TIME] = optarg;
  }
  return true;
}

/* An exit code, or -1 when help was asked for. */
static int read_order(int argc, char **argv, struct order *order) {
  static const struct option options[] = {{"output", required_argument, NULL, 'o'},
                                          {"time", required_argument, NULL, TIME},
                                          {"time-scale", required_argument, NULL, TIME_SCALE},
                                          {"position", required_argument, NULL, POSITION},
                                          {"degrees", no_argument, NULL, DEGREES},
                                          {"velocity", required_argument, NULL, VELOCITY},
                                          {"effort", required_argument, NULL, EFFORT},
                                          {"specific-force", required_argument, NULL, FORCE},
                                          {"angular-rate", required_argument, NULL, RATE},
                                          {"joints", required_argument, NULL, JOINTS},
                                          {"imu", required_argument, NULL, IMU},
                                          {"help", no_argument, NULL, 'h'},
                                          {NULL, 0, NULL, 0}};
  *order = (struct order){.map = {.time_scale = 1.0, .position_scale = 1.0}};
  optind = 1;
  for (int option; (option = getopt_long(argc, argv, "o:h", options, NULL)) != -1;) {
    if (option == 'h') {
      fputs(help, stdout);
      return -1;
    }
    if (option == '?') {
      return option_error("import", argv);
    }
    if (!take(order, option)) {
      return usage_error("import", "--time-scale %s: no number", optarg);
    }
  }
  if (optind + 2 > argc || argc - optind - 1 > IMPORT_MOST_FILES) {
    return usage_error("import", "which configuration, and which log?");
  }
  order->config = argv[optind];
  order->logs = (const char *const *)argv + optind + 1;
  order->n_logs = (size_t)(argc - optind - 1);
  return order->output != NULL ? CTL_OK : usage_error("import", "--output FILE is needed");
}

/* By what the file begins with. */
static enum status read_log(const struct order *order, struct samples *samples,
                            struct message *error) {
  char head[16] = {0};
  FILE *file = fopen(order->logs[0], "rb");
  if (file != NULL) {
    (void)!fread(head, 1, sizeof(head), file);
    fclose(file);
  }
  if (memcmp(head, "\x89MCAP", 5) == 0) {
    return import_mcap(order->logs[0], &order->map, samples, error);
  }
  if (memcmp(head, "SQLite format 3", 15) == 0) {
    return import_rosbag(order->logs[0], &order->map, samples, error);
  }
  return import_table(order->logs, order->n_logs, &order->map, samples, error);
}

int run_import(int argc, char **argv) {
  struct order order;
  struct message error = {.text = "out of memory"};
  const int read = read_order(argc, argv, &order);
  if (read != CTL_OK) {
    return read < 0 ? CTL_OK : read;
  }
  struct generation *generation = configured(order.config);
  if (generation == NULL) {
    return CTL_FAILED;
  }
  struct samples samples = {.robot = generation->robot};
  const bool done = read_log(&order, &samples, &error) == STATUS_OK &&
                    samples_write(&samples, order.output, &error) == STATUS_OK;
  if (done) {
    printf("%s: %zu samples of the joints%s%s, %zu of an IMU\n", order.output,
           samples.n_joint_samples, samples.has_velocity ? ", with velocity" : "",
           samples.has_effort ? ", with effort" : "", samples.n_imu_samples);
  } else {
    fprintf(stderr, "%s\n", error.text);
  }
  samples_free(&samples);
  generation_free(generation);
  return done ? CTL_OK : CTL_FAILED;
}
