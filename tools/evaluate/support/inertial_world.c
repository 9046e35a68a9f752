#include "support/inertial_world.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

const struct weighed_noise WORLD_NOISE = {
    .ddq = 0.3, .omegadot = 0.1, .specific_force = 0.03, .force = 2.0, .moment = 0.3};

static const double WORLD_DT = 1e-3; /* s */

static _Noreturn void world_give_up(const struct world *world, const char *what) {
  fprintf(stderr, "%s: %s\n", world->program, what);
  exit(EXIT_FAILURE);
}

void world_begin(struct world *world, const char *program, unsigned long seed) {
  struct message error;
  *world = (struct world){.program = program};
  if (weighed_robot_create(&world->robot, "humanoid30", "config/robots", seed, &error) !=
      STATUS_OK) {
    world_give_up(world, error.text);
  }
  const int link = model_find_link(&world->robot->robot->model, "torso_pitch_link");
  if (link < 0) {
    world_give_up(world, "the humanoid has no torso");
  }
  world->link = (size_t)link;
  world->robot->noise = WORLD_NOISE;
}

void world_add_filter(struct world *world, const struct inertial_filter_settings *settings) {
  const struct robot *robot = world->robot->robot;
  struct arena count = {0};
  struct inertial_filter **filter = &world->filter[world->n_filters];
  inertial_filter_init(filter, robot, settings, &world->link, 1, &count);
  void *memory = aligned_alloc(ARENA_ALIGN, count.used);
  struct arena arena = arena_over(memory, count.used);
  if (memory == NULL ||
      inertial_filter_init(filter, robot, settings, &world->link, 1, &arena) != STATUS_OK) {
    world_give_up(world, "a filter refused its settings");
  }
  world->memory[world->n_filters++] = memory;
}

void world_end(struct world *world) {
  for (size_t k = 0; k < world->n_filters; k++) {
    free(world->memory[k]);
  }
  weighed_robot_destroy(world->robot);
}

void world_step(struct world *world) {
  if (weighed_robot_step(world->robot, WORLD_DT) != STATUS_OK) {
    world_give_up(world, "the robot cannot move like this");
  }
  const struct inertial_inputs inputs = {.kin = &world->robot->measured,
                                         .wrench = world->robot->wrench};
  for (size_t k = 0; k < world->n_filters; k++) {
    inertial_filter_step(world->filter[k], &inputs, WORLD_DT, false, &world->result[k]);
  }
}

void world_run(struct world *world, double seconds) {
  for (size_t k = (size_t)lround(seconds / WORLD_DT); k > 0; k--) {
    world_step(world);
  }
}

void world_move(struct world *world) {
  sine_motion_turn(&world->robot->sines, world->robot->t, 1.0, 1.0);
}

struct world_error world_error(const struct world *world, size_t k) {
  const struct inertial_link_estimate *found = &world->result[k].link[0];
  const struct inertia *truth = &world->robot->inertia[world->link];
  struct world_error e;
  e.mass = found->estimate.m - truth->m;
  e.com = vec3_sub(inertia_com(&found->estimate), inertia_com(truth));
  e.mass_sigma = fabs(e.mass) / found->mass_sd;
  e.sigmas = fmax(fmax(e.mass_sigma, fabs(e.com.x) / found->com_sd.x),
                  fmax(fabs(e.com.y) / found->com_sd.y, fabs(e.com.z) / found->com_sd.z));
  return e;
}

struct inertial_filter_settings world_as_printed(enum inertial_form form) {
  struct inertial_filter_settings s = inertial_filter_defaults();
  s.core.form = form;
  s.core.iterations = 1;
  s.core.memory = false;
  s.core.drift = (struct inertial_spread){2.0, 0.02, 0.1};
  s.gate = INERTIAL_GATE_NONE;
  s.detector.window = 0;
  s.correct_regressor = false;
  return s;
}
