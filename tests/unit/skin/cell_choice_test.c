#include "skin/cell_choice.h"

#include "stock_robot.h"
#include "support/suite.h"

#include <stdio.h>
#include <stdlib.h>

/* Every link after the other, as the worker does bit by bit. */
static void cell_choice_run(struct cell_choice *choice) {
  cell_choice_begin(choice);
  for (size_t link = 0; link < choice->n_links; link++) {
    cell_choice_on(choice, link);
  }
}

static struct stock_robot stock;
static struct cell_choice choice;

static void set_up(size_t per_link) {
  struct message error = {""};
  ck_assert_msg(stock_robot_load("humanoid30", "config/robots", &stock, &error) == STATUS_OK, "%s",
                error.text);
  struct arena arena = {0};
  ck_assert_int_eq(cell_choice_init(&choice, stock.robot, 0.34, &arena), STATUS_OK);
  arena = arena_over(aligned_alloc(ARENA_ALIGN, arena.used), arena.used);
  ck_assert_int_eq(cell_choice_init(&choice, stock.robot, 0.34, &arena), STATUS_OK);
  ck_assert_int_eq(cell_choice_describe(&choice, stock.robot, 0.34, per_link), STATUS_OK);
}

static size_t count_chosen(size_t link) {
  size_t n = 0;
  for (size_t k = 0; k < stock.robot->n_cells; k++) {
    n += stock.robot->cell[k].link == link && choice.chosen[k];
  }
  return n;
}

static size_t count_cells(size_t link) {
  size_t n = 0;
  for (size_t k = 0; k < stock.robot->n_cells; k++) {
    n += stock.robot->cell[k].link == link;
  }
  return n;
}

START_TEST(every_link_of_a_humanoid_keeps_its_budget) {
  set_up(10);
  cell_choice_run(&choice);
  size_t total = 0;
  for (size_t link = 0; link < stock.robot->model.n_links; link++) {
    const size_t cells = count_cells(link);
    ck_assert_uint_eq(count_chosen(link), cells < 10 ? cells : 10);
    total += count_chosen(link);
  }
  ck_assert_uint_eq(choice.n_chosen, total);
  printf("%zu of %zu cells, worst cost %.4f\n", total, stock.robot->n_cells, choice.worst_cost);
}
END_TEST

START_TEST(without_a_budget_all_usable_cells_are_chosen) {
  set_up(0);
  cell_choice_allow(&choice, 17, false);
  cell_choice_run(&choice);
  for (size_t k = 0; k < stock.robot->n_cells; k++) {
    ck_assert(choice.chosen[k] == (k != 17));
  }
}
END_TEST

START_TEST(cells_that_drop_out_are_replaced_on_their_link_and_nothing_moves_elsewhere) {
  set_up(10);
  cell_choice_run(&choice);
  bool *before = malloc(stock.robot->n_cells);
  const size_t link = stock.robot->cell[600].link;
  for (size_t k = 0; k < stock.robot->n_cells; k++) {
    before[k] = choice.chosen[k];
    if (before[k] && stock.robot->cell[k].link == link) {
      cell_choice_allow(&choice, k, false);
    }
  }
  cell_choice_run(&choice);
  for (size_t k = 0; k < stock.robot->n_cells; k++) {
    if (stock.robot->cell[k].link == link) {
      ck_assert(!(before[k] && choice.chosen[k]));
    } else {
      ck_assert(before[k] == choice.chosen[k]);
    }
  }
  ck_assert_uint_eq(count_chosen(link), 10);
  free(before);
}
END_TEST

START_TEST(a_link_with_fewer_usable_cells_than_its_budget_keeps_them_all) {
  set_up(10);
  const size_t link = stock.robot->cell[0].link;
  size_t left = 0;
  for (size_t k = 0; k < stock.robot->n_cells; k++) {
    if (stock.robot->cell[k].link == link && ++left > 4) {
      cell_choice_allow(&choice, k, false);
    }
  }
  cell_choice_run(&choice);
  ck_assert_uint_eq(count_chosen(link), 4);
}
END_TEST

SUITE(every_link_of_a_humanoid_keeps_its_budget, without_a_budget_all_usable_cells_are_chosen,
      cells_that_drop_out_are_replaced_on_their_link_and_nothing_moves_elsewhere,
      a_link_with_fewer_usable_cells_than_its_budget_keeps_them_all)
