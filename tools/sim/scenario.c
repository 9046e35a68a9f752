#include "scenario.h"

#include <string.h>

#define STANDING_BEND 0.08 /* of the leg's length: how far the hips are lowered for all motions */

/* --- what the arms do in every scenario --- */

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

static double since_rest(const struct scenario_run *run, double t) {
  return fmax(t - run->options.rest_s, 0.0);
}

/* A sine that grows smoothly from rest. */
static double grown_sine(double t, double rate_hz) {
  return jet_smooth_step(t, 1.0).x * sin(2.0 * M_PI * rate_hz * t);
}

/* --- scenarios with a free base: each sets the target and the joints of the upper body --- */

static void stand(struct scenario_run *run, double t, struct posture_target *target) {
  (void)t;
  (void)target;
  set_arms(run, 0.0, 0.0);
}

#define SQUAT_DEPTH 0.12 /* of the leg's length */
#define SQUAT_HZ    0.5

static void squat(struct scenario_run *run, double t, struct posture_target *target) {
  const double u = since_rest(run, t), amplitude = run->options.amplitude;
  const double down = 0.5 * jet_smooth_step(u, 1.0).x * (1.0 - cos(2.0 * M_PI * SQUAT_HZ * u));
  target->com_W.z -= amplitude * SQUAT_DEPTH * run->leg_length * down;
  set_arms(run, 1.0 * amplitude * down, 1.0 * amplitude * down);
}

#define SWING_AMPLITUDE 0.5 /* rad */
#define SWING_HZ        1.0

/* The base stays where it is, so that the arms move the centre of mass. */
static void arm_swing(struct scenario_run *run, double t, struct posture_target *target) {
  const double swing =
      run->options.amplitude * SWING_AMPLITUDE * grown_sine(since_rest(run, t), SWING_HZ);
  set_arms(run, swing, swing);
  target->by_base = true;
}

/* The same arms, and a base that moves so that the centre of mass rests. */
static void arm_still(struct scenario_run *run, double t, struct posture_target *target) {
  arm_swing(run, t, target);
  target->by_base = false;
}

static void multisine(struct scenario_run *run, double t, struct posture_target *target) {
  (void)target;
  for (size_t j = 0; j < run->excitation.n_joints; j++) {
    if (!run->posture.is_leg[j]) {
      run->posture.q[j] = excitation_at(&run->excitation, j, t).x;
    }
  }
}

static void push(struct scenario_run *run, double t, struct posture_target *target) {
  stand(run, t, target);
  const struct sim_push *p = &run->options.push;
  const double u = (t - p->start_s) / p->duration_s;
  run->force_W = u > 0.0 && u < 1.0 ? vec3_scale(sin(M_PI * u), p->force_W) : VEC3_ZERO;
  run->point_B = p->point_B;
}

#define CURL_ANGLE 0.7 /* rad */
#define CURL_HZ    0.333

static void curl(struct scenario_run *run, double t, struct posture_target *target) {
  (void)target;
  set_arms(run, 0.0, 0.0);
  const double wave = run->options.amplitude * CURL_ANGLE * grown_sine(since_rest(run, t), CURL_HZ);
  for (int side = 0; side < 2; side++) {
    const struct arm *arm = &run->limbs.arm[side];
    set_joint(run, arm->elbow, arm->bend * (M_PI / 4.0 + ELBOW_REST + wave));
  }
}

#define LIFT_SPRING 30.0 /* 1/s^2 times the robot's mass: the crane's rope */
#define LIFT_DAMPER 8.0  /* 1/s times the robot's mass */
#define LIFT_HEIGHT 0.15 /* m */
#define LIFT_UP_S   2.0  /* s from the start of the motion until the rope pulls */
#define LIFT_DOWN_S 6.0  /* s until it lets down */
#define LIFT_MOVE_S 2.0  /* s, of either way */

