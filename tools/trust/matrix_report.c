/* The whole matrix of faults, a process for each robot and motion. */
#include "fault_matrix.h"
#include "report.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_GROUPS = 16, STALL_SEEDS = 20, LISTED = 60 };

/* Each group draws its own cells, moments and limbs. */
static uint64_t seed_of(size_t group, uint64_t seed) {
  return seed + 1000 * group;
}

/* What a process finds out about its group; shared memory. */
struct group_result {
  bool done, tried[MATRIX_CELLS], stalled[STALL_SEEDS];
  struct verdict cell[MATRIX_CELLS], stall[STALL_SEEDS];
  double healthy_ok;
};

static void try_group(const struct matrix_group *group, double share, uint64_t seed,
                      struct group_result *result) {
  struct fault_bench *bench = malloc(sizeof(*bench));
  struct message error = {""};
  if (bench == NULL ||
      fault_bench_init(bench, group->robot, group->motion, NULL, 1, &error) != STATUS_OK ||
      fault_bench_reach(bench, BENCH_MOMENTS - 1) != STATUS_OK) {
    fprintf(stderr, "%s: %s\n", group->robot, error.text);
    return;
  }
  struct sim_random random = sim_random_from(seed, 900);
  result->healthy_ok = score_ok(&bench->healthy);
  for (size_t i = 0; i < MATRIX_CELLS; i++) {
    const struct burst_fault fault = matrix_fault(i);
    if (sim_uniform(&random, 0.0, 1.0) < share) {
      result->tried[i] =
          fault_bench_try(bench, &fault, matrix_seed(i, seed), &result->cell[i], NULL);
    }
  }
  for (uint64_t i = 0; i < STALL_SEEDS && group->motion == MOTION_WALK; i++) {
    if (sim_uniform(&random, 0.0, 1.0) < share) {
      trust_run_restore(&bench->run, &bench->moment[0]);
      result->stall[i] = verdict_of_stalls(&bench->run, &STALLS_OF(seed + i), NULL);
      result->stalled[i] = true;
    }
  }
  result->done = true;
  fault_bench_free(bench);
  free(bench);
}

/* As many processes as processors, a group each. */
static void try_all(double share, uint64_t seed, struct group_result *results) {
  const long processors = sysconf(_SC_NPROCESSORS_ONLN);
  long running = 0;
  for (size_t i = 0; matrix_group(i) != NULL && i < MOST_GROUPS; i++) {
    if (running >= processors) {
      wait(NULL);
      running--;
    }
    const pid_t child = fork();
    if (child == 0) {
      try_group(matrix_group(i), share, seed_of(i, seed), &results[i]);
      _exit(0);
    }
    running += child > 0;
  }
  while (wait(NULL) > 0) {
  }
}

/* Passed of tried, sensor by kind. */
static void report_kinds(struct report *report, const struct group_result *results) {
  struct table *table = table_create("Passed of tried", "sensor", "zero", "full", "negated",
                                     "offset", "frozen", "noise", NULL);
  for (size_t sensor = 0; sensor < BURST_SENSORS; sensor++) {
    table_row(table, burst_sensor_name(sensor));
    for (size_t kind = 0; kind < MATRIX_KINDS; kind++) {
      struct matrix_count count = {0};
      for (size_t i = 0; i < MATRIX_CELLS; i++) {
        const struct burst_fault fault = matrix_fault(i);
        for (size_t g = 0; fault.sensor == sensor && fault.kind == kind && g < MOST_GROUPS; g++) {
          if (results[g].tried[i]) {
            matrix_count_add(&count, &results[g].cell[i]);
          }
        }
      }
      char text[48];
      snprintf(text, sizeof(text), "%lu of %lu", (unsigned long)count.passed,
               (unsigned long)count.tried);
      table_text(table, text);
    }
  }
  report_table(report, table);
}

