#include "centroidal/mass_posture.h"

#include <string.h>

struct mass_posture_settings mass_posture_defaults(void) {
  return (struct mass_posture_settings){.five = {.fit = five_mass_fit_defaults()},
                                        .form = centroidal_form_defaults()};
}

static bool fits(size_t given, size_t wanted) {
  return given == 0 || given == wanted;
}

/* Numbers of the settings in place of the fitted ones. */
static enum status override(const struct five_mass_settings *settings,
                            struct five_mass_model *model) {
  const size_t n = model->n_limbs;
  if (!fits(settings->n_masses, n + 1) || !fits(settings->n_torso, 3) ||
      !fits(settings->n_pelvis, 3) || !fits(settings->n_p_s, n) || !fits(settings->n_p_l, n)) {
    return STATUS_BAD_ARGUMENT;
  }
  for (size_t i = 0; i < settings->n_masses; i++) {
    model->w[i] = settings->mass[i];
  }
  for (size_t i = 0; i < settings->n_p_s; i++) {
    model->limb[i].p_s = settings->p_s[i];
  }
  for (size_t i = 0; i < settings->n_p_l; i++) {
    model->limb[i].p_l = settings->p_l[i];
  }
  model->torso.at = settings->n_torso > 0 ? vec3_from(settings->torso) : model->torso.at;
  model->pelvis.at = settings->n_pelvis > 0 ? vec3_from(settings->pelvis) : model->pelvis.at;
  return STATUS_OK;
}

enum status mass_posture_init(struct mass_posture *posture, const struct robot *robot,
                              const struct mass_posture_settings *settings,
                              struct kinematics *kin) {
  struct mass_posture made = {0};
  double q[MODEL_MAX_JOINTS];
  const enum status status = centroidal_form_init(&made.form, &settings->form);
  if (status != STATUS_OK || kin == NULL) {
    return status;
  }
  const enum status fitted = five_mass_fit(robot, &settings->five.fit, kin, q, &made.model);
  if (fitted == STATUS_BAD_ARGUMENT) {
    return fitted;
  }
  made.has_model = fitted == STATUS_OK && made.model.n_limbs > 0;
  if (made.has_model && override(&settings->five, &made.model) != STATUS_OK) {
    return STATUS_BAD_ARGUMENT;
  }
  *posture = made;
  return STATUS_OK;
}

static void publish_masses(const struct mass_posture *posture,
                           const struct centroidal_form_input *in,
                           struct propriod_centroidal *out) {
  const struct five_mass *five = &posture->five;
  out->five_mass_com = pose_apply(&in->X_WB, five->com);
  out->five_mass_acceleration = mat3_mul_vec3(&in->X_WB.R, five->com_acceleration);
  out->five_mass_acceleration.z -= STANDARD_GRAVITY;
  out->five_mass_angular_momentum = mat3_mul_vec3(&in->X_WB.R, five->momentum);
  out->estimated |= PROPRIOD_CENTROIDAL_FIVE_MASS;
}

static void publish_angles(const struct mass_posture *posture,
                           const struct centroidal_form_input *in,
                           const struct centroidal_motion *motion,
                           struct propriod_centroidal *out) {
  const mat3 back = mat3_transpose(&in->X_WB.R), R_BI = mat3_mul(&back, &motion->R_WI);
  out->inertia_orientation = quat_from_mat3(&motion->R_WI);
  out->inertia_angles = motion->angles;
  out->inertia_rate = motion->rate;
  out->inertia_acceleration = motion->angular_acceleration;
  out->inertia_moments = five_mass_moments(&posture->five.inertia, &R_BI);
  out->estimated |= PROPRIOD_CENTROIDAL_POSTURE;
}

void mass_posture_step(struct mass_posture *posture, struct centroidal_form_input *in,
                       struct propriod_centroidal *out) {
  struct centroidal_motion motion;
  const bool five =
      posture->has_model && five_mass_step(&posture->model, in->kin, &posture->five) == STATUS_OK;
  in->model = five ? &posture->model : NULL;
  in->five = five ? &posture->five : NULL;
  if (five) {
    publish_masses(posture, in, out);
  }
  if (centroidal_form_step(&posture->form, in, &motion) != STATUS_OK) {
    return;
  }
  out->com_position = motion.com_W;
  out->com_velocity = motion.velocity_W;
  out->com_acceleration = motion.acceleration_W;
  out->estimated |=
      PROPRIOD_CENTROIDAL_COM | PROPRIOD_CENTROIDAL_COM_VELOCITY | PROPRIOD_CENTROIDAL_COM_ACC;
  if (motion.angular) {
    publish_angles(posture, in, &motion, out);
  }
}

void mass_posture_adopt(struct mass_posture *posture, const struct mass_posture *previous) {
  if (posture->form.settings.kind != previous->form.settings.kind ||
      posture->has_model != previous->has_model) {
    return; /* another filter begins anew */
  }
  const struct centroidal_form fresh = posture->form;
  posture->form = previous->form;
  posture->form.settings = fresh.settings;
  posture->form.linear.settings = fresh.linear.settings;
  posture->form.angular.settings = fresh.angular.settings;
}
