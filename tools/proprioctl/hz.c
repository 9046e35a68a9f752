/* proprioctl hz TOPIC: how often, how regularly and how late messages come, and whether any is
 * missing. */
#include "common/clock.h"
#include "map.h"
#include "subscriber.h"

#include <getopt.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATIENCE_MS = 3000, MOST = 100000 /* messages a report */ };
static const double patience_s = 1e-3 * PATIENCE_MS;

static const char help[] =
    "usage: proprioctl hz TOPIC [OPTION ...]\n"
    "\n"
    "Measures a topic: rate, messages missing (a gap in seq), intervals between two\n"
    "estimates, their jitter (standard deviation), and the delay from estimate to\n"
    "arrival here, which is only right on the machine that publishes or with\n"
    "synchronised clocks.\n"
    "\n"
    "options:\n"
    "  --seconds S      length of a report (default 1)\n"
    "  -n N             end after N reports (default: go on until interrupted)\n"
    "  --json           one JSON object a report\n" CONNECTION_HELP
    "  -h, --help       print this\n"
    "\n"
    "exit codes: 0 done, 1 messages were missing, 2 the command line makes no\n"
    "sense, 3 no daemon or nothing published, 4 this user may not\n";

static const struct option long_options[] = {
    {"json", no_argument, NULL, 'j'}, CONNECTION_OPTIONS, {"seconds", required_argument, NULL, 's'},
    {"help", no_argument, NULL, 'h'}, {NULL, 0, NULL, 0},
};

/* What came in one report's time. */
struct window {
  int count, intervals;
  uint64_t missing;
  double interval_s[MOST], delay_s[MOST];
  double took_s;
};

/* Of the message before. */
struct last {
  double seq, t_mono_ns; /* NaN: none yet */
};

static double epoch_s(void) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void note(struct window *window, struct last *last, const msgpack_object *map) {
  const double seq = map_number(map, "seq", (double)NAN);
  const double timestamp = map_number(map, "timestamp", (double)NAN);
  const double t_mono_ns = map_number(map, "t_mono_ns", (double)NAN); /* which nobody sets */
  if (!isnan(last->seq)) {
    window->missing += seq > last->seq + 1.0 ? (uint64_t)(seq - last->seq - 1.0) : 0;
    window->interval_s[window->intervals++] = 1e-9 * (t_mono_ns - last->t_mono_ns);
  }
  window->delay_s[window->count++] = epoch_s() - timestamp;
  *last = (struct last){seq, t_mono_ns};
}

static void measure(struct subscriber *subscriber, const char *topic, double seconds,
                    struct window *window, struct last *last) {
  window->count = window->intervals = 0;
  window->missing = 0;
  const int64_t start_ns = clock_now_ns(), end_ns = start_ns + (int64_t)(seconds * 1e9);
  int64_t now_ns = start_ns;
  while (now_ns < end_ns && window->count < MOST) {
    if (subscriber_hear(subscriber, (int)((end_ns - now_ns) / NS_PER_MS) + 1) >= 0) {
      note(window, last, subscriber_latest(subscriber, topic));
    }
    now_ns = clock_now_ns();
  }
  window->took_s = 1e-9 * (double)(now_ns - start_ns);
}

