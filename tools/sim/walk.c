#include "walk.h"

#include "jet.h"
#include "sim_random.h"

enum { DRAW_WALK = 400 };

#define VARIATION       0.1  /* of what the seed chooses */
#define DCM_GAIN        1.0  /* extra zero-moment point per metre of error of the DCM */
#define COM_GAIN        5.0  /* 1/s, above omega */
#define ZMP_GAIN        1.5  /* 1/s, below omega */
#define STABILISER_FADE 0.5  /* s */
#define COP_SMOOTH      0.02 /* s, time constant */
#define ANTICIPATION    1.0  /* s: the weight begins to shift this long before the first step */
#define LIFT_SHARE      0.5  /* of the single support: until the foot is highest */
#define EARLY           2e-3 /* m above its foothold: below, legs that give way let a foot touch */
#define LATE            0.01 /* s after its landing: before, a foot may bounce */
#define LEVEL_RATE      2.0  /* 1/s: at which it levels its hips before the first step */
#define FEEL_SPEED      0.05 /* m/s: downwards, of a foot that feels for the ground */

/* An option as given, unless it is 0, or its nominal value varied with the seed. */
static double given_or(double given, double nominal, struct sim_random *random) {
  const double varied = nominal * sim_uniform(random, 1.0 - VARIATION, 1.0 + VARIATION);
  return given != 0.0 ? given : varied;
}

struct sim_walk_options walk_options_for(const struct sim_walk_options *options, double leg_length,
                                         double reach, uint64_t seed) {
  struct sim_random random = sim_random_from(seed, DRAW_WALK);
  struct sim_walk_options full = *options;
  const double pendulum = sqrt(leg_length / STANDARD_GRAVITY); /* s: about 0.3 full-size */
  full.step_length = given_or(options->step_length, 0.22 * leg_length * reach, &random);
  full.step_time = given_or(options->step_time, 2.0 * pendulum, &random);
  full.double_time = given_or(options->double_time, 0.7 * pendulum, &random);
  full.step_height = given_or(options->step_height, 0.06 * leg_length, &random);
  full.steps = options->steps > 0 ? options->steps : INT32_MAX / 2;
  return full;
}

void walk_init(struct walk *walk, const struct sim_walk_options *options,
               const struct posture_target *standing, uint64_t seed, double start_s) {
  *walk = (struct walk){
      .options = *options,
      .standing = *standing,
      .com_W = standing->com_W,
      .command_W = standing->com_W,
      .cop_W = {standing->com_W.x, standing->com_W.y, 0.0},
      .pattern = {.start_s = start_s + ANTICIPATION,
                  .single_s = options->step_time,
                  .double_s = options->double_time,
                  .length = options->step_length,
                  .side = options->step_side,
                  .turn = options->step_turn,
                  .omega = sqrt(STANDARD_GRAVITY / standing->com_W.z),
                  .steps = options->steps,
                  .home = {standing->foot_W[0].p, standing->foot_W[1].p},
                  .middle = {standing->com_W.x, standing->com_W.y, 0.0},
                  .scatter = options->scatter,
                  .seed = seed,
                  .rise_step = INT32_MAX},
  };
}

/* Height of the swing foot above its line from foothold to foothold: up and at rest at the top,
 * down to meet the ground with the strike speed. */
static double swing_height(const struct walk *walk, double since) {
  const double top = walk->options.step_height, up = LIFT_SHARE * walk->options.step_time;
  const double down = walk->options.step_time - up;
  if (since < up) {
    return top * jet_smooth_step(since, up).x;
  }
  /* cubic from (top, 0) to (0, -strike_speed) */
  const double u = (since - up) / down, drop = walk->options.strike_speed * down;
  return top * (1.0 - u * u * (3.0 - 2.0 * u)) + drop * u * u * (1.0 - u);
}

static double swing_heading(const struct walk *walk, int k, double since) {
  const double share = jet_smooth_step(since, walk->options.step_time).x;
  const double from = walk_heading(&walk->pattern, k - 2), to = walk_heading(&walk->pattern, k);
  return from + share * (to - from);
}

/* The swing foot's height is that of its foothold and of what it has found there: at the last one
 * until it is highest, at the new one what its leg is off by, or more once it has touched. */
