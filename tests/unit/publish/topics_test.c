/* Every number under its key: what is sent is compared with what the structs' headers declare,
 * without the tables that wrote it. A new member needs no word here. */
#include "inertial/inertial_fields.h"
#include "joints/joint_fields.h"
#include "publish/encode_meta.h"
#include "publish/topics.h"
#include "robot/reading_fields.h"
#include "support/declared.h"
#include "support/decoded.h"
#include "support/synthetic.h"

#include <ctype.h>

enum { CAPACITY = 256 * 1024, JOINTS = 5, FEET = 3 };
static char bytes[CAPACITY];
static struct wire wire;

/* A topic of one plain struct. */
struct plain {
  const struct field_table *table;
  const char *file, *name;
  size_t size, n;     /* of the struct; elements of its arrays */
  const char *own[8]; /* members that are no pairs of the message */
};
static const struct plain plain[] = {
    {&state_topic,
     "estimators/propriod/state.h",
     "propriod_state",
     sizeof(struct propriod_state),
     JOINTS,
     {"seq", "t_ns", "status", "estimated", "n_joints"}},
    {&centroidal_topic,
     "estimators/propriod/state.h",
     "propriod_centroidal",
     sizeof(struct propriod_centroidal),
     FEET,
     {"seq", "t_ns", "status", "estimated", "n_feet"}},
};

static bool is_own(const struct plain *topic, const char *name) {
  for (int i = 0; i < 8 && topic->own[i] != NULL; i++) {
    if (strcmp(topic->own[i], name) == 0) {
      return true;
    }
  }
  return false;
}

/* 8-byte words of a member. */
static size_t words_of(const struct declared_member *member) {
  const size_t one = strcmp(member->type, "propriod_vec3") == 0   ? 3
                     : strcmp(member->type, "propriod_quat") == 0 ? 4
                                                                  : 1;
  const size_t count = strcmp(member->array, "PROPRIOD_MAX_JOINTS") == 0 ? PROPRIOD_MAX_JOINTS
                       : strcmp(member->array, "PROPRIOD_MAX_FEET") == 0 ? PROPRIOD_MAX_FEET
                                                                         : 1;
  ck_assert_msg(member->array[0] == '\0' || count > 1, "%s[%s]", member->name, member->array);
  return one * count;
}

static void expect_word(const msgpack_object *object, bool is_count, uint64_t word,
                        const char *key) {
  double real;
  memcpy(&real, &word, sizeof(real));
  ck_assert_int_eq(object->type,
                   is_count ? MSGPACK_OBJECT_POSITIVE_INTEGER : MSGPACK_OBJECT_FLOAT64);
  ck_assert_msg(is_count ? object->via.u64 == word : object->via.f64 == real, "%s is another", key);
}

/* `word`: of the member, the first of its value. */
static void expect_member(const msgpack_object *map, const struct declared_member *member,
                          const uint64_t *word, size_t n) {
  const msgpack_object *value = get(map, member->name);
  const bool is_count = strcmp(member->type, "uint64_t") == 0;
  const size_t elements = member->array[0] != '\0' ? n : words_of(member);
  if (elements == 1 && member->array[0] == '\0') {
    expect_word(value, is_count, word[0], member->name);
    return;
  }
  ck_assert_int_eq(value->type, MSGPACK_OBJECT_ARRAY);
  ck_assert_uint_eq(value->via.array.size, elements);
  for (size_t i = 0; i < elements; i++) {
    expect_word(&value->via.array.ptr[i], is_count, word[i], member->name);
  }
}

/* A message of `topic` whose every word is another number; the parts all estimated. */
static const msgpack_object *message_of(const struct plain *topic, uint64_t *word) {
  const struct stamp stamp = {.seq = 1, .t_ns = 1};
  for (size_t i = 0; i < topic->size / 8; i++) {
    const double value = 1.0 + 0x1p-20 * (double)i;
    memcpy(&word[i], &value, sizeof(value));
  }
  word[topic->table->estimated / 8] = UINT64_MAX;
  wire_init(&wire, bytes, sizeof(bytes));
  fields_encode(&wire, &stamp, topic->table, word, topic->n);
  return decode(&wire);
}

static void expect_all_members(const struct plain *topic) {
  static uint64_t word[sizeof(struct propriod_state) / 8];
  const struct declared declared = declared_in(topic->file, topic->name);
  const msgpack_object *map = message_of(topic, word);
  size_t at = 0, sent = 0;
  for (size_t i = 0; i < declared.count; i++) {
    const struct declared_member *member = &declared.member[i];
    if (!is_own(topic, member->name)) {
      expect_member(map, member, word + at, topic->n);
      sent++;
    }
    at += words_of(member);
  }
  ck_assert_uint_eq(8 * at, topic->size);
  ck_assert_uint_eq(map->via.map.size, STAMP_KEYS + sent + 1);
  ck_assert_uint_eq(get(map, "not_estimated")->via.array.size, 0);
}

