#include "update/joint_skin.h"

#include "skin/skin_fusion.h"
#include "support/synthetic_robot.h"

static const double NOISE = 0.34; /* m/s^2 */
static const double RATIO = 0.5;

enum { JOINTS = 2, LINKS = JOINTS + 1, NUMBERS = 64 };

struct fixture {
  struct random rng;
  struct robot *robot;
  struct joint_skin skin;
  struct motion_bank bank;
  struct joint_layout layout;
  struct link_rows block[LINKS];
  double x[NUMBERS];
};

/* Rows of all links of a chain of two joints; the base's last, after links that have all, and with
 * two cells only where it is `poor`: too few for its whole acceleration. */
static struct fixture fixture(bool poor, bool fixed) {
  struct fixture f = {.rng = random_from(test_seed())};
  struct skin_fusion fusion;
  struct arena arena = {0};
  f.robot = synthetic_robot(JOINTS, true, 20, &f.rng);
  f.layout = joint_layout_of(JOINTS, fixed, false, 0);
  for (int pass = 0; pass < 2; pass++) {
    arena = pass == 0 ? arena : test_arena(arena.used);
    ck_assert_int_eq(skin_fusion_init(&fusion, f.robot, NOISE, NULL, 80.0, &arena), STATUS_OK);
    ck_assert_int_eq(joint_skin_init(&f.skin, f.robot, fixed, RATIO, 0.0, &arena), STATUS_OK);
  }
  skin_fusion_assume_all(&fusion);
  for (size_t k = 2; poor && k < fusion.link[0].n_cells; k++) {
    skin_fusion_drop(&fusion, &fusion.link[0], k);
  }
  for (size_t i = 0; i < LINKS; i++) {
    f.block[LINKS - 1 - i] = skin_fusion_rows(&fusion.link[i]);
  }
  return f;
}

/* Readings of a robot that moves like this, without noise. */
static void read_motion(struct fixture *f, const struct robot_motion *motion) {
  struct kinematics kin;
  struct arena arena = {0};
  for (int pass = 0; pass < 2; pass++) {
    arena = pass == 0 ? arena : test_arena(arena.used);
    ck_assert_int_eq(kinematics_init(&kin, &f->robot->model, &arena), STATUS_OK);
  }
  ck_assert_int_eq(kinematics_update(&kin, motion), STATUS_OK);
  for (size_t b = 0; b < LINKS; b++) {
    double part[PART_SIZE];
    const size_t link = f->block[b].link;
    vec3_to(kinematics_a_L(&kin, link).ang, part + PART_OMEGADOT);
    vec3_to(kinematics_a_L(&kin, link).lin, part + PART_VDOT);
    vec3_to(kinematics_v_L(&kin, link).ang, part + PART_OMEGA);
    omega_products(kinematics_v_L(&kin, link).ang, part + PART_PRODUCTS);
    for (unsigned i = 0; i < f->block[b].rank; i++) {
      f->block[b].z[i] = 0.0;
      for (unsigned k = 0; k < PART_SIZE; k++) {
        f->block[b].z[i] += f->block[b].W[i][k] * part[k];
      }
    }
  }
}

/* Links of which too few cells told all were taken for links that are off by nothing: a base with
 * one cell was told without error, its tilt off by 17 of its deviations. */
START_TEST(a_link_with_too_few_cells_is_off_by_what_its_best_row_is) {
  struct fixture f = fixture(true, false);
  const struct link_rows *rows = &f.block[LINKS - 1];
  double best = 0.0;
  ck_assert_uint_lt(rows->rank, ROWS_MAX);
  ck_assert_uint_eq(rows->link, 0);
  for (unsigned r = 0; r < rows->rank; r++) {
    best = fmax(best, vec3_norm(vec3_from(rows->W[r] + PART_VDOT)));
  }
  joint_skin_survey(&f.skin, f.block, LINKS);
  ck_assert(f.skin.has[2] && !f.skin.has[0]);
  ck_assert(f.skin.told[2] && f.skin.told[0]);
  assert_near(f.skin.noise[0].lin.z, 1.0 / (best * best), 1e-12);
  ck_assert_double_gt(f.skin.noise[0].ang.x, 0.0);
}
END_TEST

START_TEST(a_base_without_cells_is_off_by_what_the_nearest_link_with_skin_is) {
  struct fixture f = fixture(false, false);
  joint_skin_survey(&f.skin, f.block, LINKS - 1); /* all but the base */
  const vec3 nearest = f.skin.noise[1].lin;
  ck_assert(!f.skin.told[0] && f.skin.told[1] && f.skin.reached[0]);
  ck_assert_double_eq(f.skin.noise[0].lin.x, nearest.x);
  ck_assert_double_gt(joint_skin_prior(&f.skin, 0), 0.0);
  joint_skin_survey(&f.skin, f.block, 1); /* the last link alone */
  ck_assert_double_eq(f.skin.noise[0].lin.x, f.skin.noise[LINKS - 1].lin.x);
}
END_TEST

