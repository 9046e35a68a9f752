#include "support/recorded_fixture.h"

#include "support/suite.h"
#include "support/synthetic.h"

#include <math.h>
#include <string.h>

struct recording_header made_header(void) {
  return (struct recording_header){
      .count = {FIXTURE_JOINTS, 1 + FIXTURE_LIMBS, FIXTURE_CELLS, FIXTURE_WRENCHES},
      .model_hash = 0x1234567890abcdefu,
      .session = 42,
      .wall_ns = 1700000000000000000,
  };
}

void made_begin(struct made_cycle *made) {
  memset(made, 0, sizeof(*made));
  struct sensor_frame *frame = &made->cycle.frame;
  memset(made->q, 0xff, sizeof(made->q));
  memset(&frame->imu.specific_force, 0xff, sizeof(vec3));
  memset(made->limb, 0xff, sizeof(made->limb));
  frame->imu.n_limbs = FIXTURE_LIMBS;
  frame->imu.limb = made->limb;
  frame->joints.q = made->q;
  frame->skin.n_cells = FIXTURE_CELLS;
  frame->skin.acceleration = made->acceleration;
  frame->skin.flags = made->flags;
  frame->wrench.n_sensors = FIXTURE_WRENCHES;
  frame->wrench.wrench = made->wrench;
  made->cycle.chosen = made->chosen;
  made->cycle.result = &made->result;
}

/* A number of cycle k and place i that changes as a sensor's does. */
static double number(uint64_t k, size_t i) {
  return sin(0.001 * (double)k + (double)i) + 1e-4 * (double)((k * 7919 + i * 104729) % 1000);
}

static void fill_streams(struct made_cycle *made, uint64_t k) {
  struct sensor_frame *frame = &made->cycle.frame;
  const bool optional = k / 300 % 2 == 1;
  for (size_t j = 0; frame->joints.stamp.fresh && j < FIXTURE_JOINTS; j++) {
    made->q[j] = number(k, j);
    made->dq[j] = number(k, j + 100);
    made->tau[j] = number(k, j + 200);
    frame->joints.tau = made->tau;
    frame->joints.dq = optional ? made->dq : NULL;
  }
  if (frame->imu.stamp.fresh) {
    frame->imu.specific_force = (vec3){number(k, 1), number(k, 2), (double)NAN};
    frame->imu.angular_rate = (vec3){number(k, 4), -0.0, number(k, 6)};
    frame->imu.has_orientation = optional;
    frame->imu.orientation = (quat){number(k, 7), number(k, 8), number(k, 9), number(k, 10)};
    for (size_t i = 0; i < FIXTURE_LIMBS; i++) {
      made->limb[i].specific_force = (vec3){number(k, i + 20), number(k, i + 30), (double)NAN};
      made->limb[i].angular_rate = (vec3){number(k, i + 40), number(k, i + 50), number(k, i)};
    }
  }
  for (size_t i = 0; frame->skin.stamp.fresh && i < FIXTURE_CELLS; i++) {
    for (size_t axis = 0; axis < 3; axis++) {
      made->acceleration[3 * i + axis] = (float)number(k, 3 * i + axis);
    }
    made->flags[i] = (uint8_t)(k + i);
    made->force[i] = (float)number(k, i + 300);
    frame->skin.force = made->force;
    frame->skin.proximity = optional ? made->proximity : NULL;
  }
  for (size_t w = 0; frame->wrench.stamp.fresh && w < FIXTURE_WRENCHES; w++) {
    made->wrench[w].lin = (vec3){number(k, w), number(k, w + 5), number(k, w + 6)};
  }
}

