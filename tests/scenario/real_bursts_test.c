/* Short faults in what a real robot's sensors said as it walked, at 100 Hz with stamps of arrival:
 * right again within a second, and never `ok` for long where it was not. */
#include "settings/settings.h"
#include "support/icub_walk.h"
#include "support/suite.h"
#include "support/walk_burst.h"

#include <math.h>
#include <stdio.h>

static struct walk_log walk;
static struct walk_said said, sound;

struct fault {
  enum burst_kind kind;
  double length_s;
};

static struct settings settings;

/* The robot, its walk as it was said in `sound`. */
static struct robot *begin(const char *folder) {
  if (!icub_walk_read(&walk, folder)) {
    skip("no recording icub_walking_real");
  }
  struct robot *robot = icub_walk_robot(folder);
  struct kinematics kin = icub_walk_kinematics(robot);
  settings_defaults(&settings);
  settings.pipeline.period_s = 0.01;
  ck_assert(walk_run_pipeline(&walk, robot, &settings.pipeline, &kin, &sound));
  return robot;
}

static struct walk_harm harm_of(const char *folder, struct robot *robot,
                                const struct walk_burst *burst) {
  struct kinematics kin = icub_walk_kinematics(robot);
  ck_assert(icub_walk_read(&walk, folder));
  walk_burst_apply(burst, &walk);
  ck_assert(walk_run_pipeline(&walk, robot, &settings.pipeline, &kin, &said));
  const struct walk_harm harm = walk_burst_harm(burst, &walk, robot, &said, &sound);
  printf("%s, %s for %.2f s at %.2f s: tilt %.2f rad, right %.2f s after, ok and wrong %.2f s\n",
         walk_sensor_name(burst->sensor), burst_kind_name(burst->kind), burst->length_s,
         burst->start_s, harm.tilt, harm.right_s, harm.lie_s);
  return harm;
}

/* Of three moments of the walk. */
static double moment(size_t i) {
  return 6.1 + 1.03 * (double)(i % 3);
}

static void try_faults(enum walk_sensor sensor, const struct fault *faults, size_t n) {
  const char *folder = shared_data("a real robot's short faults are got over");
  struct robot *robot = begin(folder);
  for (size_t i = 0; i < 3 * n; i++) {
    const struct fault *fault = &faults[i / 3];
    const struct walk_burst burst = {sensor, fault->kind, moment(i), fault->length_s};
    const struct walk_harm harm = harm_of(folder, robot, &burst);
    ck_assert(walk_harm_passes(&harm));
    ck_assert_double_lt(harm.tilt, 0.06);
  }
  robot_destroy(robot);
}

/* Nobody notices a gyro that reads its small rates negated, which turns the base by up to 40
 * degrees: it stayed so for seconds, and said that it was right. */
START_TEST(a_base_that_its_gyro_has_turned_is_put_upright) {
  const char *folder = shared_data("a real robot is put upright by gravity");
  struct robot *robot = begin(folder);
  double turned = 0.0, lied = 0.0;
  static const double of[][2] = {{6.1, 0.8}, {7.13, 0.8}, {8.16, 0.8}, {7.03, 0.1}, {7.61, 0.1}};
  for (size_t i = 0; i < sizeof(of) / sizeof(of[0]); i++) {
    const struct walk_burst burst = {WALK_GYRO, BURST_NEGATED, of[i][0], of[i][1]};
    const struct walk_harm harm = harm_of(folder, robot, &burst);
    turned = fmax(turned, harm.tilt);
    lied = fmax(lied, harm.lie_s);
    ck_assert_double_lt(harm.right_s, 1.5); /* of two */
  }
  ck_assert_double_gt(turned, 0.5);
  ck_assert_double_lt(lied, 1.0);
  robot_destroy(robot);
}
END_TEST

/* Arms flew off by 74 rad after they had read 3.14 for .8 s. */
START_TEST(encoders_of_the_upper_body_may_be_wrong_for_a_while) {
  static const struct fault faults[] = {{BURST_ZERO, 0.01},   {BURST_FULL_SCALE, 0.01},
                                        {BURST_OFFSET, 0.01}, {BURST_FULL_SCALE, 0.1},
                                        {BURST_OFFSET, 0.1},  {BURST_FULL_SCALE, 0.8}};
  try_faults(WALK_UPPER_BODY, faults, sizeof(faults) / sizeof(faults[0]));
}
END_TEST

static const struct fault of_legs[] = {
    {BURST_ZERO, 0.01},  {BURST_OFFSET, 0.01}, {BURST_ZERO, 0.1},  {BURST_FULL_SCALE, 0.1},
    {BURST_OFFSET, 0.1}, {BURST_ZERO, 0.8},    {BURST_OFFSET, 0.8}};
enum { OF_LEGS = sizeof(of_legs) / sizeof(of_legs[0]) };

/* The base tilted by 69 degrees with one that read 3.14 for .1 s, and by 73 with its knee alone. */
START_TEST(encoders_of_a_leg_may_be_wrong_for_a_while) {
  try_faults(WALK_LEG, of_legs, OF_LEGS);
}
END_TEST

START_TEST(an_encoder_may_be_wrong_for_a_while) {
  try_faults(WALK_KNEE, of_legs, OF_LEGS);
}
END_TEST

SUITE(a_base_that_its_gyro_has_turned_is_put_upright,
      encoders_of_the_upper_body_may_be_wrong_for_a_while,
      encoders_of_a_leg_may_be_wrong_for_a_while, an_encoder_may_be_wrong_for_a_while)
