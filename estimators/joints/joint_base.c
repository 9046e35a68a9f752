#include "joints/joint_base.h"

#include "body/frames.h"
#include "joints/base_process.h"
#include "joints/encoder_rows.h"
#include "joints/joint_filter_core.h"
#include "numerics/dense_matrix.h"

#include <math.h>
#include <string.h>

/* The specific force tells the tilt when known to within this, m/s^2, and of this part of
 * gravity. */
static const double START_FORCE_SD = 1.0, START_FORCE_OFF = 0.2;
/* Deviations at the start: rad beyond what the accelerometer's bias does, rad, m/s, m. */
static const double START_TILT = 0.02, START_YAW = 1e-3, START_VELOCITY = 0.5, START_PLACE = 1e-3;
/* A base that moves faster, m/s, or whose tilt is known no better, rad, is lost and begins again.
 * None falls so fast. */
static const double LARGEST_SPEED = 10.0, LARGEST_TILT_SD = 0.5;
/* How far from gravity, m/s^2, an accelerometer reads on average, and over what time, s. */
static const double FELT_OFF = 0.5, FELT_S = 0.5;
/* Huber's bound, deviations per row: beyond, a foot's innovation counts less. */
static const double HUBER = 3.0;
/* Ground is another when it is off by so many deviations in all: as likely then as level ground, at
 * any slope and in one case of four. What is left of the weight of rows that are not to count. */
static const double OTHER_GROUND = 3.0, UNHEARD = 1e-9;
/* A base that stays does so on average over this time, s: what moves it lasts for longer than a
 * sample. */
static const double STAY_TIME = 1.0;
/* ... and one at rest is no faster, m/s, rad/s. */
static const double REST_SPEED = 0.01, REST_RATE = 0.002;
/* What has been struck and is carried by nothing that is felt lies, and rocks no faster, m/s. */
static const double LIE_SPEED = 0.05;
/* A base that neither IMU nor skin has told of for so long turns like this, rad/s, and another way
 * after so long, s. */
static const int64_t BLIND_NS = 50000000, UNTOLD_NS = 20000000;
static const double SWAY_RATE = 0.7, SWAY_TIME = 0.05;
/* A base that begins anew while it moves takes what moves it for gravity: by so much, rad. */
static const double MOVING_TILT = 0.3;
/* Memory of a foot's strain, s, and at least so many samples: one alone is a strike. */
static const double STRAIN_TIME = 0.01, STRAIN_SAMPLES = 4.0;
/* What a foot strains on any ground, rolling and yielding, is remembered for so long, s; by how
 * much it counts. */
static const double USUAL_TIME = 1.0, USUAL_CAP = 30.0;
/* Memory of the way it is dragged, s. */
static const double DRAG_TIME = 0.03;
/* So long after the IMU was refused feet strain because of it. */
static const int64_t FINDING_NS = 200000000;
/* ... and the largest that counts. */
static const double STRAIN_CAP = 1e4;
/* Noise of feet is told for readings so far apart, s: slower ones average over more. */
static const double FOOT_SAMPLE_S = 1e-3;
/* Of the weight: a foot that carries less says no less. */
static const double LEAST_SHARE = 0.02;

/* -- rows ------------------------------------------------------------------------------------- */

/* One group of rows each, so that each can be judged alone. */
struct row_group {
  size_t first, count;
};

/* Poses are enough for feet; limbs need the whole motion, without what skin is off by. */
static bool update_kinematics(struct joint_filter *f, const double *x) {
  const struct joint_layout *l = &f->layout;
  struct robot_motion motion = {.base.X_WB = POSE_IDENTITY, .q = x + l->q};
  if (l->n_limbs > 0) {
    memcpy(f->x, x, l->numbers * sizeof(double));
    joint_process_unbias(l, f->x);
    motion.dq = f->x + l->dq;
    motion.ddq = f->x + l->ddq;
    motion.base.a_B.lin = f->fixed_force;
  }
  if (l->n_limbs > 0 && l->base > 0) {
    motion.base.v_B.ang = vec3_from(f->x + l->omega);
    motion.base.a_B = (struct motion){vec3_from(f->x + l->omegadot), vec3_from(f->x + l->force)};
  }
  return kinematics_update(&f->kin, &motion) == STATUS_OK;
}