START_TEST(a_joint_is_seen_when_both_of_its_links_are_and_its_prior_follows_their_noise) {
  struct fixture f = fixture(true, false);
  ck_assert_double_eq(joint_skin_prior(&f.skin, 1), 0.0); /* before the first look */
  joint_skin_survey(&f.skin, f.block, LINKS);
  ck_assert(!f.skin.observed[0] && f.skin.observed[1]);
  ck_assert(f.skin.reached[0]); /* by the base's few cells */
  assert_near(joint_skin_prior(&f.skin, 0), RATIO * RATIO * f.skin.along[0], 1e-12);
  ck_assert_double_gt(f.skin.along[1], 0.0);
  assert_near(joint_skin_prior(&f.skin, 1), RATIO * RATIO * f.skin.along[1], 1e-12);
  joint_skin_reset(&f.skin);
  ck_assert_double_eq(joint_skin_prior(&f.skin, 1), 0.0);
}
END_TEST

/* Of a real leg's skin on thigh and shank alone the hip's joints took all slow errors for
 * motion. */
START_TEST(joints_between_links_with_skin_may_be_what_the_links_are_off_by) {
  struct fixture f = fixture(false, true);
  joint_skin_survey(&f.skin, f.block, 1); /* the last link's */
  ck_assert_uint_eq(f.block[0].link, LINKS - 1);
  const double told = joint_skin_prior(&f.skin, JOINTS - 1);
  for (size_t j = 0; j < JOINTS; j++) {
    ck_assert(!f.skin.observed[j] && f.skin.reached[j]);
    ck_assert_double_gt(joint_skin_prior(&f.skin, j), 0.0);
  }
  /* as much as of two links with skin, the base's being known */
  joint_skin_survey(&f.skin, f.block, LINKS);
  ck_assert_double_lt(told, joint_skin_prior(&f.skin, JOINTS - 1));
  joint_skin_survey(&f.skin, f.block + 1, 1); /* of the first joint's link: nothing is below */
  ck_assert(f.skin.reached[0] && !f.skin.reached[1]);
  ck_assert_double_eq(joint_skin_prior(&f.skin, 1), 0.0);
}
END_TEST

START_TEST(a_fixed_base_needs_no_cells) {
  struct fixture f = fixture(true, true);
  joint_skin_survey(&f.skin, f.block, LINKS - 1);
  ck_assert(f.skin.has[0] && f.skin.observed[0]);
  ck_assert_double_eq(f.skin.noise[0].ang.x, 0.0);
}
END_TEST

/* What each link measures is the acceleration it has, however wrong the estimate of accelerations
 * is. */
START_TEST(links_measure_their_own_acceleration_whatever_accelerations_are_believed) {
  struct fixture f = fixture(false, false);
  const struct joint_layout *l = &f.layout;
  double q[JOINTS], dq[JOINTS], ddq[JOINTS];
  for (size_t j = 0; j < JOINTS; j++) {
    f.x[l->q + j] = q[j] = 0.1 * random_normal(&f.rng);
    f.x[l->dq + j] = dq[j] = random_normal(&f.rng);
    ddq[j] = 5.0 * random_normal(&f.rng);
    f.x[l->ddq + j] = -3.0;
  }
  struct robot_motion motion = {.q = q, .dq = dq, .ddq = ddq};
  motion.base.X_WB = POSE_IDENTITY;
  motion.base.v_B.ang = random_vec3(&f.rng, 1.0);
  motion.base.a_B = (struct motion){random_vec3(&f.rng, 5.0), {1.0, 2.0, 9.0}};
  vec3_to(motion.base.v_B.ang, f.x + l->omega);
  vec3_to((vec3){7.0, 7.0, 7.0}, f.x + l->force);
  read_motion(&f, &motion);
  joint_skin_step(&f.skin, NULL, l, f.x, &(struct base_motion){.X_WB = POSE_IDENTITY}, f.block,
                  LINKS);
  for (size_t j = 0; j < JOINTS; j++) {
    const struct joint *joint = &f.robot->model.joint[j];
    const struct motion *child = &f.skin.measured[j + 1], *parent = &f.skin.measured[j];
    ck_assert(f.skin.observed[j]);
    if (joint->type != JOINT_PRISMATIC) {
      const vec3 axis_P = mat3_mul_vec3(&joint->placement.R, joint->axis);
      assert_near(vec3_dot(joint->axis, child->ang) - vec3_dot(axis_P, parent->ang), ddq[j], 1e-8);
    }
  }
}
END_TEST

START_TEST(a_negative_ratio_is_refused) {
  struct fixture f = fixture(false, false);
  struct arena arena = {0};
  ck_assert_int_eq(joint_skin_init(&f.skin, f.robot, false, -1.0, 0.0, &arena),
                   STATUS_OUT_OF_RANGE);
  ck_assert_int_eq(joint_skin_init(&f.skin, f.robot, false, RATIO, -1.0, &arena),
                   STATUS_OUT_OF_RANGE);
  ck_assert_int_eq(joint_skin_init(&f.skin, f.robot, false, (double)NAN, 0.0, &arena),
                   STATUS_OUT_OF_RANGE);
}
END_TEST

SUITE(a_link_with_too_few_cells_is_off_by_what_its_best_row_is,
      a_base_without_cells_is_off_by_what_the_nearest_link_with_skin_is,
      a_joint_is_seen_when_both_of_its_links_are_and_its_prior_follows_their_noise,
      joints_between_links_with_skin_may_be_what_the_links_are_off_by, a_fixed_base_needs_no_cells,
      links_measure_their_own_acceleration_whatever_accelerations_are_believed,
      a_negative_ratio_is_refused)
