/* proprioctl tune: noise of the sensors from a robot at rest, liveliness of its joints from a robot
 * in motion. */
#include "cell_scatter.h"
#include "commands.h"
#include "configured.h"
#include "frame_source.h"
#include "sensors/noise_fit.h"

#include <getopt.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

static const char help[] =
    "usage: proprioctl tune [OPTION ...] CONFIG\n"
    "\n"
    "Measures the noise of encoders, IMU and skin, and prints it as the section\n"
    "`motion` of a configuration. Let the robot rest meanwhile. An encoder that\n"
    "comes in steps has at least their noise. With --motion the skin has at least\n"
    "the noise by which its cells scatter about the motion of their links, and it is\n"
    "suggested how lively joints move: the density of white snap that makes the\n"
    "recorded encoder readings most likely, median over the joints.\n"
    "\n"
    "options:\n"
    "  -r, --recording FILE  frames at rest from a recording, not the running robot\n"
    "  -m, --motion FILE     recording of ordinary motion\n"
    "      --seconds S       how long to listen to the running robot (default 10)\n"
    "  -h, --help            print this\n"
    "\n"
    "exit codes: 0 done, 1 too few frames or a bad file, 2 the command line makes\n"
    "no sense, 3 no daemon or no frames, 4 this user may not\n";

static const double DENSITY_LOW = 1e-3, DENSITY_HIGH = 1e12; /* (rad/s^4)^2 s */

struct options {
  const char *config, *recording, *motion;
  double seconds;
};

static int read_options(int argc, char **argv, struct options *options) {
  static const struct option long_options[] = {{"recording", required_argument, NULL, 'r'},
                                               {"motion", required_argument, NULL, 'm'},
                                               {"seconds", required_argument, NULL, 's'},
                                               {"help", no_argument, NULL, 'h'},
                                               {NULL, 0, NULL, 0}};
  *options = (struct options){.seconds = 10.0};
  optind = 1;
  for (int option; (option = getopt_long(argc, argv, "r:m:h", long_options, NULL)) != -1;) {
    switch (option) {
    case 'r':
      options->recording = optarg;
      break;
    case 'm':
      options->motion = optarg;
      break;
    case 's':
      if (!number_option(optarg, 0.1, 3600.0, &options->seconds)) {
        return usage_error("tune", "--seconds %s: not within 0.1 .. 3600", optarg);
      }
      break;
    case 'h':
      fputs(help, stdout);
      return -1;
    default:
      return option_error("tune", argv);
    }
  }
  if (optind + 1 != argc) {
    return usage_error("tune", "which configuration?");
  }
  options->config = argv[optind];
  return CTL_OK;
}

/* One fit per joint; three each for gyro and accelerometer; three per cell. */
struct rest {
  struct noise_fit *joint, *cell;
  struct noise_fit gyro[3], accelerometer[3];
};

static void add3(struct noise_fit fit[3], double x, double y, double z) {
  noise_fit_add(&fit[0], x);
  noise_fit_add(&fit[1], y);
  noise_fit_add(&fit[2], z);
}

/* Encoders that come in steps, at rest and in motion. */
struct steps {
  double last[MODEL_MAX_JOINTS]; /* rad: reading before */
  double step[MODEL_MAX_JOINTS]; /* rad: smallest change seen; 0: none */
  bool begun;
};

static void note_steps(struct steps *steps, const struct joints_reading *joints, size_t n) {
  for (size_t j = 0; j < n; j++) {
    const double change = fabs(joints->q[j] - steps->last[j]), least = steps->step[j];
    if (steps->begun && change > 0.0 && (least == 0.0 || change < least)) {
      steps->step[j] = change;
    }
    steps->last[j] = joints->q[j];
  }
  steps->begun = true;
}