/* Feet that come to stand forget where they stood. */
static void land_feet(struct joint_filter *f, const struct instant *now, double *x, double *P) {
  for (size_t i = 0; i < f->layout.n_feet; i++) {
    if (now->contact[i].landed) {
      f->landed_ns[i] = now->t_ns;
      base_rows_land(&f->layout, &f->kin, &f->robot->foot[i], i, x, P);
    }
  }
}

/* What one foot says: where it stands, how its sole is turned; and of the ground, when it has
 * landed, each behind what it stands on: how high it is, how it slopes. */
struct foot_rows {
  struct row_group place, height, sole, slope;
};

/* Rows added from `first` on. */
static struct row_group group_from(const struct joint_filter *f, size_t first) {
  return (struct row_group){first, f->rows.rows - first};
}

static void add_foot(struct joint_filter *f, const struct base_contact *contact, size_t i,
                     const double *x, struct foot_rows *rows) {
  const struct joint_base_settings *s = &f->settings.base;
  const struct model_frame *foot = &f->robot->foot[i];
  const double samples = f->settings.period_s / FOOT_SAMPLE_S;
  const double unloaded = 1.0 / sqrt(samples * fmax(contact->share, LEAST_SHARE));
  size_t first = f->rows.rows;
  base_rows_foot(&f->rows, &f->kin, foot, i, contact->rolled, unloaded * s->foot_noise, f->jacobian,
                 x);
  rows->place = group_from(f, first);
  first = f->rows.rows;
  if (contact->landed && contact->level) {
    base_rows_height(&f->rows, i, contact->ground, s->foot_height, x);
  }
  rows->height = group_from(f, first);
  if (i < f->layout.n_soles && !contact->tips) { /* over an edge a sole turns */
    first = f->rows.rows;
    base_rows_sole(&f->rows, &f->kin, foot, i, unloaded * s->sole_noise, f->jacobian, x);
    rows->sole = group_from(f, first);
    first = f->rows.rows;
    if (contact->landed && contact->level) {
      base_rows_level(&f->rows, i, s->foot_slope, x);
    }
    rows->slope = group_from(f, first);
  }
}

static void add_feet(struct joint_filter *f, const struct instant *now, const double *x,
                     struct foot_rows rows[ROBOT_MAX_FEET]) {
  for (size_t i = 0; i < f->layout.n_feet; i++) {
    if (now->contact[i].stands) {
      add_foot(f, &now->contact[i], i, x, &rows[i]);
    }
  }
}

/* A group counts less where it contradicts: its noise is inflated until the innovation is as likely
 * as Huber's bound. Returns its normalised innovation per row. */
static double press(struct joint_filter *f, struct row_group group) {
  const double nis = row_update_group_nis(&f->rows, group.first, group.count);
  const double bound = HUBER * HUBER * (double)group.count;
  if (nis > bound) {
    row_update_weaken(&f->rows, group.first, group.count, bound / nis);
  }
  return group.count > 0 ? nis / (double)group.count : 0.0;
}

/* Ground that is so far from level, or from its height, is other ground: it says nothing. Of a foot
 * that has just landed nothing is known but by the rows of the foot, which expect what they find:
 * what ground contradicts is both together. */
static void judge_ground(struct joint_filter *f, struct row_group foot, struct row_group ground) {
  const double nis = ground.count > 0
                         ? row_update_group_nis(&f->rows, foot.first, foot.count + ground.count)
                         : 0.0;
  if (nis > OTHER_GROUND * OTHER_GROUND) {
    row_update_weaken(&f->rows, ground.first, ground.count, UNHEARD);
  }
}

/* Innovation of a foot's place, each axis in its own deviations. */
static vec3 place_innovation(const struct joint_filter *f, struct row_group place) {
  const size_t stride = matrix_stride(f->rows.rows_max);
  double off[3];
  for (size_t i = 0; i < 3; i++) {
    const size_t row = place.first + i;
    off[i] = f->rows.nu[row] / sqrt(f->rows.Pyy[row * stride + row]);
  }
  return vec3_from(off);
}

