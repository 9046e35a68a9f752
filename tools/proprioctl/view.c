#include "view.h"

#include "map.h"

#include "common/number.h"
#include "propriod/shm_layout.h"

#include <math.h>
#include <string.h>

enum {
  LABEL = VIEW_INDENT - 3,
  TEXT = 64,
  MANY = 8 /* values not estimated: more are only counted */
};

/* Of the cycles that a second should have: with fewer, not all is well. */
static const double SLOW_SHARE = 0.8;

/* Of cycles that may take longer than their period before that is a reason by itself. */
static const double OVERRUN_SHARE = 0.05;

static bool is_one_of(const char *word, const char *const words[]) {
  for (int i = 0; words[i] != NULL; i++) {
    if (strcmp(word, words[i]) == 0) {
      return true;
    }
  }
  return false;
}

void view_word(const struct view *view, const char *word) {
  static const char *const green[] = {"ok", "accepted", NULL};
  static const char *const plain[] = {"never", NULL};
  static const char *const yellow[] = {"degraded", "init", "stale", "silent", NULL};
  if (!view->colours || is_one_of(word, plain)) {
    fputs(word, view->out);
    return;
  }
  const int colour = is_one_of(word, green) ? 32 : is_one_of(word, yellow) ? 33 : 31;
  fprintf(view->out, "\033[1;%dm%s\033[0m", colour, word);
}

static void label(const struct view *view, const char *text) {
  fprintf(view->out, "  %-*s ", LABEL, text);
}

struct cycle_rate cycle_rate_unknown(void) {
  return (struct cycle_rate){.hz = (double)NAN, .cycles = (double)NAN, .t_s = (double)NAN};
}

void cycle_rate_update(struct cycle_rate *rate, const msgpack_object *diag) {
  const double cycles = map_number(diag, "cycle.cycles", (double)NAN);
  const double t_s = 1e-9 * map_number(diag, "t_mono_ns", (double)NAN);
  const double overruns = map_number(diag, "cycle.overruns", 0.0);
  if (t_s > rate->t_s) {
    rate->n = cycles - rate->cycles;
    rate->overruns = overruns - rate->overruns_before;
    rate->hz = (cycles - rate->cycles) / (t_s - rate->t_s);
  }
  rate->cycles = cycles;
  rate->overruns_before = overruns;
  rate->t_s = t_s;
}

static void print_span(FILE *out, double seconds) {
  if (seconds < 120.0) {
    fprintf(out, "%.0f s", seconds);
  } else if (seconds < 7200.0) {
    fprintf(out, "%.0f min", seconds / 60.0);
  } else if (seconds < 172800.0) {
    fprintf(out, "%.0f h %.0f min", floor(seconds / 3600.0), fmod(seconds, 3600.0) / 60.0);
  } else {
    fprintf(out, "%.0f days", seconds / 86400.0);
  }
}

void view_headline(const struct view *view, const struct subscriber *subscriber) {
  const msgpack_object *diag = subscriber_latest(subscriber, "diag");
  const msgpack_object *meta = subscriber_latest(subscriber, "meta");
  char text[TEXT];
  fputs("propriod: ", view->out);
  view_word(view, map_text(diag, "status", "silent", text, sizeof(text)));
  if (meta != NULL) {
    fprintf(view->out, "  %s, %zu joints, %.0f cells, %.1f kg",
            map_text(meta, "robot", "?", text, sizeof(text)), map_count(meta, "joints"),
            map_number(meta, "n_cells", 0.0), map_number(meta, "model_mass", 0.0));
  }
  fputs("; up ", view->out);
  print_span(view->out, map_number(diag, "uptime", 0.0));
  fputc('\n', view->out);
}

