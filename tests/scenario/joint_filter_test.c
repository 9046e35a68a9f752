/* The joint filter on a chain of nine joints with 312 cells, fed by the simulator, with one fault
 * at a time. */
#include "joint_filter.h"
#include "sim.h"
#include "stock_robot.h"
#include "suite.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { JOINTS = 9 };

struct run {
  struct stock_robot stock;
  struct sim_options options;
  struct joint_filter_settings settings;
  struct sim *sim;
  struct joint_filter *filter;
  struct state_estimate out;
  struct sensor_frame frame; /* a copy that faults may touch */
  double q[JOINTS];
  float *acceleration;
  uint8_t *flags;
  size_t steps;
};

static struct run *new_run(enum sim_scenario scenario, double rate_hz, double skin_hz,
                           double skin_latency_s) {
  struct run *run = calloc(1, sizeof(*run));
  struct message error;
  if (stock_robot_load("chain9", "config/robots", &run->stock, &error) != STATUS_OK) {
    ck_abort_msg("%s", error.text);
  }
  run->stock.robot->fixed_base = false; /* as in the thesis: 51 states, the base stands still */
  run->options = sim_defaults(run->stock.robot, run->stock.urdf, scenario);
  sim_make_ideal(&run->options);
  run->options.seed = test_seed();
  run->options.duration_s = 60.0;
  run->options.frame_rate_hz = rate_hz;
  run->options.rest_s = 0.3;
  run->options.stream[SIM_JOINTS].rate_hz = run->options.stream[SIM_IMU].rate_hz = rate_hz;
  run->options.stream[SIM_JOINTS].latency_s = run->options.stream[SIM_IMU].latency_s = 0.0;
  run->options.stream[SIM_SKIN] = (struct sim_stream_options){skin_hz, skin_latency_s, 0.0, 0.0};
  run->options.joints.white = 1e-3;
  run->options.skin.white = 0.34;
  run->options.imu.force_white = 0.05;
  run->options.imu.rate_white = 5e-3;
  run->settings = joint_filter_defaults();
  run->settings.period_s = 1.0 / rate_hz;
  run->settings.window_s = fmax(20e-3, 4.0 / rate_hz);
  return run;
}

static void start(struct run *run) {
  struct message error;
  if (sim_create(&run->sim, &run->options, &error) != STATUS_OK) {
    ck_abort_msg("%s", error.text);
  }
  struct arena count = {0};
  ck_assert_int_eq(joint_filter_init(&run->filter, run->stock.robot, &run->settings, &count),
                   STATUS_OK);
  struct arena arena = arena_over(aligned_alloc(ARENA_ALIGN, count.used), count.used);
  ck_assert_int_eq(joint_filter_init(&run->filter, run->stock.robot, &run->settings, &arena),
                   STATUS_OK);
  ck_assert_uint_eq(arena.used, count.used);
  run->acceleration = malloc(3 * run->stock.robot->n_cells * sizeof(float));
  run->flags = malloc(run->stock.robot->n_cells);
}

/* The next frame, in arrays of its own. */
static void take_frame(struct run *run) {
  ck_assert_int_eq(sim_step(run->sim), STATUS_OK);
  const size_t n_cells = run->stock.robot->n_cells;
  run->frame = *sim_frame(run->sim);
  memcpy(run->q, run->frame.joints.q, sizeof(run->q));
  run->frame.joints.q = run->q;
  if (run->frame.skin.stamp.present) {
    memcpy(run->acceleration, run->frame.skin.acceleration, 3 * n_cells * sizeof(float));
    memcpy(run->flags, run->frame.skin.flags, n_cells);
    run->frame.skin.acceleration = run->acceleration;
    run->frame.skin.flags = run->flags;
  }
  run->steps++;
}

