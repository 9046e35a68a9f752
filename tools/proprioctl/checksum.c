#include "checksum.h"

#include "cycle/estimator_report.h"
#include "publish/topics.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
  KEY_SIZE = 64,
  MOST_KEYS = 256,
  MESSAGE_BYTES = 1 << 20,
  REPORT_EVERY = 100 /* cycles between two reports of skin and counters, as in the daemon */
};

struct key_sum {
  char name[KEY_SIZE]; /* topic and key */
  uint64_t times, sum;
};

struct checksums {
  struct key_sum key[MOST_KEYS];
  size_t n_keys;
  struct wire wire;
  char message[MESSAGE_BYTES];
  struct diagnostics nothing; /* the daemon's own counters are not the estimators' */
  struct estimator_reports *reports;
  void *memory; /* of the reports */
};

static bool make_reports(struct checksums *c) {
  struct arena count = {0};
  estimator_reports_init(&c->reports, ROBOT_MAX_CELLS, REPORT_EVERY, &count);
  c->memory = aligned_alloc(ARENA_ALIGN, count.used);
  struct arena arena = arena_over(c->memory, c->memory != NULL ? count.used : 0);
  return c->memory != NULL &&
         estimator_reports_init(&c->reports, ROBOT_MAX_CELLS, REPORT_EVERY, &arena) == STATUS_OK;
}

struct checksums *checksums_new(void) {
  struct checksums *c = calloc(1, sizeof(*c));
  if (c != NULL && !make_reports(c)) {
    checksums_free(c);
    c = NULL;
  }
  if (c != NULL) {
    wire_init(&c->wire, c->message, sizeof(c->message));
  }
  return c;
}

/* FNV-1a. */
static uint64_t mix(uint64_t sum, const void *bytes, size_t count) {
  for (size_t i = 0; i < count; i++) {
    sum = (sum ^ ((const unsigned char *)bytes)[i]) * 0x100000001B3u;
  }
  return sum;
}

static struct key_sum *sum_of(struct checksums *c, const char *topic, const msgpack_object *key) {
  char name[KEY_SIZE];
  snprintf(name, sizeof(name), "%s %.*s", topic, (int)key->via.str.size, key->via.str.ptr);
  for (size_t i = 0; i < c->n_keys; i++) {
    if (strcmp(c->key[i].name, name) == 0) {
      return &c->key[i];
    }
  }
  if (c->n_keys == MOST_KEYS) {
    return NULL;
  }
  struct key_sum *made = &c->key[c->n_keys++];
  memcpy(made->name, name, sizeof(name));
  made->sum = 0xCBF29CE484222325u;
  return made;
}

/* Adds each pair of the map that has just been written. Values are summed up as they would be
 * written again, so that the order of keys has no part in it. */
static bool add_message(struct checksums *c, const char *topic) {
  msgpack_unpacked unpacked;
  msgpack_unpacked_init(&unpacked);
  bool added =
      !c->wire.overflow &&
      msgpack_unpack_next(&unpacked, c->message, c->wire.size, NULL) == MSGPACK_UNPACK_SUCCESS &&
      unpacked.data.type == MSGPACK_OBJECT_MAP;
  msgpack_sbuffer bytes;
  msgpack_sbuffer_init(&bytes);
  msgpack_packer packer;
  msgpack_packer_init(&packer, &bytes, msgpack_sbuffer_write);
  for (uint32_t i = 0; added && i < unpacked.data.via.map.size; i++) {
    const msgpack_object_kv *pair = &unpacked.data.via.map.ptr[i];
    struct key_sum *key = sum_of(c, topic, &pair->key);
    added = key != NULL;
    if (added) {
      msgpack_sbuffer_clear(&bytes);
      msgpack_pack_object(&packer, pair->val);
      key->sum = mix(key->sum, bytes.data, bytes.size);
      key->times++;
    }
  }
  msgpack_sbuffer_destroy(&bytes);
  msgpack_unpacked_destroy(&unpacked);
  return added;
}

/* The cells' health and the estimators' counters. */
static bool add_report(struct checksums *c, const struct estimator_report *report) {
  static const struct publish_counters no_counters;
  static const struct reload_report no_reload;
  const struct stamp stamp = {.seq = report->seq, .t_ns = report->t_ns};
  const struct diag_content content = {.diagnostics = &c->nothing,
                                       .publish = &no_counters,
                                       .reload = &no_reload,
                                       .estimators = &report->counters};
  encode_skin(&c->wire, report, report->seq, 0, PROPRIOD_STATUS_OK);
  if (!add_message(c, "skin")) {
    return false;
  }
  encode_diag(&c->wire, &content, &stamp);
  return add_message(c, "diag");
}

bool checksums_add(struct checksums *c, const struct pipeline *pipeline,
                   const struct estimates *estimates) {
  encode_state(&c->wire, &estimates->state, 0);
  bool added = add_message(c, "state");
  encode_centroidal(&c->wire, &estimates->centroidal, 0);
  added = added && add_message(c, "centroidal");
  encode_inertia(&c->wire, &estimates->inertia, estimates->inertia.seq, 0);
  added = added && add_message(c, "inertia");
  estimator_reports_write(c->reports, pipeline, estimates);
  const struct estimator_report *report = estimator_reports_take(c->reports);
  return added && (report == NULL || add_report(c, report));
}

void checksums_print(FILE *out, const struct checksums *c) {
  for (size_t i = 0; i < c->n_keys; i++) {
    fprintf(out, "%-40s %8" PRIu64 " %016" PRIx64 "\n", c->key[i].name, c->key[i].times,
            c->key[i].sum);
  }
}

void checksums_free(struct checksums *c) {
  if (c != NULL) {
    free(c->memory);
    free(c);
  }
}
