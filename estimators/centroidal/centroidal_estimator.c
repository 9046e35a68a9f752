#include "centroidal/centroidal_estimator.h"

#include "base/known_feet.h"
#include "body/centroidal.h"
#include "body/frames.h"
#include "centroidal/motion_deviations.h"
#include "model/motion.h"

#include <math.h>

struct centroidal_estimator {
  struct centroidal_settings settings;
  const struct robot *robot;
  struct kinematics kin;
  double *zero; /* [n_joints] for joints whose rates are not estimated */
  struct base_estimator base;
  struct contacts contacts;
  struct mass_posture posture;
  struct motion_deviations deviations;
  int64_t t_ns;    /* of the last step, 0 for none */
  uint64_t resets; /* of the joints' filter, until then */
};

/* Steps longer than this are a gap and not integrated over, s. */
static const double GAP_S = 0.1;

struct centroidal_settings centroidal_defaults(void) {
  return (struct centroidal_settings){.base = base_estimator_defaults(),
                                      .contacts = contact_defaults(),
                                      .posture = mass_posture_defaults(),
                                      .model = model_doubt_defaults()};
}

enum status centroidal_init(struct centroidal_estimator **estimator, const struct robot *robot,
                            const struct centroidal_settings *settings, struct arena *arena) {
  const size_t n = robot->model.n_joints;
  struct centroidal_estimator counted = {0};
  struct centroidal_estimator *e = ARENA_ARRAY(arena, struct centroidal_estimator, 1);
  double *zero = ARENA_ARRAY(arena, double, n);
  struct centroidal_estimator *into = e != NULL ? e : &counted;
  enum status status = kinematics_init(&into->kin, &robot->model, arena);
  status = status == STATUS_OK ? base_estimator_init(&into->base, robot, &settings->base) : status;
  status = status == STATUS_OK ? contacts_init(&into->contacts, robot, &settings->contacts, arena)
                               : status;
  status = status == STATUS_OK ? mass_posture_init(&into->posture, robot, &settings->posture,
                                                   e != NULL && !arena->failed ? &into->kin : NULL)
                               : status;
  status = status == STATUS_OK
               ? motion_deviations_init(&into->deviations, robot, &settings->model, arena)
               : status;
  if (status != STATUS_OK || arena_is_counting(arena)) {
    return status;
  }
  if (arena->failed) {
    return STATUS_NO_MEMORY;
  }
  e->settings = *settings;
  e->robot = robot;
  e->zero = zero;
  *estimator = e;
  return STATUS_OK;
}

/* Where the base is; upright at the origin before that is known. */
static struct pose pose_of(const struct propriod_state *state) {
  struct pose X_WB = POSE_IDENTITY;
  if ((state->estimated & PROPRIOD_STATE_BASE_ATTITUDE) != 0) {
    X_WB.R = mat3_from_quat(state->quat_xyzw);
  }
  if ((state->estimated & PROPRIOD_STATE_BASE_POSITION) != 0) {
    X_WB.p = state->base_position;
  }
  return X_WB;
}

/* What `state` knows of the robot's motion; rates that it does not know count as zero. */
static struct robot_motion motion_of(const struct centroidal_estimator *e,
                                     const struct propriod_state *state) {
  const bool turns = (state->estimated & PROPRIOD_STATE_BASE_RATE) != 0;
  const bool accelerates = (state->estimated & PROPRIOD_STATE_BASE_ANG_ACC) != 0;
  const bool weighs = (state->estimated & PROPRIOD_STATE_BASE_FORCE) != 0;
  const struct pose X_WB = pose_of(state);
  const vec3 at_rest = mat3_tmul_vec3(&X_WB.R, (vec3){0.0, 0.0, STANDARD_GRAVITY});
  return (struct robot_motion){
      .base = {.X_WB = X_WB,
               .v_B = {turns ? state->base_angular_velocity : VEC3_ZERO, VEC3_ZERO},
               .a_B = {accelerates ? state->base_angular_acceleration : VEC3_ZERO,
                       weighs ? state->base_specific_force : at_rest}},
      .q = state->q,
      .dq = (state->estimated & PROPRIOD_STATE_DQ) != 0 ? state->dq : e->zero,
      .ddq = (state->estimated & PROPRIOD_STATE_DDQ) != 0 ? state->ddq : e->zero};
}

