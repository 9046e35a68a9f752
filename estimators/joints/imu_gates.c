#include "joints/imu_gates.h"

#include "joints/imu_surprise.h"
#include "joints/joint_doubt.h"
#include "joints/joint_feet.h"
#include "joints/joint_filter_core.h"
#include "joints/joint_knock.h"
#include "joints/stance_witness.h"
#include "process/base_process.h"
#include "update/joint_jump.h"

#include <math.h>
#include <string.h>

/* Noise is noticed after so many readings. */
static const double NOTICED = 8.0;
/* What rests reads a bias that is so many deviations from what was known: that was wrong. */
static const double WRONG = 3.0;

/* A gyro that has told nothing for so long comes back, and for how long it has, ns. */
static const int64_t UNTOLD_NS = 5000000, BACK_NS = 10000000;

static double sum_of(vec3 v) {
  return v.x + v.y + v.z;
}

/* What is all but impossible is a blow; a triad that is not believed feels none, one that is
 * noisier than it is said to be none that noise hides. */
static void feel_blow(struct joint_filter *f, struct instant *now,
                      const struct imu_surprise felt[IMU_TRIADS]) {
  const double dt = 1e-9 * (double)(now->t_ns - f->imu_judged_ns);
  const struct triad_judge *triad = f->judge.triad;
  double turn = 0.0, push = 0.0;
  if (!triad[IMU_GYRO].convicted && dt > 0.0) {
    turn = sum_of(felt[IMU_GYRO].open) / (dt * dt);
  }
  if (!triad[IMU_ACCELEROMETER].convicted) {
    push = sum_of(felt[IMU_ACCELEROMETER].open);
  }
  aftershock_feel(&f->aftershock, push, turn);
  const double told = f->settings.accelerometer_noise, sd = f->noise.sd[IMU_ACCELEROMETER];
  if (f->imu_judged_ns > 0 && sd > told && dt > 0.0 && dt < f->settings.timeout_s) {
    joint_knock_unfelt(f, JUMP_GATE * (sd * sd - told * told), dt);
  }
  if (f->imu_judged_ns > 0 && f->settings.adapt_density) {
    joint_knock(f, now, (struct blow){.square = push, .lasts = dt});
  }
}

/* One triad: taken or left out. Returns what the next has still to tell a blow from a broken word
 * of. */
static vec3 judge_triad(struct joint_filter *f, struct instant *now, enum imu_triad triad,
                        const struct imu_surprise *felt, vec3 *reading) {
  now->imu_nis = fmax(now->imu_nis, felt->nis);
  const enum imu_verdict verdict =
      imu_judge_reading(&f->judge, triad, now->t_ns, felt->nis, felt->expected, felt->innovation);
  if (verdict == IMU_ANEW) {
    joint_doubt_bias(f, now, triad);
  } else if (verdict == IMU_LEAVE) {
    *reading = (vec3){(double)NAN, (double)NAN, (double)NAN};
    f->counters.imu_rejected++;
    f->imu_refused = true;
  }
  const bool waits = verdict == IMU_LEAVE && !f->judge.triad[triad].convicted;
  return waits ? felt->innovation : VEC3_ZERO;
}

/* How lively the base is shows in what its IMU adds to the prediction, while it is believed. At a
 * long arm whatever pushes could be a turn that changes, and the livelier that seemed the less was
 * left of the push: only what no turn accounts for tells of that. Nor is a push calm that passes
 * for the turning that a noisy gyro seems to tell. */
static void learn_liveliness(struct joint_filter *f, const struct instant *now,
                             const struct imu_surprise felt[IMU_TRIADS]) {
  const double dt = 1e-9 * (double)(now->t_ns - f->imu_judged_ns);
  const bool learns = f->settings.adapt_density && f->imu_judged_ns > 0;
  const bool noisy = f->noise.sd[IMU_GYRO] > f->settings.gyro_noise;
  for (size_t i = 0; i < IMU_TRIADS; i++) {
    if (learns && dt < f->settings.timeout_s && !f->judge.triad[i].convicted) {
      const bool hides = noisy && i == IMU_ACCELEROMETER;
      base_liveliness_step(&f->liveliness[i], hides ? fmax(felt[i].lively, 1.0) : felt[i].lively,
                           dt);
    }
  }
  f->imu_judged_ns = now->t_ns;
}

