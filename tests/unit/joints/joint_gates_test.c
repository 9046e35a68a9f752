/* What new readings open and tell beside the estimate, in a filter of a whole robot without skin:
 * blows that its IMU feels, encoders that leave the prediction. */
#include "body/frames.h"
#include "joints/encoder_gates.h"
#include "joints/imu_gates.h"
#include "joints/joint_filter_core.h"
#include "joints/joint_settle.h"
#include "process/base_process.h"
#include "support/synthetic_robot.h"

enum { JOINTS = 4, STEPS = 400 };

static const double DT = 1e-3, ENCODER_NOISE = 1e-4; /* s; rad */

struct gated {
  struct random rng;
  struct robot *robot;
  struct joint_filter *filter;
  struct kinematics kin; /* as it moves, for what an IMU beyond joints reads */
  struct propriod_state out;
  struct sensor_frame frame;
  double q[JOINTS], dq[JOINTS], ddq[JOINTS], read[JOINTS]; /* rad */
  vec3 rate, push; /* rad/s, m/s^2: beside those of rest, the IMU's axes */
  int step;
};

/* What an IMU reads that is right: the base rests. */
static struct motion motion_felt(struct gated *g) {
  const struct robot_motion motion = {
      .base = {.X_WB = POSE_IDENTITY, .a_B.lin = {0.0, 0.0, STANDARD_GRAVITY}},
      .q = g->q,
      .dq = g->dq,
      .ddq = g->ddq};
  struct frame_motion imu;
  if (kinematics_update(&g->kin, &motion) != STATUS_OK || /* an encoder that gives no number */
      frame_motion(&g->kin, g->robot->imu_link, &g->robot->imu_placement, &imu) != STATUS_OK) {
    return (struct motion){VEC3_ZERO, VEC3_ZERO};
  }
  return (struct motion){imu.v_F.ang, imu.a_F.lin};
}

static void step_once(struct gated *g) {
  const int64_t now = 1000000000 + 1000000 * (int64_t)g->step++;
  const struct stream_stamp stamp = {.present = true, .fresh = true, .t_ns = now};
  for (size_t j = 0; j < JOINTS; j++) {
    g->read[j] = g->q[j] + ENCODER_NOISE * random_normal(&g->rng);
  }
  const struct motion felt = motion_felt(g);
  g->frame = (struct sensor_frame){
      .t_ns = now,
      .joints = {.stamp = stamp, .q = g->read},
      .imu = {.stamp = stamp,
              .specific_force = vec3_add(vec3_add(felt.lin, g->push), random_vector(&g->rng, 0.02)),
              .angular_rate = vec3_add(vec3_add(felt.ang, g->rate), random_vector(&g->rng, 2e-3))},
  };
  joint_filter_step(g->filter, &g->frame, &g->out);
}

/* A robot that has stood for a while, its IMU on this link. */
static struct gated *standing_with_imu_on(size_t link) {
  struct gated *g = calloc(1, sizeof(*g));
  g->rng = random_from(test_seed());
  g->robot = synthetic_robot(JOINTS, true, 0, &g->rng);
  g->robot->imu_link = link;
  struct joint_filter_settings settings = joint_filter_defaults();
  settings.encoder_noise = ENCODER_NOISE;
  settings.period_s = DT;
  settings.joints_together = JOINTS;
  struct arena arena = {0};
  for (int counted = 0; counted < 2; counted++) {
    arena = counted == 0 ? arena : test_arena(arena.used);
    ck_assert_int_eq(joint_filter_init(&g->filter, g->robot, &settings, &arena), STATUS_OK);
    ck_assert_int_eq(kinematics_init(&g->kin, &g->robot->model, &arena), STATUS_OK);
  }
  ck_assert_uint_eq(g->filter->n_apart, 0);
  while (g->step < STEPS) {
    step_once(g);
  }
  ck_assert_uint_eq(joint_filter_counters(g->filter)->resets, 0);
  return g;
}

static struct gated *standing(void) {
  return standing_with_imu_on(0);
}

START_TEST(a_push_that_nobody_foresaw_may_have_turned_the_base) {
  struct gated *g = standing();
  const struct aftershock *shock = &g->filter->aftershock;
  ck_assert_double_eq(aftershock_of_base(shock, 2, 0), 0.0);
  g->push = (vec3){30.0, 0.0, 0.0};
  step_once(g);
  ck_assert_double_gt(sqrt(aftershock_of_base(shock, 2, 0)), 0.9 * 30.0 / 0.3); /* at an arm, m */
}
END_TEST

START_TEST(a_rate_that_jumps_is_told_of_its_derivative) {
  struct gated *g = standing();
  g->rate = (vec3){1.0, 0.0, 0.0};
  step_once(g);
  ck_assert_double_gt(sqrt(aftershock_of_base(&g->filter->aftershock, 2, 0)), 0.9 * 1.0 / DT);
}
END_TEST

