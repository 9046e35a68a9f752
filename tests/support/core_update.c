#include "support/core_update.h"

enum status inertial_core_update(struct inertial_core *core, const struct inertial_rows *rows,
                                 double weight) {
  const enum status status = inertial_core_begin(core, rows, weight);
  if (status != STATUS_OK) {
    return status;
  }
  for (int i = 0; i < INERTIAL_MAX_ITERATIONS && inertial_core_iterate(core); i++) {
  }
  return inertial_core_finish(core);
}