static void list_not_estimated(const struct view *view, const msgpack_object *map,
                               const char *topic) {
  const size_t count = map_count(map, "not_estimated");
  if (count == 0) {
    return;
  }
  label(view, "");
  fprintf(view->out, "%s without ", topic);
  if (count > MANY) {
    fprintf(view->out, "%zu of its values; proprioctl echo %s names them\n", count, topic);
    return;
  }
  for (size_t i = 0; i < count; i++) {
    const msgpack_object_str *name = &map_element(map, "not_estimated", i)->via.str;
    fprintf(view->out, "%s%.*s", i > 0 ? ", " : "", (int)name->size, name->ptr);
  }
  fputc('\n', view->out);
}

void view_estimates(const struct view *view, const struct subscriber *subscriber) {
  static const char *const topics[] = {"state", "centroidal"};
  label(view, "estimates");
  for (int i = 0; i < 2; i++) {
    char text[TEXT];
    const msgpack_object *map = subscriber_latest(subscriber, topics[i]);
    fprintf(view->out, "%s%s ", i > 0 ? ", " : "", topics[i]);
    view_word(view, map_text(map, "status", "silent", text, sizeof(text)));
  }
  fputc('\n', view->out);
  char inertia[TEXT];
  const bool unweighed = strcmp(map_text(subscriber_latest(subscriber, "meta"), "inertia", "",
                                         inertia, sizeof(inertia)),
                                "unknown") == 0;
  for (int i = 0; i < (unweighed ? 1 : 2); i++) {
    list_not_estimated(view, subscriber_latest(subscriber, topics[i]), topics[i]);
  }
  if (unweighed) {
    label(view, "");
    fputs("without centre of mass, momentum, support and forces: robot.inertia is unknown\n",
          view->out);
  }
}

/* What a view shows of `diag`: all since the start, or `recent`; a daemon of an earlier version has
 * none, and then it is all. */
static const msgpack_object *counted_in(const struct view *view, const msgpack_object *diag) {
  const msgpack_object *recent = view->recent ? map_find(diag, "recent") : NULL;
  return map_find(recent, "cycle") != NULL ? recent : diag;
}

static void print_histogram(const struct view *view, const msgpack_object *diag, const char *name,
                            const char *what) {
  char path[3][TEXT];
  static const char *const quantile[] = {"p50", "p99", "max"};
  for (int i = 0; i < 3; i++) {
    snprintf(path[i], TEXT, "cycle.%s.%s", name, quantile[i]);
  }
  fprintf(view->out, "%s %.3f/%.3f/%.3f ms", what, 1e3 * map_number(diag, path[0], 0.0),
          1e3 * map_number(diag, path[1], 0.0), 1e3 * map_number(diag, path[2], 0.0));
}

void view_cycle(const struct view *view, const msgpack_object *whole,
                const struct cycle_rate *rate) {
  const msgpack_object *diag = counted_in(view, whole);
  label(view, "cycle");
  if (isnan(rate->hz)) {
    fputs("  ?   Hz", view->out);
  } else {
    fprintf(view->out, "%.1f Hz", rate->hz);
  }
  print_histogram(view, diag, "busy", "; p50/p99/max of busy");
  print_histogram(view, diag, "wakeup", ", wake-up");
  fputc('\n', view->out);
  label(view, "");
  static const char *const counters[] = {"overruns", "skipped", "predicted", "dropped", NULL};
  for (int i = 0; counters[i] != NULL; i++) {
    char path[TEXT];
    snprintf(path, sizeof(path), "cycle.%s", counters[i]);
    fprintf(view->out, "%s%s %.0f", i > 0 ? ", " : "", counters[i], map_number(diag, path, 0.0));
  }
  if (diag != whole) {
    fprintf(view->out, " in the last %.0f s", map_number(diag, "span", 0.0));
  } else if (map_find(diag, "uptime") != NULL) {
    fputs(" since the start, ", view->out);
    print_span(view->out, map_number(diag, "uptime", 0.0));
    fputs(" ago", view->out);
  }
  fputc('\n', view->out);
}

/* Bytes, as far as a limit of them is one. */
static void print_limit(char *text, size_t size, double bytes) {
  snprintf(text, size, bytes > 1e18 ? "no limit" : "limit MEMLOCK %.0f KiB", bytes / 1024.0);
}

