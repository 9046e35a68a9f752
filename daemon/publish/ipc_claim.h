/* The right to serve a Unix socket path. libzmq binds over a live socket without a word, so that a
 * second daemon would steal the first one's subscribers; here a lock beside the path decides, and a
 * socket file that nobody serves any more is removed only by who holds the lock. */
#ifndef IPC_CLAIM_H
#define IPC_CLAIM_H

#include "common/message.h"
#include "common/pid_lock.h"
#include "common/status.h"

/* Takes the lock PATH.lock and clears a stale socket away. [start] The lock lasts as long as the
 * process, or until ipc_release. REFUSED with `error` set:
 * another process holds the lock (named) or serves the path; something that is no socket lies
 * there; the path is relative, too long or its folder does not exist. */
enum status ipc_claim(const char *path, struct pid_lock *claim, struct message *error);

/* Removes the socket and gives the right back; nothing for a claim that is not held. [start] */
void ipc_release(const char *path, struct pid_lock *claim);

#endif
