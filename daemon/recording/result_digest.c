#include "recording/result_digest.h"

#include "publish/topics.h"

#include <assert.h>
#include <stdio.h>
#include <xxhash.h>

enum { STATE_SHIFT = 40, CENTROIDAL_SHIFT = 16 };
static const uint64_t part_mask = 0xffffff, inertia_mask = 0xffff;

static uint32_t size_of(enum field_kind kind) {
  switch (kind) {
  case FIELD_REAL:
  case FIELD_COUNT:
    return 8;
  case FIELD_VEC3:
    return sizeof(propriod_vec3);
  case FIELD_QUAT:
    return sizeof(propriod_quat);
  default:
    return 0;
  }
}

static size_t plan_rows(const struct field_table *table, struct digest_row *rows) {
  size_t n = 0;
  struct field_place place = {NULL, 0, 0, 0};
  while (field_next(table, &place)) {
    const uint32_t size = size_of(place.field->kind);
    assert(n < RESULT_DIGEST_ROWS && size > 0);
    rows[n++] = (struct digest_row){.offset = (uint32_t)place.offset,
                                    .size = size,
                                    .per_joint = place.field->per == FIELD_JOINT,
                                    .per_foot = place.field->per == FIELD_FOOT,
                                    .part = place.field->part};
  }
  return n;
}

void digest_plan_init(struct digest_plan *plan) {
  plan->n_state = plan_rows(&state_topic, plan->state);
  plan->n_centroidal = plan_rows(&centroidal_topic, plan->centroidal);
}

/* Adds the rows that are published. */
static uint64_t sum_rows(const struct digest_row *rows, size_t n_rows, const void *source,
                         uint64_t estimated, size_t n, uint64_t sum) {
  for (size_t i = 0; i < n_rows; i++) {
    const struct digest_row *row = &rows[i];
    if (row->part != 0 && (estimated & row->part) == 0) {
      continue;
    }
    const size_t size = row->per_joint || row->per_foot ? n * row->size : row->size;
    sum = XXH3_64bits_withSeed((const char *)source + row->offset, size, sum);
  }
  return sum;
}

static uint64_t sum_inertia(const struct inertia_estimate *inertia) {
  const struct inertial_result *result = &inertia->result;
  if (result->n_links == 0) {
    return 0;
  }
  const uint64_t words[] = {(uint64_t)inertia->t_ns,       (uint64_t)inertia->status,
                            (uint64_t)result->state,       (uint64_t)result->source,
                            (uint64_t)result->missing,     result->snapshot,
                            (uint64_t)inertia->misaligned, (uint64_t)inertia->result.calibrated};
  const double numbers[] = {result->nis, result->detector, result->gain, result->delay.s,
                            result->torque_delay.s};
  uint64_t sum = XXH3_64bits(words, sizeof(words));
  sum = XXH3_64bits_withSeed(numbers, sizeof(numbers), sum);
  return XXH3_64bits_withSeed(result->link, result->n_links * sizeof(result->link[0]), sum);
}

uint64_t result_digest(const struct digest_plan *plan, const struct estimates *estimates) {
  const struct propriod_state *s = &estimates->state;
  const struct propriod_centroidal *c = &estimates->centroidal;
  const uint64_t state[] = {(uint64_t)s->t_ns, s->status, s->estimated, s->n_joints};
  const uint64_t centroidal[] = {(uint64_t)c->t_ns, c->status, c->estimated, c->n_feet};
  const uint64_t of_state = sum_rows(plan->state, plan->n_state, s, s->estimated, s->n_joints,
                                     XXH3_64bits(state, sizeof(state)));
  const uint64_t of_centroidal = sum_rows(plan->centroidal, plan->n_centroidal, c, c->estimated,
                                          c->n_feet, XXH3_64bits(centroidal, sizeof(centroidal)));
  return (of_state & part_mask) << STATE_SHIFT | (of_centroidal & part_mask) << CENTROIDAL_SHIFT |
         (sum_inertia(&estimates->inertia) & inertia_mask);
}

void digest_difference(uint64_t a, uint64_t b, char text[40]) {
  const uint64_t differ = a ^ b;
  snprintf(text, 40, "%s%s%s", differ >> STATE_SHIFT != 0 ? " state" : "",
           (differ >> CENTROIDAL_SHIFT & part_mask) != 0 ? " centroidal" : "",
           (differ & inertia_mask) != 0 ? " inertia" : "");
}
