#include "support/scored_run.h"

#include "support/suite.h"

static void start(struct scored_run *scored, size_t next) {
  const struct pipeline_settings settings = trust_settings(&scored->tape);
  ck_assert_int_eq(trust_run_init(&scored->run, &scored->tape, &settings), STATUS_OK);
  scored->run.next = next;
  score_reset(&scored->score);
}

void scored_run_begin(struct scored_run *scored, const struct sim_options *options) {
  struct message error;
  ck_assert_msg(tape_record(&scored->tape, options, &error) == STATUS_OK, "%s", error.text);
  start(scored, 0);
}

void scored_run_restart(struct scored_run *scored, size_t next) {
  trust_run_free(&scored->run);
  start(scored, next);
}

void scored_run_go(struct scored_run *scored, double from_s) {
  while (trust_run_step(&scored->run, NULL)) {
    if (scored->tape.period_s * (double)scored->run.next > from_s) {
      const struct quantity_truth truth = trust_run_truth(&scored->run);
      score_add(&scored->score, &scored->run.out, &truth);
    }
  }
}

void scored_run_end(struct scored_run *scored) {
  trust_run_free(&scored->run);
  tape_free(&scored->tape);
}