/* Remembers how much a foot strains, and how far it is dragged the same way. */
static void note_foot(struct joint_filter *f, size_t i, double strain, vec3 off, double dt) {
  const double memory = fmax(STRAIN_TIME, STRAIN_SAMPLES * dt);
  const double share = dt / (memory + dt), slow = dt / (DRAG_TIME + dt);
  vec3 *mean = &f->foot_mean[i];
  f->foot_strain[i] += share * (fmin(strain, STRAIN_CAP) - f->foot_strain[i]);
  f->foot_usual[i] += dt / (USUAL_TIME + dt) * (fmin(strain, USUAL_CAP) - f->foot_usual[i]);
  *mean = vec3_axpy(*mean, slow, vec3_sub(off, *mean));
  /* a mean of white numbers with this memory has the variance slow / (2 - slow) */
  f->foot_drag[i] = vec3_dot(*mean, *mean) * (2.0 - slow) / slow / 3.0;
}

/* Feet count less where they contradict; what they say is remembered. */
static void judge_feet(struct joint_filter *f, const struct instant *now, bool fresh, double dt,
                       const struct foot_rows rows[ROBOT_MAX_FEET]) {
  const bool finding = f->convicted_ns > 0 && now->t_ns - f->convicted_ns < FINDING_NS;
  for (size_t i = 0; i < f->layout.n_feet; i++) {
    const bool says = rows[i].place.count > 0 && !now->contact[i].landed && !now->contact[i].tips;
    const vec3 off = says ? place_innovation(f, rows[i].place) : VEC3_ZERO;
    const double place = press(f, rows[i].place), sole = press(f, rows[i].sole);
    judge_ground(f, rows[i].place, rows[i].height);
    judge_ground(f, rows[i].sole, rows[i].slope);
    if (fresh && !finding) {
      note_foot(f, i, fmax(place, sole), off, dt);
    }
  }
}

static bool any_foot(const struct joint_filter *f, const struct instant *now) {
  bool any = false;
  for (size_t i = 0; i < f->layout.n_feet; i++) {
    any = any || now->contact[i].stands;
  }
  return any;
}

double joint_base_untold_arm(const struct joint_filter *f, const double *P) {
  const double sd = joint_process_worst_sd(&f->layout, P, f->layout.omegadot),
               felt = vec3_norm(f->robot->imu_placement.p) * sd;
  return felt * felt;
}

/* What is felt at an untold arm is noise. */
static void add_imu(struct joint_filter *f, const struct instant *now, const double *x,
                    const double *P) {
  const double sd = f->settings.accelerometer_noise;
  struct pose imu = f->robot->imu_placement;
  struct base_reading reading = {
      .rate = now->rate, .force = now->force, .rate_sd = f->settings.gyro_noise, .force_sd = sd};
  if (!isfinite(now->rate.x + now->rate.y + now->rate.z)) {
    reading.force_sd = sqrt(sd * sd + joint_base_untold_arm(f, P));
    imu.p = VEC3_ZERO;
  }
  base_rows_imu(&f->rows, &imu, &reading, x);
  if (now->has_orientation && f->base_started) {
    base_rows_orientation(&f->rows, now->orientation, f->settings.base.orientation, x);
  }
}

/* How lively a base is shows in the IMU that stands in for its own. */
static void learn_liveliness(struct joint_filter *f, const struct instant *now,
                             const struct limb_group *imu) {
  const double dt = 1e-9 * (double)(now->t_ns - f->imu_judged_ns);
  if (f->settings.adapt_density && f->imu_judged_ns > 0 && dt < f->settings.timeout_s &&
      imu->rates > 0 && imu->forces > 0) {
    base_liveliness_step(
        &f->liveliness[IMU_GYRO],
        row_update_group_nis(&f->rows, imu->first, imu->rates) / (double)imu->rates, dt);
    base_liveliness_step(&f->liveliness[IMU_ACCELEROMETER],
                         row_update_group_nis(&f->rows, imu->first + imu->rates, imu->forces) /
                             (double)imu->forces,
                         dt);
  }
  f->imu_judged_ns = now->t_ns;
}

