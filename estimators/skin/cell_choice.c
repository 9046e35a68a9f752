#include "skin/cell_choice.h"

#include <math.h>
#include <string.h>

enum status cell_choice_init(struct cell_choice *choice, const struct robot *robot,
                             double cell_noise, struct arena *arena) {
  const struct cell_selection_settings settings = cell_selection_defaults();
  const size_t n = robot->n_cells, links = robot->model.n_links;
  *choice = (struct cell_choice){.max_cells = n, .max_links = links};
  choice->order = ARENA_ARRAY(arena, size_t, n);
  choice->rank = ARENA_ARRAY(arena, size_t, n);
  choice->first = ARENA_ARRAY(arena, size_t, links + 1);
  choice->place = ARENA_ARRAY(arena, vec3, n);
  choice->weight = ARENA_ARRAY(arena, double, n);
  choice->neighbours = ARENA_ARRAY(arena, struct cell_neighbours, n);
  choice->usable = ARENA_ARRAY(arena, bool, n);
  choice->set = ARENA_ARRAY(arena, size_t, n);
  choice->chosen = ARENA_ARRAY(arena, bool, n);
  const enum status status = cell_selection_init(&choice->selection, &settings, n, arena);
  if (status != STATUS_OK || arena_is_counting(arena)) {
    return status;
  }
  return arena->failed ? STATUS_NO_MEMORY : cell_choice_describe(choice, robot, cell_noise, 0);
}

/* Sorts the cells by link, keeping their order. */
static void sort_by_link(struct cell_choice *choice, const struct robot *robot) {
  memset(choice->first, 0, (choice->n_links + 1) * sizeof(size_t));
  for (size_t k = 0; k < robot->n_cells; k++) {
    choice->first[robot->cell[k].link + 1]++;
  }
  for (size_t l = 0; l < choice->n_links; l++) {
    choice->first[l + 1] += choice->first[l];
  }
  for (size_t k = robot->n_cells; k > 0;
       k--) { /* from the back, `first` of the next link counts down */
    choice->rank[k - 1] = --choice->first[robot->cell[k - 1].link + 1];
    choice->order[choice->rank[k - 1]] = k - 1;
  }
  for (size_t l = 0; l < choice->n_links; l++) { /* now first[l + 1] is where link l begins */
    choice->first[l] = choice->first[l + 1];
  }
  choice->first[choice->n_links] = robot->n_cells;
}

enum status cell_choice_describe(struct cell_choice *choice, const struct robot *robot,
                                 double cell_noise, size_t per_link) {
  if (robot->n_cells > choice->max_cells || robot->model.n_links > choice->max_links) {
    return STATUS_BAD_ARGUMENT;
  }
  choice->n_cells = robot->n_cells;
  choice->n_links = robot->model.n_links;
  choice->per_link = per_link < CELL_SELECTION_MAX ? per_link : CELL_SELECTION_MAX;
  sort_by_link(choice, robot);
  for (size_t i = 0; i < choice->n_cells; i++) {
    const size_t cell = choice->order[i], first = choice->first[robot->cell[cell].link];
    choice->place[i] = robot->cell[cell].placement.p;
    choice->weight[i] = 1.0 / (cell_noise * cell_noise);
    choice->neighbours[i] = robot->neighbours[cell];
    for (size_t e = 0; e < choice->neighbours[i].count; e++) {
      choice->neighbours[i].cell[e] =
          (uint16_t)(choice->rank[choice->neighbours[i].cell[e]] - first);
    }
    choice->usable[i] = true;
    choice->set[i] = SIZE_MAX; /* no choice yet */
    choice->chosen[cell] = true;
  }
  choice->n_chosen = choice->n_cells;
  return STATUS_OK;
}

void cell_choice_on(struct cell_choice *choice, size_t link) {
  const size_t first = choice->first[link], n = choice->first[link + 1] - first;
  const struct cell_field field = {.n = n,
                                   .r = choice->place + first,
                                   .weight = choice->weight + first,
                                   .neighbours = choice->neighbours + first,
                                   .usable = choice->usable + first};
  struct cell_selection_report report = {0};
  size_t usable = 0;
  for (size_t i = 0; i < n; i++) {
    usable += field.usable[i];
  }
  const bool few = choice->per_link == 0 || usable <= choice->per_link;
  const bool selected = !few && cell_selection_run(choice->selection, &field, choice->per_link,
                                                   choice->set + first, &report) == STATUS_OK;
  for (size_t i = 0; i < n; i++) {
    choice->chosen[choice->order[first + i]] = !selected && field.usable[i];
  }
  for (size_t k = 0; k < choice->per_link && selected; k++) {
    choice->chosen[choice->order[first + choice->set[first + k]]] = true;
  }
  choice->n_chosen += selected ? choice->per_link : usable;
  choice->worst_cost = selected ? fmax(choice->worst_cost, report.cost) : choice->worst_cost;
}

void cell_choice_begin(struct cell_choice *choice) {
  choice->n_chosen = 0;
  choice->worst_cost = 0.0;
}
