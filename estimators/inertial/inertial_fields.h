/* What the inertial estimator publishes. */
#ifndef INERTIAL_FIELDS_H
#define INERTIAL_FIELDS_H

#include "describe/field.h"

extern const struct field_rows inertial_fields;         /* of struct inertia_estimate */
extern const struct field_rows inertial_counter_fields; /* of struct inertial_counters */

#endif
