/* A whole update of the inertial core in one call. */
#ifndef CORE_UPDATE_H
#define CORE_UPDATE_H

#include "inertial/inertial_update.h"

/* inertial_core_begin, _iterate and _finish. */
enum status inertial_core_update(struct inertial_core *core, const struct inertial_rows *rows,
                                 double weight);

#endif