/* Whether the base rests, by readings as they came: before any of them is left out. */
static void watch_rest(struct joint_filter *f, struct instant *now) {
  const struct joint_layout *l = &f->layout;
  const mat3 axes = joint_filter_bias_axes(f);
  const vec3 bias = mat3_mul_vec3(&axes, vec3_from(now->x + l->gyro_bias));
  const struct base_known known = {
      .gyro_bias = mat3_tmul_vec3(&f->imu.R, bias),
      .gyro_bias_sd = joint_process_worst_sd(l, now->P, l->gyro_bias),
      .gyro_bias_start_sd = f->settings.base.gyro_bias,
      .speed = vec3_norm(vec3_from(now->x + l->velocity)),
      .speed_sd = joint_process_worst_sd(l, now->P, l->velocity),
  };
  base_rest_step(&f->rest, now->rate, now->force, f->settings.gyro_noise,
                 f->settings.accelerometer_noise, 1e-9 * (double)(now->t_ns - f->imu_judged_ns));
  f->rest.shaken = f->rest.shaken && !joint_feet_stand(f, now);
  const bool rested = f->rest.rests;
  const double off = vec3_norm(vec3_sub(f->rest.rate, known.gyro_bias));
  now->rests = base_rest_is(&f->rest, &known);
  if (now->rests && !rested && off > WRONG * known.gyro_bias_sd) {
    joint_doubt_resting(f, now, off);
  }
}

/* Whether it reads that something pulls the base down, or carries it. */
static void watch_pull(struct joint_filter *f, const struct instant *now) {
  const mat3 R_WB = mat3_from_quat(base_process_rotation(&f->layout, now->x));
  const vec3 read_B = mat3_mul_vec3(&f->imu.R, now->force);
  if (f->base_started) {
    imu_pull_read(&f->pull, vec3_dot(vec3_from(R_WB.m[2]), read_B), now->t_ns);
  }
}

/* Where it reads on average that up is, whether or not it is believed. */
static void watch_lean(struct joint_filter *f, const struct instant *now) {
  const struct joint_layout *l = &f->layout;
  if (!f->base_started || f->judge.triad[IMU_ACCELEROMETER].denied) {
    return;
  }
  const mat3 R_WB = mat3_from_quat(base_process_rotation(l, now->x)),
             axes = joint_filter_bias_axes(f);
  const vec3 bias = mat3_mul_vec3(&axes, vec3_from(now->x + l->accelerometer_bias)),
             force = vec3_sub(mat3_mul_vec3(&f->imu.R, now->force), bias),
             along = vec3_cross(vec3_from(now->x + l->omega), f->imu.p);
  const struct lean_reading reading = {
      .force = mat3_mul_vec3(&R_WB, force),
      .speed = vec3_add(vec3_from(now->x + l->velocity), mat3_mul_vec3(&R_WB, along)),
      .normal = joint_feet_normal(f, now),
  };
  base_lean_read(&f->base_lean, &reading, now->t_ns);
}

/* What a triad told until its noise was noticed has passed for motion. */
static void watch_noise(struct joint_filter *f, struct instant *now) {
  const double told[IMU_TRIADS] = {f->settings.gyro_noise, f->settings.accelerometer_noise};
  const vec3 reading[IMU_TRIADS] = {now->rate, now->force};
  double louder[IMU_TRIADS];
  const double dt = imu_noise_read(&f->noise, reading, told, now->t_ns, louder);
  for (unsigned t = 0; t < IMU_TRIADS; t++) {
    if (louder[t] > 1.0 && f->skin_ready) {
      joint_doubt_noisy(f, now, (enum imu_triad)t, louder[t], NOTICED * dt);
    }
  }
}

