/* What the robot does in each scenario: a function from the instant to the posture's target and the
 * joints of the upper body, what the scenario chooses, and its row in the table at the end. */
#include "scenario.h"

#include <string.h>

#define ELBOW_REST 0.4 /* rad: elbows are slightly bent */

static void set_joint(struct scenario_run *run, int j, double q) {
  if (j != MODEL_NO_JOINT) {
    const struct joint *joint = &run->options.robot->model.joint[j];
    run->posture.q[j] = fmin(fmax(q, joint->q_min), joint->q_max);
  }
}

/* Arms hang with slightly bent elbows, `swing[side]` rad forward. */
static void set_arms(struct scenario_run *run, double left, double right) {
  const double swing[2] = {left, right};
  for (int side = 0; side < 2; side++) {
    const struct arm *arm = &run->limbs.arm[side];
    set_joint(run, arm->shoulder, arm->forward * swing[side]);
    set_joint(run, arm->elbow, arm->bend * ELBOW_REST);
  }
}

static double since_rest(const struct scenario_run *run, const struct scenario_instant *now) {
  return fmax(now->t - run->options.rest_s, 0.0);
}

/* A sine that grows smoothly from rest. */
static double grown_sine(double t, double rate_hz) {
  return jet_smooth_step(t, 1.0).x * sin(2.0 * M_PI * rate_hz * t);
}

static void move_stand(struct scenario_run *run, const struct scenario_instant *now,
                       struct posture_target *target) {
  (void)now;
  (void)target;
  set_arms(run, 0.0, 0.0);
}

#define SQUAT_DEPTH 0.12 /* of the leg's length */
#define SQUAT_HZ    0.5

static void move_squat(struct scenario_run *run, const struct scenario_instant *now,
                       struct posture_target *target) {
  const double u = since_rest(run, now), amplitude = run->options.amplitude;
  const double down = 0.5 * jet_smooth_step(u, 1.0).x * (1.0 - cos(2.0 * M_PI * SQUAT_HZ * u));
  target->com_W.z -= amplitude * SQUAT_DEPTH * run->leg_length * down;
  set_arms(run, 1.0 * amplitude * down, 1.0 * amplitude * down);
}

#define SWING_AMPLITUDE 0.5 /* rad */
#define SWING_HZ        1.0

/* The base stays where it is, so that the arms move the centre of mass. */
static void move_arms_swing(struct scenario_run *run, const struct scenario_instant *now,
                            struct posture_target *target) {
  const double swing =
      run->options.amplitude * SWING_AMPLITUDE * grown_sine(since_rest(run, now), SWING_HZ);
  set_arms(run, swing, swing);
  target->by_base = true;
}

/* The same arms, and a base that moves so that the centre of mass rests. */
static void move_arms_still(struct scenario_run *run, const struct scenario_instant *now,
                            struct posture_target *target) {
  move_arms_swing(run, now, target);
  target->by_base = false;
}

static void move_sines(struct scenario_run *run, const struct scenario_instant *now,
                       struct posture_target *target) {
  (void)target;
  for (size_t j = 0; j < run->excitation.n_joints; j++) {
    if (!run->posture.is_leg[j]) {
      run->posture.q[j] = excitation_at(&run->excitation, j, now->t).x;
    }
  }
}

#define PUSH_SPEED   0.12 /* m/s given to the whole robot: it stays upright */
#define FALL_SPEED   1.2  /* m/s: it does not */
#define PUSH_SECONDS 0.2

/* A half-sine that gives the whole robot `speed` (m/s) forward, and `sideways` of it to the left,
 * where the options leave the push open. */
static void choose_push(struct scenario_run *run, double speed, double sideways) {
  const struct model *model = &run->options.robot->model;
  struct sim_push *p = &run->options.push;
  if (p->duration_s <= 0.0) {
    p->duration_s = PUSH_SECONDS;
  }
  if (vec3_norm(p->force_W) <= 0.0) { /* a half-sine has 2/pi of its peak times its length */
    const double peak = speed * model_mass(model) * M_PI / (2.0 * p->duration_s);
    p->force_W = (vec3){peak, sideways * peak, 0.0};
  }
  if (p->start_s <= 0.0) {
    p->start_s = run->options.rest_s + 1.0;
  }
  if (vec3_norm(p->point_B) <= 0.0) {
    p->point_B = (vec3){0.0, 0.0, 0.1 * run->leg_length};
  }
}

