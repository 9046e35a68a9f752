/* Time to choose 7 of 144 cells, from nothing and after one of the chosen cells was lost. */
#include "support/bench_clock.h"
#include "support/cylinder_skin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { CHOSEN = 7, RUNS = 400 };

static void print(const char *name, double *us) {
  qsort(us, RUNS, sizeof(double), by_value);
  printf("{\"name\": \"%s\", \"value\": %.1f, \"unit\": \"us\", \"p99\": %.1f, \"runs\": %d}\n",
         name, us[RUNS / 2], us[RUNS * 99 / 100], RUNS);
}

int main(void) {
  static vec3 place[CELLS];
  static double weight[CELLS], fresh[RUNS], again[RUNS];
  static struct cell_neighbours neighbours[CELLS];
  static bool usable[CELLS];
  const struct cell_field field = cylinder_skin(place, weight, neighbours, usable);
  const struct cell_selection_settings settings = cell_selection_defaults();
  struct cell_selection *selection = NULL;
  struct arena count = {0};
  cell_selection_init(&selection, &settings, CELLS, &count);
  struct arena arena = arena_over(aligned_alloc(ARENA_ALIGN, count.used), count.used);
  if (arena.base == NULL ||
      cell_selection_init(&selection, &settings, CELLS, &arena) != STATUS_OK) {
    return EXIT_FAILURE;
  }
  for (int run = 0; run < RUNS; run++) {
    size_t chosen[CHOSEN];
    struct cell_selection_report report;
    memset(chosen, 0xff, sizeof(chosen));
    double start = now_us();
    cell_selection_run(selection, &field, CHOSEN, chosen, &report);
    fresh[run] = now_us() - start;
    const size_t lost = chosen[run % CHOSEN];
    usable[lost] = false;
    start = now_us();
    cell_selection_run(selection, &field, CHOSEN, chosen, &report);
    again[run] = now_us() - start;
    usable[lost] = true;
  }
  print("cell_selection_7_of_144", fresh);
  print("cell_selection_7_of_144_after_a_loss", again);
  free(arena.base);
  return EXIT_SUCCESS;
}
