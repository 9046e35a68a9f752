/* Robots for tests, made from random numbers: any tree, any axes, cells anywhere. */
#ifndef SYNTHETIC_ROBOT_H
#define SYNTHETIC_ROBOT_H

#include "robot/robot.h"
#include "support/random_model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static inline vec3 random_vector(struct random *rng, double scale) {
  return (vec3){scale * random_normal(rng), scale * random_normal(rng), scale * random_normal(rng)};
}

/* Cells on a cylinder of radius 6 cm and length 20 cm about a random place of each link. */
static inline void synthetic_cells(struct robot *robot, size_t per_link, struct random *rng) {
  robot->n_cells = per_link * robot->model.n_links;
  robot->cell = calloc(robot->n_cells + 1, sizeof(*robot->cell));
  for (size_t k = 0; k < robot->n_cells; k++) {
    /* interleaved over links, so that no link's cells lie together in the stream */
    struct skin_cell *cell = &robot->cell[k];
    cell->link = k % robot->model.n_links;
    const double angle = random_uniform(rng, -M_PI, M_PI);
    cell->placement.R = random_rotation(rng);
    cell->placement.p =
        (vec3){0.1 + 0.06 * cos(angle), 0.06 * sin(angle) - 0.05, random_uniform(rng, -0.1, 0.1)};
    snprintf(cell->name, sizeof(cell->name), "cell%zu", k);
  }
}

/* A random tree or chain of `n_joints` joints with skin on every link and an IMU somewhere on the
 * base. Freed with the process. */
static inline struct robot *synthetic_robot(size_t n_joints, bool chain, size_t cells_per_link,
                                            struct random *rng) {
  struct robot *robot = calloc(1, sizeof(*robot));
  const struct random_model_options options = {.n_joints = n_joints, .chain = chain};
  robot->model = *random_model(rng, options);
  robot->imu_placement = (struct pose){random_rotation(rng), random_vector(rng, 0.05)};
  synthetic_cells(robot, cells_per_link, rng);
  return robot;
}

#endif
