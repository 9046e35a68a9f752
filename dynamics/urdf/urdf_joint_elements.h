/* What stands within <joint>. */
#ifndef URDF_JOINT_ELEMENTS_H
#define URDF_JOINT_ELEMENTS_H

#include "urdf/urdf_attribute.h"
#include "urdf/urdf_choices.h"
#include "urdf/urdf_document.h"

/* The type by its word. [start] [worker] Statuses and messages here as urdf_read. */
enum status urdf_joint_type_of(const struct urdf_cursor *cursor, enum urdf_joint_type *type);

/* Each reads the element at the cursor into `joint`, and tells `notes` (may be NULL) what it reads
 * in spite of a fault. [start] [worker] */
enum status urdf_joint_origin(struct urdf_joint *joint, const struct urdf_cursor *cursor,
                              struct urdf_notes *notes);
enum status urdf_joint_parent(struct urdf_joint *joint, const struct urdf_cursor *cursor,
                              struct urdf_notes *notes);
enum status urdf_joint_child(struct urdf_joint *joint, const struct urdf_cursor *cursor,
                             struct urdf_notes *notes);
enum status urdf_joint_axis(struct urdf_joint *joint, const struct urdf_cursor *cursor,
                            struct urdf_notes *notes);
enum status urdf_joint_limit(struct urdf_joint *joint, const struct urdf_cursor *cursor,
                             struct urdf_notes *notes);
enum status urdf_joint_dynamics(struct urdf_joint *joint, const struct urdf_cursor *cursor,
                                struct urdf_notes *notes);
enum status urdf_joint_mimic(struct urdf_joint *joint, const struct urdf_cursor *cursor,
                             struct urdf_notes *notes);
enum status urdf_joint_rotor(struct urdf_joint *joint, const struct urdf_cursor *cursor,
                             struct urdf_notes *notes);

#endif
