/* The five masses of a robot beside its full model, and the filter of the centroidal state: built
 * from settings and the robot, stepped each cycle, published under names of their own. */
#ifndef MASS_POSTURE_H
#define MASS_POSTURE_H

#include "centroidal/centroidal_form.h"
#include "centroidal/five_mass_fit.h"
#include "propriod/state.h"
#include "robot/robot.h"

/* The model by numbers; lists without elements are fitted from the robot's bodies. */
struct five_mass_settings {
  struct five_mass_fit_settings fit;
  size_t n_masses, n_torso, n_pelvis, n_p_s, n_p_l;
  double mass[FIVE_MASS_MOST];                       /* kg: torso, then the limbs */
  double torso[3], pelvis[3];                        /* m: on chest and base link */
  double p_s[FIVE_MASS_LIMBS], p_l[FIVE_MASS_LIMBS]; /* per limb: feet in their order, then hands */
};

struct mass_posture_settings {
  struct five_mass_settings five;
  struct centroidal_form_settings form;
};

struct mass_posture_settings mass_posture_defaults(void);

struct mass_posture {
  bool has_model; /* limbs were found */
  struct five_mass_model model;
  struct five_mass five; /* of the last step */
  struct centroidal_form form;
};

/* Fits the model, or takes it from the settings. [start, worker]
 *   kin  of the robot's model; its content is lost. NULL on the counting pass: settings only
 * A robot whose limbs are none, or have no bend, gets no five masses. BAD_ARGUMENT: a hand that the
 * robot does not have, or lists of another length than its limbs; statuses of centroidal_form_init.
 */
enum status mass_posture_init(struct mass_posture *posture, const struct robot *robot,
                              const struct mass_posture_settings *settings, struct kinematics *kin);

/* Steps masses and filter. [real-time] `in` without model and masses: they are filled in here.
 * Writes com_position com_velocity com_acceleration and the five-mass members of `out`, and their
 * bits. */
void mass_posture_step(struct mass_posture *posture, struct centroidal_form_input *in,
                       struct propriod_centroidal *out);

/* Takes over the filter's state. [real-time] */
void mass_posture_adopt(struct mass_posture *posture, const struct mass_posture *previous);

#endif
