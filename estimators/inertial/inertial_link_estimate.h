/* What is told of one link: its parameters, how sure they are, and which of them the data have
 * spoken of. [real-time] */
#ifndef INERTIAL_LINK_ESTIMATE_H
#define INERTIAL_LINK_ESTIMATE_H

#include "inertial/inertial_core.h"

/* Which of a link's parameters the data tell: their deviation is below INERTIAL_TOLD of what it was
 * when the estimate was last opened, and at least of the prior's, whatever form the state has; none
 * of parameters that are no body. */
#define INERTIAL_TOLD        0.5
#define INERTIAL_KNOWS_MASS  (1u << 0)
#define INERTIAL_KNOWS_COM_X (1u << 1)
#define INERTIAL_KNOWS_COM_Y (1u << 2)
#define INERTIAL_KNOWS_COM_Z (1u << 3)
#define INERTIAL_KNOWS_SHAPE (1u << 4) /* all three radii */

struct inertial_link_estimate {
  size_t link;
  struct inertia published; /* rate-limited, about the link's origin */
  struct inertia estimate;  /* as estimated */
  double mass_sd;           /* kg */
  vec3 com_sd;              /* m */
  double covariance[INERTIA_PARAMETERS][INERTIA_PARAMETERS]; /* of `estimate`, house order */
  unsigned known;      /* INERTIAL_KNOWS_*: by all that has been measured */
  unsigned observable; /* the same: by what the last second or so has shown */
};

/* INERTIAL_KNOWS_* of Rucker's coordinates, in the order of log_cholesky.h, that have this variance
 * [10], in units of the prior's. */
unsigned inertial_link_bits(const double variance[INERTIA_PARAMETERS]);

/* Tells estimate, deviations, covariance and `known` of the core's k-th link; the rest is left
 * alone. */
void inertial_link_tell(const struct inertial_core *core, size_t k,
                        struct inertial_link_estimate *told);

#endif
