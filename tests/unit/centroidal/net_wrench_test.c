#include "centroidal/net_wrench.h"

#include "support/suite.h"
#include "support/synthetic_robot.h"

enum { JOINTS = 12, DRAWS = 4000 };

static struct random rng;

START_TEST(the_contacts_have_no_horizontal_moment_about_the_centre_of_pressure) {
  rng = random_from(test_seed());
  for (int trial = 0; trial < 100; trial++) {
    const struct net_wrench_settings settings = net_wrench_defaults();
    struct net_wrench net;
    ck_assert_int_eq(net_wrench_init(&net, &settings), STATUS_OK);
    net.wrench_W = (struct force){random_vector(&rng, 20.0),
                                  vec3_add(random_vector(&rng, 50.0), (vec3){0.0, 0.0, 650.0})};
    const vec3 com = {random_normal(&rng), random_normal(&rng), 0.8};
    vec3 cop;
    double sd[2];
    ck_assert_int_eq(net_wrench_cop(&net, com, 0.02, 650.0, false, &cop, sd), STATUS_OK);
    const vec3 moment =
        vec3_add(net.wrench_W.ang, vec3_cross(vec3_sub(com, cop), net.wrench_W.lin));
    assert_near(moment.x, 0.0, 1e-10);
    assert_near(moment.y, 0.0, 1e-10);
    assert_near(cop.z, 0.02, 0.0 + 1e-15);
  }
}
END_TEST

START_TEST(in_flight_there_is_no_centre_of_pressure_and_outputs_are_untouched) {
  const struct net_wrench_settings settings = net_wrench_defaults();
  struct net_wrench net;
  ck_assert_int_eq(net_wrench_init(&net, &settings), STATUS_OK);
  net.wrench_W.lin = (vec3){1.0, 2.0, 30.0};
  vec3 cop = {7.0, 8.0, 9.0};
  double sd[2] = {5.0, 6.0};
  ck_assert_int_eq(net_wrench_cop(&net, (vec3){0.0, 0.0, 0.8}, 0.0, 650.0, false, &cop, sd),
                   STATUS_OUT_OF_RANGE);
  ck_assert_double_eq(cop.x, 7.0);
  ck_assert_double_eq(sd[1], 6.0);
}
END_TEST

/* A random robot that moves, its accelerations known up to their deviations. */
struct moving_robot {
  struct robot *robot;
  struct kinematics kin;
  struct composite composite;
  double q[JOINTS], dq[JOINTS], ddq[JOINTS], ddq_sd[JOINTS];
  struct robot_motion motion;
};

static void make_robot(struct moving_robot *m) {
  rng = random_from(test_seed());
  m->robot = synthetic_robot(JOINTS, false, 1, &rng);
  struct arena arena = {0};
  for (int pass = 0; pass < 2; pass++) {
    if (pass == 1) {
      arena = arena_over(aligned_alloc(ARENA_ALIGN, arena.used), arena.used);
    }
    ck_assert_int_eq(kinematics_init(&m->kin, &m->robot->model, &arena), STATUS_OK);
    ck_assert_int_eq(composite_init(&m->composite, &m->robot->model, &arena), STATUS_OK);
  }
  for (int j = 0; j < JOINTS; j++) {
    m->q[j] = random_normal(&rng);
    m->dq[j] = 0.3 * random_normal(&rng);
    m->ddq[j] = 0.3 * random_normal(&rng);
    m->ddq_sd[j] = random_uniform(&rng, 0.1, 0.6);
  }
  const mat3 R = mat3_from_rpy((vec3){0.1, -0.2, 0.5});
  m->motion = (struct robot_motion){
      .base = {.X_WB = {R, {0.0, 0.0, 1.0}},
               .a_B = {VEC3_ZERO, mat3_tmul_vec3(&R, (vec3){0.1, 0.2, 9.81})}},
      .q = m->q,
      .dq = m->dq,
      .ddq = m->ddq};
}

static vec3 cop_of(struct moving_robot *m, const struct robot_motion *motion,
                   struct net_wrench *net, double sd[2]) {
  struct centroidal centroidal;
  vec3 cop;
  ck_assert_int_eq(kinematics_update(&m->kin, motion), STATUS_OK);
  ck_assert_int_eq(centroidal_step(&m->kin, m->robot->model.inertia, &centroidal), STATUS_OK);
  net_wrench_step(net, &centroidal, &motion->base.X_WB.R, 1e-3);
  const vec3 com = pose_apply(&motion->base.X_WB, centroidal.com);
  ck_assert_int_eq(net_wrench_cop(net, com, 0.0, 9.81 * centroidal.mass, false, &cop, sd),
                   STATUS_OK);
  return cop;
}

