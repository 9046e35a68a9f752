#include "centroidal/motion_deviations.h"

#include "support/synthetic_robot.h"
#include "support/uncertain_filter.h"

/* A random robot that moves, and what a small error of its motion does to the whole, by differences
 * of the dynamics themselves. */

enum { JOINTS = 9, SIZE = 9 + JOINTS };

static struct random rng;

struct moved {
  struct robot *robot;
  struct kinematics kin;
  struct motion_deviations deviations;
  double q[JOINTS], dq[JOINTS], ddq[JOINTS];
  mat3 R;
  vec3 p, v, omega, omegadot, f;
};

static struct moved make(bool fixed_base) {
  struct moved m = {0};
  m.robot = synthetic_robot(JOINTS, false, 1, &rng);
  m.robot->fixed_base = fixed_base;
  struct arena arena = {0};
  for (int pass = 0; pass < 2; pass++) {
    if (pass == 1) {
      arena = arena_over(aligned_alloc(ARENA_ALIGN, arena.used), arena.used);
    }
    ck_assert_int_eq(kinematics_init(&m.kin, &m.robot->model, &arena), STATUS_OK);
    const struct model_doubt_settings known = {0.0, 0.0};
    ck_assert_int_eq(motion_deviations_init(&m.deviations, m.robot, &known, &arena), STATUS_OK);
  }
  for (int j = 0; j < JOINTS; j++) {
    m.q[j] = random_normal(&rng);
    m.dq[j] = random_normal(&rng);
    m.ddq[j] = 5.0 * random_normal(&rng);
  }
  m.R = random_rotation(&rng);
  m.p = random_vector(&rng, 1.0);
  m.v = fixed_base ? VEC3_ZERO : random_vector(&rng, 0.5);
  m.omega = fixed_base ? VEC3_ZERO : random_vector(&rng, 0.5);
  m.omegadot = fixed_base ? VEC3_ZERO : random_vector(&rng, 2.0);
  m.f = random_vector(&rng, 10.0);
  return m;
}

/* Everything that has a deviation, in the world but for the first. */
struct told {
  vec3 com_in_base, com, velocity, momentum, force, rate;
};

/* [attitude; base angular; base linear; joints], of the order that is asked for. */
static struct told told_of(struct moved *m, const double *e, int order, double *mass) {
  const bool fixed = m->robot->fixed_base;
  double q[JOINTS], dq[JOINTS], ddq[JOINTS];
  const vec3 zero = VEC3_ZERO, theta = fixed ? zero : vec3_from(e),
             ang = fixed ? zero : vec3_from(e + 3), lin = fixed ? zero : vec3_from(e + 6);
  const double *joints = e + (fixed ? 0 : 9);
  for (int j = 0; j < JOINTS; j++) {
    q[j] = m->q[j] + (order == 0 ? joints[j] : 0.0);
    dq[j] = m->dq[j] + (order == 1 ? joints[j] : 0.0);
    ddq[j] = m->ddq[j] + (order == 2 ? joints[j] : 0.0);
  }
  /* only the position's own rotation turns the base when the centre of mass is asked for */
  const vec3 turned = order == 0 ? ang : theta;
  const mat3 turn = mat3_from_quat(quat_from_rotation_vector(turned)), R = mat3_mul(&m->R, &turn);
  const struct robot_motion motion = {
      .base = {.X_WB = {R, m->p},
               .v_B = {vec3_add(m->omega, order == 1 ? ang : zero), zero},
               .a_B = {vec3_add(m->omegadot, order == 2 ? ang : zero),
                       vec3_add(m->f, order == 2 ? lin : zero)}},
      .q = q,
      .dq = dq,
      .ddq = ddq};
  struct centroidal c;
  ck_assert_int_eq(kinematics_update(&m->kin, &motion), STATUS_OK);
  ck_assert_int_eq(centroidal_step(&m->kin, m->robot->model.inertia, &c), STATUS_OK);
  *mass = c.mass;
  const vec3 p = vec3_add(m->p, order == 0 ? lin : zero),
             v = vec3_add(m->v, order == 1 ? lin : zero);
  return (struct told){.com_in_base = c.com,
                       .com = vec3_add(p, mat3_mul_vec3(&R, c.com)),
                       .velocity = vec3_add(v, mat3_mul_vec3(&R, c.com_velocity)),
                       .momentum = mat3_mul_vec3(&R, c.momentum.ang),
                       .force = mat3_mul_vec3(&R, c.rate.lin),
                       .rate = mat3_mul_vec3(&R, c.rate.ang)};
}

/* Rows of B by central differences: for `part` of the whole at errors of one order. */
static void rows_of(struct moved *m, int order, size_t offset, size_t size, double B[3][SIZE]) {
  double e[SIZE] = {0.0}, mass;
  for (size_t k = 0; k < size; k++) {
    const double step = 1e-6;
    e[k] = step;
    const struct told plus = told_of(m, e, order, &mass);
    e[k] = -step;
    const struct told minus = told_of(m, e, order, &mass);
    e[k] = 0.0;
    double a[3], b[3];
    vec3_to(*(const vec3 *)((const char *)&plus + offset), a);
    vec3_to(*(const vec3 *)((const char *)&minus + offset), b);
    for (int i = 0; i < 3; i++) {
      B[i][k] = (a[i] - b[i]) / (2.0 * step);
    }
  }
}

