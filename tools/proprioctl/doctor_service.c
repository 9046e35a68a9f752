/* What the running service has been granted: that counts, and not what the caller would get. */
#include "ask_daemon.h"
#include "doctor.h"
#include "service/control.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATIENCE_MS = 1000 };

/* A counter of the page that the control socket answers with; 0 when it has none. */
static double counter_of(const char *page, const char *name) {
  char line[64];
  snprintf(line, sizeof(line), "\n%s ", name);
  const char *found = strstr(page, line);
  return found != NULL ? strtod(found + strlen(line), NULL) : 0.0;
}

static void judge(const char *page, struct finding *finding) {
  const bool wanted = counter_of(page, "rt_wanted") > 0.0;
  const double priority = counter_of(page, "rt_priority"), locked = counter_of(page, "locked_kib");
  if (wanted && priority == 0.0) {
    FOUND(VERDICT_PROBLEM,
          "the running service has no real-time priority: its limit RTPRIO is %.0f",
          counter_of(page, "limit_rtprio"));
    MEND("systemctl edit propriod: [Service], LimitRTPRIO=95 (is there as installed); then "
         "systemctl restart propriod");
  } else if (wanted && locked == 0.0) {
    FOUND(VERDICT_PROBLEM,
          "the running service has no memory locked: its limit MEMLOCK is %.0f KiB",
          counter_of(page, "limit_memlock") / 1024.0);
    MEND("systemctl edit propriod: [Service], LimitMEMLOCK=infinity (is there as installed); then "
         "systemctl restart propriod");
  } else if (!wanted) {
    FOUND(VERDICT_NOTE, "the running service does not ask for real time (cycle.rt: off)");
  } else {
    FOUND(VERDICT_GOOD, "the running service has SCHED_FIFO priority %.0f and %.0f MiB locked",
          priority, locked / 1024.0);
  }
}

static void check_service(const struct patient *patient, struct finding *finding) {
  char path[256], answer[CONTROL_ANSWER_SIZE];
  struct message error;
  if (patient->root[0] != '\0') {
    FOUND(VERDICT_NOTE, "no service is asked with --root");
    return;
  }
  const enum status status = control_ask(default_control_socket(path, sizeof(path)), "counters",
                                         PATIENCE_MS, answer, &error);
  if (status == STATUS_REFUSED) {
    FOUND(VERDICT_NOTE, "%s", error.text);
  } else if (status != STATUS_OK) {
    FOUND(VERDICT_NOTE, "no service runs: what follows is what this user would get");
  } else if (strncmp(answer, "ok\n", 3) != 0) {
    FOUND(VERDICT_NOTE, "the service runs without a robot: proprioctl status");
  } else {
    judge(answer, finding);
  }
}

const struct check doctor_service_checks[] = {{"service", check_service}, {NULL, NULL}};
