#include "centroidal/centroidal_form.h"

#include <math.h>
#include <string.h>

static const double DIFFERENCE_S = 1e-3; /* s: step of the orientation's second difference */
static const double LEAST_RADIUS = 1e-3; /* m: masses nearer to the centre do not turn about it */
static const double LONGEST_PERIOD_S = 0.1;

struct centroidal_form_settings centroidal_form_defaults(void) {
  return (struct centroidal_form_settings){
      .kind = CENTROIDAL_FULL,
      .linear = {[CENTROIDAL_PAPER] = {.jerk = 30.0, .position = 0.003, .acceleration = 0.5},
                 [CENTROIDAL_IMU_ONLY] = {.jerk = 30.0, .position = 0.003, .acceleration = 0.5}},
      .angular = {[CENTROIDAL_FULL] = {.jerk = 100.0, .position = 0.003, .acceleration = 1.0},
                  [CENTROIDAL_PAPER] = {.jerk = 100.0, .position = 0.003, .acceleration = 5.0},
                  [CENTROIDAL_IMU_ONLY] = {.jerk = 100.0, .position = 0.003, .acceleration = 5.0}},
      .paper_period_s = 0.01};
}

enum status centroidal_form_init(struct centroidal_form *form,
                                 const struct centroidal_form_settings *settings) {
  if ((unsigned)settings->kind >= CENTROIDAL_FORMS ||
      !(settings->paper_period_s > 0.0 && settings->paper_period_s <= LONGEST_PERIOD_S)) {
    return STATUS_OUT_OF_RANGE;
  }
  struct centroidal_form made = {.settings = *settings};
  enum status status = STATUS_OK;
  if (settings->kind != CENTROIDAL_FULL) {
    status = point_filter_init(&made.linear, &settings->linear[settings->kind]);
  }
  if (status == STATUS_OK) {
    status = point_filter_init(&made.angular, &settings->angular[settings->kind]);
  }
  if (status == STATUS_OK) {
    *form = made;
  }
  return status;
}

/* One instant as its form measures it. World axes. */
struct measured {
  vec3 com, velocity, acceleration; /* m, m/s, m/s^2; the velocity in the full form only */
  bool angular;
  mat3 R_WI;
  vec3 angles, angular_acceleration; /* rad, rad/s^2: roll, pitch, yaw */
};

static vec3 to_world(const struct centroidal_form_input *in, vec3 proper_B) {
  vec3 a = mat3_mul_vec3(&in->X_WB.R, proper_B);
  a.z -= STANDARD_GRAVITY;
  return a;
}

/* Angles of the inertia's orientation after `t` seconds at constant accelerations of the masses. */
static enum status angles_after(const struct centroidal_form_input *in, double t, mat3 *R_WI,
                                vec3 *angles) {
  const struct five_mass *five = in->five;
  vec3 m_W[FIVE_MASS_MOST];
  for (size_t i = 0; i < five->n; i++) { /* what all masses share does not turn the orientation */
    const vec3 v = vec3_sub(five->v[i], five->com_velocity),
               a = vec3_sub(five->a[i], five->com_acceleration);
    m_W[i] = mat3_mul_vec3(&in->X_WB.R, vec3_axpy(vec3_axpy(five->m[i], t, v), 0.5 * t * t, a));
  }
  const size_t chest = in->model->torso.link;
  const mat3 *R = &in->kin->X_BL[chest].R;
  const vec3 left = {R->m[0][1], R->m[1][1], R->m[2][1]};
  const struct motion v = kinematics_v_B(in->kin, chest), a = kinematics_a_B(in->kin, chest);
  const vec3 d = vec3_cross(v.ang, left),
             dd = vec3_add(vec3_cross(a.ang, left), vec3_cross(v.ang, d));
  const vec3 left_W = mat3_mul_vec3(&in->X_WB.R, vec3_axpy(vec3_axpy(left, t, d), 0.5 * t * t, dd));
  const enum status status = five_mass_orientation(in->model, m_W, left_W, R_WI);
  if (status == STATUS_OK) {
    *angles = mat3_to_rpy(R_WI);
  }
  return status;
}

