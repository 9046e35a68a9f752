#include "scenario_motions.h"

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

void move_stand(struct scenario_run *run, const struct scenario_instant *now,
                struct posture_target *target) {
  (void)now;
  (void)target;
  set_arms(run, 0.0, 0.0);
}

#define SQUAT_DEPTH 0.12 /* of the leg's length */
#define SQUAT_HZ    0.5

void move_squat(struct scenario_run *run, const struct scenario_instant *now,
                struct posture_target *target) {
  const double u = since_rest(run, now), amplitude = run->options.amplitude;
  const double down = 0.5 * jet_smooth_step(u, 1.0).x * (1.0 - cos(2.0 * M_PI * SQUAT_HZ * u));
  target->com_W.z -= amplitude * SQUAT_DEPTH * run->leg_length * down;
  set_arms(run, 1.0 * amplitude * down, 1.0 * amplitude * down);
}

#define SWING_AMPLITUDE 0.5 /* rad */
#define SWING_HZ        1.0

/* The base stays where it is, so that the arms move the centre of mass. */
void move_arms_swing(struct scenario_run *run, const struct scenario_instant *now,
                     struct posture_target *target) {
  const double swing =
      run->options.amplitude * SWING_AMPLITUDE * grown_sine(since_rest(run, now), SWING_HZ);
  set_arms(run, swing, swing);
  target->by_base = true;
}

/* The same arms, and a base that moves so that the centre of mass rests. */
void move_arms_still(struct scenario_run *run, const struct scenario_instant *now,
                     struct posture_target *target) {
  move_arms_swing(run, now, target);
  target->by_base = false;
}

void move_sines(struct scenario_run *run, const struct scenario_instant *now,
                struct posture_target *target) {
  (void)target;
  for (size_t j = 0; j < run->excitation.n_joints; j++) {
    if (!run->posture.is_leg[j]) {
      run->posture.q[j] = excitation_at(&run->excitation, j, now->t).x;
    }
  }
}

void move_push(struct scenario_run *run, const struct scenario_instant *now,
               struct posture_target *target) {
  move_stand(run, now, target);
  const struct sim_push *p = &run->options.push;
  const double u = (now->t - p->start_s) / p->duration_s;
  run->force_W = u > 0.0 && u < 1.0 ? vec3_scale(sin(M_PI * u), p->force_W) : VEC3_ZERO;
  run->point_B = p->point_B;
}

#define CURL_ANGLE 0.7 /* rad */
#define CURL_HZ    0.333

void move_curl(struct scenario_run *run, const struct scenario_instant *now,
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

#define LIFT_SPRING 30.0 /* 1/s^2 times the robot's mass: the crane's rope */
#define LIFT_DAMPER 8.0  /* 1/s times the robot's mass */
#define LIFT_HEIGHT 0.15 /* m */
#define LIFT_UP_S   2.0  /* s from the start of the motion until the rope pulls */
#define LIFT_DOWN_S 6.0  /* s until it lets down */
#define LIFT_MOVE_S 2.0  /* s, of either way */

/* A rope at the neck pulls the robot off the ground and puts it back. */
void move_lift(struct scenario_run *run, const struct scenario_instant *now,
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

/* The arms swing against the legs. */
void move_walk(struct scenario_run *run, const struct scenario_instant *now,
               struct posture_target *target) {
  const vec3 left = run->standing.foot_W[0].p, right = run->standing.foot_W[1].p;
  walk_step(&run->walk, now->t, now->dt, now->truth, target, run->planned);
  const double ahead = (target->foot_W[0].p.x - left.x) - (target->foot_W[1].p.x - right.x);
  const double stride = run->walk.options.step_length;
  const double swing = -WALK_ARM_SWING * run->options.amplitude * ahead / fmax(stride, 0.05);
  set_arms(run, swing, -swing);
}
