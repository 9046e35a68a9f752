#include "cycle/cell_chooser.h"

#include "common/clock.h"
#include "stock_robot.h"
#include "support/suite.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

enum { BUDGET = 10, OTHER_BUDGET = 20 };

static struct stock_robot stock;
static struct segment_keeper keeper;
static struct cell_chooser chooser;
static struct worker *worker;

static void set_up(void) {
  struct message error = {""};
  ck_assert_msg(stock_robot_load("humanoid30", "config/robots", &stock, &error) == STATUS_OK, "%s",
                error.text);
  keeper.count[PROPRIOD_SHM_SKIN] = (uint32_t)stock.robot->n_cells;
  worker = worker_start(&error);
  ck_assert_ptr_nonnull(worker);
  struct arena arena = {0};
  ck_assert_int_eq(cell_chooser_init(&chooser, stock.robot, 0.34, worker, &keeper, &arena),
                   STATUS_OK);
  arena = arena_over(aligned_alloc(ARENA_ALIGN, arena.used), arena.used);
  ck_assert_int_eq(cell_chooser_init(&chooser, stock.robot, 0.34, worker, &keeper, &arena),
                   STATUS_OK);
}

/* A pipeline in the memory of `before`, or in memory of its own. */
static struct pipeline *build(struct pipeline *before, int cells_per_link) {
  struct pipeline_settings settings = pipeline_defaults();
  struct pipeline *pipeline = before;
  settings.cells_per_link = cells_per_link;
  struct arena arena = {0};
  pipeline_init(&pipeline, stock.robot, &settings, &arena);
  void *memory = before != NULL ? (void *)before : aligned_alloc(ARENA_ALIGN, arena.used);
  arena = arena_over(memory, arena.used);
  ck_assert_int_eq(pipeline_init(&pipeline, stock.robot, &settings, &arena), STATUS_OK);
  ck_assert(before == NULL || pipeline == before);
  return pipeline;
}

/* Cells in use on the link that has cell 600, which has more than any budget here. */
static size_t cells_in_use(const struct pipeline *pipeline) {
  size_t n = 0;
  for (size_t k = 0; k < stock.robot->n_cells; k++) {
    n +=
        stock.robot->cell[k].link == stock.robot->cell[600].link && pipeline_uses_cell(pipeline, k);
  }
  return n;
}

static size_t cells_wanted(void) {
  size_t n = 0;
  for (size_t k = 0; k < stock.robot->n_cells; k++) {
    n += stock.robot->cell[k].link == stock.robot->cell[600].link &&
         (keeper.wanted[k / 64] >> k % 64 & 1) != 0;
  }
  return n;
}

/* Cycles until the worker has been heard, twenty seconds at most: it comes last on a busy
 * machine. */
static void cycle_until_chosen(struct pipeline *pipeline, size_t all) {
  const int64_t deadline_ns = clock_now_ns() + 20 * NS_PER_S;
  while (cells_in_use(pipeline) == all && clock_now_ns() < deadline_ns) {
    cell_chooser_cycle(&chooser, pipeline);
    usleep(1000);
  }
}

START_TEST(the_budget_of_a_pipeline_is_kept_and_the_driver_told) {
  set_up();
  struct pipeline *pipeline = build(NULL, BUDGET);
  const size_t all = cells_in_use(pipeline);
  ck_assert_uint_gt(all, OTHER_BUDGET);
  cycle_until_chosen(pipeline, all);
  ck_assert_uint_eq(cells_in_use(pipeline), BUDGET);
  ck_assert_uint_eq(cells_wanted(), BUDGET);
  worker_stop(worker);
}
END_TEST

static atomic_bool go_on;

static void wait_to_go_on(struct worker_job *job) {
  (void)job;
  while (!atomic_load(&go_on)) {
    usleep(1000);
  }
}

static void ignore(struct worker_job *job) {
  (void)job;
}

/* The third pipeline lies where the first was, as memory that was freed comes back, and the choice
 * for the first is still under way. */
START_TEST(two_reloads_during_one_choice_leave_the_last_pipeline_with_its_own_budget) {
  static struct worker_job busy = {.run = wait_to_go_on, .adopt = ignore};
  set_up();
  ck_assert(worker_post(worker, &busy));
  struct pipeline *first = build(NULL, BUDGET);
  const size_t all = cells_in_use(first);
  cell_chooser_cycle(&chooser, first);
  struct pipeline *second = build(NULL, BUDGET);
  cell_chooser_cycle(&chooser, second);
  struct pipeline *third = build(first, OTHER_BUDGET);
  cell_chooser_cycle(&chooser, third);
  ck_assert_uint_eq(cells_in_use(third), all);
  atomic_store(&go_on, true);
  cycle_until_chosen(third, all);
  ck_assert_uint_eq(cells_in_use(third), OTHER_BUDGET);
  ck_assert_uint_eq(cells_wanted(), OTHER_BUDGET);
  worker_stop(worker);
}
END_TEST

SUITE(the_budget_of_a_pipeline_is_kept_and_the_driver_told,
      two_reloads_during_one_choice_leave_the_last_pipeline_with_its_own_budget)
