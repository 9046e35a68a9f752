#include "joints/joint_base_start.h"

#include "body/frames.h"
#include "joints/joint_base.h"
#include "joints/joint_filter_core.h"
#include "joints/skin_misleads.h"
#include "process/base_process.h"
#include "update/foot_landing.h"

#include <math.h>
#include <string.h>

/* rad/s: how fast a base turns whose gyro has not been asked yet. */
static const double START_RATE = 1.0;
/* The specific force tells the tilt when known to within this, m/s^2, and of this part of
 * gravity. */
static const double START_FORCE_SD = 1.0, START_FORCE_OFF = 0.2;
/* ... and when so much time has passed, ns: what of the first readings is angular acceleration, the
 * first differences of a gyro tell to no better than some m/s^2 at the IMU's arm. */
static const int64_t START_SETTLES_NS = 20000000;
/* Deviations at the start: rad beyond what the force is off by, rad, m/s, m. */
static const double START_TILT = 0.02, START_YAW = 1e-3, START_VELOCITY = 0.5, START_PLACE = 1e-3;
/* Where the force scatters by more than that tilt no instant tells it but the mean of this time,
 * s. */
static const double START_MEAN_S = 0.1;
/* A base that moves faster, m/s, or whose tilt is known no better, rad, is lost and begins again.
 * None falls so fast. */
static const double LARGEST_SPEED = 10.0, LARGEST_TILT_SD = 0.5;
/* One that hangs swings no faster, m/s: it is gravity along a tilt that is wrong. */
static const double SWING_SPEED = 2.0;
/* rad: how well the mean of its accelerometer puts a base upright that leans. */
static const double UPRIGHT_TILT = 0.05;
/* A tilt is known to within this, rad. A base that is lost by its velocity keeps such a one; so
 * much less it is known then; and for so long it is not lost again. */
static const double KNOWN_TILT = 0.1, LOST_TILT = 0.03;
static const int64_t AGAIN_NS = 5000000000;
/* What stands turns no joint faster, nor its base, 1/s, and what they are known to. */
static const double STANDING_RATE = 0.1, STANDING_SDS = 3.0;
/* A base that begins while it moves takes what moves it for gravity: by so much, rad, at one
 * instant; on average. */
static const double MOVING_TILT = 0.3, MOVING_TILT_MEAN = 0.1;

static double square(double x) {
  return x * x;
}

mat3 attitude_of(vec3 force_B) {
  const vec3 f = force_B;
  return mat3_from_rpy((vec3){atan2(f.y, f.z), atan2(-f.x, hypot(f.y, f.z)), 0.0});
}

/* How the base begins. */
struct beginning {
  mat3 R;        /* R_WB */
  vec3 velocity; /* m/s, world */
  vec3 position; /* m, world; its height follows from */
  vec3 sole;     /* m, base axes: it stands on this one, */
  double apart;  /* m: or on another, no further from it */
  double tilt;   /* rad, about the horizontal axes: how well R is known, */
  vec3 force;    /* m/s^2, base axes: beside what is known of this, which has told it; 0: something
                    else did */
};

/* An attitude that a force has told, f_B = R_WB^T (0 0 g), errs with it,
 *
 *   theta = -f x df / |f|^2
 *
 * and so with all that the force's error has to do with: the accelerometer's bias, and what of its
 * readings may be the base's angular acceleration. */
static void couple_to_force(const struct joint_layout *l, vec3 force, double *P) {
  const vec3 by = vec3_scale(-1.0 / vec3_dot(force, force), force);
  double rows[3][3];
  for (size_t k = 0; k < l->size; k++) {
    const size_t f = l->force;
    double theta[3];
    vec3_to(
        vec3_cross(by, (vec3){joint_process_upper(l, P, f, k), joint_process_upper(l, P, f + 1, k),
                              joint_process_upper(l, P, f + 2, k)}),
        theta);
    for (size_t i = 0; i < 3; i++) {
      if (k >= f && k < f + 3) {
        rows[i][k - f] = theta[i];
      }
      if (k < l->attitude || k >= l->attitude + 3) {
        P[(l->attitude + i) * l->stride + k] = P[k * l->stride + l->attitude + i] = theta[i];
      }
    }
  }
  for (size_t i = 0; i < 3; i++) {
    double theta[3];
    vec3_to(vec3_cross(by, vec3_from(rows[i])), theta);
    for (size_t k = 0; k < 3; k++) {
      P[(l->attitude + i) * l->stride + l->attitude + k] += theta[k];
    }
  }
}

