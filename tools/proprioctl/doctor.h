/* What stands in the way of real time on this machine: one check per cause. */
#ifndef DOCTOR_H
#define DOCTOR_H

#include "common/message.h"

#include <stdbool.h>
#include <stddef.h>

enum verdict {
  VERDICT_GOOD,
  VERDICT_NOTE,    /* worth knowing */
  VERDICT_WARNING, /* works, with worse latency */
  VERDICT_PROBLEM  /* propriod would be refused what it needs */
};

struct patient {
  const char *root; /* "" or a folder that stands for /, in tests */
  int priority;     /* SCHED_FIFO priority that the cycle asks for */
  bool judged;      /* the running service is: what its caller lacks is a note */
};

struct finding {
  enum verdict verdict;
  struct message found; /* what is the case */
  struct message mend;  /* what to do about it; "" when nothing */
};

struct check {
  const char *name;
  void (*run)(const struct patient *patient, struct finding *finding);
};

extern const struct check doctor_service_checks[]; /* what the running service has */
extern const struct check doctor_limit_checks[];   /* what the kernel grants; ends with NULL */
extern const struct check
    doctor_kernel_checks[]; /* how the kernel is built and set; ends with NULL */

/* Reads the first line of a file below the patient's root that begins with `prefix`, without its
 * end; false when there is none. */
bool patient_find(const struct patient *patient, const char *path, const char *prefix, char *line,
                  size_t size);

/* The same for the first line, whatever it is. */
bool patient_read(const struct patient *patient, const char *path, char *line, size_t size);

#define FOUND(verdict_, ...)                                                                       \
  (finding->verdict = (verdict_), message_set(&finding->found, __VA_ARGS__))
#define MEND(...) message_set(&finding->mend, __VA_ARGS__)

#endif
