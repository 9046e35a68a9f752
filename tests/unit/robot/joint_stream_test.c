#include "robot/joint_stream.h"

#include "support/suite.h"

#include <string.h>

static struct model model;

static void begin(void) {
  static struct joint joint[2] = {{.name = "hip"}, {.name = "knee"}};
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
  joint_stream_take(&stream, 2, read, false, q);
  joint_stream_take(&stream, 2, read, true, dq);
  assert_near(q[0], 1.0, 1e-15);
  assert_near(q[1], 0.3, 1e-15);
  assert_near(dq[1], -0.2, 1e-15);
  joint_stream_give(&stream, 2, q, false, back);
  assert_near(back[0], 0.2, 1e-15);
  ck_assert_double_eq(back[1], 8.0);
  assert_near(back[2], 1.0, 1e-15);
  joint_stream_give(&stream, 2, dq, true, back);
  assert_near(back[0], 0.2, 1e-15);
}
END_TEST

START_TEST(without_a_list_the_order_is_the_models) {
  struct joint_stream stream;
  begin();
  ck_assert_int_eq(joint_stream_read(&model, NULL, 0, &stream, NULL), STATUS_OK);
  ck_assert(stream.plain && stream.count == 2 && stream.of[1].place == 1);
}
END_TEST

START_TEST(a_list_that_does_not_fit_the_robot_is_refused_by_name) {
  static const struct {
    const char *place[3];
    const char *complaint;
  } bad[] = {
      {{"hip", "kne", "finger"}, "joint 'kne' is no joint of the robot"},
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
      without_a_list_the_order_is_the_models, a_list_that_does_not_fit_the_robot_is_refused_by_name)