static void assert_sound(const struct state_estimate *out) {
  for (size_t j = 0; j < JOINTS && (out->estimated & STATE_Q); j++) {
    ck_assert(isfinite(out->q[j]) && isfinite(out->dq[j]) && isfinite(out->ddq[j]));
    ck_assert(isfinite(out->jerk[j]) && out->q_sd[j] > 0.0 && out->dq_sd[j] > 0.0);
    ck_assert(isfinite(out->q_sd[j]) && isfinite(out->ddq_sd[j]) && out->ddq_sd[j] > 0.0);
  }
  if (out->estimated & STATE_BASE_RATE) {
    ck_assert(vec3_is_finite(out->omega_B) && vec3_is_finite(out->omegadot_B) &&
              vec3_is_finite(out->specific_force_B));
  }
}

static void give(struct run *run) {
  memset(run->out.ddq, 0xff, sizeof(run->out.ddq)); /* NaN until written */
  joint_filter_step(run->filter, &run->frame, &run->out);
  assert_sound(&run->out);
}

static void advance(struct run *run, double seconds) {
  for (double t = 0.0; t < seconds; t += run->settings.period_s) {
    take_frame(run);
    give(run);
  }
}

/* Squared error of ddq now, summed over the joints. */
static double error_now(const struct run *run) {
  double sum = 0.0;
  for (size_t j = 0; j < JOINTS; j++) {
    const double e = run->out.ddq[j] - sim_truth(run->sim)->ddq[j];
    sum += e * e;
  }
  return sum;
}

/* -- time ------------------------------------------------------------------------------------ */

START_TEST(it_settles_without_a_transient_and_says_when) {
  struct run *run = new_run(SIM_FAST, 1000.0, 250.0, 0.0);
  start(run);
  take_frame(run);
  give(run);
  ck_assert_int_eq(run->out.status, ESTIMATE_INIT);
  advance(run, 0.25);
  ck_assert_int_eq(run->out.status, ESTIMATE_OK);
  for (int step = 0; step < 100; step++) { /* the chain stands still: nothing may move */
    take_frame(run);
    give(run);
    for (size_t j = 0; j < JOINTS && step < 50; j++) {
      ck_assert_double_le(fabs(run->out.dq[j]), 0.05);
      ck_assert_double_le(fabs(run->out.ddq[j]), 5.0 * run->out.ddq_sd[j]);
    }
  }
}
END_TEST

START_TEST(duplicates_change_not_one_bit) {
  struct run *a = new_run(SIM_FAST, 200.0, 200.0, 0.0), *b = new_run(SIM_FAST, 200.0, 200.0, 0.0);
  start(a);
  start(b);
  struct sensor_frame again;
  for (int step = 0; step < 300; step++) {
    take_frame(a);
    give(a);
    take_frame(b);
    give(b);
    if (step % 20 == 7) { /* the same samples, called fresh once more */
      again = b->frame;
      joint_filter_step(b->filter, &again, &b->out);
    }
    ck_assert_mem_eq(a->out.q, b->out.q, sizeof(a->out.q[0]) * JOINTS);
    ck_assert_mem_eq(a->out.ddq_sd, b->out.ddq_sd, sizeof(a->out.ddq_sd[0]) * JOINTS);
  }
  ck_assert_uint_ge(joint_filter_counters(b->filter)->duplicates, 3 * 14);
}
END_TEST

/* The late sample is put where it belongs: once all has arrived, both have seen the same. What
 * remains comes from biases that were a few milliseconds older when used. */
