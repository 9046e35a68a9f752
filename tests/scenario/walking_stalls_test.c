/* A robot walks, trots or swings its arms, and all its sensors fall silent again and again, as when
 * the computer that feeds them is busy. What moves was carried on through the silence as it had
 * been: positions and tilt were wrong by radians, two to ten resets, and a trotting quadruped never
 * came right again. */
#include "support/suite.h"
#include "trust/fault_bench.h"

#include <stdio.h>
#include <string.h>

/* All robots and motions, made once; each stalls in its own ways. */
static struct made {
  const char *robot;
  enum bench_motion motion;
  uint64_t seed;
  struct fault_bench bench;
} made[] = {{.robot = "humanoid18", .motion = MOTION_WALK, .seed = 41},
            {.robot = "humanoid30-bare", .motion = MOTION_WALK, .seed = 42},
            {.robot = "quadruped12", .motion = MOTION_WALK, .seed = 51},
            {.robot = "quadruped12", .motion = MOTION_STAND, .seed = 61},
            {.robot = "humanoid18", .motion = MOTION_ARM, .seed = 62}};
enum { MADE = sizeof(made) / sizeof(made[0]) };

static void make_all(void) {
  struct message error = {""};
  for (size_t i = 0; i < MADE; i++) {
    ck_assert_msg(fault_bench_init(&made[i].bench, made[i].robot, made[i].motion, NULL,
                                   made[i].seed, &error) == STATUS_OK,
                  "%s", error.text);
    ck_assert_int_eq(fault_bench_reach(&made[i].bench, 0), STATUS_OK);
  }
}

static struct fault_bench *bench_of(const char *robot, enum bench_motion motion) {
  for (size_t i = 0; i < MADE; i++) {
    if (strcmp(made[i].robot, robot) == 0 && made[i].motion == motion) {
      return &made[i].bench;
    }
  }
  ck_abort_msg("%s in no such motion", robot);
}

static void stall(const char *robot, enum bench_motion motion, const struct stalls *stalls,
                  double tilt_deg) {
  struct fault_bench *bench = bench_of(robot, motion);
  trust_run_restore(&bench->run, &bench->moment[0]);
  const struct verdict v = verdict_of_stalls(&bench->run, stalls, NULL);
  const double tilt = v.worst_tilt * 180.0 / M_PI;
  printf(
      "%s, seed %lu, up to %.1f s: right %.3f s and ok %.3f s after the last, q wrong for %.3f s "
      "meanwhile, tilt off by %.2f degrees at most, ok and wrong for %.3f s, %u resets\n",
      robot, (unsigned long)stalls->seed, stalls->longest_s, v.right_s, v.ok_s, v.q_wrong_s, tilt,
      v.lie_s, v.resets);
  ck_assert(v.finite);
  ck_assert_double_le(v.right_s, 0.5);
  ck_assert_double_le(v.ok_s, 1.0);
  ck_assert_double_le(v.q_wrong_s, 0.05);
  ck_assert_double_le(tilt, tilt_deg);
  ck_assert_double_le(v.lie_s, 0.1);
  ck_assert_uint_eq(v.resets, 0);
}

START_TEST(a_walk_that_stalls_is_right_again_at_once) {
  static const char *const robots[] = {"humanoid18", "humanoid30-bare"};
  for (size_t i = 0; i < 2; i++) {
    stall(robots[i], MOTION_WALK, &STALLS_OF(41 + i), 2.0);
  }
}
END_TEST

START_TEST(so_is_a_trot) {
  for (uint64_t seed = 51; seed < 54; seed++) {
    stall("quadruped12", MOTION_WALK, &STALLS_OF(seed), 10.0);
  }
}
END_TEST

START_TEST(and_what_stands_or_swings_its_arms) {
  stall("quadruped12", MOTION_STAND, &STALLS_OF(61), 2.0);
  stall("humanoid18", MOTION_ARM, &STALLS_OF(62), 2.0);
}
END_TEST

START_TEST(longer_silences_lose_no_more) {
  stall("humanoid18", MOTION_WALK, &(struct stalls){71, 0.3, 1.5}, 2.0);
  stall("quadruped12", MOTION_WALK, &(struct stalls){72, 0.3, 1.5}, 10.0);
}
END_TEST

SUITE_AFTER(make_all, a_walk_that_stalls_is_right_again_at_once, so_is_a_trot,
            and_what_stands_or_swings_its_arms, longer_silences_lose_no_more)
