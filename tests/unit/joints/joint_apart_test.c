/* Joints that nothing but their encoders sees, in a filter of their own: the estimate is that of
 * one filter for all. */
#include "joints/joint_filter_core.h"
#include "joints/joint_history.h"
#include "joints/motion_covariance.h"
#include "support/synthetic_robot.h"

#include "body/kinematics.h"

enum { JOINTS = 13, LINKS = JOINTS + 1, CELLS = 6, STEPS = 400 };

/* Links that keep their skin, beside the base. */
static const bool dressed[LINKS] = {[0] = true, [2] = true, [3] = true, [7] = true, [11] = true};

/* The same readings for one filter of all joints and for one that has some apart. */
struct twins {
  struct random rng;
  struct robot *robot;
  struct joint_filter *filter[2]; /* together, apart */
  struct propriod_state out[2];
  struct kinematics kin;
  struct sensor_frame frame;
  double q[JOINTS], rate[JOINTS], read[JOINTS];
  float acceleration[3 * CELLS * LINKS];
  uint8_t flags[CELLS * LINKS];
  bool seen[JOINTS];
};

/* Cells of links that are not dressed move to the base. */
static void undress(struct robot *robot, const bool *keep) {
  for (size_t k = 0; k < robot->n_cells; k++) {
    robot->cell[k].link = keep[robot->cell[k].link] ? robot->cell[k].link : 0;
  }
}

/* The last joint follows the second and is read where that one is. */
static void let_follow(struct robot *robot) {
  for (size_t j = 0; j < JOINTS; j++) {
    robot->joints.of[j] = (struct joint_source){.place = j, .sign = 1.0};
  }
  robot->joints.of[JOINTS - 1] = (struct joint_source){1, -0.5, 0.0, true};
  robot->model.joint[JOINTS - 1].mimics = 1;
}

static struct joint_filter *filter_of(const struct robot *robot,
                                      const struct joint_filter_settings *settings) {
  struct joint_filter *filter = NULL;
  struct arena count = {0};
  ck_assert_int_eq(joint_filter_init(&filter, robot, settings, &count), STATUS_OK);
  ck_assert_ptr_null(filter);
  struct arena arena = test_arena(count.used);
  ck_assert_int_eq(joint_filter_init(&filter, robot, settings, &arena), STATUS_OK);
  ck_assert_uint_eq(arena.used, count.used);
  return filter;
}

static struct joint_filter_settings settings_of(const struct twins *t, bool apart) {
  struct joint_filter_settings s = joint_filter_defaults();
  s.adapt_density = false;
  s.joint_density = 1e6;
  s.form = JOINTS_EXACT;
  s.joints_together = apart ? 0 : JOINTS;
  snprintf(s.encoder_noise_of.text[0], sizeof(s.encoder_noise_of.text[0]), "%s=3e-4",
           t->robot->model.joint[JOINTS - 1].name);
  s.encoder_noise_of.n = 1;
  return s;
}

static struct twins *twins(bool fixed, bool limb, unsigned round) {
  struct twins *t = calloc(1, sizeof(*t));
  t->rng = random_from(test_seed() + round);
  t->robot = synthetic_robot(JOINTS, false, CELLS, &t->rng);
  t->robot->fixed_base = fixed;
  undress(t->robot, dressed);
  let_follow(t->robot);
  if (limb) {
    t->robot->n_limbs = 1;
    t->robot->limb[0] = (struct model_frame){.link = 3, .placement.R = MAT3_IDENTITY};
  }
  ck_assert_uint_lt(robot_joints_seen(t->robot, t->seen), JOINTS);
  for (int which = 0; which < 2; which++) {
    const struct joint_filter_settings settings = settings_of(t, which == 1);
    t->filter[which] = filter_of(t->robot, &settings);
  }
  struct arena arena = test_arena(1 << 20);
  ck_assert_int_eq(kinematics_init(&t->kin, &t->robot->model, &arena), STATUS_OK);
  for (size_t j = 0; j < JOINTS; j++) {
    t->q[j] = random_uniform(&t->rng, -0.3, 0.3);
    t->rate[j] = t->seen[j] ? 0.0 : random_uniform(&t->rng, 1.0, 5.0);
  }
  return t;
}

static vec3 noise(struct twins *t, double sd) {
  return random_vector(&t->rng, sd);
}

