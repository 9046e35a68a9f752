#include "inertial/inertial_estimator.h"
#include "publish/status_events.h"
#include "publish/topics.h"
#include "stock_robot.h"
#include "support/random_model.h"
#include "support/suite.h"

#include <stdlib.h>
#include <string.h>

/* The whole robot, stiff, shaken up and down: the left foot carries its mass times the
 * acceleration. */
static const double DT = 1e-3;
static const int64_t PERIOD_NS = 1000000;

enum { LATE_MAX = 16 };

struct world {
  struct stock_robot stock;
  struct inertial_estimator *estimator;
  struct joint_history history;
  struct kinematics kin;
  struct rnea rnea;
  struct force sent[LATE_MAX][ROBOT_MAX_WRENCH]; /* a ring of what the sensor measured */
  double q[MODEL_MAX_JOINTS], dq[MODEL_MAX_JOINTS], ddq[MODEL_MAX_JOINTS];
  struct sensor_frame frame;
  struct inertia_estimate out;
  int64_t k;
  int every;                    /* cycles from one motion that is known to the next */
  bool strange;                 /* in between, forces belong to no motion that is known */
  int force_every, force_phase; /* cycles from one sample of the forces to the next */
};

static struct world *new_world_with(const char *link, bool fed) {
  struct world *world = calloc(1, sizeof(*world));
  struct message error;
  ck_assert_int_eq(stock_robot_load("humanoid30", "config/robots", &world->stock, &error),
                   STATUS_OK);
  struct inertial_settings settings = inertial_defaults();
  settings.filter.calibration_s = 0.0;
  settings.n_links = link != NULL;
  settings.feed_centroidal = fed;
  if (link != NULL) {
    strcpy(settings.link[0], link);
  }
  struct arena count = {0};
  const struct robot *robot = world->stock.robot;
  ck_assert_int_eq(inertial_estimator_init(&world->estimator, robot, &settings, &count), STATUS_OK);
  struct arena arena = test_arena(count.used);
  ck_assert_int_eq(inertial_estimator_init(&world->estimator, robot, &settings, &arena), STATUS_OK);
  ck_assert_uint_eq(arena.used, count.used);
  struct arena more = test_arena(1 << 20);
  ck_assert_int_eq(kinematics_init(&world->kin, &robot->model, &more), STATUS_OK);
  ck_assert_int_eq(rnea_init(&world->rnea, &robot->model, &more), STATUS_OK);
  const struct joint_layout layout =
      joint_layout_of(robot->model.n_joints, false, true, robot->n_feet);
  ck_assert_int_eq(joint_history_init(&world->history, &layout, &more), STATUS_OK);
  world->dq[0] = 0.1; /* never at rest */
  world->every = world->force_every = 1;
  return world;
}

static struct world *new_world(const char *link) {
  return new_world_with(link, false);
}

/* One cycle. The wrench comes `late` cycles after it was measured and is stamped `stamped` cycles
 * ago. */
static void step(struct world *world, int late, int stamped) {
  const struct robot *robot = world->stock.robot;
  const int64_t now = 1000000000 + ++world->k * PERIOD_NS;
  const bool known = world->k % world->every == 0;
  const double blow = world->strange && !known ? 50.0 : 0.0;
  const vec3 up = {0.0, 0.0, STANDARD_GRAVITY + blow + 3.0 * sin(20.0 * DT * (double)world->k)};
  const struct robot_motion motion = {
      .base = {POSE_IDENTITY, {VEC3_ZERO, VEC3_ZERO}, {VEC3_ZERO, up}},
      .q = world->q,
      .dq = world->dq,
      .ddq = world->ddq};
  const struct past_motion past = {now, world->q, world->dq, world->ddq, motion.base};
  if (known) {
    joint_history_put(&world->history, &past);
  }
  struct force base;
  double tau[MODEL_MAX_JOINTS];
  ck_assert_int_eq(kinematics_update(&world->kin, &motion), STATUS_OK);
  ck_assert_int_eq(
      rnea_step(&world->rnea, &world->kin, robot->model.inertia, NULL, WITH_DRIVES, &base, tau),
      STATUS_OK);
  const struct wrench_sensor *left = &robot->wrench[0];
  const struct pose X_BS = pose_mul(&world->kin.X_BL[left->link], &left->placement),
                    X_SB = pose_inverse(&X_BS);
  struct force *measured = world->sent[world->k % LATE_MAX];
  memset(measured, 0, sizeof(world->sent[0]));
  measured[0] = force_to_base(&X_SB, &base);
  world->frame.t_ns = now;
  world->frame.wrench = (struct wrench_reading){
      .stamp = {.present = world->k > late,
                .fresh = world->k % world->force_every == world->force_phase,
                .t_ns = now - stamped * PERIOD_NS},
      .n_sensors = robot->n_wrench,
      .wrench = world->sent[(world->k - late + LATE_MAX) % LATE_MAX]};
  memset(&world->out, 0xff, sizeof(world->out));
  inertial_estimator_step(world->estimator, &world->frame, &world->history, false, &world->out);
}

