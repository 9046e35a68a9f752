#include "centroidal/five_mass_fit.h"

#include "support/five_mass_fixture.h"

#include <stdio.h>

static struct five_robot r;

static struct five_mass_error error_of(void) {
  struct five_mass_error error;
  ck_assert_int_eq(five_mass_fit_error(r.stock.robot, &r.fit, &r.model, &r.kin, r.q, &error),
                   STATUS_OK);
  return error;
}

static void check_stock(const char *name) {
  five_robot(&r, name);
  const struct five_mass_error error = error_of();
  printf("%s: centre of mass %.2f mm, inertia %.1f %% (%.1f %% points only)\n", name,
         1e3 * error.com_mean, 1e2 * error.inertia_mean, 1e2 * error.points_mean);
  ck_assert_double_le(error.com_mean, 0.005);
  ck_assert_double_le(error.inertia_mean, 0.10);
  ck_assert_double_gt(error.points_mean, 0.2); /* five points alone are too small */
}

START_TEST(five_masses_miss_the_centre_by_at_most_5_mm_and_the_inertia_by_10_percent) {
  check_stock("humanoid30");
  check_stock("humanoid18");
}
END_TEST

static const char *link_name(size_t link) {
  return r.stock.robot->model.link_name[link];
}

START_TEST(hips_knees_and_ankles_shoulders_elbows_and_wrists_are_found_in_the_tree) {
  five_robot(&r, "humanoid30");
  ck_assert_int_eq((int)r.model.n_limbs, 4);
  ck_assert_str_eq(link_name(r.model.torso.link), "torso_pitch_link");
  const struct five_mass_limb *leg = &r.model.limb[1], *arm = &r.model.limb[2];
  ck_assert_int_eq(leg->kind, LIMB_LEG);
  ck_assert_int_eq(leg->side, -1);
  ck_assert_str_eq(link_name(leg->k.link), "right_knee_link");
  ck_assert_str_eq(link_name(leg->e.link), "right_ankle_roll_link");
  ck_assert_int_eq(arm->kind, LIMB_ARM);
  ck_assert_int_eq(arm->side, 1);
  ck_assert_str_eq(link_name(arm->k.link), "left_elbow_link");
  ck_assert_str_eq(link_name(arm->e.link), "left_wrist_roll_link");
}
END_TEST

START_TEST(named_hands_are_taken_and_unknown_ones_refused) {
  five_robot(&r, "humanoid30");
  struct five_mass_model named, untouched = {.n_limbs = 99};
  r.fit.n_hands = 2;
  snprintf(r.fit.hand[0], MODEL_NAME_SIZE, "right_wrist_roll_link");
  snprintf(r.fit.hand[1], MODEL_NAME_SIZE, "left_wrist_roll_link");
  ck_assert_int_eq(five_mass_fit(r.stock.robot, &r.fit, &r.kin, r.q, &named), STATUS_OK);
  ck_assert_int_eq(named.limb[2].side, -1);
  ck_assert_int_eq(named.limb[3].side, 1);
  assert_near(named.limb[3].p_l, r.model.limb[2].p_l, 1e-12);
  snprintf(r.fit.hand[1], MODEL_NAME_SIZE, "third_hand");
  ck_assert_int_eq(five_mass_fit(r.stock.robot, &r.fit, &r.kin, r.q, &untouched),
                   STATUS_BAD_ARGUMENT);
  ck_assert_int_eq((int)untouched.n_limbs, 99);
}
END_TEST

START_TEST(an_arm_bolted_to_the_ground_is_one_torso) {
  five_robot(&r, "tx40");
  ck_assert_int_eq((int)r.model.n_limbs, 0);
  assert_near(r.model.w[0], model_mass(&r.stock.robot->model), 1e-9);
}
END_TEST

/* Robots that others built. */
static void check_shared(const char *path, const char *imu, const char *left, const char *right) {
  struct robot_settings settings = {.n_feet = 2};
  struct message error = {0};
  snprintf(settings.urdf, sizeof(settings.urdf), "%s/%s",
           shared_data("five masses fit robots in use"), path);
  snprintf(settings.imu, sizeof(settings.imu), "%s", imu);
  snprintf(settings.foot[0], sizeof(settings.foot[0]), "%s", left);
  snprintf(settings.foot[1], sizeof(settings.foot[1]), "%s", right);
  ck_assert_msg(robot_load(&settings, NULL, &r.stock.robot, &error) == STATUS_OK, "%s", error.text);
  five_kinematics(&r, &r.stock.robot->model);
  r.fit = five_mass_fit_defaults();
  ck_assert_int_eq(five_mass_fit(r.stock.robot, &r.fit, &r.kin, r.q, &r.model), STATUS_OK);
  const struct five_mass_error e = error_of();
  printf("%s: %d limbs, centre of mass %.2f mm, inertia %.1f %%\n", path, (int)r.model.n_limbs,
         1e3 * e.com_mean, 1e2 * e.inertia_mean);
  ck_assert_int_eq((int)r.model.n_limbs, 4);
  ck_assert_double_le(e.com_mean, 0.005);
  ck_assert_double_le(e.inertia_mean, 0.10);
}

START_TEST(robots_of_other_makers_are_fitted_as_well) {
  check_shared("icub_walking_real/model.urdf", "root_link_imu_frame", "l_sole", "r_sole");
}
END_TEST

SUITE(five_masses_miss_the_centre_by_at_most_5_mm_and_the_inertia_by_10_percent,
      hips_knees_and_ankles_shoulders_elbows_and_wrists_are_found_in_the_tree,
      named_hands_are_taken_and_unknown_ones_refused, an_arm_bolted_to_the_ground_is_one_torso,
      robots_of_other_makers_are_fitted_as_well)
