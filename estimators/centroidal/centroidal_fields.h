/* What the centroidal estimator publishes: rows of struct propriod_centroidal. */
#ifndef CENTROIDAL_FIELDS_H
#define CENTROIDAL_FIELDS_H

#include "describe/field.h"

extern const struct field_rows centroidal_fields;

#endif
