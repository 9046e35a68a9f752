/* Cost of the inertial estimator: one update of 10 and of 30 parameters with 36 rows, and what it
 * adds to a cycle of the real-time thread. JSON lines, medians. */
#include "inertial/inertial_filter.h"
#include "inertial/inertial_prior.h"
#include "inertial/inertial_update.h"
#include "stock_robot.h"
#include "support/bench_clock.h"
#include "support/core_update.h"
#include "support/random_model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROWS = 36, RUNS = 400, CYCLES = 4000 };

static void print_quantile(const char *name, double *us, size_t n, double quantile) {
  qsort(us, n, sizeof(*us), by_value);
  printf("{\"name\": \"%s\", \"value\": %.2f, \"unit\": \"us\"}\n", name,
         us[(size_t)(quantile * (double)(n - 1))]);
}

/* Judge, update and predict, the way a block does it. */
static void bench_update(const char *name, const struct robot *robot, size_t n_links) {
  struct random random = random_from(7);
  const struct inertial_core_settings settings = inertial_filter_defaults().core;
  struct inertia prior[INERTIAL_MAX_LINKS];
  for (size_t k = 0; k < n_links; k++) {
    prior[k] = robot->model.inertia[k + 1];
  }
  struct inertial_core core;
  struct arena arena = test_arena(1 << 22);
  inertial_core_init(&core, &settings, prior, n_links, &arena);
  const size_t n = 10 * n_links;
  double *Y = calloc(ROWS * n, sizeof(*Y)), z[ROWS], R[ROWS], us[RUNS];
  for (int run = 0; run < RUNS; run++) {
    for (size_t i = 0; i < ROWS * n; i++) {
      Y[i] = random_normal(&random);
    }
    for (size_t r = 0; r < ROWS; r++) {
      R[r] = 1.0;
      z[r] = random_normal(&random);
      for (size_t k = 0; k < n_links; k++) {
        double pi[10];
        inertia_to(&prior[k], pi);
        for (size_t i = 0; i < 10; i++) {
          z[r] += Y[r * n + 10 * k + i] * pi[i];
        }
      }
    }
    const struct inertial_rows rows = {.n = ROWS, .Y = Y, .z = z, .R = R};
    double nis, gain;
    const double start = now_us();
    inertial_core_predict(&core, 0.02);
    inertial_core_innovation(&core, &rows, &nis, &gain);
    inertial_core_update(&core, &rows, 1.0);
    us[run] = now_us() - start;
  }
  print_quantile(name, us, RUNS, 0.5);
  free(Y);
}

/* Whole cycles of the filter for one link of the humanoid, base rows and joint rows. */
static void bench_cycle(const struct robot *robot) {
  struct random random = random_from(7);
  const struct inertial_filter_settings settings = inertial_filter_defaults();
  const size_t link = (size_t)model_find_link(&robot->model, "torso_pitch_link");
  struct inertial_filter *filter = NULL;
  struct arena arena = test_arena(1 << 22);
  struct kinematics kin;
  kinematics_init(&kin, &robot->model, &arena);
  inertial_filter_init(&filter, robot, &settings, &link, 1, &arena);
  struct random_state *state = calloc(1, sizeof(*state));
  double tau[MODEL_MAX_JOINTS] = {0}, us[CYCLES];
  struct force wrench[ROBOT_MAX_WRENCH] = {{VEC3_ZERO, VEC3_ZERO}};
  struct inertial_result result;
  for (int k = 0; k < CYCLES; k++) {
    if (k % 10 == 0) {
      random_state(&random, &robot->model, state);
      kinematics_update(&kin, &state->motion);
    }
    const struct inertial_inputs inputs = {.kin = &kin, .tau = tau, .wrench = wrench};
    const double start = now_us();
    inertial_filter_step(filter, &inputs, 1e-3, false, &result);
    us[k] = now_us() - start;
  }
  print_quantile("inertial_cycle", us, CYCLES, 0.5);
  print_quantile("inertial_cycle_p99", us, CYCLES, 0.99);
  free(state);
}

int main(void) {
  struct stock_robot stock;
  struct message error;
  if (stock_robot_load("humanoid30", "config/robots", &stock, &error) != STATUS_OK) {
    fprintf(stderr, "%s\n", error.text);
    return EXIT_FAILURE;
  }
  bench_update("inertial_update_10", stock.robot, 1);
  bench_update("inertial_update_30", stock.robot, 3);
  bench_cycle(stock.robot);
  robot_destroy(stock.robot);
  return EXIT_SUCCESS;
}
