/* Where a fitted description comes from, kept in the URDF itself as a comment: by what method, and
 * what was known before.
 *
 * A second fit begins from the same prior as the first, not from its result: the data would else
 * be counted twice, and every fit would drift a little further from what was known. */
#ifndef PROVENANCE_H
#define PROVENANCE_H

#include "common/message.h"
#include "common/status.h"
#include "identify/rows/unknowns.h"

/* Takes the prior that the URDF's comment holds for the unknowns' bodies and drives into x [n];
 * what it does not name stays. [start] True when there is such a comment. */
bool provenance_prior(const char *urdf, const struct unknowns *unknowns, double *x);

/* How the URDF's bodies were found, "by pc-irls, lambda 10, from walk.csv", cut to `size`. [any]
 * False: they were not, and `how` is untouched. */
bool provenance_how(const char *urdf, char *how, size_t size);

/* The URDF with a comment before </robot>, in place of one that it has; from malloc. [start]
 * how: one line. prior: [n]. NULL: no memory, or no </robot>. */
char *provenance_write(const char *urdf, const char *how, const struct unknowns *unknowns,
                       const double *prior);

#endif
