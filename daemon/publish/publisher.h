/* The publisher: a thread of its own that turns results into MessagePack and sends them to whoever
 * subscribes.
 *
 * ZeroMQ XPUB, two frames a message: topic, and one map. Topics: `state` and `centroidal` every
 * cycle, `diag` and `meta` at their own rates, `event` when something happens, `inertia` and
 * `skin` when an estimator fills them. Nothing that subscribers do reaches the cycle: slow or
 * stopped ones lose messages beyond the high-water mark, and one that floods with subscriptions is
 * disconnected. */
#ifndef PUBLISHER_H
#define PUBLISHER_H

#include "common/event.h"
#include "common/message.h"
#include "cycle/estimator_report.h"
#include "cycle/handover.h"
#include "robot/robot.h"

#include <stdbool.h>
#include <stdint.h>

/* what a socket address holds, less what the lock file's name needs */
#define PUBLISH_IPC_SIZE  104
#define PUBLISH_TCP_SIZE  64
#define PUBLISH_FILE_SIZE 256

struct publish_settings {
  char ipc[PUBLISH_IPC_SIZE]; /* path of the Unix socket, "" for none; its folder must exist */
  char tcp[PUBLISH_TCP_SIZE]; /* ADDRESS:PORT, "" for none; beyond loopback only with the two files
                                 below */
  bool shared_memory;         /* show the state there too (state_export.h) */
  char curve_secret_key[PUBLISH_FILE_SIZE]; /* file with this server's CURVE secret key, Z85,
                                               private to the user */
  char curve_clients[PUBLISH_FILE_SIZE]; /* file with the clients' public keys, Z85, one a line */
  int high_water;                        /* messages kept for a subscriber that does not keep up */
  double skin_hz; /* rate of `skin`, and of the estimators' counters in `diag` */
  double diag_hz; /* rate of `diag` */
  double meta_hz; /* rate of `meta`, which also answers every new subscription */
  int ring;       /* results that the hand-over ring holds */
};

#define RELOAD_LAST (1u << 0)

/* How loading and reloading the configuration went; shown in `diag`. */
struct reload_report {
  uint64_t estimated; /* RELOAD_LAST: there has been one; the publisher sets it */
  uint64_t accepted;  /* reloads that took effect */
  uint64_t refused;   /* reloads that changed nothing because the file was bad */
  int64_t last_ns;    /* CLOCK_MONOTONIC instant of the last one, 0 for none yet */
  bool last_ok;
  char last_text[MESSAGE_SIZE]; /* the error, or "" */
};

struct publisher;

/* What is published beside the results. All must outlive the publisher, but the robot, which is
 * read here and in publisher_describe only. */
struct publish_content {
  const struct robot *robot;             /* described in `meta` */
  const struct diagnostics *diagnostics; /* published in `diag` */
  double period_s;                       /* nominal cycle period */
  struct event_queue *events;            /* gets a copy of each event; NULL: nobody */
};

/* Binds the endpoints and starts the thread. [start]
 * NULL with `error` set: an endpoint is taken (the process that holds it is named), lies beyond
 * loopback without keys, or cannot be made; a key file is unreadable or malformed; no memory. */
struct publisher *publisher_start(const struct publish_settings *settings,
                                  const struct publish_content *content, struct message *error);

/* The ring that the cycle writes to and this publisher reads. [start] */
struct handover *publisher_handover(struct publisher *publisher);

/* The box that the cycle puts the estimators' reports into. [start] */
struct estimator_reports *publisher_reports(struct publisher *publisher);

/* Describes another robot (or the same after a reload) from the next `meta` on; it is copied.
 * [main] */
bool publisher_describe(struct publisher *publisher, const struct robot *robot, double period_s);

/* Says in `event` that something happened. [main] `kind` is a short lower-case word that
 * programs can compare. Never waits for subscribers; when more than 64 wait to be sent the newest
 * is dropped and counted. */
void publisher_event(struct publisher *publisher, enum event_severity severity, const char *kind,
                     const char *format, ...) __attribute__((format(printf, 4, 5)));

/* Puts the result of the last reload into `diag`. [main] */
void publisher_set_reload(struct publisher *publisher, const struct reload_report *report);

/* Rises as long as the thread turns and libzmq carries what it sends; for the watchdog. [any] */
uint64_t publisher_heartbeat(const struct publisher *publisher);

/* What became of the publisher's work, since the start. */
struct publish_counters {
  uint64_t results;     /* taken from the ring */
  uint64_t dropped;     /* results lost because the ring was full */
  uint64_t messages;    /* sent, whoever listens */
  uint64_t bytes;       /* of all messages' maps */
  uint64_t too_long;    /* messages that did not fit and were not sent */
  uint64_t not_finite;  /* numbers that left as nil */
  uint64_t subscribers; /* connections open now */
  uint64_t accepted;    /* connections */
  uint64_t failed;      /* connections that ended in the greeting: malformed, or not admitted */
  uint64_t flooding;    /* connections shut down for too many subscriptions */
  uint64_t events_dropped;
};

/* The counters as of the thread's last turn. [any but real-time] */
struct publish_counters publisher_counters(struct publisher *publisher);

/* As last published: of the daemon as a whole, and of its estimates. */
struct publish_statuses {
  enum propriod_status daemon, state, centroidal;
};

/* As of the thread's last turn. [any but real-time] */
struct publish_statuses publisher_statuses(struct publisher *publisher);

/* Address that TCP is served at, "tcp://127.0.0.1:9872", or "". [any] Port 0 in the settings lets
 * the system choose. */
const char *publisher_tcp_endpoint(const struct publisher *publisher);

/* Sends what is waiting, tells subscribers nothing more, frees everything. [start] NULL is
 * allowed. */
void publisher_stop(struct publisher *publisher);

#endif