START_TEST(late_skin_leads_to_the_estimate_that_timely_skin_would_have_given) {
  struct run *timely = new_run(SIM_FAST, 1000.0, 250.0, 0.0);
  struct run *late = new_run(SIM_FAST, 1000.0, 250.0, 5e-3);
  timely->settings.adapt_density = late->settings.adapt_density = false;
  timely->settings.joint_density = late->settings.joint_density = 1e5;
  start(timely);
  start(late);
  /* latest skin sampled at 4 ms steps; 3 ms after one has arrived 5 ms late, 8 ms have passed */
  advance(timely, 1.0);
  advance(late, 1.0);
  for (int step = 0; step < 12; step++) {
    take_frame(late);
    late->frame.joints.stamp.fresh = late->frame.imu.stamp.fresh = false;
    late->frame.t_ns = sim_truth(timely->sim)->t_ns;
    if (late->frame.skin.stamp.t_ns > late->frame.t_ns) {
      late->frame.skin.stamp.fresh = false;
    }
    give(late);
  }
  for (size_t j = 0; j < JOINTS; j++) {
    assert_near(late->out.ddq[j], timely->out.ddq[j], 0.2 * timely->out.ddq_sd[j]);
    assert_near(late->out.q[j], timely->out.q[j], 0.2 * timely->out.q_sd[j]);
  }
  ck_assert_uint_ge(joint_filter_counters(late->filter)->replays, 4 * 200);
  /* one was taken before the first instant */
  ck_assert_uint_le(joint_filter_counters(late->filter)->late_dropped, 1);
}
END_TEST

/* Takes readings of a link's cells away: of another link at every sample of the skin. */
static void drop_cells(struct run *run) {
  const int64_t sample = run->frame.skin.stamp.t_ns / 4000000;
  for (size_t cell = 0; cell < run->stock.robot->n_cells && run->frame.skin.stamp.fresh; cell++) {
    if ((int64_t)run->stock.robot->cell[cell].link == sample % (JOINTS + 1)) {
      run->flags[cell] &= (uint8_t)~CELL_VALID;
    }
  }
}

/* Lets a filter with timely skin and one with late skin run side by side and compares them whenever
 * both have seen the same. Without the slow stages they do the same sums on the same samples, some
 * of them twice and some in advance: nothing may remain but rounding and what the first
 * milliseconds have left. */
static struct run *compare_late_with_timely(bool dropping) {
  struct run *timely = new_run(SIM_FAST, 1000.0, 250.0, 0.0);
  struct run *late = new_run(SIM_FAST, 1000.0, 250.0, 2e-3);
  struct run *const runs[] = {timely, late};
  int compared = 0;
  for (int i = 0; i < 2; i++) {
    runs[i]->settings.adapt_density = runs[i]->settings.link_bias = false;
    runs[i]->settings.gyro_bias = false;
    runs[i]->settings.joint_density = 1e5;
    start(runs[i]);
  }
  for (int step = 0; step < 1200; step++) {
    for (int i = 0; i < 2; i++) {
      take_frame(runs[i]);
      if (dropping) {
        drop_cells(runs[i]);
      }
      give(runs[i]);
    }
    const int64_t age_ns = late->frame.t_ns - late->frame.skin.stamp.t_ns;
    if (step < 1000 || late->frame.skin.stamp.t_ns != timely->frame.skin.stamp.t_ns ||
        age_ns > 3000000) {
      continue; /* the timely one has seen more */
    }
    for (size_t j = 0; j < JOINTS; j++) {
      assert_near(late->out.q[j], timely->out.q[j], 1e-6 * timely->out.q_sd[j]);
      assert_near(late->out.dq[j], timely->out.dq[j], 1e-6 * timely->out.dq_sd[j]);
      assert_near(late->out.ddq[j], timely->out.ddq[j], 1e-6 * timely->out.ddq_sd[j]);
      assert_near(late->out.ddq_sd[j], timely->out.ddq_sd[j], 1e-6 * timely->out.ddq_sd[j]);
    }
    compared++;
  }
  ck_assert_int_ge(compared, 90);
  return late;
}

START_TEST(without_slow_stages_late_skin_gives_the_estimate_of_timely_skin_to_a_millionth) {
  const struct run *late = compare_late_with_timely(false);
  /* and it was prepared for; a little less than one in four cycles brings skin */
  ck_assert_uint_ge(joint_filter_counters(late->filter)->prepared, 240);
}
END_TEST

START_TEST(a_preparation_for_other_cells_than_those_that_come_is_thrown_away) {
  const struct run *late = compare_late_with_timely(true);
  ck_assert_uint_eq(joint_filter_counters(late->filter)->prepared, 0);
}
END_TEST

