/* A foot at the end of a leg, on any robot. */
#include "base/known_feet.h"

#include "joints/joint_filter.h"
#include "support/random_model.h"

#include <math.h>

enum { JOINTS = 8 };

struct fixture {
  struct robot robot;
  struct kinematics kin;
  double q_sd[JOINTS];
  uint64_t health[JOINTS];
  bool stands[ROBOT_MAX_FEET], unknown[ROBOT_MAX_FEET];
};

static void begin(struct fixture *f, uint64_t seed) {
  struct random rng = random_from(seed);
  *f = (struct fixture){.unknown = {false}};
  f->robot.model = *random_model(&rng, (struct random_model_options){.n_joints = JOINTS});
  f->robot.n_feet = 1;
  f->robot.foot[0].link = JOINTS;
  f->robot.foot[0].placement = POSE_IDENTITY;
  f->robot.foot[0].placement.p = random_vec3(&rng, 0.2);
  struct arena arena = {0};
  for (int pass = 0; pass < 2; pass++) {
    arena = pass == 0 ? arena : test_arena(arena.used);
    ck_assert_int_eq(kinematics_init(&f->kin, &f->robot.model, &arena), STATUS_OK);
  }
  struct random_state state;
  random_state(&rng, &f->robot.model, &state);
  ck_assert_int_eq(kinematics_update(&f->kin, &state.motion), STATUS_OK);
}

static bool is_unknown(struct fixture *f) {
  known_feet(&f->robot, &f->kin, f->q_sd, f->health, f->stands, f->unknown);
  return f->unknown[0];
}

static bool carries(const struct model *model, size_t link, size_t joint) {
  bool on_path = false;
  for (int i = (int)link; i > 0; i = model->parent[i]) {
    on_path = on_path || (size_t)i == joint + 1;
  }
  return on_path;
}

/* Joint j alone is unknown: how far away, m per rad or m, the foot is then for each of its sd. */
static double arm_of(struct fixture *f, size_t j) {
  double least = 0.0, most = 1e3;
  for (int k = 0; k < 60; k++) {
    const double sd = 0.5 * (least + most);
    f->q_sd[j] = sd;
    *(is_unknown(f) ? &most : &least) = sd;
  }
  f->q_sd[j] = 0.0;
  return KNOWN_FOOT_SD / most;
}

START_TEST(a_foot_is_unknown_when_joints_of_its_own_leg_move_it_too_far_within_a_deviation) {
  for (uint64_t seed = 0; seed < 20; seed++) {
    struct fixture f;
    begin(&f, test_seed() + seed);
    ck_assert(!is_unknown(&f));
    for (size_t j = 0; j < JOINTS; j++) {
      f.q_sd[j] = 1e3;
      ck_assert(is_unknown(&f) == carries(&f.robot.model, JOINTS, j));
      f.stands[0] = true;
      ck_assert(!is_unknown(&f)); /* where it stands it tells of its joints */
      f.stands[0] = false;
      f.q_sd[j] = 0.0;
      const bool slides = f.robot.model.joint[j].type == JOINT_PRISMATIC;
      if (carries(&f.robot.model, JOINTS, j) && slides) {
        assert_near(arm_of(&f, j), 1.0, 1e-9);
      }
    }
  }
}
END_TEST

START_TEST(deviations_of_a_leg_add_up) {
  struct fixture f;
  begin(&f, test_seed());
  double square = 0.0;
  for (size_t j = 0; j < JOINTS; j++) {
    if (carries(&f.robot.model, JOINTS, j)) {
      const double arm = arm_of(&f, j);
      square += arm * arm;
    }
  }
  const double limit = KNOWN_FOOT_SD / sqrt(square);
  for (int beyond = 0; beyond < 2; beyond++) {
    for (size_t j = 0; j < JOINTS; j++) {
      f.q_sd[j] = limit * (beyond ? 1.001 : 0.999);
    }
    ck_assert(is_unknown(&f) == beyond);
  }
}
END_TEST

START_TEST(a_leg_whose_encoder_is_on_trial_tells_nothing_of_its_foot) {
  struct fixture f;
  begin(&f, test_seed());
  for (size_t j = 0; j < JOINTS; j++) {
    f.health[j] = ENCODER_STEPPED;
    f.stands[0] = j % 2 != 0;
    ck_assert(is_unknown(&f) == carries(&f.robot.model, JOINTS, j));
    f.health[j] = ENCODER_NOISY;
    ck_assert(!is_unknown(&f));
    f.health[j] = ENCODER_OK;
  }
}
END_TEST

SUITE(a_foot_is_unknown_when_joints_of_its_own_leg_move_it_too_far_within_a_deviation,
      deviations_of_a_leg_add_up, a_leg_whose_encoder_is_on_trial_tells_nothing_of_its_foot)