/* A base that is turned by theta more is higher above its sole s by (R S(s) theta) z; and by as
 * much as that turns another sole below it. */
static void couple_to_height(const struct joint_layout *l, const struct beginning *begins,
                             double *P) {
  const mat3 S = mat3_skew(begins->sole), by = mat3_mul(&begins->R, &S);
  const size_t z = l->position + 2;
  double variance = P[z * (l->stride + 1)] + square(begins->tilt * begins->apart);
  for (size_t k = 0; k < l->size; k++) {
    double told = 0.0;
    for (size_t i = 0; i < 3; i++) {
      told += by.m[2][i] * joint_process_upper(l, P, l->attitude + i, k);
    }
    if (k >= l->attitude && k < l->attitude + 3) {
      variance += by.m[2][k - l->attitude] * told;
    }
    if (k != z) {
      P[z * l->stride + k] = P[k * l->stride + z] = told;
    }
  }
  P[z * (l->stride + 1)] = variance;
}

/* Attitude, velocity and position of one instant begin; what is known of the rest stays. */
static void begin_at(const struct joint_filter *f, struct instant *at,
                     const struct beginning *begins) {
  const struct joint_layout *l = &f->layout;
  const mat3 *R = &begins->R;
  base_process_set_rotation(l, quat_from_mat3(R), at->x);
  vec3_to(begins->velocity, at->x + l->velocity);
  vec3_to(begins->position, at->x + l->position);
  at->revision = 0;
  if (at->P == NULL) {
    return;
  }
  joint_process_forget(l, l->attitude, 0.0, at->P);
  joint_process_forget(l, l->velocity, START_VELOCITY, at->P);
  joint_process_forget(l, l->position, START_PLACE, at->P);
  const double tilt = begins->tilt;
  for (size_t i = 0; i < 3; i++) {
    for (size_t k = 0; k < 3; k++) { /* yaw, about the world's z in base axes, is ours to choose */
      const double up = R->m[2][i] * R->m[2][k];
      at->P[(l->attitude + i) * l->stride + l->attitude + k] =
          tilt * tilt * ((i == k) - up) + START_YAW * START_YAW * up;
    }
  }
  if (vec3_norm(begins->force) > 0.0) {
    couple_to_force(l, begins->force, at->P);
  }
  couple_to_height(l, begins, at->P);
}

/* The base's origin is so high that its lowest sole is on the ground at zero; 0 without feet. */
static void stand_on_feet(struct joint_filter *f, const double *x, struct beginning *begins) {
  vec3 sole[ROBOT_MAX_FEET];
  double lowest = HUGE_VAL;
  const size_t n_feet = f->layout.n_feet,
               n = n_feet > 0 && joint_base_kinematics(f, x) ? n_feet : 0;
  for (size_t i = 0; i < n; i++) {
    const struct model_frame *foot = &f->robot->foot[i];
    sole[i] = frame_pose(&f->kin, foot->link, &foot->placement).p;
    const double z = mat3_mul_vec3(&begins->R, sole[i]).z - foot->ball_radius;
    if (z < lowest) {
      lowest = z;
      begins->position.z = -z;
      begins->sole = sole[i];
    }
  }
  for (size_t i = 0; i < n; i++) {
    begins->apart = fmax(begins->apart, vec3_norm(vec3_sub(sole[i], begins->sole)));
  }
}

/* It hangs, as it seems, and is faster than what does. */
static bool swings_off(const struct joint_filter *f, const struct instant *newest) {
  const size_t v = f->layout.velocity;
  const double sd = joint_process_worst_sd(&f->layout, newest->P, v);
  return f->hanging.hangs && joint_base_feels_gravity(f) &&
         !f->judge.triad[IMU_ACCELEROMETER].convicted &&
         vec3_norm(vec3_from(newest->x + v)) > SWING_SPEED + STANDING_SDS * sd;
}

