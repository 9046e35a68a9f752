/* The base estimator on walking robots: IMU with noise and bias, joints as they are. */
#include "base/base_estimator.h"

#include "centroidal/net_wrench.h"
#include "support/sim_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One robot that is estimated beside its simulation. */
struct walker {
  struct stock_robot stock;
  struct sim *sim;
  struct kinematics kin;
  struct base_estimator base;
  struct net_wrench net;
  struct base_contacts contacts;
  int64_t last_ns;
  /* of the walk, after its first two seconds */
  double tilt_sum, tilt_worst, velocity_sum[3], cop_sum[2], height_worst;
  int n, n_cop;
};

static void begin(struct walker *w, const struct sim_options *options) {
  struct arena arena = {0};
  for (int pass = 0; pass < 2; pass++) {
    if (pass == 1) {
      arena = arena_over(aligned_alloc(ARENA_ALIGN, arena.used), arena.used);
    }
    ck_assert_int_eq(kinematics_init(&w->kin, &w->stock.robot->model, &arena), STATUS_OK);
  }
  const struct base_estimator_settings settings = base_estimator_defaults();
  const struct net_wrench_settings wrench = net_wrench_defaults();
  ck_assert_int_eq(base_estimator_init(&w->base, w->stock.robot, &settings), STATUS_OK);
  ck_assert_int_eq(net_wrench_init(&w->net, &wrench), STATUS_OK);
  w->contacts = (struct base_contacts){.weight = 9.81 * model_mass(&w->stock.robot->model)};
  w->contacts.f_z = w->contacts.weight;
  w->sim = test_sim(options);
}

/* One cycle: base, kinematics, feet, centre of pressure. */
static void step(struct walker *w, struct centroidal *centroidal) {
  const struct sim_truth *truth = sim_truth(w->sim);
  const struct sensor_frame *frame = sim_frame(w->sim);
  const double dt = w->last_ns == 0 ? 1e-3 : (double)(truth->t_ns - w->last_ns) * 1e-9;
  w->last_ns = truth->t_ns;
  base_estimator_imu(&w->base, &frame->imu);
  struct robot_motion motion = {.base = {.X_WB = base_estimator_pose(&w->base),
                                         .v_B = {truth->base.v_B.ang, VEC3_ZERO},
                                         .a_B = truth->base.a_B},
                                .q = truth->q,
                                .dq = truth->dq,
                                .ddq = truth->ddq};
  ck_assert_int_eq(kinematics_update(&w->kin, &motion), STATUS_OK);
  base_estimator_feet(&w->base, &w->kin, &w->contacts, dt);
  ck_assert_int_eq(centroidal_step(&w->kin, w->stock.robot->model.inertia, centroidal), STATUS_OK);
  const struct pose X_WB = base_estimator_pose(&w->base);
  net_wrench_step(&w->net, centroidal, &X_WB.R, dt);
  double sd[2];
  w->contacts.f_z = w->net.wrench_W.lin.z;
  w->contacts.cop_known =
      net_wrench_cop(&w->net, pose_apply(&X_WB, centroidal->com), base_estimator_ground(&w->base),
                     w->contacts.weight, w->base.support.phase == SUPPORT_STRIKE,
                     &w->contacts.cop_W, sd) == STATUS_OK;
}

static void score(struct walker *w) {
  const struct sim_truth *truth = sim_truth(w->sim);
  const struct pose X_WB = base_estimator_pose(&w->base);
  const vec3 up = vec3_from(X_WB.R.m[2]), true_up = vec3_from(truth->base.X_WB.R.m[2]);
  const double tilt = vec3_norm(vec3_cross(up, true_up)) * 180.0 / M_PI;
  /* velocities are compared in a frame of the same yaw: yaw is free */
  const vec3 v = mat3_tmul_vec3(&X_WB.R, base_estimator_velocity(&w->base, truth->base.v_B.ang));
  const vec3 e = vec3_sub(v, truth->base.v_B.lin);
  w->tilt_sum += tilt;
  w->tilt_worst = fmax(w->tilt_worst, tilt);
  w->velocity_sum[0] += fabs(e.x);
  w->velocity_sum[1] += fabs(e.y);
  w->velocity_sum[2] += fabs(e.z);
  w->height_worst = fmax(w->height_worst, fabs(X_WB.p.z - truth->base.X_WB.p.z));
  w->n++;
  if (w->contacts.cop_known && truth->cop_valid && w->base.support.phase != SUPPORT_STRIKE) {
    const vec3 cop_B = mat3_tmul_vec3(&X_WB.R, vec3_sub(w->contacts.cop_W, X_WB.p));
    const vec3 true_B =
        mat3_tmul_vec3(&truth->base.X_WB.R, vec3_sub(truth->cop_W, truth->base.X_WB.p));
    w->cop_sum[0] += fabs(cop_B.x - true_B.x);
    w->cop_sum[1] += fabs(cop_B.y - true_B.y);
    w->n_cop++;
  }
}

