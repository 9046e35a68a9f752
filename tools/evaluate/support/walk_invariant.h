/* The contact-aided invariant filter that others run, over the log of a real robot's walk. */
#ifndef WALK_INVARIANT_H
#define WALK_INVARIANT_H

#include "support/walk_score.h"

/* With its authors' settings, feet standing by their force. [start] Gives up without memory. Of
 * `said` base and velocity are written, and how many rows. */
void walk_run_invariant(struct walk_log *log, const struct robot *robot, struct walk_said *said);

#endif
