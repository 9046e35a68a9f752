/* What a link weighs, found by robots that move: a load on the torso taken up while standing and
 * while walking, a load on the forearm. Every filter sees the same run; they differ in form and in
 * where their accelerations come from. */
#include "inertial_filter.h"
#include "joint_filter.h"
#include "pseudo_inertia.h"
#include "report.h"
#include "sim.h"
#include "stock_robot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SAMPLES = 40000, MOST_VARIANTS = 8, RING = 32, SPAN = 6, PLOT_EVERY = 10 };

static const double DT = 1e-3;

/* --- where accelerations come from --- */

enum source { FROM_FILTER, FROM_TRUTH, FROM_DIFFERENCES, SOURCES };

static const char *const SOURCE_NAME[SOURCES] = {"joint filter", "truth", "differences"};

/* One instant's measurements, kept so that differences can be taken about an earlier one. */
struct instant {
  double q[MODEL_MAX_JOINTS], tau[MODEL_MAX_JOINTS];
  vec3 rate_B, force_B;
  struct force wrench[ROBOT_MAX_WRENCH];
};

/* A whole motion with the forces of the same instant. */
struct view {
  double q[MODEL_MAX_JOINTS], dq[MODEL_MAX_JOINTS], ddq[MODEL_MAX_JOINTS], tau[MODEL_MAX_JOINTS];
  struct force wrench[ROBOT_MAX_WRENCH];
  struct base_motion base;
  struct kinematics kin;
  bool valid;
};

/* --- what is compared --- */

struct variant {
  const char *name;
  enum source source;
  struct inertial_filter_settings settings;
};

struct score {
  struct inertial_filter *filter;
  struct inertial_result result;
  size_t samples, unphysical, outside;
  double mass_squares, after_1s, com_after_5s, overshoot, rise_s;
  double mass[MOST_SAMPLES / PLOT_EVERY];
};

struct experiment {
  const char *name, *title;
  enum sim_scenario scenario;
  const char *link; /* that carries the load and is estimated */
  bool torques, wrenches;
  struct sim_payload load;
  double end_s, wrench_late_s, strike_speed;
  bool always_changing; /* the load is never constant: short blocks, drift instead of alarms */
  bool steps_in_mass;   /* one step: rise time, overshoot and settling mean something */
};

struct bench {
  const struct experiment *experiment;
  struct stock_robot stock;
  struct sim *sim;
  size_t link, n_variants;
  struct joint_filter *joints;
  struct state_estimate state;
  struct view view[SOURCES];
  struct instant ring[RING];
  size_t taken;
  struct score *score;
  double *time, *truth;
  size_t plotted;
};

static _Noreturn void give_up(const char *what) {
  fprintf(stderr, "inertial: %s\n", what);
  exit(EXIT_FAILURE);
}

static struct arena memory(size_t bytes) {
  void *block = aligned_alloc(ARENA_ALIGN, (bytes + ARENA_ALIGN - 1) / ARENA_ALIGN * ARENA_ALIGN);
  if (block == NULL) {
    give_up("no memory");
  }
  return arena_over(block, bytes);
}

/* --- setting up --- */

/* The paper's filter: printed form, one step, random walk, hard gate; nothing else that ours has.
 */
static struct inertial_filter_settings as_printed(enum inertial_form form,
                                                  enum inertial_gate gate) {
  struct inertial_filter_settings s = inertial_filter_defaults();
  s.core.form = form;
  s.core.iterations = 1;
  s.core.memory = false;
  s.core.drift = (struct inertial_spread){2.0, 0.02, 0.1, 0.1};
  s.gate = gate;
  s.detector_window = 0;
  s.correct_regressor = false;
  return s;
}