/* The orientation's angles, yaw continued from the last step. */
static void measure_angles(struct centroidal_form *form, const struct centroidal_form_input *in,
                           struct measured *z) {
  z->angular = in->model != NULL && angles_after(in, 0.0, &z->R_WI, &z->angles) == STATUS_OK;
  if (z->angular) {
    form->yaw += remainder(z->angles.z - form->yaw, 2.0 * M_PI);
    z->angles.z = form->yaw;
  }
}

/* From world axes to those of roll, pitch and yaw rates while the body stands about upright. */
static vec3 along_yaw(vec3 a_W, double yaw) {
  const double c = cos(yaw), s = sin(yaw);
  return (vec3){c * a_W.x + s * a_W.y, c * a_W.y - s * a_W.x, a_W.z};
}

static void measure_full(struct centroidal_form *form, const struct centroidal_form_input *in,
                         struct measured *z) {
  mat3 R;
  vec3 before, after;
  z->com = pose_apply(&in->X_WB, in->full->com);
  z->velocity = vec3_add(in->velocity_W, mat3_mul_vec3(&in->X_WB.R, in->full->com_velocity));
  z->acceleration = to_world(in, in->full->com_acceleration);
  measure_angles(form, in, z);
  z->angular = z->angular && angles_after(in, -DIFFERENCE_S, &R, &before) == STATUS_OK &&
               angles_after(in, DIFFERENCE_S, &R, &after) == STATUS_OK;
  if (z->angular) {
    const double d0 = remainder(z->angles.z - before.z, 2.0 * M_PI),
                 d1 = remainder(after.z - z->angles.z, 2.0 * M_PI);
    z->angular_acceleration = (vec3){before.x - 2.0 * z->angles.x + after.x,
                                     before.y - 2.0 * z->angles.y + after.y, d1 - d0};
    z->angular_acceleration =
        vec3_scale(1.0 / (DIFFERENCE_S * DIFFERENCE_S), z->angular_acceleration);
  }
}

/* Differences over the time since they were last taken: of the gyro and of the limbs' velocities.
 */
static void take_differences(struct centroidal_form *form, const struct centroidal_form_input *in,
                             vec3 *limb_acceleration) {
  const double *dq = in->dq != NULL ? in->dq : in->kin->dq;
  const double per_s = form->differenced ? 1.0 / form->since : 0.0;
  form->omegadot_B = vec3_scale(per_s, vec3_sub(in->gyro_B, form->gyro_B));
  form->gyro_B = in->gyro_B;
  for (size_t i = 0; in->model != NULL && i < in->model->n_limbs; i++) {
    const vec3 v = five_mass_limb_velocity(in->model, in->kin, i, dq);
    limb_acceleration[i] = vec3_scale(per_s, vec3_sub(v, form->limb_v[i]));
    form->limb_v[i] = v;
  }
  form->differenced = true;
}

/* @eq Ficht23 6, 7, 8
 * @differs Ficht23 6: rotations stand in front of column vectors, and gravity comes off last */
void paper_accelerations(const struct five_mass_model *model, const struct kinematics *kin,
                         const struct five_mass *five, vec3 force_B, vec3 imu_B, vec3 omegadot_B,
                         const vec3 *limb_acceleration, vec3 *a) {
  const vec3 m_t = five->m[0];
  a[0] = vec3_sub(force_B, vec3_cross(omegadot_B, vec3_sub(imu_B, m_t)));
  for (size_t i = 0; i < model->n_limbs; i++) {
    const struct link_point *o = &model->limb[i].o;
    const vec3 o_B = pose_apply(&kin->X_BL[o->link], o->at);
    a[i + 1] =
        vec3_add(vec3_add(a[0], vec3_cross(omegadot_B, vec3_sub(o_B, m_t))), limb_acceleration[i]);
  }
}

/* @eq Ficht23 9 */
vec3 paper_angular_acceleration(const struct five_mass *five, const vec3 *a) {
  vec3 mean = VEC3_ZERO, sum = VEC3_ZERO;
  for (size_t i = 0; i < five->n; i++) {
    mean = vec3_axpy(mean, five->w[i] / five->total, a[i]);
  }
  for (size_t i = 0; i < five->n; i++) {
    const vec3 r = vec3_sub(five->m[i], five->com);
    const double rr = vec3_dot(r, r);
    if (rr > LEAST_RADIUS * LEAST_RADIUS) {
      sum = vec3_axpy(sum, five->w[i] / (five->total * rr), vec3_cross(r, vec3_sub(a[i], mean)));
    }
  }
  return sum;
}

