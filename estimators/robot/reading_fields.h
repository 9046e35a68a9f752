/* What the check of the readings counts: rows of struct reading_counters. */
#ifndef READING_FIELDS_H
#define READING_FIELDS_H

#include "describe/field.h"

extern const struct field_rows reading_fields;

#endif
