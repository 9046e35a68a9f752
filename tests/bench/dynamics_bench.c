/* Time of every algorithm over the tree, next to MuJoCo's in the same run.
 *
 * Our figures are from the state to the result: each includes the kinematics that it needs.
 * MuJoCo's mj_inverse does so too; mj_rne and mj_crb are timed alone, their kinematics done
 * beforehand. Blocks of all contenders alternate, so that what else happens on the machine meets
 * all of them; medians over the blocks. */
#include "body/jacobians.h"
#include "body/kinematics_batch.h"
#include "body/regressor.h"
#include "support/bench_clock.h"
#include "support/dynamics_fixture.h"
#include "support/mujoco_robot.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { STATES = 16, CALLS = 64, BLOCKS = 300, SAMPLES = 64 };

/* A robot in our and in MuJoCo's hands, and its random states. */
static struct {
  struct dynamics ours;
  struct regressor regressor;
  struct jacobians jacobians;
  struct mujoco_robot mujoco;
  struct kinematics_batch batch;
  struct batch_samples samples;
  double *y;
  struct random_state state[STATES];
} robot;

/* A contender: one call on one state. */
typedef void contender(int state);

static double sink; /* results go here, so that no call is optimised away */

static void run_kinematics(int i) {
  kinematics_update(&robot.ours.kin, &robot.state[i].motion);
}
static void run_rnea(int i) {
  struct dynamics *d = &robot.ours;
  double tau[MODEL_MAX_JOINTS];
  struct force base;
  kinematics_update(&d->kin, &robot.state[i].motion);
  rnea_step(&d->rnea, &d->kin, d->model->inertia, NULL, WITH_DRIVES, &base, tau);
  sink += tau[0];
}
static void run_aba(int i) {
  struct dynamics *d = &robot.ours;
  double ddq[MODEL_MAX_JOINTS];
  struct motion a_B;
  kinematics_update(&d->kin, &robot.state[i].motion);
  aba_step(&d->aba, &d->kin, d->model->inertia, NULL, WITH_DRIVES,
           robot.mujoco.floating ? BASE_FLOATING : BASE_FIXED, robot.state[i].ddq, &a_B, ddq);
  sink += ddq[0];
}
static void run_crba(int i) {
  struct dynamics *d = &robot.ours;
  kinematics_update_position(&d->kin, robot.state[i].q);
  composite_step(&d->composite, &d->kin, d->model->inertia);
  crba_step(&d->crba, &d->kin, &d->composite, WITH_DRIVES);
}
static void run_centroidal(int i) {
  struct dynamics *d = &robot.ours;
  struct centroidal c;
  kinematics_update(&d->kin, &robot.state[i].motion);
  centroidal_step(&d->kin, d->model->inertia, &c);
  sink += c.mass;
}
static void run_regressor(int i) {
  kinematics_update(&robot.ours.kin, &robot.state[i].motion);
  regressor_step(&robot.regressor, &robot.ours.kin);
}
static void run_jacobian(int i) { /* of the last link: the end of a limb */
  struct dynamics *d = &robot.ours;
  double J[6 * (6 + MODEL_MAX_JOINTS)];
  kinematics_update_position(&d->kin, robot.state[i].q);
  jacobian(&d->kin, d->model->n_links - 1, &POSE_IDENTITY, JACOBIAN_IN_BASE, J);
  sink += J[0];
}
static void run_jacobians(int i) {
  kinematics_update_position(&robot.ours.kin, robot.state[i].q);
  jacobians_step(&robot.jacobians, &robot.ours.kin, JACOBIAN_IN_BASE);
}
static void run_mj_inverse(int i) {
  mujoco_set(&robot.mujoco, &robot.state[i].motion);
  mj_inverse(robot.mujoco.m, robot.mujoco.d);
}
static void run_mj_rne(int i) {
  mjtNum tau[MODEL_MAX_JOINTS + 6];
  robot.mujoco.d->qacc[0] = robot.state[i].ddq[0];
  mj_rne(robot.mujoco.m, robot.mujoco.d, 1, tau);
  sink += tau[0];
}
static void run_mj_crb(int i) {
  (void)i;
  mj_crb(robot.mujoco.m, robot.mujoco.d);
}
static void run_batch(int i) {
  (void)i;
  kinematics_batch_step(&robot.batch, &robot.samples, robot.y);
}

static const struct {
  const char *name;
  contender *run;
} contenders[] = {{"kinematics", run_kinematics},
                  {"rnea", run_rnea},
                  {"aba", run_aba},
                  {"crba", run_crba},
                  {"centroidal", run_centroidal},
                  {"regressor", run_regressor},
                  {"jacobian", run_jacobian},
                  {"jacobians", run_jacobians},
                  {"mj_inverse", run_mj_inverse},
                  {"mj_rne", run_mj_rne},
                  {"mj_crb", run_mj_crb},
                  {"kinematics_batch64", run_batch}};