static void start_sim(struct bench *bench, unsigned long seed) {
  const struct experiment *e = bench->experiment;
  struct sim_options options = sim_defaults(bench->stock.robot, bench->stock.urdf, e->scenario);
  options.seed = seed;
  options.duration_s = e->end_s;
  options.rest_s = 3.0;
  options.payload = e->load;
  options.payload.link = e->link;
  options.joints.has_effort = e->torques;
  options.stream[SIM_WRENCH].rate_hz = e->wrenches ? 1000.0 : 0.0;
  options.stream[SIM_WRENCH].latency_s = 0.0;
  options.walk.strike_speed = e->strike_speed;
  struct message error;
  if (sim_create(&bench->sim, &options, &error) != STATUS_OK) {
    give_up(error.text);
  }
}

/* A load that changes all the time is followed by drift; there is nothing to remember. */
static struct inertial_filter_settings adapted(struct inertial_filter_settings settings,
                                               const struct experiment *experiment) {
  if (experiment->always_changing) {
    settings.block_s = 5e-3;
    settings.core.memory = false;
    settings.core.drift = (struct inertial_spread){10.0, 0.02, 0.1, 0.1};
    settings.detector_window = 0;
  }
  return settings;
}

static void start_filters(struct bench *bench, const struct variant *variant) {
  for (size_t v = 0; v < bench->n_variants; v++) {
    struct arena count = {0};
    const struct inertial_filter_settings settings =
        adapted(variant[v].settings, bench->experiment);
    inertial_filter_init(&bench->score[v].filter, bench->stock.robot, &settings, &bench->link, 1,
                         NULL, &count);
    struct arena arena = memory(count.used);
    if (inertial_filter_init(&bench->score[v].filter, bench->stock.robot, &settings, &bench->link,
                             1, NULL, &arena) != STATUS_OK) {
      give_up(variant[v].name);
    }
    bench->score[v].rise_s = (double)NAN;
    bench->score[v].after_1s = bench->score[v].com_after_5s = (double)NAN;
  }
}

static void start_joint_filter(struct bench *bench) {
  const struct joint_filter_settings settings = joint_filter_defaults();
  struct arena count = {0};
  joint_filter_init(&bench->joints, bench->stock.robot, &settings, &count);
  struct arena arena = memory(count.used);
  if (joint_filter_init(&bench->joints, bench->stock.robot, &settings, &arena) != STATUS_OK) {
    give_up("joint filter");
  }
  for (int s = 0; s < SOURCES; s++) {
    struct arena counted = {0};
    kinematics_init(&bench->view[s].kin, &bench->stock.robot->model, &counted);
    struct arena views = memory(counted.used);
    kinematics_init(&bench->view[s].kin, &bench->stock.robot->model, &views);
  }
}

static struct bench *set_up(const struct experiment *experiment, const struct variant *variant,
                            size_t n_variants, unsigned long seed) {
  struct bench *bench = calloc(1, sizeof(*bench));
  struct message error;
  if (bench == NULL) {
    give_up("no memory");
  }
  bench->experiment = experiment;
  bench->n_variants = n_variants;
  if (stock_robot_load("humanoid30", "config/robots", &bench->stock, &error) != STATUS_OK) {
    give_up(error.text);
  }
  const int link = model_find_link(&bench->stock.robot->model, experiment->link);
  if (link < 0) {
    give_up(experiment->link);
  }
  bench->link = (size_t)link;
  bench->score = calloc(n_variants, sizeof(*bench->score));
  bench->time = calloc(MOST_SAMPLES / PLOT_EVERY, sizeof(double));
  bench->truth = calloc(MOST_SAMPLES / PLOT_EVERY, sizeof(double));
  if (bench->score == NULL || bench->time == NULL || bench->truth == NULL) {
    give_up("no memory");
  }
  start_sim(bench, seed);
  start_joint_filter(bench);
  start_filters(bench, variant);
  return bench;
}

/* --- views of one instant --- */

static void view_truth(struct view *view, const struct sim_truth *truth,
                       const struct sensor_frame *frame, size_t n, size_t n_wrench) {
  memcpy(view->q, truth->q, n * sizeof(double));
  memcpy(view->dq, truth->dq, n * sizeof(double));
  memcpy(view->ddq, truth->ddq, n * sizeof(double));
  view->base = truth->base;
  if (frame->joints.tau != NULL) {
    memcpy(view->tau, frame->joints.tau, n * sizeof(double));
  }
  if (frame->wrench.wrench != NULL) {
    memcpy(view->wrench, frame->wrench.wrench, n_wrench * sizeof(*view->wrench));
  }
  view->valid = true;
}

