#include "base/base_estimator.h"

#include "body/frames.h"

#include <math.h>
#include <string.h>

/* Standard deviations of a sole's height: ground within so many is the known one. */
static const double SURE_HEIGHT = 3.0;
/* A foot that has just come down rolls and bounces: its strain is no slip, s. */
static const double SETTLING_S = 0.05;
/* Of the weight: less loaded feet may roll and are no slip. */
static const double MOVES_SHARE = 0.25;
/* A sole that turns faster than this, rad/s, about an edge no further from its frame, m, tips. */
static const double TURN_RATE = 0.2, SOLE_REACH = 0.25;
/* Cosine of the slope of a sole that stands on an edge. */
static const double STEEP = 0.94;
/* ... and of one that no robot stands on: it lies. */
static const double LYING = 0.5;
/* Cosine of the angle up to which soles are parallel, 5 degrees. */
static const double PARALLEL = 0.9962;
/* A sole that moves no faster for so long rests, m/s, s; one that lies unlike the other must for
 * longer. */
static const double REST_SPEED = 0.1, REST_S = 0.1, ODD_REST_S = 2.0;
/* Nobody slides on one foot for so long, s. */
static const double SLIDE_S = 0.3;
/* A leap is shorter, s. */
static const double LEAP_S = 0.5;
/* While a foot slips it is taken as standing anew this often, s. */
static const double RELAND_S = 0.02;
/* Soles of a robot that hung are flat on the ground when they have borne so much of its weight for
 * so long, s. */
static const double WHOLE = 0.9, LOWERED_S = 0.5;
/* A foot comes to stand no faster, m/s. */
static const double SWING_SPEED = 0.3;
/* No foot steps elsewhere in less, s. */
static const double STEP_S = 0.1;

struct base_estimator_settings base_estimator_defaults(void) {
  return (struct base_estimator_settings){
      .support = support_defaults(), .step_height = 0.02, .slip_strain = 20.0, .slip_s = 0.08};
}

enum status base_estimator_init(struct base_estimator *base, const struct robot *robot,
                                const struct base_estimator_settings *settings) {
  const double positive[] = {settings->step_height, settings->slip_strain, settings->slip_s};
  for (size_t i = 0; i < sizeof(positive) / sizeof(positive[0]); i++) {
    if (!(positive[i] > 0.0 && isfinite(positive[i]))) {
      return STATUS_OUT_OF_RANGE;
    }
  }
  *base = (struct base_estimator){
      .settings = *settings, .robot = robot, .unfelt_s = LEAP_S}; /* nobody begins in a leap */
  return support_init(&base->support, &settings->support, robot->n_feet);
}

/* It does now, or has while nobody knew where. */
static bool comes_to_stand(const struct base_estimator *base, size_t foot) {
  return base->support.touched_down[foot] || base->unseen[foot];
}

/* A foot that comes down stands on the ground that is known, or on a step: as high beside the one
 * that stands as the base is high and level. */
static void set_ground(struct base_estimator *base, size_t foot, const vec3 *sole_W,
                       double height_sd, double tilt_sd) {
  double level = base->ground[foot], aside = 0.0;
  bool found = base->found[foot];
  for (size_t i = 0; i < base->robot->n_feet; i++) {
    if (i != foot && base->support.stands[i] && !comes_to_stand(base, i)) {
      level = base->ground[i];
      found = base->found[i];
      aside = hypot(sole_W[foot].x - sole_W[i].x, sole_W[foot].y - sole_W[i].y);
    }
  }
  base->touch_downs++;
  const double z = sole_W[foot].z, sd = hypot(height_sd, aside * tilt_sd);
  const bool known = fabs(z - level) < fmax(base->settings.step_height, SURE_HEIGHT * sd);
  base->ground[foot] = known ? level : z;
  base->found[foot] = found || !known;
  base->step_count += !known;
}

/* How a sole moves, world axes. */
static struct motion sole_motion(const struct base_estimator *base, const struct kinematics *kin,
                                 const struct pose *X_WB, vec3 v_W, size_t foot) {
  const struct model_frame *sole = &base->robot->foot[foot];
  struct frame_motion motion = {.v_B = {VEC3_ZERO, VEC3_ZERO}};
  (void)frame_motion(kin, sole->link, &sole->placement, &motion);
  return (struct motion){mat3_mul_vec3(&X_WB->R, motion.v_B.ang),
                         vec3_add(v_W, mat3_mul_vec3(&X_WB->R, motion.v_B.lin))};
}