/* A rope at the neck pulls the robot off the ground and puts it back. */
static void lift(struct scenario_run *run, double t, struct posture_target *target,
                 const struct sim_truth *truth) {
  stand(run, t, target);
  const double u = since_rest(run, t), mass = model_mass(&run->options.robot->model);
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

/* The arms swing against the legs. */
static void walking(struct scenario_run *run, double t, double dt, struct posture_target *target,
                    const struct sim_truth *truth) {
  const vec3 left = run->standing.foot_W[0].p, right = run->standing.foot_W[1].p;
  walk_step(&run->walk, t, dt, truth, target, run->planned);
  const double ahead = (target->foot_W[0].p.x - left.x) - (target->foot_W[1].p.x - right.x);
  const double stride = run->walk.options.step_length;
  const double swing = -WALK_ARM_SWING * run->options.amplitude * ahead / fmax(stride, 0.05);
  set_arms(run, swing, -swing);
}

/* --- the table --- */

enum how { HOLD, STAND, SQUAT, SWING, STILL, SINES, PUSH, LIFT, CURL, WALK };

static const struct row {
  const char *name, *help;
  enum how how;
  enum excitation_kind excitation; /* of the held base, or of the upper body */
  double duration_s;
} rows[SIM_SCENARIOS] = {
    [SIM_STAND] = {"stand", "stands still", STAND, EXCITE_REST, 10.0},
    [SIM_SQUAT] = {"squat", "hips down and up, arms along", SQUAT, EXCITE_REST, 20.0},
    [SIM_ARM_SWING] = {"arm-swing", "both arms forward and back, the centre of mass with them",
                       SWING, EXCITE_REST, 20.0},
    [SIM_ARM_STILL] = {"arm-still", "the same arms, hips moving so that the centre of mass rests",
                       STILL, EXCITE_REST, 20.0},
    [SIM_MULTISINE] = {"multisine", "every joint of the upper body on sines of its own", SINES,
                       EXCITE_MEDIUM, 30.0},
    [SIM_PUSH] = {"push", "stands and is pushed at the base", PUSH, EXCITE_REST, 10.0},
    [SIM_WALK] = {"walk", "walks straight on", WALK, EXCITE_REST, 30.0},
    [SIM_PAYLOAD] = {"payload", "moves the upper body, takes something up and puts it down", SINES,
                     EXCITE_SLOW, 20.0},
    [SIM_CURL] = {"curl", "elbows bend and stretch with a load on the left forearm", CURL,
                  EXCITE_REST, 20.0},
    [SIM_FALL] = {"fall", "stands, is pushed hard and falls", PUSH, EXCITE_REST, 8.0},
    [SIM_SLIP] = {"slip", "walks over a slippery patch", WALK, EXCITE_REST, 15.0},
    [SIM_STEP] = {"step", "walks up a step of 5 cm", WALK, EXCITE_REST, 15.0},
    [SIM_LIFT] = {"lift", "is lifted off the ground by a rope and put back", LIFT, EXCITE_REST,
                  15.0},
    [SIM_POSES] = {"poses", "one static pose of the upper body after another", SINES, EXCITE_POSES,
                   60.0},
    [SIM_REST] = {"rest", "base held, nothing moves", HOLD, EXCITE_REST, 10.0},
    [SIM_SLOW] = {"slow", "base held, sines of 0.15 to 0.5 Hz", HOLD, EXCITE_SLOW, 30.0},
    [SIM_MEDIUM] = {"medium", "base held, sines of 0.3 to 1 Hz", HOLD, EXCITE_MEDIUM, 30.0},
    [SIM_FAST] = {"fast", "base held, sines of 1 to 2.5 Hz", HOLD, EXCITE_FAST, 30.0},
    [SIM_SATURATION] = {"saturation", "base held, sines whose velocity saturates", HOLD,
                        EXCITE_SATURATION, 30.0},
    [SIM_STOPS] = {"stops", "base held, runs ended by a stop within 10 ms", HOLD, EXCITE_STOPS,
                   30.0},
    [SIM_HELD_POSES] = {"held-poses", "base held, one static pose after another", HOLD,
                        EXCITE_POSES, 60.0},
};

const char *sim_scenario_name(enum sim_scenario scenario) {
  return scenario < SIM_SCENARIOS ? rows[scenario].name : NULL;
}

const char *sim_scenario_help(enum sim_scenario scenario) {
  return scenario < SIM_SCENARIOS ? rows[scenario].help : NULL;
}

bool sim_scenario_holds_base(enum sim_scenario scenario) {
  return scenario < SIM_SCENARIOS && rows[scenario].how == HOLD;
}

enum sim_scenario sim_scenario_find(const char *name) {
  enum sim_scenario i = 0;
  while (i < SIM_SCENARIOS && strcmp(rows[i].name, name) != 0) {
    i++;
  }
  return i;
}

double scenario_duration(enum sim_scenario scenario) {
  return scenario < SIM_SCENARIOS ? rows[scenario].duration_s : 0.0;
}

#define SOFT_GROUND 0.015 /* s */
#define HARD_GROUND 0.006 /* s */
#define HARD_STRIKE 0.1   /* m/s: from here on strikes count as hard */

double scenario_contact_time(const struct sim_options *options) {
  return options->walk.strike_speed >= HARD_STRIKE ? HARD_GROUND : SOFT_GROUND;
}

/* --- beginning --- */

#define PUSH_SPEED    0.12 /* m/s given to the whole robot: it stays upright */
#define FALL_SPEED    1.2  /* m/s: it does not */
#define PUSH_SECONDS  0.2
#define PAYLOAD_SHARE 0.12 /* of the robot's mass: 8 kg for 67 kg */
#define CURL_SHARE    0.08 /* 12 lb for 67 kg */

static void choose_push(struct sim_options *options, double leg_length) {
  struct sim_push *p = &options->push;
  const double speed = options->scenario == SIM_FALL ? FALL_SPEED : PUSH_SPEED;
  if (p->duration_s <= 0.0) {
    p->duration_s = PUSH_SECONDS;
  }
  if (vec3_norm(p->force_W) <= 0.0) { /* a half-sine has 2/pi of its peak times its length */
    const double peak = speed * model_mass(&options->robot->model) * M_PI / (2.0 * p->duration_s);
    p->force_W = (vec3){peak, options->scenario == SIM_FALL ? 0.0 : 0.5 * peak, 0.0};
  }
  if (p->start_s <= 0.0) {
    p->start_s = options->rest_s + 1.0;
  }
  if (vec3_norm(p->point_B) <= 0.0) {
    p->point_B = (vec3){0.0, 0.0, 0.1 * leg_length};
  }
}

static void choose_payload(struct scenario_run *run) {
  struct sim_options *options = &run->options;
  const struct model *model = &options->robot->model;
  struct sim_payload *p = &options->payload;
  const bool curls = options->scenario == SIM_CURL;
  if (p->link != NULL || (options->scenario != SIM_PAYLOAD && !curls)) {
    return;
  }
  const int elbow = run->limbs.arm[0].elbow;
  const size_t link = curls && elbow != MODEL_NO_JOINT ? (size_t)elbow + 1 : run->limbs.trunk;
  p->link = model->link_name[link];
  if (p->mass <= 0.0) {
    p->mass = (curls ? CURL_SHARE : PAYLOAD_SHARE) * model_mass(model);
    const double reach = run->leg_length;
    p->com = curls ? (vec3){0.0, 0.0, -0.25 * reach} : (vec3){0.2 * reach, 0.0, 0.25 * reach};
    p->size = (vec3){0.1 * reach, 0.2 * reach, 0.1 * reach};
  }
  if (p->attach_s <= 0.0) {
    p->attach_s = options->rest_s + 3.0;
    p->release_s = p->attach_s + 10.0;
  }
}

static enum status begin_free(struct scenario_run *run, struct message *error) {
  const enum status status = posture_init(&run->posture, run->options.robot, error);
  if (status != STATUS_OK) {
    return status;
  }
  double bent[MODEL_MAX_JOINTS];
  memcpy(bent, run->posture.q, sizeof(bent));
  run->leg_length = posture_leg_length(&run->posture);
  limbs_find(&run->limbs, &run->posture);
  const struct row *row = &rows[run->options.scenario];
  memcpy(run->posture.q, bent, sizeof(bent));
  set_arms(run, 0.0, 0.0);
  for (size_t j = 0; row->how == SINES && j < run->excitation.n_joints; j++) {
    run->posture.q[j] =
        run->posture.is_leg[j] ? run->posture.q[j] : excitation_at(&run->excitation, j, 0.0).x;
  }
  run->standing = posture_standing(&run->posture, STANDING_BEND);
  if (run->posture.error > 1e-6) {
    message_set(error, "robot %s: its legs do not reach a standing posture (off by %.3g)",
                run->options.robot->model.name, run->posture.error);
    posture_free(&run->posture);
    return STATUS_REFUSED;
  }
  memcpy(run->q, run->posture.q, sizeof(run->q));
  return STATUS_OK;
}

#define STEP_UP     0.05 /* m */
#define STEP_NUMBER 4    /* the first foot on the step */
#define STEP_STRIDE 0.42 /* of the leg's length: over the edge, both feet clear of it */
#define STEP_CLEAR  0.12 /* of the leg's length: clearance of the swing foot */
#define PATCH_AT    4.5  /* steps from the start */
#define PATCH_SIZE  1.0  /* steps */
#define SLIPPERY    0.05 /* coefficient of friction */

static void begin_walk(struct scenario_run *run) {
  struct sim_options *options = &run->options;
  if (options->scenario == SIM_STEP && options->walk.step_height <= 0.0) {
    options->walk.step_height = STEP_CLEAR * run->leg_length;
  }
  options->walk = walk_options_for(&options->walk, run->leg_length);
  walk_init(&run->walk, &options->walk, &run->standing, options->rest_s);
  if (options->scenario == SIM_STEP) {
    struct walk_pattern *pattern = &run->walk.pattern;
    pattern->rise_step = STEP_NUMBER;
    pattern->rise = STEP_UP;
    pattern->leap = fmax(STEP_STRIDE * run->leg_length - pattern->length, 0.0);
  }
}

enum status scenario_begin(struct scenario_run *run, const struct sim_options *options,
                           struct message *error) {
  const struct row *row = &rows[options->scenario];
  struct scenario_run new = {.options = *options};
  excitation_init(&new.excitation, &options->robot->model, row->excitation, options->amplitude,
                  options->seed, options->rest_s);
  for (size_t k = 0; k < ROBOT_MAX_FEET; k++) {
    new.planned[k] = row->how != HOLD &&k < options->robot->n_feet;
  }
  if (row->how != HOLD) {
    const enum status status = begin_free(&new, error);
    if (status != STATUS_OK) {
      return status;
    }
  }
  if (row->how == WALK) {
    begin_walk(&new);
  }
  choose_push(&new.options, new.leg_length);
  choose_payload(&new);
  *run = new;
  return STATUS_OK;
}

void scenario_end(struct scenario_run *run) {
  posture_free(&run->posture);
}

size_t scenario_blocks(const struct scenario_run *run, struct block *block) {
  const double stride = run->options.walk.step_length, thin = 0.002, wide = 100.0;
  if (run->options.scenario == SIM_SLIP) {
    block[0] = (struct block){{(PATCH_AT + 0.5 * PATCH_SIZE) * stride, 0.0, 0.0},
                              {PATCH_SIZE * stride, wide, thin},
                              SLIPPERY};
    return 1;
  }
  if (run->options.scenario == SIM_STEP) {
    const struct walk_pattern *pattern = &run->walk.pattern;
    const double edge =
        0.5 * (walk_foothold(pattern, STEP_NUMBER - 1).x + walk_foothold(pattern, STEP_NUMBER).x);
    block[0] = (struct block){{edge + 0.5 * wide, 0.0, 0.0}, {wide, wide, 2.0 * STEP_UP}, 1.0};
    return 1;
  }
  return 0;
}

/* --- going on --- */

static void aim(struct scenario_run *run, double t, double dt, const struct sim_truth *truth,
                struct posture_target *target) {
  switch (rows[run->options.scenario].how) {
  case HOLD:
    break;
  case STAND:
    stand(run, t, target);
    break;
  case SQUAT:
    squat(run, t, target);
    break;
  case SWING:
    arm_swing(run, t, target);
    break;
  case STILL:
    arm_still(run, t, target);
    break;
  case SINES:
    multisine(run, t, target);
    break;
  case PUSH:
    push(run, t, target);
    break;
  case LIFT:
    lift(run, t, target, truth);
    break;
  case CURL:
    curl(run, t, target);
    break;
  case WALK:
    walking(run, t, dt, target, truth);
    break;
  }
}

void scenario_step(struct scenario_run *run, double t, double dt, const struct sim_truth *truth) {
  struct posture_target target = run->standing;
  aim(run, t, dt, truth, &target);
  posture_solve(&run->posture, &target, 2);
  for (size_t j = 0; j < run->options.robot->model.n_joints; j++) {
    run->dq_before[j] = run->dq[j];
    run->dq[j] = (run->posture.q[j] - run->q[j]) / dt;
    run->q[j] = run->posture.q[j];
  }
}

void scenario_reference(const struct scenario_run *run, double since, double dt, double *q,
                        double *dq) {
  const double u = since / dt;
  for (size_t j = 0; j < run->options.robot->model.n_joints; j++) {
    const double change = run->dq[j] - run->dq_before[j];
    const double begin = run->q[j] - dt * (run->dq[j] + 0.5 * run->dq_before[j]);
    q[j] = begin + since * (run->dq_before[j] + 0.5 * u * change);
    dq[j] = run->dq_before[j] + u * change;
  }
}

struct jet scenario_motion(const struct scenario_run *run, size_t j, double t) {
  return excitation_at(&run->excitation, j, t);
}