void view_real_time(const struct view *view, const msgpack_object *diag) {
  const double priority = map_number(diag, "cycle.rt_priority", 0.0);
  const double processors = map_number(diag, "cycle.processors", 0.0);
  char limit[TEXT];
  label(view, "real time");
  if (priority > 0.0) {
    fprintf(view->out, "SCHED_FIFO %.0f", priority);
  } else {
    fprintf(view->out, "none (limit RTPRIO %.0f)", map_number(diag, "cycle.limit_rtprio", 0.0));
  }
  print_limit(limit, sizeof(limit), map_number(diag, "cycle.limit_memlock", 0.0));
  fprintf(view->out, ", %.0f MiB locked (%s), ", map_number(diag, "cycle.locked_kib", 0.0) / 1024.0,
          limit);
  if (processors == 1.0) {
    fprintf(view->out, "on processor %.0f\n", map_number(diag, "cycle.processor", 0.0));
  } else {
    fprintf(view->out, "on any of %.0f processors\n", processors);
  }
}

/* What was wished of real time and is not granted. */
static int real_time_reasons(const msgpack_object *diag, char reason[][128], int most) {
  char limit[TEXT];
  int count = 0;
  if (map_number(diag, "cycle.rt_wanted", 0.0) == 0.0) {
    return 0;
  }
  if (map_number(diag, "cycle.rt_priority", 0.0) == 0.0 && count < most) {
    snprintf(reason[count++], 128, "no real-time priority (limit RTPRIO %.0f); proprioctl doctor",
             map_number(diag, "cycle.limit_rtprio", 0.0));
  }
  if (map_number(diag, "cycle.locked_kib", 0.0) == 0.0 && count < most) {
    print_limit(limit, sizeof(limit), map_number(diag, "cycle.limit_memlock", 0.0));
    snprintf(reason[count++], 128, "memory is not locked (%s); proprioctl doctor", limit);
  }
  return count;
}

void view_age(const struct view *view, double seconds) {
  if (seconds < 1.0) {
    fprintf(view->out, "%4.*f ms", 1e3 * seconds < 99.95 ? 1 : 0, 1e3 * seconds);
  } else {
    fprintf(view->out, "%4.0f s", seconds);
  }
}

const char *view_stream_word(const msgpack_object *stream) {
  return map_truth(stream, "present") ? "ok" : map_truth(stream, "seen") ? "silent" : "never";
}

/* The counters of a map that are not zero, but for those in a list. */
static void print_counts(const struct view *view, const msgpack_object *map,
                         const char *const but[]) {
  for (uint32_t i = 0; map != NULL && i < map->via.map.size; i++) {
    const msgpack_object_kv *pair = &map->via.map.ptr[i];
    char name[TEXT];
    snprintf(name, sizeof(name), "%.*s", (int)pair->key.via.str.size, pair->key.via.str.ptr);
    if (pair->val.type == MSGPACK_OBJECT_POSITIVE_INTEGER && pair->val.via.u64 > 0 &&
        !is_one_of(name, but)) {
      fprintf(view->out, ", %s %lu", name, (unsigned long)pair->val.via.u64);
    }
  }
}

static const msgpack_object *find_stream(const msgpack_object *diag, const char *name) {
  char path[TEXT];
  snprintf(path, sizeof(path), "streams.%s", name);
  return map_find(diag, path);
}

void view_streams(const struct view *view, const msgpack_object *whole) {
  const msgpack_object *diag = counted_in(view, whole);
  for (unsigned i = 0; i < PROPRIOD_SHM_STREAMS; i++) {
    const msgpack_object *stream = find_stream(diag, propriod_shm_name(i));
    label(view, propriod_shm_name(i));
    view_word(view, view_stream_word(stream));
    if (map_truth(stream, "seen")) {
      fprintf(view->out, "%*s", map_truth(stream, "present") ? 5 : 1, "");
      view_age(view, map_number(stream, "age", 0.0));
      fprintf(view->out, " old, %.0f frames", map_number(stream, "frames", 0.0));
    }
    static const char *const good[] = {"frames", "copy_ns", NULL};
    print_counts(view, stream, good);
    fputc('\n', view->out);
  }
}

