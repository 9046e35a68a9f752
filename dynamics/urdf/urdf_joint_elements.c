#include "urdf/urdf_joint_elements.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct urdf_range any_factor = {-URDF_MAX_FACTOR, URDF_MAX_FACTOR, ""};
static const struct urdf_range from_zero = {0.0, URDF_MAX_FACTOR, ""};

enum status urdf_joint_type_of(const struct urdf_cursor *cursor, enum urdf_joint_type *type) {
  static const char *const names[] = {
      [URDF_REVOLUTE] = "revolute",   [URDF_CONTINUOUS] = "continuous",
      [URDF_PRISMATIC] = "prismatic", [URDF_FIXED] = "fixed",
      [URDF_FLOATING] = "floating",   [URDF_PLANAR] = "planar"};
  const char *text = xml_attribute(cursor->element, "type");
  if (text == NULL) {
    return urdf_refuse(cursor, STATUS_BAD_ARGUMENT, "type is missing");
  }
  for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
    if (strcmp(text, names[i]) == 0) {
      *type = (enum urdf_joint_type)i;
      return STATUS_OK;
    }
  }
  return urdf_refuse(cursor, STATUS_BAD_ARGUMENT,
                     "type '%.40s' is none of revolute, continuous, prismatic, fixed, floating, "
                     "planar",
                     text);
}

enum status urdf_joint_origin(struct urdf_joint *joint, const struct urdf_cursor *cursor,
                              struct urdf_notes *notes) {
  (void)notes;
  return urdf_pose(cursor, &joint->origin);
}

enum status urdf_joint_parent(struct urdf_joint *joint, const struct urdf_cursor *cursor,
                              struct urdf_notes *notes) {
  (void)notes;
  return urdf_name(cursor, "link", joint->parent);
}

enum status urdf_joint_child(struct urdf_joint *joint, const struct urdf_cursor *cursor,
                             struct urdf_notes *notes) {
  (void)notes;
  return urdf_name(cursor, "link", joint->child);
}

enum status urdf_joint_axis(struct urdf_joint *joint, const struct urdf_cursor *cursor,
                            struct urdf_notes *notes) {
  (void)notes;
  enum { LEAST = 1000000 }; /* an axis shorter than 1e-6 is a zero that was rounded */
  vec3 axis = joint->axis;
  const enum status status = urdf_vector(cursor, "xyz", any_factor, &axis);
  if (status != STATUS_OK) {
    return status;
  }
  const double length = vec3_norm(axis);
  if (length * LEAST < 1.0 && urdf_joint_moves(joint->type)) {
    return urdf_refuse(cursor, STATUS_BAD_ARGUMENT,
                       "xyz: (%g %g %g) has length %g, an axis needs at least 1e-06", axis.x,
                       axis.y, axis.z, length);
  }
  joint->axis = length * LEAST < 1.0 ? joint->axis : vec3_scale(1.0 / length, axis);
  return STATUS_OK;
}

/* A bound of <limit>; one that is infinite, or negative where none is 0, becomes `none`. */
static enum status read_bound(struct urdf_joint *joint, const struct urdf_cursor *cursor,
                              struct urdf_notes *notes, const char *attribute, double none,
                              double *value) {
  const struct urdf_range any = {-HUGE_VAL, HUGE_VAL, ""};
  const char *text = xml_attribute(cursor->element, attribute);
  const bool infinite = text != NULL && isinf(strtod(text, NULL));
  const enum status status = infinite ? STATUS_OK : urdf_number(cursor, attribute, any, value);
  if (infinite || (status == STATUS_OK && none == 0.0 && *value < 0.0)) {
    urdf_note(notes, &cursor->element->place, "joint '%s': <limit>: %s: '%.20s': no limit is taken",
              joint->name, attribute, text);
    *value = none;
  }
  return status;
}

enum status urdf_joint_limit(struct urdf_joint *joint, const struct urdf_cursor *cursor,
                             struct urdf_notes *notes) {
  enum status status = read_bound(joint, cursor, notes, "lower", -HUGE_VAL, &joint->lower);
  if (status == STATUS_OK) {
    status = read_bound(joint, cursor, notes, "upper", HUGE_VAL, &joint->upper);
  }
  if (status == STATUS_OK) {
    status = read_bound(joint, cursor, notes, "velocity", 0.0, &joint->velocity);
  }
  if (status == STATUS_OK) {
    status = read_bound(joint, cursor, notes, "effort", 0.0, &joint->effort);
  }
  if (status == STATUS_OK && joint->lower > joint->upper) {
    urdf_note(notes, &cursor->element->place,
              "joint '%s': <limit>: lower: %g is above upper, %g: no limit is taken", joint->name,
              joint->lower, joint->upper);
    joint->lower = joint->upper = 0.0;
  }
  return status;
}

/* A coefficient of friction; one that would drive the joint is none. */
static enum status read_friction(struct urdf_joint *joint, const struct urdf_cursor *cursor,
                                 struct urdf_notes *notes, const char *attribute, double *value) {
  const enum status status = urdf_number(cursor, attribute, any_factor, value);
  if (status == STATUS_OK && *value < 0.0) {
    urdf_note(notes, &cursor->element->place,
              "joint '%s': <dynamics>: %s: %g is negative: 0 is taken", joint->name, attribute,
              *value);
    *value = 0.0;
  }
  return status;
}

enum status urdf_joint_dynamics(struct urdf_joint *joint, const struct urdf_cursor *cursor,
                                struct urdf_notes *notes) {
  joint->has_dynamics = true;
  joint->dynamics_place = cursor->element->place;
  const enum status status = read_friction(joint, cursor, notes, "damping", &joint->damping);
  return status == STATUS_OK ? read_friction(joint, cursor, notes, "friction", &joint->friction)
                             : status;
}

enum status urdf_joint_mimic(struct urdf_joint *joint, const struct urdf_cursor *cursor,
                             struct urdf_notes *notes) {
  (void)notes;
  joint->has_mimic = true;
  joint->mimic_place = cursor->element->place;
  enum status status = urdf_name(cursor, "joint", joint->mimic);
  if (status == STATUS_OK) {
    status = urdf_number(cursor, "multiplier", any_factor, &joint->multiplier);
  }
  if (status == STATUS_OK) {
    status = urdf_number(cursor, "offset", any_factor, &joint->offset);
  }
  return status;
}

enum status urdf_joint_rotor(struct urdf_joint *joint, const struct urdf_cursor *cursor,
                             struct urdf_notes *notes) {
  (void)notes;
  double at_motor = 0.0, ratio = 1.0;
  enum status status = urdf_required_number(cursor, "inertia", from_zero, &at_motor);
  if (status == STATUS_OK) {
    status = urdf_number(cursor, "ratio", any_factor, &ratio);
  }
  const double at_joint = at_motor * ratio * ratio;
  if (status == STATUS_OK && at_joint > URDF_MAX_FACTOR) {
    return urdf_refuse(cursor, STATUS_OUT_OF_RANGE,
                       "%g kg m^2 times %g squared is above the maximum %g kg m^2", at_motor, ratio,
                       URDF_MAX_FACTOR);
  }
  if (status == STATUS_OK) {
    joint->has_rotor = true;
    joint->rotor_place = cursor->element->place;
    joint->rotor_inertia = at_joint;
  }
  return status;
}
