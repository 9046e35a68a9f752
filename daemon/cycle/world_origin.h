/* Where the published world lies.
 *
 * The estimators have a world of their own, whose origin lies below the base as it stood when its
 * estimate began. Somebody may want another: the published world, in which the base was told to
 * stand at a place with a heading. Both have their z against gravity and the same heights, so that
 * a turn about z and a step in the plane lie between them.
 *
 * Each result carries the origin that holds for it (handover.h), and whoever shows it places it:
 * state, forces and centre of mass change world between the same two cycles. Recordings keep the
 * estimators' own world. */
#ifndef WORLD_ORIGIN_H
#define WORLD_ORIGIN_H

#include "pipeline.h"

#include <stdbool.h>

/* The own world's origin in the published one; all 0: they are the same. */
struct world_origin {
  double x, y; /* m */
  double yaw;  /* rad */
};

/* What somebody wants of the published world. */
struct world_order {
  bool own;         /* the estimators' own again; the rest has no meaning then */
  double x, y, yaw; /* m, rad: where the base stands now, and where its x axis points */
};

/* The origin that fulfils `order` with the base as it is estimated now, in the own world. [any] OK,
 * or REFUSED when its attitude is not estimated. Where its position is not, x and y are 0: the
 * heading alone is placed. */
enum status world_origin_find(const struct world_order *order, const struct propriod_state *now,
                              struct world_origin *origin);

/* True when the published world is another than the own. [any] */
bool world_origin_is_set(const struct world_origin *origin);

/* Takes estimates from the own world to the published one. [any] Deviations along x and y become
 * the least upper bound that holds however their errors go together: exact where the turn is a
 * multiple of a quarter, at most 1.42 times as large elsewhere. */
void world_origin_place(const struct world_origin *origin, struct propriod_state *state,
                        struct propriod_centroidal *centroidal);

/* The same without touching `own`: `own` itself where both worlds are one, else `room`, of which
 * only state and centroidal are written. [any] */
const struct estimates *world_origin_show(const struct world_origin *origin,
                                          const struct estimates *own, struct estimates *room);

#endif