/* Faster than any robot, or turned nobody knows how. */
static bool is_lost(const struct joint_filter *f, const struct instant *newest) {
  const struct joint_layout *l = &f->layout;
  const double speed = vec3_norm(vec3_from(newest->x + l->velocity));
  bool lost = speed > LARGEST_SPEED || swings_off(f, newest) || f->base_lean.leans;
  for (size_t i = l->attitude; i < l->attitude + 2; i++) {
    lost = lost || newest->P[i * (l->stride + 1)] > LARGEST_TILT_SD * LARGEST_TILT_SD;
  }
  return lost;
}

/* The gyro has told of every turn for some time, so that a base that is lost by its velocity alone
 * is turned as before: it is its accelerometer that has misled it. One that is lost again so soon
 * was turned wrongly after all. */
static bool knows_attitude(const struct joint_filter *f, const struct instant *newest) {
  const struct joint_layout *l = &f->layout;
  const double sd = joint_process_worst_sd(l, newest->P, l->attitude);
  const bool again = f->disturbed_ns > 0 && newest->t_ns - f->disturbed_ns < AGAIN_NS;
  return f->base_imu && !f->judge.triad[IMU_GYRO].convicted && sd < KNOWN_TILT && !again &&
         !swings_off(f, newest) && !joint_base_blind(f, newest->t_ns);
}

/* Feet stand where this base has them, wherever they stood by another. */
static void stand_anew(struct joint_filter *f, struct instant *at) {
  if (f->layout.n_feet > 0 && at->P != NULL && joint_base_kinematics(f, at->x)) {
    for (size_t i = 0; i < f->layout.n_feet; i++) {
      foot_lands(&f->rows, &f->kin, &f->robot->foot[i], i, f->jacobian, at->x, at->P);
    }
  }
}

/* Begins all instants, on the feet. */
static void begin(struct joint_filter *f, struct beginning begins) {
  stand_on_feet(f, instants_newest(&f->instants)->x, &begins);
  f->ground = (struct ground_memory){.other = false};
  for (size_t i = 0; i < f->instants.count; i++) {
    begin_at(f, f->instants.at[i], &begins);
    stand_anew(f, f->instants.at[i]);
  }
  base_lean_reset(&f->base_lean);
  f->preparation.of = NULL;
  f->base_started = true;
}

/* A base that is lost: anew with the attitude that it has, or with the next force that is felt. */
static void lose(struct joint_filter *f) {
  const struct instant *newest = instants_newest(&f->instants);
  const double tilt = joint_process_worst_sd(&f->layout, newest->P, f->layout.attitude);
  const mat3 R = mat3_from_quat(base_process_rotation(&f->layout, newest->x));
  const bool known = knows_attitude(f, newest);
  f->base_started = false;
  f->counters.resets++;
  f->disturbed_ns = newest->t_ns;
  if (f->base_lean.leans) {
    begin(f, (struct beginning){.R = base_lean_upright(&f->base_lean, &R), .tilt = UPRIGHT_TILT});
  } else if (known) {
    begin(f, (struct beginning){.R = R, .tilt = LOST_TILT + tilt});
  }
}

/* Whether what has begun is lost, or misled by skin. */
static void watch(struct joint_filter *f) {
  const struct instant *newest = instants_newest(&f->instants);
  if (f->base_started && is_lost(f, newest)) {
    lose(f);
  }
  if (skin_misleads(f, newest)) {
    skin_misled_forget(f);
  }
}

/* The base shakes: what its accelerometer reads at an instant does not tell the tilt. */
static bool shakes(const struct joint_filter *f) {
  return f->base_imu && sqrt(f->felt.variance) > START_TILT * STANDARD_GRAVITY;
}

/* What the force may be off by has not settled yet. */
static bool settles(const struct joint_filter *f, int64_t t_ns) {
  const bool first = f->counters.resets == 0;
  return first &&
         (t_ns - f->started_ns < START_SETTLES_NS || (shakes(f) && f->felt.heard_s < START_MEAN_S));
}

/* Variance of a force across itself, where it tells the tilt, the mean of both directions: along it
 * a joint may move, between the base and an IMU that sits beyond, without turning it. */
