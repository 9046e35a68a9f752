/* What a configuration was understood to say, for who has written it. */
#ifndef UNDERSTOOD_H
#define UNDERSTOOD_H

#include "generation.h"

#include <stdio.h>

/* Prints joints in their order, cells a link, IMU, feet, force sensors, masses, and what will be
 * estimated and what not. */
void understood_print(FILE *out, const struct generation *generation);

/* Prints what is likely to be a mistake, though it can be run, a line each behind `file`. Returns
 * how many of them keep the service from doing its work. */
int understood_doubts(FILE *out, const char *file, const struct generation *generation);

#endif
