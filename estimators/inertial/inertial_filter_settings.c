#include "inertial/inertial_filter_settings.h"

#include "numerics/chi_square.h"

#include <math.h>

struct inertial_filter_settings inertial_filter_defaults(void) {
  return (struct inertial_filter_settings){
      .core = {.form = INERTIAL_RUCKER,
               .iterations = 8,
               .memory = true,
               .reluctance = 10.0,
               .prior = {.mass = 1.0, .com = 0.02, .stretch = 0.1, .shear = 0.1},
               .drift = {.mass = 0.02, .com = 1e-3, .stretch = 0.01, .shear = 0.01}},
      .change = {.mass = 8.0, .com = 0.15, .stretch = 0.6, .shear = 0.6},
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
      .publish = {
          .path = INERTIA_PATH_LOG_CHOLESKY, .mass_rate = 3.0, .com_rate = 0.1, .shape_rate = 0.5}};
}

bool inertial_filter_settings_are_sound(const struct inertial_filter_settings *s) {
  const double positive[] = {
      s->block_s,           s->force_noise,      s->moment_noise,       s->torque_noise,
      s->noise_gain,        s->gate_quantile,    s->rest_rate,          s->rest_s,
      s->publish.mass_rate, s->publish.com_rate, s->publish.shape_rate, s->detector.clip,
      s->detector.quantile, s->bias_force,       s->bias_moment,        s->bias_torque};
  const double not_negative[] = {s->calibration_s,
                                 s->blank_s,
                                 s->least_gain,
                                 s->creep_force,
                                 s->creep_moment,
                                 s->cycle_s,
                                 s->detector.refractory_s,
                                 s->detector.doubt_s,
                                 s->noise_time,
                                 s->model_error};
  bool sound = true;
  for (size_t i = 0; i < sizeof(positive) / sizeof(positive[0]); i++) {
    sound = sound && positive[i] > 0.0 && isfinite(positive[i]);
  }
  for (size_t i = 0; i < sizeof(not_negative) / sizeof(not_negative[0]); i++) {
    sound = sound && not_negative[i] >= 0.0 && isfinite(not_negative[i]);
  }
  return sound;
}
