#include "inertial/inertial_filter_settings.h"

#include "numerics/chi_square.h"

struct inertial_filter_settings inertial_filter_defaults(void) {
  return (struct inertial_filter_settings){
      .core = {.form = INERTIAL_RUCKER,
               .iterations = 8,
               .memory = true,
               .reluctance = 10.0,
               .prior = {.mass = 1.0, .com = 0.02, .shape = 0.1},
               .drift = {.mass = 0.02, .com = 1e-3, .shape = 0.01}},
      .change = {.mass = 8.0, .com = 0.15, .shape = 0.6},
      .block_s = 0.02,
      .force_noise = 3.0,
      .moment_noise = 1.5,
      .torque_noise = 0.3,
      .model_error = 0.01,
      .noise_gain = 1.5,
      .gate = INERTIAL_GATE_HUBER,
      .gate_quantile = NORMAL_TAIL_1E3,
      .detector = {.window = 10,
                   .clip = 3.0,
                   .quantile = NORMAL_TAIL_1E6,
                   .refractory_s = 0.3,
                   .doubt_s = 5.0},
      .calibration_s = 1.0,
      .bias_force = 12.0,
      .bias_moment = 4.0,
      .bias_torque = 0.5,
      .rest_rate = 0.03,
      .rest_s = 0.3,
      .least_gain = 1e-2,
      .creep_force = 0.01,
      .creep_moment = 0.003,
      .correct_delay = true,
      .correct_regressor = true,
      .publish = {.mass_rate = 3.0, .com_rate = 0.1, .shape_rate = 0.5}};
}
