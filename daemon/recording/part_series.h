/* A recording in parts: a new file when one is large or old enough, and no more of the old ones
 * than their number of bytes or seconds allows. Each part has all texts and can be read alone. */
#ifndef PART_SERIES_H
#define PART_SERIES_H

#include "common/message.h"
#include "common/status.h"
#include "recording/recording_writer.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PART_PATH_SIZE = 320, PART_MOST = 64, PART_MOST_TEXTS = 48 };

/* A text of the robot, kept for each new part. */
struct kept_text {
  uint32_t generation;
  char name[32];
  char *bytes; /* from malloc */
  size_t size;
};

/* All that every part begins with. */
struct kept_texts {
  struct kept_text text[PART_MOST_TEXTS];
  size_t n;
};

/* Adds a copy, in the place of one of the same name and generation; of many generations the oldest
 * but the first is forgotten. [worker] False: no memory. */
bool kept_texts_add(struct kept_texts *texts, uint32_t generation, const char *name,
                    const void *bytes, size_t size);
void kept_texts_free(struct kept_texts *texts);

/* What bounds a series; 0: nothing does. */
struct part_limits {
  uint64_t part_bytes, all_bytes; /* of one part, of all together */
  int64_t part_ns, all_ns;        /* likewise, in time of the cycles */
};

struct part {
  char path[PART_PATH_SIZE];
  uint64_t bytes;
  int64_t first_ns, last_ns;
};

struct part_series {
  char stem[PART_PATH_SIZE - 16]; /* FOLDER/NAME; the parts are NAME-1.rec, NAME-2.rec ... */
  struct recording_header header;
  int level;
  struct part_limits limits;
  const struct kept_texts *texts;
  struct recording_writer *writer; /* of all parts; NULL: there was none yet */
  bool open;                       /* the newest part is being written */
  struct part part[PART_MOST];     /* the newest last */
  size_t n_parts;
  struct recording_written done; /* of the parts that are finished, kept or not */
  int64_t retry_ns;              /* no part is begun before, since the last could not be */
  uint64_t lost;                 /* cycles for which no part could be begun */
};

/* Begins a series whose first part begins with its first cycle. [worker] `texts` is borrowed. */
void part_series_begin(struct part_series *series, const char *stem,
                       const struct recording_header *header, int level,
                       const struct part_limits *limits, const struct kept_texts *texts);

/* Adds a cycle, an event. [worker] STATUS_REFUSED with errno or `error`: cycles were lost; counted.
 */
enum status part_series_cycle(struct part_series *series, const struct recorded_cycle *cycle,
                              struct message *error);
enum status part_series_event(struct part_series *series, const struct event *event);

/* Another robot text, also for the part that is open. [worker] */
void part_series_text(struct part_series *series, uint32_t generation, const char *name,
                      const void *bytes, size_t size);

/* Finishes the part that is open; the next cycle begins another. [worker] */
void part_series_close(struct part_series *series);

/* The MCAP file that may lie beside a part (mcap_beside.h): it counts and goes with it. [worker] */
void part_series_mcap_path(const struct part *part, char *path, size_t size);

/* Waits until the disk has the part that is open. [worker] False, with errno: it does not. */
bool part_series_sync(struct part_series *series);

/* Finishes the part that is open, and frees; the parts stay. [worker] Harmless when it has ended,
 * or was zeroed and never begun. */
void part_series_end(struct part_series *series);

/* Ends, and removes all parts. [worker] */
void part_series_remove(struct part_series *series);

/* Of all parts together. [worker] */
struct recording_written part_series_written(const struct part_series *series);

#endif