START_TEST(every_declared_member_is_sent_under_its_name_and_nothing_else_is) {
  expect_all_members(&plain[0]);
  expect_all_members(&plain[1]);
}
END_TEST

/* Description of `topic` in `meta`; valid until the next call. */
static const msgpack_object *described(const char *topic) {
  const struct robot robot = synthetic_robot();
  wire_init(&wire, bytes, sizeof(bytes));
  wire_map(&wire, meta_pairs);
  encode_meta_body(&wire, &robot, 0.001);
  return get(get(decode(&wire), "topics"), topic);
}

static const char *const words[] = {"m",     "m/s",    "m/s^2",     "rad", "rad/s", "rad/s^2",
                                    "kg",    "kg m^2", "kg m^2/s",  "N",   "N m",   "N s",
                                    "world", "link",   "base_link", NULL};

static void copy_text(char copy[64], const msgpack_object *text) {
  snprintf(copy, 64, "%.*s", (int)text->via.str.size, text->via.str.ptr);
}

static void expect_units(const struct plain *topic) {
  const struct declared declared = declared_in(topic->file, topic->name);
  const msgpack_object *rows = described(topic->table->name);
  for (size_t i = 0; i < declared.count; i++) {
    const struct declared_member *member = &declared.member[i];
    if (!is_own(topic, member->name)) {
      char unit[64], frame[64];
      copy_text(unit, get(get(rows, member->name), "unit"));
      copy_text(frame, get(get(rows, member->name), "frame"));
      ck_assert_msg(declared_says(member, unit, frame, words),
                    "%s: row says unit '%s', frame '%s', %s says '%s'", member->name, unit, frame,
                    topic->file, member->comment);
    }
  }
}

START_TEST(unit_and_frame_are_those_of_the_members_comment) {
  expect_units(&plain[0]);
  expect_units(&plain[1]);
}
END_TEST

/* How surely the comment of a bit's define names the member: 2 by its name, 1 by `x_*`. A bit
 * without a comment governs the member of its own name. */
static int governs(const char *line, const char *member) {
  char lower[64] = "", list[256];
  const char *comment = strstr(line, "/*"), *end = strstr(line, "\n#define");
  if (comment == NULL || (end != NULL && comment > end)) {
    for (size_t i = 0; line[i] != ' ' && i < sizeof(lower) - 1; i++) {
      lower[i] = (char)tolower((unsigned char)line[i]);
    }
    return strcmp(lower, member) == 0 ? 2 : 0;
  }
  int surely = 0;
  snprintf(list, sizeof(list), "%.*s", (int)strcspn(comment + 2, ":/"), comment + 2);
  for (char *rest, *name = strtok_r(list, " ,*", &rest); name != NULL;
       name = strtok_r(NULL, " ,*", &rest)) {
    const size_t n = strlen(name);
    const bool begins = name[n - 1] == '_' && strncmp(name, member, n) == 0;
    surely = strcmp(name, member) == 0 ? 2 : begins && surely == 0 ? 1 : surely;
  }
  return surely;
}

/* The define of a bit, behind the prefix. */
static const char *define_of(const char *text, const char *prefix, unsigned bit) {
  char value[24];
  snprintf(value, sizeof(value), "(1u << %u)", bit);
  for (const char *at = strstr(text, prefix); at != NULL; at = strstr(at + 1, prefix)) {
    const char *behind = at + strlen(prefix);
    if (strncmp(behind + strcspn(behind, "(#"), value, strlen(value)) == 0) {
      return behind;
    }
  }
  ck_abort_msg("%s has no bit %u", prefix, bit);
  return NULL;
}

/* The bit that a member belongs to, by the comments; -1: none. */
static int bit_of(const char *text, const char *prefix, unsigned bits, const char *member) {
  int best = -1, surely = 0;
  for (unsigned bit = 0; bit < bits; bit++) {
    const int by = governs(define_of(text, prefix, bit), member);
    best = by > surely ? (int)bit : best;
    surely = by > surely ? by : surely;
  }
  return best;
}

