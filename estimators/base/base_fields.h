/* What the base estimator publishes: rows of struct propriod_state. */
#ifndef BASE_FIELDS_H
#define BASE_FIELDS_H

#include "describe/field.h"

extern const struct field_rows base_fields;

#endif
