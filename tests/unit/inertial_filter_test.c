#include "chi_square.h"
#include "inertial_filter.h"
#include "pseudo_inertia.h"
#include "random_model.h"
#include "stock_robot.h"
#include "suite.h"

#include <stdlib.h>
#include <string.h>

/* The large humanoid without a simulator: any motion is possible when one foot carries exactly what
 * it takes, so the truth is one pass of inverse dynamics. */
static const double DT = 1e-3, PI = 3.14159265358979323846;

struct noise {
  double ddq, omegadot, force, moment; /* rad/s^2, m/s^2 alike; N, N m */
};
static const struct noise QUIET = {0.0, 0.0, 0.0, 0.0};
static const struct noise GOOD = {0.3, 0.1, 2.0, 0.3};

struct world {
  struct stock_robot stock;
  const struct robot *robot;
  size_t torso;
  struct inertia *inertia; /* [n_links] truth */
  struct kinematics truth, measured;
  struct rnea rnea;
  struct random random;
  struct noise noise;
  struct random_state *state;
  double tau[MODEL_MAX_JOINTS], t, drift; /* s; N of vertical force that the sensor has drifted */
  struct force wrench[ROBOT_MAX_WRENCH];
  struct inertial_filter *filter;
  struct inertial_result result;
};

static struct world *new_world(struct noise noise) {
  struct world *world = calloc(1, sizeof(*world));
  struct message error;
  ck_assert_msg(stock_robot_load("humanoid30", "config/robots", &world->stock, &error) == STATUS_OK,
                "%s", error.text);
  world->robot = world->stock.robot;
  const struct model *model = &world->robot->model;
  world->torso = (size_t)model_find_link(model, "torso_pitch_link");
  world->inertia = calloc(model->n_links, sizeof(*world->inertia));
  memcpy(world->inertia, model->inertia, model->n_links * sizeof(*world->inertia));
  struct arena arena = test_arena(1 << 22);
  ck_assert_int_eq(kinematics_init(&world->truth, model, &arena), STATUS_OK);
  ck_assert_int_eq(kinematics_init(&world->measured, model, &arena), STATUS_OK);
  ck_assert_int_eq(rnea_init(&world->rnea, model, &arena), STATUS_OK);
  world->random = random_from(test_seed());
  world->noise = noise;
  world->state = calloc(1, sizeof(*world->state));
  return world;
}

static void start_filter(struct world *world, const struct inertial_filter_settings *settings,
                         size_t link) {
  struct arena count = {0};
  ck_assert_int_eq(
      inertial_filter_init(&world->filter, world->robot, settings, &link, 1, NULL, &count),
      STATUS_OK);
  struct arena arena = test_arena(count.used);
  ck_assert_int_eq(
      inertial_filter_init(&world->filter, world->robot, settings, &link, 1, NULL, &arena),
      STATUS_OK);
  ck_assert_uint_eq(arena.used, count.used);
}

/* One sine: amplitude a, frequency f in Hz, phase from the joint's number. */
static void sine(struct random_state *state, size_t j, double a, double f, double t) {
  const double w = 2.0 * PI * f, p = w * t + (double)j;
  state->q[j] = a * sin(p);
  state->dq[j] = a * w * cos(p);
  state->ddq[j] = -a * w * w * sin(p);
}

/* The motion at this instant, `share` of the full amplitude. */
static void move(struct world *world, double share) {
  const struct model *model = &world->robot->model;
  struct random_state *state = world->state;
  memset(state, 0, sizeof(*state));
  state->motion = (struct robot_motion){.q = state->q, .dq = state->dq, .ddq = state->ddq};
  state->motion.base.X_WB = POSE_IDENTITY;
  state->motion.base.a_B.lin.z = STANDARD_GRAVITY;
  sine(state, (size_t)model_find_joint(model, "torso_pitch_joint"), 0.4 * share, 0.5, world->t);
  sine(state, (size_t)model_find_joint(model, "torso_yaw_joint"), 0.5 * share, 0.7, world->t);
  sine(state, (size_t)model_find_joint(model, "left_shoulder_pitch_joint"), 0.3 * share, 0.4,
       world->t);
  sine(state, (size_t)model_find_joint(model, "right_elbow_joint"), 0.3 * share, 1.0, world->t);
}

static vec3 noise3(struct random *random, double sd) {
  return (vec3){sd * random_normal(random), sd * random_normal(random), sd * random_normal(random)};
}