static void expect_parts(const struct plain *topic, const char *prefix, unsigned bits) {
  static uint64_t word[sizeof(struct propriod_state) / 8];
  static char text[32 * 1024];
  const struct stamp stamp = {.seq = 1, .t_ns = 1};
  FILE *file = fopen(topic->file, "r");
  ck_assert_ptr_nonnull(file);
  text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
  fclose(file);
  for (unsigned bit = 0; bit < bits; bit++) {
    message_of(topic, word);
    word[topic->table->estimated / 8] = ~(1ull << bit);
    fields_encode(&wire, &stamp, topic->table, word, topic->n);
    const msgpack_object *map = decode(&wire);
    size_t governed = 0;
    for (struct field_place at = {0}; field_next(topic->table, &at);) {
      const bool missing = find(map, at.field->key) == NULL;
      ck_assert_msg(missing == (bit_of(text, prefix, bits, at.field->key) == (int)bit),
                    "%s and bit %u", at.field->key, bit);
      governed += missing;
    }
    ck_assert_uint_gt(governed, 0);
    ck_assert_uint_eq(get(map, "not_estimated")->via.array.size, governed);
  }
}

START_TEST(a_part_that_is_not_estimated_takes_the_members_with_it_that_its_comment_names) {
  expect_parts(&plain[0], "#define PROPRIOD_STATE_", 14);
  expect_parts(&plain[1], "#define PROPRIOD_CENTROIDAL_", 17);
}
END_TEST

/* -- counters --------------------------------------------------------------------------------- */

/* A struct of nothing but counters, and the table that publishes it as a map. */
struct counted {
  const struct field_rows *rows;
  const char *file, *name;
  size_t size;
};
static const struct counted counted[] = {
    {&joint_counter_fields, "estimators/joints/joint_filter.h", "joint_filter_counters",
     sizeof(struct joint_filter_counters)},
    {&reading_fields, "estimators/robot/reading_check.h", "reading_counters",
     sizeof(struct reading_counters)},
    {&inertial_counter_fields, "estimators/inertial/inertial_filter.h", "inertial_counters",
     sizeof(struct inertial_counters)},
    {&publish_fields, "daemon/publish/publisher.h", "publish_counters",
     sizeof(struct publish_counters)},
};

static void expect_counters(const struct counted *counters) {
  uint64_t count[64];
  const struct declared declared = declared_in(counters->file, counters->name);
  const struct field_table table = {.name = "counters", .group = {{counters->rows, 0}}};
  const struct stamp stamp = {.seq = 1, .t_ns = 1};
  ck_assert_uint_eq(declared.count * sizeof(count[0]), counters->size);
  for (size_t i = 0; i < declared.count; i++) {
    count[i] = 1000 + i;
  }
  wire_init(&wire, bytes, sizeof(bytes));
  fields_encode(&wire, &stamp, &table, count, 0);
  const msgpack_object *map = decode(&wire);
  ck_assert_uint_eq(map->via.map.size, STAMP_KEYS + declared.count);
  for (size_t i = 0; i < declared.count; i++) {
    ck_assert_str_eq(declared.member[i].type, "uint64_t");
    ck_assert_uint_eq(get(map, declared.member[i].name)->via.u64, 1000 + i);
  }
  for (struct field_place at = {0}; field_next(&table, &at);) {
    ck_assert_str_eq(at.field->unit, "");
    ck_assert_str_eq(at.field->frame, "");
  }
}

START_TEST(every_counter_is_sent_under_its_name_and_nothing_else_is) {
  for (size_t i = 0; i < sizeof(counted) / sizeof(counted[0]); i++) {
    expect_counters(&counted[i]);
  }
}
END_TEST

/* -- what the cycle counts -------------------------------------------------------------------- */

/* The struct counters among the members, in their order, which is that of their places. */
static size_t counters_among(const struct declared *declared, const char *name[DECLARED_MOST]) {
  size_t n = 0;
  for (size_t i = 0; i < declared->count; i++) {
    if (strcmp(declared->member[i].type, "struct counter") == 0) {
      name[n++] = declared->member[i].name;
    }
  }
  return n;
}

static struct diagnostics diagnostics;

static const msgpack_object *diag_message(void) {
  const struct diag_content content = {.diagnostics = &diagnostics, .start_ns = 1};
  const struct stamp stamp = {.seq = 1, .t_ns = 2000000000};
  wire_init(&wire, bytes, sizeof(bytes));
  encode_diag(&wire, &content, &stamp);
  return decode(&wire);
}