/* Largest normalised innovation after a second. */
static double worst_innovation(int late, int stamped) {
  struct world *world = new_world("torso_pitch_link");
  double worst = 0.0;
  for (int k = 0; k < 2000; k++) {
    step(world, late, stamped);
    worst = k > 200 ? fmax(worst, world->out.result.nis) : 0.0;
  }
  ck_assert_uint_gt(world->out.result.counters.blocks, 80);
  return worst;
}

START_TEST(forces_that_come_late_meet_the_motion_of_their_own_instant) {
  ck_assert_double_lt(worst_innovation(0, 0), 1e-6);
  ck_assert_double_lt(worst_innovation(7, 7), 1e-6);
  ck_assert_double_gt(worst_innovation(7, 0), 0.1); /* the same, believed to be of now */
}
END_TEST

START_TEST(forces_between_the_looks_of_the_skin_are_passed_over) {
  struct world *world = new_world("torso_pitch_link");
  world->every = 4;
  world->strange = true; /* a strike that the skin does not see */
  double worst = 0.0;
  for (int k = 0; k < 2000; k++) {
    step(world, 3, 3);
    worst = k > 200 ? fmax(worst, world->out.result.nis) : 0.0;
  }
  ck_assert_double_lt(worst, 1e-6);
  ck_assert_uint_gt(world->out.result.counters.blocks, 80);
}
END_TEST

START_TEST(forces_that_never_meet_a_look_of_the_skin_take_the_motion_in_between) {
  struct world *world = new_world("torso_pitch_link");
  world->every = world->force_every = 4;
  world->force_phase = 2; /* the sensor samples midway between two looks */
  double worst = 0.0;
  for (int k = 0; k < 4000; k++) {
    step(world, 0, 0);
    worst = k > 400 ? fmax(worst, world->out.result.nis) : 0.0;
  }
  ck_assert_uint_gt(world->out.result.counters.blocks, 40);
  ck_assert_double_lt(worst, 1e-2); /* linear between two looks, 4 ms apart */
}
END_TEST

/* A daemon that cannot keep up takes every fifth frame: one force in four meets a look. */
START_TEST(forces_that_seldom_meet_a_look_of_the_skin_are_used_all_the_same) {
  struct world *world = new_world("torso_pitch_link");
  world->every = 4;
  world->force_every = 5;
  for (int k = 0; k < 4000; k++) {
    step(world, 0, 0);
  }
  ck_assert_uint_gt(world->out.result.counters.blocks, 150); /* of 200 in four seconds */
}
END_TEST

START_TEST(an_update_goes_on_by_one_iteration_in_every_cycle_with_rows_or_without) {
  struct world *world = new_world("torso_pitch_link");
  const struct inertial_core *core =
      inertial_filter_core(inertial_estimator_filter(world->estimator));
  world->every = 4;
  int before = -1, spread = 0; /* iterations done of the update on its way, -1: none */
  for (int k = 0; k < 2000; k++) {
    step(world, 7, 0); /* wrong forces: several iterations */
    const int now = core->updating ? core->iteration : -1;
    ck_assert(now == -1 || now <= 1 || now == before + 1);
    ck_assert(before == -1 || now != before);
    spread += now >= 1;
    before = now;
  }
  ck_assert_int_gt(spread, 50);
}
END_TEST