/* Joints whose encoder says nothing, and that nothing else sees. */
static void add_unheard(struct joint_filter *f, const double *x) {
  for (size_t j = 0; j < f->layout.n; j++) {
    const bool alone = !f->skin.observed[j] && f->limbs.n == 0;
    if (alone && f->guard.joint[j].unheard > ENCODER_UNHEARD_S) {
      encoder_rows_unheard(&f->rows, &f->robot->model.joint[j], j, f->settings.period_s, x);
    }
  }
}

/* What the accelerometer reads on average: gravity, unless it is off by much. */
static void feel_gravity(struct joint_filter *f, const struct instant *now) {
  const double dt = f->felt_ns > 0 ? 1e-9 * (double)(now->t_ns - f->felt_ns) : 0.0;
  if (isfinite(now->force.x + now->force.y + now->force.z) && dt >= 0.0) {
    f->felt = vec3_axpy(f->felt, fmin(dt / FELT_S, 1.0), vec3_sub(now->force, f->felt));
    f->felt_ns = now->t_ns;
  }
}

/* For how long neither a gyro that is believed nor skin has told how the base turns. */
static int64_t untold_ns(const struct joint_filter *f, int64_t t_ns) {
  const int64_t skin_ns = f->last_ns[2];
  return t_ns - (f->rate_ns > skin_ns ? f->rate_ns : skin_ns);
}

bool joint_base_blind(const struct joint_filter *f, int64_t t_ns) {
  return f->base_imu && f->base_started && untold_ns(f, t_ns) > BLIND_NS;
}

enum status joint_base_update(struct joint_filter *f, const struct instant *now,
                              enum encoder_share encoders, double *x, double *P) {
  const unsigned fresh = now->streams & ~now->filtered;
  const bool joints = (now->streams & STREAM_JOINTS) != 0, floating = f->layout.base > 0;
  const double period = f->settings.period_s;
  struct row_group imu = {0, 0};
  struct foot_rows feet[ROBOT_MAX_FEET] = {{{0, 0}, {0, 0}, {0, 0}, {0, 0}}};
  struct limb_group limb[LIMBS_MAX] = {{0}};
  row_update_begin(&f->rows);
  if (f->base_imu && (now->streams & STREAM_IMU)) {
    imu.first = f->rows.rows;
    add_imu(f, now, x, P);
    imu.count = f->rows.rows - imu.first;
  }
  if (f->limbs.n > 0 && (now->streams & STREAM_IMU) && update_kinematics(f, x)) {
    joint_limbs_add(&f->limbs, &f->rows, &f->kin, now->limb, f->skin_ready, x, limb);
  }
  if (joints && f->base_started && any_foot(f, now) && update_kinematics(f, x)) {
    land_feet(f, now, x, P);
    add_feet(f, now, x, feet);
  } else if (f->base_started && now->rests) {
    base_rows_stay(&f->rows, REST_SPEED * sqrt(STAY_TIME / period), x);
    base_rows_still(&f->rows, REST_RATE * sqrt(STAY_TIME / period), x);
  } else if (joints && f->base_started && (f->layout.n_feet == 0 || f->hanging)) {
    const double speed = f->rest.shaken ? fmin(LIE_SPEED, f->settings.base.stay_velocity)
                                        : f->settings.base.stay_velocity;
    base_rows_stay(&f->rows, speed * sqrt(STAY_TIME / period), x);
  }
  feel_gravity(f, now);
  if (imu.count > 0 && isfinite(now->rate.x + now->rate.y + now->rate.z)) {
    f->rate_ns = now->t_ns > f->rate_ns ? now->t_ns : f->rate_ns;
  } else if (joints && f->base_imu && f->base_started && untold_ns(f, now->t_ns) > UNTOLD_NS) {
    base_rows_still(&f->rows, SWAY_RATE * sqrt(SWAY_TIME / period), x);
  }
  if (joints) {
    add_unheard(f, x);
  }
  if (encoders == ENCODERS_WAIT) {
    row_update_wait(&f->rows);
  }
  if (joints && encoders != ENCODERS_LEFT) {
    encoder_rows_add(&f->rows, now, f->encoder_sd, x, P);
  }
  row_update_expect(&f->rows, P);
  if (fresh & STREAM_IMU) {
    const size_t count = imu.count < ROW_GROUP_MAX ? imu.count : ROW_GROUP_MAX;
    f->nis[1] = count > 0 ? row_update_group_nis(&f->rows, imu.first, count) / (double)count : 0.0;
  }
  if (f->limbs.stands_in && (fresh & STREAM_IMU)) {
    learn_liveliness(f, now, &limb[0]);
  }
  joint_limbs_judge(&f->limbs, &f->rows, limb, now->t_ns, (fresh & STREAM_IMU) != 0);
  judge_feet(f, now, (fresh & STREAM_JOINTS) != 0, period, feet);
  const enum status status = row_update_apply(&f->rows, x, P);
  f->few_rows = f->rows.taken;
  f->few_nis = f->rows.nis;
  if (floating) {
    base_process_fold(&f->layout, x);
  }
  return status;
}

