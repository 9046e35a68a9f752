/* What is sent is decoded again and compared with the structs member by member, without the tables
 * that wrote it. */
#include "publish/encode_meta.h"
#include "publish/topics.h"
#include "support/decoded.h"
#include "support/suite.h"
#include "support/synthetic.h"

#include <math.h>
#include <string.h>

enum { CAPACITY = 128 * 1024 };
static char bytes[CAPACITY];
static struct wire wire;
static const int64_t epoch_ns = 1790000000123456789, t_ns = 5000000042;

static void begin(void) {
  wire_init(&wire, bytes, sizeof(bytes));
}

static const msgpack_object *decoded(void) {
  return decode(&wire);
}

static void expect_real(const msgpack_object *map, const char *key, double expected) {
  const msgpack_object *value = get(map, key);
  ck_assert_int_eq(value->type, MSGPACK_OBJECT_FLOAT64);
  ck_assert_msg(value->via.f64 == expected, "%s is %g, not %g", key, value->via.f64, expected);
}

static void expect_count(const msgpack_object *map, const char *key, uint64_t expected) {
  const msgpack_object *value = get(map, key);
  ck_assert_int_eq(value->type, MSGPACK_OBJECT_POSITIVE_INTEGER);
  ck_assert_uint_eq(value->via.u64, expected);
}

static void expect_reals(const msgpack_object *map, const char *key, const double *expected,
                         uint32_t count) {
  const msgpack_object *value = get(map, key);
  ck_assert_int_eq(value->type, MSGPACK_OBJECT_ARRAY);
  ck_assert_uint_eq(value->via.array.size, count);
  for (uint32_t i = 0; i < count; i++) {
    ck_assert_int_eq(value->via.array.ptr[i].type, MSGPACK_OBJECT_FLOAT64);
    ck_assert_msg(value->via.array.ptr[i].via.f64 == expected[i], "%s[%u] is %g, not %g", key, i,
                  value->via.array.ptr[i].via.f64, expected[i]);
  }
}

static bool lists(const msgpack_object *array, const char *text) {
  for (uint32_t i = 0; i < array->via.array.size; i++) {
    const msgpack_object *entry = &array->via.array.ptr[i];
    if (entry->via.str.size == strlen(text) &&
        memcmp(entry->via.str.ptr, text, strlen(text)) == 0) {
      return true;
    }
  }
  return false;
}

START_TEST(every_map_begins_with_version_number_time_and_status) {
  struct estimates estimates;
  synthetic_estimates(&estimates, 77, t_ns);
  estimates.state.status = PROPRIOD_STATUS_DEGRADED;
  begin();
  encode_state(&wire, &estimates.state, epoch_ns);
  const msgpack_object *map = decoded();
  expect_count(map, "v", 1);
  expect_count(map, "seq", 77);
  expect_count(map, "t_mono_ns", (uint64_t)t_ns);
  expect_text(map, "status", "degraded");
  assert_near(get(map, "timestamp")->via.f64, 1790000005.123456831, 1e-6);
}
END_TEST

static void count_not_finite(const msgpack_object *object, int *nil, int *not_finite) {
  *nil += object->type == MSGPACK_OBJECT_NIL;
  *not_finite +=
      (object->type == MSGPACK_OBJECT_FLOAT64 || object->type == MSGPACK_OBJECT_FLOAT32) &&
      !isfinite(object->via.f64);
}

