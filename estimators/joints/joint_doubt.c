#include "joints/joint_doubt.h"

#include "joints/base_process.h"
#include "joints/joint_filter_core.h"
#include "joints/stance_speed.h"

#include <math.h>
#include <string.h>

/* A base turns faster or slower meanwhile, rad/s^2. */
static const double TURNS_FASTER = 10.0;

/* What an accelerometer may be off by without having been tried for a jump, m/s^2. */
static const double UNTRIED_FORCE = 1.0;
/* How well legs tell the base's velocity at once, m/s, and as a part of what they contradict. */
static const double LEGS_SPEED = 0.05, LEGS_SHARE = 0.3;
/* A velocity that nothing has told for long, m/s. */
static const double UNTOLD_SPEED = 1.0;

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
      instant->open_force = VEC3_ZERO;
    }
  }
}

/* Whatever feet have said of the IMU is answered. */
static void forget_strain(struct joint_filter *f) {
  memset(f->foot_strain, 0, sizeof(f->foot_strain));
  memset(f->foot_usual, 0, sizeof(f->foot_usual));
  memset(f->foot_mean, 0, sizeof(f->foot_mean));
  memset(f->foot_drag, 0, sizeof(f->foot_drag));
}

void joint_doubt_decide(struct joint_filter *f, const struct instant *now) {
  f->decided_ns = now->t_ns;
  f->preparation.of = f->preparation.kept = NULL;
}

/* What a refused triad has done since it jumped may be wrong: all that it entered is opened, and
 * the biases are those from before. */
void joint_doubt_convict(struct joint_filter *f, struct instant *now, unsigned accused) {
  const struct joint_layout *l = &f->layout;
  double age[IMU_TRIADS], jump[IMU_TRIADS];
  int64_t since_ns[IMU_TRIADS];
  for (int t = 0; t < IMU_TRIADS; t++) {
    const struct triad_judge *triad = &f->judge.triad[t];
    age[t] = fmax(1e-9 * (double)(now->t_ns - triad->began_ns), f->settings.period_s);
    jump[t] = vec3_largest(triad->jump);
    since_ns[t] = triad->began_ns;
  }
  const unsigned refused = imu_judge_convict(&f->judge, accused, now->t_ns);
  forget_readings(f, refused, since_ns);
  if (refused != 0) {
    f->convicted_ns = now->t_ns;
    joint_doubt_decide(f, now);
    forget_strain(f); /* it was not the feet's */
    /* what was wrong with one has gone into both */
    vec3_to(f->judge.gyro_bias, now->x + l->gyro_bias);
    vec3_to(f->judge.accelerometer_bias, now->x + l->accelerometer_bias);
  }
  if (refused & (1u << IMU_GYRO)) {
    take_back(now->x + l->omega, f->judge.triad[IMU_GYRO].jump);
    open_block(l, l->omega, fmin(0.05 * jump[IMU_GYRO] + TURNS_FASTER * age[IMU_GYRO], 10.0),
               now->P);
    open_block(l, l->attitude, fmin(jump[IMU_GYRO] * age[IMU_GYRO], 0.5), now->P);
    open_block(l, l->velocity, fmin(jump[IMU_GYRO] * age[IMU_GYRO], 1.0), now->P);
  }
  if (refused & (1u << IMU_ACCELEROMETER)) {
    const double speed = fmin(jump[IMU_ACCELEROMETER] * age[IMU_ACCELEROMETER], 3.0);
    take_back(now->x + l->force, f->judge.triad[IMU_ACCELEROMETER].jump);
    open_block(l, l->force, fmin(jump[IMU_ACCELEROMETER], 50.0), now->P);
    open_block(l, l->velocity, speed, now->P);
    open_block(l, l->position, 0.5 * speed * age[IMU_ACCELEROMETER], now->P);
    open_block(l, l->attitude, fmin(0.02 * speed, 0.05), now->P);
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

/* Part of what was taken for force may be the accelerometer's bias: their sum stays as well known
 * as it was. */
static void open_exchange(const struct joint_layout *l, double *P) {
  const double variance = UNTRIED_FORCE * UNTRIED_FORCE;
  for (size_t i = 0; i < 3; i++) {
    const size_t f = l->force + i, b = l->accelerometer_bias + i;
    P[f * (l->stride + 1)] += variance;
    P[b * (l->stride + 1)] += variance;
    P[(f < b ? f : b) * l->stride + (f < b ? b : f)] -= variance;
  }
}

/* Where feet stood has been dragged along with the base: they stand here. */
static void land_feet(struct joint_filter *f, struct instant *now) {
  for (size_t i = 0; i < f->layout.n_feet; i++) {
    if (now->contact[i].stands) {
      base_rows_land(&f->layout, &f->kin, &f->robot->foot[i], i, now->x, now->P);
    }
  }
}

void joint_doubt_force(struct joint_filter *f, struct instant *now) {
  const struct joint_layout *l = &f->layout;
  const vec3 wrong = stance_speed(f, now); /* it is zero */
  take_back(now->x + l->velocity, wrong);
  open_block(l, l->velocity, LEGS_SPEED + LEGS_SHARE * vec3_norm(wrong), now->P);
  open_exchange(l, now->P);
  land_feet(f, now);
  forget_strain(f);
  f->force_doubt_ns = now->t_ns;
  joint_doubt_decide(f, now);
}

void joint_doubt_velocity(struct joint_filter *f, struct instant *now) {
  open_block(&f->layout, f->layout.velocity, UNTOLD_SPEED, now->P);
  joint_doubt_decide(f, now);
}
