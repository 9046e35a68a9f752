/* A lock that one process holds as long as it lives, however it ends: a file of its own that only
 * its user can open, so that nobody else can hold it, with the holder's process number in it. */
#ifndef PID_LOCK_H
#define PID_LOCK_H

#include "common/message.h"
#include "common/status.h"

#include <stdbool.h>

#define PID_LOCK_SUFFIX    ".lock" /* of the lock that belongs to a file */
#define PID_LOCK_PATH_SIZE 288

struct pid_lock {
  bool held; /* all zero: not held */
  int fd;
  char path[PID_LOCK_PATH_SIZE];
};

/* Takes the lock PATH, mode 0600. [start] REFUSED with `error` set: another process holds it, and
 * is named; `doing` says what it is doing thereby, as in "PATH: another propriod, process 12, runs
 * on this folder". Or the file cannot be made, and why. */
enum status pid_lock_take(struct pid_lock *lock, const char *path, const char *doing,
                          struct message *error);

/* Takes the lock that belongs to the file `path`, PATH.lock. [start] */
enum status pid_lock_take_for(struct pid_lock *lock, const char *path, const char *doing,
                              struct message *error);

/* Removes the file and gives the lock back. [start] Harmless when not held. */
void pid_lock_release(struct pid_lock *lock);

#endif
