#include "support/fault_run.h"

#include "support/random_model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct fault_run *fault_run_new(const char *robot, const char *scenario, double rate_hz,
                                double skin_hz) {
  struct fault_run *run = calloc(1, sizeof(*run));
  run->stock = test_robot(robot);
  run->stock.robot->fixed_base = false;
  run->options = test_options(&run->stock, scenario);
  run->options.seed = test_seed();
  run->options.duration_s = 1e5;
  run->options.frame_rate_hz = rate_hz;
  run->options.rest_s = 0.3;
  for (int s = 0; s < PROPRIOD_SHM_STREAMS; s++) {
    run->options.stream[s] = (struct sim_stream_options){.rate_hz = rate_hz};
  }
  run->options.stream[PROPRIOD_SHM_SKIN].rate_hz = skin_hz;
  run->options.stream[PROPRIOD_SHM_WRENCH].rate_hz = 0.0;
  run->options.joints.white = 1e-3;
  run->options.skin.white = 0.34;
  run->options.imu.force_white = 0.05;
  run->options.imu.rate_white = 5e-3;
  run->settings = pipeline_defaults();
  run->settings.period_s = 1.0 / rate_hz;
  run->settings.joints.window_s = fmax(10e-3, 4.0 / rate_hz);
  return run;
}

void fault_run_record(struct fault_run *run, double seconds) {
  struct sim_options options = run->options;
  struct message error = {""};
  options.duration_s = seconds;
  ck_assert_msg(tape_record(&run->tape, &options, &error) == STATUS_OK, "%s", error.text);
}

/* One instant on. */
static const struct sensor_frame *next_frame(struct fault_run *run) {
  if (run->sim == NULL) {
    must(run->played < run->tape.count);
    return &run->tape.frame[run->played++];
  }
  must(sim_step(run->sim) == STATUS_OK);
  return sim_frame(run->sim);
}

const struct sim_truth *fault_run_truth(const struct fault_run *run) {
  return run->sim != NULL ? sim_truth(run->sim) : &run->tape.truth[run->played - 1];
}

/* Everything that a step changes, but for the run itself. */
static void take_memory(struct fault_run *run, struct arena *arena) {
  const struct robot *robot = run->stock.robot;
  ck_assert_int_eq(pipeline_init(&run->pipeline, robot, &run->settings, arena), STATUS_OK);
  run->q = ARENA_ARRAY(arena, double, robot->model.n_joints);
  run->tau = ARENA_ARRAY(arena, double, robot->model.n_joints);
  run->acceleration = ARENA_ARRAY(arena, float, 3 * robot->n_cells + 1);
  run->flags = ARENA_ARRAY(arena, uint8_t, robot->n_cells + 1);
}

void fault_run_start(struct fault_run *run) {
  run->sim = run->tape.count == 0 ? test_sim(&run->options) : NULL;
  struct arena count = {0};
  take_memory(run, &count);
  run->memory = test_arena(count.used);
  take_memory(run, &run->memory);
}

void fault_run_try(struct fault_run *run, void (*what)(void *with), void *with) {
  must(run->sim == NULL);
  const struct fault_run before = *run;
  unsigned char *memory = malloc(run->memory.used);
  must(memory != NULL);
  memcpy(memory, run->memory.base, run->memory.used);
  what(with);
  memcpy(run->memory.base, memory, run->memory.used);
  free(memory);
  *run = before;
}

void fault_run_take(struct fault_run *run) {
  const size_t n_cells = run->stock.robot->n_cells;
  run->frame = *next_frame(run);
  if (run->frame.joints.stamp.present) {
    memcpy(run->q, run->frame.joints.q, run->stock.robot->model.n_joints * sizeof(double));
    run->frame.joints.q = run->q;
    if (run->frame.joints.tau != NULL) {
      memcpy(run->tau, run->frame.joints.tau, run->stock.robot->model.n_joints * sizeof(double));
      run->frame.joints.tau = run->tau;
    }
  }
  if (run->frame.wrench.stamp.present) {
    memcpy(run->wrench, run->frame.wrench.wrench,
           run->frame.wrench.n_sensors * sizeof(struct force));
    run->frame.wrench.wrench = run->wrench;
  }
  if (run->frame.skin.stamp.present) {
    memcpy(run->acceleration, run->frame.skin.acceleration, 3 * n_cells * sizeof(float));
    memcpy(run->flags, run->frame.skin.flags, n_cells);
    run->frame.skin.acceleration = run->acceleration;
    run->frame.skin.flags = run->flags;
  }
}