/* How many deviations an encoder is off that speaks against a limb, and what a limb that was wrong
 * may have done to joints meanwhile, per s and per s^2. */
static const double DISSENT = 7.0, WRONG_RATE = 3.0, WRONG_ACCELERATION = 100.0;

static bool encoder_dissents(const struct joint_filter *f, const struct instant *now, size_t j) {
  const struct joint_layout *l = &f->layout;
  const double off = now->q[j] - now->x[l->q + j], sd = f->encoder_sd[j];
  const double variance = encoder_rows_covariance(l, l->q + j, j, &now->pending, now->P) + sd * sd;
  return off * off > DISSENT * DISSENT * variance && !f->guard.joint[j].steps.away;
}

/* A limb on trial that encoders contradict is wrong: what it has done to its joints is opened. */
static void try_limbs(struct joint_filter *f, struct instant *now) {
  const int *parent = f->robot->model.parent;
  for (size_t k = 0; k < f->limbs.n; k++) {
    bool dissent = false;
    for (size_t i = f->limbs.imu[k].link; i > 0; i = (size_t)parent[i]) {
      dissent = dissent || encoder_dissents(f, now, i - 1);
    }
    if (!dissent || !joint_limbs_on_trial(&f->limbs, k)) {
      continue;
    }
    joint_limbs_convict(&f->limbs, k);
    for (size_t i = f->limbs.imu[k].link; i > 0; i = (size_t)parent[i]) {
      now->kick[i - 1] = fmax(now->kick[i - 1], WRONG_RATE * WRONG_RATE);
      now->kick_ddq[i - 1] = fmax(now->kick_ddq[i - 1], WRONG_ACCELERATION * WRONG_ACCELERATION);
    }
  }
}

void joint_base_open_limbs(struct joint_filter *f, struct instant *now, double dt) {
  struct limb_group limb[LIMBS_MAX] = {{0}};
  if (f->limbs.n == 0 || !f->skin_ready || !f->settings.adapt_density ||
      !update_kinematics(f, now->x)) {
    return;
  }
  if (now->streams & STREAM_JOINTS) {
    try_limbs(f, now);
  }
  row_update_begin(&f->rows);
  joint_limbs_add(&f->limbs, &f->rows, &f->kin, now->limb, true, now->x, limb);
  if (!joint_limbs_surprised(&f->limbs, &f->rows, limb)) {
    return;
  }
  row_update_expect(&f->rows, now->P);
  struct motion base = {vec3_scale(1.0 / (dt * dt), now->open_rate), now->open_force};
  joint_limbs_open(&f->limbs, &f->rows, limb, &base, dt, now->kick, now->kick_ddq);
  now->open_force = base.lin;
}

mat3 attitude_of(vec3 force_B) {
  const vec3 f = force_B;
  return mat3_from_rpy((vec3){atan2(f.y, f.z), atan2(-f.x, hypot(f.y, f.z)), 0.0});
}

/* -- start ------------------------------------------------------------------------------------ */

static void set_block(const struct joint_layout *l, size_t at, double *P) {
  for (size_t i = at; i < at + 3; i++) {
    for (size_t k = 0; k < l->size; k++) {
      P[i * l->stride + k] = P[k * l->stride + i] = 0.0;
    }
  }
}

