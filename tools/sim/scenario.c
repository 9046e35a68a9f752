#include "scenario.h"

#include "scenario_choices.h"
#include "scenario_table.h"

#include <string.h>

#define STANDING_BEND   0.08 /* of the leg's length: how far the hips are lowered for all motions */
#define REACH_TOLERANCE 1e-6 /* m or rad */

double scenario_duration(enum sim_scenario scenario) {
  return scenario_row(scenario)->duration_s;
}

#define SOFT_GROUND 0.015 /* s */
#define HARD_GROUND 0.006 /* s */
#define HARD_STRIKE 0.1   /* m/s: from here on strikes count as hard */

double scenario_contact_time(const struct sim_options *options) {
  return options->walk.strike_speed >= HARD_STRIKE ? HARD_GROUND : SOFT_GROUND;
}

/* Legs slightly bent, and the upper body as the scenario has it at the start. */
static void take_start_posture(struct scenario_run *run, const struct scenario_row *row) {
  static const struct sim_truth nothing = {0};
  const struct scenario_instant start = {.t = 0.0, .dt = 0.0, .truth = &nothing};
  struct posture_target unused = {0};
  scenario_move *const move = row->move == move_walk ? move_stand : row->move;
  move(run, &start, &unused);
  run->standing = posture_standing(&run->posture, STANDING_BEND);
  memcpy(run->q, run->posture.q, sizeof(run->q));
}

static enum status begin_free(struct scenario_run *run, const struct scenario_row *row,
                              struct message *error) {
  const enum status status = posture_init(&run->posture, run->options.robot, error);
  if (status != STATUS_OK) {
    return status;
  }
  run->leg_length = posture_leg_length(&run->posture);
  limbs_find(&run->limbs, &run->posture);
  take_start_posture(run, row);
  if (run->posture.error > REACH_TOLERANCE) {
    message_set(error, "robot %s: its legs do not reach a standing posture (off by %.3g)",
                run->options.robot->model.name, run->posture.error);
    posture_free(&run->posture);
    return STATUS_REFUSED;
  }
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
  options->walk = walk_options_for(&options->walk, run->leg_length, options->seed);
  walk_init(&run->walk, &options->walk, &run->standing, options->seed, options->rest_s);
  if (options->scenario == SIM_STEP) {
    struct walk_pattern *pattern = &run->walk.pattern;
    pattern->rise_step = STEP_NUMBER;
    pattern->rise = STEP_UP;
    pattern->leap = fmax(STEP_STRIDE * run->leg_length - pattern->length, 0.0);
  }
}

enum status scenario_begin(struct scenario_run *run, const struct sim_options *options,
                           struct message *error) {
  const struct scenario_row *row = scenario_row(options->scenario);
  if (row->move == move_walk && options->robot->n_feet != 2) {
    message_set(error, "robot %s has %zu feet; the walker walks on two", options->robot->model.name,
                options->robot->n_feet);
    return STATUS_REFUSED;
  }
  struct scenario_run new = {.options = *options};
  excitation_init(&new.excitation, &options->robot->model, row->excitation, options->amplitude,
                  options->seed, options->rest_s);
  for (size_t k = 0; row->move != NULL && k < options->robot->n_feet; k++) {
    new.planned[k] = true;
  }
  if (row->move != NULL) {
    const enum status status = begin_free(&new, row, error);
    if (status != STATUS_OK) {
      return status;
    }
  }
  if (row->move == move_walk) {
    begin_walk(&new);
  }
  choose_push(&new.options, new.leg_length);
  choose_payload(&new.options, &new.limbs, new.leg_length);
  *run = new;
  return STATUS_OK;
}

void scenario_end(struct scenario_run *run) {
  posture_free(&run->posture);
}

size_t scenario_blocks(const struct scenario_run *run, struct block *block) {
  const double stride = run->options.walk.step_length, thin = 0.002, wide = 100.0;
  if (run->options.scenario == SIM_SLIP) {
    block[0] = (struct block){.centre = {(PATCH_AT + 0.5 * PATCH_SIZE) * stride, 0.0, 0.0},
                              .size = {PATCH_SIZE * stride, wide, thin},
                              .friction = SLIPPERY};
    return 1;
  }
  if (run->options.scenario == SIM_STEP) {
    const struct walk_pattern *pattern = &run->walk.pattern;
    const double edge =
        0.5 * (walk_foothold(pattern, STEP_NUMBER - 1).x + walk_foothold(pattern, STEP_NUMBER).x);
    block[0] = (struct block){.centre = {edge + 0.5 * wide, 0.0, 0.0},
                              .size = {wide, wide, 2.0 * STEP_UP},
                              .friction = 1.0};
    return 1;
  }
  return 0;
}

void scenario_step(struct scenario_run *run, double t, double dt, const struct sim_truth *truth) {
  const struct scenario_instant now = {t, dt, truth};
  struct posture_target target = run->standing;
  scenario_row(run->options.scenario)->move(run, &now, &target);
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
