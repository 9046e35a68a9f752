/* One daemon a runtime folder. */
#ifndef SERVICE_LOCK_H
#define SERVICE_LOCK_H

#include "common/message.h"
#include "common/status.h"

/* Takes the lock file `folder`/lock for as long as the process lives, and writes its process number
 * into it. [start] Gone with the process, however it ends; a file left behind does not matter.
 * `*fd` is to be kept open. STATUS_REFUSED: another process holds it, or the folder cannot be used;
 * `error` says which. */
enum status service_lock(const char *folder, int *fd, struct message *error);

#endif