static int compare(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Of sorted values; NaN when there are none. */
static double quantile(const double *value, int count, double p) {
  return count > 0 ? value[(int)(p * (count - 1) + 0.5)] : (double)NAN;
}

struct spread {
  double mean, sd, least, median, p99, most; /* NaN without values */
};

/* Sorts the values. */
static struct spread spread_of(double *value, int count) {
  double sum = 0.0, squares = 0.0;
  for (int i = 0; i < count; i++) {
    sum += value[i];
  }
  const double mean = sum / count;
  for (int i = 0; i < count; i++) {
    squares += (value[i] - mean) * (value[i] - mean);
  }
  qsort(value, (size_t)count, sizeof(value[0]), compare);
  return (struct spread){mean,
                         sqrt(squares / count),
                         quantile(value, count, 0.0),
                         quantile(value, count, 0.5),
                         quantile(value, count, 0.99),
                         quantile(value, count, 1.0)};
}

static void json_number(const char *key, double value) {
  if (isfinite(value)) {
    printf(", \"%s\": %.9g", key, value);
  } else {
    printf(", \"%s\": null", key);
  }
}

static void report(const char *topic, struct window *window, bool json) {
  const struct spread interval = spread_of(window->interval_s, window->intervals);
  const struct spread delay = spread_of(window->delay_s, window->count);
  const double rate = window->count / window->took_s;
  if (json) {
    printf("{\"topic\": \"%s\", \"messages\": %d, \"missing\": %lu", topic, window->count,
           (unsigned long)window->missing);
    json_number("rate_hz", rate);
    json_number("interval_mean_s", interval.mean);
    json_number("interval_max_s", interval.most);
    json_number("jitter_s", interval.sd);
    json_number("delay_p50_s", delay.median);
    json_number("delay_p99_s", delay.p99);
    json_number("delay_max_s", delay.most);
    puts("}");
  } else {
    printf("%s %8.1f Hz  missing %lu", topic, rate, (unsigned long)window->missing);
    if (window->intervals > 0) {
      printf("  interval %.3f..%.3f ms, jitter %.3f ms", 1e3 * interval.least, 1e3 * interval.most,
             1e3 * interval.sd);
    }
    if (window->count > 0) {
      printf("  delay p50 %.3f p99 %.3f max %.3f ms", 1e3 * delay.median, 1e3 * delay.p99,
             1e3 * delay.most);
    }
    putchar('\n');
  }
  fflush(stdout);
}

struct options {
  const char *topic;
  struct connection connection;
  double seconds;
  long reports; /* 0: no end */
  bool json;
};

static int hz(const struct options *options) {
  static struct window window;
  struct subscriber subscriber;
  const char *const topics[] = {options->topic, NULL};
  const enum exit_code opened = subscriber_open(&subscriber, "hz", &options->connection, topics);
  if (opened != CTL_OK) {
    return opened;
  }
  struct last last = {(double)NAN, (double)NAN};
  uint64_t missing = 0;
  double silent_s = subscriber_hear(&subscriber, PATIENCE_MS) >= 0 ? 0.0 : patience_s;
  for (long i = 0;
       silent_s < patience_s && !ferror(stdout) && (options->reports == 0 || i < options->reports);
       i++) {
    measure(&subscriber, options->topic, options->seconds, &window, &last);
    report(options->topic, &window, options->json);
    missing += window.missing;
    silent_s = window.count > 0 ? 0.0 : silent_s + window.took_s;
  }
  const enum exit_code code = silent_s >= patience_s ? subscriber_silent(&subscriber, PATIENCE_MS)
                              : missing == 0         ? CTL_OK
                                                     : CTL_FAILED;
  subscriber_close(&subscriber);
  return code;
}

int run_hz(int argc, char **argv) {
  struct options options = {.connection = connection_default(), .seconds = 1.0};
  int option;
  while ((option = getopt_long(argc, argv, "n:h", long_options, NULL)) != -1) {
    switch (option) {
    case 'n':
      if (!count_option(optarg, 1, LONG_MAX, &options.reports)) {
        return usage_error("hz", "-n %s: not a whole number above 0", optarg);
      }
      break;
    case 's':
      if (!number_option(optarg, 0.01, 3600.0, &options.seconds)) {
        return usage_error("hz", "--seconds %s: not within 0.01 .. 3600", optarg);
      }
      break;
    case 'j':
      options.json = true;
      break;
    case 'h':
      fputs(help, stdout);
      return CTL_OK;
    default:
      if (!connection_option(&options.connection, option, optarg)) {
        return option_error("hz", argv);
      }
    }
  }
  if (optind != argc - 1) {
    return usage_error("hz", "one topic, please");
  }
  options.topic = argv[optind];
  if (subscriber_topic(options.topic) < 0) {
    return usage_error("hz", "there is no topic '%s'; there are " SUBSCRIBER_TOPIC_NAMES,
                       options.topic);
  }
  return hz(&options);
}
