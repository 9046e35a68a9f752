/* What is sent is decoded again and compared with the structs member by member, without the tables
 * that wrote it. */
#include "publish/topics.h"
#include "support/encoded.h"
#include "support/suite.h"
#include "support/synthetic.h"

#include <math.h>
#include <string.h>

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
  const struct inertia_estimate inertia = synthetic_inertia_estimate(t_ns);
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
      skin_carries_every_cell_and_a_residual_that_is_nan_leaves_as_nil,
      an_event_carries_severity_kind_and_text, inertia_arrives_as_it_was_link_by_link,
      a_message_that_does_not_fit_says_so_and_writes_nothing_beyond,
      text_that_is_not_utf8_leaves_as_question_marks)
