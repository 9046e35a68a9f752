/* The robot and estimators of a configuration, for commands that work offline. */
#ifndef CONFIGURED_H
#define CONFIGURED_H

#include "generation.h"

/* Reads the configuration `file` and builds all that it names. NULL after saying what is wrong on
 * standard error, one line each. Freed with generation_free. */
struct generation *configured(const char *file);

#endif
