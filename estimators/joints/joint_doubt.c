#include "joints/joint_doubt.h"

#include "body/frames.h"
#include "joints/joint_base.h"
#include "joints/joint_filter_core.h"
#include "joints/stance_speed.h"
#include "process/base_process.h"
#include "update/foot_landing.h"

#include <math.h>
#include <string.h>

/* A base turns faster or slower meanwhile, rad/s^2, and is pushed harder or softer, m/s^3. */
static const double TURNS_FASTER = 10.0, PUSHES_HARDER = 50.0;
/* What is taken back is known to this part of it; of a rate, which has been read, to that. */
static const double UNSURE_SHARE = 0.3, SURE_SHARE = 0.05;
/* What an accelerometer that is wrong tilts meanwhile, rad per m/s. */
static const double TILTS_SHARE = 0.02;
/* How well legs tell attitude and place of a base that is put back onto its feet, rad, m. */
static const double LEGS_TURN = 0.01, LEGS_PLACE = 5e-3;

/* What an accelerometer may be off by without having been tried for a jump, m/s^2. */
static const double UNTRIED_FORCE = 1.0;
/* For how long a triad is off that has not been tried for a jump before it is found out, s. */
static const double UNTRIED_S = 0.01;
/* How well legs tell the base's velocity at once, m/s. */
static const double LEGS_SPEED = 0.05;
/* A gyro that was not seen to lie has done so for that long, s, and so much of it is bias now. */
static const double LIED_S = 0.1, LIED_BIAS = 0.01;
/* A velocity that nothing has told for long, m/s. */
static const double UNTOLD_SPEED = 1.0;
/* For how long a bias that was wrong has turned the base, s. */
static const double TURNED_S = 1.0;
/* How high it may hang, m. */
static const double UNTOLD_HEIGHT = 1.0;

static void open_block(const struct joint_layout *l, size_t at, double sd, double *P) {
  for (size_t i = at; i < at + 3; i++) {
    P[i * (l->stride + 1)] += sd * sd;
  }
}

static void take_back(double *x, vec3 jump) {
  vec3_to(vec3_sub(vec3_from(x), jump), x);
}

/* Readings of refused triads that are still to be filtered again. */
static void forget_readings(struct joint_filter *f, unsigned refused, const int64_t *since_ns) {
  const vec3 nothing = {(double)NAN, (double)NAN, (double)NAN};
  for (size_t i = 0; i < f->instants.count; i++) {
    struct instant *instant = f->instants.at[i];
    if ((refused & (1u << IMU_GYRO)) && instant->t_ns >= since_ns[IMU_GYRO]) {
      instant->rate = nothing;
      instant->open_rate = VEC3_ZERO;
    }
    if ((refused & (1u << IMU_ACCELEROMETER)) && instant->t_ns >= since_ns[IMU_ACCELEROMETER]) {
      instant->force = nothing;
      instant->open_force = instant->open_pulse = VEC3_ZERO;
    }
  }
}

/* Whatever feet have said of the IMU is answered. */
static void forget_strain(struct joint_filter *f) {
  for (size_t i = 0; i < f->layout.n_feet; i++) {
    struct foot_memory *foot = &f->foot[i];
    foot->strain = foot->usual = foot->drag = 0.0;
    foot->mean = VEC3_ZERO;
  }
}

void joint_doubt_decide(struct joint_filter *f, const struct instant *now) {
  f->decided_ns = now->t_ns;
  f->preparation.of = f->preparation.kept = NULL;
}

/* -- back onto the feet ----------------------------------------------------------------------- */

/* Soles speak against a triad, and know what it has told. */
static bool is_denied(const struct joint_filter *f, enum imu_triad triad) {
  const struct stance_testimony *stance = &f->stance.of[triad];
  return stance->first_ns == f->judge.triad[triad].first_ns && stance->says == STANCE_AGAINST;
}

/* Which soles have stood since before a refused triad jumped, and have spoken against it; returns
 * how many. */
