#include "cycle/world_keeper.h"

#include "math/spatial.h"
#include "publish/topics.h"
#include "support/suite.h"
#include "support/synthetic.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

static struct estimates own, room;

/* A robot somewhere, turned and tilted, every number of its own. */
static void somewhere(void) {
  synthetic_estimates(&own, 7, 1);
  const mat3 R_WB = mat3_from_rpy((vec3){0.1, -0.2, 0.7});
  own.state.quat_xyzw = quat_from_mat3(&R_WB);
}

static double heading(const struct propriod_state *state) {
  const mat3 R_WB = mat3_from_quat(state->quat_xyzw);
  return mat3_to_rpy(&R_WB).z;
}

static void place(double x, double y, double yaw) {
  const struct world_order order = {.x = x, .y = y, .yaw = yaw};
  struct world_origin origin;
  somewhere();
  ck_assert_int_eq(world_origin_find(&order, &own.state, &origin), STATUS_OK);
  ck_assert_ptr_eq(world_origin_show(&origin, &own, &room), &room);
}

START_TEST(the_base_stands_and_faces_where_it_was_told_and_its_height_stays) {
  place(2.5, -1.0, 3.0);
  assert_near(room.state.base_position.x, 2.5, 1e-12);
  assert_near(room.state.base_position.y, -1.0, 1e-12);
  assert_near(room.state.base_position.z, own.state.base_position.z, 1e-15);
  assert_near(heading(&room.state), 3.0, 1e-12);
}
END_TEST

START_TEST(seen_from_the_base_nothing_has_changed) {
  place(2.5, -1.0, -2.0);
  const mat3 R = mat3_from_quat(own.state.quat_xyzw), Q = mat3_from_quat(room.state.quat_xyzw);
  const vec3 com = vec3_sub(own.centroidal.com_position, own.state.base_position);
  const vec3 com_there = vec3_sub(room.centroidal.com_position, room.state.base_position);
  const vec3 of[][2] = {
      {mat3_tmul_vec3(&R, com), mat3_tmul_vec3(&Q, com_there)},
      {mat3_tmul_vec3(&R, own.state.base_velocity), mat3_tmul_vec3(&Q, room.state.base_velocity)},
      {mat3_tmul_vec3(&R, own.centroidal.contact_force),
       mat3_tmul_vec3(&Q, room.centroidal.contact_force)},
  };
  for (size_t i = 0; i < sizeof(of) / sizeof(of[0]); i++) {
    assert_near(vec3_norm(vec3_sub(of[i][0], of[i][1])), 0.0, 1e-9);
  }
}
END_TEST

/* A row that is added and forgotten here would stay behind in the other world. */
START_TEST(every_vector_of_the_world_is_turned_and_nothing_else_is_touched) {
  static const struct field_table *const tables[] = {&state_topic, &centroidal_topic};
  int turned = 0;
  place(2.5, -1.0, 2.0);
  for (size_t t = 0; t < 2; t++) {
    const char *before = t == 0 ? (const char *)&own.state : (const char *)&own.centroidal;
    const char *after = t == 0 ? (const char *)&room.state : (const char *)&room.centroidal;
    for (struct field_place at = {0}; field_next(tables[t], &at);) {
      const struct field *field = at.field;
      const bool quat_ = field->kind == FIELD_QUAT;
      if ((!quat_ && field->kind != FIELD_VEC3) || field->per != FIELD_ONCE) {
        continue;
      }
      const size_t bytes = (quat_ ? 4 : 3) * sizeof(double);
      const bool of_world = strcmp(field->frame, "world") == 0 &&
                            strcmp(field->key, "inertia_rate") != 0 && /* rates of angles */
                            strcmp(field->key, "inertia_acceleration") != 0;
      ck_assert_msg((memcmp(before + at.offset, after + at.offset, bytes) != 0) == of_world, "%s",
                    field->key);
      turned += of_world;
    }
  }
  ck_assert_int_ge(turned, 30);
}
END_TEST

