/* The recorder: keeps what the cycle took, in files that can be replayed.
 *
 * The cycle copies each cycle into a ring and goes on. A thread takes them out and writes
 *  - the flight record: always (flight_record.h);
 *  - a recording: between `start` and `stop`, in parts, the oldest of which go when all together
 *    become too large.
 * A disk that is full or slow costs whole blocks, which are counted and told, and nothing else. */
#ifndef RECORDER_H
#define RECORDER_H

#include "common/arena.h"
#include "common/event.h"
#include "common/log.h"
#include "common/message.h"
#include "common/status.h"
#include "cycle/cell_chooser.h"
#include "cycle/cycle.h"
#include "recording/request_box.h"
#include "robot/robot.h"
#include "shm/sensor_input.h"

#include <stdbool.h>
#include <stddef.h>

enum { RECORD_FOLDER_SIZE = 256 };

struct record_settings {
  char folder[RECORD_FOLDER_SIZE]; /* of recordings; "": recordings in the state directory */
  bool start;                      /* with the daemon */
  double flight_s;                 /* the flight record's length, s; 0: none is kept */
  int flight_mib;                  /* and its most MiB */
  double part_s;                   /* of a recording, s */
  int part_mib;                    /* MiB of one part */
  int keep_mib;                    /* MiB of all parts of a recording; 0: no limit */
  int buffer_mib;                  /* between the cycle and the thread */
  int level;                       /* of zstd; 0: not compressed */
  bool results;                    /* what was published as well, not only its digest */
  bool mcap;                       /* an MCAP file beside each part */
};

/* What it is about; all borrowed. */
struct recorder_plan {
  const struct record_settings *settings;
  const char *folder, *flight_folder; /* where recordings, and parts of the flight record go */
  uint32_t count[PROPRIOD_SHM_STREAMS];
  uint64_t model_hash;
  struct log *log;
};

/* What it has done since the start. */
struct recorder_counters {
  uint64_t cycles;      /* in recordings */
  uint64_t bytes;       /* of recordings */
  double flight_s;      /* length of the flight record, s */
  uint64_t left_out;    /* cycles that found the ring full: the thread or its disk is too slow */
  uint64_t lost;        /* cycles that are not in a recording though it ran */
  uint64_t lost_blocks; /* blocks that the disk did not take */
  uint64_t saved;       /* files made of the flight record */
  bool running;         /* a recording is being made */
};

struct recorder;

/* Memory for it, every page touched. [start] On a counting arena only counts. STATUS_NO_MEMORY;
 * STATUS_BAD_ARGUMENT: the buffer is too small for this robot. */
enum status recorder_init(struct recorder **recorder, const struct recorder_plan *plan,
                          struct arena *arena);

/* Keeps a text that the robot of `generation` was made of (recording_layout.h has the names).
 * [main] Before the first cycle of that generation. */
void recorder_text(struct recorder *recorder, uint32_t generation, const char *name,
                   const void *bytes, size_t size);

/* Gives it the robot of a generation, for MCAP files. [main] Like a text of it; the recorder frees
 * it. */
void recorder_robot(struct recorder *recorder, uint32_t generation, struct robot *robot);

/* Where the publisher puts a copy of each event. [start] */
struct event_queue *recorder_events(struct recorder *recorder);

/* Starts the thread. [start] STATUS_REFUSED with `error`. */
enum status recorder_start(struct recorder *recorder, struct message *error);

/* What happens beside the cycle, as far as replaying it takes; borrowed. */
struct recorder_beside {
  const struct sensor_input *input;
  const struct cell_chooser *chooser;
  bool forgot; /* the inertial estimator has begun again after this cycle */
};

/* Takes a cycle: what it ran on, what happened beside it, and `result`, what was published.
 * [real-time] */
void recorder_take(struct recorder *recorder, const struct cycle_latest *latest,
                   const struct recorder_beside *beside, const struct estimates *result);

/* Hands over a request: "start [NAME]", "stop", "mark TEXT", "save [NAME]", "status". [main] False:
 * another is under way. */
bool recorder_ask(struct recorder *recorder, const char *words);

/* True when the request `words` has been answered. [main] `text` is for people. */
bool recorder_answer(struct recorder *recorder, char words[REQUEST_WORDS_SIZE], bool *ok,
                     struct message *text);

/* [any but real-time] */
struct recorder_counters recorder_counters(struct recorder *recorder);

/* Rises as long as the thread turns. [any] */
uint64_t recorder_heartbeat(const struct recorder *recorder);

/* Writes what is left and ends the thread; the flight record goes, since nothing has happened.
 * [main] Harmless when it does not run; NULL is allowed. */
void recorder_stop(struct recorder *recorder);

#endif