static void view_filter(struct view *view, const struct state_estimate *state,
                        const struct view *forces, size_t n) {
  memcpy(view->q, state->q, n * sizeof(double));
  memcpy(view->dq, state->dq, n * sizeof(double));
  memcpy(view->ddq, state->ddq, n * sizeof(double));
  memcpy(view->tau, forces->tau, sizeof(view->tau));
  memcpy(view->wrench, forces->wrench, sizeof(view->wrench));
  view->base.X_WB = POSE_IDENTITY;
  view->base.v_B = (struct motion){state->omega_B, VEC3_ZERO};
  view->base.a_B = (struct motion){state->omegadot_B, state->specific_force_B};
  view->valid = (state->estimated & STATE_DDQ) != 0 && (state->estimated & STATE_BASE_FORCE) != 0;
}

/* The paper's way: second differences of positions over SPAN samples, everything else delayed to
 * the middle. The IMU is taken to the base origin with the same differences. */
static void view_differences(struct bench *bench, const struct sensor_frame *frame) {
  const struct robot *robot = bench->stock.robot;
  const size_t n = robot->model.n_joints;
  struct view *view = &bench->view[FROM_DIFFERENCES];
  struct instant *now = &bench->ring[bench->taken++ % RING];
  memcpy(now->q, frame->joints.q, n * sizeof(double));
  memcpy(now->tau, bench->view[FROM_TRUTH].tau, sizeof(now->tau));
  memcpy(now->wrench, bench->view[FROM_TRUTH].wrench, sizeof(now->wrench));
  now->rate_B = mat3_mul_vec3(&robot->imu_placement.R, frame->imu.angular_rate);
  now->force_B = mat3_mul_vec3(&robot->imu_placement.R, frame->imu.specific_force);
  view->valid = bench->taken > 2 * SPAN;
  if (!view->valid) {
    return;
  }
  const struct instant *middle = &bench->ring[(bench->taken - 1 - SPAN) % RING];
  const struct instant *first = &bench->ring[(bench->taken - 1 - 2 * SPAN) % RING];
  const double h = SPAN * DT;
  for (size_t j = 0; j < n; j++) {
    view->q[j] = middle->q[j];
    view->dq[j] = (now->q[j] - first->q[j]) / (2.0 * h);
    view->ddq[j] = (now->q[j] - 2.0 * middle->q[j] + first->q[j]) / (h * h);
  }
  memcpy(view->tau, middle->tau, sizeof(view->tau));
  memcpy(view->wrench, middle->wrench, sizeof(view->wrench));
  const vec3 w = middle->rate_B, r = robot->imu_placement.p;
  const vec3 dw = vec3_scale(1.0 / (2.0 * h), vec3_sub(now->rate_B, first->rate_B));
  const vec3 of_lever = vec3_add(vec3_cross(dw, r), vec3_cross(w, vec3_cross(w, r)));
  view->base.X_WB = POSE_IDENTITY;
  view->base.v_B = (struct motion){w, VEC3_ZERO};
  view->base.a_B = (struct motion){dw, vec3_sub(middle->force_B, of_lever)};
}

static void take_views(struct bench *bench) {
  const struct sensor_frame *frame = sim_frame(bench->sim);
  const struct robot *robot = bench->stock.robot;
  joint_filter_step(bench->joints, frame, &bench->state);
  view_truth(&bench->view[FROM_TRUTH], sim_truth(bench->sim), frame, robot->model.n_joints,
             robot->n_wrench);
  view_differences(bench, frame);
  view_filter(&bench->view[FROM_FILTER], &bench->state, &bench->view[FROM_TRUTH],
              robot->model.n_joints);
  for (int s = 0; s < SOURCES; s++) {
    struct view *view = &bench->view[s];
    const struct robot_motion motion = {view->base, view->q, view->dq, view->ddq};
    view->valid = view->valid && kinematics_update(&view->kin, &motion) == STATUS_OK;
  }
}

