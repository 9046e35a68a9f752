/* The daily tool: one fault, one imperfection or the whole matrix of faults through the product's
 * own path, with the truth beside it. */
#include "sim_arguments.h"
#include "trust/fault_matrix.h"

#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "usage: trust [--robot NAME[@SIZE]] [--motion stand|walk|arm] [OPTION ...]\n"
    "       trust FOLDER            the whole matrix, as a report\n"
    "\n"
    "Simulates a robot, steps the pipeline over its sensors and compares everything\n"
    "that is published with the truth.\n"
    "\n"
    "  -r, --robot NAME[@SIZE]  a stock robot, or one of another size (humanoid30);\n"
    "                           NAME-bare has no skin; or FILE.yaml, any robot's\n"
    "                           configuration\n"
    "  -m, --motion MOTION      stand, walk or arm (walk)\n"
    "  -f, --fault SENSOR:KIND:MS[:SEED]\n"
    "                           a burst: accelerometer gyro imu limb link skin forces;\n"
    "                           zero full negated offset frozen noise silent slight;\n"
    "                           ms; the seed says which limb or link, and when\n"
    "  -s, --stalls SEED[:MS]   all streams stall again and again, so long at most (400)\n"
    "  -w, --with NAME=VALUE    a number or stream of propriod-sim (its --help)\n"
    "      --scenario NAME      any scenario of propriod-sim instead of the motion\n"
    "      --no-skin, --no-imu, --no-forces, --no-torques\n"
    "      --arrival-stamps     of every stream; the settings say so\n"
    "      --seed N             of everything simulated (1)\n"
    "      --begin S            the daemon starts so late, the robot long moves (0)\n"
    "      --from S             score from here on (2)\n"
    "      --seconds S          how long (9)\n"
    "      --trace FILE         errors of every instant as CSV\n"
    "      --matrix             every burst on this robot and motion\n"
    "      --share X            only that share of them (1)\n"
    "  -h, --help\n";

struct order {
  const char *robot, *fault, *trace, *scenario;
  enum bench_motion motion;
  uint64_t seed;
  struct stalls stall;
  bool stalls, matrix, no_skin, no_imu, no_forces, no_torques, arrival_stamps;
  double begin_s, from_s, seconds, share;
  size_t n_with;
  const char *with[64];
};

static void give_up(const char *what, const char *why) {
  fprintf(stderr, "trust: %s: %s\n", what, why);
  exit(1);
}

static size_t find_name(const char *word, const char *(*name)(size_t)) {
  size_t i = 0;
  while (name(i) != NULL && strcmp(name(i), word) != 0) {
    i++;
  }
  if (name(i) == NULL) {
    give_up(word, "unknown; --help lists the words");
  }
  return i;
}

/* -- one run ---------------------------------------------------------------------------------- */

static void apply_with(const struct order *order, struct sim_options *options) {
  for (size_t i = 0; i < order->n_with; i++) {
    char name[64];
    const char *equals = strchr(order->with[i], '=');
    if (equals == NULL) {
      give_up(order->with[i], "NAME=VALUE is needed");
    }
    snprintf(name, sizeof(name), "%.*s", (int)(equals - order->with[i]), order->with[i]);
    if (!sim_arguments_set(name, equals + 1, options)) {
      exit(2);
    }
  }
}

static struct sim_options options_of(const struct order *order, const struct stock_robot *stock) {
  struct sim_options options = bench_options(stock, order->motion, order->seed);
  options.scenario = order->scenario != NULL ? order->scenario : options.scenario;
  if (order->seconds > 0.0) {
    options.duration_s = order->seconds;
  }
  options.stream[PROPRIOD_SHM_SKIN].rate_hz *= !order->no_skin;
  options.stream[PROPRIOD_SHM_IMU].rate_hz *= !order->no_imu;
  options.stream[PROPRIOD_SHM_WRENCH].rate_hz *= !order->no_forces;
  options.joints.has_effort = !order->no_torques;
  for (size_t i = 0; i < PROPRIOD_SHM_STREAMS; i++) {
    options.stream[i].arrival_stamps = order->arrival_stamps;
  }
  apply_with(order, &options);
  return options;
}

