#include "cycle/world_origin.h"

#include <math.h>
#include <stddef.h>

#define IN_STATE(member)      offsetof(struct propriod_state, member)
#define IN_CENTROIDAL(member) offsetof(struct propriod_centroidal, member)
#define COUNT_OF(list)        (sizeof(list) / sizeof((list)[0]))

/* Vectors of the world, by what becomes of them: points are turned and moved, directions turned. */
static const size_t state_points[] = {IN_STATE(base_position)};
static const size_t state_directions[] = {IN_STATE(base_velocity)};
static const size_t state_deviations[] = {IN_STATE(base_position_sd), IN_STATE(base_velocity_sd)};

static const size_t points[] = {
    IN_CENTROIDAL(com_position),  IN_CENTROIDAL(cop_position),  IN_CENTROIDAL(dcm_position),
    IN_CENTROIDAL(capture_point), IN_CENTROIDAL(five_mass_com),
};
static const size_t directions[] = {
    IN_CENTROIDAL(com_velocity),
    IN_CENTROIDAL(com_acceleration),
    IN_CENTROIDAL(angular_momentum),
    IN_CENTROIDAL(angular_momentum_rate),
    IN_CENTROIDAL(com_from_support),
    IN_CENTROIDAL(contact_force),
    IN_CENTROIDAL(cop_disagreement),
    IN_CENTROIDAL(push_force),
    IN_CENTROIDAL(push_impulse),
    IN_CENTROIDAL(five_mass_acceleration),
    IN_CENTROIDAL(five_mass_angular_momentum),
};
static const size_t deviations[] = {
    IN_CENTROIDAL(cop_sd),
    IN_CENTROIDAL(com_position_sd),
    IN_CENTROIDAL(com_velocity_sd),
    IN_CENTROIDAL(com_acceleration_sd),
    IN_CENTROIDAL(angular_momentum_sd),
    IN_CENTROIDAL(angular_momentum_rate_sd),
    IN_CENTROIDAL(dcm_sd),
    IN_CENTROIDAL(contact_force_sd),
    IN_CENTROIDAL(push_force_sd),
};

static quat about_z(double yaw) {
  return quat_from_rotation_vector((vec3){0.0, 0.0, yaw});
}

enum status world_origin_find(const struct world_order *order, const struct propriod_state *now,
                              struct world_origin *origin) {
  if (order->own) {
    *origin = (struct world_origin){0.0, 0.0, 0.0};
    return STATUS_OK;
  }
  if ((now->estimated & PROPRIOD_STATE_BASE_ATTITUDE) == 0) {
    return STATUS_REFUSED;
  }
  const mat3 R_WB = mat3_from_quat(now->quat_xyzw);
  struct world_origin found = {0.0, 0.0, remainder(order->yaw - mat3_to_rpy(&R_WB).z, 2.0 * M_PI)};
  if ((now->estimated & PROPRIOD_STATE_BASE_POSITION) != 0) {
    const double c = cos(found.yaw), s = sin(found.yaw);
    found.x = order->x - (c * now->base_position.x - s * now->base_position.y);
    found.y = order->y - (s * now->base_position.x + c * now->base_position.y);
  }
  *origin = found;
  return STATUS_OK;
}

bool world_origin_is_set(const struct world_origin *origin) {
  return origin->x != 0.0 || origin->y != 0.0 || origin->yaw != 0.0;
}

static vec3 turned(double c, double s, vec3 v) {
  return (vec3){c * v.x - s * v.y, s * v.x + c * v.y, v.z};
}

/* Turns the vectors of `of` at `place` and moves them by `by`. */
static void turn_all(void *of, const size_t *place, size_t count, double yaw, vec3 by) {
  const double c = cos(yaw), s = sin(yaw);
  for (size_t i = 0; i < count; i++) {
    vec3 *v = (vec3 *)((char *)of + place[i]);
    *v = vec3_add(turned(c, s, *v), by);
  }
}

/* |c a - s b| is largest where the errors along x and y go fully together. */
static void bound_all(void *of, const size_t *place, size_t count, double yaw) {
  const double c = fabs(cos(yaw)), s = fabs(sin(yaw));
  for (size_t i = 0; i < count; i++) {
    vec3 *sd = (vec3 *)((char *)of + place[i]);
    *sd = (vec3){c * sd->x + s * sd->y, s * sd->x + c * sd->y, sd->z};
  }
}

void world_origin_place(const struct world_origin *origin, struct propriod_state *state,
                        struct propriod_centroidal *centroidal) {
  const double yaw = origin->yaw;
  const vec3 step = {origin->x, origin->y, 0.0};
  turn_all(state, state_points, COUNT_OF(state_points), yaw, step);
  turn_all(state, state_directions, COUNT_OF(state_directions), yaw, VEC3_ZERO);
  bound_all(state, state_deviations, COUNT_OF(state_deviations), yaw);
  state->quat_xyzw = quat_mul(about_z(yaw), state->quat_xyzw);
  turn_all(centroidal, points, COUNT_OF(points), yaw, step);
  turn_all(centroidal, directions, COUNT_OF(directions), yaw, VEC3_ZERO);
  bound_all(centroidal, deviations, COUNT_OF(deviations), yaw);
  centroidal->inertia_orientation = quat_mul(about_z(yaw), centroidal->inertia_orientation);
  centroidal->inertia_angles.z += yaw;
}

const struct estimates *world_origin_show(const struct world_origin *origin,
                                          const struct estimates *own, struct estimates *room) {
  if (!world_origin_is_set(origin)) {
    return own;
  }
  room->state = own->state;
  room->centroidal = own->centroidal;
  world_origin_place(origin, &room->state, &room->centroidal);
  return room;
}
