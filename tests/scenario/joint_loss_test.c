/* Values, cells and streams that the joint filter has to do without. */
#include "joints/joint_filter_core.h"
#include "support/chain_run.h"

START_TEST(no_value_in_any_channel_makes_anything_not_finite) {
  const double bad[] = {NAN, INFINITY, -INFINITY, 1e308, -1e308, 5e-324};
  struct run *run = new_run("medium", 200.0, 200.0, 0.0);
  start(run);
  advance(run, 1.0);
  double disturbed = 0.0, clean = 0.0;
  for (size_t b = 0; b < sizeof(bad) / sizeof(bad[0]); b++) {
    for (size_t channel = 0; channel < 12; channel++) {
      take_frame(run);
      switch (channel) {
      case 9:
        run->frame.imu.angular_rate.y = bad[b];
        break;
      case 10:
        run->frame.imu.specific_force.x = bad[b];
        break;
      case 11:
        run->acceleration[3 * 77 + 1] = (float)bad[b];
        break;
      default:
        run->q[channel] = bad[b];
      }
      give(run);
      disturbed += error_now(run);
    }
  }
  struct run *other = new_run("medium", 200.0, 200.0, 0.0);
  start(other);
  advance(other, 1.0);
  for (int step = 0; step < 72; step++) {
    take_frame(other);
    give(other);
    clean += error_now(other);
  }
  ck_assert_double_le(sqrt(disturbed / clean), 1.1);
  ck_assert_uint_eq(run->out.resets, 0);
}
END_TEST

START_TEST(skin_lost_and_found_again_is_bounded_flagged_and_forgotten) {
  struct run *run = new_run("medium", 200.0, 200.0, 0.0);
  start(run);
  advance(run, 1.5);
  double lost = 0.0, after = 0.0, truth = 0.0;
  for (int step = 0; step < 300; step++) { /* one limb's skin: everything from link 5 outwards */
    take_frame(run);
    for (size_t k = 0; k < run->stock.robot->n_cells; k++) {
      if (run->stock.robot->cell[k].link >= 5) {
        run->flags[k] = 0;
      }
    }
    give(run);
    lost += error_now(run);
    truth += truth_now(run);
  }
  ck_assert_double_le(sqrt(lost / truth), 0.5);
  advance(run, 1.0);
  for (int step = 0; step < 300; step++) {
    take_frame(run);
    give(run);
    after += error_now(run);
  }
  ck_assert_double_le(sqrt(after / 300.0 / JOINTS), 0.6);
  ck_assert_int_eq(run->out.status, PROPRIOD_STATUS_OK);
  ck_assert_uint_eq(run->out.resets, 0);
}
END_TEST

START_TEST(without_the_imu_for_200_ms_the_joints_go_on) {
  struct run *run = new_run("fast", 1000.0, 250.0, 0.0);
  start(run);
  advance(run, 1.0);
  for (int step = 0; step < 400; step++) {
    take_frame(run);
    run->frame.imu.stamp.fresh = run->frame.imu.stamp.fresh && step >= 200;
    give(run);
    for (size_t j = 0; j < JOINTS; j++) {
      const double e = run->out.ddq[j] - sim_truth(run->sim)->ddq[j];
      ck_assert_double_le(fabs(e), 7.0 * run->out.ddq_sd[j]);
    }
  }
  ck_assert_int_eq(run->out.status, PROPRIOD_STATUS_OK);
}
END_TEST

START_TEST(cells_that_die_leave_the_error_inside_the_grown_deviation) {
  struct run *run = new_run("medium", 200.0, 200.0, 0.0);
  run->options.skin.dead = 0.3;
  start(run);
  advance(run, 2.0);
  double nees = 0.0;
  for (int step = 0; step < 400; step++) {
    take_frame(run);
    give(run);
    for (size_t j = 0; j < JOINTS; j++) {
      const double e = run->out.ddq[j] - sim_truth(run->sim)->ddq[j];
      nees += e * e / (run->out.ddq_sd[j] * run->out.ddq_sd[j]);
    }
  }
  ck_assert_double_le(nees / 400.0 / JOINTS, 1.5);
}
END_TEST

/* Cells as noisy as their settings say are no fault. */
START_TEST(noisy_cells_that_are_said_to_be_so_are_not_blamed) {
  struct run *run = new_run("medium", 200.0, 200.0, 0.0);
  run->options.skin.white = run->settings.cell_noise = 1.5;
  start(run);
  advance(run, 3.0);
  const struct cell_health *cells = joint_filter_cells(run->filter);
  ck_assert_uint_eq(cells->count[CELL_FAULTY], 0);
  ck_assert_uint_le(cells->outliers, 10);
}
END_TEST

/* Cells are screened with the centripetal terms of the estimate that there is, not of one that has
 * just been forgotten. */
START_TEST(cells_are_screened_with_the_newest_velocities) {
  struct run *run = new_run("fast", 1000.0, 250.0, 0.0);
  start(run);
  advance(run, 1.0);
  for (int step = 0; step < 1000; step++) {
    double dq[JOINTS];
    memcpy(dq, run->out.dq, sizeof(dq));
    take_frame(run);
    give(run);
    for (size_t j = 0; j < JOINTS && run->frame.skin.stamp.fresh; j++) {
      ck_assert_double_le(fabs(run->filter->kin.dq[j] - dq[j]), 1e-9);
    }
  }
}
END_TEST

SUITE(no_value_in_any_channel_makes_anything_not_finite,
      skin_lost_and_found_again_is_bounded_flagged_and_forgotten,
      without_the_imu_for_200_ms_the_joints_go_on,
      cells_that_die_leave_the_error_inside_the_grown_deviation,
      noisy_cells_that_are_said_to_be_so_are_not_blamed,
      cells_are_screened_with_the_newest_velocities)
