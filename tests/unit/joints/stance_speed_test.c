/* How feet that stand move by the estimate: against differences of where the point is that touches
 * the ground, and of how the sole is turned; and which jumps of an IMU their speed speaks for. */
#include "joints/stance_speed.h"

#include "body/frames.h"
#include "joints/joint_filter_core.h"
#include "process/base_process.h"
#include "support/random_model.h"
#include "support/suite.h"

#include <string.h>

enum { JOINTS = 12, FEET = 4, STATES = 160 };
static const double STEP = 1e-6;
static const int64_t LATER_NS = 1000000000;

struct fixture {
  struct random rng;
  struct robot robot;
  struct model *model;
  struct joint_filter filter;
  struct instant now;
  double x[STATES], J[6 * (6 + JOINTS)];
};

static void pose_joints(struct fixture *f) {
  const struct robot_motion motion = {.base.X_WB = POSE_IDENTITY, .q = f->x + f->filter.layout.q};
  ck_assert_int_eq(kinematics_update(&f->filter.kin, &motion), STATUS_OK);
}

/* Feet on balls, all standing for long and felt; the base turned as no level one is. */
static void draw(struct fixture *f) {
  memset(f, 0, sizeof(*f));
  f->rng = random_from(test_seed());
  f->model = random_model(&f->rng, (struct random_model_options){.n_joints = JOINTS});
  f->filter.layout = joint_layout_of(JOINTS, false, false, FEET);
  ck_assert_uint_le(f->filter.layout.numbers, STATES);
  struct arena arena = test_arena(1 << 20);
  ck_assert_int_eq(kinematics_init(&f->filter.kin, f->model, &arena), STATUS_OK);
  f->filter.robot = &f->robot;
  f->filter.jacobian = f->J;
  f->robot.n_feet = FEET;
  f->now = (struct instant){.t_ns = LATER_NS, .x = f->x};
  for (size_t i = 0; i < FEET; i++) {
    f->robot.foot[i].link = JOINTS - i;
    f->robot.foot[i].placement = (struct pose){random_rotation(&f->rng), random_vec3(&f->rng, 0.3)};
    f->robot.foot[i].ball_radius = 0.03;
    f->now.contact[i] = (struct base_contact){.stands = true, .felt = true, .share = 0.25};
  }
  for (size_t j = 0; j < JOINTS; j++) {
    f->x[f->filter.layout.q + j] = random_uniform(&f->rng, -1.0, 1.0);
  }
  const mat3 R = random_rotation(&f->rng);
  base_process_set_rotation(&f->filter.layout, quat_from_mat3(&R), f->x);
  pose_joints(f);
}

static void set(struct fixture *f, size_t state, vec3 v) {
  vec3_to(v, f->x + state);
}

/* Pose of a foot in the world after `t` s of the motion in x. */
static struct pose foot_after(struct fixture *f, size_t i, double t) {
  const struct joint_layout *l = &f->filter.layout;
  const vec3 turned = vec3_scale(t, vec3_from(f->x + l->omega));
  struct pose X_WB = {
      mat3_from_quat(quat_mul(base_process_rotation(l, f->x), quat_from_rotation_vector(turned))),
      vec3_scale(t, vec3_from(f->x + l->velocity))};
  double q[JOINTS];
  for (size_t j = 0; j < JOINTS; j++) {
    q[j] = f->x[l->q + j] + t * f->x[l->dq + j];
  }
  const struct robot_motion motion = {.base.X_WB = X_WB, .q = q};
  ck_assert_int_eq(kinematics_update(&f->filter.kin, &motion), STATUS_OK);
  const struct pose X_BF =
      frame_pose(&f->filter.kin, f->robot.foot[i].link, &f->robot.foot[i].placement);
  return pose_mul(&X_WB, &X_BF);
}

/* Velocity of the foot's point that is lowest now, by differences, world axes. */
static vec3 touching_velocity(struct fixture *f, size_t i) {
  const struct pose now = foot_after(f, i, 0.0), before = foot_after(f, i, -STEP),
                    after = foot_after(f, i, STEP);
  const vec3 lowest = {now.p.x, now.p.y, now.p.z - f->robot.foot[i].ball_radius};
  const vec3 in_foot = mat3_tmul_vec3(&now.R, vec3_sub(lowest, now.p));
  const vec3 moved = vec3_sub(pose_apply(&after, in_foot), pose_apply(&before, in_foot));
  return vec3_scale(0.5 / STEP, moved);
}

