/* What `meta` says of the robot and of every key that is sent, held against messages as they are
 * sent. */
#include "publish/encode_meta.h"
#include "publish/topics.h"
#include "support/encoded.h"
#include "support/suite.h"
#include "support/synthetic.h"

#include <stdio.h>
#include <string.h>

START_TEST(meta_names_every_joint_in_order_and_every_key_that_is_sent) {
  const struct robot robot = synthetic_robot();
  begin();
  wire_map(&wire, meta_pairs);
  encode_meta_body(&wire, &robot, 0.001);
  const msgpack_object *map = decoded();
  ck_assert_uint_eq(map->via.map.size, meta_pairs);
  expect_text(map, "robot", "made_up");
  expect_text(map, "base", "link_0");
  expect_real(map, "period", 0.001);
  assert_near(get(map, "model_mass")->via.f64, 60.0, 1e-9);
  const msgpack_object *joints = get(map, "joints"), *units = get(map, "joint_units");
  ck_assert_uint_eq(joints->via.array.size, SYNTHETIC_JOINTS);
  ck_assert_int_eq(strncmp(joints->via.array.ptr[7].via.str.ptr, "joint_7", 7), 0);
  ck_assert_int_eq(strncmp(units->via.array.ptr[0].via.str.ptr, "rad", 3), 0);
  ck_assert_int_eq(units->via.array.ptr[SYNTHETIC_JOINTS - 1].via.str.ptr[0], 'm');
  ck_assert_uint_eq(get(map, "links")->via.array.size, SYNTHETIC_JOINTS + 1);
  ck_assert(lists(get(map, "feet"), "right_sole"));
  const msgpack_object *described_topics = get(map, "topics"), *frames = get(map, "frames");
  for (int t = 0; t < 3; t++) {
    const msgpack_object *topic = get(described_topics, topics[t]->name);
    uint32_t rows = 0;
    for (struct field_place at = {0}; field_next(topics[t], &at); rows++) {
      const msgpack_object *key = get(topic, at.field->key);
      expect_text(key, "unit", at.field->unit);
      expect_text(key, "frame", at.field->frame);
      ck_assert_uint_gt(get(key, "meaning")->via.str.size, 5);
      if (at.field->frame[0] != '\0') {
        get(frames, at.field->frame); /* no frame that is not explained */
      }
    }
    ck_assert_uint_eq(topic->via.map.size, rows);
  }
}
END_TEST

START_TEST(meta_says_of_every_cell_its_link_and_what_the_codes_are_called) {
  const struct robot robot = synthetic_robot();
  begin();
  wire_map(&wire, meta_pairs);
  encode_meta_body(&wire, &robot, 0.001);
  const msgpack_object *map = decoded();
  const msgpack_object *links = get(map, "cell_links");
  ck_assert_uint_eq(links->via.array.size, robot.n_cells);
  for (uint32_t i = 0; i < links->via.array.size; i++) {
    ck_assert_uint_eq(links->via.array.ptr[i].via.u64, robot.cell[i].link);
  }
  ck_assert_uint_eq(get(map, "cell_states")->via.array.size, CELL_STATES);
  ck_assert_uint_eq(get(map, "cell_reasons")->via.array.size, CELL_REASONS);
  ck_assert(lists(get(map, "cell_states"), "contact"));
}
END_TEST

static bool is_stamp(const msgpack_object *key) {
  static const char *const stamp[] = {"v", "seq", "timestamp", "t_mono_ns", "status"};
  bool found = false;
  for (size_t i = 0; i < sizeof(stamp) / sizeof(stamp[0]); i++) {
    found = found || (key->via.str.size == strlen(stamp[i]) &&
                      memcmp(key->via.str.ptr, stamp[i], key->via.str.size) == 0);
  }
  return found;
}

/* Each key of `map` has shape, unit, frame and meaning under the same key, at every depth, and
 * nothing else has. `stamps`: how many keys of a stamp come before. */
static void expect_described(const msgpack_object *map, const msgpack_object *described,
                             const msgpack_object *frames, uint32_t stamps) {
  ck_assert_uint_eq(map->via.map.size, described->via.map.size + stamps);
  for (uint32_t i = 0; i < map->via.map.size; i++) {
    const msgpack_object_kv *pair = &map->via.map.ptr[i];
    char key[64];
    snprintf(key, sizeof(key), "%.*s", (int)pair->key.via.str.size, pair->key.via.str.ptr);
    if (stamps > 0 && is_stamp(&pair->key)) {
      continue;
    }
    const msgpack_object *words = get(described, key);
    if (pair->val.type == MSGPACK_OBJECT_MAP) {
      expect_described(&pair->val, words, frames, 0);
      continue;
    }
    ck_assert_uint_eq(words->via.map.size, 4);
    ck_assert_uint_gt(get(words, "shape")->via.str.size, 1);
    ck_assert_int_eq(get(words, "unit")->type, MSGPACK_OBJECT_STR);
    ck_assert_msg(get(words, "meaning")->via.str.size > 5, "%s", key);
    const msgpack_object *frame = get(words, "frame");
    char name[64];
    snprintf(name, sizeof(name), "%.*s", (int)frame->via.str.size, frame->via.str.ptr);
    ck_assert_msg(name[0] == '\0' || find(frames, name) != NULL, "frame %s of %s", name, key);
  }
}

/* The description of `topic` in `meta`, and of the frames; they stay valid. */
static void described_in_meta(const char *topic, const msgpack_object **described,
                              const msgpack_object **frames) {
  static char meta_bytes[CAPACITY];
  static msgpack_unpacked meta;
  const struct robot robot = synthetic_robot();
  wire_init(&wire, meta_bytes, sizeof(meta_bytes));
  wire_map(&wire, meta_pairs);
  encode_meta_body(&wire, &robot, 0.001);
  ck_assert(!wire.overflow);
  msgpack_unpacked_init(&meta);
  ck_assert_int_eq(msgpack_unpack_next(&meta, wire.data, wire.size, NULL), MSGPACK_UNPACK_SUCCESS);
  *described = get(get(&meta.data, "topics"), topic);
  *frames = get(&meta.data, "frames");
}

