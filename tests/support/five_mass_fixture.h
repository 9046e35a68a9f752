/* A stock robot with its five-mass model, moving on sines while its base turns about the
 * vertical. */
#ifndef FIVE_MASS_FIXTURE_H
#define FIVE_MASS_FIXTURE_H

#include "centroidal/five_mass_fit.h"
#include "support/sim_fixture.h"

#include <math.h>
#include <stdlib.h>

struct five_robot {
  struct stock_robot stock;
  struct kinematics kin;
  struct five_mass_model model;
  struct five_mass_fit_settings fit;
  double amplitude; /* rad, of the joints' sines */
  double q[MODEL_MAX_JOINTS], dq[MODEL_MAX_JOINTS], ddq[MODEL_MAX_JOINTS];
};

void five_kinematics(struct five_robot *r, const struct model *model);

void five_robot(struct five_robot *r, const char *name);

/* Joints and base at the time `t`; the base's origin stays at rest and is weightless. Answers the
 * base's rotation. */
mat3 five_move(struct five_robot *r, double t);

#define must_be_near_vec3(a, b, tolerance)                                                         \
  do {                                                                                             \
    must_be_near((a).x, (b).x, tolerance);                                                         \
    must_be_near((a).y, (b).y, tolerance);                                                         \
    must_be_near((a).z, (b).z, tolerance);                                                         \
  } while (0)

#endif