/* What the ankle sensors say when the left foot carries the whole robot. */
static void weigh(struct world *world) {
  struct force base;
  ck_assert_int_eq(kinematics_update(&world->truth, &world->state->motion), STATUS_OK);
  ck_assert_int_eq(
      rnea_step(&world->rnea, &world->truth, world->inertia, NULL, WITH_DRIVES, &base, world->tau),
      STATUS_OK);
  const struct wrench_sensor *left = &world->robot->wrench[0];
  const struct pose X_BS = pose_mul(&world->truth.X_BL[left->link], &left->placement);
  const struct pose X_SB = pose_inverse(&X_BS);
  memset(world->wrench, 0, sizeof(world->wrench));
  world->wrench[0] = force_to_base(&X_SB, &base);
  for (size_t k = 0; k < world->robot->n_wrench; k++) {
    world->wrench[k].lin =
        vec3_add(world->wrench[k].lin, noise3(&world->random, world->noise.force));
    world->wrench[k].ang =
        vec3_add(world->wrench[k].ang, noise3(&world->random, world->noise.moment));
  }
  world->wrench[0].lin.z += world->drift;
}

/* The motion as the estimators would know it. */
static void observe(struct world *world) {
  struct random_state *state = world->state;
  for (size_t j = 0; j < world->robot->model.n_joints; j++) {
    state->ddq[j] += world->noise.ddq * random_normal(&world->random);
  }
  struct motion *a = &state->motion.base.a_B;
  a->ang = vec3_add(a->ang, noise3(&world->random, world->noise.omegadot));
  a->lin = vec3_add(a->lin, noise3(&world->random, world->noise.omegadot));
  ck_assert_int_eq(kinematics_update(&world->measured, &state->motion), STATUS_OK);
}

static void step(struct world *world, double share) {
  move(world, share);
  weigh(world);
  observe(world);
  const struct inertial_inputs inputs = {
      .kin = &world->measured, .tau = NULL, .wrench = world->wrench};
  memset(&world->result, 0xff, sizeof(world->result));
  inertial_filter_step(world->filter, &inputs, DT, false, &world->result);
  world->t += DT;
}

static void run(struct world *world, double seconds, double share) {
  uint64_t seen = 0;
  for (double until = world->t + seconds; world->t < until;) {
    step(world, share);
    if (world->result.counters.blocks == seen) {
      continue; /* estimates change with blocks only */
    }
    seen = world->result.counters.blocks;
    for (size_t k = 0; k < world->result.n_links; k++) {
      ck_assert_int_eq(inertia_consistency(&world->result.link[k].published, 0.0, NULL), STATUS_OK);
      ck_assert_int_eq(inertia_consistency(&world->result.link[k].estimate, 0.0, NULL), STATUS_OK);
    }
  }
}

static const mat3 BOX = {{{0.10, 0.0, 0.0}, {0.0, 0.08, 0.0}, {0.0, 0.0, 0.06}}};

static void take_up(struct world *world, double mass, vec3 place) {
  const struct inertia load = inertia_of_body(mass, place, &BOX);
  world->inertia[world->torso] = inertia_add(&world->inertia[world->torso], &load);
}

static const struct inertial_link_estimate *torso_of(const struct world *world) {
  return &world->result.link[0];
}

/* The first seconds at rest teach bias and noise, then the robot moves. */
static struct world *settled_world(struct noise noise) {
  struct world *world = new_world(noise);
  const struct inertial_filter_settings settings = inertial_filter_defaults();
  start_filter(world, &settings, world->torso);
  run(world, 2.5, 0.0);
  ck_assert_int_eq(world->result.state, INERTIAL_RESTING);
  run(world, 1.0, 1.0);
  ck_assert_int_eq(world->result.state, INERTIAL_RUNNING);
  return world;
}

START_TEST(eight_kilograms_are_found_within_two_percent_in_a_second_and_their_place_in_five) {
  struct world *world = settled_world(GOOD);
  take_up(world, 8.0, (vec3){0.20, 0.05, 0.25});
  const struct inertia *truth = &world->inertia[world->torso];
  run(world, 1.0, 1.0);
  ck_assert_uint_eq(world->result.counters.changes, 1);
  assert_near(torso_of(world)->estimate.m, truth->m, 0.02 * 8.0);
  run(world, 4.0, 1.0);
  const struct inertial_link_estimate *found = torso_of(world);
  const vec3 c = inertia_com(&found->estimate), error = vec3_sub(c, inertia_com(truth));
  ck_assert_double_lt(vec3_norm(error), 0.05 * vec3_norm(inertia_com(truth)));
  assert_near(found->estimate.m, truth->m, 3.0 * found->mass_sd);
  ck_assert(fabs(error.x) < 3.0 * found->com_sd.x && fabs(error.y) < 3.0 * found->com_sd.y &&
            fabs(error.z) < 3.0 * found->com_sd.z);
  ck_assert(found->known & INERTIAL_KNOWS_MASS);
  ck_assert_int_eq(world->result.source, INERTIAL_FROM_SENSORS);
  ck_assert(found->observable & INERTIAL_KNOWS_COM_Z);
  assert_near(found->published.m, truth->m, 0.02 * 8.0);
}
END_TEST