static struct pose swing_pose(const struct walk *walk, int k, double since) {
  const vec3 from = walk_foothold(&walk->pattern, k - 2), to = walk_foothold(&walk->pattern, k);
  const double share = jet_smooth_step(since, walk->options.step_time).x;
  vec3 p = vec3_axpy(from, share, vec3_sub(to, from));
  const double rise = jet_smooth_step(since, LIFT_SHARE * walk->options.step_time).x;
  const double ground = walk->ground[walk_swing_foot(k)], leg = walk->leg[walk_swing_foot(k)];
  p.z = from.z + ground + rise * (to.z + leg - from.z - ground) + swing_height(walk, since);
  p.z = walk->touched ? to.z + ground : p.z;
  return (struct pose){mat3_from_rpy((vec3){0.0, 0.0, swing_heading(walk, k, since)}), p};
}

/* While it stands: its legs are off their description by as much as its hips lean, unless it rocks
 * from one to the other. */
static void level_hips(struct walk *walk, const struct sim_truth *truth, double dt) {
  const bool on_both = truth->foot_contact[0] && truth->foot_contact[1];
  const double lean = on_both ? truth->base.X_WB.R.m[1][2] : 0.0; /* to the left */
  for (int foot = 0; foot < 2; foot++) {
    const double aside = walk->pattern.home[foot].y - walk->pattern.middle.y;
    walk->leg[foot] -= LEVEL_RATE * dt * lean * aside;
    walk->ground[foot] = walk->leg[foot];
  }
}

/* Of the foot that comes down: early ground while it still swings, late ground while it should
 * already take the weight. */
static void feel_ground(struct walk *walk, const struct walk_phase *phase,
                        const struct sim_truth *truth, double dt) {
  const int swinging = walk_swing_foot(phase->step), landed = walk_swing_foot(phase->step - 1);
  if (phase->step < 0) {
    level_hips(walk, truth, dt);
  } else if (!phase->single) {
    const bool feels = phase->step > 0 && phase->share < 1.0 && phase->since_s > LATE;
    walk->touched = walk->touched || truth->foot_contact[landed]; /* what bounces has found it */
    walk->ground[landed] -= feels && !walk->touched ? FEEL_SPEED * dt : 0.0;
  } else if (phase->since_s <= LIFT_SHARE * walk->options.step_time) {
    walk->touched = false;
  } else if (!walk->touched) {
    const double height = swing_height(walk, phase->since_s);
    walk->touched = truth->foot_contact[swinging] && height > EARLY;
    walk->ground[swinging] = walk->leg[swinging] + (walk->touched ? height : 0.0);
  }
}

/* The hips are turned as both feet are on average. */
static void place_feet(const struct walk *walk, const struct walk_phase *phase,
                       struct posture_target *target, bool planned[2]) {
  planned[0] = planned[1] = true;
  const int k = phase->step;
  for (int i = k - 2; i < k; i++) { /* the two that stand, by the steps that put them there */
    struct pose *X = &target->foot_W[walk_swing_foot(i)];
    *X = (struct pose){mat3_from_rpy((vec3){0.0, 0.0, walk_heading(&walk->pattern, i)}),
                       walk_foothold(&walk->pattern, i)};
    X->p.z += walk->ground[walk_swing_foot(i)];
  }
  if (phase->single) {
    target->foot_W[walk_swing_foot(k)] = swing_pose(walk, k, phase->since_s);
    planned[walk_swing_foot(k)] = false;
  }
  const double swung = swing_heading(walk, k, phase->single ? phase->since_s : 0.0);
  const mat3 turned =
      mat3_from_rpy((vec3){0.0, 0.0, 0.5 * (walk_heading(&walk->pattern, k - 1) + swung)});
  target->R_WB = mat3_mul(&turned, &walk->standing.R_WB);
}

/* The heading of a foot that lies about flat. */
static double yaw_of(const struct pose *X) {
  return atan2(X->R.m[1][0], X->R.m[0][0]);
}

/* Height of the ground that the centre of mass is above: it follows the stance foot once that one
 * stands alone. */
static double ground_height(const struct walk *walk, const struct walk_phase *phase) {
  const double old = walk_foothold(&walk->pattern, phase->step - 2).z;
  const double new = walk_foothold(&walk->pattern, phase->step - 1).z;
  const double share =
      phase->single ? jet_smooth_step(phase->since_s, walk->options.step_time).x : 0.0;
  return phase->step >= walk->pattern.steps ? new : old + share *(new - old);
}

/* From the world into the plan, as seen from one foot: wherever it really stands, the plan has it
 * in its foothold. */
