/* The base of walking robots through the whole pipeline: IMU with noise and bias, skin and encoders
 * of ordinary sensors. */
#include "support/fault_run.h"

/* A walk after its first two seconds: sums of errors, and the worst. */
struct walk {
  double tilt_sum, tilt_worst, velocity_sum[3], cop_sum[2], height_worst;
  int n, n_cop;
};

static struct pose pose_of(const struct propriod_state *state) {
  return (struct pose){mat3_from_quat(state->quat_xyzw), state->base_position};
}

static void score(struct walk *w, const struct fault_run *run) {
  const struct sim_truth *truth = sim_truth(run->sim);
  const struct propriod_state *state = &run->out.state;
  const struct propriod_centroidal *centroidal = &run->out.centroidal;
  const struct pose X_WB = pose_of(state);
  const vec3 up = vec3_from(X_WB.R.m[2]), true_up = vec3_from(truth->base.X_WB.R.m[2]);
  const double tilt = vec3_norm(vec3_cross(up, true_up)) * 180.0 / M_PI;
  /* velocities are compared in a frame of the same yaw: yaw is free */
  const vec3 v = mat3_tmul_vec3(&X_WB.R, state->base_velocity);
  const vec3 e = vec3_sub(v, truth->base.v_B.lin);
  w->tilt_sum += tilt;
  w->tilt_worst = fmax(w->tilt_worst, tilt);
  w->velocity_sum[0] += fabs(e.x);
  w->velocity_sum[1] += fabs(e.y);
  w->velocity_sum[2] += fabs(e.z);
  w->height_worst = fmax(w->height_worst, fabs(X_WB.p.z - truth->base.X_WB.p.z));
  w->n++;
  if ((centroidal->estimated & PROPRIOD_CENTROIDAL_COP) != 0 && truth->cop_valid &&
      centroidal->support_phase != SUPPORT_STRIKE) {
    const vec3 cop_B = mat3_tmul_vec3(&X_WB.R, vec3_sub(centroidal->cop_position, X_WB.p));
    const vec3 true_B =
        mat3_tmul_vec3(&truth->base.X_WB.R, vec3_sub(truth->cop_W, truth->base.X_WB.p));
    w->cop_sum[0] += fabs(cop_B.x - true_B.x);
    w->cop_sum[1] += fabs(cop_B.y - true_B.y);
    w->n_cop++;
  }
}

static struct walk walk(const char *robot, double strike_speed, uint64_t seed) {
  struct walk w = {0};
  struct fault_run *run = fault_run_new(robot, "walk", 1000.0, 250.0);
  run->options.imu = sim_defaults(run->stock.robot, run->stock.urdf, "walk").imu;
  run->options.seed = seed;
  run->options.duration_s = 12.0;
  run->options.walk.strike_speed = strike_speed;
  run->settings.joints.gyro_noise = run->options.imu.rate_white;
  run->settings.joints.accelerometer_noise = run->options.imu.force_white;
  fault_run_start(run);
  for (int k = 0; k < 11999; k++) {
    fault_run_advance(run, 1e-3);
    if (k > 2000) {
      ck_assert((run->out.state.estimated & PROPRIOD_STATE_BASE_POSITION) != 0);
      score(&w, run);
    }
  }
  printf("%s, strikes at %.1f m/s: tilt %.3f deg mean %.3f worst, velocity %.4f %.4f %.4f m/s, "
         "centre of pressure %.1f %.1f mm, height %.1f mm\n",
         robot, strike_speed, w.tilt_sum / w.n, w.tilt_worst, w.velocity_sum[0] / w.n,
         w.velocity_sum[1] / w.n, w.velocity_sum[2] / w.n, 1e3 * w.cop_sum[0] / w.n_cop,
         1e3 * w.cop_sum[1] / w.n_cop, 1e3 * w.height_worst);
  fault_run_end(run);
  return w;
}

START_TEST(tilt_in_walking_is_within_a_tenth_of_a_degree_and_height_does_not_drift) {
  const struct walk w = walk("humanoid30", 0.0, 1);
  ck_assert_double_le(w.tilt_sum / w.n, 0.1);
  ck_assert_double_le(w.height_worst, 0.015);
  for (int axis = 0; axis < 3; axis++) {
    ck_assert_double_le(w.velocity_sum[axis] / w.n, 0.015);
  }
  ck_assert_double_le(w.cop_sum[0] / w.n_cop, 0.015);
  ck_assert_double_le(w.cop_sum[1] / w.n_cop, 0.015);
}
END_TEST

START_TEST(tilt_at_hard_strikes_is_within_three_tenths_of_a_degree) {
  const struct walk w = walk("humanoid30", 0.3, 2);
  ck_assert_double_le(w.tilt_sum / w.n, 0.3);
  ck_assert_double_le(w.height_worst, 0.015);
}
END_TEST

START_TEST(the_small_humanoid_keeps_its_tilt_too) {
  const struct walk w = walk("humanoid18", 0.0, 3);
  ck_assert_double_le(w.tilt_sum / w.n, 0.1);
  ck_assert_double_le(w.height_worst, 0.015);
}
END_TEST

/* It stands on a step that its feet have found, and after a silence on a new world's ground. */
START_TEST(a_base_that_begins_anew_stands_on_the_ground) {
  struct fault_run *run = fault_run_new("humanoid18", "step", 1000.0, 250.0);
  run->options.walk.steps = 8;
  run->options.duration_s = 16.0;
  fault_run_start(run);
  fault_run_advance(run, 12.0);
  const double on_step = run->out.centroidal.capture_point.z,
               height = run->out.state.base_position.z;
  sim_shift_clock(run->sim, 6000000000);
  fault_run_advance(run, 2.0);
  printf("ground at %.1f mm, then at %.1f; base lower by %.1f mm\n", 1e3 * on_step,
         1e3 * run->out.centroidal.capture_point.z,
         1e3 * (height - run->out.state.base_position.z));
  ck_assert_uint_gt(run->out.state.resets, 0);
  assert_near(on_step, 0.05, 0.01);
  assert_near(run->out.centroidal.capture_point.z, 0.0, 1e-9);
  assert_near(height - run->out.state.base_position.z, on_step, 0.01);
  fault_run_end(run);
}
END_TEST

SUITE(tilt_in_walking_is_within_a_tenth_of_a_degree_and_height_does_not_drift,
      tilt_at_hard_strikes_is_within_three_tenths_of_a_degree,
      the_small_humanoid_keeps_its_tilt_too, a_base_that_begins_anew_stands_on_the_ground)