START_TEST(no_value_leaves_as_nan_or_infinity_and_each_one_is_counted) {
  const double bad[] = {NAN, INFINITY, -INFINITY};
  for (int k = 0; k < 3; k++) {
    for (struct field_place at = {0}; field_next(&state_topic, &at);) {
      const enum field_kind kind = at.field->kind;
      if (kind != FIELD_REAL && kind != FIELD_VEC3 && kind != FIELD_QUAT) {
        continue;
      }
      struct estimates estimates;
      synthetic_estimates(&estimates, 1, t_ns);
      memcpy((char *)&estimates.state + at.offset, &bad[k], sizeof(bad[k]));
      begin();
      encode_state(&wire, &estimates.state, epoch_ns);
      const msgpack_object *map = decoded();
      int nil = 0, not_finite = 0;
      for (uint32_t m = 0; m < map->via.map.size; m++) {
        const msgpack_object *value = &map->via.map.ptr[m].val;
        count_not_finite(value, &nil, &not_finite);
        for (uint32_t e = 0; value->type == MSGPACK_OBJECT_ARRAY && e < value->via.array.size;
             e++) {
          count_not_finite(&value->via.array.ptr[e], &nil, &not_finite);
        }
      }
      ck_assert_int_eq(not_finite, 0);
      ck_assert_int_eq(nil, 1);
      ck_assert_uint_eq(wire.replaced, 1);
    }
  }
}
END_TEST

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

