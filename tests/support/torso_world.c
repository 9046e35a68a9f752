#include "support/torso_world.h"

#include "inertia/pseudo_inertia.h"
#include "support/suite.h"

#include <stdlib.h>
#include <string.h>

const double TORSO_DT = 1e-3;
const struct weighed_noise TORSO_QUIET = {.ddq = 0.0};
const struct weighed_noise TORSO_GOOD = {
    .ddq = 0.3, .omegadot = 0.1, .specific_force = 0.1, .force = 2.0, .moment = 0.3};

/* One sine: amplitude a (rad), frequency f (Hz), phase from the joint's number. */
static void swing(struct torso_world *world, const char *name, double a, double f) {
  const size_t j = (size_t)model_find_joint(&world->robot->model, name);
  world->body->sines.joint[j] = (struct sine){a, 2.0 * M_PI * f, (double)j};
}

struct torso_world *torso_world_seeded(struct weighed_noise noise, unsigned long seed) {
  struct torso_world *world = calloc(1, sizeof(*world));
  struct message error;
  ck_assert_msg(weighed_robot_create(&world->body, "humanoid30", "config/robots", seed, &error) ==
                    STATUS_OK,
                "%s", error.text);
  world->robot = world->body->robot;
  world->torso = (size_t)model_find_link(&world->robot->model, "torso_pitch_link");
  world->random = random_from(seed);
  world->body->noise = noise;
  swing(world, "torso_pitch_joint", 0.4, 0.5);
  swing(world, "torso_yaw_joint", 0.5, 0.7);
  swing(world, "left_shoulder_pitch_joint", 0.3, 0.4);
  swing(world, "right_elbow_joint", 0.3, 1.0);
  return world;
}

struct torso_world *torso_world_new(struct weighed_noise noise) {
  return torso_world_seeded(noise, test_seed());
}

void torso_world_start(struct torso_world *world, const struct inertial_filter_settings *settings,
                       size_t link) {
  struct arena count = {0};
  ck_assert_int_eq(inertial_filter_init(&world->filter, world->robot, settings, &link, 1, &count),
                   STATUS_OK);
  struct arena arena = test_arena(count.used);
  ck_assert_int_eq(inertial_filter_init(&world->filter, world->robot, settings, &link, 1, &arena),
                   STATUS_OK);
  ck_assert_uint_eq(arena.used, count.used);
}

void torso_world_move(struct torso_world *world, double share) {
  struct weighed_robot *body = world->body;
  if (body->sines.to != share) {
    sine_motion_turn(&body->sines, body->t, share, 1.0);
  }
  ck_assert_int_eq(weighed_robot_step(body, TORSO_DT), STATUS_OK);
}

void torso_world_give(struct torso_world *world, const double *tau, const struct force *wrench) {
  const struct inertial_inputs inputs = {
      .kin = &world->body->measured, .tau = tau, .wrench = wrench};
  memset(&world->result, 0xff, sizeof(world->result));
  inertial_filter_step(world->filter, &inputs, TORSO_DT, false, &world->result);
}

void torso_world_step(struct torso_world *world, double share) {
  torso_world_move(world, share);
  torso_world_give(world, NULL, world->body->wrench);
}

void torso_world_run(struct torso_world *world, double seconds, double share) {
  uint64_t seen = 0;
  for (double until = world->body->t + seconds; world->body->t < until;) {
    torso_world_step(world, share);
    if (world->result.counters.blocks == seen) {
      continue; /* estimates change with blocks only */
    }
    seen = world->result.counters.blocks;
    for (size_t k = 0; k < world->result.n_links; k++) {
      ck_assert_int_eq(inertia_consistency(&world->result.link[k].published, 0.0, NULL), STATUS_OK);
      ck_assert_int_eq(inertia_consistency(&world->result.link[k].estimate, 0.0, NULL), STATUS_OK);
    }
  }
}

static const mat3 BOX = {{{0.10, 0.0, 0.0}, {0.0, 0.08, 0.0}, {0.0, 0.0, 0.06}}};

void torso_world_take_up(struct torso_world *world, double mass, vec3 place) {
  const struct inertia load = inertia_of_body(mass, place, &BOX);
  world->body->inertia[world->torso] = inertia_add(&world->body->inertia[world->torso], &load);
}

const struct inertial_link_estimate *torso_world_estimate(const struct torso_world *world) {
  return &world->result.link[0];
}

struct torso_world *torso_world_settled(struct weighed_noise noise) {
  struct torso_world *world = torso_world_new(noise);
  const struct inertial_filter_settings settings = inertial_filter_defaults();
  torso_world_start(world, &settings, world->torso);
  torso_world_run(world, 2.5, 0.0);
  ck_assert_int_eq(world->result.state, INERTIAL_RESTING);
  torso_world_run(world, 1.0, 1.0);
  ck_assert_int_eq(world->result.state, INERTIAL_RUNNING);
  return world;
}