static double variance_across(const struct joint_layout *l, const double *P, vec3 force) {
  double n[3], sum = 0.0;
  vec3_to(vec3_scale(1.0 / vec3_norm(force), force), n);
  for (size_t i = 0; i < 3; i++) {
    for (size_t k = 0; k < 3; k++) {
      sum += ((i == k) - n[i] * n[k]) * joint_process_upper(l, P, l->force + i, l->force + k);
    }
  }
  return 0.5 * sum;
}

/* The force is known, and gravity may be most of it. */
static bool tells_tilt(const struct joint_filter *f, const struct instant *newest) {
  const struct joint_layout *l = &f->layout;
  if (f->counters.resets == 0 && shakes(f)) {
    return fabs(vec3_norm(f->felt.mean) - STANDARD_GRAVITY) < START_FORCE_OFF * STANDARD_GRAVITY;
  }
  const double common = f->settings.cell_common, bias = f->settings.base.accelerometer_bias,
               most = START_FORCE_SD * START_FORCE_SD + common * common + bias * bias;
  const vec3 force = vec3_from(newest->x + l->force);
  return fabs(vec3_norm(force) - STANDARD_GRAVITY) < START_FORCE_OFF * STANDARD_GRAVITY &&
         variance_across(l, newest->P, force) < most;
}

/* Faster than what stands, by its gyro or by any of its joints. */
static bool part_moves(const struct joint_filter *f) {
  const struct joint_layout *l = &f->layout;
  const struct instant *newest = instants_newest(&f->instants);
  bool moves = false;
  for (size_t i = l->dq; i < l->nonlinear; i++) {
    const double sd = sqrt(newest->P[i * (l->stride + 1)]);
    moves = moves || fabs(newest->x[i]) > STANDING_RATE + STANDING_SDS * sd;
  }
  return moves;
}

static bool body_moves(const struct joint_filter *f) {
  bool moves = part_moves(f);
  for (size_t k = 0; k < f->n_apart; k++) {
    moves = moves || (f->apart[k]->running && part_moves(f->apart[k]));
  }
  return moves;
}

void joint_base_start(struct joint_filter *f) {
  const struct joint_layout *l = &f->layout;
  watch(f);
  const struct instant *newest = instants_newest(&f->instants);
  if (f->base_started || l->base == 0 || settles(f, newest->t_ns) || !tells_tilt(f, newest)) {
    return;
  }
  vec3 force = vec3_from(newest->x + l->force);
  const bool first = f->counters.resets == 0, moving = body_moves(f);
  if (first && !moving && !shakes(f)) {
    begin(f, (struct beginning){.R = attitude_of(force), .tilt = START_TILT, .force = force});
    return;
  }
  double sd = MOVING_TILT;
  if (joint_base_feels_gravity(f) || first) { /* the mean tells, no instant */
    force = mat3_mul_vec3(&f->imu.R, f->felt.mean);
    sd = first && moving ? MOVING_TILT : MOVING_TILT_MEAN; /* the first mean is of no stride */
  }
  const double bias = f->settings.base.accelerometer_bias,
               tilt = bias / STANDARD_GRAVITY + (newest->rests ? START_TILT : sd);
  begin(f, (struct beginning){.R = attitude_of(force), .tilt = fmin(tilt, 0.8 * LARGEST_TILT_SD)});
}

void joint_base_start_again(struct joint_filter *f) {
  const struct joint_layout *l = &f->layout;
  for (size_t i = 0; i < f->instants.count; i++) {
    struct instant *at = f->instants.at[i];
    vec3_to(VEC3_ZERO, at->x + l->gyro_bias);
    at->revision = 0;
    if (at->P != NULL) {
      joint_process_forget(l, l->gyro_bias, f->settings.base.gyro_bias, at->P);
      joint_process_forget(l, l->omega, START_RATE, at->P);
    }
  }
  for (size_t i = 0; i < l->n_feet; i++) {
    f->foot[i].landed_ns = 0;
    f->foot[i].stepped = false;
  }
  f->preparation.of = NULL;
  f->turn_known = f->base_started = false;
}