START_TEST(the_deviation_of_the_centre_of_pressure_is_that_of_its_accelerations) {
  static struct moving_robot m;
  make_robot(&m);
  struct net_wrench_settings settings = net_wrench_defaults();
  settings.corner_hz = 0.0;
  struct net_wrench net;
  double A[6 * (6 + JOINTS)], sd[2], unused[2];
  ck_assert_int_eq(net_wrench_init(&net, &settings), STATUS_OK);
  ck_assert_int_eq(kinematics_update(&m.kin, &m.motion), STATUS_OK);
  ck_assert_int_eq(composite_step(&m.composite, &m.kin, m.robot->model.inertia), STATUS_OK);
  ck_assert_int_eq(centroidal_matrix(&m.composite, A), STATUS_OK);
  net_wrench_deviations(&net, A, JOINTS, m.ddq_sd, &m.motion.base.X_WB.R);
  const vec3 clean = cop_of(&m, &m.motion, &net, sd);
  double xx = 0.0, yy = 0.0;
  for (int draw = 0; draw < DRAWS; draw++) {
    double ddq[JOINTS];
    for (int j = 0; j < JOINTS; j++) {
      ddq[j] = m.ddq[j] + m.ddq_sd[j] * random_normal(&rng);
    }
    struct robot_motion noisy = m.motion;
    noisy.ddq = ddq;
    noisy.base.a_B.ang =
        vec3_add(noisy.base.a_B.ang, random_vector(&rng, settings.base_angular_sd));
    noisy.base.a_B.lin = vec3_add(noisy.base.a_B.lin, random_vector(&rng, settings.base_linear_sd));
    const vec3 cop = cop_of(&m, &noisy, &net, unused);
    xx += (cop.x - clean.x) * (cop.x - clean.x) / DRAWS;
    yy += (cop.y - clean.y) * (cop.y - clean.y) / DRAWS;
  }
  /* forces and moments of one body are correlated and the published deviation takes them as
   * independent */
  ck_assert_double_ge(sd[0] / sqrt(xx), 0.7);
  ck_assert_double_le(sd[0] / sqrt(xx), 1.6);
  ck_assert_double_ge(sd[1] / sqrt(yy), 0.7);
  ck_assert_double_le(sd[1] / sqrt(yy), 1.6);
}
END_TEST

START_TEST(
    a_tilt_error_of_half_a_degree_moves_the_centre_of_pressure_under_the_robot_by_less_than_a_millimetre) {
  static struct moving_robot m;
  make_robot(&m);
  const struct net_wrench_settings settings = net_wrench_defaults();
  struct net_wrench net;
  double sd[2];
  ck_assert_int_eq(net_wrench_init(&net, &settings), STATUS_OK);
  for (int j = 0; j < JOINTS; j++) {
    m.dq[j] = m.ddq[j] = 0.0;
  }
  const mat3 R = m.motion.base.X_WB.R;
  m.motion.base.a_B.lin = mat3_tmul_vec3(&R, (vec3){0.0, 0.0, 9.81});
  const vec3 clean = cop_of(&m, &m.motion, &net, sd);
  const vec3 clean_B = mat3_tmul_vec3(&R, vec3_sub(clean, m.motion.base.X_WB.p));
  const mat3 tilt = mat3_from_rpy((vec3){0.0087, 0.0, 0.0});
  m.motion.base.X_WB.R = mat3_mul(&tilt, &R);
  ck_assert_int_eq(net_wrench_init(&net, &settings), STATUS_OK);
  const vec3 tilted = cop_of(&m, &m.motion, &net, sd);
  /* in the body, where the feet are: the line of force goes through the same point at the same
   * distance */
  const vec3 tilted_B =
      mat3_tmul_vec3(&m.motion.base.X_WB.R, vec3_sub(tilted, m.motion.base.X_WB.p));
  const vec3 along = mat3_tmul_vec3(&R, (vec3){0.0, 0.0, 1.0});
  const vec3 apart = vec3_sub(tilted_B, clean_B);
  ck_assert_double_le(vec3_norm(vec3_axpy(apart, -vec3_dot(apart, along), along)), 1e-3);
}
END_TEST

