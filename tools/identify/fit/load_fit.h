/* What a load weighs, or what a known load says of the torque sensors: two logs of a robot, without
 * and with a load on one link.
 *
 *   tau_j = (1 + gain_j) Y_j x            without
 *   tau_j = (1 + gain_j) Y_j (x + load)   with it, load's ten parameters on the link's
 *
 * Robot, load and gains are found together, physically consistent; the products are linearised
 * about the pass before. (With the gains before tau, whose noise they would then shrink, they come
 * out too small.) A load that is asked for takes the sensors as right to gain_sd; gains that are
 * asked for take the load as given. */
#ifndef LOAD_FIT_H
#define LOAD_FIT_H

#include "identify/convex/convex_fit.h"
#include "identify/rows/row_set.h"

struct load_settings {
  size_t link;         /* of the model, one that has unknowns */
  double gain_sd;      /* share: standard deviation of each torque sensor's gain */
  bool known;          /* the load is given, and gains are asked for */
  struct inertia load; /* about the link's origin: given, or roughly, where the search begins */
};

struct load_fit {
  struct inertia load; /* about the link's origin, link coordinates */
  double covariance[INERTIA_PARAMETERS][INERTIA_PARAMETERS]; /* of its ten parameters */
  double mass_sd;                                            /* kg */
  vec3 com, com_sd;                                          /* m, link coordinates */
  double gain[MODEL_MAX_JOINTS], gain_sd[MODEL_MAX_JOINTS];  /* share that is too much */
  double noise[MODEL_MAX_JOINTS]; /* N m (N): of rows, what neighbouring rows share counted in */
  double error;                   /* |residual| / |tau|, both logs */
};

/* [start] prior: [unknowns->n] of the robot without load. STATUS_BAD_ARGUMENT: no unknowns of this
 * link;
 * STATUS_NO_MEMORY; statuses of convex_solve. */
enum status load_fit_make(const struct unknowns *unknowns, const struct row_set *without,
                          const struct row_set *with, const double *prior,
                          const struct load_settings *settings, struct load_fit *fit);

#endif