/* --- scoring --- */

static void score(const struct bench *bench, struct score *score, double t) {
  const struct experiment *e = bench->experiment;
  const struct inertia *truth = &sim_truth(bench->sim)->inertia[bench->link];
  const struct inertial_link_estimate *found = &score->result.link[0];
  const double nominal = bench->stock.robot->model.inertia[bench->link].m;
  const double since = t - e->load.attach_s, error = found->estimate.m - truth->m;
  score->unphysical += inertia_consistency(&found->estimate, 0.0, NULL) != STATUS_OK;
  if (since < 0.0) {
    return;
  }
  if (since >= 1.0) {
    score->samples++;
    score->mass_squares += error * error;
    score->outside += fabs(error) > 3.0 * found->mass_sd;
  }
  score->overshoot = fmax(score->overshoot, error / e->load.mass);
  if (isnan(score->rise_s) && found->estimate.m - nominal > 0.9 * e->load.mass) {
    score->rise_s = since;
  }
  if (isnan(score->after_1s) && since >= 1.0) {
    score->after_1s = fabs(error) / e->load.mass;
  }
  if (isnan(score->com_after_5s) && since >= 5.0) {
    const vec3 c = inertia_com(truth);
    score->com_after_5s = vec3_norm(vec3_sub(inertia_com(&found->estimate), c)) / vec3_norm(c);
  }
}

/* Forces of `late` seconds ago, as a sensor with that delay would give them. */
static const struct force *late_wrench(const struct bench *bench, const struct view *view) {
  const size_t back = (size_t)lround(bench->experiment->wrench_late_s / DT);
  if (back == 0 || bench->taken <= back) {
    return view->wrench;
  }
  return bench->ring[(bench->taken - 1 - back) % RING].wrench;
}

static void step_filters(struct bench *bench, const struct variant *variant, double t) {
  for (size_t v = 0; v < bench->n_variants; v++) {
    const struct view *view = &bench->view[variant[v].source];
    if (!view->valid) {
      continue;
    }
    const struct inertial_inputs inputs = {
        .kin = &view->kin,
        .tau = bench->experiment->torques ? view->tau : NULL,
        .wrench = bench->experiment->wrenches ? late_wrench(bench, view) : NULL};
    inertial_filter_step(bench->score[v].filter, &inputs, DT, false, &bench->score[v].result);
    score(bench, &bench->score[v], t);
  }
}

static void keep_for_plot(struct bench *bench, double t) {
  bench->time[bench->plotted] = t;
  bench->truth[bench->plotted] = sim_truth(bench->sim)->inertia[bench->link].m;
  for (size_t v = 0; v < bench->n_variants; v++) {
    const double m = bench->score[v].result.link[0].estimate.m;
    bench->score[v].mass[bench->plotted] = m > 0.0 ? m : (double)NAN; /* 0: not begun yet */
  }
  bench->plotted++;
}

static void run(struct bench *bench, const struct variant *variant) {
  const int64_t start = sim_step(bench->sim) == STATUS_OK ? sim_frame(bench->sim)->t_ns : 0;
  for (size_t k = 1; sim_step(bench->sim) == STATUS_OK && k < MOST_SAMPLES; k++) {
    const double t = 1e-9 * (double)(sim_frame(bench->sim)->t_ns - start);
    take_views(bench);
    step_filters(bench, variant, t);
    if (k % PLOT_EVERY == 0) {
      keep_for_plot(bench, t);
    }
  }
}

/* --- reporting --- */

