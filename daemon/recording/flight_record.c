#include "recording/flight_record.h"

#include "common/clock.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define AFTERMATH_NS (2 * NS_PER_S)  /* what follows a fault is saved, too */
#define CALM_NS      (60 * NS_PER_S) /* between two saves that nobody asked for */
#define JOIN_BYTES   (8u << 20)      /* copied a turn */
#define MIB          ((uint64_t)1 << 20)

enum { PARTS = 6, FOLDER_MODE = 0750 };

bool record_path(const char *folder, const char *name, const char *prefix, char *path,
                 size_t size) {
  static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
  if (name[0] != '\0') {
    snprintf(path, size, "%s/%s", folder, name);
    return name[0] != '.' && strspn(name, allowed) == strlen(name);
  }
  const time_t now = time(NULL);
  struct tm day;
  char text[32];
  gmtime_r(&now, &day);
  strftime(text, sizeof(text), "%Y%m%dT%H%M%SZ", &day);
  snprintf(path, size, "%s/%s-%s", folder, prefix, text);
  return true;
}

static bool make_folder(const char *folder) {
  return mkdir(folder, FOLDER_MODE) == 0 || errno == EEXIST;
}

/* -- becoming a file -------------------------------------------------------------------------- */

/* Says in the log how a save went, and is ready for the next. True: somebody waits to hear it. */
static bool end_save(struct flight_record *flight, bool ok, const char *text) {
  const bool waits = flight->requested;
  log_line(flight->plan.log, ok ? LOG_LEVEL_NOTICE : LOG_LEVEL_WARNING, "flight record",
           "%s%s (%s)",
           ok ? "the last minutes are kept in " : "the last minutes are not kept: ", text,
           flight->cause);
  flight->saved += ok;
  flight->requested = false;
  flight->cause[0] = '\0';
  return waits;
}

/* False with `error`: there is nothing to save, or no place for it. */
static bool begin_save(struct flight_record *flight, const struct part *parts, size_t n,
                       const char *name, const char *prefix, struct message *error) {
  char path[PART_PATH_SIZE];
  if (!make_folder(flight->plan.saved_folder)) {
    message_set(error, "%s: %s", flight->plan.saved_folder, strerror(errno));
    return false;
  }
  record_path(flight->plan.saved_folder, name, prefix, path, sizeof(path) - 8);
  strcat(path, ".rec");
  return part_joiner_begin(&flight->joiner, path, parts, n, error) == STATUS_OK;
}

bool flight_record_ask(struct flight_record *flight, const char *name) {
  if (flight->cause[0] != '\0' || flight->joiner.busy) {
    return false;
  }
  snprintf(flight->cause, sizeof(flight->cause), "%s", name[0] != '\0' ? name : "asked for");
  flight->requested = true;
  flight->due_ns = 0;
  return true;
}

/* The name of a file: as it was asked for; a cause's, and the time of day. */
static bool begin_due_save(struct flight_record *flight, struct message *error) {
  const bool named = flight->requested && strchr(flight->cause, ' ') == NULL;
  message_set(error, "no flight record is kept");
  part_series_close(&flight->series);
  return flight->flies &&
         begin_save(flight, flight->series.part, flight->series.n_parts, named ? flight->cause : "",
                    flight->requested ? "flight" : flight->cause, error);
}

bool flight_record_step(struct flight_record *flight, int64_t now_ns, bool *ok,
                        struct message *text) {
  enum status status = STATUS_STALE;
  *ok = false;
  if (flight->joiner.busy) {
    char path[PART_PATH_SIZE];
    snprintf(path, sizeof(path), "%s", flight->joiner.path);
    status = part_joiner_step(&flight->joiner, JOIN_BYTES, text);
    *ok = status == STATUS_OK;
    if (*ok) {
      message_set(text, "%s", path);
    }
  } else if (flight->cause[0] != '\0' && now_ns >= flight->due_ns) {
    status = begin_due_save(flight, text) ? STATUS_STALE : STATUS_REFUSED;
  }
  return status != STATUS_STALE && end_save(flight, *ok, text->text);
}

/* -- being kept ------------------------------------------------------------------------------- */

/* A fault in the estimates is a cause, unless one has just been saved. */
static void look_for_cause(struct flight_record *flight, const struct recorded_cycle *cycle) {
  const enum propriod_status status = cycle_status(cycle->flags);
  const bool diverged = status == PROPRIOD_STATUS_DIVERGED && flight->status != status;
  const bool reset = (cycle->flags & CYCLE_RESET) != 0;
  const int64_t now_ns = clock_now_ns();
  flight->status = status;
  if ((!diverged && !reset) || flight->cause[0] != '\0' || flight->joiner.busy ||
      (flight->last_ns != 0 && now_ns - flight->last_ns < CALM_NS)) {
    return;
  }
  snprintf(flight->cause, sizeof(flight->cause), "%s", diverged ? "diverged" : "reset");
  flight->due_ns = now_ns + AFTERMATH_NS;
  flight->last_ns = now_ns;
}

