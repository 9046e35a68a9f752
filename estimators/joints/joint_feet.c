#include "joints/joint_feet.h"

#include "joints/joint_filter_core.h"
#include "numerics/dense_matrix.h"
#include "process/base_process.h"
#include "process/considered.h"
#include "update/foot_landing.h"
#include "update/ground_judge.h"

#include <math.h>

/* Huber's bound, deviations per row: beyond, a foot's innovation counts less. */
static const double HUBER = 3.0;
/* Ground is another when it is off by so many deviations in all: as likely then as what is known,
 * at any height and in one case of four, or at any slope and in one of a hundred: floors have
 * steps, and are level. */
static const double OTHER_GROUND = 3.0, OTHER_SLOPE = 4.0;
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
/* A point presses into what it stands on, the deeper the more it carries: how high it stands is so
 * many times less sure than where. */
static const double POINT_SINKS = 8.0;
/* A floor is level to so much, rad: its tilt passes for the accelerometer's bias, step after step,
 * and walking makes that no surer. */
static const double FLOOR_LEVEL = 2e-3;
/* A point that carries creeps by a millimetre in each stance, always the same way: the base seems
 * to turn slower about the vertical than the gyro says, by so much, rad/s. Walking makes the gyro's
 * bias no surer than that. */
static const double CREEP_TURNS = 0.01;
/* Legs bend, soles roll and points creep for tenths of a second: what feet say of the gyro's bias
 * in a walk, and points of the accelerometer's, is hardly news from one sample to the next, and
 * teaches it by so large a share. It walks for so long after a foot has landed. */
static const double WALK_TEACHES = 0.4;
static const int64_t WALKS_NS = 1000000000;
/* Where a robot stands as it begins to be estimated it walks already if a joint of that leg turns
 * by so much, rad/s. */
static const double SWINGS = 0.3;
/* Of the weight: a foot that carries less says no less. */
static const double LEAST_SHARE = 0.02;
/* A point that comes to stand has sunk in after so long, ns: until then how high it stands is less
 * well known than how even the ground is, at first to some centimetres. */
static const int64_t SINKS_NS = 50000000;
/* How well a base knows how it is turned that can wait, rad. */
static const double HARDLY_TURNED = 0.1;
/* A sole that walks comes down on an edge and rolls flat, by a hundredth of a rad or two within
 * some tenths of a second, which no white noise does: it wanders by so much, rad/sqrt(s), about
 * axes along it, and less once it lies. */
static const double ROLLING_SOLE = 15e-3, LYING_SOLE = 5e-3;
/* It lies on the ground once it has stood for so long, ns, and points where it has of late: within
 * so much, rad, over so long, s; and well enough to tell of its slope within this. */
static const int64_t LIES_NS = 200000000;
static const double LIES = 0.01, LIES_STILL = 1e-3, LIES_TIME = 0.1;

/* Which way a sole's normal points, world axes. */
static vec3 sole_normal(const struct joint_filter *f, size_t i, const double *x) {
  const mat3 R_WF = mat3_from_quat(base_process_sole(&f->layout, i, x));
  return (vec3){R_WF.m[0][2], R_WF.m[1][2], R_WF.m[2][2]};
}

vec3 joint_feet_normal(const struct joint_filter *f, const struct instant *now) {
  vec3 sum = VEC3_ZERO;
  for (size_t i = 0; i < f->layout.n_soles; i++) {
    sum = now->contact[i].stands ? vec3_add(sum, sole_normal(f, i, now->x)) : sum;
  }
  const double length = vec3_norm(sum);
  return length > 0.0 ? vec3_scale(1.0 / length, sum) : VEC3_ZERO;
}

/* A foot has come to stand before this instant. */
static bool stood_before(const struct joint_filter *f, int64_t t_ns) {
  bool any = false;
  for (size_t i = 0; i < f->layout.n_feet; i++) {
    any = any || (f->foot[i].landed_ns > 0 && f->foot[i].landed_ns < t_ns);
  }
  return any;
}

/* A foot comes to stand here, anew. */
static void note_landing(struct joint_filter *f, size_t i, int64_t t_ns) {
  f->foot[i].stepped = f->foot[i].stepped || stood_before(f, t_ns);
  f->foot[i].landed_ns = t_ns;
}

void joint_feet_land(struct joint_filter *f, const struct instant *now, double *x, double *P) {
  for (size_t i = 0; i < f->layout.n_feet; i++) {
    if (now->contact[i].stands && now->contact[i].landed) {
      if (!now->contact[i].again) {
        note_landing(f, i, now->t_ns);
      }
      foot_lands(&f->rows, &f->kin, &f->robot->foot[i], i, f->jacobian, x, P);
    }
  }
}

