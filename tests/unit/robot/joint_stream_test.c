#include "robot/joint_stream.h"

#include "support/suite.h"

#include <string.h>

static struct model model;

static void begin(void) {
  static struct joint joint[2] = {{.name = "hip", .mimics = MODEL_NO_JOINT},
                                  {.name = "knee", .mimics = MODEL_NO_JOINT}};
  static struct model_frame frame[1] = {{.name = "finger"}}; /* a joint held fast */
  model = (struct model){.n_joints = 2, .joint = joint, .n_frames = 1, .frame = frame};
}

START_TEST(readings_reach_their_joints_with_sign_and_zero_and_come_back) {
  static const char *const places[] = {"-knee=0.5", "finger", "hip"};
  struct joint_stream stream;
  struct message error;
  begin();
  ck_assert_int_eq(joint_stream_read(&model, places, 3, &stream, &error), STATUS_OK);
  ck_assert_uint_eq(stream.count, 3);
  ck_assert(!stream.plain);
  const double read[3] = {0.2, 99.0, 1.0};
  double q[2], dq[2], back[3] = {7.0, 8.0, 9.0};
  joint_stream_take(&stream, 2, read, JOINT_POSITIONS, q);
  joint_stream_take(&stream, 2, read, JOINT_VELOCITIES, dq);
  assert_near(q[0], 1.0, 1e-15);
  assert_near(q[1], 0.3, 1e-15);
  assert_near(dq[1], -0.2, 1e-15);
  joint_stream_give(&stream, 2, q, JOINT_POSITIONS, back);
  assert_near(back[0], 0.2, 1e-15);
  ck_assert_double_eq(back[1], 8.0);
  assert_near(back[2], 1.0, 1e-15);
  joint_stream_give(&stream, 2, dq, JOINT_VELOCITIES, back);
  assert_near(back[0], 0.2, 1e-15);
}
END_TEST

START_TEST(a_name_may_have_the_signs_of_a_place) {
  static struct joint joint[2] = {{.name = "-hip=1", .mimics = MODEL_NO_JOINT},
                                  {.name = "knee=2", .mimics = MODEL_NO_JOINT}};
  static const char *const places[] = {"-knee=2=0.5", "-hip=1"};
  struct joint_stream stream;
  struct message error;
  model = (struct model){.n_joints = 2, .joint = joint};
  ck_assert_msg(joint_stream_read(&model, places, 2, &stream, &error) == STATUS_OK, "%s",
                error.text);
  ck_assert_uint_eq(stream.of[0].place, 1);
  assert_near(stream.of[0].sign, 1.0, 1e-15);
  assert_near(stream.of[0].offset, 0.0, 1e-15);
  assert_near(stream.of[1].sign, -1.0, 1e-15);
  assert_near(stream.of[1].offset, 0.5, 1e-15);
}
END_TEST

START_TEST(without_a_list_the_order_is_the_models) {
  struct joint_stream stream;
  begin();
  ck_assert_int_eq(joint_stream_read(&model, NULL, 0, &stream, NULL), STATUS_OK);
  ck_assert(stream.plain && stream.count == 2 && stream.of[1].place == 1);
}
END_TEST

/* A gripper: the second finger follows the first, and the third the second. */
static void begin_gripper(void) {
  static struct joint joint[4] = {
      {.name = "wrist", .mimics = MODEL_NO_JOINT},
      {.name = "second", .mimics = 2, .mimic_ratio = -2.0, .mimic_offset = 0.1},
      {.name = "first", .mimics = MODEL_NO_JOINT},
      {.name = "third", .mimics = 1, .mimic_ratio = 0.5, .mimic_offset = 0.0}};
  model = (struct model){.n_joints = 4, .joint = joint};
}

/* wrist 0.3, first 1.0: second = -2 first + 0.1, third = second / 2 */
static void assert_gripper(const struct joint_stream *stream, const double *read) {
  double q[4], dq[4], tau[4];
  joint_stream_take(stream, 4, read, JOINT_POSITIONS, q);
  joint_stream_take(stream, 4, read, JOINT_VELOCITIES, dq);
  joint_stream_take(stream, 4, read, JOINT_TORQUES, tau);
  const double wanted_q[4] = {0.3, -1.9, 1.0, -0.95}, wanted_dq[4] = {0.3, -2.0, 1.0, -1.0},
               wanted_tau[4] = {0.3, 0.0, 1.0, 0.0};
  for (size_t j = 0; j < 4; j++) {
    assert_near(q[j], wanted_q[j], 1e-15);
    assert_near(dq[j], wanted_dq[j], 1e-15);
    assert_near(tau[j], wanted_tau[j], 1e-15);
  }
}

START_TEST(a_joint_that_mimics_another_has_no_place_and_moves_with_it) {
  static const char *const turned[] = {"first", "-wrist"}, *const all[] = {"first", "second",
                                                                           "third", "wrist"};
  struct joint_stream stream;
  struct message error;
  begin_gripper();
  ck_assert_int_eq(joint_stream_read(&model, NULL, 0, &stream, &error), STATUS_OK);
  ck_assert_uint_eq(stream.count, 2);
  ck_assert(!stream.plain);
  assert_gripper(&stream, (const double[]){0.3, 1.0});
  ck_assert_int_eq(joint_stream_read(&model, turned, 2, &stream, &error), STATUS_OK);
  assert_gripper(&stream, (const double[]){1.0, -0.3});
  /* and back: only who has a place writes into it */
  const double q[4] = {0.3, 9.0, 1.0, 9.0};
  double back[2];
  joint_stream_give(&stream, 4, q, JOINT_POSITIONS, back);
  assert_near(back[0], 1.0, 1e-15);
  assert_near(back[1], -0.3, 1e-15);
  /* one with an encoder of its own is read there */
  ck_assert_int_eq(joint_stream_read(&model, all, 4, &stream, &error), STATUS_OK);
  ck_assert(!stream.of[1].follows && stream.of[1].place == 1 && stream.of[1].sign == 1.0);
}
END_TEST

START_TEST(a_list_that_does_not_fit_the_robot_is_refused_by_name) {
  static const struct {
    const char *place[3];
    const char *complaint;
  } bad[] = {
      {{"hip", "kne", "finger"}, "joint 'kne' is no joint of the robot, did you mean 'knee'?"},
      {{"hip", "-hip", "knee"}, "joint 'hip' has two places in the stream"},
      {{"hip", "finger", "finger"},
       "joint 'knee' has no place in the stream: name it here, or hold it fast"},
      {{"hip=a", "knee", "finger"}, "joint 'hip=a': 'a' is not an offset"},
  };
  begin();
  for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
    struct joint_stream stream = {.count = 77};
    struct message error;
    ck_assert_int_eq(joint_stream_read(&model, bad[i].place, 3, &stream, &error),
                     STATUS_BAD_ARGUMENT);
    ck_assert_str_eq(error.text, bad[i].complaint);
    ck_assert_uint_eq(stream.count, 77);
  }
}
END_TEST

SUITE(readings_reach_their_joints_with_sign_and_zero_and_come_back,
      a_joint_that_mimics_another_has_no_place_and_moves_with_it,
      without_a_list_the_order_is_the_models, a_name_may_have_the_signs_of_a_place,
      a_list_that_does_not_fit_the_robot_is_refused_by_name)
