/* IMUs on limbs: velocities and accelerations of the joints between them and the base without any
 * skin, and a base whose only IMU sits on the torso. */
#include "model/model.h"
#include "support/aside.h"
#include "support/joint_run.h"
#include "support/pipeline_fixture.h"
#include "support/suite.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const LIMB[] = {"left_elbow_link",
                                   "right_elbow_link",
                                   "left_hip_pitch_link",
                                   "right_hip_pitch_link",
                                   "left_knee_link",
                                   "right_knee_link",
                                   NULL};

/* Joints of humanoid30 between the base and one of these. */
static bool is_seen(size_t j) {
  return j < 2 || (j >= 4 && j < 8) || (j >= 11 && j < 15) || (j >= 18 && j < 22) ||
         (j >= 24 && j < 28);
}

static double rms(const struct joint_run *run, enum estimator by, enum derivative of) {
  double sum = 0.0;
  for (size_t j = 0; j < run->n_joints; j++) {
    for (size_t k = run->from; is_seen(j) && k < run->n; k++) {
      const double e = run->estimate[by][of][j * run->n + k] - run->truth[of][j * run->n + k];
      sum += e * e;
    }
  }
  return sqrt(sum);
}

START_TEST(six_biased_imus_on_limbs_halve_the_errors_of_the_best_encoder_only_filter) {
  const struct joint_run_options options = {.robot = "humanoid30",
                                            .scenario = "arm-swing",
                                            .encoder_noise = 1e-3,
                                            .rate_hz = 500.0,
                                            .imu_errors = 1.0,
                                            .limb = LIMB,
                                            .limb_place = {0.03, 0.0, -0.1},
                                            .seconds = 3.0,
                                            .score_from_s = 1.0,
                                            .seed = test_seed()};
  struct joint_run run = joint_run_of(&options);
  const double dq = rms(&run, BY_FILTER, OF_DQ) / rms(&run, BY_KF3, OF_DQ),
               ddq = rms(&run, BY_FILTER, OF_DDQ) / rms(&run, BY_KF3, OF_DDQ);
  printf("arms swing: dq %.3f, ddq %.3f of KF3\n", dq, ddq);
  ck_assert_double_lt(dq, 0.5);
  ck_assert_double_lt(ddq, 0.5);
  ck_assert_uint_eq(run.counters.resets, 0);
  joint_run_free(&run);
}
END_TEST

/* -- a base whose IMU sits elsewhere ---------------------------------------------------------- */

enum { RATE = 500 };

struct outcome {
  double tilt;        /* rad, root mean square */
  double speed;       /* m/s, likewise, of the base's velocity */
  double well;        /* share of the time with status ok */
  double silent_well; /* the same while the IMU gave nothing */
};

static struct pipeline *pipeline_of(const struct robot *robot) {
  struct pipeline_settings settings = pipeline_defaults();
  settings.period_s = 1.0 / RATE;
  settings.joints.window_s = 4.0 / RATE;
  return test_pipeline(robot, &settings);
}

/* Walks with the IMU on this link, feet coming down at `strike` m/s; from `silent_s` on for a
 * second the IMU gives NaN. */
static struct outcome walk_with_imu_on(const char *link, double seconds, double strike,
                                       double silent_s) {
  struct stock_robot stock;
  struct message error;
  ck_assert_int_eq(stock_robot_load("humanoid30", "config/robots", &stock, &error), STATUS_OK);
  stock.robot->imu_link = (size_t)model_find_link(&stock.robot->model, link);
  struct sim_options options = sim_defaults(stock.robot, stock.urdf, "walk");
  options.seed = test_seed();
  options.duration_s = seconds;
  options.walk.strike_speed = strike;
  options.frame_rate_hz = RATE;
  options.stream[PROPRIOD_SHM_JOINTS].rate_hz = options.stream[PROPRIOD_SHM_IMU].rate_hz = RATE;
  options.stream[PROPRIOD_SHM_SKIN].rate_hz = 0.0;
  stock.robot->n_cells = 0; /* and no skin */
  struct sim *sim = NULL;
  ck_assert_msg(sim_create(&sim, &options, &error) == STATUS_OK, "%s", error.text);
  struct pipeline *pipeline = pipeline_of(stock.robot);
  static struct estimates out;
  struct outcome result = {.tilt = 0.0};
  size_t scored = 0, silent = 0;
  for (size_t k = 0; sim_step(sim) == STATUS_OK && k < (size_t)(seconds * RATE); k++) {
    const double t = (double)k / RATE;
    struct sensor_frame frame = *sim_frame(sim);
    const bool is_silent = t > silent_s && t < silent_s + 1.0;
    if (is_silent) {
      frame.imu.specific_force = frame.imu.angular_rate = (vec3){NAN, NAN, NAN};
    }
    pipeline_step(pipeline, &frame, &out);
    if (is_silent && t > silent_s + 0.5) {
      silent++;
      result.silent_well += out.state.status == PROPRIOD_STATUS_OK;
    }
    if (t > 2.0 && !is_silent) {
      const mat3 R = mat3_from_quat(out.state.quat_xyzw), R_true = sim_truth(sim)->base.X_WB.R;
      const vec3 up = {R.m[2][0], R.m[2][1], R.m[2][2]},
                 true_up = {R_true.m[2][0], R_true.m[2][1], R_true.m[2][2]};
      const double angle = vec3_norm(vec3_cross(up, true_up));
      const vec3 off = vec3_sub(out.state.base_velocity, sim_truth(sim)->base_velocity_W);
      result.tilt += angle * angle;
      result.speed += vec3_dot(off, off);
      result.well += out.state.status == PROPRIOD_STATUS_OK;
      scored++;
    }
  }
  result.tilt = sqrt(result.tilt / (double)scored);
  result.speed = sqrt(result.speed / (double)scored);
  result.well /= (double)scored;
  result.silent_well /= (double)(silent > 0 ? silent : 1);
  sim_destroy(sim);
  robot_destroy(stock.robot);
  return result;
}

