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
    double sd[2], hidden[2];
    ck_assert_int_eq(net_wrench_cop(&net, com, 0.02, 650.0, &cop, sd, hidden), STATUS_OK);
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
  double sd[2] = {5.0, 6.0}, hidden[2];
  ck_assert_int_eq(net_wrench_cop(&net, (vec3){0.0, 0.0, 0.8}, 0.0, 650.0, &cop, sd, hidden),
                   STATUS_OUT_OF_RANGE);
  ck_assert_double_eq(cop.x, 7.0);
  ck_assert_double_eq(sd[1], 6.0);
}
END_TEST

/* A random robot that moves. */
struct moving_robot {
  struct robot *robot;
  struct kinematics kin;
  double q[JOINTS], dq[JOINTS], ddq[JOINTS];
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
  }
  for (int j = 0; j < JOINTS; j++) {
    m->q[j] = random_normal(&rng);
    m->dq[j] = 0.3 * random_normal(&rng);
    m->ddq[j] = 0.3 * random_normal(&rng);
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
  double hidden[2];
  ck_assert_int_eq(kinematics_update(&m->kin, motion), STATUS_OK);
  ck_assert_int_eq(centroidal_step(&m->kin, m->robot->model.inertia, &centroidal), STATUS_OK);
  net_wrench_step(net, &centroidal, &motion->base.X_WB.R, 1e-3);
  const vec3 com = pose_apply(&motion->base.X_WB, centroidal.com);
  ck_assert_int_eq(net_wrench_cop(net, com, 0.0, 9.81 * centroidal.mass, &cop, sd, hidden),
                   STATUS_OK);
  return cop;
}

/* A covariance of the wrench with all its correlations, and a draw from it. */
struct uncertain {
  double factor[6][6];
};

static struct uncertain uncertain_wrench(struct net_wrench *net) {
  const double size[6] = {3.0, 3.0, 1.0, 10.0, 10.0, 20.0};
  struct uncertain u;
  for (int i = 0; i < 6; i++) {
    for (int k = 0; k < 6; k++) {
      u.factor[i][k] = 0.4 * size[i] * random_normal(&rng);
    }
  }
  for (int i = 0; i < 6; i++) {
    for (int k = 0; k < 6; k++) {
      net->cov[i][k] = 0.0;
      for (int l = 0; l < 6; l++) {
        net->cov[i][k] += u.factor[i][l] * u.factor[k][l];
      }
    }
  }
  return u;
}

static struct force draw_of(const struct uncertain *u) {
  double drawn[6] = {0.0};
  for (int l = 0; l < 6; l++) {
    const double normal = random_normal(&rng);
    for (int i = 0; i < 6; i++) {
      drawn[i] += u->factor[i][l] * normal;
    }
  }
  return (struct force){vec3_from(drawn), vec3_from(drawn + 3)};
}

START_TEST(the_deviation_of_the_centre_of_pressure_is_how_far_it_scatters) {
  rng = random_from(test_seed());
  const struct net_wrench_settings settings = net_wrench_defaults();
  const vec3 com = {0.05, -0.1, 0.8};
  struct net_wrench net;
  ck_assert_int_eq(net_wrench_init(&net, &settings), STATUS_OK);
  const struct force clean = {{3.0, -8.0, 1.0}, {20.0, -15.0, 650.0}};
  net.wrench_W = clean;
  const struct uncertain u = uncertain_wrench(&net);
  double sd[2], unused[2], hidden[2], xx = 0.0, yy = 0.0;
  vec3 cop, moved;
  ck_assert_int_eq(net_wrench_cop(&net, com, 0.0, 650.0, &cop, sd, hidden), STATUS_OK);
  for (int draw = 0; draw < DRAWS; draw++) {
    const struct force error = draw_of(&u);
    net.wrench_W = (struct force){vec3_add(clean.ang, error.ang), vec3_add(clean.lin, error.lin)};
    ck_assert_int_eq(net_wrench_cop(&net, com, 0.0, 650.0, &moved, unused, hidden), STATUS_OK);
    xx += (moved.x - cop.x) * (moved.x - cop.x) / DRAWS;
    yy += (moved.y - cop.y) * (moved.y - cop.y) / DRAWS;
  }
  const double within = 4.0 / sqrt(2.0 * DRAWS) + 0.02;
  assert_near(sd[0] / sqrt(xx), 1.0, within);
  assert_near(sd[1] / sqrt(yy), 1.0, within);
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
  double unused[2], hidden[2];
  ck_assert_int_eq(net_wrench_cop(net, com, 0.0, 650.0, &cop, unused, hidden), STATUS_OK);
  return axis == 0 ? cop.x : cop.y;
}