/* An event of this kind among those that wait. */
static bool is_announced(struct event_queue *events, const char *kind) {
  struct event event;
  bool found = false;
  while (event_take(events, &event)) {
    found = found || strcmp(event.kind, kind) == 0;
  }
  return found;
}

START_TEST(forces_stamped_too_late_are_told_as_misaligned_and_aligned_ones_are_not) {
  for (int late = 0; late <= 4; late += 4) {
    struct world *world = new_world("torso_pitch_link");
    struct status_events watch = {0};
    struct event_queue events;
    struct estimates estimates = {0};
    event_queue_init(&events);
    for (int k = 0; k < 5000; k++) {
      step(world, late, 0);
      /* what was made good is not told twice */
      ck_assert(!world->out.delay.known || world->out.delay.s < late * DT + 1.5e-3);
    }
    ck_assert(world->out.delay.known);
    assert_near(world->out.delay.s, late * DT, late > 0 ? 0.5e-3 : 1e-5);
    ck_assert_int_eq(world->out.misaligned, late > 0);
    ck_assert_int_eq(world->out.status, PROPRIOD_STATUS_OK); /* made good */
    ck_assert_double_lt(world->out.result.nis, 0.1);
    estimates.inertia = world->out;
    status_events_look(&watch, &estimates, 1, &events);
    ck_assert_int_eq(is_announced(&events, "misaligned"), late > 0);
    status_events_look(&watch, &estimates, 2000000000, &events);
    ck_assert(!is_announced(&events, "misaligned")); /* once */
  }
}
END_TEST

START_TEST(forces_older_than_what_is_kept_are_not_used) {
  struct world *world = new_world("torso_pitch_link");
  for (int k = 0; k < 500; k++) {
    step(world, 7, 100);
  }
  ck_assert_uint_eq(world->out.result.counters.blocks, 0);
  ck_assert_int_ne(world->out.status, PROPRIOD_STATUS_OK);
}
END_TEST

/* It went on as ok with the last values for ever. */
START_TEST(an_estimate_that_nothing_feeds_any_more_is_stale_until_something_does) {
  struct world *world = new_world("torso_pitch_link");
  for (int k = 0; k < 500; k++) {
    step(world, 0, 0);
  }
  ck_assert_int_eq(world->out.status, PROPRIOD_STATUS_OK);
  world->force_every = 1 << 20; /* the stream is still there and brings nothing new */
  for (int k = 0; k < 600; k++) {
    step(world, 0, 0);
  }
  ck_assert_int_eq(world->out.status, PROPRIOD_STATUS_STALE);
  world->force_every = 1;
  for (int k = 0; k < 100; k++) {
    step(world, 0, 0);
  }
  ck_assert_int_eq(world->out.status, PROPRIOD_STATUS_OK);
}
END_TEST

START_TEST(without_a_configured_link_nothing_is_estimated_and_the_model_holds) {
  struct world *world = new_world(NULL);
  step(world, 0, 0);
  ck_assert_uint_eq(world->out.result.n_links, 0);
  ck_assert_ptr_null(inertial_estimator_filter(world->estimator));
  const struct model *model = &world->stock.robot->model;
  ck_assert_int_eq(memcmp(inertial_estimator_inertia(world->estimator), model->inertia,
                          model->n_links * sizeof(*model->inertia)),
                   0);
}
END_TEST

START_TEST(a_frame_stands_for_its_body_and_an_unknown_name_is_refused) {
  struct world *world = new_world("left_hand");
  const struct robot *robot = world->stock.robot;
  step(world, 0, 0);
  ck_assert_int_eq((int)world->out.result.link[0].link,
                   model_find_link(&robot->model, "left_wrist_roll_link"));
  ck_assert_str_eq(world->out.name[0], "left_hand");
  struct inertial_settings settings = inertial_defaults();
  settings.n_links = 1;
  strcpy(settings.link[0], "tail");
  struct arena count = {0};
  ck_assert_int_eq(inertial_estimator_init(&world->estimator, robot, &settings, &count),
                   STATUS_BAD_ARGUMENT);
}
END_TEST

