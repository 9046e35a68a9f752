/* Sensors and models that are wrong as those of real robots are: what is asked of every estimate,
 * on three robots, through the product's own path. */
#include "report.h"
#include "trust/trust_case.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const uint64_t seed = 21;

static void evaluate(struct report *report, const struct trust_case *c, const char *robot) {
  static struct score score, reference;
  struct message error = {""};
  if (trust_case_run(c, robot, seed, &score, &reference, &error) != STATUS_OK) {
    report_text(report, "%s on %s cannot be run: %s", c->name, robot, error.text);
    char title[96];
    snprintf(title, sizeof(title), "%s, %s: runs to its end", c->name, robot);
    report_at_least(report, title, 0.0, 1.0, "");
    return;
  }
  for (size_t i = 0; i < CASE_LIMITS && c->limit[i].limit > 0.0; i++) {
    char what[96], title[192];
    const char *unit;
    double scale;
    trust_case_title(&c->limit[i], what, sizeof(what), &scale, &unit);
    snprintf(title, sizeof(title), "%s, %s: %s", c->name, robot, what);
    report_at_most(report, title, scale * trust_case_figure(c, &c->limit[i], &score, &reference),
                   scale * c->limit[i].limit, unit);
  }
}

int main(int argc, char **argv) {
  struct report *report = report_open(argc > 1 ? argv[1] : "build/evaluate", "trust_cases",
                                      "Ordinary sensors, models a little wrong");
  report_text(report,
              "Walking unless said, defaults, seed %lu; scored from 5 s on. A CASE and a "
              "ROBOT may be given behind the folder.",
              (unsigned long)seed);
  for (size_t i = 0; trust_case(i) != NULL; i++) {
    for (size_t r = 0; trust_case_robot(r) != NULL; r++) {
      if ((argc < 3 || strcmp(argv[2], trust_case(i)->name) == 0) &&
          (argc < 4 || strcmp(argv[3], trust_case_robot(r)) == 0)) {
        evaluate(report, trust_case(i), trust_case_robot(r));
      }
    }
  }
  return report_close(report);
}