bool fault_run_is_finite(const struct estimates *out) {
  const struct propriod_state *s = &out->state;
  bool finite = true;
  for (uint32_t j = 0; j < s->n_joints && (s->estimated & PROPRIOD_STATE_Q) != 0; j++) {
    finite = finite && isfinite(s->q[j]) && isfinite(s->dq[j]) && isfinite(s->ddq[j]) &&
             isfinite(s->jerk[j]) && isfinite(s->q_sd[j]) && isfinite(s->dq_sd[j]) &&
             isfinite(s->ddq_sd[j]) && s->q_sd[j] > 0.0 && s->ddq_sd[j] > 0.0;
  }
  const struct {
    uint32_t bit;
    vec3 value;
  } parts[] = {{PROPRIOD_STATE_BASE_RATE, s->base_angular_velocity},
               {PROPRIOD_STATE_BASE_ANG_ACC, s->base_angular_acceleration},
               {PROPRIOD_STATE_BASE_FORCE, s->base_specific_force},
               {PROPRIOD_STATE_IMU_BIASES, s->gyro_bias},
               {PROPRIOD_STATE_IMU_BIASES, s->accelerometer_bias},
               {PROPRIOD_STATE_BASE_SD, s->base_orientation_sd},
               {PROPRIOD_STATE_BASE_SD, s->base_velocity_sd},
               {PROPRIOD_STATE_BASE_SD, s->base_position_sd},
               {PROPRIOD_STATE_BASE_VELOCITY, s->base_velocity},
               {PROPRIOD_STATE_BASE_POSITION, s->base_position}};
  for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
    finite = finite && ((s->estimated & parts[i].bit) == 0 || vec3_is_finite(parts[i].value));
  }
  const quat o = s->quat_xyzw;
  finite = finite && ((s->estimated & PROPRIOD_STATE_BASE_ATTITUDE) == 0 ||
                      isfinite(o.x * o.x + o.y * o.y + o.z * o.z + o.w * o.w));
  const struct propriod_centroidal *c = &out->centroidal;
  return finite &&
         ((c->estimated & PROPRIOD_CENTROIDAL_COM) == 0 || vec3_is_finite(c->com_position)) &&
         ((c->estimated & PROPRIOD_CENTROIDAL_COP) == 0 || vec3_is_finite(c->cop_position)) &&
         ((c->estimated & PROPRIOD_CENTROIDAL_MOMENTUM) == 0 ||
          vec3_is_finite(c->angular_momentum));
}

void fault_run_give(struct fault_run *run) {
  memset(run->out.state.ddq, 0xff, sizeof(run->out.state.ddq));
  pipeline_step(run->pipeline, &run->frame, &run->out);
  must(fault_run_is_finite(&run->out));
}

void fault_run_advance(struct fault_run *run, double seconds) {
  const long steps = lround(seconds / run->settings.period_s);
  for (long step = 0; step < steps; step++) {
    fault_run_take(run);
    fault_run_give(run);
  }
}

double fault_run_error(const struct fault_run *run) {
  double sum = 0.0;
  for (uint32_t j = 0; j < run->out.state.n_joints; j++) {
    const double e = run->out.state.ddq[j] - fault_run_truth(run)->ddq[j];
    sum += e * e;
  }
  return sum;
}

void fault_run_end(struct fault_run *run) {
  sim_destroy(run->sim);
  tape_free(&run->tape);
  free(run->memory.base);
  free(run);
}
