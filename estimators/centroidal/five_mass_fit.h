/* The five-mass model of a robot, from its rigid bodies: limbs from the tree or by name, mass
 * distributions by least squares over sampled postures, and what error remains. */
#ifndef FIVE_MASS_FIT_H
#define FIVE_MASS_FIT_H

#include "centroidal/five_mass.h"
#include "common/arena.h"
#include "common/status.h"
#include "robot/robot.h"

#include <stdint.h>

struct five_mass_fit_settings {
  char hand[FIVE_MASS_LIMBS][MODEL_NAME_SIZE]; /* frames or links at the arms' ends */
  size_t n_hands;                              /* 0: arms are found from the tree */
  double range;    /* rad: joints are drawn uniformly within +- this about zero, and their limits */
  size_t postures; /* for the fit, and as many others for the remaining error */
  uint64_t seed;
};

struct five_mass_fit_settings five_mass_fit_defaults(void);

/* What the model misses, over postures that the fit has not seen. */
struct five_mass_error {
  double com_mean, com_worst;         /* m */
  double inertia_mean, inertia_worst; /* relative: Frobenius norm of the difference */
  double points_mean;                 /* the same without the groups' own inertias */
  double limb_mean[FIVE_MASS_MOST];   /* m: of each group's own centre of mass */
};

/* Finds the limbs: legs end in the robot's feet, arms in the named hands; without names, arms are
 * the two deepest branches, of three joints at least, that leave one link that is no leg's.
 * [start] BAD_ARGUMENT: a hand that is no frame or link of the robot; TOO_FEW: a limb with fewer
 * than two joints. Writes links and corners, and leaves distributions at those of a triangle. */
enum status five_mass_find_limbs(const struct robot *robot,
                                 const struct five_mass_fit_settings *settings,
                                 struct five_mass_model *model);

/* Finds the limbs and fits masses, distributions and own inertias. [start]
 *   kin, q   work: kinematics of the robot's model, [n_joints]; their content is lost
 * Statuses of five_mass_find_limbs; SINGULAR: a limb without mass or without a triangle. */
enum status five_mass_fit(const struct robot *robot, const struct five_mass_fit_settings *settings,
                          struct kinematics *kin, double *q, struct five_mass_model *model);

/* What the model misses. [start] Work as above. */
enum status five_mass_fit_error(const struct robot *robot,
                                const struct five_mass_fit_settings *settings,
                                const struct five_mass_model *model, struct kinematics *kin,
                                double *q, struct five_mass_error *error);

/* The group that link `link` belongs to: 0 the torso, i + 1 limb i. [any] */
size_t five_mass_group(const struct robot *robot, const struct five_mass_model *model, size_t link);

#endif