START_TEST(skin_carries_every_cell_and_a_residual_that_is_nan_leaves_as_nil) {
  uint8_t state[] = {CELL_OK, CELL_FAULTY, CELL_CONTACT}, reason[] = {0, CELL_REASON_STUCK, 0};
  uint8_t chosen[] = {1, 0, 1};
  float residual[] = {0.25f, NAN, 1.5f};
  const struct estimator_report report = {.seq = 5,
                                          .t_ns = t_ns,
                                          .n_cells = 3,
                                          .cells_in = {11, 12, 13, 14, 15, 16},
                                          .outliers = 8,
                                          .links_whole = 4,
                                          .links_partial = 3,
                                          .cell_state = state,
                                          .cell_reason = reason,
                                          .cell_chosen = chosen,
                                          .cell_residual = residual};
  begin();
  encode_skin(&wire, &report, 2, epoch_ns, PROPRIOD_STATUS_OK);
  const msgpack_object *map = decoded();
  expect_count(map, "seq", 2);
  expect_count(map, "cells_ok", 11);
  expect_count(map, "cells_suspect", 12);
  expect_count(map, "cells_faulty", 13);
  expect_count(map, "cells_contact", 14);
  expect_count(map, "cells_precontact", 15);
  expect_count(map, "cells_stale", 16);
  expect_count(map, "outliers", 8);
  expect_count(map, "links_whole", 4);
  expect_count(map, "links_partial", 3);
  const msgpack_object *states = get(map, "cell_state"), *reasons = get(map, "cell_reason");
  const msgpack_object *residuals = get(map, "cell_residual");
  ck_assert_uint_eq(states->via.array.size, 3);
  ck_assert_uint_eq(states->via.array.ptr[2].via.u64, CELL_CONTACT);
  ck_assert_uint_eq(reasons->via.array.ptr[1].via.u64, CELL_REASON_STUCK);
  ck_assert_uint_eq(get(map, "cell_chosen")->via.array.ptr[1].via.u64, 0);
  ck_assert_uint_eq(get(map, "cell_chosen")->via.array.ptr[2].via.u64, 1);
  ck_assert(residuals->via.array.ptr[0].via.f64 == 0.25);
  ck_assert_int_eq(residuals->via.array.ptr[1].type, MSGPACK_OBJECT_NIL);
  ck_assert_uint_eq(wire.replaced, 1);
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

START_TEST(an_event_carries_severity_kind_and_text) {
  const struct event event = {
      .t_ns = t_ns, .severity = EVENT_ERROR, .kind = "reload", .text = "robot.yaml:3:1: no"};
  begin();
  encode_event(&wire, &event, 9, epoch_ns, PROPRIOD_STATUS_OK);
  const msgpack_object *map = decoded();
  expect_count(map, "seq", 9);
  expect_text(map, "severity", "error");
  expect_text(map, "kind", "reload");
  expect_text(map, "text", "robot.yaml:3:1: no");
}
END_TEST

/* An estimate of two links, every number different. */
static struct inertia_estimate synthetic_inertia_estimate(void) {
  struct inertia_estimate inertia = {.t_ns = t_ns,
                                     .status = PROPRIOD_STATUS_DEGRADED,
                                     .calibrated = true,
                                     .misaligned = true,
                                     .delay = {.known = true, .s = 0.004, .sd_s = 0.0005},
                                     .torque_delay = {.known = true, .s = 0.003, .sd_s = 0.0002},
                                     .name = {"torso", "hand"},
                                     .result = {.state = INERTIAL_RUNNING,
                                                .source = INERTIAL_FROM_SENSORS,
                                                .missing = INERTIAL_NEEDS_TORQUE,
                                                .snapshot = 7,
                                                .n_links = 2,
                                                .calibrated = true,
                                                .nis = 1.25,
                                                .detector = 0.5,
                                                .gain = 3.5,
                                                .counters = {11, 12, 13, 14, 15, 16, 17, 18}}};
  for (int k = 0; k < 2; k++) {
    struct inertial_link_estimate *link = &inertia.result.link[k];
    const double at = 100.0 * (k + 1);
    double ten[INERTIA_PARAMETERS];
    synthetic_fill(ten, INERTIA_PARAMETERS, at);
    link->published = inertia_from(ten);
    synthetic_fill(ten, INERTIA_PARAMETERS, at + 10.0);
    link->estimate = inertia_from(ten);
    link->mass_sd = 0.25 + k;
    link->com_sd = (vec3){at + 7, at + 8, at + 9};
    synthetic_fill(&link->covariance[0][0], INERTIA_PARAMETERS * INERTIA_PARAMETERS, at);
    link->known = INERTIAL_KNOWS_MASS | INERTIAL_KNOWS_SHAPE;
    link->observable = INERTIAL_KNOWS_COM_Y;
  }
  return inertia;
}

/* The element of link `k` in the list of `key`. */
static const msgpack_object *of_link(const msgpack_object *map, const char *key, uint32_t k) {
  const msgpack_object *list = get(map, key);
  ck_assert_int_eq(list->type, MSGPACK_OBJECT_ARRAY);
  ck_assert_uint_eq(list->via.array.size, 2);
  return &list->via.array.ptr[k];
}

static void expect_numbers(const msgpack_object *array, const double *expected, uint32_t count) {
  ck_assert_int_eq(array->type, MSGPACK_OBJECT_ARRAY);
  ck_assert_uint_eq(array->via.array.size, count);
  for (uint32_t i = 0; i < count; i++) {
    ck_assert(array->via.array.ptr[i].via.f64 == expected[i]);
  }
}

START_TEST(inertia_arrives_as_it_was_link_by_link) {
  const struct inertia_estimate inertia = synthetic_inertia_estimate();
  begin();
  encode_inertia(&wire, &inertia, 3, epoch_ns);
  const msgpack_object *map = decoded();
  expect_count(map, "seq", 3);
  expect_text(map, "status", "degraded");
  ck_assert(lists(get(map, "links"), "torso") && lists(get(map, "links"), "hand"));
  expect_text(map, "state", "running");
  expect_text(map, "source", "sensors");
  ck_assert_uint_eq(get(map, "missing")->via.array.size, 1);
  ck_assert(lists(get(map, "missing"), "joint torques"));
  ck_assert(get(map, "calibrated")->via.boolean && get(map, "misaligned")->via.boolean);
  expect_count(map, "snapshot", 7);
  expect_real(map, "nis", 1.25);
  expect_real(map, "detector", 0.5);
  expect_real(map, "gain", 3.5);
  expect_reals(map, "delay", (const double[]){0.004, 0.0005}, 2);
  expect_reals(map, "torque_delay", (const double[]){0.003, 0.0002}, 2);
  static const char *const counter[] = {"blocks",  "updates",     "weighed_down", "gated",
                                        "changes", "passed_over", "blanked",      "rejected"};
  for (size_t i = 0; i < sizeof(counter) / sizeof(counter[0]); i++) {
    expect_count(get(map, "counters"), counter[i], 11 + i);
  }
  for (uint32_t k = 0; k < 2; k++) {
    const struct inertial_link_estimate *link = &inertia.result.link[k];
    const vec3 com = inertia_com(&link->published);
    double published[INERTIA_PARAMETERS], estimate[INERTIA_PARAMETERS];
    inertia_to(&link->published, published);
    inertia_to(&link->estimate, estimate);
    ck_assert(of_link(map, "mass", k)->via.f64 == link->published.m);
    ck_assert(of_link(map, "mass_sd", k)->via.f64 == link->mass_sd);
    expect_numbers(of_link(map, "com", k), (const double[]){com.x, com.y, com.z}, 3);
    expect_numbers(of_link(map, "first_moment", k), published + 1, 3);
    expect_numbers(of_link(map, "inertia_at_link", k), published + 4, 6);
    const mat3 I = inertia_tensor_at_com(&link->published);
    const double at_com[] = {I.m[0][0], I.m[0][1], I.m[0][2], I.m[1][1], I.m[1][2], I.m[2][2]};
    expect_numbers(of_link(map, "inertia_at_com", k), at_com, 6);
    expect_numbers(of_link(map, "com_sd", k), &link->com_sd.x, 3);
    expect_numbers(of_link(map, "estimate", k), estimate, INERTIA_PARAMETERS);
    expect_numbers(of_link(map, "covariance", k), &link->covariance[0][0],
                   INERTIA_PARAMETERS * INERTIA_PARAMETERS);
    ck_assert_uint_eq(of_link(map, "known", k)->via.array.size, 2);
    ck_assert(lists(of_link(map, "known", k), "mass") && lists(of_link(map, "known", k), "shape"));
    ck_assert(lists(of_link(map, "observable", k), "com_y"));
  }
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
  const struct inertia_estimate inertia = synthetic_inertia_estimate();
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

START_TEST(a_message_that_does_not_fit_says_so_and_writes_nothing_beyond) {
  struct estimates estimates;
  synthetic_estimates(&estimates, 1, t_ns);
  memset(bytes, 0x55, sizeof(bytes));
  wire_init(&wire, bytes, 1000);
  encode_state(&wire, &estimates.state, epoch_ns);
  ck_assert(wire.overflow);
  for (int i = 1000; i < 3000; i++) {
    ck_assert_int_eq(bytes[i], 0x55);
  }
}
END_TEST

START_TEST(text_that_is_not_utf8_leaves_as_question_marks) {
  static const struct {
    const char *text, *sent;
  } cases[] = {
      {"plain", "plain"},
      {"gr\xC3\xBC\xC3\x9F", "gr\xC3\xBC\xC3\x9F"},
      {"\xF0\x9F\xA4\x96", "\xF0\x9F\xA4\x96"},
      {"cut \xC3", "cut ?"},
      {"\xC0\xAF overlong", "?? overlong"},
      {"\xED\xA0\x80 surrogate", "??? surrogate"},
      {"\xF4\x90\x80\x80 beyond", "???? beyond"},
      {"\xFF\x80", "??"},
  };
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    begin();
    wire_map(&wire, 1);
    wire_pair_text(&wire, "text", cases[i].text);
    expect_text(decoded(), "text", cases[i].sent);
  }
}
END_TEST

SUITE(every_map_begins_with_version_number_time_and_status,
      no_value_leaves_as_nan_or_infinity_and_each_one_is_counted,
      meta_names_every_joint_in_order_and_every_key_that_is_sent,
      skin_carries_every_cell_and_a_residual_that_is_nan_leaves_as_nil,
      meta_says_of_every_cell_its_link_and_what_the_codes_are_called,
      an_event_carries_severity_kind_and_text, inertia_arrives_as_it_was_link_by_link,
      meta_describes_every_key_of_diag_at_every_depth,
      meta_describes_every_key_of_inertia_and_of_events,
      units_and_frames_of_inertia_skin_and_diag_are_as_listed,
      a_message_that_does_not_fit_says_so_and_writes_nothing_beyond,
      text_that_is_not_utf8_leaves_as_question_marks)
