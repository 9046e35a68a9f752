#include "weighed_robot.h"

#include "body_errors.h"
#include "common/arena.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static enum status init_parts(struct weighed_robot *robot, struct arena *arena) {
  const struct model *model = &robot->robot->model;
  robot->inertia = ARENA_ARRAY(arena, struct inertia, model->n_links);
  robot->external = ARENA_ARRAY(arena, struct force, model->n_links);
  enum status status = kinematics_init(&robot->truth, model, arena);
  if (status == STATUS_OK) {
    status = kinematics_init(&robot->measured, model, arena);
  }
  return status == STATUS_OK ? rnea_init(&robot->rnea, model, arena) : status;
}

enum status weighed_robot_create(struct weighed_robot **out, const char *name, const char *folder,
                                 uint64_t seed, struct message *error) {
  struct weighed_robot *robot = calloc(1, sizeof(*robot));
  if (robot == NULL) {
    return STATUS_NO_MEMORY;
  }
  enum status status = stock_robot_load(name, folder, &robot->stock, error);
  if (status != STATUS_OK) {
    free(robot);
    return status;
  }
  robot->robot = robot->stock.robot;
  struct arena count = {0};
  init_parts(robot, &count);
  robot->memory = aligned_alloc(ARENA_ALIGN, count.used);
  struct arena arena = arena_over(robot->memory, count.used);
  status = robot->memory != NULL ? init_parts(robot, &arena) : STATUS_NO_MEMORY;
  if (status != STATUS_OK) {
    weighed_robot_destroy(robot);
    return status;
  }
  const struct model *model = &robot->robot->model;
  memcpy(robot->inertia, model->inertia, model->n_links * sizeof(*robot->inertia));
  robot->random = sim_random_from(seed, 0);
  sine_motion_init(&robot->sines, model);
  *out = robot;
  return STATUS_OK;
}

void weighed_robot_destroy(struct weighed_robot *robot) {
  if (robot != NULL) {
    robot_destroy(robot->stock.robot);
    free(robot->memory);
    free(robot);
  }
}

static vec3 noise3(struct sim_random *random, double sd) {
  const double x = sd * sim_normal(random), y = sd * sim_normal(random);
  return (vec3){x, y, sd * sim_normal(random)};
}

static void add_noise(struct weighed_robot *robot) {
  for (size_t k = 0; k < robot->robot->n_wrench; k++) {
    struct force *wrench = &robot->wrench[k];
    wrench->lin = vec3_add(wrench->lin, noise3(&robot->random, robot->noise.force));
    wrench->ang = vec3_add(wrench->ang, noise3(&robot->random, robot->noise.moment));
  }
}

/* The sensor of the first foot carries the whole robot: what its base would need floating free. */
static enum status weigh(struct weighed_robot *robot) {
  const struct wrench_sensor *foot = &robot->robot->wrench[0];
  struct force base, *on_foot = &robot->external[foot->link];
  *on_foot = (struct force){VEC3_ZERO, VEC3_ZERO};
  enum status status = kinematics_update(&robot->truth, &robot->sines.motion);
  if (status == STATUS_OK) {
    status = rnea_step(&robot->rnea, &robot->truth, robot->inertia, NULL, WITH_DRIVES, &base,
                       robot->tau);
  }
  if (status != STATUS_OK) {
    return status;
  }
  const struct pose X_LB = pose_inverse(&robot->truth.X_BL[foot->link]);
  const struct pose X_SL = pose_inverse(&foot->placement);
  *on_foot = force_to_base(&X_LB, &base);
  memset(robot->wrench, 0, sizeof(robot->wrench));
  const struct force carried = force_to_base(&X_SL, on_foot);
  robot->wrench[0] = force_add(&carried, &robot->drift);
  add_noise(robot);
  return rnea_step(&robot->rnea, &robot->truth, robot->inertia, robot->external, WITH_DRIVES, &base,
                   robot->tau);
}

/* The next sample of a noise of deviation sd, white or through a first-order low-pass. */
static double coloured(struct weighed_robot *robot, size_t i, double sd, double dt) {
  const double keep =
      robot->noise.motion_hz > 0.0 ? exp(-2.0 * M_PI * robot->noise.motion_hz * dt) : 0.0;
  double *x = &robot->coloured[i];
  *x = keep * *x + sqrt(1.0 - keep * keep) * sd * sim_normal(&robot->random);
  return *x;
}

/* The motion as an estimator would know it. */
static enum status observe(struct weighed_robot *robot, double dt) {
  const size_t n = robot->sines.n_joints;
  const struct weighed_noise *noise = &robot->noise;
  struct robot_motion motion = robot->sines.motion;
  double base[6];
  for (size_t j = 0; j < n; j++) {
    robot->ddq[j] = robot->sines.ddq[j] + coloured(robot, j, noise->ddq, dt);
  }
  for (size_t i = 0; i < 6; i++) {
    base[i] = coloured(robot, n + i, i < 3 ? noise->omegadot : noise->specific_force, dt);
  }
  struct motion *a_B = &motion.base.a_B;
  a_B->ang = vec3_add(a_B->ang, (vec3){base[0], base[1], base[2]});
  a_B->lin = vec3_add(a_B->lin, (vec3){base[3], base[4], base[5]});
  motion.ddq = robot->ddq;
  return kinematics_update(&robot->measured, &motion);
}

enum status weighed_robot_step(struct weighed_robot *robot, double dt) {
  robot->t += dt;
  sine_motion_at(&robot->sines, robot->t);
  const enum status status = weigh(robot);
  return status == STATUS_OK ? observe(robot, dt) : status;
}

void weighed_robot_load(struct weighed_robot *robot, size_t link, double mass, vec3 place,
                        double edge) {
  const double about_centre = mass * edge * edge / 6.0;
  const mat3 box = {{{about_centre, 0.0, 0.0}, {0.0, about_centre, 0.0}, {0.0, 0.0, about_centre}}};
  const struct inertia load = inertia_of_body(mass, place, &box);
  robot->inertia[link] = inertia_add(&robot->inertia[link], &load);
}

void weighed_robot_distort(struct weighed_robot *robot, size_t spared, double share, double shift) {
  const struct model *model = &robot->robot->model;
  for (size_t link = 0; link < model->n_links; link++) {
    const vec3 way = noise3(&robot->random, 1.0);
    const double heavier = sim_uniform(&robot->random, -share, share);
    if (link != spared) {
      const vec3 off = vec3_scale(shift / vec3_norm(way), way);
      robot->inertia[link] = inertia_with_errors(&model->inertia[link], heavier, off);
    }
  }
}
