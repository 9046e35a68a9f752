/* The torque regressor: inverse dynamics as a linear map of inertial parameters.
 *
 *   Y pi = [wrench on the base; tau],   pi: ten parameters per chosen link, ordered as struct
 * inertia
 *
 * One column block per chosen link, all from one forward pass. Base rows are written in base
 * coordinates about the base origin, angular first. Rotor inertia and friction are not in it: they
 * are linear on their own (joint_drive.h). */
#ifndef REGRESSOR_H
#define REGRESSOR_H

#include "body/rnea.h"
#include "inertia/inertia.h"

struct regressor {
  const struct model *model;
  size_t n_chosen;
  size_t *link;   /* [n_chosen] */
  size_t rows;    /* 6 + n_joints */
  size_t columns; /* 10 n_chosen */
  double *Y;      /* [rows][columns], row by row; zero where a joint does not carry a link */
  struct inertia *nominal; /* [n_links] the parameters of regressor_nominal, chosen links zeroed */
  struct rnea rnea;
};

/* Prepares for the chosen links. [start]
 * link: [n_chosen] indices, each once; NULL for all links in order (n_chosen is ignored).
 * STATUS_BAD_ARGUMENT: no such link, twice the same; STATUS_NO_MEMORY. */
enum status regressor_init(struct regressor *regressor, const struct model *model,
                           const size_t *link, size_t n_chosen, struct arena *arena);

/* Fills Y for the motion that `kin` was last updated with. [real-time]
 * Y is untouched unless STATUS_OK. STATUS_BAD_ARGUMENT: `kin` has no accelerations, or another
 * model. Leboutet (224)-(229), angular rows first. */
enum status regressor_step(struct regressor *regressor, const struct kinematics *kin);

/* Torques of all other links: inverse dynamics with the chosen links' parameters zeroed.
 * [real-time] inertia: [n_links]. external, drives, base, tau and statuses: as rnea_step. Foster
 * (6)-(7). */
enum status regressor_nominal(struct regressor *regressor, const struct kinematics *kin,
                              const struct inertia *inertia, const struct force *external,
                              enum joint_drives drives, struct force *base, double *tau);

/* One body: [moment; force] about its origin = A pi, link coordinates. [any]
 * omega, omegadot: rad/s, rad/s^2; a: m/s^2, proper acceleration of the origin.
 * Leboutet (226)-(227). */
void link_regressor(vec3 omega, vec3 omegadot, vec3 a, double A[6][INERTIA_PARAMETERS]);

#endif