START_TEST(what_is_learned_moves_to_the_next_pipeline) {
  struct world *before = new_world("torso_pitch_link"), *after = new_world("torso_pitch_link");
  for (int k = 0; k < 500; k++) {
    step(before, 0, 0);
  }
  inertial_estimator_adopt(after->estimator, before->estimator);
  step(after, 0, 0);
  assert_near(after->out.result.link[0].published.m, before->out.result.link[0].published.m, 1e-9);
  ck_assert_uint_ge(after->out.result.counters.blocks, before->out.result.counters.blocks);
  struct world *other = new_world("left_hand");
  inertial_estimator_adopt(other->estimator, before->estimator); /* another link: takes nothing */
  ck_assert_uint_eq(
      inertial_filter_result(inertial_estimator_filter(other->estimator))->counters.blocks, 0);
}
END_TEST

static double mass_for_centroidal(const struct world *world) {
  return inertial_estimator_inertia(world->estimator)[world->out.result.link[0].link].m;
}

/* The old pipeline's load stayed in the new one's centre of mass, for ever. */
START_TEST(a_reload_begins_and_ends_feeding_the_centroidal_model) {
  for (int fed = 0; fed < 2; fed++) {
    struct world *before = new_world_with("torso_pitch_link", !fed),
                 *after = new_world_with("torso_pitch_link", fed);
    struct inertial_filter *filter = inertial_estimator_filter(before->estimator);
    const struct inertial_core *core = inertial_filter_core(filter);
    double P[INERTIA_PARAMETERS * INERTIA_PARAMETERS];
    struct inertia told;
    inertial_core_save(core, &told, P);
    const double model = told.m;
    const struct inertia laden = inertia_axpy(&told, 0.5, &told);
    ck_assert_int_eq(inertial_filter_recall(filter, &laden, P), STATUS_OK);
    step(before, 0, 0);
    const double laden_now = before->out.result.link[0].published.m;
    ck_assert_double_gt(laden_now, 1.4 * model);
    assert_near(mass_for_centroidal(before), fed ? model : laden_now, 1e-12);
    inertial_estimator_adopt(after->estimator, before->estimator);
    after->out = before->out;
    assert_near(mass_for_centroidal(after), fed ? laden_now : model, 1e-12);
    inertial_estimator_reset(after->estimator);
    assert_near(mass_for_centroidal(after), model, 1e-12);
  }
}
END_TEST

/* Reads back the value of a key of an encoded map. */
static msgpack_object value_of(const msgpack_object *map, const char *key) {
  ck_assert_int_eq(map->type, MSGPACK_OBJECT_MAP);
  for (uint32_t i = 0; i < map->via.map.size; i++) {
    const msgpack_object *k = &map->via.map.ptr[i].key;
    if (k->via.str.size == strlen(key) && memcmp(k->via.str.ptr, key, k->via.str.size) == 0) {
      return map->via.map.ptr[i].val;
    }
  }
  ck_abort_msg("no key %s", key);
}

