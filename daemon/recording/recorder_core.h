/* Inside of the recorder, for the files that it consists of: what it holds, by the thread that may
 * touch it, and what they call of each other. */
#ifndef RECORDER_CORE_H
#define RECORDER_CORE_H

#include "recording/cycle_ring.h"
#include "recording/flight_record.h"
#include "recording/mcap_beside.h"
#include "recording/part_series.h"
#include "recording/recorder.h"
#include "recording/request_box.h"
#include "recording/result_digest.h"

#include <pthread.h>

#define MIB ((uint64_t)1 << 20)

struct recorder {
  struct record_settings settings;
  char folder[RECORD_FOLDER_SIZE], flight_folder[RECORD_FOLDER_SIZE];
  struct recording_header header;
  struct log *log;

  /* the cycle's */
  struct cycle_ring ring;
  struct digest_plan digest;
  uint32_t generation; /* in use */
  uint64_t choices;    /* of cells, that have been taken */
  uint64_t resets;
  bool resets_known;

  /* shared */
  struct request_box requests;
  pthread_mutex_t lock;    /* over what follows up to `thread` */
  struct kept_texts fresh; /* texts that the thread has not taken yet */
  struct robot *fresh_robot;
  uint32_t fresh_generation; /* its */
  struct recorder_counters counters;
  struct event_queue events;
  _Atomic uint64_t heartbeat;
  _Atomic bool end;
  pthread_t thread;
  bool running;

  /* the thread's */
  struct kept_texts texts;
  struct flight_record flight;
  struct part_series recording;
  struct mcap_beside mcap;
  bool records;
  int64_t synced_ns;
  struct recorder_counters own;
};

/* The header's wall clock is that of now. [recorder] */
void recorder_set_clock(struct recorder *r);

/* Begins a recording of the name; "": of the time of day. [recorder] False: `text` says why not. */
bool recorder_start_recording(struct recorder *r, const char *name, struct message *text);

/* Ends it; `text` says what it came to. [recorder] False: cycles are missing, or none was made. */
bool recorder_stop_recording(struct recorder *r, struct message *text);

/* Adds what the recording that is being made has come to. [recorder] */
void recorder_count_recording(const struct recorder *r, struct recorder_counters *counters);

/* Puts an event into what is being written. [recorder] */
void recorder_add_event(struct recorder *r, const struct event *event);

/* Says on the log why something is not recorded. [recorder] */
void recorder_complain(struct recorder *r, const char *what, const struct message *error);

/* Does what somebody has asked for, and answers. [recorder] */
void recorder_look_at_request(struct recorder *r);

#endif