START_TEST(deviations_are_no_smaller_than_errors_that_go_together) {
  const double correlation[] = {-1.0, -0.5, 0.0, 0.5, 1.0};
  place(0.0, 0.0, 2.0);
  const vec3 sd = own.state.base_position_sd, there = room.state.base_position_sd;
  const double yaw = 2.0 - heading(&own.state), c = cos(yaw), s = sin(yaw);
  for (size_t i = 0; i < 5; i++) {
    const double joint = 2.0 * c * s * correlation[i] * sd.x * sd.y;
    ck_assert_double_le(sqrt(c * c * sd.x * sd.x + s * s * sd.y * sd.y - joint), there.x + 1e-12);
    ck_assert_double_le(sqrt(s * s * sd.x * sd.x + c * c * sd.y * sd.y + joint), there.y + 1e-12);
  }
  ck_assert_double_le(there.x, 1.4143 * fmax(sd.x, sd.y));
}
END_TEST

START_TEST(without_attitude_nothing_is_placed_and_without_position_the_heading_alone) {
  const struct world_order order = {.x = 2.5, .y = -1.0, .yaw = 1.0};
  struct world_origin origin = {1.0, 2.0, 3.0};
  somewhere();
  own.state.estimated &= ~(uint64_t)PROPRIOD_STATE_BASE_POSITION;
  ck_assert_int_eq(world_origin_find(&order, &own.state, &origin), STATUS_OK);
  ck_assert(origin.x == 0.0 && origin.y == 0.0);
  assert_near(origin.yaw, 0.3, 1e-12);
  own.state.estimated &= ~(uint64_t)PROPRIOD_STATE_BASE_ATTITUDE;
  ck_assert_int_eq(world_origin_find(&order, &own.state, &origin), STATUS_REFUSED);
  assert_near(origin.yaw, 0.3, 1e-12);
}
END_TEST

START_TEST(the_own_world_is_shown_as_it_is) {
  const struct world_order order = {.own = true, .x = 5.0};
  struct world_origin origin = {1.0, 2.0, 3.0};
  somewhere();
  ck_assert_int_eq(world_origin_find(&order, &own.state, &origin), STATUS_OK);
  ck_assert(!world_origin_is_set(&origin));
  ck_assert_ptr_eq(world_origin_show(&origin, &own, &room), &own);
}
END_TEST

struct cycles {
  struct world_keeper keeper;
  atomic_bool stop;
};

static void *turn(void *argument) {
  struct cycles *cycles = argument;
  while (!atomic_load(&cycles->stop)) {
    world_keeper_step(&cycles->keeper, &own.state, 3);
  }
  return NULL;
}

START_TEST(an_order_is_carried_out_by_the_next_cycle_and_given_up_when_the_base_begins_anew) {
  static struct cycles cycles;
  const struct world_order order = {.x = 1.0, .y = 2.0, .yaw = 0.7};
  struct world_origin placed;
  pthread_t thread;
  somewhere();
  ck_assert_int_eq(pthread_create(&thread, NULL, turn, &cycles), 0);
  ck_assert_int_eq(world_keeper_order(&cycles.keeper, &order, 20000000000, &placed), STATUS_OK);
  atomic_store(&cycles.stop, true);
  pthread_join(thread, NULL);
  assert_near(placed.x, 1.0 - own.state.base_position.x, 1e-9);
  const struct world_origin kept = world_keeper_step(&cycles.keeper, &own.state, 3);
  ck_assert_mem_eq(&kept, &placed, sizeof(kept));
  ck_assert_uint_eq(world_keeper_lost(&cycles.keeper), 0);
  const struct world_origin anew = world_keeper_step(&cycles.keeper, &own.state, 4);
  ck_assert(!world_origin_is_set(&anew));
  ck_assert_uint_eq(world_keeper_lost(&cycles.keeper), 1);
}
END_TEST

START_TEST(an_order_that_no_cycle_takes_is_taken_back) {
  static struct world_keeper keeper;
  const struct world_order order = {.x = 1.0};
  struct world_origin placed;
  somewhere();
  ck_assert_int_eq(world_keeper_order(&keeper, &order, 1000000, &placed), STATUS_STALE);
  const struct world_origin later = world_keeper_step(&keeper, &own.state, 0);
  ck_assert(!world_origin_is_set(&later));
}
END_TEST

SUITE(the_base_stands_and_faces_where_it_was_told_and_its_height_stays,
      seen_from_the_base_nothing_has_changed,
      every_vector_of_the_world_is_turned_and_nothing_else_is_touched,
      deviations_are_no_smaller_than_errors_that_go_together,
      without_attitude_nothing_is_placed_and_without_position_the_heading_alone,
      the_own_world_is_shown_as_it_is,
      an_order_is_carried_out_by_the_next_cycle_and_given_up_when_the_base_begins_anew,
      an_order_that_no_cycle_takes_is_taken_back)