static void report_run(struct report *report, const struct bench *bench,
                       const struct variant *variant) {
  const struct experiment *e = bench->experiment;
  struct table *table = table_create(
      e->title, "filter", "accelerations", "unphysical (%)", "RMS error (kg)", "after 1 s (%)",
      "CoM after 5 s (%)", "rise (s)", "overshoot (%)", "outside 3 sigma (%)", "alarms", NULL);
  struct plot *plot = plot_create(e->title, "time (s)");
  plot_panel(plot, "mass (kg)");
  plot_line(plot, "truth", bench->time, bench->truth, bench->plotted);
  for (size_t v = 0; v < bench->n_variants; v++) {
    const struct score *s = &bench->score[v];
    const double n = (double)(s->samples > 0 ? s->samples : 1);
    char name[96];
    table_row(table, variant[v].name);
    table_text(table, SOURCE_NAME[variant[v].source]);
    table_number(table, "%.1f", 100.0 * (double)s->unphysical / (1e3 * e->end_s));
    table_number(table, "%.3f", sqrt(s->mass_squares / n));
    table_number(table, "%.1f", e->steps_in_mass ? 100.0 * s->after_1s : (double)NAN);
    table_number(table, "%.1f", e->steps_in_mass ? 100.0 * s->com_after_5s : (double)NAN);
    table_number(table, "%.2f", e->steps_in_mass ? s->rise_s : (double)NAN);
    table_number(table, "%.0f", e->steps_in_mass ? 100.0 * s->overshoot : (double)NAN);
    table_number(table, "%.1f", 100.0 * (double)s->outside / n);
    table_number(table, "%.0f", (double)s->result.counters.changes);
    snprintf(name, sizeof(name), "%s, %s", variant[v].name, SOURCE_NAME[variant[v].source]);
    plot_line(plot, name, bench->time, s->mass, bench->plotted);
  }
  const double high = bench->truth[bench->plotted / 2] * 1.8;
  plot_y_range(plot, 0.0, high);
  report_table(report, table);
  report_plot(report, plot, e->name);
}

static void tear_down(struct bench *bench) {
  sim_destroy(bench->sim);
  robot_destroy(bench->stock.robot);
  free(bench->score);
  free(bench->time);
  free(bench->truth);
  free(bench); /* arenas live as long as the program */
}

static const struct experiment STANDING = {
    .name = "standing",
    .title = "8 kg taken up by the torso, standing",
    .scenario = SIM_PAYLOAD,
    .link = "torso_pitch_link",
    .wrenches = true,
    .load = {.mass = 8.0, .com = {0.18, 0.05, 0.22}, .size = {0.3, 0.3, 0.3}, .attach_s = 7.0},
    .end_s = 14.0,
    .steps_in_mass = true};

static const struct experiment WALKING = {.name = "walking",
                                          .title = "Torso +-5 kg, square wave of 0.2 Hz, walking",
                                          .scenario = SIM_WALK,
                                          .link = "torso_pitch_link",
                                          .wrenches = true,
                                          .load = {.mass = 5.0,
                                                   .amplitude = 5.0,
                                                   .waveform = SIM_SQUARE,
                                                   .rate_hz = 0.2,
                                                   .com = {0.0, 0.0, 0.22},
                                                   .size = {0.2, 0.2, 0.2},
                                                   .attach_s = 3.0},
                                          .end_s = 18.0};

static const struct experiment CURLING = {
    .name = "curling",
    .title = "12 lb on the forearm, curls of 0.7 rad",
    .scenario = SIM_CURL,
    .link = "left_elbow_link",
    .torques = true,
    .wrenches = true,
    .load = {.mass = 5.443, .com = {0.0, 0.0, -0.2}, .size = {0.1, 0.2, 0.1}, .attach_s = 6.0},
    .end_s = 14.0,
    .steps_in_mass = true};

static const struct experiment WALKING_LATE = {.name = "walking-late",
                                               .title = "The same walk with forces 4 ms late",
                                               .scenario = SIM_WALK,
                                               .link = "torso_pitch_link",
                                               .wrenches = true,
                                               .load = {.mass = 5.0,
                                                        .amplitude = 5.0,
                                                        .waveform = SIM_SQUARE,
                                                        .rate_hz = 0.2,
                                                        .com = {0.0, 0.0, 0.22},
                                                        .size = {0.2, 0.2, 0.2},
                                                        .attach_s = 3.0},
                                               .end_s = 18.0,
                                               .wrench_late_s = 4e-3};

