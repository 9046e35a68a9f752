/* What the joint filter publishes: rows of its results and counters. */
#ifndef JOINT_FIELDS_H
#define JOINT_FIELDS_H

#include "describe/field.h"

extern const struct field_rows joint_fields;         /* of struct propriod_state: the joints */
extern const struct field_rows joint_filter_fields;  /* of the same: the filter itself */
extern const struct field_rows joint_counter_fields; /* of struct joint_filter_counters */

#endif