/* Which way a sole's normal points, base axes. */
static vec3 sole_normal(const struct base_estimator *base, const struct kinematics *kin,
                        size_t foot) {
  const struct model_frame *sole = &base->robot->foot[foot];
  const struct pose X_BF = frame_pose(kin, sole->link, &sole->placement);
  return (vec3){X_BF.R.m[0][2], X_BF.R.m[1][2], X_BF.R.m[2][2]};
}

/* Soles that stand on one level ground are parallel; those of a robot that hangs need not be. All
 * of them, or those that stand. Points have no normal. */
static bool soles_agree(const struct base_estimator *base, const struct kinematics *kin, bool all) {
  bool agree = true;
  for (size_t i = 0; i < base->robot->n_feet && base->robot->n_feet <= ROBOT_MAX_SOLES; i++) {
    for (size_t k = 0; k < i && (all || (base->support.stands[i] && base->support.stands[k]));
         k++) {
      agree = agree && vec3_dot(sole_normal(base, kin, i), sole_normal(base, kin, k)) > PARALLEL;
    }
  }
  return agree;
}

/* Turning about an edge of its own explains how it moves. */
static bool turns(const struct motion *sole) {
  const double rate = vec3_norm(sole->ang);
  return rate > TURN_RATE && vec3_norm(sole->lin) < SOLE_REACH * rate;
}

/* Whether a foot that stands slips, by how much it strains; one that tips does until it rests. */
static void watch_foot(struct base_estimator *base, size_t foot, double strain, double dt) {
  const struct base_estimator_settings *s = &base->settings;
  const bool strains = strain > s->slip_strain && base->standing_s[foot] > SETTLING_S &&
                       base->support.share[foot] > MOVES_SHARE;
  const bool slips = base->slipping_s[foot] > 0.0;
  base->tips[foot] = base->turns[foot] && (slips || strains || base->steep[foot]);
  base->slip_count += (strains || base->tips[foot]) && !slips;
  base->slipping_s[foot] =
      strains || base->tips[foot] ? s->slip_s : fmax(base->slipping_s[foot] - dt, 0.0);
}

/* Tells the filter of one foot: where it came to stand anew, and on which ground. */
static struct base_contact contact_of(struct base_estimator *base, size_t foot, double part,
                                      bool unknown) {
  const bool stands = base->support.stands[foot] && !base->hanging && !unknown;
  const bool slips = base->slipping_s[foot] > 0.0;
  const bool again = slips && base->standing_s[foot] - base->landed_s[foot] >= RELAND_S;
  const bool tips = base->tips[foot] || base->lowered_s > 0.0;
  const bool landed = base->support.touched_down[foot] || again || !base->contact[foot].stands ||
                      (base->contact[foot].tips && !tips && !slips);
  base->landed_s[foot] = landed ? base->standing_s[foot] : base->landed_s[foot];
  base->rolled_W[foot] = landed ? VEC3_ZERO : base->rolled_W[foot];
  return (struct base_contact){.stands = stands,
                               .rolled = base->rolled_W[foot],
                               .landed = landed,
                               .level = !slips && base->parallel && !base->unsure,
                               .known = !base->found[foot],
                               .ground = base->ground[foot],
                               .share = base->support.share[foot] * part,
                               .felt = base->felt,
                               .turns = base->turns[foot],
                               .steep = base->steep[foot],
                               .tips = tips};
}

/* How many feet stand, and what they do. */
struct feet_count {
  size_t standing, slipping, sliding;
};

/* All soles lie: so does the robot. */
static bool has_fallen(const struct base_estimator *base) {
  bool lies = base->robot->n_feet > 0;
  for (size_t i = 0; i < base->robot->n_feet; i++) {
    lies = lies && base->lies[i];
  }
  return lies;
}

/* A robot that hung is back on its feet, or hangs still: a sole rests for some time. */
static bool is_back(struct base_estimator *base, const struct kinematics *kin,
                    const struct motion *sole, double dt) {
  bool rests = false;
  for (size_t i = 0; i < base->robot->n_feet; i++) {
    rests = rests || vec3_norm(sole[i].lin) < REST_SPEED;
  }
  base->still_s = rests ? base->still_s + dt : 0.0;
  return base->still_s > (soles_agree(base, kin, true) ? REST_S : ODD_REST_S);
}

/* Something else carries the robot when no foot stands for longer than in a leap, where feet or
 * legs feel whether they do. None leaps that has not been carried by them, nor stepped, yet. */
static bool hangs_felt(struct base_estimator *base, size_t standing, bool carried, double dt) {
  if (standing == 0) {
    base->unfelt_s += dt;
  } else if (carried || base->touch_downs > 0) {
    base->unfelt_s = 0.0;
  }
  return base->unfelt_s > LEAP_S;
}

