#include "support/chain_run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct run *new_run(const char *scenario, double rate_hz, double skin_hz, double skin_latency_s) {
  struct run *run = calloc(1, sizeof(*run));
  struct message error;
  if (stock_robot_load("chain9", "config/robots", &run->stock, &error) != STATUS_OK) {
    ck_abort_msg("%s", error.text);
  }
  run->stock.robot->fixed_base = false; /* as in the thesis: 51 states, the base stands still */
  run->options = sim_defaults(run->stock.robot, run->stock.urdf, scenario);
  sim_make_ideal(&run->options);
  run->options.seed = test_seed();
  run->options.duration_s = 60.0;
  run->options.frame_rate_hz = rate_hz;
  run->options.rest_s = 0.3;
  run->options.stream[PROPRIOD_SHM_JOINTS].rate_hz = run->options.stream[PROPRIOD_SHM_IMU].rate_hz =
      rate_hz;
  run->options.stream[PROPRIOD_SHM_JOINTS].latency_s =
      run->options.stream[PROPRIOD_SHM_IMU].latency_s = 0.0;
  run->options.stream[PROPRIOD_SHM_SKIN] =
      (struct sim_stream_options){.rate_hz = skin_hz, .latency_s = skin_latency_s};
  run->options.joints.white = 1e-3;
  run->options.skin.white = 0.34;
  run->options.imu.force_white = 0.05;
  run->options.imu.rate_white = 5e-3;
  run->settings = joint_filter_defaults();
  run->settings.period_s = 1.0 / rate_hz;
  run->settings.window_s = fmax(20e-3, 4.0 / rate_hz);
  return run;
}

void start(struct run *run) {
  struct message error;
  if (sim_create(&run->sim, &run->options, &error) != STATUS_OK) {
    ck_abort_msg("%s", error.text);
  }
  struct arena count = {0};
  ck_assert_int_eq(joint_filter_init(&run->filter, run->stock.robot, &run->settings, &count),
                   STATUS_OK);
  struct arena arena = arena_over(aligned_alloc(ARENA_ALIGN, count.used), count.used);
  ck_assert_int_eq(joint_filter_init(&run->filter, run->stock.robot, &run->settings, &arena),
                   STATUS_OK);
  ck_assert_uint_eq(arena.used, count.used);
  run->acceleration = malloc(3 * run->stock.robot->n_cells * sizeof(float));
  run->flags = malloc(run->stock.robot->n_cells);
}

void take_frame(struct run *run) {
  ck_assert_int_eq(sim_step(run->sim), STATUS_OK);
  const size_t n_cells = run->stock.robot->n_cells;
  run->frame = *sim_frame(run->sim);
  memcpy(run->q, run->frame.joints.q, sizeof(run->q));
  run->frame.joints.q = run->q;
  if (run->frame.skin.stamp.present) {
    memcpy(run->acceleration, run->frame.skin.acceleration, 3 * n_cells * sizeof(float));
    memcpy(run->flags, run->frame.skin.flags, n_cells);
    run->frame.skin.acceleration = run->acceleration;
    run->frame.skin.flags = run->flags;
  }
  run->steps++;
}

void assert_sound(const struct propriod_state *out) {
  for (size_t j = 0; j < JOINTS && (out->estimated & PROPRIOD_STATE_Q); j++) {
    ck_assert(isfinite(out->q[j]) && isfinite(out->dq[j]) && isfinite(out->ddq[j]));
    ck_assert(isfinite(out->jerk[j]) && out->q_sd[j] > 0.0 && out->dq_sd[j] > 0.0);
    ck_assert(isfinite(out->q_sd[j]) && isfinite(out->ddq_sd[j]) && out->ddq_sd[j] > 0.0);
  }
  if (out->estimated & PROPRIOD_STATE_BASE_RATE) {
    ck_assert(vec3_is_finite(out->base_angular_velocity) &&
              vec3_is_finite(out->base_angular_acceleration) &&
              vec3_is_finite(out->base_specific_force));
  }
}

void give(struct run *run) {
  memset(run->out.ddq, 0xff, sizeof(run->out.ddq)); /* NaN until written */
  joint_filter_step(run->filter, &run->frame, &run->out);
  assert_sound(&run->out);
}

void advance(struct run *run, double seconds) {
  for (double t = 0.0; t < seconds; t += run->settings.period_s) {
    take_frame(run);
    give(run);
  }
}

double error_now(const struct run *run) {
  double sum = 0.0;
  for (size_t j = 0; j < JOINTS; j++) {
    const double e = run->out.ddq[j] - sim_truth(run->sim)->ddq[j];
    sum += e * e;
  }
  return sum;
}

double truth_now(const struct run *run) {
  double sum = 0.0;
  for (size_t j = 0; j < JOINTS; j++) {
    sum += sim_truth(run->sim)->ddq[j] * sim_truth(run->sim)->ddq[j];
  }
  return sum;
}