static void publish_support(const struct centroidal_estimator *e, const struct pose *X_WB,
                            struct propriod_centroidal *out) {
  const struct support *support = &e->base.support;
  out->n_feet = (uint32_t)e->robot->n_feet;
  if (!support->started) {
    return;
  }
  for (size_t i = 0; i < e->robot->n_feet; i++) {
    out->support_share[i] = support->share[i];
  }
  out->support_phase = (uint32_t)support->phase;
  out->support_foot = support->foot >= 0 ? (uint32_t)support->foot : 0;
  out->support_slips = e->base.slips;
  const struct model_frame *foot = &e->robot->foot[out->support_foot];
  const struct pose X_BF = frame_pose(&e->kin, foot->link, &foot->placement);
  out->com_from_support = mat3_mul_vec3(&X_WB->R, vec3_sub(out->com_in_base, X_BF.p));
  out->estimated |= PROPRIOD_CENTROIDAL_SUPPORT;
}

static void publish_momentum(const struct centroidal *c, const mat3 *R_WB,
                             struct propriod_centroidal *out) {
  out->angular_momentum = mat3_mul_vec3(R_WB, c->momentum.ang);
  out->angular_momentum_rate = mat3_mul_vec3(R_WB, c->rate.ang);
  out->estimated |= PROPRIOD_CENTROIDAL_MOMENTUM | PROPRIOD_CENTROIDAL_MOMENTUM_RATE;
}

/* Joint velocities as the encoders give them, for the paper's form: of the stream, else none. */
static const double *measured_velocity(const struct joints_reading *joints, size_t n) {
  bool all = joints->stamp.present && joints->dq != NULL;
  for (size_t j = 0; all && j < n; j++) {
    all = isfinite(joints->dq[j]);
  }
  return all ? joints->dq : NULL;
}

/* Of the base link's origin, m/s, world; NULL: not known. */
static const vec3 *base_velocity(const struct centroidal_estimator *e,
                                 const struct propriod_state *state) {
  static const vec3 at_rest = {0.0, 0.0, 0.0};
  if (e->robot->fixed_base) {
    return &at_rest;
  }
  return (state->estimated & PROPRIOD_STATE_BASE_VELOCITY) != 0 ? &state->base_velocity : NULL;
}

/* Centre of mass and posture through the form that the settings chose. */
static void publish_motion(struct centroidal_estimator *e, const struct sensor_frame *frame,
                           const struct centroidal *c, const struct pose *X_WB, double dt,
                           const vec3 *velocity_W, struct propriod_centroidal *out) {
  const struct base_motion *base = &e->kin.base;
  const vec3 imu_B = e->robot->imu_link == 0 ? e->robot->imu_placement.p : VEC3_ZERO;
  struct centroidal_form_input in = {
      .dt = dt,
      .X_WB = *X_WB,
      .velocity_W = velocity_W != NULL ? *velocity_W : VEC3_ZERO,
      .imu_B = imu_B,
      .force_B = point_acceleration(&base->a_B, base->v_B.ang, imu_B),
      .gyro_B = base->v_B.ang,
      .kin = &e->kin,
      .dq = measured_velocity(&frame->joints, e->robot->model.n_joints),
      .full = c};
  mass_posture_step(&e->posture, &in, out);
  if (velocity_W == NULL) {
    out->estimated &= ~PROPRIOD_CENTROIDAL_COM_VELOCITY;
  }
}

static void publish_capture(const struct base_estimator *base, vec3 com_W,
                            struct propriod_centroidal *out) {
  const double ground = base_estimator_ground(base);
  if ((out->estimated & PROPRIOD_CENTROIDAL_COM_VELOCITY) != 0 &&
      divergent_component(com_W, out->com_velocity, ground, &out->dcm_position) == STATUS_OK) {
    out->capture_point = (vec3){out->dcm_position.x, out->dcm_position.y, ground};
    out->estimated |= PROPRIOD_CENTROIDAL_DCM;
  }
}