struct plan_view {
  vec3 foot_W, foot_plan;
  double yaw; /* of the world against the plan, as the foot is turned */
};

static vec3 into_plan(const struct plan_view *view, vec3 p_W) {
  return vec3_add(view->foot_plan, turn_left(-view->yaw, vec3_sub(p_W, view->foot_W)));
}

static struct plan_view view_from(const struct walk *walk, const struct sim_truth *truth, int k) {
  const int foot = walk_swing_foot(k);
  return (struct plan_view){
      truth->foot_W[foot].p, walk_foothold(&walk->pattern, k),
      remainder(yaw_of(&truth->foot_W[foot]) - walk_heading(&walk->pattern, k), 2.0 * M_PI)};
}

/* A point of the world in the plan: from the new stance foot by the share of the weight that has
 * moved there, else from the old one. */
static vec3 measure(const struct walk *walk, const struct sim_truth *truth,
                    const struct walk_phase *phase, vec3 p_W, bool is_direction) {
  const struct plan_view old = view_from(walk, truth, phase->step - 2);
  const struct plan_view new = view_from(walk, truth, phase->step - 1);
  const double share = phase->step < 0 ? 0.5 : phase->share;
  if (is_direction) {
    return turn_left(-(old.yaw + share * (new.yaw - old.yaw)), p_W);
  }
  const vec3 a = into_plan(&old, p_W), b = into_plan(&new, p_W);
  return vec3_axpy(a, share, vec3_sub(b, a));
}

/* The pattern's divergent component; it foresees the first step, so it fades in from rest. */
static vec3 planned_dcm(const struct walk *walk, double t) {
  const struct walk_pattern *pattern = &walk->pattern;
  const double since = t - (pattern->start_s - ANTICIPATION);
  const double share = jet_smooth_step(since, ANTICIPATION).x;
  return vec3_axpy(pattern->middle, share, vec3_sub(walk_dcm(pattern, t), pattern->middle));
}

static void follow_pattern(struct walk *walk, double t, double dt) {
  const double omega = walk->pattern.omega;
  const vec3 dcm = planned_dcm(walk, t);
  walk->com_velocity_W = vec3_scale(omega, vec3_sub(dcm, walk->com_W));
  walk->com_velocity_W.z = 0.0;
  walk->com_W = vec3_axpy(walk->com_W, dt, walk->com_velocity_W);
}

static void stabilise(struct walk *walk, double t, double dt, const struct sim_truth *truth,
                      const struct walk_phase *phase) {
  const double omega = walk->pattern.omega;
  const vec3 com = measure(walk, truth, phase, truth->com_W, false);
  const vec3 velocity = measure(walk, truth, phase, truth->com_velocity_W, true);
  if (truth->cop_valid) {
    const vec3 cop = measure(walk, truth, phase, truth->cop_W, false);
    walk->cop_W = vec3_axpy(walk->cop_W, dt / (COP_SMOOTH + dt), vec3_sub(cop, walk->cop_W));
  }
  const vec3 dcm = vec3_axpy(com, 1.0 / omega, velocity);
  const vec3 dcm_error = vec3_sub(dcm, planned_dcm(walk, t));
  const vec3 zmp = vec3_axpy(walk_zmp(&walk->pattern, t), 1.0 + DCM_GAIN, dcm_error);
  const double trust = jet_smooth_step(t, STABILISER_FADE).x; /* begins without a kick */
  vec3 rate = vec3_axpy(walk->com_velocity_W, trust * COM_GAIN, vec3_sub(walk->com_W, com));
  rate = vec3_axpy(rate, -trust * ZMP_GAIN, vec3_sub(zmp, walk->cop_W));
  rate.z = 0.0;
  walk->command_W = vec3_axpy(walk->command_W, dt, rate);
}

void walk_step(struct walk *walk, double t, double dt, const struct sim_truth *truth,
               struct posture_target *target, bool planned[2]) {
  const struct walk_phase phase = walk_phase_at(&walk->pattern, t);
  *target = walk->standing;
  if (walk->feels) {
    feel_ground(walk, &phase, truth, dt);
  }
  place_feet(walk, &phase, target, planned);
  follow_pattern(walk, t, dt);
  stabilise(walk, t, dt, truth, &phase);
  target->by_base = false;
  target->com_W = walk->command_W;
  target->com_W.z = walk->standing.com_W.z + ground_height(walk, &phase);
}
