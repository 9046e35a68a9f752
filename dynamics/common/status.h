/* What a function that can fail answers. Failure is a value: outputs stay untouched unless the
 * answer is STATUS_OK. */
#ifndef STATUS_H
#define STATUS_H

enum status {
  STATUS_OK = 0,
  STATUS_BAD_ARGUMENT,   /* a size, index or option outside its documented range */
  STATUS_NOT_FINITE,     /* NaN or Inf arrived where a number is needed */
  STATUS_SINGULAR,       /* a matrix that must be invertible or positive definite is not */
  STATUS_TOO_FEW,        /* not enough data, cells, poses or sensors */
  STATUS_NOT_CONSISTENT, /* inertial parameters that no distribution of mass can have */
  STATUS_OUT_OF_RANGE,   /* a value beyond its physical or configured limit */
  STATUS_NO_MEMORY,      /* the arena or the system has no room left */
  STATUS_NO_CONVERGENCE, /* an iteration met its bound before its tolerance */
  STATUS_STALE,          /* the data are older than allowed */
  STATUS_REFUSED         /* well formed, and not acceptable now; a message says why */
};

/* One lower-case phrase per status, for messages. [any] Never NULL. */
const char *status_text(enum status status);

#endif