/* What is known of the contacts. An accelerometer that may be wrong takes no robot off its feet. */
static struct base_contacts contacts_seen(const struct centroidal_estimator *e,
                                          const struct joint_filter *joints,
                                          const struct propriod_state *state) {
  struct base_contacts seen = e->contacts.seen;
  const enum base_doubt doubt = joints != NULL ? joint_filter_doubts(joints) : BASE_SURE;
  if (doubt != BASE_SURE) {
    seen.f_z = fmax(seen.f_z, seen.weight);
  }
  seen.tried = doubt >= BASE_TRIED;
  seen.held = doubt == BASE_SUSPECTED;
  if ((state->estimated & PROPRIOD_STATE_DEVIATIONS) != 0) {
    bool rests[ROBOT_MAX_FEET];
    for (size_t i = 0; i < e->robot->n_feet; i++) {
      rests[i] = e->base.contact[i].stands && e->base.slipping_s[i] <= 0.0;
    }
    known_feet(e->robot, &e->kin, state->q_sd, state->joint_health, rests, seen.unknown);
  }
  for (size_t i = 0; i < e->robot->n_feet; i++) {
    seen.unknown[i] = seen.unknown[i] || seen.awaited;
  }
  return seen;
}

/* -- one cycle --------------------------------------------------------------------------------- */

/* What a cycle is given, and what it finds on its way. */
struct cycle {
  const struct sensor_frame *frame;
  const struct inertia *inertia;
  const struct joint_filter *joints; /* or NULL */
  const struct propriod_state *state;
  double dt;
  struct robot_motion motion;
  struct centroidal whole; /* if bodies are weighed */
};

static double time_step(struct centroidal_estimator *e, int64_t t_ns) {
  const double since = e->t_ns == 0 ? 0.0 : (double)(t_ns - e->t_ns) * 1e-9;
  e->t_ns = t_ns;
  return since > 0.0 && since < GAP_S ? since : 1e-3;
}

/* Moves the model as the robot moves. Returns false when that is not known. */
static bool move_model(struct centroidal_estimator *e, struct cycle *now) {
  now->motion = motion_of(e, now->state);
  return (now->state->estimated & PROPRIOD_STATE_Q) != 0 &&
         kinematics_update(&e->kin, &now->motion) == STATUS_OK &&
         (e->robot->inertia_unknown ||
          centroidal_step(&e->kin, now->inertia, &now->whole) == STATUS_OK);
}

/* What feet feel, and the mass that they may carry. */
static void feel(struct centroidal_estimator *e, const struct cycle *now,
                 struct propriod_centroidal *out) {
  const bool known = now->joints != NULL && joint_filter_doubts(now->joints) == BASE_SURE;
  struct contact_reading reading = {.reading = &now->frame->wrench,
                                    .kin = &e->kin,
                                    .R_WB = &now->motion.base.X_WB.R,
                                    .weight = 1.0,
                                    .motion_known = known,
                                    .t_ns = now->frame->t_ns,
                                    .dt = now->dt};
  if (e->robot->inertia_unknown) {
    contacts_sense_unweighed(&e->contacts, &reading);
    return;
  }
  out->mass = now->whole.mass;
  out->com_in_base = now->whole.com;
  out->estimated = PROPRIOD_CENTROIDAL_MASS | PROPRIOD_CENTROIDAL_COM_B;
  reading.weight = now->whole.mass * STANDARD_GRAVITY;
  contacts_sense(&e->contacts, &reading);
}

/* Which feet stand. */
static void step_base(struct centroidal_estimator *e, const struct cycle *now) {
  double drag[ROBOT_MAX_FEET] = {0.0};
  const struct joint_filter *joints = now->joints;
  const struct propriod_state *state = now->state;
  const double silence_s = joints != NULL ? joint_filter_silence(joints) : 0.0;
  if (silence_s > 0.0) {
    base_estimator_resume(&e->base, silence_s);
  }
  if (joints != NULL && joint_filter_counters(joints)->resets != e->resets) {
    e->resets = joint_filter_counters(joints)->resets;
    base_estimator_begin(&e->base);
  }
  if (e->robot->n_feet > 0 && (state->estimated & PROPRIOD_STATE_BASE_POSITION) != 0) {
    const struct base_contacts seen = contacts_seen(e, joints, state);
    if (joints != NULL) {
      joint_filter_foot_drag(joints, drag);
    }
    base_estimator_step(&e->base, &e->kin, &now->motion.base.X_WB, state->base_velocity,
                        state->base_position_sd.z, state->tilt_sd, drag, &seen, now->dt);
  }
}