START_TEST(late_skin_helps_and_never_hurts) {
  double sum[2] = {0};
  for (int with = 0; with < 2; with++) {
    struct run *run = new_run(SIM_FAST, 1000.0, 250.0, 5e-3);
    start(run);
    advance(run, 1.0);
    for (int step = 0; step < 1500; step++) {
      take_frame(run);
      run->frame.skin.stamp.fresh = run->frame.skin.stamp.fresh && with == 1;
      give(run);
      sum[with] += error_now(run);
    }
  }
  ck_assert_double_le(sqrt(sum[1] / sum[0]), 0.4);
}
END_TEST

START_TEST(stamps_of_zero_from_the_future_or_from_long_ago_are_refused) {
  struct run *run = new_run(SIM_MEDIUM, 200.0, 200.0, 0.0);
  start(run);
  advance(run, 1.0);
  const struct joint_filter_counters before = *joint_filter_counters(run->filter);
  take_frame(run);
  run->frame.joints.stamp.t_ns = 0;
  run->frame.imu.stamp.t_ns = run->frame.t_ns + 3600000000000;
  run->frame.skin.stamp.t_ns -= 500000000;
  give(run);
  const struct joint_filter_counters *after = joint_filter_counters(run->filter);
  ck_assert_uint_eq(after->time_refused, before.time_refused + 2);
  ck_assert_uint_eq(after->duplicates, before.duplicates + 1);
  ck_assert_uint_eq(after->updates, before.updates);
  advance(run, 0.1);
  ck_assert_uint_eq(after->resets, 0);
}
END_TEST

START_TEST(a_gap_of_a_second_starts_anew_once_and_says_so) {
  struct run *run = new_run(SIM_MEDIUM, 200.0, 200.0, 0.0);
  start(run);
  advance(run, 1.0);
  for (int step = 0; step < 200; step++) {
    take_frame(run);
    run->frame.joints.stamp.fresh = run->frame.imu.stamp.fresh = run->frame.skin.stamp.fresh =
        false;
    give(run);
  }
  ck_assert_int_eq(run->out.status, ESTIMATE_STALE);
  const uint32_t resets = run->out.resets;
  advance(run, 1.0);
  ck_assert_uint_eq(run->out.resets, resets + 1);
  ck_assert_int_eq(run->out.status, ESTIMATE_OK);
}
END_TEST

/* -- values ---------------------------------------------------------------------------------- */

