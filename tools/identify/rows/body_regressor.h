/* Rows of all bodies at one instant: links by the regressor, rotors by theirs. */
#ifndef BODY_REGRESSOR_H
#define BODY_REGRESSOR_H

#include "identify/rows/unknowns.h"

struct body_regressor {
  const struct unknowns *unknowns;
  struct kinematics kin;
  struct regressor regressor; /* of the links */
  double *Y;                  /* [n_channels][10 bodies] N m (N) per unit, where there are rotors */
  void *memory;
};

/* [start] STATUS_NO_MEMORY; only with STATUS_OK is there something to free. */
enum status body_regressor_init(struct body_regressor *body, const struct unknowns *unknowns);
void body_regressor_free(struct body_regressor *body);

/* Fills the rows of a motion. [any] Statuses of kinematics_update. */
enum status body_regressor_step(struct body_regressor *body, const struct robot_motion *motion);

/* Row of channel j: [10 bodies] N m (N) per unit. [any] Good until the next step. */
const double *body_regressor_row(const struct body_regressor *body, size_t j);

#endif
