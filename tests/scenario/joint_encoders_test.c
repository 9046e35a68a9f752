/* Encoders that spike, freeze, slip and die in front of the joint filter. */
#include "support/chain_run.h"

START_TEST(one_percent_spikes_cost_less_than_a_fifth_and_none_above_twenty_sigma_passes) {
  double sum[2] = {0};
  for (int spiky = 0; spiky < 2; spiky++) {
    struct random rng = random_from(test_seed());
    struct run *run = new_run("medium", 1000.0, 250.0, 0.0);
    start(run);
    advance(run, 0.5);
    uint64_t spikes = 0;
    for (int step = 0; step < 2500; step++) {
      take_frame(run);
      for (size_t j = 0; j < JOINTS; j++) {
        const double size = random_uniform(&rng, 20.0, 1000.0), which = random_uniform(&rng, 0, 1);
        if (spiky && which < 0.01) {
          run->q[j] += size * run->options.joints.white;
          spikes++;
        }
      }
      give(run);
      sum[spiky] += error_now(run);
    }
    if (spiky) {
      ck_assert_uint_ge(joint_filter_counters(run->filter)->encoder_rejected, spikes);
      ck_assert_uint_eq(run->out.resets, 0);
    }
  }
  ck_assert_double_le(sqrt(sum[1] / sum[0]), 1.2);
}
END_TEST

/* One that coasts at constant speed gives the skin nothing to contradict it with. */
START_TEST(frozen_encoders_are_found_within_fifty_cycles_of_motion_and_taken_back) {
  struct run *run = new_run("medium", 200.0, 200.0, 0.0);
  start(run);
  advance(run, 2.0);
  int found = 0;
  for (size_t j = 0; j < JOINTS; j++) {
    const double frozen = run->q[j];
    int cycles = 0; /* with the joint more than 50 deviations of the encoder away */
    for (int step = 0; step < 200 && cycles <= 50; step++) {
      take_frame(run);
      run->q[j] = frozen;
      give(run);
      if (run->out.joint_health[j] != ENCODER_OK) {
        ck_assert_int_eq(run->out.status, PROPRIOD_STATUS_DEGRADED);
        found++;
        break;
      }
      cycles += fabs(sim_truth(run->sim)->q[j] - frozen) > 0.05;
    }
    advance(run, 1.0);
    ck_assert_uint_eq(run->out.joint_health[j], ENCODER_OK);
  }
  ck_assert_int_ge(found, JOINTS - 1);
}
END_TEST

START_TEST(a_slipped_encoder_is_refused_for_a_while_then_believed_with_one_published_jump) {
  const struct {
    double slip, latency; /* rad; s, of the skin */
  } cases[] = {{0.02, 0.0}, {-0.05, 0.0}, {0.15, 0.0}, {0.02, 2e-3}, {-0.05, 2e-3}, {0.15, 2e-3}};
  for (size_t k = 0; k < sizeof(cases) / sizeof(cases[0]); k++) {
    struct run *run = new_run("medium", 1000.0, 250.0, cases[k].latency);
    double speed = 0.0; /* rad/s: the largest error */
    start(run);
    advance(run, 1.0);
    const uint32_t before = run->out.resets;
    for (int step = 0; step < 1000; step++) {
      take_frame(run);
      run->q[4] += cases[k].slip;
      give(run);
      speed = fmax(speed, fabs(run->out.dq[4] - sim_truth(run->sim)->dq[4]));
      if (step < 50) {
        ck_assert_uint_eq(run->out.resets, before);
        assert_near(run->out.q[4], sim_truth(run->sim)->q[4], 0.01);
      }
    }
    ck_assert_uint_eq(run->out.resets, before + 1);
    assert_near(run->out.q[4], sim_truth(run->sim)->q[4] + cases[k].slip, 5e-3);
    ck_assert_double_lt(speed, 0.1);
    ck_assert_uint_eq(run->out.joint_health[4], ENCODER_OK);
  }
}
END_TEST

START_TEST(a_dead_encoder_leaves_the_other_joints_as_good_as_before) {
  double sum[2] = {0};
  for (int dead = 0; dead < 2; dead++) {
    struct run *run = new_run("medium", 200.0, 200.0, 0.0);
    start(run);
    advance(run, 1.0);
    for (int step = 0; step < 600; step++) {
      take_frame(run);
      run->q[3] = dead ? (double)NAN : run->q[3];
      give(run);
      const double own = run->out.ddq[3] - sim_truth(run->sim)->ddq[3];
      sum[dead] += error_now(run) - own * own;
    }
    ck_assert_uint_eq(run->out.joint_health[3], dead ? ENCODER_MISSING : ENCODER_OK);
  }
  ck_assert_double_le(sqrt(sum[1] / sum[0]), 1.1);
}
END_TEST

SUITE(one_percent_spikes_cost_less_than_a_fifth_and_none_above_twenty_sigma_passes,
      frozen_encoders_are_found_within_fifty_cycles_of_motion_and_taken_back,
      a_slipped_encoder_is_refused_for_a_while_then_believed_with_one_published_jump,
      a_dead_encoder_leaves_the_other_joints_as_good_as_before)