/* The same where nothing feels: when soles begin as nobody stands, or all that stand slide. */
static bool hangs_unfelt(struct base_estimator *base, const struct feet_count *count, bool first,
                         const struct kinematics *kin, double dt) {
  const bool slides = count->standing > 0 && count->sliding == count->standing;
  base->sliding_s = slides ? base->sliding_s + dt : 0.0;
  base->still_s = 0.0;
  return (slides && (count->standing >= 2 || base->sliding_s > SLIDE_S)) ||
         (first && !soles_agree(base, kin, true));
}

/* How a sole turns and how steep it is. Points have no edge. */
static void watch_sole(struct base_estimator *base, const struct kinematics *kin,
                       const struct pose *X_WB, const struct motion *sole, size_t foot) {
  if (base->robot->n_feet <= ROBOT_MAX_SOLES) {
    const double level = mat3_mul_vec3(&X_WB->R, sole_normal(base, kin, foot)).z;
    base->turns[foot] = turns(sole);
    base->steep[foot] = level < STEEP;
    base->lies[foot] = level < LYING;
  }
}

/* What is let down stands on edges until its feet bear `part` of the weight, all of it. */
static void watch_lowering(struct base_estimator *base, bool told, double part, double dt) {
  if (told && base->hanging) {
    base->lowered_s = LOWERED_S;
  } else if (!(part < WHOLE)) {
    base->lowered_s = fmax(base->lowered_s - dt, 0.0);
  }
}

/* A ball's centre moves as it turns above the point where it touches. */
static void roll(struct base_estimator *base, vec3 omega_W, size_t foot, double dt) {
  const vec3 up_W = {0.0, 0.0, base->robot->foot[foot].ball_radius};
  base->rolled_W[foot] = vec3_axpy(base->rolled_W[foot], dt, vec3_cross(omega_W, up_W));
}

/* Whether feet may carry the robot: as its legs tell, or unless it hangs. */
static bool may_carry(const struct base_estimator *base, const struct base_contacts *contacts) {
  return contacts->legs == LEGS_SILENT ? base->felt || !base->hanging
                                       : contacts->legs == LEGS_CARRY;
}

static struct feet_count watch_feet(struct base_estimator *base, const double *strain, double dt) {
  struct feet_count count = {0, 0, 0};
  for (size_t i = 0; i < base->robot->n_feet; i++) {
    const bool stands = base->support.stands[i];
    base->standing_s[i] = stands && !base->support.touched_down[i] ? base->standing_s[i] + dt : 0.0;
    if (stands) {
      watch_foot(base, i, strain[i], dt);
    } else {
      base->tips[i] = false;
      base->slipping_s[i] = 0.0;
    }
    count.standing += stands;
    count.slipping += base->slipping_s[i] > 0.0;
    count.sliding += base->slipping_s[i] > 0.0 && !base->tips[i];
  }
  return count;
}

void base_estimator_resume(struct base_estimator *base, double silence_s) {
  support_resume(&base->support, silence_s > STEP_S);
}

void base_estimator_begin(struct base_estimator *base) {
  base->hanging = false;
  memset(base->ground, 0, sizeof(base->ground));
  memset(base->found, 0, sizeof(base->found));
}

static double part_borne(const struct base_contacts *contacts) {
  return fmin(fmax(contacts->borne, 0.0), 1.0);
}

/* Of the feet no more is known than what they are measured to bear: one that lands stands on ground
 * that nobody knows yet. */
static void hold_feet(struct base_estimator *base, const struct base_contacts *contacts,
                      double dt) {
  const bool measured = contacts->measured && contacts->foot_f_z != NULL;
  const struct support_input input = {.weight = contacts->weight,
                                      .foot_f_z = contacts->foot_f_z,
                                      .measured = true,
                                      .at_once = contacts->at_once,
                                      .absent = contacts->unknown};
  if (measured) {
    support_step(&base->support, &input, dt);
  }
  for (size_t i = 0; i < base->robot->n_feet; i++) {
    const bool stands = base->support.stands[i], lands = measured && base->support.touched_down[i];
    base->standing_s[i] = stands && !lands ? base->standing_s[i] + dt : 0.0;
    base->unseen[i] = stands && (base->unseen[i] || lands);
    base->rolled_W[i] = lands ? VEC3_ZERO : base->rolled_W[i];
    base->landed_s[i] = lands ? 0.0 : base->landed_s[i];
    base->contact[i].stands = stands && (base->contact[i].stands || lands) && !contacts->unknown[i];
    base->contact[i].level = base->contact[i].level && !base->unseen[i];
    base->contact[i].rolled = base->rolled_W[i];
    base->contact[i].landed = lands;
    if (measured) {
      base->contact[i].share = base->support.share[i] * part_borne(contacts);
    }
  }
}