START_TEST(the_speed_of_feet_is_that_of_their_points_on_the_ground) {
  static struct fixture f;
  draw(&f);
  const struct joint_layout *l = &f.filter.layout;
  set(&f, l->omega, random_vec3(&f.rng, 2.0));
  set(&f, l->velocity, random_vec3(&f.rng, 1.0));
  for (size_t j = 0; j < JOINTS; j++) {
    f.x[l->dq + j] = random_uniform(&f.rng, -3.0, 3.0);
  }
  f.now.contact[1].stands = false;
  vec3 mean = VEC3_ZERO;
  for (size_t i = 0; i < FEET; i++) {
    mean = i == 1 ? mean : vec3_axpy(mean, 1.0 / 3.0, touching_velocity(&f, i));
  }
  pose_joints(&f);
  ck_assert_double_lt(vec3_norm(vec3_sub(stance_speed(&f.filter, &f.now), mean)), 1e-7);
}
END_TEST

/* Which of the feet are asked to stay. */
static unsigned staying(struct fixture *f) {
  struct stance_foot foot[ROBOT_MAX_FEET];
  unsigned stays = 0;
  stance_feet(&f->filter, &f->now, foot);
  for (size_t i = 0; i < FEET; i++) {
    stays |= (unsigned)foot[i].stays << i;
  }
  return stays;
}

START_TEST(a_foot_that_hangs_or_has_just_landed_or_tips_is_not_asked_to_stay) {
  static struct fixture f;
  draw(&f);
  ck_assert_uint_eq(staying(&f), 0xf);
  f.now.contact[0].stands = false;
  f.filter.foot[1].landed_ns = f.now.t_ns - 10000000;
  f.now.contact[2].turns = true;
  ck_assert_uint_eq(staying(&f), 0x8);
  f.now.contact[3].steep = true;
  ck_assert_uint_eq(staying(&f), 0);
}
END_TEST

START_TEST(a_sole_turns_with_the_base_and_with_its_leg) {
  static struct fixture f;
  struct stance_foot foot[ROBOT_MAX_FEET];
  draw(&f);
  const struct joint_layout *l = &f.filter.layout;
  set(&f, l->omega, random_vec3(&f.rng, 2.0));
  for (size_t j = 0; j < JOINTS; j++) {
    f.x[l->dq + j] = random_uniform(&f.rng, -3.0, 3.0);
  }
  stance_feet(&f.filter, &f.now, foot);
  const mat3 R_WB = mat3_from_quat(base_process_rotation(l, f.x));
  for (size_t i = 0; i < FEET; i++) {
    const struct pose before = foot_after(&f, i, -STEP), after = foot_after(&f, i, STEP);
    const mat3 back = mat3_transpose(&before.R), turned = mat3_mul(&after.R, &back);
    const vec3 rate_W = vec3_scale(0.5 / STEP, quat_to_rotation_vector(quat_from_mat3(&turned)));
    ck_assert_double_lt(vec3_norm(vec3_sub(mat3_mul_vec3(&R_WB, foot[i].turn), rate_W)), 1e-7);
  }
}
END_TEST

/* |turn x (r_i - r_k)| of the two feet that see least of it. */
static double least_seen(const struct fixture *f, vec3 turn) {
  double least = HUGE_VAL;
  for (size_t i = 0; i < FEET; i++) {
    for (size_t k = 0; k < i; k++) {
      const struct model_frame *a = &f->robot.foot[i], *b = &f->robot.foot[k];
      const vec3 apart = vec3_sub(frame_pose(&f->filter.kin, a->link, &a->placement).p,
                                  frame_pose(&f->filter.kin, b->link, &b->placement).p);
      least = fmin(least, vec3_norm(vec3_cross(turn, apart)));
    }
  }
  return least;
}

START_TEST(a_base_that_rests_and_is_said_to_turn_has_feet_that_slide_against_each_other) {
  static struct fixture f;
  draw(&f);
  const size_t omega = f.filter.layout.omega;
  const vec3 turn = {3.0, -4.0, 5.0};
  ck_assert_double_lt(stance_speed_by_turn(&f.filter, &f.now, turn), -1.0); /* it does not */
  set(&f, omega, turn);
  assert_near(stance_speed_by_turn(&f.filter, &f.now, turn), least_seen(&f, turn), 1e-12);
  /* that is not what a jump of another size, or another way, would do */
  ck_assert_double_lt(stance_speed_by_turn(&f.filter, &f.now, vec3_scale(3.0, turn)), 0.0);
  ck_assert_double_lt(stance_speed_by_turn(&f.filter, &f.now, vec3_scale(0.3, turn)), 0.0);
  ck_assert_double_lt(stance_speed_by_turn(&f.filter, &f.now, vec3_scale(-1.0, turn)), 0.0);
  const vec3 small = vec3_scale(1e-3, turn); /* nobody would see it */
  set(&f, omega, small);
  ck_assert_double_eq(stance_speed_by_turn(&f.filter, &f.now, small), 0.0);
}
END_TEST