static void begin_push(struct scenario_run *run) {
  choose_push(run, PUSH_SPEED, 0.5);
}

static void begin_fall(struct scenario_run *run) {
  choose_push(run, FALL_SPEED, 0.0);
}

static void move_push(struct scenario_run *run, const struct scenario_instant *now,
                      struct posture_target *target) {
  move_stand(run, now, target);
  const struct sim_push *p = &run->options.push;
  const double u = (now->t - p->start_s) / p->duration_s;
  run->force_W = u > 0.0 && u < 1.0 ? vec3_scale(sin(M_PI * u), p->force_W) : VEC3_ZERO;
  run->point_B = p->point_B;
}

#define PAYLOAD_SHARE 0.12 /* of the robot's mass: 8 kg for 67 kg */
#define CURL_SHARE    0.08 /* 12 lb for 67 kg */

/* A load of `share` of the robot's mass on `link`, its centre of mass at `com` (of the leg's
 * length, link coordinates), where the options leave it open. */
static void choose_payload(struct scenario_run *run, size_t link, double share, vec3 com) {
  const struct model *model = &run->options.robot->model;
  struct sim_payload *p = &run->options.payload;
  const double leg = run->leg_length;
  if (p->link != NULL) {
    return;
  }
  p->link = model->link_name[link];
  if (p->mass <= 0.0) {
    p->mass = share * model_mass(model);
    p->com = vec3_scale(leg, com);
    p->size = (vec3){0.1 * leg, 0.2 * leg, 0.1 * leg};
  }
  if (p->attach_s <= 0.0) {
    p->attach_s = run->options.rest_s + 3.0;
    p->release_s = p->attach_s + 10.0;
  }
}

static void begin_payload(struct scenario_run *run) {
  choose_payload(run, run->limbs.trunk, PAYLOAD_SHARE, (vec3){0.2, 0.0, 0.25});
}

#define CURL_ANGLE 0.7 /* rad */
#define CURL_HZ    0.333

static void move_curl(struct scenario_run *run, const struct scenario_instant *now,
                      struct posture_target *target) {
  (void)target;
  set_arms(run, 0.0, 0.0);
  const double wave =
      run->options.amplitude * CURL_ANGLE * grown_sine(since_rest(run, now), CURL_HZ);
  for (int side = 0; side < 2; side++) {
    const struct arm *arm = &run->limbs.arm[side];
    set_joint(run, arm->elbow, arm->bend * (M_PI / 4.0 + ELBOW_REST + wave));
  }
}

static void begin_curl(struct scenario_run *run) {
  const int elbow = run->limbs.arm[0].elbow;
  const size_t link = elbow != MODEL_NO_JOINT ? (size_t)elbow + 1 : run->limbs.trunk;
  choose_payload(run, link, CURL_SHARE, (vec3){0.0, 0.0, -0.25});
}

#define HOP_HEIGHT 0.1  /* of the leg's length */
#define HOP_DEPTH  0.15 /* the same: crouched, and as it catches itself */
#define HOP_SLOW_S 0.4  /* s: down into the crouch, and up again after landing */
#define HOP_REST_S 0.3  /* s: between two hops */

/* Height above standing, m, `u` s after a hop has begun: crouches, pushes off, flies, catches
 * itself. */
static double hop_height(double u, double leg) {
  const double depth = HOP_DEPTH * leg, fall = HOP_HEIGHT * leg;
  const double speed = sqrt(2.0 * STANDARD_GRAVITY * fall), push_s = 2.0 * depth / speed;
  const double flight_s = 2.0 * speed / STANDARD_GRAVITY, pull = speed / push_s;
  const double off = u - HOP_SLOW_S - push_s, on = off - flight_s;
  if (off < 0.0) {
    const double t = fmax(off + push_s, 0.0);
    return 0.5 * pull * t * t - depth * jet_smooth_step(u, HOP_SLOW_S).x;
  }
  if (on < 0.0) {
    return off * (speed - 0.5 * STANDARD_GRAVITY * off);
  }
  const double t = fmin(on, push_s);
  return t * (0.5 * pull * t - speed) + depth * jet_smooth_step(on - push_s, HOP_SLOW_S).x;
}

