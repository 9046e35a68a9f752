#include "urdf/urdf_reader.h"

#include "support/robot_text.h"
#include "support/suite.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -- what every model must satisfy ------------------------------------------------------------ */

/* Parents before children, limbs contiguous: the links below any link follow it in one block. */
static void assert_depth_first(const struct model *model) {
  ck_assert_int_eq(model->parent[0], -1);
  for (size_t i = 1; i < model->n_links; i++) {
    ck_assert_int_lt(model->parent[i], (int)i);
    bool left_block = false;
    for (size_t k = i + 1; k < model->n_links; k++) {
      int above = (int)k;
      while (above > (int)i) {
        above = model->parent[above];
      }
      const bool below = above == (int)i;
      ck_assert_msg(!(below && left_block), "link %zu is below %zu, others stand between", k, i);
      left_block = left_block || !below;
    }
  }
}

static void assert_rotation(const mat3 *R) {
  const mat3 T = mat3_transpose(R);
  const mat3 one = mat3_mul(R, &T);
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      assert_near(one.m[i][j], i == j, 1e-12);
    }
  }
}

static void assert_well_formed(const struct model *model) {
  ck_assert_uint_eq(model->n_links, model->n_joints + 1);
  assert_depth_first(model);
  for (size_t j = 0; j < model->n_joints; j++) {
    const struct joint *joint = &model->joint[j];
    assert_near(vec3_norm(joint->axis), 1.0, 1e-12);
    assert_rotation(&joint->placement.R);
    ck_assert(joint->q_min < joint->q_max && joint->dq_max > 0.0 && joint->tau_max > 0.0);
    ck_assert(joint->viscous >= 0.0 && joint->coulomb >= 0.0 && joint->rotor_inertia >= 0.0);
    ck_assert_int_eq(model_find_joint(model, joint->name), (int)j);
  }
  for (size_t i = 0; i < model->n_links; i++) {
    const int frame = model_find_frame(model, model->link_name[i]);
    ck_assert_int_ge(frame, 0);
    ck_assert_uint_eq(model->frame[frame].link, i);
    ck_assert_double_eq(vec3_norm(model->frame[frame].placement.p), 0.0);
  }
  for (size_t i = 0; i < model->n_frames; i++) {
    ck_assert_uint_lt(model->frame[i].link, model->n_links);
    assert_rotation(&model->frame[i].placement.R);
  }
}

START_TEST(the_projects_own_robots_have_the_joints_and_the_mass_they_promise) {
  const struct {
    const char *path;
    size_t joints;
    double mass;
  } robot[] = {{"config/robots/humanoid30.urdf", 30, 67.0},
               {"config/robots/humanoid18.urdf", 18, 19.0},
               {"config/robots/tx40.urdf", 6, 27.2},
               {"config/robots/chain9.urdf", 9, 32.4}};
  for (size_t i = 0; i < sizeof(robot) / sizeof(robot[0]); i++) {
    const struct model model = test_model_file(robot[i].path);
    ck_assert_uint_eq(model.n_joints, robot[i].joints);
    assert_near(model_mass(&model), robot[i].mass, 0.05 * robot[i].mass);
    assert_well_formed(&model);
  }
}
END_TEST

START_TEST(robots_in_use_have_the_joints_sensors_and_mass_that_their_files_say) {
  const char *folder = shared_data("robots in use are read");
  const struct {
    const char *path, *base;
    size_t joints, accelerometers;
    double mass; /* sum of every <mass> in the file, kg */
  } robot[] = {
      {"models/icub/iCubGenova04.urdf", "root_link", 32, 62, 33.0617},
      {"icub_leg_skin_real/iCubGenova02_sensors_calib.urdf", "base_link", 32, 56, 33.0766},
      {"icub_walking_real/model.urdf", "base_link", 32, 61, 33.0766},
      {"models/unitree_g1/g1_29dof.urdf", "pelvis", 29, 0, 35.1151},
      {"models/ur5/ur5_robot.urdf", "world", 6, 0, 20.9939},
  };
  for (size_t i = 0; i < sizeof(robot) / sizeof(robot[0]); i++) {
    const struct model model = test_model_file(test_path(folder, robot[i].path));
    ck_assert_str_eq(model.link_name[0], robot[i].base);
    ck_assert_uint_eq(model.n_joints, robot[i].joints);
    ck_assert_uint_eq(model.n_accelerometers, robot[i].accelerometers);
    assert_near(model_mass(&model), robot[i].mass, 1e-4);
    assert_well_formed(&model);
  }
}
END_TEST