/* d cop / d [moments; forces] along one axis, by differences. */
static void gradient_of(struct net_wrench *net, vec3 com, int axis, double gradient[6]) {
  double *const number[6] = {&net->wrench_W.ang.x, &net->wrench_W.ang.y, &net->wrench_W.ang.z,
                             &net->wrench_W.lin.x, &net->wrench_W.lin.y, &net->wrench_W.lin.z};
  for (int i = 0; i < 6; i++) {
    const double before = *number[i], step = 1e-4;
    *number[i] = before + step;
    const double plus = cop_at(net, com, axis);
    *number[i] = before - step;
    const double minus = cop_at(net, com, axis);
    *number[i] = before;
    gradient[i] = (plus - minus) / (2.0 * step);
  }
}

START_TEST(the_deviation_is_what_each_part_of_the_wrench_moves_the_point_by_and_unrest_counts) {
  rng = random_from(test_seed());
  for (int trial = 0; trial < 100; trial++) {
    const struct net_wrench_settings settings = net_wrench_defaults();
    struct net_wrench net;
    ck_assert_int_eq(net_wrench_init(&net, &settings), STATUS_OK);
    net.wrench_W = (struct force){random_vector(&rng, 30.0),
                                  vec3_add(random_vector(&rng, 60.0), (vec3){0.0, 0.0, 650.0})};
    uncertain_wrench(&net);
    net.com_sd = (vec3){0.004, 0.007, 0.003};
    net.unrest_W = (struct force){random_vector(&rng, 5.0), random_vector(&rng, 50.0)};
    double unrest[6];
    vec3_to(net.unrest_W.ang, unrest);
    vec3_to(net.unrest_W.lin, unrest + 3);
    const vec3 com = {0.3 * random_normal(&rng), 0.3 * random_normal(&rng), 0.8};
    vec3 cop;
    double sd[2], hidden[2];
    ck_assert_int_eq(net_wrench_cop(&net, com, 0.0, 650.0, &cop, sd, hidden), STATUS_OK);
    for (int axis = 0; axis < 2; axis++) {
      double g[6], variance = 0.0, unseen = 0.0;
      gradient_of(&net, com, axis, g);
      for (int i = 0; i < 6; i++) {
        unseen += g[i] * g[i] * unrest[i] * unrest[i];
        for (int k = 0; k < 6; k++) {
          variance += g[i] * net.cov[i][k] * g[k];
        }
      }
      assert_near(sd[axis], hypot(sqrt(variance), axis == 0 ? 0.004 : 0.007), 1e-6);
      assert_near(hidden[axis], sqrt(unseen), 1e-6);
    }
  }
}
END_TEST

/* What smoothing has hidden of 300 N that come within 10 ms, N. */
static double hidden_of_strike(double rate_hz) {
  const struct net_wrench_settings settings = net_wrench_defaults();
  const int steps = (int)lround(0.01 * rate_hz);
  struct net_wrench net;
  ck_assert_int_eq(net_wrench_init(&net, &settings), STATUS_OK);
  struct centroidal whole = {.rate.lin = {0.0, 0.0, 650.0}};
  for (int i = 0; i < 20; i++) {
    net_wrench_step(&net, &whole, &MAT3_IDENTITY, 1.0 / rate_hz);
  }
  for (int i = 0; i < steps; i++) {
    whole.rate.lin.z += 300.0 / (double)steps;
    net_wrench_step(&net, &whole, &MAT3_IDENTITY, 1.0 / rate_hz);
  }
  return net_wrench_force_sd(&net).z;
}

/* At 100 Hz smoothing is all but done within a step, and a strike was as sure as rest: contact
 * forces beyond five deviations in one sample of fifty, and pushes while nobody pushed. */
START_TEST(a_strike_is_as_doubtful_however_seldom_the_sensors_are_read) {
  const double often = hidden_of_strike(1000.0);
  ck_assert_double_gt(often, 50.0);
  assert_near(hidden_of_strike(200.0), often, 0.05 * often);
  assert_near(hidden_of_strike(100.0), often, 0.05 * often);
}
END_TEST

SUITE(
    a_strike_is_as_doubtful_however_seldom_the_sensors_are_read,
    the_deviation_is_what_each_part_of_the_wrench_moves_the_point_by_and_unrest_counts,

    the_contacts_have_no_horizontal_moment_about_the_centre_of_pressure,
    in_flight_there_is_no_centre_of_pressure_and_outputs_are_untouched,
    the_deviation_of_the_centre_of_pressure_is_how_far_it_scatters,
    a_tilt_error_of_half_a_degree_moves_the_centre_of_pressure_under_the_robot_by_less_than_a_millimetre,
    the_divergent_component_of_a_pendulum_at_rest_is_its_centre_of_mass)
