/* Which parameters of a link the motion of the last second or so shows, whatever is known already.
 *
 * The information that each block of rows brings about one link's state, 10 x 10, is summed and
 * fades; a coordinate of Rucker's is shown when these rows, and the prior, would bring its
 * deviation below INERTIAL_TOLD of the prior's, whatever form the state has. Other links are taken
 * as known. [real-time] unless said otherwise. */
#ifndef OBSERVABILITY_H
#define OBSERVABILITY_H

#include "common/arena.h"
#include "inertial/inertial_core.h"

struct observability {
  size_t n_links, next; /* next: whose turn it is to be looked at */
  double time_s;        /* s: rows older than this have faded to 1/e */
  double *F;            /* [n_links][10][10] information about the state */
  unsigned *shown;      /* [n_links] INERTIAL_KNOWS_* */
};

/* [start] Nothing has been seen yet. The arena may run out. */
void observability_init(struct observability *observability, size_t n_links, double time_s,
                        struct arena *arena);

/* Takes rows whose innovation the core has just computed, `dt` seconds after the last. One link a
 * call is looked at anew. */
void observability_take(struct observability *observability, const struct inertial_core *core,
                        const struct inertial_rows *rows, double dt);

#endif
