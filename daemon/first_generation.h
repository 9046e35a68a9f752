/* The first reading of the configuration. One that names no robot yet, as a package installs it, is
 * no mistake: the service runs, says what it waits for, and begins when a reload finds a robot. */
#ifndef FIRST_GENERATION_H
#define FIRST_GENERATION_H

#include "common/log.h"
#include "common/pid_lock.h"
#include "loader.h"

enum { EXIT_CONFIG = 78 }; /* the configuration, its robot or its keys cannot be used */

/* What it works with; all borrowed. */
struct first_generation_parts {
  const char *config;
  const struct settings_overrides *overrides;
  struct loader *loader; /* started */
  int signals;           /* as signals_open gives it */
  struct log *log;
};

/* Has the configuration read, and while it names no robot waits for one that does, under a control
 * socket that knows `reload` and `status`. [start] EXIT_SUCCESS with `*generation`, which stays
 * NULL when told to end meanwhile; otherwise every error is in the log. */
int first_generation(const struct first_generation_parts *parts, struct generation **generation);

/* Makes the runtime folder, and takes it for this process alone. [start] Drivers and clients may
 * pass through; what they may touch there, its own mode says. REFUSED with `error`. */
enum status runtime_folder_lock(const struct settings *settings, struct pid_lock *lock,
                                struct message *error);

#endif
