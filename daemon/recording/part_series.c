#include "recording/part_series.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const int64_t retry_ns = 1000000000; /* between two attempts to begin a part */

/* -- texts ------------------------------------------------------------------------------------ */

static void forget(struct kept_texts *texts, size_t i) {
  free(texts->text[i].bytes);
  texts->n--;
  memmove(&texts->text[i], &texts->text[i + 1], (texts->n - i) * sizeof(texts->text[0]));
}

bool kept_texts_add(struct kept_texts *texts, uint32_t generation, const char *name,
                    const void *bytes, size_t size) {
  char *copy = malloc(size + 1);
  if (copy == NULL) {
    return false;
  }
  memcpy(copy, bytes, size);
  for (size_t i = 0; i < texts->n; i++) {
    if (texts->text[i].generation == generation && strcmp(texts->text[i].name, name) == 0) {
      forget(texts, i);
    }
  }
  for (size_t i = 0; texts->n == PART_MOST_TEXTS; i++) {
    if (texts->text[i].generation > 1 || i + 1 == texts->n) {
      forget(texts, i);
    }
  }
  struct kept_text *text = &texts->text[texts->n++];
  *text = (struct kept_text){.generation = generation, .bytes = copy, .size = size};
  snprintf(text->name, sizeof(text->name), "%s", name);
  return true;
}

void kept_texts_free(struct kept_texts *texts) {
  while (texts->n > 0) {
    forget(texts, texts->n - 1);
  }
}

/* -- parts ------------------------------------------------------------------------------------ */

void part_series_begin(struct part_series *series, const char *stem,
                       const struct recording_header *header, int level,
                       const struct part_limits *limits, const struct kept_texts *texts) {
  *series =
      (struct part_series){.header = *header, .level = level, .limits = *limits, .texts = texts};
  snprintf(series->stem, sizeof(series->stem), "%s", stem);
}

void part_series_mcap_path(const struct part *part, char *path, size_t size) {
  const size_t stem = strlen(part->path) - strlen(".rec");
  snprintf(path, size, "%.*s.mcap", (int)stem, part->path);
}

/* Bytes of the MCAP file beside a part; 0: there is none, or it is not whole yet. */
static uint64_t mcap_bytes(const struct part *part) {
  char path[PART_PATH_SIZE + 8];
  struct stat about;
  part_series_mcap_path(part, path, sizeof(path));
  return stat(path, &about) == 0 ? (uint64_t)about.st_size : 0;
}

static void drop_oldest(struct part_series *series) {
  char path[PART_PATH_SIZE + 8];
  part_series_mcap_path(&series->part[0], path, sizeof(path));
  unlink(path);
  unlink(series->part[0].path);
  series->n_parts--;
  memmove(&series->part[0], &series->part[1], series->n_parts * sizeof(series->part[0]));
}

/* Removes what is beyond the limits; the part that is open stays. */
static void keep_within_limits(struct part_series *series) {
  const struct part_limits *limits = &series->limits;
  for (;;) {
    uint64_t bytes = 0;
    for (size_t i = 0; i < series->n_parts; i++) {
      bytes += series->part[i].bytes + mcap_bytes(&series->part[i]);
    }
    if (series->n_parts < 2) {
      return;
    }
    const int64_t newest_ns = series->part[series->n_parts - 1].last_ns;
    const bool too_large = limits->all_bytes > 0 && bytes > limits->all_bytes;
    const bool too_old = limits->all_ns > 0 && newest_ns - series->part[0].last_ns > limits->all_ns;
    if (!too_large && !too_old && series->n_parts < PART_MOST) {
      return;
    }
    drop_oldest(series);
  }
}

/* All parts go through one writer: a new one in each would take and give back megabytes. */
static enum status open_file(struct part_series *series, const char *path, struct message *error) {
  if (series->writer != NULL) {
    return recording_begin_next(series->writer, path, &series->header, error);
  }
  return recording_create(&series->writer, path, &series->header, series->level, error);
}

