/* proprioctl doctor: what stands in the way of real time on this machine, and how to mend it. */
#include "doctor.h"

#include "commands.h"
#include "common/clock.h"
#include "common/histogram.h"
#include "cycle/realtime.h"
#include "wrap.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "usage: proprioctl doctor [OPTION ...]\n"
    "\n"
    "Says what stands in the way of real time here and how to mend it, and measures\n"
    "how late a thread is woken. A service that runs is judged by what it has been\n"
    "granted; where none does, run it as the user, and from where, the daemon will\n"
    "be started.\n"
    "\n"
    "options:\n"
    "  --json        one JSON object a line: check, verdict, found, mend\n"
    "  --priority N  the SCHED_FIFO priority that the cycle asks for (default 80)\n"
    "  --quick       do not measure\n"
    "  --root DIR    read DIR/proc, DIR/sys, DIR/boot and DIR/dev, not those of /\n"
    "  -h, --help    print this\n"
    "\n"
    "verdicts:\n"
    "  good          as it should be\n"
    "  note          worth knowing\n"
    "  warning       works, with worse latency\n"
    "  problem       propriod would be refused what it needs; with\n"
    "                cycle.rt: required it would not start\n"
    "\n"
    "exit codes: 0 no problem, 1 a problem, 2 the command line makes no sense\n";

/* Half a second of waking every millisecond in the best class to be had. */
static void *measure_wakeup(void *argument) {
  enum { WAKES = 500 };
  struct histogram *late = argument;
  int64_t due_ns = clock_now_ns();
  for (int i = 0; i < WAKES; i++) {
    due_ns += NS_PER_MS;
    sleep_until(due_ns);
    histogram_add(late, clock_now_ns() - due_ns);
  }
  return NULL;
}

static void check_wakeup(const struct patient *patient, struct finding *finding) {
  enum { LATE_NS = 200 * 1000 /* a fifth of a period at 1 kHz */ };
  static struct histogram late;
  const struct realtime_settings wished = {REALTIME_PREFERRED, patient->priority, -1};
  struct message note = {""};
  pthread_t thread;
  if (realtime_thread_start(&thread, &wished, measure_wakeup, &late, &note) != STATUS_OK) {
    FOUND(VERDICT_PROBLEM, "%s", note.text);
    return;
  }
  pthread_join(thread, NULL);
  const int64_t p99_ns = histogram_quantile(&late, 0.99);
  FOUND(p99_ns > LATE_NS ? VERDICT_WARNING : VERDICT_GOOD,
        "woken late by %.0f us (median), %.0f us (99 %%), %.0f us (worst of half a second)%s",
        (double)histogram_quantile(&late, 0.5) * 1e-3, (double)p99_ns * 1e-3,
        (double)histogram_quantile(&late, 1.0) * 1e-3,
        note.text[0] != '\0' ? ", without SCHED_FIFO" : "");
  if (p99_ns > LATE_NS) {
    MEND("mend what stands above; look for a longer time with cyclictest -m -p %d -i 1000",
         patient->priority);
  }
}

static const struct check measurements[] = {{"wakeup", check_wakeup}, {NULL, NULL}};

static const char *const verdict_words[] = {"good", "note", "warning", "problem"};

/* Texts of this program hold no quotes or control characters but what files say: those are cut. */
static void print_json_text(const char *key, const char *text) {
  printf(", \"%s\": \"", key);
  for (const char *c = text; *c != '\0'; c++) {
    if (*c == '"' || *c == '\\') {
      printf("\\%c", *c);
    } else if ((unsigned char)*c >= ' ') {
      putchar(*c);
    }
  }
  putchar('"');
}

enum { FOUND_AT = 21 /* column of what was found */ };

static void print_finding(const struct check *check, const struct finding *finding, bool json) {
  const char *verdict = verdict_words[finding->verdict];
  if (json) {
    printf("{\"check\": \"%s\", \"verdict\": \"%s\"", check->name, verdict);
    print_json_text("found", finding->found.text);
    print_json_text("mend", finding->mend.text);
    printf("}\n");
    return;
  }
  char line[MESSAGE_SIZE + 2 * FOUND_AT];
  snprintf(line, sizeof(line), "%-8s %-11s %s", verdict, check->name, finding->found.text);
  wrap(stdout, line, wrap_columns(), FOUND_AT);
  if (finding->mend.text[0] != '\0') {
    snprintf(line, sizeof(line), "%*s-> %s", FOUND_AT, "", finding->mend.text);
    wrap(stdout, line, wrap_columns(), FOUND_AT + 3);
  }
}

/* Runs the checks of a list; answers the worst verdict. */
static enum verdict examine(const struct patient *patient, const struct check *checks, bool json) {
  enum verdict worst = VERDICT_GOOD;
  for (const struct check *check = checks; check->name != NULL; check++) {
    struct finding finding;
    memset(&finding, 0, sizeof(finding));
    check->run(patient, &finding);
    print_finding(check, &finding, json);
    fflush(stdout);
    worst = finding.verdict > worst ? finding.verdict : worst;
  }
  return worst;
}

static int examine_all(const struct patient *whole, bool json, bool quick) {
  const struct check *const lists[] = {doctor_limit_checks, doctor_kernel_checks, measurements};
  struct patient patient = *whole;
  enum verdict worst = examine(&patient, doctor_service_checks, json);
  patient.judged = worst != VERDICT_NOTE; /* a note: it could not be asked */
  for (int i = 0; i < (quick ? 2 : 3); i++) {
    const enum verdict verdict = examine(&patient, lists[i], json);
    worst = verdict > worst ? verdict : worst;
  }
  return worst == VERDICT_PROBLEM ? CTL_FAILED : CTL_OK;
}

/* What the words on the command line ask for. */
struct doctor_options {
  struct patient patient;
  bool json, quick, help;
};

static int read_options(int argc, char **argv, struct doctor_options *options) {
  static const struct option known[] = {
      {"json", no_argument, NULL, 'j'},  {"priority", required_argument, NULL, 'p'},
      {"quick", no_argument, NULL, 'q'}, {"root", required_argument, NULL, 'r'},
      {"help", no_argument, NULL, 'h'},  {NULL, 0, NULL, 0}};
  long priority = options->patient.priority;
  for (int c; (c = getopt_long(argc, argv, "", known, NULL)) != -1;) {
    options->help = options->help || c == 'h';
    options->json = options->json || c == 'j';
    options->quick = options->quick || c == 'q';
    if (c == 'p' && !count_option(optarg, 1, 99, &priority)) {
      return usage_error("doctor", "--priority %s: not a whole number within 1 .. 99", optarg);
    }
    if (c == 'r') {
      options->patient.root = optarg;
    } else if (c == '?') {
      return option_error("doctor", argv);
    }
  }
  if (optind < argc) {
    return usage_error("doctor", "unexpected '%s'", argv[optind]);
  }
  options->patient.priority = (int)priority;
  return CTL_OK;
}

int run_doctor(int argc, char **argv) {
  struct doctor_options options = {.patient = {.root = "", .priority = 80}};
  const int result = read_options(argc, argv, &options);
  if (result != CTL_OK) {
    return result;
  }
  if (options.help) {
    fputs(help, stdout);
    return CTL_OK;
  }
  return examine_all(&options.patient, options.json, options.quick);
}