static void listen(struct rest *rest, struct steps *steps, const struct robot *robot,
                   struct frame_source *source, double seconds) {
  const struct sensor_frame *frame;
  int64_t first_ns = 0;
  while ((frame = frame_source_next(source)) != NULL) {
    first_ns = first_ns == 0 ? frame->t_ns : first_ns;
    if (frame_source_is_live(source) && (double)(frame->t_ns - first_ns) * 1e-9 > seconds) {
      return;
    }
    if (frame->joints.stamp.fresh) {
      note_steps(steps, &frame->joints, robot->model.n_joints);
    }
    for (size_t j = 0; j < robot->model.n_joints && frame->joints.stamp.fresh; j++) {
      noise_fit_add(&rest->joint[j], frame->joints.q[j]);
    }
    if (frame->imu.stamp.fresh) {
      const vec3 w = frame->imu.angular_rate, f = frame->imu.specific_force;
      add3(rest->gyro, w.x, w.y, w.z);
      add3(rest->accelerometer, f.x, f.y, f.z);
    }
    for (size_t k = 0; k < robot->n_cells && frame->skin.stamp.fresh; k++) {
      const float *a = frame->skin.acceleration + 3 * k;
      if ((frame->skin.flags[k] & CELL_VALID) != 0) {
        add3(rest->cell + 3 * k, (double)a[0], (double)a[1], (double)a[2]);
      }
    }
  }
}

