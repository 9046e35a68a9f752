#include "common/status.h"

const char *status_text(enum status status) {
  switch (status) {
  case STATUS_OK:
    return "ok";
  case STATUS_BAD_ARGUMENT:
    return "bad argument";
  case STATUS_NOT_FINITE:
    return "not finite";
  case STATUS_SINGULAR:
    return "singular";
  case STATUS_TOO_FEW:
    return "too few data";
  case STATUS_NOT_CONSISTENT:
    return "not physically consistent";
  case STATUS_OUT_OF_RANGE:
    return "out of range";
  case STATUS_NO_MEMORY:
    return "no memory";
  case STATUS_NO_CONVERGENCE:
    return "no convergence";
  case STATUS_STALE:
    return "stale";
  case STATUS_REFUSED:
    return "refused";
  }
  return "unknown status";
}
