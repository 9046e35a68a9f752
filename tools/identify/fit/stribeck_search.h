/* At which speed a joint's friction has fallen to that of motion: the one thing about friction that
 * no linear fit finds, so that it is looked for from outside.
 *
 * Speeds are tried as shares of each joint's greatest; for each the robot is fitted as base
 * parameters, joints by their noise, and each joint keeps the speed that leaves least of its own
 * torque. */
#ifndef STRIBECK_SEARCH_H
#define STRIBECK_SEARCH_H

#include "identify/rows/row_set.h"

/* Sets unknowns->stribeck, and makes `rows`, which are there, anew with it. [start] Looks at the
 * first train_share of the rows. STATUS_TOO_FEW: too little that moves; statuses of row_set_make
 * and base_parameters_find; `rows` is then as before. */
enum status stribeck_search(struct unknowns *unknowns, const struct log_motion *motion, vec3 up,
                            const struct row_settings *settings, double train_share,
                            struct row_set *rows);

#endif
