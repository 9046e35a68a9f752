#include "trust_run.h"

#include <stdlib.h>
#include <string.h>

#define RIGHT_SIGMAS   5.0            /* encoder deviations */
#define RIGHT_POSITION 5e-3           /* rad or m, beside them */
#define RIGHT_TILT     (M_PI / 180.0) /* rad */
#define RIGHT_VELOCITY 0.15           /* m/s */

static double encoder_noise(const struct tape *tape) {
  const struct sim_joint_noise *noise = &tape->options.joints;
  return hypot(noise->white, noise->quantum / sqrt(12.0));
}

struct pipeline_settings trust_settings(const struct tape *tape) {
  struct pipeline_settings settings = pipeline_defaults();
  settings.period_s = tape->period_s;
  settings.joints.encoder_noise = fmax(encoder_noise(tape), 1e-5);
  settings.joints.window_s = fmax(settings.joints.window_s, 4.0 * tape->period_s);
  return settings;
}

enum status trust_run_init(struct trust_run *run, const struct tape *tape,
                           const struct pipeline_settings *settings) {
  struct trust_run new = {.tape = tape};
  struct arena arena = {0};
  enum status status = pipeline_init(&new.pipeline, tape->robot, settings, &arena);
  if (status != STATUS_OK) {
    return status;
  }
  new.bytes = (arena.used + ARENA_ALIGN - 1) / ARENA_ALIGN *ARENA_ALIGN;
  new.memory = aligned_alloc(ARENA_ALIGN, new.bytes);
  arena = arena_over(new.memory, new.bytes);
  status = new.memory != NULL ? pipeline_init(&new.pipeline, tape->robot, settings, &arena)
                              : STATUS_NO_MEMORY;
  if (status == STATUS_OK) {
    status = frame_copy_init(&new.copy, tape->robot);
  }
  if (status != STATUS_OK) {
    trust_run_free(&new);
    return status;
  }
  *run = new;
  return STATUS_OK;
}

void trust_run_free(struct trust_run *run) {
  free(run->memory);
  frame_copy_free(&run->copy);
  *run = (struct trust_run){.memory = NULL};
}

enum status trust_run_save(const struct trust_run *run, struct trust_moment *moment) {
  void *memory = malloc(run->bytes);
  if (memory == NULL) {
    return STATUS_NO_MEMORY;
  }
  memcpy(memory, run->memory, run->bytes);
  *moment = (struct trust_moment){.memory = memory, .out = run->out, .next = run->next};
  return STATUS_OK;
}

void trust_run_restore(struct trust_run *run, const struct trust_moment *moment) {
  memcpy(run->memory, moment->memory, run->bytes);
  run->out = moment->out;
  run->next = moment->next;
}

void trust_moment_free(struct trust_moment *moment) {
  free(moment->memory);
  moment->memory = NULL;
}

bool trust_run_step(struct trust_run *run, struct burst *burst) {
  if (run->next >= run->tape->count) {
    return false;
  }
  tape_take(run->tape, run->next, &run->copy);
  if (burst != NULL) {
    burst_apply(burst, run->next, &run->copy);
  }
  pipeline_step(run->pipeline, &run->copy.frame, &run->out);
  run->next++;
  return true;
}

bool trust_run_step_silent(struct trust_run *run) {
  if (run->next >= run->tape->count) {
    return false;
  }
  struct sensor_frame frame = run->copy.frame; /* as they stood when the silence began */
  frame.t_ns = run->tape->frame[run->next].t_ns;
  frame.joints.stamp.fresh = frame.imu.stamp.fresh = false;
  frame.skin.stamp.fresh = frame.wrench.stamp.fresh = false;
  pipeline_step(run->pipeline, &frame, &run->out);
  run->next++;
  return true;
}

struct quantity_truth trust_run_truth(const struct trust_run *run) {
  return (struct quantity_truth){.robot = run->tape->robot,
                                 .truth = &run->tape->truth[run->next - 1]};
}

bool trust_run_joints_right(const struct trust_run *run, const bool *spoilt) {
  const struct quantity_truth truth = trust_run_truth(run);
  const double limit = RIGHT_SIGMAS * encoder_noise(run->tape) + RIGHT_POSITION;
  struct quantity_error e;
  quantity_compare(QUANTITY_Q, &run->out, &truth, &e);
  bool right = e.n > 0;
  for (size_t j = 0; j < e.n; j++) {
    right = right && ((spoilt != NULL && spoilt[j]) || fabs(e.error[j]) <= limit);
  }
  return right;
}

bool trust_run_base_right(const struct trust_run *run) {
  if (run->tape->robot->fixed_base) {
    return true;
  }
  const struct quantity_truth truth = trust_run_truth(run);
  struct quantity_error tilt, velocity;
  quantity_compare(QUANTITY_TILT, &run->out, &truth, &tilt);
  quantity_compare(QUANTITY_VELOCITY, &run->out, &truth, &velocity);
  return tilt.n > 0 && velocity.n > 0 && hypot(tilt.error[0], tilt.error[1]) <= RIGHT_TILT &&
         vec3_norm(vec3_from(velocity.error)) <= RIGHT_VELOCITY;
}
