/* What a pipeline that is swapped in by a reload takes over from the one before. */
#include "support/fault_run.h"
#include "support/suite.h"

START_TEST(a_change_of_the_filters_size_is_no_reset_and_the_base_stays_where_it_was) {
  struct fault_run *run = fault_run_new("humanoid30", "walk", 500.0, 250.0);
  fault_run_start(run);
  fault_run_advance(run, 4.0);
  const struct estimates before = run->out;
  const vec3 com_W = sim_truth(run->sim)->com_W;
  ck_assert_uint_ne(before.state.estimated & PROPRIOD_STATE_BASE_POSITION, 0);
  run->settings.joints.link_bias = !run->settings.joints.link_bias;
  struct pipeline *next = test_pipeline(run->stock.robot, &run->settings);
  pipeline_adopt(next, run->pipeline);
  run->pipeline = next;
  fault_run_advance(run, 1.0 / 500.0);
  ck_assert_uint_eq(run->out.state.seq, before.state.seq + 1);
  ck_assert_uint_eq(run->out.state.resets, before.state.resets);
  fault_run_advance(run, 0.5);
  ck_assert_int_eq(run->out.state.status, PROPRIOD_STATUS_OK);
  ck_assert_uint_ne(run->out.state.estimated & PROPRIOD_STATE_BASE_POSITION, 0);
  const vec3 moved = vec3_sub(run->out.state.base_position, before.state.base_position);
  const vec3 really = vec3_sub(sim_truth(run->sim)->com_W, com_W);
  printf("base moved by %.3f %.3f %.3f m, the centre of mass by %.3f %.3f %.3f m\n", moved.x,
         moved.y, moved.z, really.x, really.y, really.z);
  ck_assert_double_lt(vec3_norm(vec3_sub(moved, really)), 0.1);
  fault_run_end(run);
}
END_TEST

SUITE(a_change_of_the_filters_size_is_no_reset_and_the_base_stays_where_it_was)