void joint_feet_again(struct joint_filter *f) {
  for (size_t i = 0; i < f->layout.n_feet; i++) {
    struct base_contact *contact = &f->contact[i];
    if (contact->stands && !contact->landed) {
      contact->landed = contact->again = true;
    }
  }
}

/* A joint of this foot's leg turns. */
static bool swings(const struct joint_filter *f, const struct instant *now, size_t foot) {
  bool any = false;
  for (size_t j = 0; j < f->layout.n; j++) {
    any = any || (fabs(now->x[f->layout.dq + j]) > SWINGS &&
                  model_is_beyond(&f->robot->model, f->robot->foot[foot].link, j + 1));
  }
  return any;
}

/* A foot that stands has landed lately; where it stood as the estimate began, only if it walks. */
static bool has_landed(const struct joint_filter *f, const struct instant *now, size_t i) {
  return now->contact[i].stands && now->t_ns - f->foot[i].landed_ns < WALKS_NS &&
         (f->foot[i].stepped || swings(f, now, i));
}

/* A foot from `first` on stands that has landed lately. */
static bool walks(const struct joint_filter *f, const struct instant *now, size_t first) {
  bool any = false;
  for (size_t i = first; i < f->layout.n_feet; i++) {
    any = any || has_landed(f, now, i);
  }
  return any;
}

/* Soles rock: the robot walks, or moves on one of them. */
static bool rock(const struct joint_filter *f, const struct instant *now) {
  bool lifts = false;
  for (size_t i = 0; i < f->layout.n_soles; i++) {
    lifts = lifts || !now->contact[i].stands;
  }
  return walks(f, now, 0) || (lifts && !now->rests);
}

/* How easily a sole is moved that carries this: wholly loaded, or as the others are where the robot
 * stands evenly, by 1. */
static double looseness(const struct joint_filter *f, const struct instant *now, size_t i) {
  const double all = walks(f, now, 0) ? 1.0 : 1.0 / (double)f->layout.n_soles;
  const double share = fmin(fmax(now->contact[i].share, LEAST_SHARE) / all, 1.0);
  return now->contact[i].stands ? 1.0 / (share * share * share * share) : 1.0;
}

/* A sole lies on the ground, and turns no more than so much, rad. */
static bool lies(const struct foot_memory *foot, int64_t t_ns, double within) {
  return t_ns - foot->landed_ns >= LIES_NS && foot->turned < within;
}

/* By how much a sole wanders that rocks, rad/sqrt(s): by little where nothing else tells how the
 * base turns. */
static double wanders(const struct joint_filter *f, const struct instant *now, size_t i) {
  const bool alone =
      f->judge.triad[IMU_GYRO].convicted || imu_judge_stays_off(&f->judge, IMU_GYRO, now->t_ns);
  return alone || lies(&f->foot[i], now->t_ns, LIES) ? LYING_SOLE : ROLLING_SOLE;
}

void joint_feet_loosen(const struct joint_filter *f, const struct instant *now,
                       struct joint_densities *densities) {
  const bool rocks = rock(f, now);
  for (size_t i = 0; i < f->layout.n_soles; i++) {
    const double by = rocks ? wanders(f, now, i) : 0.0;
    densities->sole[i] += by * by;
    densities->sole_twist[i] *= looseness(f, now, i);
  }
}

void joint_feet_lose(const struct joint_filter *f, struct instant *now, size_t j) {
  for (size_t i = 0; i < f->layout.n_feet; i++) {
    const bool behind = model_is_beyond(&f->robot->model, f->robot->foot[i].link, j + 1);
    now->contact[i].landed = now->contact[i].landed || behind;
    now->contact[i].again = now->contact[i].again && !behind;
    now->contact[i].level = now->contact[i].level && !behind;
  }
}

/* Rows added from `first` on. */
static struct row_group group_from(const struct joint_filter *f, size_t first) {
  return (struct row_group){first, f->rows.rows - first};
}

/* Whether a foot has not told of its ground in this stance; what it told at this instant may be
 * asked again. */
static bool is_news(const struct foot_memory *foot, int64_t told_ns, int64_t t_ns) {
  return told_ns < foot->landed_ns || told_ns == t_ns;
}