void view_skin(const struct view *view, const msgpack_object *skin) {
  if (skin != NULL) {
    label(view, "cells");
    view_cells(view, skin);
  }
}

void view_cells(const struct view *view, const msgpack_object *skin) {
  static const char *const states[] = {"ok", "suspect", "faulty", "contact", "precontact", "stale"};
  bool first = true;
  for (size_t i = 0; i < sizeof(states) / sizeof(states[0]); i++) {
    char path[TEXT];
    snprintf(path, sizeof(path), "cells_%s", states[i]);
    const double cells = map_number(skin, path, 0.0);
    if (cells > 0.0) {
      fprintf(view->out, "%s%.0f %s", first ? "" : ", ", cells, states[i]);
      first = false;
    }
  }
  const double partial = map_number(skin, "links_partial", 0.0);
  if (partial > 0.0) {
    fprintf(view->out, "; too few on %.0f links", partial);
  }
  fprintf(view->out, "; %.0f outliers so far\n", map_number(skin, "outliers", 0.0));
}

/* "; without joint torques, wrenches of all feet" */
static void list_missing(const struct view *view, const msgpack_object *inertia) {
  for (size_t i = 0; i < map_count(inertia, "missing"); i++) {
    const msgpack_object_str *what = &map_element(inertia, "missing", i)->via.str;
    fprintf(view->out, "%s%.*s", i > 0 ? ", " : "; without ", (int)what->size, what->ptr);
  }
}

void view_inertia(const struct view *view, const msgpack_object *inertia) {
  char text[TEXT];
  if (inertia == NULL) {
    return;
  }
  label(view, "inertia");
  fprintf(view->out, "%s, from ", map_text(inertia, "state", "?", text, sizeof(text)));
  fputs(map_text(inertia, "source", "?", text, sizeof(text)), view->out);
  list_missing(view, inertia);
  if (map_truth(inertia, "misaligned")) {
    fprintf(view->out, "; forces come %.1f ms after the motion",
            1e3 * object_number(map_element(inertia, "delay", 0)));
  }
  if (map_truth(inertia, "doubted")) {
    fprintf(view->out, "; no load explains what is measured, look at the %s",
            map_text(inertia, "doubt", "?", text, sizeof(text)));
  }
  fputc('\n', view->out);
  for (size_t k = 0; k < map_count(inertia, "mass"); k++) {
    label(view, "");
    view_weighed_link(view, inertia, k);
    fputc('\n', view->out);
  }
}

void view_weighed_link(const struct view *view, const msgpack_object *inertia, size_t k) {
  const msgpack_object *name = map_element(inertia, "links", k);
  const msgpack_object *com = map_element(inertia, "com", k);
  const bool named = name != NULL && name->type == MSGPACK_OBJECT_STR;
  fprintf(view->out, "%.*s %.3f +- %.3f kg", named ? (int)name->via.str.size : 1,
          named ? name->via.str.ptr : "?", object_number(map_element(inertia, "mass", k)),
          object_number(map_element(inertia, "mass_sd", k)));
  if (com != NULL && com->type == MSGPACK_OBJECT_ARRAY && com->via.array.size == 3) {
    const msgpack_object *at = com->via.array.ptr;
    fprintf(view->out, " at %.3f %.3f %.3f m", number_to_thousandth(object_number(&at[0])),
            number_to_thousandth(object_number(&at[1])),
            number_to_thousandth(object_number(&at[2])));
  }
}

void view_filter(const struct view *view, const msgpack_object *diag) {
  static const char *const normal[] = {"steps", "updates", "replays", NULL};
  const msgpack_object *filter = map_find(diag, "filter");
  label(view, "filter");
  fprintf(view->out, "%.0f updates", map_number(filter, "updates", 0.0));
  print_counts(view, filter, normal);
  fputc('\n', view->out);
}