START_TEST(the_message_and_its_description_have_the_same_keys) {
  struct world *world = new_world("torso_pitch_link");
  for (int k = 0; k < 500; k++) {
    step(world, 0, 0);
  }
  char *bytes = malloc(1 << 16);
  struct wire wire;
  msgpack_unpacked message, description;
  msgpack_unpacked_init(&message);
  msgpack_unpacked_init(&description);
  wire_init(&wire, bytes, 1 << 16);
  encode_inertia(&wire, &world->out, 5, 0);
  ck_assert(!wire.overflow && wire.replaced == 0);
  ck_assert_int_eq(msgpack_unpack_next(&message, wire.data, wire.size, NULL),
                   MSGPACK_UNPACK_SUCCESS);
  const msgpack_object *map = &message.data;
  assert_near(value_of(map, "mass").via.array.ptr[0].via.f64, world->out.result.link[0].published.m,
              0.0 + 1e-12);
  ck_assert_uint_eq(value_of(map, "covariance").via.array.ptr[0].via.array.size, 100);
  ck_assert_uint_eq(value_of(map, "delay").via.array.size, world->out.result.delay.known ? 2 : 0);
  ck_assert_uint_eq(value_of(map, "torque_delay").via.array.size, 0);

  char *text = malloc(1 << 16);
  struct wire meta;
  wire_init(&meta, text, 1 << 16);
  fields_describe(&meta, &inertia_topic);
  ck_assert_int_eq(msgpack_unpack_next(&description, meta.data, meta.size, NULL),
                   MSGPACK_UNPACK_SUCCESS);
  ck_assert_uint_eq(description.data.via.map.size + STAMP_KEYS, map->via.map.size);
  for (uint32_t i = 0; i < description.data.via.map.size; i++) {
    char key[64];
    const msgpack_object_str *k = &description.data.via.map.ptr[i].key.via.str;
    snprintf(key, sizeof(key), "%.*s", (int)k->size, k->ptr);
    value_of(map, key);
  }
  msgpack_unpacked_destroy(&message);
  msgpack_unpacked_destroy(&description);
  free(bytes), free(text);
}
END_TEST

/* 10^low .. 10^high, of either sign. */
static double of_any_size(struct random *random, double low, double high) {
  const double size = pow(10.0, random_uniform(random, low, high));
  return random_uniform(random, -1.0, 1.0) < 0.0 ? -size : size;
}

/* What sensors can be made to say: forces up to what passes as one, motions no robot makes, gaps.
 * Once a thousand cycles have been well-behaved again, the estimate is used, too. */
START_TEST(whatever_forces_and_motions_say_every_number_that_is_published_is_finite) {
  struct random random = random_from(test_seed());
  char bytes[65536];
  for (int run = 0; run < 20; run++) {
    struct world *world = new_world("torso_pitch_link");
    const size_t n = world->stock.robot->model.n_joints;
    struct wire wire;
    wire_init(&wire, bytes, sizeof(bytes));
    for (int k = 0; k < 3000; k++) {
      const bool wild = k % 1000 > 300 && k % 1000 < 600;
      for (size_t j = 0; j < n && k % 10 == 0; j++) {
        world->q[j] = wild ? of_any_size(&random, -3.0, 1.0) : 0.0;
        world->dq[j] = wild ? of_any_size(&random, -3.0, 4.0) : j == 0 ? 0.1 : 0.0;
        world->ddq[j] = wild ? of_any_size(&random, -3.0, 7.0) : 0.0;
      }
      world->k += wild && k % 100 == 0 ? (int64_t)fabs(of_any_size(&random, 0.0, 6.0)) : 0;
      step(world, 1, 1);
      double *force = (double *)world->sent[world->k % LATE_MAX];
      for (int i = 0; i < 6 && wild; i++) {
        force[i] = of_any_size(&random, -320.0, 5.0);
      }
      wire_rewind(&wire);
      encode_inertia(&wire, &world->out, 1, 0);
      ck_assert_msg(!wire.overflow && wire.replaced == 0, "run %d, cycle %d", run, k);
    }
    free(world);
  }
}
END_TEST

SUITE(forces_that_come_late_meet_the_motion_of_their_own_instant,
      forces_between_the_looks_of_the_skin_are_passed_over,
      forces_that_never_meet_a_look_of_the_skin_take_the_motion_in_between,
      forces_that_seldom_meet_a_look_of_the_skin_are_used_all_the_same,
      an_update_goes_on_by_one_iteration_in_every_cycle_with_rows_or_without,
      forces_stamped_too_late_are_told_as_misaligned_and_aligned_ones_are_not,
      forces_older_than_what_is_kept_are_not_used,
      an_estimate_that_nothing_feeds_any_more_is_stale_until_something_does,
      without_a_configured_link_nothing_is_estimated_and_the_model_holds,
      a_frame_stands_for_its_body_and_an_unknown_name_is_refused,
      what_is_learned_moves_to_the_next_pipeline,
      a_reload_begins_and_ends_feeding_the_centroidal_model,
      the_message_and_its_description_have_the_same_keys,
      whatever_forces_and_motions_say_every_number_that_is_published_is_finite)