/* The base moves so, base axes. */
static void push(struct fixture *f, vec3 gained) {
  const struct joint_layout *l = &f->filter.layout;
  const mat3 R = mat3_from_quat(base_process_rotation(l, f->x));
  set(f, l->velocity, mat3_mul_vec3(&R, gained));
}

START_TEST(a_base_that_rests_and_is_said_to_be_pushed_has_feet_that_slide) {
  static struct fixture f;
  draw(&f);
  const vec3 gained = {0.5, 0.3, -0.4};
  assert_near(stance_speed_by_push(&f.filter, &f.now, gained), -vec3_norm(gained), 1e-12);
  ck_assert_double_eq(stance_speed_by_push(&f.filter, &f.now, vec3_scale(0.1, gained)), 0.0);
  push(&f, gained);
  assert_near(stance_speed_by_push(&f.filter, &f.now, gained), vec3_norm(gained), 1e-12);
  ck_assert_double_lt(stance_speed_by_push(&f.filter, &f.now, vec3_scale(3.0, gained)), 0.0);
  ck_assert_double_lt(stance_speed_by_push(&f.filter, &f.now, vec3_scale(-1.0, gained)), 0.0);
  /* what moves all feet alike turns nothing */
  ck_assert_double_lt(stance_speed_by_turn(&f.filter, &f.now, (vec3){3.0, -4.0, 5.0}), 0.0);
}
END_TEST

/* Leaves feet 0 and 1 alone: one that stands, and one of which `change` has made something else. */
static void two_feet(struct fixture *f, void (*change)(struct fixture *)) {
  draw(f);
  f->now.contact[2].stands = f->now.contact[3].stands = false;
  set(f, f->filter.layout.omega, (vec3){3.0, -4.0, 5.0});
  change(f);
}

static void nothing(struct fixture *f) {
  (void)f;
}
static void lands(struct fixture *f) {
  f->filter.foot[1].landed_ns = f->now.t_ns - 10000000;
}
static void turns(struct fixture *f) {
  f->now.contact[1].turns = true;
}
static void hangs(struct fixture *f) {
  f->now.contact[1].stands = false;
}

START_TEST(one_foot_alone_or_one_that_has_just_landed_or_tips_says_nothing_of_turns) {
  static struct fixture f;
  static void (*const change[])(struct fixture *) = {nothing, lands, turns, hangs};
  const vec3 turn = {3.0, -4.0, 5.0};
  for (size_t k = 0; k < sizeof(change) / sizeof(change[0]); k++) {
    two_feet(&f, change[k]);
    ck_assert((stance_speed_by_turn(&f.filter, &f.now, turn) > 0.0) == (k == 0));
  }
}
END_TEST

/* Where nobody feels the feet, something may have lifted the robot. */
START_TEST(feet_that_are_not_felt_say_nothing_of_pushes) {
  static struct fixture f;
  draw(&f);
  const vec3 gained = {0.5, 0.3, -0.4};
  push(&f, gained);
  for (size_t i = 0; i < FEET; i++) {
    ck_assert_double_gt(stance_speed_by_push(&f.filter, &f.now, gained), 0.0);
    f.now.contact[i].felt = false;
  }
  ck_assert_double_eq(stance_speed_by_push(&f.filter, &f.now, gained), 0.0);
}
END_TEST

/* Rising, it spoke against an accelerometer that was right. */
START_TEST(a_foot_that_carries_little_slides_for_itself_but_stands_for_all) {
  static struct fixture f;
  draw(&f);
  const vec3 gained = {0.5, 0.3, -0.4};
  for (size_t i = 0; i < FEET; i++) {
    f.now.contact[i].share = 0.1;
  }
  assert_near(stance_speed_by_push(&f.filter, &f.now, gained), -vec3_norm(gained), 1e-12);
  push(&f, gained);
  ck_assert_double_eq(stance_speed_by_push(&f.filter, &f.now, gained), 0.0);
  f.now.contact[2].share = 0.25;
  ck_assert_double_gt(stance_speed_by_push(&f.filter, &f.now, gained), 0.0);
}
END_TEST

SUITE(a_foot_that_carries_little_slides_for_itself_but_stands_for_all,
      the_speed_of_feet_is_that_of_their_points_on_the_ground,
      a_foot_that_hangs_or_has_just_landed_or_tips_is_not_asked_to_stay,
      a_sole_turns_with_the_base_and_with_its_leg,
      a_base_that_rests_and_is_said_to_turn_has_feet_that_slide_against_each_other,
      a_base_that_rests_and_is_said_to_be_pushed_has_feet_that_slide,
      one_foot_alone_or_one_that_has_just_landed_or_tips_says_nothing_of_turns,
      feet_that_are_not_felt_say_nothing_of_pushes)