START_TEST(an_imu_on_the_torso_tells_the_tilt_of_the_base_as_one_on_the_base_does) {
  const struct outcome base = walk_with_imu_on("base_link", 6.0, 0.0, HUGE_VAL),
                       torso = walk_with_imu_on("torso_pitch_link", 6.0, 0.0, HUGE_VAL);
  printf("tilt: %.3f degrees by the base's IMU, %.3f by the torso's; ok %.1f %% and %.1f %%\n",
         base.tilt * 180.0 / M_PI, torso.tilt * 180.0 / M_PI, 100.0 * base.well,
         100.0 * torso.well);
  /* by soles that were believed more they were .039 and .041 */
  ck_assert_double_lt(base.tilt, 0.03 * M_PI / 180.0);
  ck_assert_double_lt(torso.tilt, 0.035 * M_PI / 180.0);
  asked(torso.tilt < 1.2 * base.tilt);
  ck_assert_double_gt(torso.well, base.well - 0.02);
}
END_TEST

START_TEST(an_imu_on_the_head_tells_of_the_base_on_hard_ground_too) {
  const struct outcome head = walk_with_imu_on("head_pitch_link", 6.0, 0.3, HUGE_VAL);
  printf("tilt %.3f degrees, velocity %.1f mm/s off, ok %.1f %%\n", head.tilt * 180.0 / M_PI,
         1e3 * head.speed, 100.0 * head.well);
  ck_assert_double_lt(head.tilt, 0.005);
  ck_assert_double_lt(head.speed, 0.03);
  ck_assert_double_gt(head.well, 0.9);
}
END_TEST

START_TEST(a_base_without_its_imu_on_the_torso_is_degraded_and_well_again_afterwards) {
  const struct outcome torso = walk_with_imu_on("torso_pitch_link", 5.0, 0.0, 2.5);
  printf("ok %.1f %%, without IMU %.1f %%\n", 100.0 * torso.well, 100.0 * torso.silent_well);
  ck_assert_double_lt(torso.silent_well, 0.01);
  ck_assert_double_gt(torso.well, 0.9);
}
END_TEST

/* -- a limb's IMU that is wrong --------------------------------------------------------------- */

struct limb_fault {
  const char *name;
  double rate, force; /* rad/s, m/s^2: what is added */
  bool frozen;        /* it repeats what it read at the beginning */
  double range;       /* rad/s: its gyro tells no more than that, 0: all */
};

static void spoil(const struct limb_fault *fault, struct imu_triads *limb,
                  struct imu_triads *held) {
  if (fault->frozen && isfinite(held->angular_rate.x)) {
    *limb = *held;
  }
  *held = *limb;
  limb->angular_rate.y += fault->rate;
  limb->specific_force.x += fault->force;
  if (fault->range > 0.0) {
    limb->angular_rate.y = fmin(fmax(limb->angular_rate.y, -fault->range), fault->range);
  }
}

/* Arms that swing with an IMU on each forearm, and what has been estimated so far. */
struct swing {
  struct sim *sim;
  struct pipeline *pipeline;
  size_t next; /* frame */
};

