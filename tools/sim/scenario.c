#include "scenario.h"

#include <string.h>

#define STANDING_BEND   0.08 /* of the leg's length: how far the hips are lowered for all motions */
#define CROUCH          0.3  /* the same of legs on point feet, which stand well bent */
#define LEAST_BEND      0.02 /* the same of legs too weak to stand so: steps need some */
#define BEND_STEP       0.01
#define MOST_EFFORT     0.6 /* of a leg's drives while it stands alone: walking takes a half more */
#define REACH_TOLERANCE 1e-6 /* m or rad */

#define SOFT_GROUND 0.015 /* s */
#define HARD_GROUND 0.006 /* s */
#define HARD_STRIKE 0.1   /* m/s: from here on strikes count as hard */

double scenario_contact_time(const struct sim_options *options) {
  return options->walk.strike_speed >= HARD_STRIKE ? HARD_GROUND : SOFT_GROUND;
}

/* How far ahead of a hip lowered by `bend` its straight leg reaches the ground; both of the leg's
 * length. */
static double stretch(double bend) {
  return sqrt(bend * (2.0 - bend));
}

/* Stands with slightly bent legs: straighter where one of them could not carry the robot, for a
 * knee carries the more the farther it is from the line between hip and sole. */
static void stand(struct scenario_run *run) {
  const bool points = run->posture.leg[0].held == HOLDS_POINT;
  double bend = points ? CROUCH : STANDING_BEND;
  run->standing = posture_standing(&run->posture, bend);
  while (run->posture.n_legs == 2 && bend > LEAST_BEND &&
         posture_effort_on_one_leg(&run->posture) > MOST_EFFORT) {
    bend = fmax(bend - BEND_STEP, LEAST_BEND);
    run->standing = posture_standing(&run->posture, bend);
  }
  run->reach = fmin(stretch(bend) / stretch(STANDING_BEND), 1.0);
}

/* Legs slightly bent, and the upper body as the scenario has it at the start. */
static void take_start_posture(struct scenario_run *run) {
  static const struct sim_truth nothing = {0};
  const struct scenario_instant start = {.t = 0.0, .dt = 0.0, .truth = &nothing};
  struct posture_target unused = {0};
  const struct scenario *first =
      run->scenario->walks || run->scenario->trots ? scenario_find("stand") : run->scenario;
  first->move(run, &start, &unused);
  stand(run);
  memcpy(run->q, run->posture.q, sizeof(run->q));
}

static enum status begin_free(struct scenario_run *run, struct message *error) {
  const enum status status = posture_init(&run->posture, run->options.robot, error);
  if (status != STATUS_OK) {
    return status;
  }
  run->leg_length = posture_leg_length(&run->posture);
  limbs_find(&run->limbs, &run->posture);
  take_start_posture(run);
  if (run->posture.error > REACH_TOLERANCE) {
    message_set(error, "robot %s: its legs do not reach a standing posture (off by %.3g)",
                run->options.robot->model.name, run->posture.error);
    posture_free(&run->posture);
    return STATUS_REFUSED;
  }
  return STATUS_OK;
}

enum status scenario_begin(struct scenario_run *run, const struct sim_options *options,
                           struct message *error) {
  const struct scenario *scenario = scenario_find(options->scenario);
  const size_t n_feet = options->robot->n_feet;
  if (scenario->walks && n_feet != 2) {
    message_set(error, "robot %s has %zu feet; the walker walks on two%s",
                options->robot->model.name, n_feet, n_feet == 4 ? ", trot is for four" : "");
    return STATUS_REFUSED;
  }
  if (scenario->trots && n_feet != 4) {
    message_set(error, "robot %s has %zu feet; who trots or hops has four",
                options->robot->model.name, n_feet);
    return STATUS_REFUSED;
  }
  const struct sim_ground *ground = &options->ground;
  const bool straight = scenario->blocks != NULL || ground->uneven > 0.0 || ground->slope > 0.0 ||
                        ground->climb != 0.0; /* what lies on the ground lies across the way */
  const struct sim_walk_options *walk = &options->walk;
  if (straight && (walk->step_turn != 0.0 || walk->step_side != 0.0 || walk->step_length < 0.0)) {
    message_set(error,
                "step-turn %g, step-side %g, step-length %g: straight ahead where the ground is "
                "not even all about",
                walk->step_turn, walk->step_side, walk->step_length);
    return STATUS_REFUSED;
  }
  struct scenario_run new = {.scenario = scenario, .options = *options};
  excitation_init(&new.excitation, &options->robot->model, scenario->excitation, options->amplitude,
                  options->seed, options->rest_s);
  for (size_t k = 0; scenario->move != NULL && k < n_feet; k++) {
    new.planned[k] = true;
  }
  if (scenario->move != NULL) {
    const enum status status = begin_free(&new, error);
    if (status != STATUS_OK) {
      return status;
    }
  }
  if (scenario->begin != NULL) {
    scenario->begin(&new);
  }
  *run = new;
  return STATUS_OK;
}

void scenario_end(struct scenario_run *run) {
  posture_free(&run->posture);
}

size_t scenario_blocks(const struct scenario_run *run, struct block *block) {
  return run->scenario->blocks != NULL ? run->scenario->blocks(run, block) : 0;
}

void scenario_step(struct scenario_run *run, double t, double dt, const struct sim_truth *truth) {
  const struct scenario_instant now = {t, dt, truth};
  struct posture_target target = run->standing;
  run->scenario->move(run, &now, &target);
  posture_solve(&run->posture, &target, 2);
  for (size_t j = 0; j < run->excitation.n_joints; j++) {
    const struct follower *f = &run->excitation.joint[j].follower;
    run->posture.q[j] = f->offset + f->ratio * run->posture.q[f->leader];
  }
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