static size_t stood_ever_since(const struct joint_filter *f, const struct instant *now,
                               unsigned refused, bool stays[ROBOT_MAX_FEET]) {
  size_t n = 0;
  for (size_t i = 0; i < f->layout.n_feet; i++) {
    stays[i] = false;
    for (unsigned t = 0; t < IMU_TRIADS; t++) {
      stays[i] = stays[i] || ((refused & (1u << t)) && is_denied(f, (enum imu_triad)t) &&
                              f->stance.of[t].stays[i]);
    }
    stays[i] = stays[i] && now->contact[i].stands;
    n += stays[i];
  }
  return n;
}

/* The sole that carries most is turned as it was, and so is the base. Points do not tell. */
static void turn_onto_soles(const struct joint_filter *f, struct instant *now, const bool *stays) {
  const struct joint_layout *l = &f->layout;
  size_t most = l->n_soles;
  for (size_t i = 0; i < l->n_soles; i++) {
    if (stays[i]) {
      base_process_set_sole(l, i, f->stance.sole[i], now->x);
      most = most == l->n_soles || now->contact[i].share > now->contact[most].share ? i : most;
    }
  }
  if (most < l->n_soles) {
    const struct model_frame *foot = &f->robot->foot[most];
    const struct pose X_BF = frame_pose(&f->kin, foot->link, &foot->placement);
    const mat3 R_WF = mat3_from_quat(f->stance.sole[most]), R_FB = mat3_transpose(&X_BF.R);
    const mat3 R_WB = mat3_mul(&R_WF, &R_FB);
    base_process_set_rotation(l, quat_from_mat3(&R_WB), now->x);
  }
}

/* Where the base is above a foot that stands where it stood, m, world. */
static vec3 base_above(const struct joint_filter *f, const struct instant *now, size_t i,
                       const mat3 *R_WB) {
  const struct model_frame *foot = &f->robot->foot[i];
  const vec3 sole = frame_pose(&f->kin, foot->link, &foot->placement).p,
             centre = vec3_add(vec3_from(f->stance.foot + 3 * i), now->contact[i].rolled);
  const vec3 above = vec3_sub(centre, mat3_mul_vec3(R_WB, sole));
  return vec3_add(above, (vec3){0.0, 0.0, foot->ball_radius});
}

static double turned_between(quat a, quat b) {
  const quat back = {-a.x, -a.y, -a.z, a.w};
  return vec3_norm(quat_to_rotation_vector(quat_mul(back, b)));
}

/* Soles that have stood since before the trial stand where they stood, and the base above them;
 * those that have come to stand meanwhile do so here. */
static void stand_again(struct joint_filter *f, struct instant *now, unsigned refused) {
  const struct joint_layout *l = &f->layout;
  bool stays[ROBOT_MAX_FEET];
  const size_t n = stood_ever_since(f, now, refused, stays);
  if (n == 0 || !joint_base_kinematics(f, now->x)) {
    return;
  }
  const quat before = base_process_rotation(l, now->x);
  vec3 place = VEC3_ZERO;
  turn_onto_soles(f, now, stays);
  const mat3 R = mat3_from_quat(base_process_rotation(l, now->x));
  for (size_t i = 0; i < l->n_feet; i++) {
    if (stays[i]) {
      vec3_to(vec3_from(f->stance.foot + 3 * i), now->x + l->foot + 3 * i);
      place = vec3_axpy(place, 1.0 / (double)n, base_above(f, now, i, &R));
    } else if (now->contact[i].stands) {
      foot_lands(&f->rows, &f->kin, &f->robot->foot[i], i, f->jacobian, now->x, now->P);
    }
  }
  const double moved = vec3_norm(vec3_sub(place, vec3_from(now->x + l->position))),
               turned = turned_between(before, base_process_rotation(l, now->x));
  vec3_to(place, now->x + l->position);
  const vec3 wrong = stance_speed(f, now); /* it is zero */
  take_back(now->x + l->velocity, wrong);
  open_block(l, l->attitude, LEGS_TURN + UNSURE_SHARE * turned, now->P);
  open_block(l, l->position, LEGS_PLACE + UNSURE_SHARE * moved, now->P);
  open_block(l, l->velocity, LEGS_SPEED + UNSURE_SHARE * vec3_norm(wrong), now->P);
}

