/* An arm on a fixed base, its last link estimated from joint torques alone. */
#include "common/event.h"
#include "inertia/pseudo_inertia.h"
#include "inertial/inertial_estimator.h"
#include "publish/status_events.h"
#include "settings/robot_files.h"
#include "sine_motion.h"
#include "support/random_model.h"
#include "support/suite.h"

#include <stdlib.h>
#include <string.h>

static const double DT = 1e-3, TORQUE_NOISE = 0.1;

enum { LATE_MAX = 16, SETTLED = 3000 };

struct arm {
  struct robot *robot;
  struct model real; /* the robot's model, but for friction and what it carries */
  struct inertial_estimator *estimator;
  struct joint_history history;
  struct kinematics kin;
  struct rnea rnea;
  struct sine_motion sines;
  struct random random;
  double sent[LATE_MAX][MODEL_MAX_JOINTS]; /* a ring of what was measured */
  struct sensor_frame frame;
  struct inertia_estimate out;
  int64_t k, rests; /* cycles; so many of them at rest */
  double gain;      /* of the torques that are sent */
  double stuck;     /* share of Coulomb's friction that holds joints at rest */
};

/* Joint j swings about its middle by `amplitude` (rad) at `hz`. */
static void swing(struct arm *arm, size_t j, double amplitude, double hz) {
  arm->sines.joint[j] = (struct sine){amplitude, 2.0 * M_PI * hz, (double)j};
}

/* Every joint in a motion of its own. */
static void swing_all(struct arm *arm) {
  for (size_t j = 0; j < arm->real.n_joints; j++) {
    swing(arm, j, 0.4, 0.31 + 0.07 * (double)j);
  }
}

static const mat3 SHAPE = {{{3e-3, 0.0, 0.0}, {0.0, 3e-3, 0.0}, {0.0, 0.0, 3e-3}}};

/* A Panda whose friction is larger than its model's by `excess`, whose gains may be off by
 * `gain_error`, with so much more Coulomb friction (N m), and whose last link is estimated. */
static struct arm *new_arm_with(double excess, double gain_error, double coulomb) {
  struct arm *arm = calloc(1, sizeof(*arm));
  struct robot_settings settings = {.urdf = "config/robots/panda.urdf", .fixed_base = true};
  struct message error = {.text = ""};
  ck_assert_msg(robot_load(&settings, "", &arm->robot, &error) == STATUS_OK, "%s", error.text);
  const struct model *model = &arm->robot->model;
  for (size_t j = 0; j < model->n_joints; j++) {
    model->joint[j].coulomb += coulomb;
  }
  struct inertial_settings inertial = inertial_defaults();
  inertial.n_links = 1;
  strcpy(inertial.link[0], "link_7");
  inertial.filter.drives.gain_error = (struct drive_list){{gain_error}, 1};
  struct arena arena = test_arena(1 << 22);
  ck_assert_int_eq(inertial_estimator_init(&arm->estimator, arm->robot, &inertial, &arena),
                   STATUS_OK);
  arm->real = *model;
  arm->real.joint = ARENA_ARRAY(&arena, struct joint, model->n_joints);
  memcpy(arm->real.joint, model->joint, model->n_joints * sizeof(*model->joint));
  arm->real.inertia = ARENA_ARRAY(&arena, struct inertia, model->n_links);
  memcpy(arm->real.inertia, model->inertia, model->n_links * sizeof(*model->inertia));
  arm->rests = SETTLED;
  arm->gain = 1.0;
  for (size_t j = 0; j < model->n_joints; j++) {
    arm->real.joint[j].viscous *= 1.0 + excess;
    arm->real.joint[j].coulomb *= 1.0 + excess;
  }
  ck_assert_int_eq(kinematics_init(&arm->kin, &arm->real, &arena), STATUS_OK);
  ck_assert_int_eq(rnea_init(&arm->rnea, &arm->real, &arena), STATUS_OK);
  const struct joint_layout layout = joint_layout_of(model->n_joints, true, true, 0);
  ck_assert_int_eq(joint_history_init(&arm->history, &layout, &arena), STATUS_OK);
  arm->random = random_from(test_seed());
  sine_motion_init(&arm->sines, &arm->real);
  static const double middle[7] = {0.0, -0.5, 0.0, -1.8, 0.0, 1.5, 0.0};
  memcpy(arm->sines.posture, middle, sizeof(middle));
  return arm;
}

