/* Reports from a real pipeline through the box, beside a reader that never waits. */
#include "cycle/estimator_report.h"
#include "support/suite.h"
#include "support/synthetic_robot.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

struct reporter {
  struct estimator_reports *box;
  struct pipeline *pipeline;
  struct estimates estimates;
  void *memory[2];
};

/* A box for `max_cells` cells beside the pipeline of a robot with three joints and 16 cells. */
static struct reporter reporter_make(size_t max_cells, unsigned every) {
  struct reporter r = {.box = NULL};
  struct random random = random_from(test_seed());
  const struct robot *robot = synthetic_robot(3, true, 4, &random);
  const struct pipeline_settings settings = pipeline_defaults();
  struct arena count[2] = {{0}, {0}};
  ck_assert_int_eq(pipeline_init(&r.pipeline, robot, &settings, &count[0]), STATUS_OK);
  ck_assert_int_eq(estimator_reports_init(&r.box, max_cells, every, &count[1]), STATUS_OK);
  struct arena arena[2];
  for (int i = 0; i < 2; i++) {
    r.memory[i] = aligned_alloc(ARENA_ALIGN, count[i].used);
    memset(r.memory[i], 0, count[i].used);
    arena[i] = arena_over(r.memory[i], count[i].used);
  }
  ck_assert_int_eq(pipeline_init(&r.pipeline, robot, &settings, &arena[0]), STATUS_OK);
  ck_assert_int_eq(estimator_reports_init(&r.box, max_cells, every, &arena[1]), STATUS_OK);
  return r;
}

static void reporter_step(struct reporter *r, uint64_t seq) {
  r->estimates.state.seq = seq;
  r->estimates.state.t_ns = (int64_t)seq * 1000;
  estimator_reports_write(r->box, r->pipeline, &r->estimates);
}

static void reporter_free(struct reporter *r) {
  free(r->memory[0]);
  free(r->memory[1]);
}

START_TEST(nothing_is_there_before_the_first_report_and_each_is_taken_once) {
  struct reporter r = reporter_make(16, 3);
  ck_assert_ptr_null(estimator_reports_take(r.box));
  for (uint64_t seq = 1; seq <= 2; seq++) {
    reporter_step(&r, seq);
    ck_assert_ptr_null(estimator_reports_take(r.box)); /* every third cycle only */
  }
  reporter_step(&r, 3);
  const struct estimator_report *report = estimator_reports_take(r.box);
  ck_assert_ptr_nonnull(report);
  ck_assert_uint_eq(report->seq, 3);
  ck_assert_ptr_null(estimator_reports_take(r.box));
  for (uint64_t seq = 4; seq <= 9; seq++) {
    reporter_step(&r, seq);
    ck_assert((estimator_reports_take(r.box) != NULL) == (seq % 3 == 0));
  }
  reporter_free(&r);
}
END_TEST

START_TEST(the_reader_gets_the_newest_and_the_rest_is_passed_over) {
  struct reporter r = reporter_make(16, 1);
  for (uint64_t seq = 1; seq <= 10; seq++) {
    reporter_step(&r, seq);
  }
  ck_assert_uint_eq(estimator_reports_take(r.box)->seq, 10);
  reporter_free(&r);
}
END_TEST

START_TEST(a_report_says_of_every_cell_what_the_filter_says) {
  struct reporter r = reporter_make(ROBOT_MAX_CELLS, 1);
  reporter_step(&r, 1);
  const struct estimator_report *report = estimator_reports_take(r.box);
  const struct cell_health *health = pipeline_cells(r.pipeline);
  ck_assert_uint_eq(report->n_cells, health->robot->n_cells);
  ck_assert_uint_gt(report->n_cells, 0);
  for (size_t i = 0; i < report->n_cells; i++) {
    ck_assert_uint_eq(report->cell_state[i], health->cell[i].state);
    ck_assert_uint_eq(report->cell_reason[i], health->cell[i].reason);
    ck_assert(report->cell_residual[i] == health->cell[i].residual);
  }
  uint64_t cells = 0;
  for (int i = 0; i < CELL_STATES; i++) {
    cells += report->cells_in[i];
  }
  ck_assert_uint_eq(cells, report->n_cells);
  ck_assert_uint_eq(report->counters.filter.steps, pipeline_counters(r.pipeline)->steps);
  uint64_t links = 0;
  for (size_t i = 0; i < health->robot->model.n_links; i++) {
    links += pipeline_skin(r.pipeline, i) != NULL;
  }
  ck_assert_uint_gt(links, 0);
  ck_assert_uint_eq(report->links_whole + report->links_partial, links);
  reporter_free(&r);
}
END_TEST

START_TEST(more_cells_than_the_box_was_made_for_are_cut_off) {
  struct reporter r = reporter_make(2, 1);
  reporter_step(&r, 1);
  ck_assert_uint_eq(estimator_reports_take(r.box)->n_cells, 2);
  reporter_free(&r);
}
END_TEST

struct reading {
  struct reporter *reporter;
  atomic_bool stop;
  uint64_t taken, mixed, backwards;
};

static void *read_reports(void *argument) {
  struct reading *reading = argument;
  uint64_t last = 0;
  while (!atomic_load(&reading->stop)) {
    const struct estimator_report *report = estimator_reports_take(reading->reporter->box);
    if (report == NULL) {
      nanosleep(&(struct timespec){.tv_nsec = 10000}, NULL);
      continue;
    }
    reading->taken++;
    reading->mixed += report->t_ns != (int64_t)report->seq * 1000;
    reading->backwards += report->seq <= last;
    last = report->seq;
  }
  return NULL;
}

START_TEST(beside_a_reader_every_report_is_whole_and_newer_than_the_last) {
  struct reporter r = reporter_make(ROBOT_MAX_CELLS, 1);
  struct reading reading = {.reporter = &r};
  pthread_t thread;
  ck_assert_int_eq(pthread_create(&thread, NULL, read_reports, &reading), 0);
  for (uint64_t seq = 1; seq <= 50000; seq++) {
    reporter_step(&r, seq);
    if (seq % 200 == 0) {
      nanosleep(&(struct timespec){.tv_nsec = 50000}, NULL);
    }
  }
  atomic_store(&reading.stop, true);
  pthread_join(thread, NULL);
  ck_assert_uint_gt(reading.taken, 100);
  ck_assert_uint_eq(reading.mixed + reading.backwards, 0);
  reporter_free(&r);
}
END_TEST

SUITE(nothing_is_there_before_the_first_report_and_each_is_taken_once,
      the_reader_gets_the_newest_and_the_rest_is_passed_over,
      a_report_says_of_every_cell_what_the_filter_says,
      more_cells_than_the_box_was_made_for_are_cut_off,
      beside_a_reader_every_report_is_whole_and_newer_than_the_last)
