/* A robot whose soles hang from the base where a test puts them, before base_estimator.h. */
#ifndef FEET_FIXTURE_H
#define FEET_FIXTURE_H

#include "base/base_estimator.h"
#include "support/random_model.h"

#define FEET_WEIGHT 670.0 /* N: of the robot */
#define FEET_DT     1e-3  /* s: between two steps */

struct feet_fixture {
  struct random rng;
  struct robot robot;
  struct kinematics kin;
  struct base_estimator base;
  double strain[ROBOT_MAX_FEET];
  double height_sd;   /* m */
  double tilt_sd;     /* rad */
  double cop_y;       /* m: between the soles at +-0.1 */
  vec3 velocity;      /* m/s: of the base */
  const double *felt; /* [n_feet] N: what their sensors feel, NULL: there are none */
  bool measured;      /* their readings vary */
  bool late;          /* it is what the legs' torques told some time ago */
  bool held;          /* the IMU may be wrong */
  bool unknown[2];    /* where the foot is nobody knows */
  enum leg_load legs;
};

/* Feet of one robot, 0.9 m below the base, the second and further ones at one place. */
void feet_begin(struct feet_fixture *f, size_t n_feet);

/* One step, or so many seconds of them. */
void feet_step(struct feet_fixture *f);
void feet_run(struct feet_fixture *f, double seconds);

/* The base turns about the y axis through `edge`, rad/s. */
void feet_turn(struct feet_fixture *f, double rate, vec3 edge);

/* A foot is so far above the ground, m. */
void foot_lift(struct feet_fixture *f, size_t foot, double height);

/* Turns a sole about its x axis, rad. */
void foot_turn(struct feet_fixture *f, size_t foot, double angle);

#endif