static struct arm *new_arm(double excess) {
  return new_arm_with(excess, 0.0, 0.0);
}

static void end_arm(struct arm *arm) {
  robot_destroy(arm->robot);
  free(arm);
}

/* One cycle; the torques are those of `late` cycles ago. At rest at first. */
static void step(struct arm *arm, int late) {
  const size_t n = arm->real.n_joints;
  const int64_t now = 1000000000 + ++arm->k * 1000000;
  const double t = DT * (double)arm->k;
  if (arm->k == arm->rests) {
    sine_motion_turn(&arm->sines, t, 1.0, 1.0);
  }
  sine_motion_at(&arm->sines, t);
  struct robot_motion motion = arm->sines.motion;
  motion.base = (struct base_motion){
      POSE_IDENTITY, {VEC3_ZERO, VEC3_ZERO}, {VEC3_ZERO, {0.0, 0.0, STANDARD_GRAVITY}}};
  const struct past_motion past = {now, arm->sines.q, arm->sines.dq, arm->sines.ddq, motion.base};
  joint_history_put(&arm->history, &past);
  double *tau = arm->sent[arm->k % LATE_MAX];
  ck_assert_int_eq(kinematics_update(&arm->kin, &motion), STATUS_OK);
  ck_assert_int_eq(
      rnea_step(&arm->rnea, &arm->kin, arm->real.inertia, NULL, WITH_DRIVES, NULL, tau), STATUS_OK);
  for (size_t j = 0; j < n; j++) {
    tau[j] += arm->k < arm->rests ? arm->stuck * arm->real.joint[j].coulomb : 0.0;
    tau[j] = arm->gain * tau[j] + TORQUE_NOISE * random_normal(&arm->random);
  }
  arm->frame.t_ns = now;
  arm->frame.joints =
      (struct joints_reading){.stamp = {.present = true, .fresh = true, .t_ns = now},
                              .tau = arm->sent[(arm->k - (arm->k > late ? late : 0)) % LATE_MAX]};
  inertial_estimator_step(arm->estimator, &arm->frame, &arm->history, false, &arm->out);
}

static void run(struct arm *arm, double seconds, int late) {
  for (long k = lround(seconds / DT); k > 0; k--) {
    step(arm, late);
  }
}

static bool is_announced(const struct arm *arm) {
  struct status_events watch = {0};
  static struct event_queue events;
  static struct estimates estimates;
  struct event event;
  bool found = false;
  event_queue_init(&events);
  estimates.inertia = arm->out;
  status_events_look(&watch, &estimates, 1, &events);
  while (event_take(&events, &event)) {
    found = found ||
            (strcmp(event.kind, "misaligned") == 0 && strstr(event.text, "joint torques") != NULL);
  }
  return found;
}

START_TEST(torques_that_come_late_are_told_so_within_a_millisecond_whatever_friction_is) {
  const int lates[3] = {0, 1, 4};
  for (int i = 0; i < 3; i++) {
    for (int wrong = 0; wrong < 2; wrong++) {
      struct arm *arm = new_arm(wrong ? 0.2 : 0.0);
      swing(arm, 1, 0.4, 0.47);
      swing(arm, 3, 0.5, 0.71);
      swing(arm, 5, 0.5, 1.1);
      run(arm, 15.0, lates[i]);
      const struct inertial_delay *delay = &arm->out.torque_delay;
      ck_assert(delay->known);
      assert_near(delay->s, DT * lates[i], 1e-3);
      ck_assert_int_eq(arm->out.misaligned, lates[i] > 2);
      ck_assert_int_eq(arm->out.status, PROPRIOD_STATUS_OK); /* made good */
      ck_assert_int_eq(is_announced(arm), lates[i] > 2);
      ck_assert(!arm->out.delay.known); /* there are no wrenches */
      end_arm(arm);
    }
  }
}
END_TEST

/* A pendulum's torque and its friction turn together: nobody can tell them apart. */
START_TEST(one_joint_that_swings_at_one_frequency_tells_of_no_delay) {
  struct arm *arm = new_arm(0.5);
  swing(arm, 1, 0.3, 0.5);
  run(arm, 15.0, 0);
  ck_assert(!arm->out.misaligned);
  ck_assert_int_eq(arm->out.status, PROPRIOD_STATUS_OK);
  end_arm(arm);
}
END_TEST

