/* A recording in place of a running robot, for commands that show one: a process of its own
 * publishes it, again and again, on a socket that only this command knows. */
#ifndef RECORDED_ROBOT_H
#define RECORDED_ROBOT_H

#include "commands.h"

#include <sys/types.h>

struct recorded_robot {
  pid_t process; /* 0: none */
  char folder[64];
  char endpoint[96]; /* to subscribe to */
};

/* True when the file begins as recordings do. */
bool is_recording(const char *path);

/* Begins, and waits until the socket is there. [start] Before any other thread of this process. An
 * exit code after a complaint. */
enum exit_code recorded_robot_begin(struct recorded_robot *robot, const char *path);

/* Harmless when none was begun. */
void recorded_robot_end(struct recorded_robot *robot);

#endif