static int by_value(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Median deviation of the signals that said enough; -1 when none did. A dead sensor has no noise
 * and does not count. */
static double median_deviation(const struct noise_fit *fit, size_t n) {
  double *deviation = malloc((n + 1) * sizeof(double));
  size_t found = 0;
  for (size_t i = 0; i < n && deviation != NULL; i++) {
    if (noise_fit_deviation(&fit[i], &deviation[found]) == STATUS_OK && deviation[found] > 0.0) {
      found++;
    }
  }
  if (found > 0) {
    qsort(deviation, found, sizeof(double), by_value);
  }
  const double median = found > 0 ? deviation[found / 2] : -1.0;
  free(deviation);
  return median;
}

static void print_noise(const char *key, double deviation, const char *what) {
  if (deviation > 0.0) {
    printf("  %s: %.3g\n", key, deviation);
  } else {
    printf("  # %s: %s said too little, or is without noise\n", key, what);
  }
}

/* What was measured, -1 where a sensor said too little. */
struct noise {
  double encoder, gyro, accelerometer, cell; /* rad, rad/s, m/s^2, m/s^2 */
};

static void print_section(const struct noise *noise) {
  printf("motion:\n");
  print_noise("encoder_noise", noise->encoder, "the encoders");
  print_noise("gyro_noise", noise->gyro, "the gyroscope");
  print_noise("accelerometer_noise", noise->accelerometer, "the accelerometer");
  print_noise("cell_noise", noise->cell, "the skin");
}

/* What a step of the median encoder rounds away, one standard deviation; 0: none has stepped. */
static double rounding(const struct steps *steps, size_t n_joints) {
  double step[MODEL_MAX_JOINTS];
  size_t found = 0;
  for (size_t j = 0; j < n_joints; j++) {
    if (steps->step[j] > 0.0) {
      step[found++] = steps->step[j];
    }
  }
  qsort(step, found, sizeof(double), by_value);
  return found > 0 ? step[found / 2] / sqrt(12.0) : 0.0;
}

static int measure_rest(const struct generation *generation, const struct options *options,
                        struct steps *steps, struct noise *noise) {
  const struct robot *robot = generation->robot;
  const size_t n = robot->model.n_joints;
  struct frame_source *source = NULL;
  struct rest rest = {.joint = calloc(n, sizeof(struct noise_fit)),
                      .cell = calloc(3 * robot->n_cells + 1, sizeof(struct noise_fit))};
  int result = rest.joint != NULL && rest.cell != NULL ? CTL_OK : CTL_FAILED;
  if (result == CTL_OK) {
    result = frame_source_open(&source, generation, options->recording);
  }
  if (result == CTL_OK) {
    listen(&rest, steps, robot, source, options->seconds);
    noise->encoder = fmax(median_deviation(rest.joint, n), rounding(steps, n));
    noise->gyro = median_deviation(rest.gyro, 3);
    noise->accelerometer = median_deviation(rest.accelerometer, 3);
    noise->cell = median_deviation(rest.cell, 3 * robot->n_cells);
    if (rest.joint[0].n < NOISE_FIT_MIN_SAMPLES) {
      fprintf(stderr, "%zu frames of joints, at least %d are needed\n", rest.joint[0].n,
              NOISE_FIT_MIN_SAMPLES);
      result = options->recording == NULL ? CTL_UNREACHABLE : CTL_FAILED;
    }
  }
  frame_source_close(source);
  free(rest.joint);
  free(rest.cell);
  return result;
}

/* In motion the skin is believed no better than its cells scatter, and encoders show their steps.
 */
static int measure_motion(struct generation *generation, const struct options *options,
                          struct steps *steps, struct noise *noise) {
  struct frame_source *source = NULL;
  struct cell_scatter *scatter = cell_scatter_create(generation);
  const struct sensor_frame *frame;
  const size_t n = generation->robot->model.n_joints;
  int result = CTL_FAILED;
  if (scatter != NULL) {
    result = frame_source_open(&source, generation, options->motion);
  }
  while (result == CTL_OK && (frame = frame_source_next(source)) != NULL) {
    cell_scatter_add(scatter, frame);
    if (frame->joints.stamp.fresh) {
      note_steps(steps, &frame->joints, n);
    }
  }
  if (result == CTL_OK) {
    noise->encoder = fmax(noise->encoder, rounding(steps, n));
    noise->cell = fmax(noise->cell, cell_scatter_median(scatter));
  }
  frame_source_close(source);
  cell_scatter_free(scatter);
  return result;
}

/* Encoder readings of a recording, [joint][frame]. */
struct readings {
  double *q;
  size_t n, capacity;
  double dt;
};

static bool read_motion(struct readings *r, size_t n_joints, struct frame_source *source) {
  const struct sensor_frame *frame;
  int64_t first_ns = 0, last_ns = 0;
  r->capacity = 20000; /* 20 s at 1 kHz settle a density to some percent */
  r->q = malloc(n_joints * r->capacity * sizeof(double));
  while (r->q != NULL && r->n < r->capacity && (frame = frame_source_next(source)) != NULL) {
    if (frame->joints.stamp.fresh) {
      first_ns = r->n == 0 ? frame->joints.stamp.t_ns : first_ns;
      last_ns = frame->joints.stamp.t_ns;
      for (size_t j = 0; j < n_joints; j++) {
        r->q[j * r->capacity + r->n] = frame->joints.q[j];
      }
      r->n++;
    }
  }
  r->dt = r->n > 1 ? (double)(last_ns - first_ns) * 1e-9 / (double)(r->n - 1) : 0.0;
  return r->q != NULL;
}

static int suggest_density(const struct generation *generation, const struct options *options,
                           double noise) {
  const struct model *model = &generation->robot->model;
  struct frame_source *source = NULL;
  struct readings readings = {0};
  int result = frame_source_open(&source, generation, options->motion);
  if (result != CTL_OK) {
    return result;
  }
  double density[MODEL_MAX_JOINTS];
  size_t found = 0;
  if (read_motion(&readings, model->n_joints, source)) {
    for (size_t j = 0; j < model->n_joints; j++) {
      const double *q = readings.q + j * readings.capacity;
      if (snap_density_fit(q, readings.n, readings.dt, noise, DENSITY_LOW, DENSITY_HIGH,
                           &density[found]) == STATUS_OK &&
          density[found] > 2.0 * DENSITY_LOW) { /* a joint that did not move says nothing */
        printf("  # %s: %.2g\n", model->joint[j].name, density[found]);
        found++;
      }
    }
  }
  if (found > 0) {
    qsort(density, found, sizeof(double), by_value);
    printf("  snap_density: %.2g\n", density[found / 2]);
  } else {
    fprintf(stderr, "%s: no joint moved enough to tell how lively it is\n", options->motion);
    result = CTL_FAILED;
  }
  free(readings.q);
  frame_source_close(source);
  return result;
}

int run_tune(int argc, char **argv) {
  struct options options;
  int result = read_options(argc, argv, &options);
  if (result != CTL_OK) {
    return result < 0 ? CTL_OK : result;
  }
  struct generation *generation = configured(options.config);
  if (generation == NULL) {
    return CTL_FAILED;
  }
  const double encoder_noise = generation->settings.pipeline.joints.encoder_noise;
  static struct steps steps;
  struct noise noise = {-1.0, -1.0, -1.0, -1.0};
  result = measure_rest(generation, &options, &steps, &noise);
  if (result == CTL_OK && options.motion != NULL) {
    result = measure_motion(generation, &options, &steps, &noise);
  }
  if (result == CTL_OK) {
    print_section(&noise);
  }
  if (result == CTL_OK && options.motion != NULL) {
    result =
        suggest_density(generation, &options, noise.encoder > 0.0 ? noise.encoder : encoder_noise);
  }
  generation_free(generation);
  return result;
}