static enum status begin_part(struct part_series *series, int64_t now_ns, struct message *error) {
  if (now_ns < series->retry_ns) {
    return STATUS_STALE;
  }
  keep_within_limits(series);
  struct part part = {.first_ns = now_ns, .last_ns = now_ns};
  snprintf(part.path, sizeof(part.path), "%s-%u.rec", series->stem, series->header.part + 1);
  const enum status status = open_file(series, part.path, error);
  series->open = status == STATUS_OK;
  if (status != STATUS_OK) {
    series->retry_ns = now_ns + retry_ns;
    return status;
  }
  series->part[series->n_parts++] = part;
  series->header.part++;
  for (size_t i = 0; i < series->texts->n; i++) {
    const struct kept_text *text = &series->texts->text[i];
    recording_add_text(series->writer, text->generation, text->name, text->bytes, text->size);
  }
  return STATUS_OK;
}

void part_series_close(struct part_series *series) {
  if (!series->open) {
    return;
  }
  recording_flush(series->writer);
  const struct recording_written written = recording_written(series->writer);
  struct recording_written *done = &series->done;
  *done = (struct recording_written){.cycles = done->cycles + written.cycles,
                                     .events = done->events + written.events,
                                     .lost = done->lost + written.lost,
                                     .lost_blocks = done->lost_blocks + written.lost_blocks,
                                     .raw_bytes = done->raw_bytes + written.raw_bytes,
                                     .bytes = done->bytes + written.bytes};
  recording_end(series->writer);
  series->open = false;
}

bool part_series_sync(struct part_series *series) {
  return !series->open || recording_sync(series->writer) == STATUS_OK;
}

void part_series_end(struct part_series *series) {
  part_series_close(series);
  recording_free(series->writer);
  series->writer = NULL;
}

/* The open part has become large or old. */
static bool is_full(const struct part_series *series) {
  const struct part *part = &series->part[series->n_parts - 1];
  const struct part_limits *limits = &series->limits;
  return (limits->part_bytes > 0 && part->bytes >= limits->part_bytes) ||
         (limits->part_ns > 0 && part->last_ns - part->first_ns >= limits->part_ns);
}

enum status part_series_cycle(struct part_series *series, const struct recorded_cycle *cycle,
                              struct message *error) {
  struct recorded_cycle added = *cycle;
  if (series->open && is_full(series)) {
    part_series_close(series);
    keep_within_limits(series);
  }
  if (!series->open) {
    const enum status status = begin_part(series, cycle->frame.t_ns, error);
    if (status != STATUS_OK) {
      series->lost += 1 + cycle->lost;
      return status == STATUS_STALE ? STATUS_OK : STATUS_REFUSED; /* said once a second */
    }
    added.lost += series->lost;
    series->lost = 0;
  }
  const enum status status = recording_add_cycle(series->writer, &added);
  if (status != STATUS_OK) {
    message_set(error, "%s: %s", series->part[series->n_parts - 1].path, strerror(errno));
  }
  struct part *part = &series->part[series->n_parts - 1];
  part->last_ns = cycle->frame.t_ns;
  part->bytes = recording_written(series->writer).bytes;
  return status;
}

enum status part_series_event(struct part_series *series, const struct event *event) {
  return series->open ? recording_add_event(series->writer, event) : STATUS_OK;
}

void part_series_text(struct part_series *series, uint32_t generation, const char *name,
                      const void *bytes, size_t size) {
  if (series->open) {
    recording_add_text(series->writer, generation, name, bytes, size);
  }
}

void part_series_remove(struct part_series *series) {
  part_series_end(series);
  while (series->n_parts > 0) {
    drop_oldest(series);
  }
}

struct recording_written part_series_written(const struct part_series *series) {
  struct recording_written all = series->done;
  if (series->open) {
    const struct recording_written now = recording_written(series->writer);
    all.cycles += now.cycles;
    all.events += now.events;
    all.lost += now.lost;
    all.lost_blocks += now.lost_blocks;
    all.raw_bytes += now.raw_bytes;
    all.bytes += now.bytes;
  }
  all.lost += series->lost;
  return all;
}