START_TEST(the_published_mass_grows_no_faster_than_three_kilograms_a_second) {
  struct world *world = settled_world(GOOD);
  take_up(world, 8.0, (vec3){0.20, 0.05, 0.25});
  double before = torso_of(world)->published.m, fastest = 0.0;
  for (int k = 0; k < 4000; k++) {
    step(world, 1.0);
    fastest = fmax(fastest, fabs(torso_of(world)->published.m - before) / DT);
    before = torso_of(world)->published.m;
  }
  ck_assert_double_lt(fastest, 3.0 * (1.0 + 1e-9));
  ck_assert_double_gt(fastest, 2.9);
}
END_TEST

START_TEST(without_a_change_nothing_alarms_and_the_mass_stays) {
  struct world *world = settled_world(GOOD);
  run(world, 10.0, 1.0);
  ck_assert_uint_eq(world->result.counters.changes, 0);
  ck_assert_uint_eq(world->result.counters.rejected, 0);
  assert_near(torso_of(world)->estimate.m, world->inertia[world->torso].m, 0.15);
  ck_assert(world->result.nis_per_row > 0.0);
}
END_TEST

/* The block with which enough was known was used with the noise of before: a sensor ten times worse
 * than usual moved the centre of mass by 50 mm, believed to 9. */
START_TEST(no_block_is_used_before_its_noise_is_known) {
  enum { WORLDS = 8 };
  double squares = 0.0;
  for (unsigned long k = 0; k < WORLDS; k++) {
    struct world *world = new_world((struct noise){3.0, 0.3, 20.0, 3.0});
    world->random = random_from(test_seed() + k);
    const struct inertial_filter_settings settings = inertial_filter_defaults();
    start_filter(world, &settings, world->torso);
    run(world, 1.7, 0.0);
    const struct inertial_link_estimate *found = torso_of(world);
    const vec3 error =
        vec3_sub(inertia_com(&found->estimate), inertia_com(&world->inertia[world->torso]));
    ck_assert_uint_gt(world->result.counters.updates, 3);
    squares += error.x * error.x / (found->com_sd.x * found->com_sd.x) +
               error.y * error.y / (found->com_sd.y * found->com_sd.y);
  }
  ck_assert_double_lt(squares, chi_square_bound(2 * WORLDS, NORMAL_TAIL_1E3));
}
END_TEST

START_TEST(standing_still_changes_nothing_at_all_once_settled) {
  struct world *world = settled_world(GOOD);
  run(world, 5.0, 1.0);
  run(world, 15.0, 0.0);
  const struct inertia settled = torso_of(world)->estimate;
  const uint64_t snapshot = world->result.snapshot;
  run(world, 20.0, 0.0);
  ck_assert_int_eq(memcmp(&settled, &torso_of(world)->estimate, sizeof(settled)), 0);
  ck_assert_uint_eq(world->result.snapshot, snapshot);
  ck_assert_uint_gt(world->result.counters.passed_over, 950);
  ck_assert_uint_eq(torso_of(world)->observable & INERTIAL_KNOWS_COM_Z, 0);
  ck_assert_uint_ne(torso_of(world)->observable & INERTIAL_KNOWS_MASS, 0);
}
END_TEST

START_TEST(a_load_put_on_while_standing_still_is_noticed) {
  struct world *world = settled_world(GOOD);
  run(world, 10.0, 0.0);
  take_up(world, 5.0, (vec3){0.1, 0.0, 0.2});
  run(world, 1.0, 0.0);
  ck_assert_uint_eq(world->result.counters.changes, 1);
  assert_near(torso_of(world)->estimate.m, world->inertia[world->torso].m, 0.5);
}
END_TEST