/* At rest but for the joints that nobody sees. */
static void read_skin(struct twins *t) {
  const vec3 up = {0.0, 0.0, STANDARD_GRAVITY};
  for (size_t k = 0; k < t->robot->n_cells; k++) {
    const struct skin_cell *cell = &t->robot->cell[k];
    const vec3 felt = mat3_tmul_vec3(&t->kin.X_BL[cell->link].R, up);
    const vec3 told = vec3_add(mat3_tmul_vec3(&cell->placement.R, felt), noise(t, 0.3));
    const double axes[3] = {told.x, told.y, told.z};
    for (size_t i = 0; i < 3; i++) {
      t->acceleration[3 * k + i] = (float)axes[i];
    }
    t->flags[k] = CELL_VALID;
  }
}

static void read_sensors(struct twins *t, int step) {
  const double s = 1e-3 * step;
  const vec3 up = {0.0, 0.0, STANDARD_GRAVITY};
  for (size_t j = 0; j < JOINTS; j++) {
    t->read[j] = t->q[j] + 0.2 * sin(t->rate[j] * s) + 3e-4 * random_normal(&t->rng);
  }
  read_skin(t);
  const int64_t now = 1000000 * (1000 + (int64_t)step);
  const struct stream_stamp stamp = {.present = true, .fresh = true, .t_ns = now};
  static struct imu_triads limb;
  limb = (struct imu_triads){noise(t, 5e-3),
                             vec3_add(mat3_tmul_vec3(&t->kin.X_BL[3].R, up), noise(t, 0.05))};
  t->frame = (struct sensor_frame){.t_ns = now};
  t->frame.joints = (struct joints_reading){.stamp = stamp, .q = t->read};
  t->frame.imu = (struct imu_reading){
      .stamp = stamp,
      .specific_force = vec3_add(mat3_tmul_vec3(&t->robot->imu_placement.R, up), noise(t, 0.05)),
      .angular_rate = noise(t, 5e-3),
      .n_limbs = t->robot->n_limbs,
      .limb = &limb};
  t->frame.skin = (struct skin_reading){.stamp = stamp,
                                        .n_cells = t->robot->n_cells,
                                        .acceleration = t->acceleration,
                                        .flags = t->flags};
}

static void step_both(struct twins *t, int step) {
  read_sensors(t, step);
  for (int which = 0; which < 2; which++) {
    joint_filter_step(t->filter[which], &t->frame, &t->out[which]);
  }
}

static void run(struct twins *t) {
  double zero[JOINTS] = {0.0};
  memcpy(zero, t->q, sizeof(zero));
  ck_assert_int_eq(kinematics_update_position(&t->kin, zero), STATUS_OK);
  for (int step = 0; step < STEPS; step++) {
    step_both(t, step);
  }
  ck_assert_uint_eq(t->filter[0]->n_apart, 0);
  ck_assert_uint_ge(t->filter[1]->n_apart, 1);
  ck_assert_uint_eq(joint_filter_counters(t->filter[0])->resets, 0);
  ck_assert_uint_eq(joint_filter_counters(t->filter[1])->resets, 0);
}

/* In deviations, deviations themselves in parts; of joints that are seen or of the others. */
static double largest_difference(const struct twins *t, bool seen) {
  const struct propriod_state *a = &t->out[0], *b = &t->out[1];
  double largest = 0.0;
  for (size_t j = 0; j < JOINTS; j++) {
    if (t->seen[j] == seen) {
      largest = fmax(largest, fabs(a->q[j] - b->q[j]) / a->q_sd[j]);
      largest = fmax(largest, fabs(a->dq[j] - b->dq[j]) / a->dq_sd[j]);
      largest = fmax(largest, fabs(a->ddq[j] - b->ddq[j]) / a->ddq_sd[j]);
      largest = fmax(largest, fabs(b->q_sd[j] / a->q_sd[j] - 1.0));
      largest = fmax(largest, fabs(b->dq_sd[j] / a->dq_sd[j] - 1.0));
      largest = fmax(largest, fabs(b->ddq_sd[j] / a->ddq_sd[j] - 1.0));
    }
  }
  return largest;
}

/* Sigma points lie as far apart as the state has numbers: with fewer, a little closer. */
static void spread_alike(struct twins *t) {
  t->filter[1]->update.points.gamma = t->filter[0]->update.points.gamma;
}