START_TEST(diag_has_every_counter_of_the_cycle_and_of_each_stream_under_its_name) {
  const char *cycle[DECLARED_MOST], *stream[DECLARED_MOST];
  const struct declared of_cycle = declared_in("daemon/common/diagnostics.h", "diagnostics"),
                        of_stream =
                            declared_in("daemon/common/diagnostics.h", "stream_diagnostics");
  const size_t n_cycle = counters_among(&of_cycle, cycle),
               n_stream = counters_among(&of_stream, stream);
  struct counter *first = &diagnostics.cycles; /* counters stand behind each other */
  ck_assert_uint_ge(n_cycle, 9);
  ck_assert_uint_ge(n_stream, 10);
  for (size_t i = 0; i < n_cycle; i++) {
    counter_add(first + i, 100 + i);
  }
  for (unsigned k = 0; k < PROPRIOD_SHM_STREAMS; k++) {
    for (size_t i = 0; i < n_stream; i++) {
      counter_add(&diagnostics.stream[k].frames + i, 1000 * (k + 1) + i);
    }
    atomic_store(&diagnostics.stream[k].t_ns, 1500000000);
    atomic_store(&diagnostics.stream[k].present, k % 2 == 0);
    atomic_store(&diagnostics.stream[k].jitter_ns, 250000 * (k + 1));
  }
  const msgpack_object *map = diag_message();
  const msgpack_object *got = get(map, "cycle"), *streams = get(map, "streams");
  ck_assert_uint_eq(got->via.map.size, n_cycle + 4); /* and histograms */
  for (size_t i = 0; i < n_cycle; i++) {
    ck_assert_uint_eq(get(got, cycle[i])->via.u64, 100 + i);
  }
  ck_assert_uint_eq(streams->via.map.size, PROPRIOD_SHM_STREAMS);
  for (unsigned k = 0; k < PROPRIOD_SHM_STREAMS; k++) {
    const msgpack_object *one = get(streams, propriod_shm_name(k));
    ck_assert_uint_eq(one->via.map.size, n_stream + 4);
    for (size_t i = 0; i < n_stream; i++) {
      ck_assert_uint_eq(get(one, stream[i])->via.u64, 1000 * (k + 1) + i);
    }
    ck_assert(get(one, "seen")->via.boolean);
    ck_assert_int_eq(get(one, "present")->via.boolean, k % 2 == 0);
    ck_assert(get(one, "age")->via.f64 == 0.5);
    assert_near(get(one, "jitter")->via.f64, 2.5e-4 * (k + 1), 1e-12);
  }
}
END_TEST

START_TEST(diag_tells_the_histograms_apart_and_a_silent_stream_has_no_age) {
  static const char *const name[] = {"wakeup", "input", "busy", "age"};
  struct histogram *const histogram[] = {&diagnostics.wakeup, &diagnostics.input, &diagnostics.busy,
                                         &diagnostics.age};
  for (size_t i = 0; i < 4; i++) {
    for (int k = 0; k < 98; k++) {
      histogram_add(histogram[i], 10 * ((int64_t)i + 1));
    }
    histogram_add(histogram[i], 1000 * ((int64_t)i + 1));
    histogram_add(histogram[i], 1000000 * ((int64_t)i + 1));
  }
  const msgpack_object *map = diag_message();
  for (size_t i = 0; i < 4; i++) {
    const msgpack_object *h = get(get(map, "cycle"), name[i]);
    const double unit = 1e-9 * (double)(i + 1);
    ck_assert_uint_eq(h->via.map.size, 5);
    ck_assert_uint_eq(get(h, "count")->via.u64, 100);
    assert_near(get(h, "p50")->via.f64, 10 * unit, 0.4 * unit);
    assert_near(get(h, "p99")->via.f64, 1000 * unit, 40 * unit);
    assert_near(get(h, "max")->via.f64, 1e6 * unit, 1e-15);
    assert_near(get(h, "mean")->via.f64, 10019.8 * unit, 1e-15);
  }
  const msgpack_object *joints = get(get(map, "streams"), "joints");
  ck_assert(!get(joints, "seen")->via.boolean);
  ck_assert_ptr_null(find(joints, "age"));
}
END_TEST

/* -- every table ------------------------------------------------------------------------------ */

static void expect_sound(const struct field_table *table) {
  for (struct field_place at = {0}; field_next(table, &at);) {
    for (struct field_place other = {0}; field_next(table, &other);) {
      if (at.field != other.field) {
        ck_assert_str_ne(at.field->key, other.field->key);
      }
    }
    ck_assert_msg(at.field->unit != NULL && at.field->frame != NULL, "%s", at.field->key);
    if (at.field->map != NULL) {
      expect_sound(at.field->map);
    }
  }
}

START_TEST(no_key_stands_twice_in_a_map) {
  for (size_t i = 0; topics[i] != NULL; i++) {
    expect_sound(topics[i]);
  }
}
END_TEST

SUITE(every_declared_member_is_sent_under_its_name_and_nothing_else_is,
      unit_and_frame_are_those_of_the_members_comment,
      a_part_that_is_not_estimated_takes_the_members_with_it_that_its_comment_names,
      every_counter_is_sent_under_its_name_and_nothing_else_is,
      diag_has_every_counter_of_the_cycle_and_of_each_stream_under_its_name,
      diag_tells_the_histograms_apart_and_a_silent_stream_has_no_age, no_key_stands_twice_in_a_map)