static void print_quantity(const struct score *score, size_t i, double period_s) {
  const struct quantity_row *row = quantity_row(i);
  const struct quantity_score *s = &score->of[i];
  const enum quantity q = (enum quantity)i;
  printf("%-14s %-8s %10.4g %10.4g %10.4g", row->name, row->unit, row->scale * score_rms(score, q),
         row->scale * score_mean(score, q), row->scale * s->worst);
  if (s->with_sd > 0) {
    printf(" %9.3g %9.3g %9.2g", score_nees(score, q), s->worst_sigma,
           (double)s->beyond / (double)s->with_sd);
  } else {
    printf(" %9s %9s %9s", "-", "-", "-");
  }
  printf(" %8.3f\n", period_s * (double)s->longest_lie);
}

static void print_score(const struct score *score, double period_s) {
  static const char *const status[SCORE_STATUSES] = {"init", "ok", "degraded", "diverged", "stale"};
  printf("%-14s %-8s %10s %10s %10s %9s %9s %9s %8s\n", "quantity", "unit", "rms", "mean", "worst",
         "NEES", "worst sd", "beyond 5", "ok lie s");
  for (size_t i = 0; i < QUANTITIES; i++) {
    if (score->of[i].samples > 0) {
      print_quantity(score, i, period_s);
    }
  }
  for (int i = 0; i < SCORE_STATUSES; i++) {
    printf("%s%s %.1f %%", i > 0 ? ", " : "", status[i],
           100.0 * (double)score->with_status[i] / (double)score->samples);
  }
  printf("; %u resets, %lu pushes\n", score->resets, (unsigned long)score->pushes);
}

static void print_verdict(const char *what, const char *target, const struct verdict *v) {
  printf("%-6s %-34s %-16s right %6.3f s  ok %6.3f s  q wrong %5.3f s (worst %8.3g mrad)  "
         "tilt %6.2f deg  lie %5.3f s%s%s  resets %u%s\n",
         verdict_passes(v) ? "passed" : "FAILED", what, target, v->right_s, v->ok_s, v->q_wrong_s,
         1e3 * v->worst_q, v->worst_tilt * 180.0 / M_PI, v->lie_s, v->lie_s > 0.0 ? " of " : "",
         v->lie_s > 0.0 ? quantity_row(v->liar)->name : "", v->resets,
         v->finite ? "" : "  NOT FINITE");
}

/* A line of the trace: what each quantity is off by, in its largest component. */
static void trace_line(FILE *out, const struct trust_run *run) {
  const struct quantity_truth truth = trust_run_truth(run);
  fprintf(out, "%.4f,%d,%d,%lu", run->tape->period_s * (double)(run->next - 1),
          (int)run->out.state.status, (int)run->out.centroidal.status, run->out.state.resets);
  for (size_t i = 0; i < QUANTITIES; i++) {
    struct quantity_error e;
    double worst = (double)NAN, sigmas = (double)NAN;
    quantity_compare((enum quantity)i, &run->out, &truth, &e);
    for (size_t c = 0; c < e.n; c++) {
      worst = fmax(worst, fabs(e.error[c]));
      sigmas = fmax(sigmas, fabs(e.error[c]) / e.sd[c]);
    }
    fprintf(out, ",%.5g,%.4g", quantity_row(i)->scale * worst, sigmas);
  }
  fputc('\n', out);
}

static FILE *open_trace(const char *path) {
  FILE *out = fopen(path, "w");
  if (out == NULL) {
    give_up(path, "cannot be written");
  }
  fputs("t,status,centroidal_status,resets", out);
  for (size_t i = 0; i < QUANTITIES; i++) {
    fprintf(out, ",%s (%s),%s (sd)", quantity_row(i)->name, quantity_row(i)->unit,
            quantity_row(i)->name);
  }
  fputc('\n', out);
  return out;
}

static void load(const struct order *order, struct stock_robot *stock) {
  struct message error = {""};
  if (scaled_robot_load(order->robot, "config/robots", stock, &error) != STATUS_OK) {
    give_up(order->robot, error.text);
  }
}

static void record(const struct order *order, struct stock_robot *stock, struct tape *tape) {
  struct message error = {""};
  load(order, stock);
  const struct sim_options options = options_of(order, stock);
  if (tape_record(tape, &options, &error) != STATUS_OK) {
    give_up(order->robot, error.text);
  }
}

static void start_run(struct trust_run *run, const struct tape *tape) {
  const struct pipeline_settings settings = trust_settings(tape);
  if (trust_run_init(run, tape, &settings) != STATUS_OK) {
    give_up(tape->robot->model.name, "the estimators refuse it");
  }
}

