/* The arm's last link from a recorded motion, all other bodies and the friction known: in one
 * batch, and streamed. Both see the same rows, averaged over the same blocks and weighed alike. */
#ifndef PANDA_LAST_LINK_H
#define PANDA_LAST_LINK_H

#include "inertia/pseudo_inertia.h"
#include "inertial/inertial_filter.h"
#include "support/panda_fit.h"

enum {
  PANDA_LAST = PANDA_JOINTS,
  PANDA_PLOT_EVERY = 20,
  PANDA_PLOT = PANDA_MOST / PANDA_PLOT_EVERY
};

struct panda_batch {
  struct inertia least_squares; /* need not be a body */
  struct inertia convex;
  double gap; /* nats */
};

/* What one filter said, at every plotted instant and in the end; against the convex batch. */
struct panda_course {
  size_t n, instants, unphysical;
  double t[PANDA_PLOT], mass[PANDA_PLOT], com[3][PANDA_PLOT], distance[PANDA_PLOT];
  double worst_mass;   /* share, once settled */
  double settled;      /* s after the start: the mass stays within 1 % from then on */
  double end_distance; /* standard deviations, of the worst parameter */
  struct inertial_result result;
};

/* Rows of one instant, and their sums over a block. */
struct panda_block {
  struct kinematics kin;
  struct inertial_measurement measurement;
  void *memory;
  size_t count;
  double time, Y[PANDA_JOINTS][CONVEX_TEN], z[PANDA_JOINTS], friction[PANDA_JOINTS];
};

/* The last link from all that was recorded from from_s on. Statuses of convex_solve. */
enum status panda_batch(const struct robot *robot, const struct panda_nominal *nominal,
                        const struct panda_motion *motion, double from_s,
                        const struct inertial_filter_settings *settings, struct panda_batch *out);

/* Streams from from_s on, beginning at `prior`. Statuses of inertial_filter_init. */
enum status panda_stream(const struct robot *robot, const struct panda_nominal *nominal,
                         const struct panda_motion *motion, double from_s,
                         const struct inertial_filter_settings *settings,
                         const struct inertia *prior, const struct inertia *reference,
                         struct panda_course *course);

#endif
