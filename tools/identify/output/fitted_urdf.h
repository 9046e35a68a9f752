/* A robot's description with what a fit found in place of what it had. */
#ifndef FITTED_URDF_H
#define FITTED_URDF_H

#include "identify/fit/robot_fit.h"

/* The URDF with new bodies and drives and a comment on where they come from; everything else stays.
 * From malloc, in `*out`. [start] A coupled motor's share goes to its own joint and the one that
 * turns it along, as far as a description without couplings can have it.
 * STATUS_NOT_CONSISTENT: bodies that cannot be; statuses of urdf_write. */
enum status fitted_urdf(const char *urdf, const struct unknowns *unknowns,
                        const struct robot_fit *fit, const char *how, char **out,
                        struct message *error);

#endif
