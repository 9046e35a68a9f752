/* Which cells of the whole robot to use, within a budget per link: cell_selection.h for every link
 * in turn.
 *
 * Holds its own copy of where the cells sit, so that it can compute beside a pipeline that is being
 * replaced. */
#ifndef CELL_CHOICE_H
#define CELL_CHOICE_H

#include "common/arena.h"
#include "common/status.h"
#include "robot/robot.h"
#include "skin/cell_selection.h"

struct cell_choice {
  struct cell_selection *selection;
  size_t max_cells, max_links;
  size_t n_cells, n_links, per_link;
  size_t *order;                      /* [n_cells] cells sorted by link */
  size_t *rank;                       /* [n_cells] each cell's place in `order` */
  size_t *first;                      /* [n_links + 1] where each link's cells begin in `order` */
  vec3 *place;                        /* [n_cells] m, link frame, in `order` */
  double *weight;                     /* [n_cells] */
  struct cell_neighbours *neighbours; /* [n_cells] indices within the link */
  bool *usable;                       /* [n_cells] in `order` */
  size_t *set;  /* [n_cells] the last choice: at first[l] the link's, indices within it */
  bool *chosen; /* [n_cells] by cell: the result */
  size_t n_chosen;
  double worst_cost; /* largest f of (148) among the links that were chosen from */
};

/* Takes memory for robots of up to the size of `robot`. [start] */
enum status cell_choice_init(struct cell_choice *choice, const struct robot *robot,
                             double cell_noise, struct arena *arena);

/* Describes the robot anew, after a reload; the last choice is forgotten. [real-time] BAD_ARGUMENT:
 * more cells or links than at init. per_link: most cells to use on a link, 0 for all. */
enum status cell_choice_describe(struct cell_choice *choice, const struct robot *robot,
                                 double cell_noise, size_t per_link);

/* Notes whether a cell may be chosen. [real-time] */
static inline void cell_choice_allow(struct cell_choice *choice, size_t cell, bool usable) {
  choice->usable[choice->rank[cell]] = usable;
}

/* Chooses in steps: begins, then on each of n_links. [worker] Links with no more usable cells than
 * the budget, or whose usable cells lie in line, keep all of them. */
void cell_choice_begin(struct cell_choice *choice);
void cell_choice_on(struct cell_choice *choice, size_t link);

#endif
