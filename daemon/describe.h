/* What a generation was made of, for who records: so that a recording needs nothing beside it. */
#ifndef DESCRIBE_H
#define DESCRIBE_H

#include "generation.h"
#include "learned/learned_inertia.h"
#include "recording/recorder.h"

/* Gives the recorder settings and files of a generation, and with `learned` (NULL: nothing) what
 * its pipeline was given at the start. [main] Before the generation's first cycle. */
void describe_generation(struct recorder *recorder, uint32_t number,
                         const struct generation *generation,
                         const struct learned_inertia *learned);

/* Takes one text of a description. */
typedef void describe_text(void *context, const char *name, const void *bytes, size_t size);

/* The same for whoever writes a recording itself: calls `take` for each text. [any] */
void describe(const struct settings *settings, const struct robot_texts *texts, describe_text *take,
              void *context);

/* "x86-64-v4", "x86-64-v3", "x86-64" or "other": what dispatch.h chooses on this processor. [any]
 */
const char *instruction_set(void);

#endif