/* How well it is known how the base is turned, apart from the vertical, rad. */
static double turned_sd(const struct joint_filter *f, const double *P) {
  const size_t roll = f->layout.attitude, pitch = roll + 1, diagonal = f->layout.stride + 1;
  return sqrt(fmax(P[roll * diagonal], P[pitch * diagonal]));
}

/* How high the ground under a foot is, is heard once in each stance: under a sole as it lands,
 * under a point as soon as it has sunk in, which a base that hardly knows how it is turned does not
 * wait for. */
static bool hears_height(const struct joint_filter *f, const struct instant *now, size_t i,
                         const double *P) {
  const struct foot_memory *foot = &f->foot[i];
  const bool waits = i >= f->layout.n_soles && turned_sd(f, P) < HARDLY_TURNED;
  return now->contact[i].level && is_news(foot, foot->heard_ns, now->t_ns) &&
         now->t_ns - foot->landed_ns >= (waits ? SINKS_NS : 0);
}

/* Which slope it has, under a sole, likewise: as it lands, or in a walk once it lies there, unless
 * less is known of how the base is turned. */
static bool hears_slope(const struct joint_filter *f, const struct instant *now, size_t i,
                        const double *P) {
  const struct foot_memory *foot = &f->foot[i];
  const bool waits = rock(f, now) && turned_sd(f, P) < f->settings.base.foot_slope;
  return now->contact[i].level && is_news(foot, foot->sloped_ns, now->t_ns) &&
         (!waits || lies(foot, now->t_ns, LIES_STILL));
}

/* How little a sole says of how it is turned, rad, sole axes. In a walk it rolls from edge to edge
 * as it takes the weight and gives it up: along it the less, the looser it is, unless the gyro is
 * refused. While that is on trial soles are the best there is. */
static vec3 sole_noise(const struct joint_filter *f, const struct instant *now, size_t i,
                       double sd) {
  if (!rock(f, now) || imu_judge_stays_off(&f->judge, IMU_GYRO, now->t_ns)) {
    return (vec3){sd, sd, sd};
  }
  const double rolls = f->judge.triad[IMU_GYRO].convicted ? sd : looseness(f, now, i) * sd;
  return (vec3){rolls, rolls, sd};
}

static void add_sole(struct joint_filter *f, const struct instant *now, size_t i, double sd,
                     const double *x, const double *P, struct foot_rows *rows) {
  size_t first = f->rows.rows;
  base_rows_sole(&f->rows, &f->kin, &f->robot->foot[i], i, sole_noise(f, now, i, sd), f->jacobian,
                 x);
  rows->sole = group_from(f, first);
  first = f->rows.rows;
  if (hears_slope(f, now, i, P)) {
    f->foot[i].sloped_ns = now->t_ns;
    base_rows_level(&f->rows, i, f->settings.base.foot_slope, x);
  }
  rows->slope = group_from(f, first);
}

static void add_foot(struct joint_filter *f, const struct instant *now, size_t i, const double *x,
                     const double *P, struct foot_rows *rows) {
  const struct base_contact *contact = &now->contact[i];
  const bool ground = hears_height(f, now, i, P);
  const struct joint_base_settings *s = &f->settings.base;
  const double samples = f->settings.period_s / FOOT_SAMPLE_S;
  const double unloaded = 1.0 / sqrt(samples * fmax(contact->share, LEAST_SHARE));
  const double place = unloaded * s->foot_noise;
  const vec3 sd = {place, place, i < f->layout.n_soles ? place : POINT_SINKS * place};
  size_t first = f->rows.rows;
  base_rows_foot(&f->rows, &f->kin, &f->robot->foot[i], i, contact->rolled, sd, f->jacobian, x);
  rows->place = group_from(f, first);
  first = f->rows.rows;
  f->foot[i].heard_ns = ground ? now->t_ns : f->foot[i].heard_ns;
  if (ground && contact->known && !f->ground.other) {
    base_rows_height(&f->rows, i, contact->ground, ground_memory_sd(&f->ground, s->foot_height), x);
  }
  rows->height = group_from(f, first);
  if (i < f->layout.n_soles && !contact->tips) { /* over an edge a sole turns */
    add_sole(f, now, i, unloaded * s->sole_noise, x, P, rows);
  }
}

