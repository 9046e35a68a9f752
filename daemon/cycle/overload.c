#include "cycle/overload.h"

#include <math.h>

void overload_init(struct overload *overload, double period_s) {
  *overload = (struct overload){.weight = fmin(period_s, 1.0)};
}

bool overload_step(struct overload *overload, bool overran) {
  overload->share += overload->weight * ((overran ? 1.0 : 0.0) - overload->share);
  overload->lasts = overload->share > (overload->lasts ? OVERLOAD_ENDS : OVERLOAD_BEGINS);
  return overload->lasts;
}