/* -- what is taken back ------------------------------------------------------------------------ */

/* What a triad on trial has told beyond what was expected. */
struct told {
  double age; /* s: since it jumped */
  vec3 excess,
      gained;    /* its newest reading's, base axes; integral: rad, base axes, or m/s, world */
  double unsure; /* of that integral, rad or m/s; all of it where nobody has kept it */
};

static struct told told_by(const struct joint_filter *f, const struct instant *now,
                           enum imu_triad triad) {
  const struct triad_judge *judge = &f->judge.triad[triad];
  const struct stance_testimony *stance = &f->stance.of[triad];
  const bool kept = is_denied(f, triad);
  const int64_t since_ns = kept ? judge->first_ns : judge->began_ns;
  const double age = fmax(1e-9 * (double)(now->t_ns - since_ns), f->settings.period_s);
  return (struct told){.age = age,
                       .excess = judge->excess,
                       .gained = kept ? stance->gained : VEC3_ZERO,
                       .unsure = kept ? UNSURE_SHARE * vec3_norm(stance->gained)
                                      : vec3_largest(judge->jump) * age};
}

static void take_back_turn(const struct joint_filter *f, struct instant *now,
                           const struct told *told) {
  const struct joint_layout *l = &f->layout;
  const double faster = TURNS_FASTER * told->age; /* meanwhile, rad/s */
  const quat back = quat_from_rotation_vector(vec3_neg(told->gained));
  take_back(now->x + l->omega, told->excess);
  base_process_set_rotation(l, quat_normalized(quat_mul(base_process_rotation(l, now->x), back)),
                            now->x);
  open_block(l, l->omega, fmin(SURE_SHARE * vec3_norm(told->excess) + faster, 10.0), now->P);
  open_block(l, l->attitude, fmin(told->unsure + 0.5 * faster * told->age, 0.5), now->P);
  open_block(l, l->velocity, fmin(told->unsure, 1.0), now->P);
}

static void take_back_push(const struct joint_filter *f, struct instant *now,
                           const struct told *told) {
  const struct joint_layout *l = &f->layout;
  const double speed = fmin(LEGS_SPEED + told->unsure, 3.0);
  take_back(now->x + l->force, told->excess);
  vec3_to(VEC3_ZERO, now->x + l->forcedot); /* that it is pushed ever harder */
  take_back(now->x + l->velocity, told->gained);
  take_back(now->x + l->position, vec3_scale(0.5 * told->age, told->gained));
  open_block(l, l->force,
             fmin(UNSURE_SHARE * vec3_norm(told->excess) + PUSHES_HARDER * told->age, 50.0),
             now->P);
  open_block(l, l->velocity, speed, now->P);
  open_block(l, l->position, 0.5 * speed * told->age, now->P);
  open_block(l, l->attitude, fmin(TILTS_SHARE * speed, 0.05), now->P);
}

/* What refused triads have done since they jumped is taken back, and as much of it opened as is not
 * known; the biases are those from before. Feet that have stood ever since know better. */