START_TEST(apart_joints_are_estimated_as_together) {
  for (unsigned round = 0; round < 8; round++) {
    struct twins *t = twins(round % 2 == 0, round / 2 % 2 == 0, round);
    spread_alike(t);
    run(t);
    ck_assert_double_le(largest_difference(t, true), 1e-9);
    ck_assert_double_le(largest_difference(t, false), 1e-9);
    ck_assert_uint_eq(t->out[1].n_joints, JOINTS);
    ck_assert_uint_eq(t->out[1].estimated, t->out[0].estimated);
    ck_assert_int_eq(t->out[1].status, t->out[0].status);
    assert_near(t->out[1].nis_encoders, t->out[0].nis_encoders, 1e-6);
  }
}
END_TEST

START_TEST(with_points_spread_by_fewer_states_they_differ_by_a_millionth_of_a_deviation) {
  for (unsigned round = 0; round < 8; round++) {
    struct twins *t = twins(round % 2 == 0, round / 2 % 2 == 0, round);
    run(t);
    ck_assert_double_le(largest_difference(t, true), 1e-6);
    ck_assert_double_le(largest_difference(t, false), 1e-9);
  }
}
END_TEST

START_TEST(the_covariance_of_the_whole_motion_is_the_same) {
  const double weight[][MOTION_ORDERS] = {{1.0, 0.0, 0.0}, {0.5, 2.0, 0.0}, {0.0, 0.1, 1.0}};
  enum { SIZE = 9 + JOINTS, STRIDE = 24 };
  double C[2][SIZE * STRIDE];
  struct twins *t = twins(false, false, 0);
  spread_alike(t);
  run(t);
  for (size_t w = 0; w < 3; w++) {
    for (int which = 0; which < 2; which++) {
      for (size_t i = 0; i < SIZE * STRIDE; i++) {
        C[which][i] = (double)NAN;
      }
      ck_assert_int_eq(motion_covariance(t->filter[which], weight[w], C[which], STRIDE), STATUS_OK);
    }
    for (size_t i = 0; i < SIZE; i++) {
      for (size_t k = 0; k < STRIDE; k++) {
        const size_t other = k < SIZE ? k : i;
        const double scale = sqrt(C[0][i * STRIDE + i]) * sqrt(C[0][other * STRIDE + other]);
        assert_near(C[1][i * STRIDE + k], C[0][i * STRIDE + k], 1e-8 * scale);
      }
    }
  }
}
END_TEST

START_TEST(the_motion_of_a_while_ago_is_the_same) {
  struct twins *t = twins(false, false, 1);
  struct joint_history history[2];
  const struct past_motion *motion[2];
  const struct joint_layout layout = joint_filter_layout(t->robot, true);
  struct arena arena = test_arena(1 << 20);
  for (int which = 0; which < 2; which++) {
    ck_assert_int_eq(joint_history_init(&history[which], &layout, &arena), STATUS_OK);
  }
  run(t);
  /* encoders between two looks of the skin: what stands apart is carried on to these */
  for (int step = STEPS; step < STEPS + 700; step++) {
    read_sensors(t, step);
    t->frame.joints.stamp.fresh = step % 4 == 1;
    for (int which = 0; which < 2; which++) {
      joint_filter_step(t->filter[which], &t->frame, &t->out[which]);
      joint_history_collect(&history[which], t->filter[which]);
    }
  }
  const int64_t then = t->frame.t_ns - 12000000;
  for (int which = 0; which < 2; which++) {
    ck_assert_int_eq(joint_history_at(&history[which], then, 100, &motion[which]), STATUS_OK);
  }
  for (size_t j = 0; j < JOINTS; j++) {
    assert_near(motion[1]->q[j], motion[0]->q[j], 1e-3 * t->out[0].q_sd[j]);
    assert_near(motion[1]->dq[j], motion[0]->dq[j], 1e-3 * t->out[0].dq_sd[j]);
    assert_near(motion[1]->ddq[j], motion[0]->ddq[j], 1e-3 * t->out[0].ddq_sd[j]);
  }
  assert_near(motion[1]->base.a_B.lin.x, motion[0]->base.a_B.lin.x, 1e-6);
}
END_TEST