void made_step(struct made_cycle *made, uint64_t k) {
  static const uint64_t every[PROPRIOD_SHM_STREAMS] = {1, 2, 4, 3};
  struct recorded_cycle *cycle = &made->cycle;
  cycle->frame.t_ns = 5000000000 + (int64_t)k * 1000000;
  cycle->woken_ns = cycle->frame.t_ns + 70000;
  for (unsigned kind = 0; kind < PROPRIOD_SHM_STREAMS; kind++) {
    struct stream_stamp *stamp = recorded_stamp(&cycle->frame, kind);
    stamp->fresh = k % every[kind] == 0 && k % 97 != kind;
    stamp->present = stamp->fresh || (stamp->present && k % 500 != 0);
    if (stamp->fresh) {
      stamp->seq++;
      stamp->t_ns = cycle->frame.t_ns - 1000 * (int64_t)kind;
      cycle->arrival_ns[kind] = cycle->frame.t_ns + 30000;
    }
  }
  fill_streams(made, k);
  cycle->flags = CYCLE_HAS_DIGEST | (k % 50 == 0 ? CYCLE_CHOSE : 0) |
                 (k % 70 == 0 ? CYCLE_HAS_RESULT : 0) | (k == 400 ? CYCLE_SWAPPED : 0);
  cycle->generation = k < 400 ? 1 : 2;
  cycle->digest = k * 0x9e3779b97f4a7c15u;
  made->chosen[0] = cycle->digest;
  made->chosen[1] = k;
  if (k % 70 == 0) {
    synthetic_estimates(&made->result, k, cycle->frame.t_ns);
    made->result.state.n_joints = FIXTURE_JOINTS;
  }
}

static void assert_same_array(const void *a, const void *b, size_t size) {
  ck_assert_int_eq(a == NULL, b == NULL);
  if (a != NULL && b != NULL) {
    ck_assert_mem_eq(a, b, size);
  }
}

void assert_same_cycle(const struct recorded_cycle *a, const struct recorded_cycle *b) {
  const struct sensor_frame *f = &a->frame, *g = &b->frame;
  ck_assert_int_eq(f->t_ns, g->t_ns);
  ck_assert_int_eq(a->woken_ns, b->woken_ns);
  ck_assert_uint_eq(a->flags, b->flags);
  ck_assert_uint_eq(a->generation, b->generation);
  ck_assert_uint_eq(a->digest, b->digest);
  ck_assert_mem_eq(a->arrival_ns, b->arrival_ns, sizeof(a->arrival_ns));
  ck_assert_mem_eq(&f->joints.stamp, &g->joints.stamp, sizeof(f->joints.stamp));
  ck_assert_mem_eq(&f->imu.stamp, &g->imu.stamp, sizeof(f->imu.stamp));
  ck_assert_mem_eq(&f->skin.stamp, &g->skin.stamp, sizeof(f->skin.stamp));
  ck_assert_mem_eq(&f->wrench.stamp, &g->wrench.stamp, sizeof(f->wrench.stamp));
  assert_same_array(f->joints.q, g->joints.q, FIXTURE_JOINTS * 8);
  assert_same_array(f->joints.dq, g->joints.dq, FIXTURE_JOINTS * 8);
  assert_same_array(f->joints.tau, g->joints.tau, FIXTURE_JOINTS * 8);
  ck_assert_mem_eq(&f->imu.specific_force, &g->imu.specific_force, sizeof(vec3));
  ck_assert_uint_eq(g->imu.n_limbs, FIXTURE_LIMBS);
  assert_same_array(f->imu.limb, g->imu.limb, FIXTURE_LIMBS * sizeof(struct imu_triads));
  ck_assert_int_eq(f->imu.has_orientation, g->imu.has_orientation);
  assert_same_array(f->skin.acceleration, g->skin.acceleration, FIXTURE_CELLS * 12);
  assert_same_array(f->skin.flags, g->skin.flags, FIXTURE_CELLS);
  assert_same_array(f->skin.force, g->skin.force, FIXTURE_CELLS * 4);
  assert_same_array(f->skin.proximity, g->skin.proximity, FIXTURE_CELLS * 4);
  if (f->wrench.stamp.present) {
    ck_assert_mem_eq(f->wrench.wrench, g->wrench.wrench, sizeof(struct force) * FIXTURE_WRENCHES);
  }
  if ((a->flags & CYCLE_CHOSE) != 0) {
    ck_assert_mem_eq(a->chosen, b->chosen, 16);
  }
  if ((a->flags & CYCLE_HAS_RESULT) != 0) {
    ck_assert_mem_eq(&a->result->centroidal, &b->result->centroidal, sizeof(a->result->centroidal));
    ck_assert_mem_eq(a->result->state.ddq_sd, b->result->state.ddq_sd, FIXTURE_JOINTS * 8);
    ck_assert_mem_eq(&a->result->state, &b->result->state, PROPRIOD_STATE_HEAD_BYTES);
  }
}