/* A blow's first reading may be a broken word, and is left out: until the next, nobody knows. */
START_TEST(what_a_reading_that_is_left_out_said_is_in_the_deviation_until_the_next) {
  struct gated *g = standing();
  g->rate = (vec3){0.0, 0.5, 0.0};
  g->push = (vec3){0.0, 30.0, 0.0};
  step_once(g);
  const mat3 *R = &g->robot->imu_placement.R;
  const vec3 turned = mat3_mul_vec3(R, g->rate), pushed = mat3_mul_vec3(R, g->push);
  ck_assert_double_gt(vec3_norm(g->out.base_specific_force_sd), 0.9 * vec3_norm(pushed));
  ck_assert_double_gt(vec3_norm(g->out.base_angular_velocity_sd), 0.9 * vec3_norm(turned));
  const vec3 sd = g->out.base_specific_force_sd;
  ck_assert_double_gt(fabs(sd.x * pushed.x) + fabs(sd.y * pushed.y) + fabs(sd.z * pushed.z),
                      0.9 * vec3_dot(pushed, pushed));
  g->rate = g->push = VEC3_ZERO;
  step_once(g); /* a broken word */
  ck_assert_double_eq(aftershock_of_force(&g->filter->aftershock, 0), 0.0);
  ck_assert_double_lt(vec3_norm(g->out.base_angular_velocity_sd), 0.1);
}
END_TEST

static void step_for(struct gated *g, int steps) {
  for (int k = 0; k < steps; k++) {
    step_once(g);
  }
}

START_TEST(gravity_is_looked_for_in_all_that_the_accelerometer_reads_less_its_bias) {
  struct gated *g = standing();
  struct joint_filter *f = g->filter;
  struct instant *newest = instants_newest(&f->instants);
  const struct base_lean *lean = &f->base_lean;
  const vec3 bias = {1.5, 0.0, 0.0};
  vec3_to(bias, newest->x + f->layout.accelerometer_bias);
  g->push = mat3_tmul_vec3(&g->robot->imu_placement.R, bias);
  step_for(g, 310); /* a stretch that is biased from its beginning */
  ck_assert_double_lt(fabs(vec3_norm(lean->before) - STANDARD_GRAVITY), 0.1);
  ck_assert_double_lt(hypot(lean->before.x, lean->before.y), 0.3);
  imu_judge_refuse(&f->judge, IMU_ACCELEROMETER, instants_newest(&f->instants)->t_ns);
  step_once(g);
  const int64_t read_ns = lean->read_ns;
  ck_assert_int_eq(read_ns, instants_newest(&f->instants)->t_ns);
  joint_filter_deny_imu(f, 1u << IMU_ACCELEROMETER);
  step_for(g, 5);
  ck_assert_int_eq(lean->read_ns, read_ns);
}
END_TEST

/* At its arm an accelerometer goes with the base's turn. */
START_TEST(what_the_velocity_gained_is_that_of_the_accelerometer) {
  struct gated *g = standing();
  const struct joint_filter *f = g->filter;
  const struct joint_layout *l = &f->layout;
  const struct base_lean *lean = &f->base_lean;
  g->rate = (vec3){0.0, 0.0, 1.0};
  step_for(g, 200);
  for (int k = 0; k < 200 && lean->began_ns != lean->read_ns; k++) {
    step_once(g);
  }
  const struct instant *now = instants_newest(&f->instants);
  const mat3 R = mat3_from_quat(base_process_rotation(l, now->x));
  const vec3 v = vec3_from(now->x + l->velocity), omega = vec3_from(now->x + l->omega),
             at_arm = mat3_mul_vec3(&R, vec3_cross(omega, f->imu.p)),
             off = vec3_sub(vec3_sub(lean->speed, v), at_arm);
  ck_assert_double_gt(vec3_norm(at_arm), 0.02);
  ck_assert_double_lt(vec3_norm(off), 0.2 * vec3_norm(at_arm));
}
END_TEST

/* Joints between turn by up to 1.5 rad/s each: that is no surprise, and no turn of the base. */
START_TEST(what_joints_do_between_base_and_imu_is_foreseen) {
  struct gated *g = standing_with_imu_on(JOINTS);
  const uint64_t rejected = joint_filter_counters(g->filter)->imu_rejected;
  const double omega = M_PI, swing = 0.25;
  double turned = 0.0;
  for (int k = 1; k <= 1000; k++) {
    for (size_t j = 0; j < JOINTS; j++) {
      g->q[j] = swing * (omega * k * DT - sin(omega * k * DT));
      g->dq[j] = swing * omega * (1.0 - cos(omega * k * DT));
      g->ddq[j] = swing * omega * omega * sin(omega * k * DT);
    }
    step_once(g);
    turned = fmax(turned, vec3_norm(g->out.base_angular_velocity));
  }
  ck_assert_uint_eq(joint_filter_counters(g->filter)->imu_rejected, rejected);
  ck_assert_double_lt(turned, 0.1);
}
END_TEST

