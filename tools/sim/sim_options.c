#include "sim_options.h"

struct sim_options sim_defaults(const struct robot *robot, const char *urdf_path,
                                enum sim_scenario scenario) {
  return (struct sim_options){
      .robot = robot,
      .urdf_path = urdf_path,
      .scenario = scenario,
      .seed = 1,
      .frame_rate_hz = 1000.0,
      .integration_step_s = 0.0005,
      .rest_s = 1.0,
      .amplitude = 1.0,
      .t0_ns = 1000000000,
      .stream = {[SIM_JOINTS] = {.rate_hz = 1000.0},
                 [SIM_IMU] = {.rate_hz = 1000.0},
                 [SIM_SKIN] = {.rate_hz = 250.0, .latency_s = 0.002},
                 [SIM_WRENCH] = {.rate_hz = 1000.0}},
      .joints = {.quantum = 2.0 * M_PI / (1 << 19), /* encoders of 19 bits */
                 .has_effort = true,
                 .effort_white = 0.2},
      .imu = {.force_white = 0.03, .force_bias = 0.02, .rate_white = 0.002, .rate_bias = 0.002},
      .skin = {.white = 0.05, .has_proximity = true, .has_force = true},
      .wrench = {.force_white = 0.5, .moment_white = 0.02},
  };
}

void sim_make_ideal(struct sim_options *options) {
  const struct sim_options nominal = *options;
  options->joints = (struct sim_joint_noise){.has_velocity = nominal.joints.has_velocity,
                                             .has_effort = nominal.joints.has_effort};
  options->imu = (struct sim_imu_noise){.has_orientation = nominal.imu.has_orientation};
  options->skin = (struct sim_skin_noise){.has_proximity = nominal.skin.has_proximity,
                                          .has_force = nominal.skin.has_force};
  options->wrench = (struct sim_wrench_noise){0};
  for (int i = 0; i < SIM_STREAMS; i++) {
    options->stream[i] = (struct sim_stream_options){.rate_hz = nominal.stream[i].rate_hz};
  }
}
