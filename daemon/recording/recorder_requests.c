/* What people ask of the recorder, and the files that it makes for them. */
#include "recording/recorder_core.h"

#include "common/clock.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FOLDER_MODE = 0750 };

/* -- files ------------------------------------------------------------------------------------ */

static bool make_folder(const char *folder) {
  return mkdir(folder, FOLDER_MODE) == 0 || errno == EEXIST;
}

void recorder_set_clock(struct recorder *r) {
  struct timespec wall;
  clock_gettime(CLOCK_REALTIME, &wall);
  r->header.wall_ns = wall.tv_sec * NS_PER_S + wall.tv_nsec - clock_now_ns();
}

static const char bad_name[] = "%s: a name has letters, digits, dots, - and _, and no dot first";

bool recorder_start_recording(struct recorder *r, const char *name, struct message *text) {
  char stem[PART_PATH_SIZE - 16];
  const bool is_name = record_path(r->folder, name, "propriod", stem, sizeof(stem));
  if (r->records) {
    message_set(text, "a recording is being made: %s-%u.rec", r->recording.stem,
                r->recording.header.part);
    return false;
  }
  if (!is_name) {
    message_set(text, bad_name, name);
    return false;
  }
  if (!make_folder(r->folder)) {
    message_set(text, "%s: %s", r->folder, strerror(errno));
    return false;
  }
  char first[PART_PATH_SIZE];
  snprintf(first, sizeof(first), "%s-1.rec", stem);
  if (access(first, F_OK) == 0) {
    message_set(text, "%s: %s", first, strerror(EEXIST));
    return false;
  }
  const struct part_limits limits = {.part_bytes = (uint64_t)r->settings.part_mib * MIB,
                                     .part_ns = (int64_t)(r->settings.part_s * 1e9),
                                     .all_bytes = (uint64_t)r->settings.keep_mib * MIB};
  recorder_set_clock(r);
  part_series_begin(&r->recording, stem, &r->header, r->settings.level, &limits, &r->texts);
  r->mcap.part = r->mcap.left_out = 0;
  r->records = true;
  message_set(text, "recording to %s", first);
  return true;
}

/* What the recordings so far came to. */
void recorder_count_recording(const struct recorder *r, struct recorder_counters *counters) {
  const struct recording_written written = part_series_written(&r->recording);
  counters->cycles += written.cycles;
  counters->bytes += written.bytes;
  counters->lost += written.lost;
  counters->lost_blocks += written.lost_blocks;
}

bool recorder_stop_recording(struct recorder *r, struct message *text) {
  if (!r->records) {
    message_set(text, "no recording is being made");
    return false;
  }
  part_series_end(&r->recording);
  struct message why;
  if (mcap_beside_end(&r->mcap, &why) != STATUS_OK) {
    recorder_complain(r, "no MCAP file", &why);
  }
  const struct recording_written written = part_series_written(&r->recording);
  recorder_count_recording(r, &r->own);
  r->records = false;
  char mcap[64] = "";
  if (r->mcap.left_out > 0) {
    snprintf(mcap, sizeof(mcap), "; %llu left out of MCAP", (unsigned long long)r->mcap.left_out);
  }
  message_set(text, "%s-1.rec%s: %llu cycles, %.1f MB (%.1f MB before compression), %llu lost%s",
              r->recording.stem, r->recording.header.part > 1 ? " and further parts" : "",
              (unsigned long long)written.cycles, (double)written.bytes * 1e-6,
              (double)written.raw_bytes * 1e-6, (unsigned long long)written.lost, mcap);
  return written.lost == 0;
}

/* -- requests --------------------------------------------------------------------------------- */

void recorder_add_event(struct recorder *r, const struct event *event) {
  struct message why;
  if (r->records) {
    part_series_event(&r->recording, event);
    if (mcap_beside_event(&r->mcap, event, &why) != STATUS_OK) {
      recorder_complain(r, "no MCAP file", &why);
    }
  }
  part_series_event(&r->flight.series, event);
}

static bool mark(struct recorder *r, const char *words, struct message *text) {
  struct event event = {.t_ns = clock_now_ns(), .severity = EVENT_INFO, .kind = "mark"};
  snprintf(event.text, sizeof(event.text), "%s", words);
  if (!r->records && !r->flight.flies) {
    message_set(text, "nothing is being recorded");
    return false;
  }
  recorder_add_event(r, &event);
  message_set(text, "marked");
  return true;
}

static void report(struct recorder *r, struct message *text) {
  struct recorder_counters c = r->own;
  if (r->records) {
    recorder_count_recording(r, &c);
  }
  message_set(text,
              "%s; %llu cycles recorded, %.1f MB, %llu lost, %llu found the buffer full; flight "
              "record %.0f s, saved %llu times",
              r->records ? r->recording.stem : "no recording is being made",
              (unsigned long long)c.cycles, (double)c.bytes * 1e-6, (unsigned long long)c.lost,
              (unsigned long long)atomic_load(&r->ring.full), flight_record_length(&r->flight),
              (unsigned long long)r->flight.saved);
}

/* False: the answer comes later. */
static bool act(struct recorder *r, const char *words, bool *ok, struct message *text) {
  const char *blank = strchr(words, ' ');
  const char *rest = blank != NULL ? blank + 1 : "";
  if (strncmp(words, "start", 5) == 0 && (words[5] == '\0' || words[5] == ' ')) {
    *ok = recorder_start_recording(r, rest, text);
  } else if (strcmp(words, "stop") == 0) {
    *ok = recorder_stop_recording(r, text);
  } else if (strncmp(words, "mark ", 5) == 0) {
    *ok = mark(r, rest, text);
  } else if (strcmp(words, "status") == 0) {
    report(r, text);
    *ok = true;
  } else if (strcmp(words, "save") == 0 || strncmp(words, "save ", 5) == 0) {
    char path[PART_PATH_SIZE];
    *ok = false;
    if (!record_path(r->folder, rest, "flight", path, sizeof(path))) {
      message_set(text, bad_name, rest);
    } else if (!flight_record_ask(&r->flight, rest)) {
      message_set(text, "the flight record is just being saved (%s)", r->flight.cause);
    } else {
      return false;
    }
  } else {
    message_set(text, "there are start [NAME], stop, mark TEXT, save [NAME], status");
    *ok = false;
  }
  return true;
}

void recorder_look_at_request(struct recorder *r) {
  char words[REQUEST_WORDS_SIZE];
  struct message text = {""};
  bool ok = false;
  if (request_box_take(&r->requests, words) && act(r, words, &ok, &text)) {
    request_box_answer(&r->requests, ok, &text);
  }
}