/* 5 N in an hour, sped up 180 times in drift and in what the filter may learn. */
START_TEST(a_creeping_foot_sensor_does_not_become_mass) {
  struct world *world = new_world(GOOD);
  struct inertial_filter_settings settings = inertial_filter_defaults();
  settings.creep_force *= 180.0;
  settings.creep_moment *= 180.0;
  start_filter(world, &settings, world->torso);
  run(world, 10.0, 0.0);
  const double before = torso_of(world)->estimate.m;
  for (int k = 0; k < 20000; k++) {
    world->drift += 5.0 / 20.0 * DT;
    step(world, 0.0);
  }
  ck_assert_uint_eq(world->result.counters.changes, 0);
  assert_near(torso_of(world)->estimate.m, before, 0.05);
}
END_TEST

START_TEST(a_model_that_is_wrong_by_three_percent_is_calibrated_away) {
  struct world *world = new_world(GOOD);
  const struct model *model = &world->robot->model;
  for (size_t i = 0; i < model->n_links; i++) {
    if (i != world->torso) {
      const double share = random_uniform(&world->random, -0.03, 0.03);
      const struct inertia shifted = inertia_transform(
          &(struct pose){MAT3_IDENTITY, noise3(&world->random, 3e-3)}, &model->inertia[i]);
      world->inertia[i] = inertia_axpy(&shifted, share, &shifted);
    }
  }
  const struct inertial_filter_settings settings = inertial_filter_defaults();
  start_filter(world, &settings, world->torso);
  run(world, 2.5, 0.0);
  run(world, 5.0, 1.0);
  assert_near(torso_of(world)->estimate.m, world->inertia[world->torso].m, 0.1);
}
END_TEST

START_TEST(sensors_that_are_missing_are_named_and_nothing_is_guessed) {
  struct world *world = new_world(QUIET);
  const struct inertial_filter_settings settings = inertial_filter_defaults();
  start_filter(world, &settings, world->torso);
  const struct inertia before = world->robot->model.inertia[world->torso];
  take_up(world, 8.0, (vec3){0.2, 0.0, 0.2});
  for (int k = 0; k < 3000; k++) {
    move(world, 1.0);
    weigh(world);
    observe(world);
    const struct inertial_inputs inputs = {.kin = &world->measured};
    inertial_filter_step(world->filter, &inputs, DT, false, &world->result);
    world->t += DT;
  }
  ck_assert_int_eq(world->result.state, INERTIAL_OFF);
  ck_assert_uint_eq(world->result.missing, INERTIAL_NEEDS_WRENCH | INERTIAL_NEEDS_TORQUE);
  ck_assert_int_eq(memcmp(&torso_of(world)->estimate, &before, sizeof(before)), 0);
}
END_TEST

/* A forearm needs its arm's torques only, whatever the feet stand on. */
START_TEST(joint_torques_alone_weigh_a_forearm) {
  struct world *world = new_world(QUIET);
  const struct model *model = &world->robot->model;
  struct inertial_filter_settings settings = inertial_filter_defaults();
  settings.core.prior = (struct inertial_spread){1.0, 0.05, 0.2, 0.2};
  world->torso = (size_t)model_find_link(model, "right_elbow_link");
  start_filter(world, &settings, world->torso);
  for (int k = 0; k < 6000; k++) {
    if (k == 2000) {
      take_up(world, 3.0, (vec3){0.0, 0.0, -0.15});
    }
    move(world, 1.0);
    weigh(world);
    for (size_t j = 0; j < model->n_joints; j++) {
      world->tau[j] += 0.1 * random_normal(&world->random);
    }
    observe(world);
    const struct inertial_inputs inputs = {.kin = &world->measured, .tau = world->tau};
    inertial_filter_step(world->filter, &inputs, DT, false, &world->result);
    world->t += DT;
  }
  ck_assert_int_eq(world->result.state, INERTIAL_RUNNING);
  ck_assert_uint_eq(world->result.missing, INERTIAL_NEEDS_WRENCH);
  /* joints at standstill hide up to their Coulomb friction: 5 % of the load, and known to be so */
  const double error = torso_of(world)->estimate.m - world->inertia[world->torso].m;
  assert_near(error, 0.0, 0.05 * 3.0);
  assert_near(error, 0.0, 3.0 * torso_of(world)->mass_sd);
}
END_TEST

START_TEST(nothing_that_is_no_number_gets_in_or_out) {
  struct world *world = settled_world(GOOD);
  for (int k = 0; k < 500; k++) {
    move(world, 1.0);
    weigh(world);
    observe(world);
    const double bad[3] = {(double)NAN, (double)INFINITY, 1e308};
    world->wrench[k % 2].lin.z = bad[k % 3];
    const struct inertial_inputs inputs = {.kin = &world->measured, .wrench = world->wrench};
    inertial_filter_step(world->filter, &inputs, DT, false, &world->result);
    world->t += DT;
  }
  ck_assert_uint_gt(world->result.counters.rejected, 490);
  run(world, 1.0, 1.0);
  assert_near(torso_of(world)->estimate.m, world->inertia[world->torso].m, 0.3);
}
END_TEST

