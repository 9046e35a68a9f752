#include "body/frames.h"
#include "settings/robot_files.h"
#include "support/random_model.h"
#include "support/suite.h"

enum { JOINTS = 7 };

static const double PI = 3.14159265358979323846;

/* The maker's table, modified convention: a and alpha of the axis before, d and theta of its
 * own. */
static const struct {
  double a, alpha, d;
} DH[JOINTS + 1] = {{0.0, 0.0, 0.333},  {0.0, -0.5, 0.0},       {0.0, 0.5, 0.316},
                    {0.0825, 0.5, 0.0}, {-0.0825, -0.5, 0.384}, {0.0, 0.5, 0.0},
                    {0.088, 0.5, 0.0},  {0.0, 0.0, 0.107}}; /* alpha in units of pi */

static struct robot *load(void) {
  const struct robot_settings settings = {.urdf = "panda.urdf", .fixed_base = true};
  struct robot *robot = NULL;
  struct message error;
  const enum status status = robot_load(&settings, "config/robots", &robot, &error);
  ck_assert_msg(status == STATUS_OK, "%s", error.text);
  ck_assert_uint_eq(robot->model.n_joints, JOINTS);
  return robot;
}

static double entry(const struct pose *X, int i, int k) {
  const double p[3] = {X->p.x, X->p.y, X->p.z};
  return k < 3 ? X->R.m[i][k] : p[i];
}

/* Rot_x(alpha) Trans_x(a) Rot_z(theta) Trans_z(d) */
static struct pose dh_pose(size_t row, double theta) {
  const double alpha = PI * DH[row].alpha;
  const struct pose turn = {mat3_from_rpy((vec3){alpha, 0.0, 0.0}), VEC3_ZERO},
                    along = {MAT3_IDENTITY, {DH[row].a, 0.0, 0.0}},
                    spin = {mat3_from_rpy((vec3){0.0, 0.0, theta}), {0.0, 0.0, DH[row].d}};
  const struct pose before = pose_mul(&turn, &along);
  return pose_mul(&before, &spin);
}

START_TEST(the_links_are_where_the_makers_table_puts_them) {
  struct robot *robot = load();
  struct arena arena = test_arena(1 << 20);
  struct kinematics kin;
  struct random random = random_from(test_seed());
  ck_assert_int_eq(kinematics_init(&kin, &robot->model, &arena), STATUS_OK);
  for (int times = 0; times < 100; times++) {
    double q[JOINTS];
    for (size_t j = 0; j < JOINTS; j++) {
      q[j] = random_uniform(&random, robot->model.joint[j].q_min, robot->model.joint[j].q_max);
    }
    ck_assert_int_eq(kinematics_update_position(&kin, q), STATUS_OK);
    struct pose X = POSE_IDENTITY;
    for (size_t j = 0; j <= JOINTS; j++) {
      const struct pose step = dh_pose(j, j < JOINTS ? q[j] : 0.0);
      X = pose_mul(&X, &step);
      const int flange = model_find_frame(&robot->model, "flange");
      ck_assert_int_ge(flange, 0);
      const struct model_frame *frame = &robot->model.frame[flange];
      const struct pose is =
          j < JOINTS ? kin.X_BL[j + 1] : frame_pose(&kin, frame->link, &frame->placement);
      for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 4; k++) {
          assert_near(entry(&is, i, k), entry(&X, i, k), 1e-12);
        }
      }
    }
  }
  robot_destroy(robot);
}
END_TEST

START_TEST(every_joint_turns_about_its_links_z_and_the_flange_is_the_last_links) {
  struct robot *robot = load();
  for (size_t j = 0; j < JOINTS; j++) {
    ck_assert_double_eq(robot->model.joint[j].axis.z, 1.0);
    ck_assert_int_eq(robot->model.parent[j + 1], (int)j);
  }
  const int flange = model_find_frame(&robot->model, "flange");
  ck_assert_uint_eq(robot->model.frame[flange].link, JOINTS);
  assert_near(model_mass(&robot->model), 18.1, 1e-9);
  robot_destroy(robot);
}
END_TEST

SUITE(the_links_are_where_the_makers_table_puts_them,
      every_joint_turns_about_its_links_z_and_the_flange_is_the_last_links)