static void run_through(const struct order *order, struct trust_run *run) {
  static struct score score;
  FILE *trace = order->trace != NULL ? open_trace(order->trace) : NULL;
  score_reset(&score);
  while (trust_run_step(run, NULL)) {
    if (run->tape->period_s * (double)run->next > order->from_s) {
      const struct quantity_truth truth = trust_run_truth(run);
      score_add(&score, &run->out, &truth);
    }
    if (trace != NULL) {
      trace_line(trace, run);
    }
  }
  if (trace != NULL) {
    fclose(trace);
  }
  print_score(&score, run->tape->period_s);
}

/* SENSOR:KIND:MS[:SEED] */
static struct burst_fault read_fault(const char *text) {
  char sensor[32], kind[32];
  double ms = 0.0;
  unsigned long seed = 1;
  if (sscanf(text, "%31[^:]:%31[^:]:%lf:%lu", sensor, kind, &ms, &seed) < 3) {
    give_up(text, "SENSOR:KIND:MS[:SEED] is needed");
  }
  return (struct burst_fault){.sensor = (enum burst_sensor)find_name(sensor, burst_sensor_name),
                              .kind = (enum burst_kind)find_name(kind, burst_kind_name),
                              .start_s = bench_moment_s(seed),
                              .length_s = 1e-3 * ms,
                              .seed = seed};
}

static void run_fault(const struct order *order, struct trust_run *run) {
  static struct score score;
  struct burst burst;
  const struct burst_fault fault = read_fault(order->fault);
  if (!burst_init(&burst, &fault, run->tape)) {
    give_up(order->fault, "this robot has no such sensor, or the run is too short");
  }
  FILE *trace = order->trace != NULL ? open_trace(order->trace) : NULL;
  struct trust_moment before;
  while (run->next < burst.first) {
    trust_run_step(run, NULL);
  }
  if (trust_run_save(run, &before) != STATUS_OK) {
    give_up("trace", "no memory");
  }
  const struct verdict verdict = verdict_of_burst(run, &burst, &score);
  print_verdict(order->fault, burst_target(&burst), &verdict);
  print_score(&score, run->tape->period_s);
  if (trace != NULL) { /* once more, line by line */
    struct burst again;
    burst_init(&again, &fault, run->tape);
    trust_run_restore(run, &before);
    while (trust_run_step(run, &again)) {
      trace_line(trace, run);
    }
    burst_free(&again);
    fclose(trace);
  }
  trust_moment_free(&before);
  burst_free(&burst);
}

static void run_stalls(const struct order *order, struct trust_run *run) {
  static struct score score;
  while (run->tape->period_s * (double)run->next < order->from_s) {
    trust_run_step(run, NULL);
  }
  const struct verdict verdict = verdict_of_stalls(run, &order->stall, &score);
  print_verdict("stalls", "", &verdict);
  print_score(&score, run->tape->period_s);
}

static void run_one(const struct order *order) {
  struct stock_robot stock;
  struct tape tape;
  struct trust_run run;
  record(order, &stock, &tape);
  start_run(&run, &tape);
  run.next = (size_t)lround(order->begin_s / tape.period_s);
  if (order->fault != NULL) {
    run_fault(order, &run);
  } else if (order->stalls) {
    run_stalls(order, &run);
  } else {
    run_through(order, &run);
  }
  trust_run_free(&run);
  tape_free(&tape);
  scaled_robot_free(&stock);
}

/* -- the matrix ------------------------------------------------------------------------------- */

static struct matrix_count run_matrix(const struct order *order) {
  static struct fault_bench bench;
  const uint64_t seed = order->seed;
  struct matrix_count count = {0};
  struct message error = {""};
  struct stock_robot stock;
  load(order, &stock);
  const struct sim_options options = options_of(order, &stock);
  if (fault_bench_init(&bench, order->robot, order->motion, &options, seed, &error) != STATUS_OK ||
      fault_bench_reach(&bench, BENCH_MOMENTS - 1) != STATUS_OK) {
    give_up(order->robot, error.text);
  }
  struct sim_random random = sim_random_from(seed, 900);
  for (size_t i = 0; i < MATRIX_CELLS; i++) {
    const struct burst_fault fault = matrix_fault(i);
    struct verdict verdict;
    const char *target;
    char what[96];
    if (sim_uniform(&random, 0.0, 1.0) >= order->share ||
        !fault_bench_try(&bench, &fault, matrix_seed(i, seed), &verdict, &target)) {
      continue;
    }
    matrix_count_add(&count, &verdict);
    snprintf(what, sizeof(what), "%s:%s:%g:%lu", burst_sensor_name(fault.sensor),
             burst_kind_name(fault.kind), 1e3 * fault.length_s,
             (unsigned long)matrix_seed(i, seed));
    print_verdict(what, target, &verdict);
  }
  printf("%s %s: healthy ok %.1f %%; %lu of %lu passed; %lu late, %lu lied, %lu wrong positions, "
         "%lu reset twice\n",
         order->robot, bench_motion_name(order->motion), 100.0 * score_ok(&bench.healthy),
         (unsigned long)count.passed, (unsigned long)count.tried, (unsigned long)count.late,
         (unsigned long)count.lied, (unsigned long)count.wrong, (unsigned long)count.reset_twice);
  fault_bench_free(&bench);
  scaled_robot_free(&stock);
  return count;
}