/* Attitude, velocity and position of one instant begin; what is known of the rest stays. */
static void begin_at(const struct joint_filter *f, struct instant *at, const mat3 *R, double height,
                     double tilt) {
  const struct joint_layout *l = &f->layout;
  base_process_set_rotation(l, quat_from_mat3(R), at->x);
  vec3_to(VEC3_ZERO, at->x + l->velocity);
  vec3_to((vec3){0.0, 0.0, height}, at->x + l->position);
  at->revision = 0;
  if (at->P == NULL) {
    return;
  }
  set_block(l, l->attitude, at->P);
  set_block(l, l->velocity, at->P);
  set_block(l, l->position, at->P);
  for (size_t i = 0; i < 3; i++) {
    at->P[(l->velocity + i) * (l->stride + 1)] = START_VELOCITY * START_VELOCITY;
    at->P[(l->position + i) * (l->stride + 1)] = START_PLACE * START_PLACE;
    for (size_t k = 0; k < 3; k++) { /* yaw, about the world's z in base axes, is ours to choose */
      const double up = R->m[2][i] * R->m[2][k];
      at->P[(l->attitude + i) * l->stride + l->attitude + k] =
          tilt * tilt * ((i == k) - up) + START_YAW * START_YAW * up;
    }
  }
}

/* Height of the base's origin when its lowest sole is on the ground at zero; 0 without feet. */
static double height_on_feet(struct joint_filter *f, const double *x, const mat3 *R) {
  double lowest = 0.0;
  if (f->layout.n_feet > 0 && update_kinematics(f, x)) {
    lowest = HUGE_VAL;
    for (size_t i = 0; i < f->layout.n_feet; i++) {
      const struct model_frame *foot = &f->robot->foot[i];
      const vec3 sole = frame_pose(&f->kin, foot->link, &foot->placement).p;
      lowest = fmin(lowest, mat3_mul_vec3(R, sole).z - foot->ball_radius);
    }
  }
  return -lowest;
}

/* Faster than any robot, or turned nobody knows how. */
static bool is_lost(const struct joint_filter *f, const struct instant *newest) {
  const struct joint_layout *l = &f->layout;
  bool lost = vec3_norm(vec3_from(newest->x + l->velocity)) > LARGEST_SPEED;
  for (size_t i = l->attitude; i < l->attitude + 2; i++) {
    lost = lost || newest->P[i * (l->stride + 1)] > LARGEST_TILT_SD * LARGEST_TILT_SD;
  }
  return lost;
}

static bool feels_gravity(const struct joint_filter *f) {
  return f->base_imu && fabs(vec3_norm(f->felt) - STANDARD_GRAVITY) < FELT_OFF;
}

void joint_base_start(struct joint_filter *f) {
  const struct joint_layout *l = &f->layout;
  if (f->base_started && is_lost(f, instants_newest(&f->instants))) {
    f->base_started = false;
    f->counters.resets++;
    f->disturbed_ns = instants_newest(&f->instants)->t_ns;
  }
  if (f->base_started || l->base == 0) {
    return;
  }
  const struct instant *newest = instants_newest(&f->instants);
  vec3 force = vec3_from(newest->x + l->force);
  const double common = f->settings.cell_common, bias = f->settings.base.accelerometer_bias;
  double variance = 0.0;
  for (size_t i = 0; i < 3; i++) {
    variance = fmax(variance, newest->P[(l->force + i) * (l->stride + 1)]);
  }
  const double off = fabs(vec3_norm(force) - STANDARD_GRAVITY);
  if (!(variance < START_FORCE_SD * START_FORCE_SD + common * common + bias * bias) ||
      !(off < START_FORCE_OFF * STANDARD_GRAVITY)) {
    return;
  }
  if (f->counters.resets > 0 && feels_gravity(f)) { /* in motion the mean tells, no instant */
    force = mat3_mul_vec3(&f->robot->imu_placement.R, f->felt);
  }
  const mat3 R = attitude_of(force);
  const double moving = f->counters.resets > 0 && !newest->rests ? MOVING_TILT : START_TILT;
  const double tilt = fmin(bias / STANDARD_GRAVITY + moving, 0.8 * LARGEST_TILT_SD);
  const double height = height_on_feet(f, newest->x, &R);
  for (size_t i = 0; i < f->instants.count; i++) {
    begin_at(f, f->instants.at[i], &R, height, tilt);
  }
  f->preparation.of = NULL;
  f->base_started = true;
}
