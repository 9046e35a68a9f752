/* HTTP and WebSocket for the live page: the page's files, the robot, and what the feed has, so many
 * times a second.
 *
 * Answers only who means this machine: a request whose
 * Host is another name than that which is listened on, or a WebSocket that a page from elsewhere
 * opens, is refused, so that no page of the web can look at the robot through its visitor's
 * browser. A browser gets a message when it has said, with any message of its own, that it has
 * taken the last: a slow one gets fewer, never older ones. */
#ifndef LIVE_SERVER_H
#define LIVE_SERVER_H

#include "common/message.h"
#include "common/status.h"
#include "live/live_feed.h"
#include "live/mesh_files.h"

#include <stddef.h>
#include <stdint.h>

struct live_server_settings {
  const char *address; /* to listen on: "127.0.0.1", or another of this machine's */
  int port;            /* 0: any that is free */
  double rate_hz;      /* of messages to a browser */
  const char *robot;   /* JSON of live_robot.h */
  size_t robot_size;   /* bytes */
  const char *urdf;
  size_t urdf_size; /* bytes */
  struct mesh_files *meshes;
};

/* Puts what has come since the last time into the feed. */
typedef void live_take(void *context, struct live_feed *feed);

struct live_server;

/* Listens. [start] `settings` and what it names must stay. STATUS_REFUSED with `error`. */
enum status live_server_open(struct live_server **server,
                             const struct live_server_settings *settings, live_take *take,
                             void *context, struct message *error);
int live_server_port(const struct live_server *server);

/* Serves until something has been done, at the latest for one period. [main] */
void live_server_step(struct live_server *server);

/* NULL is allowed. */
void live_server_close(struct live_server *server);

#endif