/* What the newest reading opens lies along the IMU's axis that felt it. */
START_TEST(a_push_on_an_imu_beyond_joints_opens_the_base_along_it) {
  struct gated *g = standing_with_imu_on(JOINTS);
  g->push = (vec3){30.0, 0.0, 0.0};
  step_once(g);
  step_once(g); /* the second is believed */
  const vec3 open = instants_newest(&g->filter->instants)->open_force;
  const mat3 *R = &g->filter->imu.R;
  const double sum = open.x + open.y + open.z;
  ck_assert_double_gt(sum, 100.0);
  assert_near(open.x / sum, R->m[0][0] * R->m[0][0], 0.02);
  assert_near(open.y / sum, R->m[1][0] * R->m[1][0], 0.02);
}
END_TEST

/* However lively it turns: what shakes it is not taken for a turn at the arm alone. */
START_TEST(a_base_that_is_shaken_is_lively_whatever_turns_may_do_at_an_arm) {
  struct gated *g = standing_with_imu_on(JOINTS);
  struct base_liveliness *live = g->filter->liveliness;
  for (int k = 0; k < 300; k++) {
    live[IMU_GYRO].density = 1e6 * live[IMU_GYRO].least;
    g->push = random_vector(&g->rng, 0.5);
    step_once(g);
  }
  ck_assert_double_gt(live[IMU_ACCELEROMETER].density, 3.0 * live[IMU_ACCELEROMETER].least);
}
END_TEST

/* A base begins with what its IMU feels; where that stays away something is wrong. */
START_TEST(a_base_that_waits_for_its_imu_is_initial_for_a_while_and_not_well_then) {
  struct gated *g = standing_with_imu_on(JOINTS);
  joint_filter_reset(g->filter);
  g->push.x = (double)NAN;
  for (int k = 0; k < 500; k++) {
    step_once(g);
    const enum propriod_status status = (enum propriod_status)g->out.status;
    ck_assert_int_eq(status, k < 290   ? PROPRIOD_STATUS_INIT
                             : k > 310 ? PROPRIOD_STATUS_DEGRADED
                                       : status);
  }
}
END_TEST

START_TEST(innovations_are_averaged_of_readings_that_are_believed) {
  struct gated *g = standing();
  double before[JOINTS];
  memcpy(before, g->filter->aftershock.mean, sizeof(before));
  g->q[1] = (double)NAN;
  step_once(g);
  for (size_t j = 0; j < JOINTS; j++) {
    ck_assert((g->filter->aftershock.mean[j] == before[j]) == (j == 1));
  }
}
END_TEST

/* As a light leg does that is struck. */
START_TEST(a_joint_that_is_faster_from_one_reading_to_the_next_is_followed) {
  struct gated *g = standing();
  for (int k = 0; k < 3; k++) {
    g->q[2] += 3.0 * DT;
    step_once(g);
  }
  assert_near(g->out.dq[2], 3.0, 0.7);
}
END_TEST

START_TEST(a_body_that_begins_or_wakes_may_jump) {
  struct gated *g = standing();
  bool *begins = &g->filter->aftershock.begins;
  ck_assert(!*begins);
  joint_settle_wake(g->filter, g->frame.t_ns);
  ck_assert(*begins);
  step_once(g);
  ck_assert(!*begins);
  joint_settle_begin(g->filter, g->frame.t_ns, DT);
  ck_assert(*begins);
}
END_TEST

SUITE(what_joints_do_between_base_and_imu_is_foreseen,
      a_push_on_an_imu_beyond_joints_opens_the_base_along_it,
      a_base_that_is_shaken_is_lively_whatever_turns_may_do_at_an_arm,
      a_base_that_waits_for_its_imu_is_initial_for_a_while_and_not_well_then,
      a_push_that_nobody_foresaw_may_have_turned_the_base,
      a_rate_that_jumps_is_told_of_its_derivative,
      gravity_is_looked_for_in_all_that_the_accelerometer_reads_less_its_bias,
      what_the_velocity_gained_is_that_of_the_accelerometer,
      what_a_reading_that_is_left_out_said_is_in_the_deviation_until_the_next,
      innovations_are_averaged_of_readings_that_are_believed,
      a_joint_that_is_faster_from_one_reading_to_the_next_is_followed,
      a_body_that_begins_or_wakes_may_jump)
