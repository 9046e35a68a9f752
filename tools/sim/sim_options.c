#include "sim_options.h"

#include <math.h>

struct sim_options sim_defaults(const struct robot *robot, const char *urdf_path,
                                const char *scenario) {
  return (struct sim_options){
      .robot = robot,
      .urdf_path = urdf_path,
      .scenario = scenario,
      .seed = 1,
      .frame_rate_hz = 1000.0,
      .rest_s = 1.0,
      .amplitude = 1.0,
      .t0_ns = 1000000000,
      .stream = {[PROPRIOD_SHM_JOINTS] = {.rate_hz = 1000.0},
                 [PROPRIOD_SHM_IMU] = {.rate_hz = 1000.0},
                 [PROPRIOD_SHM_SKIN] = {.rate_hz = 250.0, .latency_s = 0.002},
                 [PROPRIOD_SHM_WRENCH] = {.rate_hz = 1000.0}},
      .walk = {.scatter = 0.01},
      .joints = {.quantum = 2.0 * M_PI / (1 << 19), /* encoders of 19 bits */
                 .has_effort = true,
                 .effort_white = 0.2,
                 .effort_corner_hz = 5.0,
                 .ripple_waves = 200.0},
      .imu = {.force_white = 0.03, .force_bias = 0.02, .rate_white = 0.002, .rate_bias = 0.002},
      .skin = {.white = 0.05, .has_proximity = true, .has_force = true},
      .wrench = {.force_white = 0.5, .moment_white = 0.02},
  };
}

void sim_make_ideal(struct sim_options *options) {
  const struct sim_options nominal = *options;
  options->joints = (struct sim_joint_noise){.has_velocity = nominal.joints.has_velocity,
                                             .has_effort = nominal.joints.has_effort,
                                             .ripple_waves = nominal.joints.ripple_waves};
  options->imu = (struct sim_imu_noise){.has_orientation = nominal.imu.has_orientation};
  options->skin = (struct sim_skin_noise){.has_proximity = nominal.skin.has_proximity,
                                          .has_force = nominal.skin.has_force};
  options->wrench = (struct sim_wrench_noise){0};
  options->vibration = (struct sim_vibration){0};
  options->body = (struct sim_body_error){0};
  for (int i = 0; i < PROPRIOD_SHM_STREAMS; i++) {
    options->stream[i] = (struct sim_stream_options){.rate_hz = nominal.stream[i].rate_hz};
  }
}

#define STEP_MIN      1e-5   /* s, integration step */
#define STEP_MAX      1e-3   /* s, and what every longer period is a multiple of */
#define RATE_MAX      4000.0 /* Hz, of frames */
#define DELAY_MAX     1.0    /* s */
#define AMPLITUDE_MAX 3.0

static enum status refuse(struct message *error, const char *option, double value,
                          const char *limit) {
  message_set(error, "%s: %g, but it must be %s", option, value, limit);
  return STATUS_BAD_ARGUMENT;
}

/* Whether a whole number of `part` seconds makes `whole`, to the nanosecond. */
static bool is_multiple(double whole, double part) {
  const long long n = llround(1e9 * whole), d = llround(1e9 * part);
  return d > 0 && n >= d && n % d == 0;
}

double sim_sensor_period(const struct sim_options *options) {
  return fmin(STEP_MAX, 1.0 / options->frame_rate_hz);
}

/* Frames of whole milliseconds, or of a whole part of one. */
static bool is_frame_rate(double rate_hz) {
  return rate_hz > 0.0 && rate_hz <= RATE_MAX &&
         (is_multiple(1.0 / rate_hz, STEP_MAX) || is_multiple(STEP_MAX, 1.0 / rate_hz));
}

static enum status check_stream(const struct sim_stream_options *stream, double sensor_period_s,
                                struct message *error) {
  if (!(stream->rate_hz >= 0.0 && stream->rate_hz * sensor_period_s <= 1.0 + 1e-9)) {
    return refuse(error, "stream rate", stream->rate_hz,
                  "within 0 and 1000 Hz, or a higher frame rate");
  }
  if (!(stream->latency_s >= 0.0 && stream->latency_s <= DELAY_MAX)) {
    return refuse(error, "stream latency", stream->latency_s, "within 0 and 1 s");
  }
  if (!(stream->jitter_s >= 0.0 && stream->jitter_s <= DELAY_MAX)) {
    return refuse(error, "stream jitter", stream->jitter_s, "within 0 and 1 s");
  }
  if (!(stream->measured_hz >= 0.0)) {
    return refuse(error, "stream's measurements", stream->measured_hz, "at least 0 Hz");
  }
  if (!(stream->loss >= 0.0 && stream->loss < 1.0)) {
    return refuse(error, "stream loss", stream->loss, "at least 0 and below 1");
  }
  if (!(fabs(stream->stamp_error_s) <= DELAY_MAX)) {
    return refuse(error, "stamp error", stream->stamp_error_s, "within -1 and 1 s");
  }
  return STATUS_OK;
}

enum status sim_options_check(const struct sim_options *options, struct message *error) {
  if (sim_scenario_help(options->scenario) == NULL) {
    message_set(error, "scenario %.40s is unknown; propriod-sim --list shows all",
                options->scenario != NULL ? options->scenario : "");
    return STATUS_BAD_ARGUMENT;
  }
  if (!is_frame_rate(options->frame_rate_hz)) {
    return refuse(error, "frame rate", options->frame_rate_hz,
                  "such that the period is whole milliseconds, or 1000, 2000 or 4000 Hz");
  }
  const double step = options->integration_step_s;
  const bool chosen = !(step > 0.0) && !(step < 0.0); /* by the simulator */
  if (!chosen && !(step >= STEP_MIN && step <= STEP_MAX && is_multiple(STEP_MAX, step))) {
    return refuse(error, "integration step", step, "within 10 us and 1 ms, and fit into 1 ms");
  }
  if (!(options->duration_s >= 0.0)) {
    return refuse(error, "duration", options->duration_s, "at least 0 s");
  }
  if (!(options->rest_s >= 0.0)) {
    return refuse(error, "rest", options->rest_s, "at least 0 s");
  }
  if (!(options->amplitude >= 0.0 && options->amplitude <= AMPLITUDE_MAX)) {
    return refuse(error, "amplitude", options->amplitude, "within 0 and 3");
  }
  if (!(options->skin.link_delay >= 0.0 && options->skin.link_delay <= SIM_LINK_DELAY_MAX)) {
    return refuse(error, "skin link delay", options->skin.link_delay, "within 0 and 0.02 s");
  }
  if (options->joints.effort_coloured > 0.0 && !(options->joints.effort_corner_hz > 0.0)) {
    return refuse(error, "torque corner", options->joints.effort_corner_hz, "above 0 Hz");
  }
  for (int i = 0; i < PROPRIOD_SHM_STREAMS; i++) {
    const enum status status = check_stream(&options->stream[i], sim_sensor_period(options), error);
    if (status != STATUS_OK) {
      return status;
    }
  }
  return STATUS_OK;
}