/* Soles that are low are known by a tilt that is: to within what makes one higher than another. */
static bool heights_tell(const struct base_estimator *base, const vec3 *sole_W, double tilt_sd) {
  double apart = 0.0;
  for (size_t i = 1; i < base->robot->n_feet; i++) {
    apart = fmax(apart, hypot(sole_W[i].x - sole_W[0].x, sole_W[i].y - sole_W[0].y));
  }
  return apart * tilt_sd < base->settings.support.clearance;
}

void base_estimator_step(struct base_estimator *base, const struct kinematics *kin,
                         const struct pose *X_WB, vec3 v_W, double height_sd, double tilt_sd,
                         const double *strain, const struct base_contacts *contacts, double dt) {
  const size_t n_feet = base->robot->n_feet;
  const bool first = !base->support.started;
  vec3 sole_W[ROBOT_MAX_FEET];
  struct motion motion_W[ROBOT_MAX_FEET];
  if (contacts->held && !first) {
    hold_feet(base, contacts, dt);
    return;
  }
  bool swings[ROBOT_MAX_FEET];
  for (size_t i = 0; i < n_feet; i++) {
    const struct model_frame *foot = &base->robot->foot[i];
    motion_W[i] = sole_motion(base, kin, X_WB, v_W, i);
    watch_sole(base, kin, X_WB, &motion_W[i], i);
    swings[i] = vec3_norm(motion_W[i].lin) > SWING_SPEED;
    sole_W[i] = pose_apply(X_WB, frame_pose(kin, foot->link, &foot->placement).p);
    sole_W[i].z -= foot->ball_radius;
  }
  const double *f_z =
      contacts->late && heights_tell(base, sole_W, tilt_sd) ? NULL : contacts->foot_f_z;
  const struct support_input input = {.sole = sole_W,
                                      .cop_known = contacts->cop_known,
                                      .cop = contacts->cop_W,
                                      .f_z = may_carry(base, contacts) ? contacts->f_z : 0.0,
                                      .weight = contacts->weight,
                                      .foot_f_z = f_z,
                                      .measured = contacts->measured,
                                      .at_once = contacts->at_once,
                                      .absent = contacts->unknown,
                                      .swings = swings};
  base->unsure = false;
  for (size_t i = 0; i < n_feet; i++) {
    base->unsure = base->unsure || contacts->unknown[i];
  }
  support_step(&base->support, &input, dt);
  base->felt = f_z != NULL && base->support.felt;
  base->parallel = soles_agree(base, kin, false);
  for (size_t i = 0; i < n_feet; i++) {
    roll(base, motion_W[i].ang, i, dt);
    if (comes_to_stand(base, i) && !first && !base->unsure) {
      set_ground(base, i, sole_W, height_sd, tilt_sd);
    }
  }
  memset(base->unseen, 0, sizeof(base->unseen));
  const struct feet_count count = watch_feet(base, strain, dt);
  if (has_fallen(base)) {
    base->hanging = true;
  } else if (base->felt || contacts->legs != LEGS_SILENT) {
    const bool carried = base->felt || contacts->legs == LEGS_CARRY;
    base->hanging = hangs_felt(base, count.standing, carried, dt);
  } else if (base->hanging) {
    base->hanging = !is_back(base, kin, motion_W, dt);
  } else {
    base->hanging = hangs_unfelt(base, &count, first, kin, dt) && !contacts->tried;
  }
  base->slips = count.slipping > 0 || base->hanging;
  const bool told = base->felt || contacts->legs != LEGS_SILENT;
  const double part = told ? part_borne(contacts) : 1.0;
  watch_lowering(base, told, part, dt);
  for (size_t i = 0; i < n_feet; i++) {
    base->contact[i] = contact_of(base, i, part, contacts->unknown[i]);
  }
}

double base_estimator_ground(const struct base_estimator *base) {
  return base->support.foot >= 0   ? base->ground[base->support.foot]
         : base->robot->n_feet > 0 ? base->ground[0]
                                   : 0.0;
}

void base_estimator_adopt(struct base_estimator *base, const struct base_estimator *previous) {
  if (previous->support.n_feet == base->support.n_feet) { /* of other feet nothing is known */
    const struct base_estimator fresh = *base;
    *base = *previous;
    base->robot = fresh.robot;
    base->settings = fresh.settings;
    base->support.settings = fresh.support.settings;
  }
}
