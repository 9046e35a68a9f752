#include "joints/imu_votes.h"

#include "joints/joint_doubt.h"
#include "joints/joint_feet.h"
#include "joints/joint_filter_core.h"
#include "joints/stance_slide.h"
#include "joints/stance_speed.h"
#include "process/base_process.h"
#include "sensors/imu_judge.h"

#include <math.h>

/* Strain of a foot that speaks against an IMU on trial; so many times its usual one where that is
 * more than 1. */
static const double FOOT_AGAINST = 10.0;
/* Triads that jump within so short a time do so together. */
static const int64_t TOGETHER_NS = 5000000;
/* So long after links were far off encoders speak against them, not against the IMU. */
static const int64_t FAR_TIME_NS = 30000000;

/* One that is merely dragged may as well roll, or rock about an edge after a landing. */
static bool strains(const struct joint_filter *f, size_t foot) {
  return f->foot[foot].strain > FOOT_AGAINST * fmax(f->foot[foot].usual, 1.0);
}

/* Skin and feet against the accelerometer. */
static bool force_is_denied(const struct joint_filter *f, const struct instant *now) {
  struct dragged_foot foot[ROBOT_MAX_FEET];
  size_t n = 0;
  for (size_t i = 0; i < f->layout.n_feet; i++) {
    if (now->contact[i].stands) {
      foot[n++] = (struct dragged_foot){.drag = f->foot[i].drag / fmax(f->foot[i].usual, 1.0),
                                        .way = f->foot[i].mean,
                                        .felt = now->contact[i].felt,
                                        .turns = now->contact[i].turns};
    }
  }
  const mat3 R_WB = mat3_from_quat(base_process_rotation(&f->layout, now->x));
  return force_witness_denies(&f->witness, foot, n, &R_WB, now->t_ns);
}

/* The triads on trial against which soles speak, when the IMU sees more of a blow than one reading:
 * else that passes for a jump. */
static unsigned denied_by_soles(struct joint_filter *f, const struct instant *now) {
  const mat3 R_WB = mat3_from_quat(base_process_rotation(&f->layout, now->x));
  struct stance_foot foot[ROBOT_MAX_FEET];
  unsigned accused = 0;
  if (!imu_judge_tries(&f->judge, now->t_ns)) {
    return 0;
  }
  stance_feet(f, now, foot);
  for (unsigned t = 0; t < IMU_TRIADS; t++) {
    const enum imu_triad triad = (enum imu_triad)t;
    if (imu_judge_on_trial(&f->judge, triad, now->t_ns) &&
        stance_hear(&f->stance, triad, &f->judge.triad[t], foot, f->layout.n_feet, &R_WB,
                    now->t_ns)) {
      accused |= 1u << t;
    }
  }
  return accused;
}

/* Both triads where feet strain, or encoders are far off. Without skin encoders know nothing of
 * the base: what they say against the prediction is that their joints are livelier than was
 * believed. */
static unsigned strained_by(const struct joint_filter *f, const struct instant *now) {
  const bool skin = now->t_ns - f->last_ns[2] < FAR_TIME_NS;
  bool against = skin && f->doubt_ns == now->t_ns && now->t_ns - f->links.far_ns > FAR_TIME_NS;
  bool witness = skin;
  for (size_t i = 0; i < f->layout.n_feet; i++) {
    const struct base_contact *contact = &now->contact[i];
    const bool flat = contact->stands && !contact->turns && !contact->steep;
    witness = witness || flat;
    against = against || (flat && strains(f, i));
  }
  return against && witness ? IMU_BOTH : 0;
}

/* It reads a pull to the ground. Points seem to fall with the base if there is none, and where they
 * do not there is; a body that stands on soles has no legs to throw up in a stumble. */
static bool is_pulled(struct joint_filter *f, const struct instant *now) {
  double slide = 0.0;
  if (f->layout.n_soles == 0 && imu_pull_lasts(&f->pull, true, now->t_ns)) {
    const mat3 R_WB = mat3_from_quat(base_process_rotation(&f->layout, now->x));
    const vec3 fell = mat3_tmul_vec3(&R_WB, (vec3){0.0, 0.0, -f->pull.fell});
    slide = stance_speed_by_push(f, now, fell);
  }
  const bool along = f->layout.n_soles > 0 || slide > 0.0;
  return slide >= 0.0 && imu_pull_lasts(&f->pull, along, now->t_ns);
}

/* Both triads are on trial since the same moment: what makes one wrong makes the other. */
static bool jumped_together(const struct joint_filter *f, const struct instant *now) {
  const struct triad_judge *triad = f->judge.triad;
  const int64_t apart = triad[IMU_GYRO].first_ns - triad[IMU_ACCELEROMETER].first_ns;
  return imu_judge_on_trial(&f->judge, IMU_GYRO, now->t_ns) &&
         imu_judge_on_trial(&f->judge, IMU_ACCELEROMETER, now->t_ns) && apart < TOGETHER_NS &&
         apart > -TOGETHER_NS;
}

/* Feet that stand are dragged alike by a turn as by a push: of two on trial it is the one after
 * which they were. */
static enum imu_triad last_to_jump(const struct joint_filter *f, const struct instant *now) {
  const struct triad_judge *triad = f->judge.triad;
  const bool gyro = imu_judge_on_trial(&f->judge, IMU_GYRO, now->t_ns) &&
                    triad[IMU_GYRO].first_ns > triad[IMU_ACCELEROMETER].first_ns;
  return gyro ? IMU_GYRO : IMU_ACCELEROMETER;
}

void imu_votes_step(struct joint_filter *f, struct instant *now) {
  if (!f->base_imu) {
    return;
  }
  const bool soles = f->layout.n_soles > 0 && f->noise.follows; /* they tell of a jump */
  unsigned accused =
      strained_by(f, now) | (soles ? denied_by_soles(f, now) : stance_slide_step(f, now));
  accused |= (unsigned)is_pulled(f, now) << IMU_ACCELEROMETER;
  if (f->base_started && force_is_denied(f, now)) {
    if (!imu_judge_on_trial(&f->judge, IMU_ACCELEROMETER, now->t_ns)) {
      joint_doubt_force(f, now);
    } else {
      accused |= (unsigned)!soles << last_to_jump(f, now);
    }
  }
  accused = accused != 0 && jumped_together(f, now) ? IMU_BOTH : accused;
  joint_doubt_convict(f, now, accused);
  const unsigned believed = imu_judge_believed(&f->judge);
  imu_pull_refuse(&f->pull, &f->judge, accused, joint_feet_soles_stand(f, now), now->t_ns);
  joint_doubt_untried(f, now, believed & ~imu_judge_believed(&f->judge));
}