static void must_be_deviations(vec3 sd, double B[3][SIZE], const double *C, size_t size) {
  double told[3];
  vec3_to(sd, told);
  for (int i = 0; i < 3; i++) {
    double variance = 0.0;
    for (size_t a = 0; a < size; a++) {
      for (size_t b = 0; b < size; b++) {
        variance += B[i][a] * C[a * size + b] * B[i][b];
      }
    }
    assert_near(told[i], sqrt(variance), 1e-6 * (1.0 + sqrt(variance)));
  }
}

#define PART(member) offsetof(struct told, member)

static void compare(bool fixed_base) {
  struct moved m = make(fixed_base);
  const struct uncertain_filter *u = uncertain_filter(JOINTS, fixed_base, true, &rng);
  const size_t size = fixed_base ? JOINTS : SIZE;
  const double height = 0.8, dcm_s = sqrt(height / STANDARD_GRAVITY);
  double C[SIZE * SIZE], B[3][SIZE], by_velocity[3][SIZE], nothing[SIZE] = {0.0}, mass;
  struct motion_deviations *d = &m.deviations;
  struct centroidal c;
  struct propriod_centroidal out = {0};
  told_of(&m, nothing, 0, &mass);
  ck_assert_int_eq(centroidal_step(&m.kin, m.robot->model.inertia, &c), STATUS_OK);
  for (int step = 0; step < WHOLES; step++) {
    motion_deviations_publish(d, &out);
    ck_assert_uint_eq(out.estimated, 0); /* not before all are known */
    ck_assert_int_eq(motion_deviations_step(d, &u->filter, &m.kin, m.robot->model.inertia, &c, &m.R,
                                            0.0, height),
                     STATUS_OK);
  }
  motion_deviations_publish(d, &out);
  ck_assert_uint_eq(out.estimated, PROPRIOD_CENTROIDAL_SD);

  motion_covariance(&u->filter, (const double[]){1.0, 0.0, 0.0}, C, size);
  rows_of(&m, 0, PART(com), size, B);
  must_be_deviations(out.com_position_sd, B, C, size);
  rows_of(&m, 0, PART(com_in_base), size, B);
  must_be_deviations(out.com_in_base_sd, B, C, size);

  motion_covariance(&u->filter, (const double[]){0.0, 1.0, 0.0}, C, size);
  rows_of(&m, 1, PART(velocity), size, by_velocity);
  must_be_deviations(out.com_velocity_sd, by_velocity, C, size);
  rows_of(&m, 1, PART(momentum), size, B);
  must_be_deviations(out.angular_momentum_sd, B, C, size);

  motion_covariance(&u->filter, (const double[]){0.0, 0.0, 1.0}, C, size);
  rows_of(&m, 2, PART(rate), size, B);
  must_be_deviations(out.angular_momentum_rate_sd, B, C, size);
  rows_of(&m, 2, PART(force), size, B);
  must_be_deviations(vec3_scale(mass, out.com_acceleration_sd), B, C, size);

  /* c + cdot / omega0: both orders by the same lever arms, and the attitude turns the velocity */
  motion_covariance(&u->filter, (const double[]){1.0, dcm_s, 0.0}, C, size);
  rows_of(&m, 0, PART(com), size, B);
  for (size_t k = 0; !fixed_base && k < 3; k++) {
    for (int i = 0; i < 3; i++) {
      B[i][k] += dcm_s * by_velocity[i][k];
    }
  }
  must_be_deviations(out.dcm_sd, B, C, size);
}

START_TEST(deviations_are_what_small_errors_of_the_motion_do_to_the_whole) {
  rng = random_from(test_seed());
  for (int trial = 0; trial < 10; trial++) {
    compare(false);
    compare(true);
  }
}
END_TEST

START_TEST(without_a_covariance_nothing_is_said) {
  rng = random_from(test_seed());
  struct moved m = make(false);
  double nothing[SIZE] = {0.0}, mass;
  struct centroidal c;
  struct propriod_centroidal out = {0};
  told_of(&m, nothing, 0, &mass);
  ck_assert_int_eq(centroidal_step(&m.kin, m.robot->model.inertia, &c), STATUS_OK);
  for (int step = 0; step < 8; step++) {
    ck_assert_int_eq(motion_deviations_step(&m.deviations, NULL, &m.kin, m.robot->model.inertia, &c,
                                            &m.R, 0.0, 0.8),
                     STATUS_TOO_FEW);
  }
  motion_deviations_publish(&m.deviations, &out);
  ck_assert_uint_eq(out.estimated, 0);
}
END_TEST

SUITE(deviations_are_what_small_errors_of_the_motion_do_to_the_whole,
      without_a_covariance_nothing_is_said)
