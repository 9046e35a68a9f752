/* A pipeline that is put back to a moment goes on from there as it did. */
#include "trust/fault_bench.h"

#include "support/sim_fixture.h"
#include "support/suite.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

START_TEST(a_run_that_is_put_back_goes_on_bit_for_bit) {
  const struct stock_robot stock = test_robot("humanoid18");
  struct sim_options options = bench_options(&stock, MOTION_WALK, 3);
  struct message error;
  struct tape tape;
  struct trust_run run;
  struct trust_moment moment;
  options.duration_s = 2.5;
  ck_assert_int_eq(tape_record(&tape, &options, &error), STATUS_OK);
  const struct pipeline_settings settings = trust_settings(&tape);
  ck_assert_int_eq(trust_run_init(&run, &tape, &settings), STATUS_OK);
  while (run.next < 2100) {
    ck_assert(trust_run_step(&run, NULL));
  }
  ck_assert_int_eq(trust_run_save(&run, &moment), STATUS_OK);
  static struct estimates first[300];
  for (int k = 0; k < 300; k++) {
    ck_assert(trust_run_step(&run, NULL));
    first[k] = run.out;
  }
  trust_run_restore(&run, &moment); /* another life, with a fault */
  for (int k = 0; k < 300; k++) {
    trust_run_step_silent(&run);
  }
  ck_assert(memcmp(&run.out.state.q, &first[299].state.q, sizeof(first[0].state.q)) != 0);
  trust_run_restore(&run, &moment);
  for (int k = 0; k < 300; k++) {
    ck_assert(trust_run_step(&run, NULL));
    must(memcmp(run.out.state.q, first[k].state.q, sizeof(first[k].state.q)) == 0);
    must(memcmp(run.out.state.ddq_sd, first[k].state.ddq_sd, sizeof(first[k].state.ddq_sd)) == 0);
    must(vec3_norm(vec3_sub(run.out.centroidal.com_velocity, first[k].centroidal.com_velocity)) ==
         0.0);
  }
  trust_moment_free(&moment);
  trust_run_free(&run);
  tape_free(&tape);
}
END_TEST

START_TEST(a_scaled_robot_has_the_lengths_masses_and_cells_that_follow_and_leaves_nothing_behind) {
  const struct stock_robot full = test_robot("humanoid30");
  struct stock_robot small;
  struct message error;
  ck_assert_msg(scaled_robot_load("humanoid30@0.6", "config/robots", &small, &error) == STATUS_OK,
                "%s", error.text);
  const struct model *a = &full.robot->model, *b = &small.robot->model;
  assert_near(model_mass(b), 0.216 * model_mass(a), 1e-6);
  for (size_t j = 0; j < a->n_joints; j++) {
    const vec3 p = vec3_scale(0.6, a->joint[j].placement.p);
    assert_near(vec3_norm(vec3_sub(p, b->joint[j].placement.p)), 0.0, 1e-9);
    assert_near(vec3_norm(vec3_sub(a->joint[j].axis, b->joint[j].axis)), 0.0, 1e-12);
    assert_near(b->joint[j].tau_max, pow(0.6, 4.0) * a->joint[j].tau_max, 1e-9);
    ck_assert_double_eq(b->joint[j].q_max, a->joint[j].q_max);
  }
  assert_near(b->inertia[3].Ixx, pow(0.6, 5.0) * a->inertia[3].Ixx, 1e-9);
  ck_assert_uint_eq(small.robot->n_cells, full.robot->n_cells);
  const vec3 cell = vec3_scale(0.6, full.robot->cell[700].placement.p);
  assert_near(vec3_norm(vec3_sub(cell, small.robot->cell[700].placement.p)), 0.0, 1e-6);
  char urdf[ROBOT_PATH_SIZE];
  snprintf(urdf, sizeof(urdf), "%s", small.urdf);
  scaled_robot_free(&small);
  ck_assert_int_ne(access(urdf, F_OK), 0);
  *strrchr(urdf, '/') = '\0';
  ck_assert_int_ne(access(urdf, F_OK), 0);
  ck_assert_int_eq(scaled_robot_load("humanoid30@9", "config/robots", &small, &error),
                   STATUS_BAD_ARGUMENT);
}
END_TEST

SUITE(a_run_that_is_put_back_goes_on_bit_for_bit,
      a_scaled_robot_has_the_lengths_masses_and_cells_that_follow_and_leaves_nothing_behind)