/* The feet come along as far as the body is above standing. */
static void move_hop(struct scenario_run *run, const struct scenario_instant *now,
                     struct posture_target *target) {
  move_stand(run, now, target);
  const double leg = run->leg_length, speed = sqrt(2.0 * STANDARD_GRAVITY * HOP_HEIGHT * leg);
  const double period = 2.0 * (HOP_SLOW_S + 2.0 * HOP_DEPTH * leg / speed) +
                        2.0 * speed / STANDARD_GRAVITY + HOP_REST_S;
  const double height = hop_height(fmod(since_rest(run, now), period), leg);
  target->com_W.z += height;
  for (size_t i = 0; i < run->posture.n_legs; i++) {
    target->foot_W[run->posture.leg[i].foot].p.z += fmax(height, 0.0);
    run->planned[run->posture.leg[i].foot] = height <= 0.0;
  }
}

#define LIFT_SPRING 30.0 /* 1/s^2 times the robot's mass: the crane's rope */
#define LIFT_DAMPER 8.0  /* 1/s times the robot's mass */
#define LIFT_HEIGHT 0.15 /* m */
#define LIFT_UP_S   2.0  /* s from the start of the motion until the rope pulls */
#define LIFT_DOWN_S 6.0  /* s until it lets down */
#define LIFT_MOVE_S 2.0  /* s, of either way */

/* A rope at the neck pulls the robot off the ground and puts it back. */
static void move_lift(struct scenario_run *run, const struct scenario_instant *now,
                      struct posture_target *target) {
  const struct sim_truth *truth = now->truth;
  move_stand(run, now, target);
  const double u = since_rest(run, now), mass = model_mass(&run->options.robot->model);
  const double up = jet_smooth_step(u - LIFT_UP_S, LIFT_MOVE_S).x -
                    jet_smooth_step(u - LIFT_DOWN_S, LIFT_MOVE_S).x;
  const struct pose *X = &truth->base.X_WB;
  run->point_B = (vec3){0.0, 0.0, 0.5 * run->leg_length};
  const vec3 at = pose_apply(X, run->point_B);
  const vec3 spin = vec3_cross(truth->base.v_B.ang, run->point_B);
  const vec3 v = mat3_mul_vec3(&X->R, vec3_add(truth->base.v_B.lin, spin));
  const vec3 rest = vec3_add(run->standing.base_W, run->point_B);
  /* the rope's length takes up the sag under the whole weight, then the height */
  const double sag = STANDARD_GRAVITY / LIFT_SPRING;
  const vec3 pull = {rest.x - at.x, rest.y - at.y,
                     up * (sag + LIFT_HEIGHT) - fmax(at.z - rest.z, 0.0)};
  const vec3 force = vec3_axpy(vec3_scale(mass * LIFT_SPRING, pull), -mass * LIFT_DAMPER, v);
  run->force_W = up > 0.0 ? vec3_scale(fmin(1.0, 10.0 * up), force) : VEC3_ZERO;
  run->force_W.z = fmax(run->force_W.z, 0.0);
}

#define WALK_ARM_SWING 0.25 /* rad */
#define WALK_ARM_ROOM  0.8  /* of the room: steps differ */

/* How far both arms swing forward and back before they meet the end of their range, rad. */
static double arm_room(const struct scenario_run *run) {
  double room = HUGE_VAL;
  for (int side = 0; side < 2; side++) {
    const int j = run->limbs.arm[side].shoulder;
    const struct joint *joint = &run->options.robot->model.joint[j != MODEL_NO_JOINT ? j : 0];
    room = j != MODEL_NO_JOINT ? fmin(room, fmin(joint->q_max, -joint->q_min)) : room;
  }
  return fmax(room, 0.0);
}