/* The `which`-th joint that is seen or not. */
static size_t nth_joint(const struct twins *t, bool seen, size_t which) {
  size_t j = 0;
  for (size_t passed = 0; t->seen[j] != seen || passed++ < which; j++) {
    ck_assert_uint_lt(j + 1, JOINTS);
  }
  return j;
}

START_TEST(an_encoder_that_falls_silent_is_told_of_its_own_joint_alone) {
  struct twins *t = twins(false, false, 2);
  const size_t lone = nth_joint(t, false, 1), seen = nth_joint(t, true, 1);
  run(t);
  for (int step = STEPS; step < STEPS + 100; step++) {
    read_sensors(t, step);
    t->read[lone] = t->read[seen] = (double)NAN;
    joint_filter_step(t->filter[1], &t->frame, &t->out[1]);
  }
  for (size_t j = 0; j < JOINTS; j++) {
    ck_assert_int_eq(t->out[1].joint_health[j],
                     j == lone || j == seen ? ENCODER_MISSING : ENCODER_OK);
  }
  ck_assert_int_eq(t->out[1].status, PROPRIOD_STATUS_DEGRADED);
  ck_assert_uint_ge(joint_filter_counters(t->filter[1])->encoder_rejected, 100);
}
END_TEST

START_TEST(a_new_filter_goes_on_where_the_one_before_it_stood) {
  struct twins *t = twins(false, false, 3);
  const struct joint_filter_settings settings = settings_of(t, true);
  struct joint_filter *next = filter_of(t->robot, &settings);
  run(t);
  t->filter[1]->blows.given = 7.0;
  ck_assert_int_eq(joint_filter_adopt(next, t->filter[1]), STATUS_OK);
  ck_assert_double_eq(next->blows.given, 7.0);
  t->filter[0] = next;
  step_both(t, STEPS);
  ck_assert_int_eq(t->out[0].status, t->out[1].status);
  ck_assert_double_le(largest_difference(t, false), 1e-9);
  ck_assert_double_le(largest_difference(t, true), 0.1); /* skin is chosen anew */
}
END_TEST

START_TEST(a_filter_that_has_others_apart_begins_anew_and_counts_it) {
  struct twins *t = twins(false, false, 4);
  const struct joint_filter_settings settings = settings_of(t, true);
  struct joint_filter *next = filter_of(t->robot, &settings);
  run(t);
  ck_assert_int_eq(joint_filter_adopt(next, t->filter[0]), STATUS_BAD_ARGUMENT);
  ck_assert_uint_eq(joint_filter_counters(next)->resets, 1);
}
END_TEST

START_TEST(as_many_other_joints_apart_are_others) {
  struct twins *t = twins(false, false, 4), *u = twins(false, false, 4);
  const struct joint_filter_settings settings = settings_of(t, true);
  for (size_t link = 1; link < LINKS; link++) { /* all links hang from the base */
    t->robot->model.parent[link] = u->robot->model.parent[link] = 0;
  }
  undress(t->robot, (const bool[LINKS]){[2] = true});
  undress(u->robot, (const bool[LINKS]){[3] = true});
  t->filter[1] = filter_of(t->robot, &settings);
  u->filter[1] = filter_of(u->robot, &settings);
  step_both(t, 0);
  ck_assert_int_eq(joint_filter_adopt(u->filter[1], t->filter[1]), STATUS_BAD_ARGUMENT);
}
END_TEST

START_TEST(joints_apart_that_begin_anew_are_not_told_and_counted) {
  const uint64_t told = PROPRIOD_STATE_Q | PROPRIOD_STATE_DQ | PROPRIOD_STATE_DDQ;
  struct twins *t = twins(true, false, 1);
  run(t);
  ck_assert_uint_eq(t->out[1].estimated & told, told);
  t->filter[1]->apart[0]->fit.mean = 1e3;
  step_both(t, STEPS);
  ck_assert_uint_eq(t->out[1].estimated & told, 0);
  ck_assert_int_eq(t->out[1].status, PROPRIOD_STATUS_DIVERGED);
  ck_assert_uint_eq(t->out[1].resets, 1);
  ck_assert_uint_eq(joint_filter_counters(t->filter[1])->resets, 1);
  for (int step = STEPS + 1; step < 2 * STEPS; step++) {
    step_both(t, step);
  }
  ck_assert_uint_eq(t->out[1].estimated & told, told);
  ck_assert_int_eq(t->out[1].status, PROPRIOD_STATUS_OK);
}
END_TEST