/* What ground and whoever pushes do to a robot that stands on feet. */
static void publish_contacts(struct centroidal_estimator *e, const struct cycle *now, vec3 com_W,
                             struct propriod_centroidal *out) {
  const struct contact_input in = {.kin = &e->kin,
                                   .centroidal = &now->whole,
                                   .inertia = now->inertia,
                                   .state = now->state,
                                   .base = &e->base,
                                   .sure = &e->deviations,
                                   .X_WB = now->motion.base.X_WB,
                                   .t_ns = now->frame->t_ns,
                                   .effort_ns = now->frame->joints.stamp.t_ns,
                                   .dt = now->dt,
                                   .begins =
                                       now->joints != NULL && joint_filter_begins(now->joints)};
  contacts_step(&e->contacts, &in, out);
  publish_capture(&e->base, com_W, out);
}

/* Momentum, centre of mass and contacts: where all accelerations are known. */
static void publish_dynamics(struct centroidal_estimator *e, const struct cycle *now,
                             struct propriod_centroidal *out) {
  const uint32_t accelerations =
      PROPRIOD_STATE_DDQ | PROPRIOD_STATE_BASE_ANG_ACC | PROPRIOD_STATE_BASE_FORCE;
  if ((now->state->estimated & accelerations) != accelerations) {
    return;
  }
  const bool fixed = e->robot->fixed_base;
  const struct pose *X_WB = &now->motion.base.X_WB;
  publish_momentum(&now->whole, &X_WB->R, out);
  publish_motion(e, now->frame, &now->whole, X_WB, now->dt, base_velocity(e, now->state), out);
  const vec3 com_W = pose_apply(X_WB, now->whole.com);
  const double height = fixed ? 0.0 : com_W.z - base_estimator_ground(&e->base);
  motion_deviations_step(&e->deviations, now->joints, &e->kin, now->inertia, &now->whole, &X_WB->R,
                         push_strange_weight(&e->contacts.push) / STANDARD_GRAVITY, height);
  motion_deviations_publish(&e->deviations, out);
  if (!fixed) {
    publish_contacts(e, now, com_W, out);
  }
}

void centroidal_estimate_step(struct centroidal_estimator *e, const struct sensor_frame *frame,
                              const struct inertia *inertia, const struct joint_filter *joints,
                              const struct propriod_state *state, struct propriod_centroidal *out) {
  struct cycle now = {.frame = frame,
                      .inertia = inertia,
                      .joints = joints,
                      .state = state,
                      .dt = time_step(e, frame->t_ns)};
  out->t_ns = frame->t_ns;
  out->status = state->status;
  out->estimated = 0;
  if (!move_model(e, &now)) {
    return;
  }
  feel(e, &now, out);
  if ((state->estimated & PROPRIOD_STATE_BASE_ATTITUDE) == 0) {
    return;
  }
  step_base(e, &now);
  if (!e->robot->inertia_unknown) {
    publish_support(e, &now.motion.base.X_WB, out);
    publish_dynamics(e, &now, out);
  }
  if ((e->base.slips || e->contacts.denied) && out->status == PROPRIOD_STATUS_OK) {
    out->status = PROPRIOD_STATUS_DEGRADED;
  }
}

const struct base_estimator *centroidal_base(const struct centroidal_estimator *e) {
  return &e->base;
}

void centroidal_adopt(struct centroidal_estimator *e, const struct centroidal_estimator *previous) {
  base_estimator_adopt(&e->base, &previous->base);
  contacts_adopt(&e->contacts, &previous->contacts);
  mass_posture_adopt(&e->posture, &previous->posture);
  e->t_ns = previous->t_ns;
  e->resets = previous->resets;
}