START_TEST(no_value_in_any_channel_makes_anything_not_finite) {
  const double bad[] = {NAN, INFINITY, -INFINITY, 1e308, -1e308, 5e-324};
  struct run *run = new_run(SIM_MEDIUM, 200.0, 200.0, 0.0);
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
  struct run *other = new_run(SIM_MEDIUM, 200.0, 200.0, 0.0);
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

START_TEST(one_percent_spikes_cost_less_than_a_fifth_and_none_above_twenty_sigma_passes) {
  double sum[2] = {0};
  for (int spiky = 0; spiky < 2; spiky++) {
    struct random rng = random_from(test_seed());
    struct run *run = new_run(SIM_MEDIUM, 1000.0, 250.0, 0.0);
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

/* -- encoders -------------------------------------------------------------------------------- */

/* One that coasts at constant speed gives the skin nothing to contradict it with. */
START_TEST(frozen_encoders_are_found_within_fifty_cycles_of_motion_and_taken_back) {
  struct run *run = new_run(SIM_MEDIUM, 200.0, 200.0, 0.0);
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
        ck_assert_int_eq(run->out.status, ESTIMATE_DEGRADED);
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
  const double slips[] = {0.02, -0.05, 0.15};
  for (size_t k = 0; k < 3; k++) {
    struct run *run = new_run(SIM_MEDIUM, 1000.0, 250.0, 0.0);
    start(run);
    advance(run, 1.0);
    const uint32_t before = run->out.resets;
    for (int step = 0; step < 1000; step++) {
      take_frame(run);
      run->q[4] += slips[k];
      give(run);
      if (step < 50) {
        ck_assert_uint_eq(run->out.resets, before);
        assert_near(run->out.q[4], sim_truth(run->sim)->q[4], 0.01);
      }
    }
    ck_assert_uint_eq(run->out.resets, before + 1);
    assert_near(run->out.q[4], sim_truth(run->sim)->q[4] + slips[k], 5e-3);
    ck_assert_uint_eq(run->out.joint_health[4], ENCODER_OK);
  }
}
END_TEST

START_TEST(a_dead_encoder_leaves_the_other_joints_as_good_as_before) {
  double sum[2] = {0};
  for (int dead = 0; dead < 2; dead++) {
    struct run *run = new_run(SIM_MEDIUM, 200.0, 200.0, 0.0);
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

/* -- skin and IMU ---------------------------------------------------------------------------- */

START_TEST(skin_lost_and_found_again_is_bounded_flagged_and_forgotten) {
  struct run *run = new_run(SIM_MEDIUM, 200.0, 200.0, 0.0);
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
    for (size_t j = 0; j < JOINTS; j++) {
      truth += sim_truth(run->sim)->ddq[j] * sim_truth(run->sim)->ddq[j];
    }
  }
  ck_assert_double_le(sqrt(lost / truth), 0.5);
  advance(run, 1.0);
  for (int step = 0; step < 300; step++) {
    take_frame(run);
    give(run);
    after += error_now(run);
  }
  ck_assert_double_le(sqrt(after / 300.0 / JOINTS), 0.6);
  ck_assert_int_eq(run->out.status, ESTIMATE_OK);
  ck_assert_uint_eq(run->out.resets, 0);
}
END_TEST

START_TEST(without_the_imu_for_200_ms_the_joints_go_on) {
  struct run *run = new_run(SIM_FAST, 1000.0, 250.0, 0.0);
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
  ck_assert_int_eq(run->out.status, ESTIMATE_OK);
}
END_TEST

START_TEST(cells_that_die_leave_the_error_inside_the_grown_deviation) {
  struct run *run = new_run(SIM_MEDIUM, 200.0, 200.0, 0.0);
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

/* -- beginning again ------------------------------------------------------------------------- */

START_TEST(an_adopted_state_goes_on_without_a_jump) {
  struct run *run = new_run(SIM_FAST, 200.0, 200.0, 0.0),
             *next = new_run(SIM_FAST, 200.0, 200.0, 0.0);
  start(run);
  start(next);
  advance(run, 2.0);
  for (int step = 0; step < 401; step++) {
    take_frame(next);
  }
  ck_assert_int_eq(joint_filter_adopt(next->filter, run->filter), STATUS_OK);
  take_frame(run);
  give(run);
  while (sim_truth(next->sim)->t_ns < sim_truth(run->sim)->t_ns) {
    take_frame(next);
  }
  give(next);
  for (size_t j = 0; j < JOINTS; j++) {
    assert_near(next->out.q[j], run->out.q[j], 0.2 * run->out.q_sd[j]);
    assert_near(next->out.ddq[j], run->out.ddq[j], 0.5 * run->out.ddq_sd[j]);
  }
  ck_assert_int_eq(next->out.status, ESTIMATE_OK);
}
END_TEST

/* What is published must not count backwards when a reload changes the size of the state. */
START_TEST(a_state_that_cannot_be_adopted_is_one_reset_more_and_no_counter_falls) {
  struct run *run = new_run(SIM_FAST, 200.0, 200.0, 0.0),
             *next = new_run(SIM_FAST, 200.0, 200.0, 0.0);
  next->settings.link_bias = false;
  start(run);
  start(next);
  advance(run, 1.0);
  const struct joint_filter_counters before = *joint_filter_counters(run->filter);
  const uint32_t resets = run->out.resets;
  ck_assert_int_eq(joint_filter_adopt(next->filter, run->filter), STATUS_BAD_ARGUMENT);
  take_frame(next);
  give(next);
  ck_assert_uint_eq(next->out.resets, resets + 1);
  ck_assert_uint_gt(joint_filter_counters(next->filter)->steps, before.steps);
  ck_assert_uint_ge(joint_filter_counters(next->filter)->updates, before.updates);
}
END_TEST

/* Believed noises a thousand times too small: said within a hundred cycles, and no end to it that
 * is not finite. */
START_TEST(a_filter_that_believes_too_much_says_so_within_a_hundred_cycles) {
  for (int which = 0; which < 3; which++) {
    struct run *run = new_run(SIM_FAST, 200.0, 200.0, 0.0);
    double *const noise[] = {&run->settings.encoder_noise, &run->settings.cell_noise,
                             &run->settings.accelerometer_noise};
    *noise[which] /= sqrt(1000.0);
    run->settings.adapt_density = false;
    run->settings.joint_density = 10.0;
    start(run);
    int cycles = 0;
    while (cycles < 100 && run->out.status != ESTIMATE_DEGRADED &&
           run->out.status != ESTIMATE_DIVERGED) {
      take_frame(run);
      give(run);
      cycles += run->out.status != ESTIMATE_INIT; /* from the moment it claims to be well */
    }
    ck_assert_msg(cycles < 100, "noise %d: status %d", which, (int)run->out.status);
    advance(run, 2.0);
    ck_assert_int_ne(run->out.status, ESTIMATE_OK);
  }
}
END_TEST

START_TEST(settings_that_are_no_noise_or_time_are_refused) {
  struct run *run = new_run(SIM_REST, 200.0, 200.0, 0.0);
  double *const setting[] = {&run->settings.period_s,   &run->settings.encoder_noise,
                             &run->settings.cell_noise, &run->settings.joint_density_max,
                             &run->settings.gyro_noise, &run->settings.window_s};
  for (size_t k = 0; k < sizeof(setting) / sizeof(setting[0]); k++) {
    const double good = *setting[k], bad[] = {0.0, -1.0, NAN, INFINITY};
    for (size_t b = 0; b < 4; b++) {
      struct arena count = {0};
      *setting[k] = bad[b];
      ck_assert_int_eq(joint_filter_init(&run->filter, run->stock.robot, &run->settings, &count),
                       STATUS_OUT_OF_RANGE);
      ck_assert_ptr_null(run->filter);
    }
    *setting[k] = good;
  }
}
END_TEST

SUITE(it_settles_without_a_transient_and_says_when, duplicates_change_not_one_bit,
      late_skin_leads_to_the_estimate_that_timely_skin_would_have_given,
      without_slow_stages_late_skin_gives_the_estimate_of_timely_skin_to_a_millionth,
      a_preparation_for_other_cells_than_those_that_come_is_thrown_away,
      late_skin_helps_and_never_hurts, stamps_of_zero_from_the_future_or_from_long_ago_are_refused,
      a_gap_of_a_second_starts_anew_once_and_says_so,
      no_value_in_any_channel_makes_anything_not_finite,
      one_percent_spikes_cost_less_than_a_fifth_and_none_above_twenty_sigma_passes,
      frozen_encoders_are_found_within_fifty_cycles_of_motion_and_taken_back,
      a_slipped_encoder_is_refused_for_a_while_then_believed_with_one_published_jump,
      a_dead_encoder_leaves_the_other_joints_as_good_as_before,
      skin_lost_and_found_again_is_bounded_flagged_and_forgotten,
      without_the_imu_for_200_ms_the_joints_go_on,
      cells_that_die_leave_the_error_inside_the_grown_deviation,
      an_adopted_state_goes_on_without_a_jump,
      a_state_that_cannot_be_adopted_is_one_reset_more_and_no_counter_falls,
      a_filter_that_believes_too_much_says_so_within_a_hundred_cycles,
      settings_that_are_no_noise_or_time_are_refused)