START_TEST(the_divergent_component_of_a_pendulum_at_rest_is_its_centre_of_mass) {
  vec3 dcm = {1.0, 1.0, 1.0};
  ck_assert_int_eq(divergent_component((vec3){0.1, 0.2, 0.9}, VEC3_ZERO, 0.0, &dcm), STATUS_OK);
  assert_near(dcm.x, 0.1, 1e-15);
  ck_assert_int_eq(divergent_component((vec3){0.1, 0.2, 0.981}, (vec3){1.0, 0.0, 0.0}, 0.0, &dcm),
                   STATUS_OK);
  assert_near(dcm.x, 0.1 + sqrt(0.1), 1e-12);
  ck_assert_int_eq(divergent_component((vec3){0.1, 0.2, -0.1}, VEC3_ZERO, 0.0, &dcm),
                   STATUS_OUT_OF_RANGE);
}
END_TEST

static double cop_at(const struct net_wrench *net, vec3 com, int axis) {
  vec3 cop;
  double unused[2];
  ck_assert_int_eq(net_wrench_cop(net, com, 0.0, 650.0, false, &cop, unused), STATUS_OK);
  return axis == 0 ? cop.x : cop.y;
}

/* How far one deviation of the moment or force that `number` points to moves the point. */
static double moved_by(struct net_wrench *net, vec3 com, int axis, double *number, double sd) {
  const double before = *number, step = 1e-4;
  *number = before + step;
  const double plus = cop_at(net, com, axis);
  *number = before - step;
  const double minus = cop_at(net, com, axis);
  *number = before;
  return sd * (plus - minus) / (2.0 * step);
}

START_TEST(the_deviation_is_what_each_part_of_the_wrench_moves_the_point_by_and_unrest_counts) {
  rng = random_from(test_seed());
  for (int trial = 0; trial < 100; trial++) {
    const struct net_wrench_settings settings = net_wrench_defaults();
    struct net_wrench net;
    ck_assert_int_eq(net_wrench_init(&net, &settings), STATUS_OK);
    net.wrench_W = (struct force){random_vector(&rng, 30.0),
                                  vec3_add(random_vector(&rng, 60.0), (vec3){0.0, 0.0, 650.0})};
    net.moment_sd[0] = random_uniform(&rng, 0.0, 5.0);
    net.moment_sd[1] = random_uniform(&rng, 0.0, 5.0);
    net.force_sd = random_uniform(&rng, 0.0, 50.0);
    net.unrest_W = (struct force){random_vector(&rng, 5.0), random_vector(&rng, 50.0)};
    const vec3 com = {0.3 * random_normal(&rng), 0.3 * random_normal(&rng), 0.8};
    vec3 cop;
    double sd[2], strike[2];
    ck_assert_int_eq(net_wrench_cop(&net, com, 0.0, 650.0, false, &cop, sd), STATUS_OK);
    ck_assert_int_eq(net_wrench_cop(&net, com, 0.0, 650.0, true, &cop, strike), STATUS_OK);
    const struct force hidden = net.unrest_W;
    double *const moment[2] = {&net.wrench_W.ang.y, &net.wrench_W.ang.x};
    double *const force[2] = {&net.wrench_W.lin.x, &net.wrench_W.lin.y};
    const double hidden_moment[2] = {hidden.ang.y, hidden.ang.x};
    const double hidden_force[2] = {hidden.lin.x, hidden.lin.y};
    for (int axis = 0; axis < 2; axis++) {
      const double a = moved_by(&net, com, axis, moment[axis],
                                hypot(net.moment_sd[1 - axis], hidden_moment[axis]));
      const double b =
          moved_by(&net, com, axis, force[axis], hypot(net.force_sd, hidden_force[axis]));
      const double c =
          moved_by(&net, com, axis, &net.wrench_W.lin.z, hypot(net.force_sd, hidden.lin.z));
      assert_near(sd[axis], sqrt(a * a + b * b + c * c), 1e-6);
      assert_near(strike[axis], hypot(sd[axis], settings.strike_sd), 1e-12);
    }
  }
}
END_TEST

SUITE(
    the_deviation_is_what_each_part_of_the_wrench_moves_the_point_by_and_unrest_counts,

    the_contacts_have_no_horizontal_moment_about_the_centre_of_pressure,
    in_flight_there_is_no_centre_of_pressure_and_outputs_are_untouched,
    the_deviation_of_the_centre_of_pressure_is_that_of_its_accelerations,
    a_tilt_error_of_half_a_degree_moves_the_centre_of_pressure_under_the_robot_by_less_than_a_millimetre,
    the_divergent_component_of_a_pendulum_at_rest_is_its_centre_of_mass)