void imu_gates_step(struct joint_filter *f, struct instant *now) {
  const struct joint_layout *l = &f->layout;
  struct imu_surprise felt[IMU_TRIADS];
  f->imu_refused = false;
  aftershock_miss(&f->aftershock, VEC3_ZERO, VEC3_ZERO);
  if (f->base_imu) {
    watch_noise(f, now);
  }
  if (!f->base_imu || !f->skin_ready) {
    return;
  }
  if (!imu_judge_tries(&f->judge, now->t_ns)) {
    f->judge.gyro_bias = vec3_from(now->x + l->gyro_bias);
    f->judge.accelerometer_bias = vec3_from(now->x + l->accelerometer_bias);
    stance_note(&f->stance, l, now->x);
  }
  imu_surprise_ask(f, now, felt);
  const struct imu_surprise *rate = &felt[IMU_GYRO], *force = &felt[IMU_ACCELEROMETER];
  const double nis[IMU_TRIADS] = {[IMU_GYRO] = rate->nis, [IMU_ACCELEROMETER] = force->nis};
  if (unfelt_turn_next(&f->unfelt_turn, now->t_ns, nis, rate->innovation) &&
      joint_feet_soles_stand(f, now) && !f->judge.triad[IMU_GYRO].convicted) {
    imu_judge_refuse_jump(&f->judge, IMU_GYRO, f->unfelt_turn.jump, now->t_ns);
    joint_doubt_turn(f, now, vec3_norm(f->unfelt_turn.jump));
  }
  watch_rest(f, now);
  watch_pull(f, now);
  watch_lean(f, now);
  feel_blow(f, now, felt);
  learn_liveliness(f, now, felt);
  const vec3 missed_rate = judge_triad(f, now, IMU_GYRO, rate, &now->rate),
             missed_force = judge_triad(f, now, IMU_ACCELEROMETER, force, &now->force);
  aftershock_miss(&f->aftershock, missed_rate, missed_force);
  if (vec3_largest(force->innovation) > STRIKE && !f->imu_refused) {
    f->struck_ns = now->t_ns;
  }
}

static vec3 squares(vec3 v) {
  return (vec3){v.x * v.x, v.y * v.y, v.z * v.z};
}

/* What an accelerometer feels at its arm of a rate that changes in dt, squared as that is. */
static vec3 felt_at_arm(vec3 rate, vec3 arm, double dt) {
  const vec3 a = squares(arm);
  const vec3 felt = {rate.y * a.z + rate.z * a.y, rate.z * a.x + rate.x * a.z,
                     rate.x * a.y + rate.y * a.x};
  return vec3_scale(dt > 0.0 ? 1.0 / (dt * dt) : 0.0, felt);
}

/* A rate that goes on changing unseen for two readings is not what the accelerometer says of its
 * derivative: what that feels of it at its arm was taken for force, or force for that. */
static vec3 mistaken_force(vec3 before, vec3 now, vec3 arm, double dt) {
  const vec3 rate = {before.x > 0.0 ? now.x : 0.0, before.y > 0.0 ? now.y : 0.0,
                     before.z > 0.0 ? now.z : 0.0};
  return felt_at_arm(rate, arm, dt);
}

static vec3 larger(vec3 a, vec3 b) {
  return (vec3){fmax(a.x, b.x), fmax(a.y, b.y), fmax(a.z, b.z)};
}

/* Whether the gyro has just come back, while the IMU went on: nobody has known how the base turns.
 * Notes when it did. */
static bool comes_back(struct joint_filter *f, const struct instant *now) {
  if (imu_axes_told(now->rate) == 0 || !f->noise.follows) {
    return false;
  }
  f->back_ns = now->t_ns - f->rate_ns > UNTOLD_NS ? now->t_ns : f->back_ns;
  const int64_t since_ns = now->t_ns - f->back_ns;
  return since_ns >= 0 && since_ns < BACK_NS;
}

void imu_gates_open(struct joint_filter *f, const struct instant *before, struct instant *now,
                    double dt) {
  struct imu_surprise felt[IMU_TRIADS];
  if (!f->base_imu || !f->skin_ready || !f->settings.adapt_density) {
    return;
  }
  imu_surprise_ask(f, now, felt);
  now->open_rate = felt[IMU_GYRO].open;
  vec3 force = felt[IMU_ACCELEROMETER].open;
  if (comes_back(f, now)) { /* all that is new may be so only now: of what was it says nothing */
    now->open_rate = squares(felt[IMU_GYRO].innovation);
    force = squares(felt[IMU_ACCELEROMETER].innovation);
  }
  if (f->noise.follows) {
    force = larger(force, imu_surprise_beyond_turn(f, now));
  }
  const vec3 by_turn = felt_at_arm(now->open_rate, f->imu.p, dt);
  now->open_pulse = larger(vec3_sub(force, by_turn), VEC3_ZERO);
  now->open_force =
      vec3_add(force, mistaken_force(before->open_rate, now->open_rate, f->imu.p, dt));
}