static const struct experiment FOREARM = {.name = "forearm",
                                          .title = "Forearm 4.5 +- 3 kg, sine of 1 Hz",
                                          .scenario = SIM_CURL,
                                          .link = "left_elbow_link",
                                          .torques = true,
                                          .wrenches = true,
                                          .load = {.mass = 4.5,
                                                   .amplitude = 3.0,
                                                   .waveform = SIM_SINE,
                                                   .rate_hz = 1.0,
                                                   .com = {0.0, 0.0, -0.2},
                                                   .size = {0.1, 0.2, 0.1},
                                                   .attach_s = 6.0},
                                          .end_s = 12.0,
                                          .always_changing = true};

int main(int argc, char **argv) {
  if (argc < 2) {
    fprintf(stderr, "usage: %s FOLDER [EXPERIMENT]\n", argv[0]);
    return 2;
  }
  const unsigned long seed = 20261121ul;
  const struct variant variants[] = {
      {"ours", FROM_FILTER, inertial_filter_defaults()},
      {"ours", FROM_TRUTH, inertial_filter_defaults()},
      {"ours", FROM_DIFFERENCES, inertial_filter_defaults()},
      {"Foster, gated", FROM_FILTER, as_printed(INERTIAL_FOSTER, INERTIAL_GATE_HARD)},
      {"Foster", FROM_FILTER, as_printed(INERTIAL_FOSTER, INERTIAL_GATE_NONE)},
      {"linear", FROM_FILTER, as_printed(INERTIAL_LINEAR, INERTIAL_GATE_NONE)},
  };
  enum { N = sizeof(variants) / sizeof(variants[0]) };
  const struct experiment *const experiments[] = {&STANDING, &WALKING, &WALKING_LATE, &CURLING,
                                                  &FOREARM};
  struct report *report = report_open(argv[1], "inertial", "Inertial parameters online");
  report_text(report,
              "The 30-joint humanoid, sensors at 1 kHz, skin at 250 Hz, seed %lu. `Foster` is "
              "the paper's filter: printed form, one iteration, random walk, with and without "
              "its hard gate; "
              "`linear` the same on the ten parameters.",
              seed);
  for (size_t k = 0; k < sizeof(experiments) / sizeof(experiments[0]); k++) {
    if (argc > 2 && strcmp(argv[2], experiments[k]->name) != 0) {
      continue;
    }
    struct bench *bench = set_up(experiments[k], variants, N, seed + k);
    run(bench, variants);
    report_run(report, bench, variants);
    const struct score *ours = &bench->score[0];
    char name[160];
    snprintf(name, sizeof(name), "%s: time unphysical", experiments[k]->name);
    report_at_most(report, name, (double)ours->unphysical, 0.0, "samples");
    if (ours->result.delay_known) {
      snprintf(name, sizeof(name), "%s: delay of the forces", experiments[k]->name);
      report_figure(report, name, ours->result.delay_s, "s");
      report_text(report,
                  "Delay of the forces behind the estimated motion: %.1f ms +- %.1f ms (of the "
                  "sensor alone: %.1f ms).",
                  1e3 * ours->result.delay_s, 1e3 * ours->result.delay_sd_s,
                  1e3 * experiments[k]->wrench_late_s);
    }
    if (experiments[k]->steps_in_mass) {
      snprintf(name, sizeof(name), "%s: mass error 1 s after the load", experiments[k]->name);
      report_at_most(report, name, ours->after_1s, 0.02, "of the load");
      snprintf(name, sizeof(name), "%s: centre of mass after 5 s", experiments[k]->name);
      report_at_most(report, name, ours->com_after_5s, 0.05, "of its distance");
      snprintf(name, sizeof(name), "%s: overshoot", experiments[k]->name);
      report_at_most(report, name, ours->overshoot, 0.20, "of the load");
    }
    tear_down(bench);
  }
  return report_close(report);
}