/* Until before the faults, at 1.5 s. */
static struct swing begin_swing(void) {
  static struct stock_robot stock;
  static struct estimates out;
  struct swing swing = {.next = 0};
  struct message error;
  ck_assert_int_eq(stock_robot_load("humanoid30", "config/robots", &stock, &error), STATUS_OK);
  for (int k = 0; k < 2; k++) {
    stock.robot->limb[k] =
        (struct model_frame){.link = (size_t)model_find_link(&stock.robot->model, LIMB[k]),
                             .placement = {MAT3_IDENTITY, {0.03, 0.0, -0.1}}};
  }
  stock.robot->n_limbs = 2;
  stock.robot->n_cells = 0;
  struct sim_options options = sim_defaults(stock.robot, stock.urdf, "arm-swing");
  options.seed = test_seed();
  options.duration_s = 3.5;
  options.frame_rate_hz = RATE;
  options.stream[PROPRIOD_SHM_JOINTS].rate_hz = options.stream[PROPRIOD_SHM_IMU].rate_hz = RATE;
  options.stream[PROPRIOD_SHM_SKIN].rate_hz = 0.0;
  ck_assert_msg(sim_create(&swing.sim, &options, &error) == STATUS_OK, "%s", error.text);
  swing.pipeline = pipeline_of(stock.robot);
  for (; swing.next <= 3 * RATE / 2; swing.next++) {
    ck_assert_int_eq(sim_step(swing.sim), STATUS_OK);
    pipeline_step(swing.pipeline, sim_frame(swing.sim), &out);
  }
  return swing;
}

/* For half a second the left one has this fault. Counts samples with status ok and the elbow's
 * velocity beyond five deviations, and notes how soon the status is ok again, s. */
struct trial {
  struct swing swing;
  const struct limb_fault *fault;
  size_t wrong;
  double ok_after_s;
};

static void swing_on(void *with) {
  enum { LEFT_ELBOW = 7 };
  struct trial *trial = with;
  struct sim *sim = trial->swing.sim;
  static struct estimates out;
  struct imu_triads held = {.angular_rate = {NAN, NAN, NAN}};
  trial->ok_after_s = HUGE_VAL;
  for (size_t k = trial->swing.next; k < 3 * RATE && sim_step(sim) == STATUS_OK; k++) {
    const double t = (double)k / RATE;
    struct sensor_frame frame = *sim_frame(sim);
    struct imu_triads limb[2];
    if (t < 2.0 && frame.imu.stamp.present) {
      memcpy(limb, frame.imu.limb, sizeof(limb));
      spoil(trial->fault, &limb[0], &held);
      frame.imu.limb = limb;
    }
    pipeline_step(trial->swing.pipeline, &frame, &out);
    const double e = out.state.dq[LEFT_ELBOW] - sim_truth(sim)->dq[LEFT_ELBOW];
    const bool ok = out.state.status == PROPRIOD_STATUS_OK;
    trial->wrong += ok && fabs(e) > 5.0 * out.state.dq_sd[LEFT_ELBOW];
    trial->ok_after_s = t > 2.0 && ok && isinf(trial->ok_after_s) ? t - 2.0 : trial->ok_after_s;
  }
}

START_TEST(a_limb_whose_imu_is_wrong_for_a_while_is_not_believed_and_then_taken_back) {
  static const struct limb_fault faults[] = {{.name = "gyro + 3 rad/s", .rate = 3.0},
                                             {.name = "accelerometer + 20 m/s^2", .force = 20.0},
                                             {.name = "both", .rate = -3.0, .force = -20.0},
                                             {.name = "frozen", .frozen = true},
                                             {.name = "gyro ends at 0.3 rad/s", .range = 0.3}};
  const struct swing swing = begin_swing();
  for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
    struct trial trial = {.swing = swing, .fault = &faults[i]};
    aside(swing_on, &trial, sizeof(trial));
    printf("%s: ok and wrong %zu of 500 samples, ok after %.2f s\n", faults[i].name, trial.wrong,
           trial.ok_after_s);
    ck_assert_uint_le(trial.wrong, 20 * RATE / 1000);
    ck_assert_double_lt(trial.ok_after_s, 1.0);
  }
}
END_TEST

SUITE(six_biased_imus_on_limbs_halve_the_errors_of_the_best_encoder_only_filter,
      an_imu_on_the_torso_tells_the_tilt_of_the_base_as_one_on_the_base_does,
      an_imu_on_the_head_tells_of_the_base_on_hard_ground_too,
      a_base_without_its_imu_on_the_torso_is_degraded_and_well_again_afterwards,
      a_limb_whose_imu_is_wrong_for_a_while_is_not_believed_and_then_taken_back)