void joint_doubt_convict(struct joint_filter *f, struct instant *now, unsigned accused) {
  const struct joint_layout *l = &f->layout;
  struct told told[IMU_TRIADS];
  int64_t since_ns[IMU_TRIADS];
  for (int t = 0; t < IMU_TRIADS; t++) {
    told[t] = told_by(f, now, (enum imu_triad)t);
    since_ns[t] = f->judge.triad[t].first_ns;
  }
  const unsigned refused = imu_judge_convict(&f->judge, accused, now->t_ns);
  if (refused == 0) {
    return;
  }
  forget_readings(f, refused, since_ns);
  f->convicted_ns = now->t_ns;
  joint_doubt_decide(f, now);
  forget_strain(f); /* it was not the feet's */
  /* what was wrong with one has gone into both */
  vec3_to(f->judge.gyro_bias, now->x + l->gyro_bias);
  vec3_to(f->judge.accelerometer_bias, now->x + l->accelerometer_bias);
  if (refused & (1u << IMU_GYRO)) {
    take_back_turn(f, now, &told[IMU_GYRO]);
  }
  if (refused & (1u << IMU_ACCELEROMETER)) {
    take_back_push(f, now, &told[IMU_ACCELEROMETER]);
  }
  stand_again(f, now, refused);
}

void joint_doubt_untried(struct joint_filter *f, struct instant *now, unsigned refused) {
  const struct joint_layout *l = &f->layout;
  const double turn = imu_smallest_jump[IMU_GYRO], push = imu_smallest_jump[IMU_ACCELEROMETER];
  if (refused & (1u << IMU_GYRO)) {
    open_block(l, l->omega, turn, now->P);
    open_block(l, l->attitude, UNTRIED_S * turn, now->P);
  }
  if (refused & (1u << IMU_ACCELEROMETER)) {
    open_block(l, l->force, push, now->P);
    open_block(l, l->velocity, UNTRIED_S * push, now->P);
  }
  if (refused != 0) {
    joint_doubt_decide(f, now);
  }
}

void joint_doubt_bias(struct joint_filter *f, struct instant *now, enum imu_triad triad) {
  const struct joint_layout *l = &f->layout;
  const struct joint_base_settings *s = &f->settings.base;
  if (triad == IMU_GYRO) {
    open_block(l, l->gyro_bias, s->gyro_bias, now->P);
  } else {
    open_block(l, l->accelerometer_bias, s->accelerometer_bias, now->P);
  }
  joint_doubt_decide(f, now);
}

/* Errors of twice three states have one cause: u[k] at the states from at[k]. */
static void open_together(const struct joint_layout *l, const size_t at[2], const vec3 u[2],
                          double *P) {
  double error[6];
  for (size_t k = 0; k < 2; k++) {
    vec3_to(u[k], error + 3 * k);
  }
  for (size_t a = 0; a < 6; a++) {
    for (size_t b = 0; b < 6; b++) {
      const size_t i = at[a / 3] + a % 3, j = at[b / 3] + b % 3;
      P[i * l->stride + j] += i <= j ? error[a] * error[b] : 0.0;
    }
  }
}

/* A force is off by that much, and the turning beside it. What noise has been integrated to since
 * has nothing in common with what it does now: it changes from reading to reading. */
static void open_push(const struct joint_filter *f, struct instant *now, vec3 force, double since,
                      vec3 omegadot) {
  const struct joint_layout *l = &f->layout;
  const mat3 R_WB = mat3_from_quat(base_process_rotation(l, now->x));
  const size_t at[2] = {l->force, l->omegadot}, velocity[2] = {l->velocity, l->velocity};
  const vec3 u[2] = {force, omegadot},
             gained[2] = {vec3_scale(since, mat3_mul_vec3(&R_WB, force)), VEC3_ZERO};
  open_together(l, at, u, now->P);
  open_together(l, velocity, gained, now->P);
}

void joint_doubt_noisy(struct joint_filter *f, struct instant *now, enum imu_triad triad,
                       double times, double since) {
  const struct joint_layout *l = &f->layout;
  const double more = times * times - 1.0;
  for (size_t i = 0; i < 3; i++) {
    const vec3 axis = {i == 0 ? 1.0 : 0.0, i == 1 ? 1.0 : 0.0, i == 2 ? 1.0 : 0.0};
    double *rate = &now->P[(l->omega + i) * (l->stride + 1)];
    if (triad == IMU_GYRO) {
      const double sd = sqrt(more * now->P[(l->omegadot + i) * (l->stride + 1)]);
      const vec3 omegadot = vec3_scale(sd, axis);
      *rate += more * *rate;
      open_push(f, now, vec3_cross(f->imu.p, omegadot), since, omegadot);
    } else {
      const double sd = sqrt(more * now->P[(l->force + i) * (l->stride + 1)]);
      open_push(f, now, vec3_scale(sd, axis), since, VEC3_ZERO);
    }
  }
  joint_doubt_decide(f, now);
}

