/* The flight record: the last seconds of what the cycle took, always kept in parts in a folder that
 * is memory (/run), and made a file of its own when something has happened: the estimate diverged
 * or jumped, somebody asks, or an earlier daemon left its parts behind without having ended. */
#ifndef FLIGHT_RECORD_H
#define FLIGHT_RECORD_H

#include "common/log.h"
#include "recording/part_joiner.h"
#include "recording/part_series.h"

#include <stdbool.h>
#include <stdint.h>

enum { FLIGHT_CAUSE_SIZE = 64, FLIGHT_FOLDER_SIZE = 256 };

/* What it is about. */
struct flight_plan {
  double length_s; /* 0: none is kept */
  int size_mib;
  bool compressed;
  char folder[FLIGHT_FOLDER_SIZE];       /* of its parts */
  char saved_folder[FLIGHT_FOLDER_SIZE]; /* of the files made of it */
  struct log *log;                       /* borrowed */
};

struct flight_record {
  struct flight_plan plan;
  struct part_series series;
  bool flies; /* it is being kept */
  struct part_joiner joiner;
  char cause[FLIGHT_CAUSE_SIZE]; /* why it is to be saved; "": it is not */
  bool requested;                /* somebody waits to hear how that went */
  int64_t due_ns, last_ns;       /* of the save; of the last one that nobody asked for */
  enum propriod_status status;   /* of the cycle before */
  uint64_t saved;                /* files made of it */
};

/* Keeps what an earlier daemon left, and begins. [recorder] `header` and `texts` as for a
 * series. */
void flight_record_begin(struct flight_record *flight, const struct flight_plan *plan,
                         const struct recording_header *header, const struct kept_texts *texts);

/* Takes a cycle, and sees whether it is a cause. [recorder] Statuses of part_series_cycle. */
enum status flight_record_cycle(struct flight_record *flight, const struct recorded_cycle *cycle,
                                struct message *error);

/* Asks for a file of the name. [recorder] False: one is being made. */
bool flight_record_ask(struct flight_record *flight, const char *name);

/* Goes on with what is to be saved. [recorder] True, once, when what was asked for has been done:
 * `ok` and `text` say how it went. */
bool flight_record_step(struct flight_record *flight, int64_t now_ns, bool *ok,
                        struct message *text);

/* Ends: what is being saved is saved, the parts go. [recorder] */
void flight_record_end(struct flight_record *flight);

/* Seconds that are in it. [recorder] */
double flight_record_length(const struct flight_record *flight);

/* A file's path for a name, or for the time of day with `prefix` where name is "". [recorder]
 * False: not a name that a file may have there. */
bool record_path(const char *folder, const char *name, const char *prefix, char *path, size_t size);

#endif
