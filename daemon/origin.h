/* The control socket's `origin`: shows where the published world lies, and places it. */
#ifndef ORIGIN_H
#define ORIGIN_H

#include "common/log.h"
#include "cycle/world_keeper.h"
#include "publish/publisher.h"
#include "service/control.h"

/* What the main thread knows of the world; the first three are borrowed. */
struct origin {
  struct world_keeper *keeper;
  struct publisher *publisher;
  struct log *log;
  struct world_origin placed; /* as last ordered; all 0: the estimators' own */
  uint64_t lost;              /* as last told */
};

/* True for the words `origin ...`. [main] */
bool origin_is_asked(const char *words);

/* Answers `origin`, `origin own`, `origin X Y YAW` (m, m, rad: where the base stands now, and where
 * it faces). [main] Waits for a cycle. */
enum control_verdict origin_answer(struct origin *origin, const struct control_request *request,
                                   FILE *out);

/* Tells in log and event when the origin was given up because the base began anew. [main] */
void origin_look(struct origin *origin);

#endif
