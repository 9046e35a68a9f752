#include "centroidal/model_doubt.h"

#include "support/synthetic_robot.h"

/* Bodies that are points, made heavier and shifted one by one: what becomes of the whole, by
 * differences of the dynamics, against what is said. */

enum { JOINTS = 6, LINKS = JOINTS + 1 };

static struct random rng;

struct made {
  struct robot *robot;
  struct kinematics kin;
  struct inertia point[LINKS];
  mat3 R;
};

static struct inertia point_mass(double m, vec3 c) {
  const double xx = c.x * c.x, yy = c.y * c.y, zz = c.z * c.z;
  return (struct inertia){.m = m,
                          .h = vec3_scale(m, c),
                          .Ixx = m * (yy + zz),
                          .Ixy = -m * c.x * c.y,
                          .Ixz = -m * c.x * c.z,
                          .Iyy = m * (xx + zz),
                          .Iyz = -m * c.y * c.z,
                          .Izz = m * (xx + yy)};
}

static struct made make(void) {
  struct made made = {.robot = synthetic_robot(JOINTS, false, 1, &rng), .R = random_rotation(&rng)};
  double q[JOINTS], dq[JOINTS], ddq[JOINTS];
  struct arena arena = {0};
  for (int pass = 0; pass < 2; pass++) {
    if (pass == 1) {
      arena = arena_over(aligned_alloc(ARENA_ALIGN, arena.used), arena.used);
    }
    ck_assert_int_eq(kinematics_init(&made.kin, &made.robot->model, &arena), STATUS_OK);
  }
  for (int j = 0; j < JOINTS; j++) {
    q[j] = random_normal(&rng);
    dq[j] = 2.0 * random_normal(&rng);
    ddq[j] = 10.0 * random_normal(&rng);
  }
  for (int link = 0; link < LINKS; link++) {
    made.point[link] = point_mass(random_uniform(&rng, 0.5, 5.0), random_vector(&rng, 0.1));
  }
  const struct robot_motion motion = {.base = {.X_WB = {made.R, VEC3_ZERO},
                                               .v_B = {random_vector(&rng, 1.0), VEC3_ZERO},
                                               .a_B = {random_vector(&rng, 3.0), {1.0, 2.0, 9.5}}},
                                      .q = q,
                                      .dq = dq,
                                      .ddq = ddq};
  ck_assert_int_eq(kinematics_update(&made.kin, &motion), STATUS_OK);
  return made;
}

/* The two vectors of the whole, one behind the other. */
static void vectors_of(const struct made *made, enum whole whole, double dcm_s, double out[6]) {
  struct centroidal c;
  ck_assert_int_eq(centroidal_step(&made->kin, made->point, &c), STATUS_OK);
  const vec3 com = mat3_mul_vec3(&made->R, c.com), v = mat3_mul_vec3(&made->R, c.com_velocity);
  const struct {
    vec3 first, second;
  } of[WHOLES] = {
      [WHOLE_POSITION] = {com, c.com},
      [WHOLE_MOMENTUM] = {mat3_mul_vec3(&made->R, c.momentum.ang), v},
      [WHOLE_RATE] = {mat3_mul_vec3(&made->R, c.rate.ang), mat3_mul_vec3(&made->R, c.rate.lin)},
      [WHOLE_ACCELERATION] = {mat3_mul_vec3(&made->R, c.com_acceleration), VEC3_ZERO},
      [WHOLE_DCM] = {vec3_axpy(com, dcm_s, v), VEC3_ZERO}};
  vec3_to(of[whole].first, out);
  vec3_to(of[whole].second, out + 3);
}

/* Adds the square of what a change of one body's number, of deviation sd, moves. */
static void add_difference(struct made *made, size_t link, int number, double sd, enum whole whole,
                           double dcm_s, double cov[6][6]) {
  const struct inertia before = made->point[link];
  const vec3 centre = vec3_scale(1.0 / before.m, before.h);
  double end[2][6];
  for (int side = 0; side < 2; side++) {
    const double step = side == 0 ? 1e-5 : -1e-5;
    const vec3 shift = {number == 1 ? step : 0.0, number == 2 ? step : 0.0,
                        number == 3 ? step : 0.0};
    made->point[link] =
        point_mass(before.m * (number == 0 ? 1.0 + step : 1.0), vec3_add(centre, shift));
    vectors_of(made, whole, dcm_s, end[side]);
  }
  made->point[link] = before;
  for (int i = 0; i < 6; i++) {
    for (int k = 0; k < 6; k++) {
      cov[i][k] += sd * sd * (end[0][i] - end[1][i]) * (end[0][k] - end[1][k]) / 4e-10;
    }
  }
}

START_TEST(it_is_what_heavier_and_shifted_bodies_do_to_the_whole) {
  const struct model_doubt_settings settings = {.mass = 0.05, .centre = 0.01};
  const double dcm_s = 0.29, load = 2.5;
  rng = random_from(test_seed());
  for (int trial = 0; trial < 5; trial++) {
    struct made made = make();
    struct centroidal c;
    ck_assert_int_eq(centroidal_step(&made.kin, made.point, &c), STATUS_OK);
    for (int whole = 0; whole < WHOLES; whole++) {
      double told[6][6] = {{0.0}}, expected[6][6] = {{0.0}};
      model_doubt_add(&settings, (enum whole)whole, &made.kin, made.point, &c, &made.R, load, dcm_s,
                      told);
      for (size_t link = 0; link < LINKS; link++) {
        for (int number = 0; number < 4; number++) {
          add_difference(&made, link, number, number == 0 ? settings.mass : settings.centre,
                         (enum whole)whole, dcm_s, expected);
        }
        /* the load is there with the chance of one in LINKS */
        add_difference(&made, link, 0, load / made.point[link].m / sqrt(LINKS), (enum whole)whole,
                       dcm_s, expected);
      }
      for (int i = 0; i < 6; i++) {
        for (int k = 0; k < 6; k++) {
          const double size = sqrt(expected[i][i] * expected[k][k]);
          assert_near(told[i][k], expected[i][k], 1e-6 * size + 1e-15);
        }
      }
    }
  }
}
END_TEST

START_TEST(errors_that_are_none_are_refused) {
  const struct model_doubt_settings negative = {.mass = -0.1}, nan = {.centre = (double)NAN},
                                    defaults = model_doubt_defaults();
  ck_assert_int_eq(model_doubt_check(&negative), STATUS_OUT_OF_RANGE);
  ck_assert_int_eq(model_doubt_check(&nan), STATUS_OUT_OF_RANGE);
  ck_assert_int_eq(model_doubt_check(&defaults), STATUS_OK);
}
END_TEST

SUITE(it_is_what_heavier_and_shifted_bodies_do_to_the_whole, errors_that_are_none_are_refused)