enum {
  CONTENDERS = sizeof(contenders) / sizeof(contenders[0]),
  RNEA = 1,
  JACOBIAN = 6,
  JACOBIANS,
  MJ_INVERSE
};

static void setup_batch(const struct model *model, struct random *rng) {
  const size_t n = model->n_joints, rows = 3 * n + 9;
  struct arena count = {0};
  kinematics_batch_init(&robot.batch, model, NULL, SAMPLES, &count);
  struct arena arena = test_arena(count.used + 8 * SAMPLES * (rows + BATCH_ROWS * (n + 1)) + 256);
  kinematics_batch_init(&robot.batch, model, NULL, SAMPLES, &arena);
  double *x = ARENA_ARRAY(&arena, double, rows *SAMPLES);
  for (size_t i = 0; i < rows * SAMPLES; i++) {
    x[i] = random_uniform(rng, -1.0, 1.0);
  }
  double *const base = x + 3 * n * SAMPLES;
  robot.y = ARENA_ARRAY(&arena, double, BATCH_ROWS *(n + 1) * SAMPLES);
  robot.samples = (struct batch_samples){.count = SAMPLES,
                                         .stride = SAMPLES,
                                         .q = x,
                                         .dq = x + n * SAMPLES,
                                         .ddq = x + 2 * n * SAMPLES,
                                         .omega0 = base,
                                         .omegadot0 = base + 3 * SAMPLES,
                                         .vdot0 = base + 6 * SAMPLES};
}

static void setup(const char *name, bool floating) {
  struct random rng = random_from(test_seed());
  struct model *model = model_of_robot(name);
  dynamics_of(&robot.ours, model);
  mujoco_from_model(&robot.mujoco, model, floating, true);
  struct arena count = {0};
  regressor_init(&robot.regressor, model, NULL, 0, &count);
  jacobians_init(&robot.jacobians, model, &count);
  struct arena arena = test_arena(count.used);
  regressor_init(&robot.regressor, model, NULL, 0, &arena);
  jacobians_init(&robot.jacobians, model, &arena);
  setup_batch(model, &rng);
  for (int i = 0; i < STATES; i++) {
    struct random_state *state = &robot.state[i];
    random_state(&rng, model, state);
    if (!floating) {
      state->motion.base =
          (struct base_motion){.X_WB = POSE_IDENTITY, .a_B.lin = {0.0, 0.0, STANDARD_GRAVITY}};
    }
  }
}

/* Jacobians cost less than what every controller computes anyway. False when above the limit. */
static bool within(const char *name, const char *of, double us, double rnea_us, double limit) {
  printf("{\"name\": \"%s_%s_over_rnea\", \"value\": %.3f, \"unit\": \"ratio\", \"limit\": %.2f}\n",
         name, of, us / rnea_us, limit);
  return us <= limit * rnea_us;
}

static bool measure(const char *name) {
  static double us[CONTENDERS][BLOCKS];
  for (int block = 0; block < BLOCKS; block++) {
    for (int c = 0; c < CONTENDERS; c++) {
      contenders[c].run(0); /* its own data into the cache */
      const double start = now_us();
      for (int call = 0; call < CALLS; call++) {
        contenders[c].run(call % STATES);
      }
      us[c][block] = (now_us() - start) / CALLS;
    }
  }
  for (int c = 0; c < CONTENDERS; c++) {
    qsort(us[c], BLOCKS, sizeof(double), by_value);
    printf(
        "{\"name\": \"%s_%s\", \"value\": %.3f, \"unit\": \"us\", \"p99\": %.3f, \"runs\": %d}\n",
        contenders[c].name, name, us[c][BLOCKS / 2], us[c][BLOCKS * 99 / 100], BLOCKS * CALLS);
  }
  for (int c = 0; c < MJ_INVERSE; c++) {
    printf("{\"name\": \"%s_%s_over_mj_inverse\", \"value\": %.3f, \"unit\": \"ratio\"}\n",
           contenders[c].name, name, us[c][BLOCKS / 2] / us[MJ_INVERSE][BLOCKS / 2]);
  }
  const double rnea = us[RNEA][BLOCKS / 2];
  const bool one = within("jacobian", name, us[JACOBIAN][BLOCKS / 2], rnea, 0.45 / 0.85);
  return within("jacobians", name, us[JACOBIANS][BLOCKS / 2], rnea, 1.5 / 0.85) && one;
}

int main(void) {
  setup("humanoid30", true);
  const bool humanoid = measure("humanoid30");
  setup("tx40", false);
  measure("arm6"); /* too small for limits: what every call begins with counts */
  return sink == 0.123 || !humanoid ? EXIT_FAILURE : EXIT_SUCCESS;
}