START_TEST(all_31_inconsistent_links_of_tocabi_are_reported_by_name) {
  size_t length, found = 0;
  char *text = test_file(test_path(shared_data("impossible inertias of robots in use are found"),
                                   "models/tocabi/dyros_tocabi.urdf"),
                         &length);
  struct message error = {""};
  struct arena count = {0};
  struct model model;
  ck_assert_int_eq(urdf_read(text, length, &count, &model, &error), STATUS_NOT_CONSISTENT);
  ck_assert_str_eq(error.text, "70:1: link 'R_HipRoll_Link': the principal moments of inertia "
                               "violate the triangle inequality: 0.292802 must be below 0.0182078 "
                               "+ 0.03121 = 0.0494178 kg m^2 (and 30 more)");
  struct urdf_finding finding[40];
  ck_assert_int_eq(urdf_check(text, length, finding, 40, &found, &error), STATUS_OK);
  ck_assert_uint_eq(found, 31);
  for (size_t i = 0; i < found; i++) {
    char quoted[MODEL_NAME_SIZE + 2];
    snprintf(quoted, sizeof(quoted), "'%.63s'", finding[i].link);
    ck_assert_ptr_nonnull(strstr(finding[i].complaint.text, quoted));
    ck_assert_ptr_nonnull(strstr(finding[i].complaint.text, "triangle inequality"));
    for (size_t k = 0; k < i; k++) {
      ck_assert_str_ne(finding[i].link, finding[k].link);
    }
  }
}
END_TEST

START_TEST(a_check_counts_more_findings_than_it_has_room_for) {
  size_t length, found = 0;
  char *text = test_file(test_path(shared_data("impossible inertias of robots in use are found"),
                                   "models/tocabi/dyros_tocabi.urdf"),
                         &length);
  struct message error;
  struct urdf_finding finding[2] = {{.link = ""}, {.link = "untouched"}};
  ck_assert_int_eq(urdf_check(text, length, finding, 1, &found, &error), STATUS_OK);
  ck_assert_uint_eq(found, 31);
  ck_assert_str_eq(finding[1].link, "untouched");
}
END_TEST

START_TEST(the_measured_tx40_is_refused_for_its_wrist_without_moments) {
  size_t length;
  char *text = test_file(test_path(shared_data("impossible inertias of robots in use are found"),
                                   "tx40_real/tx40_mdh_modified.urdf"),
                         &length);
  struct message error;
  struct arena count = {0};
  struct model model;
  ck_assert_int_eq(urdf_read(text, length, &count, &model, &error), STATUS_NOT_CONSISTENT);
  static const char complaint[] = "213:5: link 'link_6': a principal moment of inertia about the "
                                  "centre of mass is not positive: ";
  ck_assert_mem_eq(error.text, complaint, strlen(complaint)); /* behind it a zero or its rounding */
}
END_TEST

/* -- a small robot with one of everything ----------------------------------------------------- */