/* Friction that the model lacks was in the start's bias with one sign, and against it with the
 * other: one row was noisier than told for good, the mass right to 0.03 kg and told to 8,
 * degraded. */
START_TEST(a_load_that_an_arm_carries_as_it_starts_in_mid_motion_is_told) {
  const double load[] = {0.0, 0.8, 1.7, 3.0};
  for (int i = 0; i < 4; i++) {
    struct arm *arm = new_arm(0.0);
    const struct inertia body = inertia_of_body(load[i] + 1e-9, (vec3){0.03, -0.02, 0.1}, &SHAPE);
    struct inertia *last = &arm->real.inertia[arm->real.n_links - 1];
    *last = inertia_axpy(last, load[i] > 0.0 ? 1.0 : 0.0, &body);
    arm->real.joint[0].coulomb += 5.0;
    arm->rests = 1;
    swing_all(arm);
    run(arm, 20.0, 0);
    const struct inertial_link_estimate *link = &arm->out.result.link[0];
    const double off = link->estimate.m - last->m;
    ck_assert(!arm->out.result.doubted);
    ck_assert(!arm->out.torque_delay.known || fabs(arm->out.torque_delay.s) < 1e-3);
    ck_assert_double_lt(link->mass_sd, 0.5);
    ck_assert_double_lt(fabs(off), 3.0 * link->mass_sd);
    ck_assert_double_lt(fabs(off), 0.05);
    end_arm(arm);
  }
}
END_TEST

/* An arm that carries so many kilograms at its last link. */
static void carry(struct arm *arm, double mass) {
  const struct inertia body = inertia_of_body(mass, (vec3){0.03, -0.02, 0.1}, &SHAPE);
  struct inertia *last = &arm->real.inertia[arm->real.n_links - 1];
  *last = inertia_add(last, &body);
}

/* By how much the mass is off that is told, kg. */
static double mass_error(const struct arm *arm) {
  return arm->out.result.link[0].estimate.m - arm->real.inertia[arm->real.n_links - 1].m;
}

/* Rows from before the load was known held the gains for shares of torques without it: gains that
 * were 8 % off made a load of 6 kg wrong by 0.4 kg for good. */
START_TEST(gains_that_are_off_are_told_from_a_load_that_they_carry) {
  for (int sense = -1; sense <= 1; sense++) {
    struct arm *arm = new_arm_with(0.0, 0.05, 0.0);
    carry(arm, 6.0);
    arm->rests = 1;
    arm->gain = 1.0 + 0.08 * sense;
    swing_all(arm);
    run(arm, 10.0, 0);
    ck_assert_int_eq(arm->out.status, PROPRIOD_STATUS_OK);
    assert_near(mass_error(arm), 0.0, 0.15);
    assert_near(mass_error(arm), 0.0, 3.0 * arm->out.result.link[0].mass_sd);
    end_arm(arm);
  }
}
END_TEST

/* What may hold a drive that stands was taken to be off in motion, too: half a second of it told
 * the mass to 2 kg only. */
START_TEST(a_drive_that_has_stuck_tells_once_it_moves) {
  for (int sense = -1; sense <= 1; sense++) {
    struct arm *arm = new_arm_with(0.0, 0.0, 8.0);
    carry(arm, 2.0);
    arm->stuck = 0.9 * sense;
    swing_all(arm);
    run(arm, DT * SETTLED + 0.5, 0);
    ck_assert_double_lt(arm->out.result.link[0].mass_sd, 1.0);
    assert_near(mass_error(arm), 0.0, 3.0 * arm->out.result.link[0].mass_sd);
    end_arm(arm);
  }
}
END_TEST

SUITE(gains_that_are_off_are_told_from_a_load_that_they_carry,
      a_drive_that_has_stuck_tells_once_it_moves,
      a_load_that_an_arm_carries_as_it_starts_in_mid_motion_is_told,
      torques_that_come_late_are_told_so_within_a_millisecond_whatever_friction_is,
      one_joint_that_swings_at_one_frequency_tells_of_no_delay)