/* The arms swing against the legs. */
static void move_walk(struct scenario_run *run, const struct scenario_instant *now,
                      struct posture_target *target) {
  const vec3 left = run->standing.foot_W[0].p, right = run->standing.foot_W[1].p;
  walk_step(&run->walk, now->t, now->dt, now->truth, target, run->planned);
  const double ahead = (target->foot_W[0].p.x - left.x) - (target->foot_W[1].p.x - right.x);
  const double stride = run->walk.options.step_length;
  const double largest =
      fmin(WALK_ARM_SWING * run->options.amplitude, WALK_ARM_ROOM * arm_room(run));
  const double swing = -largest * ahead / fmax(fabs(stride), 0.05);
  set_arms(run, swing, -swing);
}

static void begin_walk(struct scenario_run *run) {
  struct sim_options *options = &run->options;
  options->walk = walk_options_for(&options->walk, run->leg_length, run->reach, options->seed);
  walk_init(&run->walk, &options->walk, &run->standing, options->seed, options->rest_s);
}

static void move_trot(struct scenario_run *run, const struct scenario_instant *now,
                      struct posture_target *target) {
  (void)now->truth;
  trot_step(&run->trot, now->t, now->dt, target, run->planned);
}

#define EVEN_BEFORE 0.1 /* m: of ground before the foremost feet */

static void begin_trot(struct scenario_run *run) {
  double ahead = 0.0; /* of the feet at the start */
  for (size_t i = 0; i < 4; i++) {
    ahead = fmax(ahead, run->standing.foot_W[i].p.x);
  }
  trot_init(&run->trot, &run->options.walk, &run->standing, run->leg_length, run->options.rest_s);
  run->trot.ground = strips_of(&run->options.ground, ahead + EVEN_BEFORE, run->standing.com_W.y,
                               run->options.seed);
}

#define WIDE 100.0 /* m: of what lies on the ground across the way */

#define PATCH_AT   4.5  /* steps from the start */
#define PATCH_SIZE 1.0  /* steps */
#define SLIPPERY   0.05 /* coefficient of friction */

static size_t slippery_patch(const struct scenario_run *run, struct block *block) {
  const double stride = run->options.walk.step_length, thin = 0.002;
  *block = (struct block){.centre = {(PATCH_AT + 0.5 * PATCH_SIZE) * stride, 0.0, 0.0},
                          .size = {PATCH_SIZE * stride, WIDE, thin},
                          .friction = SLIPPERY};
  return 1;
}

#define STEP_UP     0.05 /* m */
#define STEP_NUMBER 4    /* the first foot on the step */
#define STEP_STRIDE 0.42 /* of the leg's length: over the edge, both feet clear of it */
#define STEP_CLEAR  0.12 /* of the leg's length: clearance of the swing foot */

static void begin_step(struct scenario_run *run) {
  struct sim_walk_options *walk = &run->options.walk;
  if (walk->step_height <= 0.0) {
    walk->step_height = STEP_CLEAR * run->leg_length;
  }
  begin_walk(run);
  struct walk_pattern *pattern = &run->walk.pattern;
  pattern->rise_step = STEP_NUMBER;
  pattern->rise = STEP_UP;
  pattern->leap = fmax(STEP_STRIDE * run->leg_length - pattern->length, 0.0);
}

static size_t step_up(const struct scenario_run *run, struct block *block) {
  const struct walk_pattern *pattern = &run->walk.pattern;
  const double edge =
      0.5 * (walk_foothold(pattern, STEP_NUMBER - 1).x + walk_foothold(pattern, STEP_NUMBER).x);
  *block = (struct block){.centre = {edge + 0.5 * WIDE, 0.0, 0.0},
                          .size = {WIDE, WIDE, 2.0 * STEP_UP},
                          .friction = 1.0};
  return 1;
}

/* -- the table -------------------------------------------------------------------------------- */

#define WALKS .move = move_walk, .walks = true

