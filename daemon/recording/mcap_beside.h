/* An MCAP file beside each part of a recording: what was measured, estimated and happened, as it is
 * recorded, for viewers that cannot wait for proprioctl export.
 *
 * It never costs the recording a cycle: what the disk refuses ends the file, and where the ring
 * behind the cycle fills, cycles are left out of it first. */
#ifndef MCAP_BESIDE_H
#define MCAP_BESIDE_H

#include "exchange/cycle_sinks.h"
#include "recording/part_series.h"
#include "robot/robot.h"

struct mcap_beside {
  struct robot *robot;      /* of `generation`; NULL: not told yet */
  struct robot *next_robot; /* of a generation that has not begun; or NULL */
  uint32_t generation, next_generation;
  struct cycle_sinks sinks;
  struct sink_about about;
  uint32_t part;     /* of the recording, of the newest file; 0: none */
  bool open;         /* it is being written */
  uint64_t left_out; /* cycles, since the recording began */
};

/* Takes the robot of a generation, and frees it when it is no longer needed. [worker] */
void mcap_beside_robot(struct mcap_beside *mcap, uint32_t generation, struct robot *robot);

/* True when the cycle belongs to another generation than the open file. [worker] Then the part that
 * is open is to be ended: the next one has the robot of that generation. */
bool mcap_beside_turns(const struct mcap_beside *mcap, const struct recorded_cycle *cycle);

/* Adds a cycle that has gone into the newest part of `series`; `busy`: there is no time for it.
 * [worker] STATUS_REFUSED with the reason: the file is given up, until the next part. */
enum status mcap_beside_cycle(struct mcap_beside *mcap, const struct part_series *series,
                              const struct recorded_cycle *cycle, bool busy, struct message *error);

/* Adds an event. [worker] As above. */
enum status mcap_beside_event(struct mcap_beside *mcap, const struct event *event,
                              struct message *error);

/* The file gets its name. [worker] STATUS_REFUSED with the reason: it is gone. */
enum status mcap_beside_end(struct mcap_beside *mcap, struct message *error);

/* Frees the robots too. [worker] */
void mcap_beside_free(struct mcap_beside *mcap);

#endif