/* SEED[:MS] */
static struct stalls stalls_of(const char *text) {
  char *end;
  struct stalls stalls = STALLS_OF(strtoull(text, &end, 10));
  if (*end == ':') {
    stalls.longest_s = 1e-3 * strtod(end + 1, NULL);
  }
  return stalls;
}

static bool take(int option, struct order *order) {
  switch (option) {
  case 'r':
    order->robot = optarg;
    return true;
  case 'm':
    order->motion = (enum bench_motion)find_name(optarg, bench_motion_name);
    return true;
  case 'f':
    order->fault = optarg;
    return true;
  case 's':
    order->stalls = true;
    order->stall = stalls_of(optarg);
    return true;
  case 'w':
    if (order->n_with == sizeof(order->with) / sizeof(order->with[0])) {
      give_up(optarg, "too many");
    }
    order->with[order->n_with++] = optarg;
    return true;
  case 'S':
    order->seed = strtoull(optarg, NULL, 10);
    return true;
  case 'B':
    order->begin_s = strtod(optarg, NULL);
    return true;
  case 'F':
    order->from_s = strtod(optarg, NULL);
    return true;
  case 'T':
    order->seconds = strtod(optarg, NULL);
    return true;
  case 't':
    order->trace = optarg;
    return true;
  case 'c':
    order->scenario = optarg;
    return true;
  case 'x':
    order->share = strtod(optarg, NULL);
    return true;
  case 'h':
    fputs(help, stdout);
    exit(0);
  default:
    return option == 0;
  }
}

int main(int argc, char **argv) {
  static int no_skin, no_imu, no_forces, no_torques, arrival, matrix;
  static const struct option options[] = {{"robot", required_argument, NULL, 'r'},
                                          {"motion", required_argument, NULL, 'm'},
                                          {"fault", required_argument, NULL, 'f'},
                                          {"stalls", required_argument, NULL, 's'},
                                          {"with", required_argument, NULL, 'w'},
                                          {"seed", required_argument, NULL, 'S'},
                                          {"begin", required_argument, NULL, 'B'},
                                          {"from", required_argument, NULL, 'F'},
                                          {"seconds", required_argument, NULL, 'T'},
                                          {"trace", required_argument, NULL, 't'},
                                          {"scenario", required_argument, NULL, 'c'},
                                          {"share", required_argument, NULL, 'x'},
                                          {"no-skin", no_argument, &no_skin, 1},
                                          {"no-imu", no_argument, &no_imu, 1},
                                          {"no-forces", no_argument, &no_forces, 1},
                                          {"no-torques", no_argument, &no_torques, 1},
                                          {"arrival-stamps", no_argument, &arrival, 1},
                                          {"matrix", no_argument, &matrix, 1},
                                          {"help", no_argument, NULL, 'h'},
                                          {NULL, 0, NULL, 0}};
  struct order order = {
      .robot = "humanoid30", .motion = MOTION_WALK, .seed = 1, .from_s = 2.0, .share = 1.0};
  setvbuf(stdout, NULL, _IOLBF, 0);
  for (int option; (option = getopt_long(argc, argv, "r:m:f:s:w:h", options, NULL)) != -1;) {
    if (!take(option, &order)) {
      fputs(help, stderr);
      return 2;
    }
  }
  order.no_skin = no_skin != 0;
  order.no_imu = no_imu != 0;
  order.no_forces = no_forces != 0;
  order.no_torques = no_torques != 0;
  order.arrival_stamps = arrival != 0;
  if (optind < argc) {
    return matrix_report(argv[optind], order.share, order.seed);
  }
  if (matrix != 0) {
    const struct matrix_count count = run_matrix(&order);
    return count.passed == count.tried ? 0 : 1;
  }
  run_one(&order);
  return 0;
}