static const struct scenario table[] = {
    {.name = "stand", .help = "stands still", .move = move_stand, .duration_s = 10.0},
    {.name = "squat",
     .help = "hips down and up, arms along",
     .move = move_squat,
     .duration_s = 20.0},
    {.name = "arm-swing",
     .help = "both arms forward and back, the centre of mass with them",
     .move = move_arms_swing,
     .duration_s = 20.0},
    {.name = "arm-still",
     .help = "the same arms, hips moving so that the centre of mass rests",
     .move = move_arms_still,
     .duration_s = 20.0},
    {.name = "multisine",
     .help = "every upper joint on sines of its own, for identification",
     .move = move_sines,
     .excitation = EXCITE_MEDIUM,
     .duration_s = 30.0},
    {.name = "push",
     .help = "stands and is pushed at the base",
     .move = move_push,
     .begin = begin_push,
     .duration_s = 10.0},
    {.name = "walk",
     .help = "walks, straight on or round a bend",
     WALKS,
     .begin = begin_walk,
     .duration_s = 30.0},
    {.name = "trot",
     .help = "a quadruped trots, likewise",
     .move = move_trot,
     .trots = true,
     .begin = begin_trot,
     .duration_s = 30.0},
    {.name = "payload",
     .help = "moves the upper body, takes something up and puts it down",
     .move = move_sines,
     .excitation = EXCITE_SLOW,
     .begin = begin_payload,
     .duration_s = 20.0},
    {.name = "curl",
     .help = "elbows bend and stretch with a load on the left forearm",
     .move = move_curl,
     .begin = begin_curl,
     .duration_s = 20.0},
    {.name = "fall",
     .help = "stands, is pushed hard and falls",
     .move = move_push,
     .begin = begin_fall,
     .duration_s = 8.0},
    {.name = "slip",
     .help = "walks over a slippery patch",
     WALKS,
     .begin = begin_walk,
     .blocks = slippery_patch,
     .duration_s = 15.0},
    {.name = "step",
     .help = "walks up a step of 5 cm",
     WALKS,
     .begin = begin_step,
     .blocks = step_up,
     .duration_s = 15.0},
    {.name = "hop",
     .help = "a quadruped hops on the spot",
     .move = move_hop,
     .trots = true,
     .duration_s = 15.0},
    {.name = "lift",
     .help = "is lifted off the ground by a rope and put back",
     .move = move_lift,
     .duration_s = 15.0},
    {.name = "poses",
     .help = "one static pose of the upper body after another",
     .move = move_sines,
     .excitation = EXCITE_POSES,
     .duration_s = 60.0},
    /* base held, moved as by ideal drives: q, dq, ddq are exact functions of time */
    {.name = "rest", .help = "base held, nothing moves", .duration_s = 10.0},
    {.name = "slow",
     .help = "base held, sines of 0.15 to 0.5 Hz",
     .excitation = EXCITE_SLOW,
     .duration_s = 30.0},
    {.name = "medium",
     .help = "base held, sines of 0.3 to 1 Hz",
     .excitation = EXCITE_MEDIUM,
     .duration_s = 30.0},
    {.name = "fast",
     .help = "base held, sines of 1 to 2.5 Hz",
     .excitation = EXCITE_FAST,
     .duration_s = 30.0},
    {.name = "saturation",
     .help = "base held, sines whose velocity saturates",
     .excitation = EXCITE_SATURATION,
     .duration_s = 30.0},
    {.name = "stops",
     .help = "base held, runs ended by a stop within 10 ms",
     .excitation = EXCITE_STOPS,
     .duration_s = 30.0},
    {.name = "held-poses",
     .help = "base held, one static pose after another",
     .excitation = EXCITE_POSES,
     .duration_s = 60.0},
};

enum { SCENARIOS = sizeof(table) / sizeof(table[0]) };

const struct scenario *scenario_at(size_t i) {
  return i < SCENARIOS ? &table[i] : NULL;
}

const struct scenario *scenario_find(const char *name) {
  size_t i = 0;
  while (i < SCENARIOS && (name == NULL || strcmp(table[i].name, name) != 0)) {
    i++;
  }
  return scenario_at(i);
}

const char *sim_scenario_at(size_t i) {
  return i < SCENARIOS ? table[i].name : NULL;
}

const char *sim_scenario_help(const char *name) {
  const struct scenario *scenario = scenario_find(name);
  return scenario != NULL ? scenario->help : NULL;
}

bool sim_scenario_holds_base(const char *name) {
  const struct scenario *scenario = scenario_find(name);
  return scenario != NULL && scenario->move == NULL;
}