void joint_feet_add(struct joint_filter *f, const struct instant *now, const double *x,
                    const double *P, struct foot_rows rows[ROBOT_MAX_FEET]) {
  for (size_t i = 0; i < f->layout.n_feet; i++) {
    if (now->contact[i].stands) {
      add_foot(f, now, i, x, P, &rows[i]);
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
  vec3 *mean = &f->foot[i].mean;
  f->foot[i].strain += share * (fmin(strain, STRAIN_CAP) - f->foot[i].strain);
  f->foot[i].usual += dt / (USUAL_TIME + dt) * (fmin(strain, USUAL_CAP) - f->foot[i].usual);
  *mean = vec3_axpy(*mean, slow, vec3_sub(off, *mean));
  /* a mean of white numbers with this memory has the variance slow / (2 - slow) */
  f->foot[i].drag = vec3_dot(*mean, *mean) * (2.0 - slow) / slow / 3.0;
}

/* Remembers which way a sole points. */
static void note_sole(struct joint_filter *f, const struct instant *now, size_t i, double dt) {
  vec3 *pointed = &f->foot[i].pointed;
  const vec3 moved = vec3_sub(sole_normal(f, i, now->x), *pointed);
  f->foot[i].turned = vec3_norm(moved);
  *pointed = vec3_axpy(*pointed, dt / (LIES_TIME + dt), moved);
}

static void remember_ground(struct joint_filter *f, const struct instant *now,
                            const struct ground_heard *heard) {
  const struct joint_layout *l = &f->layout;
  vec3 from_base[ROBOT_MAX_FEET];
  for (size_t i = 0; i < heard->feet; i++) {
    from_base[i] =
        vec3_sub(vec3_from(now->x + l->foot + 3 * heard->foot[i]), vec3_from(now->x + l->position));
  }
  ground_memory_hear(&f->ground, heard, f->settings.base.foot_height, from_base);
}

void joint_feet_judge(struct joint_filter *f, const struct instant *now, bool fresh, double dt,
                      const struct foot_rows rows[ROBOT_MAX_FEET]) {
  const bool finding = f->convicted_ns > 0 && now->t_ns - f->convicted_ns < FINDING_NS;
  bool landed = false;
  for (size_t i = 0; i < f->layout.n_feet; i++) {
    const bool says = rows[i].place.count > 0 && !now->contact[i].landed && !now->contact[i].tips;
    const vec3 off = says ? place_innovation(f, rows[i].place) : VEC3_ZERO;
    const double place = press(f, rows[i].place), sole = press(f, rows[i].sole);
    landed = landed || rows[i].height.count + rows[i].slope.count > 0;
    if (fresh && i < f->layout.n_soles && now->contact[i].stands) {
      note_sole(f, now, i, dt);
    }
    if (fresh && !finding) {
      note_foot(f, i, fmax(place, sole), off, dt);
    }
  }
  if (landed) {
    const struct ground_heard heard =
        ground_judge(&f->rows, rows, f->layout.n_feet, GROUND_HEIGHT, OTHER_GROUND);
    if (fresh) {
      remember_ground(f, now, &heard);
    }
    (void)ground_judge(&f->rows, rows, f->layout.n_feet, GROUND_SLOPE, OTHER_SLOPE);
  }
}

bool joint_feet_stand(const struct joint_filter *f, const struct instant *now) {
  bool any = false;
  for (size_t i = 0; i < f->layout.n_feet; i++) {
    any = any || now->contact[i].stands;
  }
  return any;
}

bool joint_feet_soles_stand(const struct joint_filter *f, const struct instant *now) {
  bool stands = false;
  for (size_t i = 0; i < f->layout.n_soles; i++) {
    stands = stands || now->contact[i].stands;
  }
  return stands;
}

bool joint_feet_teach(const struct joint_filter *f, const struct instant *now, const double *x,
                      const double *P, double *share) {
  const struct joint_layout *l = &f->layout;
  const bool points = walks(f, now, l->n_soles);
  if (!points && !walks(f, now, 0)) {
    return false;
  }
  const mat3 R_WB = mat3_from_quat(base_process_rotation(l, x)), axes = joint_filter_bias_axes(f);
  const mat3 R = mat3_mul(&R_WB, &axes);
  for (size_t i = 0; i < CONSIDERED_IMU; i++) {
    const double up = R.m[2][i % 3], turns = points ? CREEP_TURNS * up : 0.0,
                 pulls = FLOOR_LEVEL * STANDARD_GRAVITY * sqrt(fmax(1.0 - up * up, 0.0)),
                 known = i < CONSIDERED_GYRO ? turns : pulls,
                 variance = P[(l->gyro_bias + i) * (l->stride + 1)];
    share[i] = (points || i < CONSIDERED_GYRO ? WALK_TEACHES : 1.0) *
               fmax(0.0, 1.0 - known * known / variance);
  }
  return true;
}
