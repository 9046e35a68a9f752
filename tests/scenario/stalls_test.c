/* A feed that stalls again and again, as from a computer that cannot keep up: the robot only
 * stands, and the estimate stays with it. */
#include "support/fault_run.h"
#include "support/suite.h"

enum { CYCLES = 12000, AFTER = 2000 };
static const double LONGEST_S = 0.375, APART_S = 0.05, PERIOD_S = 1e-3;

/* Nothing new has come. */
static void silence(struct sensor_frame *frame) {
  frame->joints.stamp.fresh = frame->imu.stamp.fresh = false;
  frame->skin.stamp.fresh = frame->wrench.stamp.fresh = false;
}

/* Largest error of a position, in its own deviations; in rad. */
struct error {
  double sigmas, position;
};

static struct error error_of(const struct fault_run *run) {
  const struct propriod_state *state = &run->out.state;
  struct error error = {0.0, 0.0};
  for (size_t j = 0; j < run->stock.robot->model.n_joints; j++) {
    const double off = fabs(state->q[j] - sim_truth(run->sim)->q[j]);
    error.position = fmax(error.position, off);
    error.sigmas = fmax(error.sigmas, off / state->q_sd[j]);
  }
  return error;
}

START_TEST(a_feed_that_stalls_does_not_lead_the_estimate_away) {
  struct fault_run *run = fault_run_new("humanoid30", "stand", 1000.0, 250.0);
  struct random random = random_from(test_seed());
  fault_run_start(run);
  int stalled = 0, flowing = 1000, silent = 0;
  double worst = 0.0, sigmas = 0.0, after = 0.0;
  for (int k = 0; k < CYCLES + AFTER; k++) {
    fault_run_take(run);
    if (flowing-- == 0) {
      const double longest = LONGEST_S * random_uniform(&random, 0.0, 1.0);
      stalled = (int)(longest * random_uniform(&random, 0.0, 1.0) / PERIOD_S);
      flowing = stalled + (int)(random_uniform(&random, 0.0, APART_S) / PERIOD_S);
    }
    if (stalled-- > 0 && k < CYCLES) {
      silence(&run->frame);
    }
    pipeline_step(run->pipeline, &run->frame, &run->out);
    silent = run->frame.joints.stamp.fresh ? 0 : silent + 1;
    ck_assert(silent <= 22 || run->out.state.status != PROPRIOD_STATUS_OK);
    if ((run->out.state.estimated & PROPRIOD_STATE_Q) != 0) {
      const struct error error = error_of(run);
      worst = fmax(worst, error.position);
      sigmas = fmax(sigmas, error.sigmas);
      after = k > CYCLES + AFTER / 2 ? fmax(after, error.position) : 0.0;
    }
  }
  const struct joint_filter_counters *count = pipeline_counters(run->pipeline);
  printf("worst %.3g rad %.3g sigma, afterwards %.3g rad; resets %lu, encoders left out %lu, slips "
         "%lu\n",
         worst, sigmas, after, (unsigned long)run->out.state.resets,
         (unsigned long)count->encoder_rejected, (unsigned long)count->slips);
  ck_assert_double_lt(after, 0.01);
  asked(sigmas < 7.0);
}
END_TEST

SUITE(a_feed_that_stalls_does_not_lead_the_estimate_away)