/* Two readings of the IMU feel a blow, between two looks of the encoders. */
static void strike(struct twins *t, int which) {
  for (int step = STEPS; step < STEPS + 4; step++) {
    read_sensors(t, step);
    t->frame.joints.stamp.fresh = step == STEPS + 3;
    t->frame.imu.specific_force.z += step < STEPS + 2 ? 300.0 : 0.0;
    joint_filter_step(t->filter[which], &t->frame, &t->out[which]);
  }
}

/* How uncertain the velocities are of joints that nobody sees, the best known of them. */
static double least_dq_sd(const struct twins *t, int which) {
  double least = HUGE_VAL;
  for (size_t j = 0; j < JOINTS; j++) {
    least = t->seen[j] ? least : fmin(least, t->out[which].dq_sd[j]);
  }
  return least;
}

START_TEST(a_blow_goes_through_joints_apart_too) {
  double before[2], struck[2];
  for (int which = 0; which < 2; which++) {
    struct twins *t = twins(false, false, 7);
    struct joint_filter_settings settings = settings_of(t, which == 1);
    settings.adapt_density = true;
    t->filter[which] = filter_of(t->robot, &settings);
    run(t);
    before[which] = least_dq_sd(t, which);
    strike(t, which);
    struck[which] = least_dq_sd(t, which);
    for (int step = STEPS + 4; step < 2 * STEPS; step++) {
      step_both(t, step);
    }
    ck_assert_double_lt(least_dq_sd(t, which), 1.5 * before[which]); /* once and no more */
  }
  ck_assert_double_gt(struck[0], 10.0 * before[0]);
  ck_assert_double_gt(struck[1], 0.3 * struck[0]);
}
END_TEST

START_TEST(joints_apart_that_begin_are_not_struck_by_what_was_felt_before) {
  struct twins *t = twins(false, false, 7);
  struct joint_filter *apart = t->filter[1]->apart[0];
  run(t);
  apart->handed = (struct blow){.square = 1e6, .lasts = 1e-3};
  apart->fit.mean = 1e3;
  step_both(t, STEPS);
  ck_assert_uint_eq(apart->counters.resets, 1);
  apart->handed = (struct blow){.square = 1e6, .lasts = 1e-3}; /* while it is not running */
  step_both(t, STEPS + 1);
  ck_assert(apart->running);
  ck_assert_double_eq(apart->handed.square, 0.0);
}
END_TEST

START_TEST(skin_is_asked_for_by_the_robots_own_links) {
  struct twins *t = twins(false, false, 5);
  for (size_t link = 0; link < LINKS; link++) {
    const struct link_skin *a = joint_filter_skin(t->filter[0], link);
    const struct link_skin *b = joint_filter_skin(t->filter[1], link);
    ck_assert_int_eq(a != NULL, b != NULL);
    ck_assert_int_eq(a != NULL, dressed[link]);
    ck_assert(a == NULL || (a->n_cells == b->n_cells && a->cell[0] == b->cell[0]));
  }
}
END_TEST

START_TEST(few_joints_stand_together) {
  struct twins *t = twins(true, false, 6);
  struct joint_filter_settings settings = settings_of(t, true);
  settings.joints_together = joint_filter_defaults().joints_together;
  ck_assert_uint_eq(filter_of(t->robot, &settings)->n_apart, 0);
  settings.joints_together = JOINTS - 1;
  ck_assert_uint_ge(filter_of(t->robot, &settings)->n_apart, 1);
}
END_TEST

SUITE(apart_joints_are_estimated_as_together,
      with_points_spread_by_fewer_states_they_differ_by_a_millionth_of_a_deviation,
      the_covariance_of_the_whole_motion_is_the_same, the_motion_of_a_while_ago_is_the_same,
      an_encoder_that_falls_silent_is_told_of_its_own_joint_alone,
      a_new_filter_goes_on_where_the_one_before_it_stood,
      a_filter_that_has_others_apart_begins_anew_and_counts_it,
      as_many_other_joints_apart_are_others, joints_apart_that_begin_anew_are_not_told_and_counted,
      a_blow_goes_through_joints_apart_too,
      joints_apart_that_begin_are_not_struck_by_what_was_felt_before,
      skin_is_asked_for_by_the_robots_own_links, few_joints_stand_together)