START_TEST(meta_describes_every_key_of_diag_at_every_depth) {
  static struct diagnostics diagnostics;
  const struct publish_counters publish = {.results = 1};
  const struct reload_report reload = {.estimated = RELOAD_LAST,
                                       .last_ns = 1,
                                       .last_ok = true,
                                       .last_text = "why",
                                       .accepted = 3,
                                       .refused = 4};
  const struct estimator_counters estimators = {.rejected = {0, 1, 2, 3, 4, 5, 6}};
  for (int i = 0; i < PROPRIOD_SHM_STREAMS; i++) {
    atomic_store(&diagnostics.stream[i].t_ns, t_ns);
  }
  static struct diagnostics_window recent;
  diagnostics_window_step(&recent, &diagnostics, t_ns);
  const struct diag_content content = {.diagnostics = &diagnostics,
                                       .recent = &recent,
                                       .estimators = &estimators,
                                       .publish = &publish,
                                       .reload = &reload,
                                       .start_ns = 42,
                                       .state = PROPRIOD_STATUS_STALE,
                                       .centroidal = PROPRIOD_STATUS_DEGRADED};
  const struct stamp stamp = {1, t_ns, epoch_ns, PROPRIOD_STATUS_OK};
  const msgpack_object *described, *frames;
  described_in_meta("diag", &described, &frames);
  begin();
  encode_diag(&wire, &content, &stamp);
  expect_described(decoded(), described, frames, STAMP_KEYS);
  static const char *const reason[] = {"invalid",   "not_finite", "pattern",
                                       "saturated", "stuck",      "residual"};
  for (size_t i = 0; i < 6; i++) {
    expect_count(get(decoded(), "cells"), reason[i], i + 1);
  }
  const msgpack_object *map = decoded();
  expect_real(map, "uptime", 5.0);
  expect_text(map, "state", "stale");
  expect_text(map, "centroidal", "degraded");
  expect_count(get(map, "reload"), "accepted", 3);
  expect_count(get(map, "reload"), "refused", 4);
  expect_text(get(map, "reload"), "last_error", "why");
  ck_assert(get(get(map, "reload"), "last_ok")->via.boolean);
  assert_near(get(get(map, "reload"), "last_age")->via.f64, 5.000000041, 1e-12);
  expect_count(get(get(decoded(), "cycle"), "input"), "count", 0);
}
END_TEST

START_TEST(meta_describes_every_key_of_inertia_and_of_events) {
  const struct inertia_estimate inertia = synthetic_inertia_estimate(t_ns);
  const struct event event = {.t_ns = t_ns, .kind = "reload"};
  const msgpack_object *described, *frames;
  described_in_meta("inertia", &described, &frames);
  begin();
  encode_inertia(&wire, &inertia, 3, epoch_ns);
  expect_described(decoded(), described, frames, STAMP_KEYS);
  described_in_meta("event", &described, &frames);
  begin();
  encode_event(&wire, &event, 9, epoch_ns, PROPRIOD_STATUS_OK);
  expect_described(decoded(), described, frames, STAMP_KEYS);
}
END_TEST

/* Of rows whose members have no comment of their own: computed ones, and those of other structs. */
START_TEST(units_and_frames_of_inertia_skin_and_diag_are_as_listed) {
  static const struct {
    const char *topic, *key, *inner, *unit, *frame;
  } rows[] = {{"inertia", "mass", NULL, "kg", ""},
              {"inertia", "com", NULL, "m", "link"},
              {"inertia", "first_moment", NULL, "kg m", "link"},
              {"inertia", "inertia_at_link", NULL, "kg m^2", "link"},
              {"inertia", "inertia_at_com", NULL, "kg m^2", "link"},
              {"inertia", "mass_sd", NULL, "kg", ""},
              {"inertia", "com_sd", NULL, "m", "link"},
              {"inertia", "estimate", NULL, "kg, kg m, kg m^2", "link"},
              {"inertia", "covariance", NULL, "units of estimate, squared", "link"},
              {"inertia", "nis", NULL, "", ""},
              {"inertia", "detector", NULL, "", ""},
              {"inertia", "snapshot", NULL, "", ""},
              {"inertia", "gain", NULL, "nats/s", ""},
              {"inertia", "delay", NULL, "s", ""},
              {"inertia", "torque_delay", NULL, "s", ""},
              {"skin", "cell_residual", NULL, "m/s^2", ""},
              {"skin", "cell_state", NULL, "", ""},
              {"skin", "cell_chosen", NULL, "", ""},
              {"diag", "uptime", NULL, "s", ""},
              {"diag", "reload", "last_age", "s", ""}};
  for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
    const msgpack_object *described, *frames;
    described_in_meta(rows[i].topic, &described, &frames);
    const msgpack_object *row = get(described, rows[i].key);
    row = rows[i].inner != NULL ? get(row, rows[i].inner) : row;
    expect_text(row, "unit", rows[i].unit);
    expect_text(row, "frame", rows[i].frame);
  }
}
END_TEST

SUITE(meta_names_every_joint_in_order_and_every_key_that_is_sent,
      meta_says_of_every_cell_its_link_and_what_the_codes_are_called,
      meta_describes_every_key_of_diag_at_every_depth,
      meta_describes_every_key_of_inertia_and_of_events,
      units_and_frames_of_inertia_skin_and_diag_are_as_listed)