/* What is known is what was before and what has been told: 1/P = 1/P_before + told / times. */
void joint_doubt_skin(struct joint_filter *f, struct instant *now, double times) {
  const struct joint_layout *l = &f->layout;
  const double sd = f->settings.base.accelerometer_bias, before = 1.0 / (sd * sd);
  for (size_t i = 0; i < 3; i++) {
    double *variance = &now->P[(l->accelerometer_bias + i) * (l->stride + 1)];
    const double told = fmax(1.0 / *variance - before, 0.0);
    *variance = fmax(*variance, 1.0 / (before + told / times));
  }
  joint_doubt_decide(f, now);
}

void joint_doubt_turn(struct joint_filter *f, struct instant *now, double jump) {
  const struct joint_layout *l = &f->layout;
  f->convicted_ns = now->t_ns;
  forget_strain(f);
  open_block(l, l->omega, jump, now->P);
  open_block(l, l->attitude, LIED_S * jump, now->P);
  open_block(l, l->velocity, LEGS_SPEED, now->P);
  open_block(l, l->gyro_bias, LIED_BIAS * jump, now->P);
  joint_doubt_decide(f, now);
}

/* Part of what was taken for force may be the accelerometer's bias: their sum stays as well known
 * as it was. */
static void open_exchange(const struct joint_filter *f, double *P) {
  const size_t at[2] = {f->layout.force, f->layout.accelerometer_bias};
  const mat3 axes = joint_filter_bias_axes(f);
  for (int i = 0; i < 3; i++) { /* along each of the bias' axes */
    const vec3 axis = {i == 0, i == 1, i == 2};
    const vec3 u[2] = {vec3_scale(UNTRIED_FORCE, mat3_mul_vec3(&axes, axis)),
                       vec3_scale(-UNTRIED_FORCE, axis)};
    open_together(&f->layout, at, u, P);
  }
}

/* Where feet stood has been dragged along with the base: they stand here. */
static void land_feet(struct joint_filter *f, struct instant *now) {
  for (size_t i = 0; i < f->layout.n_feet; i++) {
    if (now->contact[i].stands) {
      foot_lands(&f->rows, &f->kin, &f->robot->foot[i], i, f->jacobian, now->x, now->P);
    }
  }
}

void joint_doubt_force(struct joint_filter *f, struct instant *now) {
  const struct joint_layout *l = &f->layout;
  const vec3 wrong = stance_speed(f, now); /* it is zero */
  take_back(now->x + l->velocity, wrong);
  open_block(l, l->velocity, LEGS_SPEED + UNSURE_SHARE * vec3_norm(wrong), now->P);
  open_exchange(f, now->P);
  land_feet(f, now);
  forget_strain(f);
  f->force_doubt_ns = now->t_ns;
  joint_doubt_decide(f, now);
}

void joint_doubt_velocity(struct joint_filter *f, struct instant *now) {
  open_block(&f->layout, f->layout.velocity, UNTOLD_SPEED, now->P);
  joint_doubt_decide(f, now);
}

void joint_doubt_resting(struct joint_filter *f, struct instant *now, double off) {
  open_block(&f->layout, f->layout.gyro_bias, off, now->P);
  open_block(&f->layout, f->layout.attitude, off * TURNED_S, now->P);
  joint_doubt_decide(f, now);
}

void joint_doubt_height(struct joint_filter *f, struct instant *now) {
  now->P[(f->layout.position + 2) * (f->layout.stride + 1)] += UNTOLD_HEIGHT * UNTOLD_HEIGHT;
  joint_doubt_decide(f, now);
}