static const char gadget[] =
    "<?xml version='1.0'?>\n"
    "<robot name='gadget'>\n"
    "  <link name='world'/>\n"
    "  <joint name='free' type='floating'><parent link='world'/><child link='body'/></joint>\n"
    "  <link name='finger'><inertial><mass value='0.1'/>\n"
    "    <inertia ixx='1e-4' ixy='0' ixz='0' iyy='1e-4' iyz='0' izz='1e-4'/></inertial></link>\n"
    "  <link name='body'><inertial><origin xyz='0.1 0 0.2' rpy='0 0 1.5707963267948966'/>\n"
    "    <mass value='3'/>\n"
    "    <inertia ixx='0.03' ixy='0' ixz='0' iyy='0.02' iyz='0' izz='0.015'/></inertial></link>\n"
    "  <link name='arm'><inertial><mass value='1'/>\n"
    "    <inertia ixx='0.01' ixy='0' ixz='0' iyy='0.01' iyz='0' izz='0.01'/></inertial></link>\n"
    "  <link name='mount'/>\n"
    "  <link name='slider'><inertial><mass value='0.5'/>\n"
    "    <inertia ixx='0.01' ixy='0' ixz='0' iyy='0.01' iyz='0' izz='0.01'/></inertial></link>\n"
    "  <joint name='mounting' type='fixed'>\n"
    "    <origin xyz='0 0 1' rpy='0 0 1.5707963267948966'/>\n"
    "    <parent link='body'/><child link='mount'/></joint>\n"
    "  <joint name='shoulder' type='revolute'><origin xyz='1 0 0'/>\n"
    "    <parent link='mount'/><child link='arm'/><axis xyz='0 3 4'/>\n"
    "    <limit lower='-1' upper='2' velocity='5' effort='40'/>\n"
    "    <dynamics damping='0.5' friction='0.25'/><rotor inertia='2e-5' ratio='-100'/></joint>\n"
    "  <joint name='grip' type='continuous'><parent link='arm'/><child link='finger'/>\n"
    "    <limit lower='-1' upper='1'/>\n"
    "    <mimic joint='push' multiplier='3' offset='0.5'/></joint>\n"
    "  <joint name='push' type='prismatic'><parent link='body'/><child link='slider'/>\n"
    "    <limit effort='0' velocity='0'/><mimic joint='shoulder' multiplier='-2' "
    "offset='0.1'/></joint>\n"
    "  <transmission name='t'><joint name='shoulder'/></transmission>\n"
    "  <gazebo reference='arm'><sensor name='simulated' type='accelerometer'/></gazebo>\n"
    "  <sensor name='acc' type='accelerometer'><parent link='mount'/>\n"
    "    <origin xyz='0 0.5 0'/></sensor>\n"
    "  <sensor name='gyro' type='gyroscope'><parent link='arm'/></sensor>\n"
    "  <sensor name='ft' type='force_torque'><parent joint='shoulder'/></sensor>\n"
    "</robot>\n";

static struct model read_gadget(void) {
  return test_model(gadget, strlen(gadget));
}

START_TEST(bodies_stand_depth_first_below_the_floating_joint) {
  const struct model model = read_gadget();
  assert_well_formed(&model);
  const char *const links[] = {"body", "arm", "finger", "slider"};
  const int parents[] = {-1, 0, 1, 0};
  ck_assert_uint_eq(model.n_links, 4);
  for (size_t i = 0; i < model.n_links; i++) {
    ck_assert_str_eq(model.link_name[i], links[i]);
    ck_assert_int_eq(model.parent[i], parents[i]);
  }
  ck_assert_str_eq(model.name, "gadget");
  ck_assert_int_eq(model_find_frame(&model, "world"), -1);
}
END_TEST

START_TEST(a_joint_keeps_type_unit_axis_limits_friction_and_reflected_rotor) {
  const struct model model = read_gadget();
  const struct joint *shoulder = &model.joint[0], *grip = &model.joint[1], *push = &model.joint[2];
  ck_assert_int_eq(shoulder->type, JOINT_REVOLUTE);
  ck_assert_double_eq(shoulder->axis.x, 0.0);
  assert_near(shoulder->axis.y, 0.6, 1e-15);
  assert_near(shoulder->axis.z, 0.8, 1e-15);
  ck_assert(shoulder->q_min == -1.0 && shoulder->q_max == 2.0);
  ck_assert(shoulder->dq_max == 5.0 && shoulder->tau_max == 40.0);
  ck_assert(shoulder->viscous == 0.5 && shoulder->coulomb == 0.25);
  assert_near(shoulder->rotor_inertia, 0.2, 1e-15); /* 2e-5 at the motor, behind 100 to 1 */
  ck_assert_int_eq(grip->type, JOINT_CONTINUOUS);
  ck_assert(grip->q_min == -HUGE_VAL && grip->q_max == HUGE_VAL);
  ck_assert(grip->axis.x == 1.0 && grip->axis.y == 0.0 && grip->axis.z == 0.0);
  ck_assert_int_eq(push->type, JOINT_PRISMATIC);
  ck_assert(push->q_max == HUGE_VAL && push->dq_max == HUGE_VAL && push->tau_max == HUGE_VAL);
}
END_TEST