static void walk(struct walker *w, const char *robot, double strike_speed, uint64_t seed) {
  *w = (struct walker){.stock = test_robot(robot)};
  struct sim_options options = test_options(&w->stock, "walk");
  options.imu = sim_defaults(w->stock.robot, w->stock.urdf, "walk").imu;
  options.seed = seed;
  options.duration_s = 12.0;
  options.walk.strike_speed = strike_speed;
  begin(w, &options);
  while (sim_step(w->sim) == STATUS_OK) {
    struct centroidal centroidal;
    step(w, &centroidal);
    if (w->base.filter.started && sim_truth(w->sim)->t_ns - options.t0_ns > 2000000000) {
      score(w);
    }
  }
  printf("%s, strikes at %.1f m/s: tilt %.3f deg mean %.3f worst, velocity %.4f %.4f %.4f m/s, "
         "centre of pressure %.1f "
         "%.1f mm, height %.1f mm, %d touch-downs, %d steps, %d slips\n",
         robot, strike_speed, w->tilt_sum / w->n, w->tilt_worst, w->velocity_sum[0] / w->n,
         w->velocity_sum[1] / w->n, w->velocity_sum[2] / w->n, 1e3 * w->cop_sum[0] / w->n_cop,
         1e3 * w->cop_sum[1] / w->n_cop, 1e3 * w->height_worst, (int)w->base.touch_downs,
         (int)w->base.step_count, (int)w->base.slip_count);
}

START_TEST(tilt_in_walking_is_within_a_tenth_of_a_degree_and_height_does_not_drift) {
  static struct walker w;
  walk(&w, "humanoid30", 0.0, 1);
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
  static struct walker w;
  walk(&w, "humanoid30", 0.3, 2);
  ck_assert_double_le(w.tilt_sum / w.n, 0.3);
  ck_assert_double_le(w.height_worst, 0.015);
}
END_TEST

START_TEST(the_small_humanoid_keeps_its_tilt_too) {
  static struct walker w;
  walk(&w, "humanoid18", 0.0, 3);
  ck_assert_double_le(w.tilt_sum / w.n, 0.1);
  ck_assert_double_le(w.height_worst, 0.015);
}
END_TEST

START_TEST(a_reload_takes_over_what_is_known_of_the_feet_and_no_settings) {
  static struct walker w;
  w = (struct walker){.stock = test_robot("humanoid30")};
  struct base_estimator before, after;
  struct base_estimator_settings settings = base_estimator_defaults();
  ck_assert_int_eq(base_estimator_init(&before, w.stock.robot, &settings), STATUS_OK);
  settings.slip_speed = settings.support.enter = settings.filter.huber = 0.7;
  before.lifted = before.foot_moves[1] = before.support.stands[0] = true;
  before.moving_s[1] = 0.25;
  before.ground[0] = 0.05;
  before.filter.p_W.z = 0.9;
  before.slip_count = 3;
  ck_assert_int_eq(base_estimator_init(&after, w.stock.robot, &settings), STATUS_OK);
  base_estimator_adopt(&after, &before);
  ck_assert(after.lifted && after.foot_moves[1] && after.support.stands[0]);
  ck_assert_double_eq(after.moving_s[1], 0.25);
  ck_assert_double_eq(after.ground[0], 0.05);
  ck_assert_double_eq(after.filter.p_W.z, 0.9);
  ck_assert_uint_eq(after.slip_count, 3);
  ck_assert_mem_eq(&after.settings, &settings, sizeof(settings));
  ck_assert_double_eq(after.support.settings.enter, 0.7);
  ck_assert_double_eq(after.filter.settings.huber, 0.7);
  w.stock.robot->n_feet = 1; /* other feet: the base is known, they are not */
  ck_assert_int_eq(base_estimator_init(&after, w.stock.robot, &settings), STATUS_OK);
  base_estimator_adopt(&after, &before);
  ck_assert(!after.lifted && !after.support.stands[0]);
  ck_assert_double_eq(after.filter.p_W.z, 0.9);
  ck_assert_double_eq(after.filter.settings.huber, 0.7);
}
END_TEST

SUITE(tilt_in_walking_is_within_a_tenth_of_a_degree_and_height_does_not_drift,
      tilt_at_hard_strikes_is_within_three_tenths_of_a_degree,
      the_small_humanoid_keeps_its_tilt_too,
      a_reload_takes_over_what_is_known_of_the_feet_and_no_settings)