static void report_groups(struct report *report, const struct group_result *results) {
  struct table *table =
      table_create("By robot and motion", "robot", "motion", "healthy ok %", "tried", "passed",
                   "late", "ok and wrong", "q wrong", "reset twice", "stalls", "passed", NULL);
  for (size_t g = 0; matrix_group(g) != NULL; g++) {
    struct matrix_count cells = {0}, stalls = {0};
    for (size_t i = 0; i < MATRIX_CELLS; i++) {
      if (results[g].tried[i]) {
        matrix_count_add(&cells, &results[g].cell[i]);
      }
    }
    for (size_t i = 0; i < STALL_SEEDS; i++) {
      if (results[g].stalled[i]) {
        matrix_count_add(&stalls, &results[g].stall[i]);
      }
    }
    const uint64_t columns[] = {cells.tried, cells.passed,      cells.late,   cells.lied,
                                cells.wrong, cells.reset_twice, stalls.tried, stalls.passed};
    table_row(table, matrix_group(g)->robot);
    table_text(table, bench_motion_name(matrix_group(g)->motion));
    table_number(table, "%.1f", 100.0 * results[g].healthy_ok);
    for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++) {
      table_number(table, "%.0f", (double)columns[i]);
    }
  }
  report_table(report, table);
}

/* The cells that failed, as the command line takes them. */
static void report_failures(struct report *report, const struct group_result *results,
                            uint64_t seed) {
  int listed = 0;
  for (size_t g = 0; matrix_group(g) != NULL; g++) {
    for (size_t i = 0; i < MATRIX_CELLS && listed < LISTED; i++) {
      const struct verdict *v = &results[g].cell[i];
      const struct burst_fault fault = matrix_fault(i);
      if (results[g].tried[i] && !verdict_passes(v)) {
        report_text(report,
                    "--robot %s --motion %s --fault %s:%s:%g:%lu : right %.3f s, ok %.3f s, q "
                    "wrong %.3f s, ok and wrong %.3f s (%s), %u resets",
                    matrix_group(g)->robot, bench_motion_name(matrix_group(g)->motion),
                    burst_sensor_name(fault.sensor), burst_kind_name(fault.kind),
                    1e3 * fault.length_s, (unsigned long)matrix_seed(i, seed_of(g, seed)),
                    v->right_s, v->ok_s, v->q_wrong_s, v->lie_s, quantity_row(v->liar)->name,
                    v->resets);
        listed++;
      }
    }
  }
}

static void report_limits(struct report *report, const struct group_result *results) {
  struct matrix_count cells = {0}, stalls = {0};
  double longest_lie = 0.0;
  for (size_t g = 0; matrix_group(g) != NULL; g++) {
    for (size_t i = 0; i < MATRIX_CELLS; i++) {
      if (results[g].tried[i]) {
        matrix_count_add(&cells, &results[g].cell[i]);
        longest_lie = fmax(longest_lie, results[g].cell[i].lie_s);
      }
    }
    for (size_t i = 0; i < STALL_SEEDS; i++) {
      if (results[g].stalled[i]) {
        matrix_count_add(&stalls, &results[g].stall[i]);
      }
    }
    char title[96];
    snprintf(title, sizeof(title), "%s, %s: runs to its end", matrix_group(g)->robot,
             bench_motion_name(matrix_group(g)->motion));
    report_at_least(report, title, results[g].done ? 1.0 : 0.0, 1.0, "");
  }
  const double n = (double)cells.tried;
  report_at_least(report, "right and ok again within 1 s", 1.0 - (double)cells.late / n, 0.99, "");
  report_at_most(report, "bursts after which positions stayed wrong", (double)cells.wrong, 0.0, "");
  report_at_most(report, "longest stretch of ok and beyond five deviations", longest_lie,
                 VERDICT_LIE_S, "s");
  report_at_least(report, "passed in everything", (double)cells.passed / n, 0.99, "");
  report_at_least(report, "stalls: right and ok within 1 s of the last",
                  1.0 - (double)stalls.late / (double)stalls.tried, 0.99, "");
  report_at_least(report, "stalls: passed in everything",
                  (double)stalls.passed / (double)stalls.tried, 0.99, "");
}

int matrix_report(const char *folder, double share, uint64_t seed) {
  struct report *report = report_open(folder, "trust", "Bursts of wrong readings, and stalls");
  const size_t bytes = MOST_GROUPS * sizeof(struct group_result);
  struct group_result *results =
      mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (results == MAP_FAILED) {
    report_text(report, "no memory");
    return report_close(report);
  }
  try_all(share, seed, results);
  report_text(
      report,
      "Every sensor x kind x 1, 10, 100, 800 ms on every robot and motion, %.0f %% of them, "
      "seed %lu; 20 walks with stalls of 20 to 400 ms. A line below, given to this program, "
      "repeats a cell.",
      100.0 * share, (unsigned long)seed);
  report_groups(report, results);
  report_kinds(report, results);
  report_failures(report, results, seed);
  report_limits(report, results);
  munmap(results, bytes);
  return report_close(report);
}