static void measure_paper(struct centroidal_form *form, const struct centroidal_form_input *in,
                          struct measured *z) {
  vec3 relative[FIVE_MASS_LIMBS], a[FIVE_MASS_MOST], sum = VEC3_ZERO;
  take_differences(form, in, relative);
  paper_accelerations(in->model, in->kin, in->five, in->force_B, in->imu_B, form->omegadot_B,
                      relative, a);
  for (size_t i = 0; i < in->five->n; i++) {
    sum = vec3_axpy(sum, in->five->w[i] / in->five->total, a[i]);
  }
  z->com = pose_apply(&in->X_WB, in->five->com);
  z->acceleration = to_world(in, sum);
  measure_angles(form, in, z);
  z->angular_acceleration =
      along_yaw(mat3_mul_vec3(&in->X_WB.R, paper_angular_acceleration(in->five, a)), z->angles.z);
}

static void measure_imu(struct centroidal_form *form, const struct centroidal_form_input *in,
                        struct measured *z) {
  vec3 unused[FIVE_MASS_LIMBS];
  if (form->since >= form->settings.paper_period_s || !form->differenced) {
    take_differences(form, in, unused);
    form->since = 0.0;
  }
  z->com = pose_apply(&in->X_WB, in->full->com);
  z->acceleration = to_world(in, in->force_B);
  measure_angles(form, in, z);
  z->angular_acceleration = along_yaw(mat3_mul_vec3(&in->X_WB.R, form->omegadot_B), z->angles.z);
}

/* The centre of mass. The joint filter has weighed all that speaks of the body's motion, and the
 * full model is a function of that: a filter behind it only adds its lag. */
static enum status follow_com(struct centroidal_form *form, const struct measured *z, double dt) {
  struct centroidal_motion *out = &form->last;
  if (form->settings.kind == CENTROIDAL_FULL) {
    if (!vec3_is_finite(z->com) || !vec3_is_finite(z->velocity) ||
        !vec3_is_finite(z->acceleration)) {
      return STATUS_NOT_FINITE;
    }
    out->com_W = z->com;
    out->velocity_W = z->velocity;
    out->acceleration_W = z->acceleration;
    return STATUS_OK;
  }
  const enum status status = point_filter_step(&form->linear, z->com, z->acceleration, dt);
  out->com_W = form->linear.p;
  out->velocity_W = form->linear.v;
  out->acceleration_W = form->linear.a;
  return status;
}

/* Centre of mass and angles over `dt`. */
static enum status filter(struct centroidal_form *form, const struct measured *z, double dt) {
  struct centroidal_motion *out = &form->last;
  const enum status status = follow_com(form, z, dt);
  if (status != STATUS_OK) {
    return status;
  }
  out->angular = z->angular && point_filter_step(&form->angular, z->angles, z->angular_acceleration,
                                                 dt) == STATUS_OK;
  out->R_WI = z->R_WI;
  out->angles = form->angular.p;
  out->rate = form->angular.v;
  out->angular_acceleration = form->angular.a;
  return STATUS_OK;
}

enum status centroidal_form_step(struct centroidal_form *form,
                                 const struct centroidal_form_input *in,
                                 struct centroidal_motion *out) {
  struct measured z = {.com = VEC3_ZERO};
  enum status status = STATUS_OK;
  /* a robot without limbs is the torso alone: then the paper's form is the IMU's */
  const bool paper = form->settings.kind == CENTROIDAL_PAPER && in->model != NULL;
  if (!(in->dt > 0.0 && in->dt <= 1.0)) {
    return STATUS_OUT_OF_RANGE;
  }
  form->since += in->dt;
  if (form->settings.kind == CENTROIDAL_FULL) {
    measure_full(form, in, &z);
    status = filter(form, &z, in->dt);
  } else if (!paper) {
    measure_imu(form, in, &z);
    status = filter(form, &z, in->dt);
  } else if (form->since >= form->settings.paper_period_s - 0.5 * in->dt || !form->differenced) {
    measure_paper(form, in, &z);
    status = filter(form, &z, form->since);
    form->since = 0.0;
  } else { /* between the paper's instants */
    form->last.com_W = vec3_axpy(form->last.com_W, in->dt, form->last.velocity_W);
  }
  if (status == STATUS_OK) {
    *out = form->last;
  }
  return status;
}