enum status flight_record_cycle(struct flight_record *flight, const struct recorded_cycle *cycle,
                                struct message *error) {
  if (!flight->flies) {
    return STATUS_OK;
  }
  look_for_cause(flight, cycle);
  return part_series_cycle(&flight->series, cycle, error);
}

double flight_record_length(const struct flight_record *flight) {
  const struct part_series *series = &flight->series;
  return flight->flies && series->n_parts > 0
             ? 1e-9 * (double)(series->part[series->n_parts - 1].last_ns - series->part[0].first_ns)
             : 0.0;
}

/* -- begin and end ---------------------------------------------------------------------------- */

/* The number of a part in its session; -1: not one of ours. */
static int64_t part_number(const char *path) {
  struct recording_head head;
  FILE *file = fopen(path, "re");
  const size_t got = file != NULL ? fread(&head, sizeof(head), 1, file) : 0;
  if (file != NULL) {
    fclose(file);
  }
  return got == 1 ? (int64_t)head.part : -1;
}

static int by_number(const void *a, const void *b) {
  const struct part *x = a, *y = b;
  return (x->first_ns > y->first_ns) - (x->first_ns < y->first_ns);
}

/* The parts in the folder, in the order of their numbers. */
static size_t find_parts(const char *name, struct part parts[PART_MOST]) {
  size_t n = 0;
  DIR *folder = opendir(name);
  for (const struct dirent *e; folder != NULL && (e = readdir(folder)) != NULL && n < PART_MOST;) {
    const size_t length = strlen(e->d_name);
    if (strncmp(e->d_name, "flight-", 7) == 0 && length > 4 && length < 60 &&
        strcmp(e->d_name + length - 4, ".rec") == 0) {
      parts[n] = (struct part){.bytes = 0};
      snprintf(parts[n].path, sizeof(parts[n].path), "%s/%.60s", name, e->d_name);
      parts[n].first_ns = part_number(parts[n].path);
      n++;
    }
  }
  if (folder != NULL) {
    closedir(folder);
  }
  qsort(parts, n, sizeof(parts[0]), by_number);
  return n;
}

/* Parts of a daemon that did not end by its own will: what was before that is in them. */
static void keep_what_was_left(struct flight_record *flight) {
  static const char cause[] = "an earlier daemon ended unasked";
  struct part *parts = calloc(PART_MOST, sizeof(*parts));
  const size_t n = parts != NULL ? find_parts(flight->plan.folder, parts) : 0;
  struct message text = {""};
  if (n > 0) {
    snprintf(flight->cause, sizeof(flight->cause), "%s", cause);
    bool ok = begin_save(flight, parts, n, "", "ended", &text);
    if (!ok) {
      end_save(flight, false, text.text);
    }
    while (flight->joiner.busy) {
      flight_record_step(flight, 0, &ok, &text);
    }
  }
  for (size_t i = 0; i < n; i++) {
    unlink(parts[i].path);
  }
  free(parts);
}

void flight_record_begin(struct flight_record *flight, const struct flight_plan *plan,
                         const struct recording_header *header, const struct kept_texts *texts) {
  const int64_t length_ns = (int64_t)(plan->length_s * 1e9);
  const uint64_t bytes = (uint64_t)plan->size_mib * MIB;
  const struct part_limits limits = {.part_bytes = bytes / PARTS,
                                     .all_bytes = bytes * (PARTS - 1) / PARTS,
                                     .part_ns = length_ns / (PARTS - 1),
                                     .all_ns = length_ns};
  char stem[PART_PATH_SIZE - 16];
  *flight = (struct flight_record){.plan = *plan, .joiner = {.writer = {.fd = -1}}};
  keep_what_was_left(flight);
  snprintf(stem, sizeof(stem), "%s/flight-%d", plan->folder, (int)getpid());
  part_series_begin(&flight->series, stem, header, plan->compressed ? 1 : 0, &limits, texts);
  flight->flies = plan->length_s > 0.0 && make_folder(plan->folder);
}

void flight_record_end(struct flight_record *flight) {
  bool ok;
  struct message text;
  while (flight->joiner.busy) {
    flight_record_step(flight, 0, &ok, &text);
  }
  part_series_remove(&flight->series);
}