START_TEST(a_follower_of_a_follower_follows_the_first_leader) {
  const struct model model = read_gadget();
  const struct joint *shoulder = &model.joint[0], *grip = &model.joint[1], *push = &model.joint[2];
  ck_assert_int_eq(shoulder->mimics, MODEL_NO_JOINT);
  ck_assert_int_eq(push->mimics, 0);
  ck_assert_int_eq(grip->mimics, 0);
  const double q = 0.7, pushed = -2.0 * q + 0.1, gripped = 3.0 * pushed + 0.5;
  assert_near(push->mimic_ratio * q + push->mimic_offset, pushed, 1e-15);
  assert_near(grip->mimic_ratio * q + grip->mimic_offset, gripped, 1e-15);
}
END_TEST

START_TEST(lumped_links_fixed_joints_and_sensors_stay_as_frames_on_their_body) {
  const struct model model = read_gadget();
  const char *const names[] = {"body",   "mount",    "arm", "finger",
                               "slider", "mounting", "acc", "gyro"};
  ck_assert_uint_eq(model.n_frames, sizeof(names) / sizeof(names[0]));
  for (size_t i = 0; i < model.n_frames; i++) {
    ck_assert_str_eq(model.frame[i].name, names[i]);
  }
  ck_assert_uint_eq(model.n_accelerometers, 1);
  /* the mount stands 1 m above the body, turned a quarter: its y is the body's -x */
  const struct model_frame *acc = &model.accelerometer[0];
  ck_assert_uint_eq(acc->link, 0);
  assert_near(acc->placement.p.x, -0.5, 1e-15);
  assert_near(acc->placement.p.y, 0.0, 1e-15);
  assert_near(acc->placement.p.z, 1.0, 1e-15);
  /* the shoulder is placed in the mount, 1 m along its x: the body's y */
  const vec3 p = model.joint[0].placement.p;
  assert_near(p.x, 0.0, 1e-15);
  assert_near(p.y, 1.0, 1e-15);
  assert_near(p.z, 1.0, 1e-15);
}
END_TEST

START_TEST(an_inertial_with_a_turned_frame_has_its_moments_turned_and_moved) {
  const struct model model = read_gadget();
  const struct inertia *I = &model.inertia[0];
  /* a quarter about z swaps ixx and iyy; 3 kg at (0.1, 0, 0.2) add m (c.c 1 - c c^T) */
  ck_assert_double_eq(I->m, 3.0);
  assert_near(I->h.x, 0.3, 1e-15);
  assert_near(I->h.z, 0.6, 1e-15);
  assert_near(I->Ixx, 0.02 + 3.0 * 0.04, 1e-15);
  assert_near(I->Iyy, 0.03 + 3.0 * 0.05, 1e-15);
  assert_near(I->Izz, 0.015 + 3.0 * 0.01, 1e-15);
  assert_near(I->Ixz, -3.0 * 0.1 * 0.2, 1e-15);
  assert_near(I->Ixy, 0.0, 1e-15);
}
END_TEST

START_TEST(a_base_without_mass_is_read_for_arms_bolted_to_the_world) {
  static const char text[] =
      "<robot><link name='world'/><link name='arm'><inertial><mass value='1'/>"
      "<inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/></inertial></link>"
      "<joint name='j' type='revolute'><parent link='world'/><child link='arm'/></joint></robot>";
  const struct model model = test_model(text, strlen(text));
  ck_assert_double_eq(model.inertia[0].m, 0.0);
  ck_assert_str_eq(model.name, "");
}
END_TEST

SUITE(the_projects_own_robots_have_the_joints_and_the_mass_they_promise,
      robots_in_use_have_the_joints_sensors_and_mass_that_their_files_say,
      all_31_inconsistent_links_of_tocabi_are_reported_by_name,
      a_check_counts_more_findings_than_it_has_room_for,
      the_measured_tx40_is_refused_for_its_wrist_without_moments,
      bodies_stand_depth_first_below_the_floating_joint,
      a_joint_keeps_type_unit_axis_limits_friction_and_reflected_rotor,
      a_follower_of_a_follower_follows_the_first_leader,
      lumped_links_fixed_joints_and_sensors_stay_as_frames_on_their_body,
      an_inertial_with_a_turned_frame_has_its_moments_turned_and_moved,
      a_base_without_mass_is_read_for_arms_bolted_to_the_world)