START_TEST(a_delay_between_motion_and_forces_is_measured) {
  struct world *world = settled_world(GOOD);
  struct force late[5][ROBOT_MAX_WRENCH] = {{{VEC3_ZERO, VEC3_ZERO}}};
  for (int k = 0; k < 12000; k++) {
    move(world, 1.0);
    weigh(world);
    observe(world);
    memcpy(late[k % 5], world->wrench, sizeof(late[0]));
    const struct inertial_inputs inputs = {.kin = &world->measured,
                                           .wrench = k < 4 ? world->wrench : late[(k + 1) % 5]};
    inertial_filter_step(world->filter, &inputs, DT, false, &world->result);
    world->t += DT;
  }
  ck_assert(world->result.delay_known);
  assert_near(world->result.delay_s, 4e-3, fmax(1e-3, 3.0 * world->result.delay_sd_s));
}
END_TEST

START_TEST(what_was_learned_is_recalled_and_nonsense_is_not) {
  struct world *world = settled_world(GOOD);
  take_up(world, 8.0, (vec3){0.20, 0.05, 0.25});
  run(world, 5.0, 1.0);
  const struct inertia learned = torso_of(world)->estimate;
  double P[100];
  memcpy(P, inertial_filter_core(world->filter)->P, sizeof(P));
  inertial_filter_reset(world->filter);
  step(world, 1.0);
  ck_assert_int_eq(world->result.source, INERTIAL_FROM_MODEL);
  ck_assert_int_eq(inertial_filter_recall(world->filter, &learned, P), STATUS_OK);
  step(world, 1.0);
  ck_assert_int_eq(world->result.source, INERTIAL_FROM_MEMORY);
  assert_near(torso_of(world)->published.m, learned.m, 1e-12);
  P[0] = -1.0;
  ck_assert_int_eq(inertial_filter_recall(world->filter, &learned, P), STATUS_SINGULAR);
  P[0] = (double)NAN;
  ck_assert_int_eq(inertial_filter_recall(world->filter, &learned, P), STATUS_NOT_FINITE);
  step(world, 1.0);
  assert_near(torso_of(world)->published.m, learned.m, 1e-9);
}
END_TEST

START_TEST(settings_that_could_never_work_are_refused) {
  struct world *world = new_world(QUIET);
  struct arena count = {0};
  struct inertial_filter *filter = NULL;
  struct inertial_filter_settings settings = inertial_filter_defaults();
  const size_t link = world->torso, none = 1000;
  settings.detector_clip = 0.5; /* five clipped samples of one row add up to 1.25 at most */
  ck_assert_int_eq(inertial_filter_init(&filter, world->robot, &settings, &link, 1, NULL, &count),
                   STATUS_OUT_OF_RANGE);
  settings = inertial_filter_defaults();
  settings.block_s = 0.0;
  ck_assert_int_eq(inertial_filter_init(&filter, world->robot, &settings, &link, 1, NULL, &count),
                   STATUS_OUT_OF_RANGE);
  settings = inertial_filter_defaults();
  ck_assert_int_eq(inertial_filter_init(&filter, world->robot, &settings, &none, 1, NULL, &count),
                   STATUS_BAD_ARGUMENT);
  ck_assert_ptr_null(filter);
}
END_TEST

SUITE(eight_kilograms_are_found_within_two_percent_in_a_second_and_their_place_in_five,
      the_published_mass_grows_no_faster_than_three_kilograms_a_second,
      without_a_change_nothing_alarms_and_the_mass_stays,
      no_block_is_used_before_its_noise_is_known,
      standing_still_changes_nothing_at_all_once_settled,
      a_load_put_on_while_standing_still_is_noticed, a_creeping_foot_sensor_does_not_become_mass,
      a_model_that_is_wrong_by_three_percent_is_calibrated_away,
      sensors_that_are_missing_are_named_and_nothing_is_guessed,
      joint_torques_alone_weigh_a_forearm, nothing_that_is_no_number_gets_in_or_out,
      a_delay_between_motion_and_forces_is_measured,
      what_was_learned_is_recalled_and_nonsense_is_not, settings_that_could_never_work_are_refused)