void view_publish(const struct view *view, const msgpack_object *diag) {
  label(view, "publish");
  fprintf(view->out, "%.0f subscribers; results dropped %.0f, not finite %.0f; ",
          map_number(diag, "publish.subscribers", 0.0), map_number(diag, "publish.dropped", 0.0),
          map_number(diag, "publish.not_finite", 0.0));
  fprintf(view->out, "connections refused %.0f, flooding %.0f\n",
          map_number(diag, "publish.failed", 0.0), map_number(diag, "publish.flooding", 0.0));
}

void view_reload(const struct view *view, const msgpack_object *diag) {
  char text[512];
  label(view, "reload");
  fprintf(view->out, "%.0f accepted, %.0f refused", map_number(diag, "reload.accepted", 0.0),
          map_number(diag, "reload.refused", 0.0));
  if (map_find(diag, "reload.last_ok") != NULL) {
    fputs("; the last, ", view->out);
    print_span(view->out, map_number(diag, "reload.last_age", 0.0));
    fputs(" ago, ", view->out);
    view_word(view, map_truth(diag, "reload.last_ok") ? "accepted" : "refused");
    const char *error = map_text(diag, "reload.last_error", "", text, sizeof(text));
    fprintf(view->out, "%s%s", error[0] != '\0' ? ": " : "", error);
  }
  fputc('\n', view->out);
}

/* Whether the configured robot has the sensors of this stream, as far as `meta` tells. */
static bool is_expected(const msgpack_object *meta, const char *stream) {
  return strcmp(stream, "joints") == 0 ||
         (strcmp(stream, "skin") == 0 && map_number(meta, "n_cells", 0.0) > 0.0) ||
         (strcmp(stream, "imu") == 0 && meta != NULL && !map_truth(meta, "fixed_base"));
}

int view_reasons(const struct subscriber *subscriber, const struct cycle_rate *rate,
                 char reason[][128], int most) {
  const msgpack_object *diag = subscriber_latest(subscriber, "diag");
  const msgpack_object *meta = subscriber_latest(subscriber, "meta");
  const double wanted_hz = 1.0 / map_number(meta, "period", (double)NAN);
  int count = 0;
  char text[TEXT];
  static const char *const topics[] = {"state", "centroidal"};
  for (int i = 0; i < 2 && count < most; i++) {
    const char *status = map_text(diag, topics[i], "silent", text, sizeof(text));
    if (strcmp(status, "ok") != 0) {
      snprintf(reason[count++], 128, "%s is %s", topics[i], status);
    }
  }
  for (unsigned i = 0; i < PROPRIOD_SHM_STREAMS && count < most; i++) {
    const msgpack_object *stream = find_stream(diag, propriod_shm_name(i));
    if (strcmp(view_stream_word(stream), "never") == 0 && is_expected(meta, propriod_shm_name(i))) {
      snprintf(reason[count++], 128, "no %s yet", propriod_shm_name(i));
    } else if (strcmp(view_stream_word(stream), "silent") == 0) {
      snprintf(reason[count++], 128, "no %s for %.1f s", propriod_shm_name(i),
               map_number(stream, "age", 0.0));
    }
  }
  if (count < most && rate->hz < SLOW_SHARE * wanted_hz) {
    snprintf(reason[count++], 128, "%.0f cycles a second, not %.0f", rate->hz, wanted_hz);
  }
  const double share = rate->n > 0.0 ? rate->overruns / rate->n : 0.0;
  if (count < most && share > OVERRUN_SHARE) {
    snprintf(reason[count++], 128, "%.0f %% of the cycles take longer than their period",
             100.0 * share);
  }
  count += real_time_reasons(diag, reason + count, most - count);
  if (count == 0 && strcmp(map_text(diag, "status", "silent", text, sizeof(text)), "ok") != 0) {
    snprintf(reason[count++], 128, "the cycle is silent");
  }
  return count;
}
