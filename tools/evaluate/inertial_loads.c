/* Loads on humanoids as robots are, through the product's own path: from the start and taken up
 * later, on trunk and hand, on a link that is not estimated, from hand to hand, none at all; with
 * and without skin, and with forces that are stamped late. */
#include "report.h"
#include "support/weighing_run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SEEDS = 3, ROBOTS = 2 };

static const unsigned long FIRST_SEED = 77000; /* settings were tuned on others */
static const char *const ROBOT[ROBOTS] = {"humanoid18", "humanoid30"};

/* Where a load is, or what is estimated. */
enum place { NOWHERE, TRUNK, LEFT_HAND, RIGHT_HAND };

struct load_case {
  const char *name, *scenario;               /* NULL: payload, slow motion of the upper body */
  double amplitude;                          /* of the scenario's; 0: 1 */
  double mass, attach_s, release_s, seconds; /* kg, s; 0 s: 9 */
  enum place load, handed_to;
  enum place link, second; /* estimated; link NOWHERE: that of the load */
  double late_s;
  bool torques;
};

/* Arms that swing no farther than lets a robot stand that has 8 kg in one hand. */
#define SWINGING .scenario = "arm-swing", .amplitude = 0.25

static const struct load_case CASE[] = {
    {.name = "2 kg on the trunk, from the start", .mass = 2, .attach_s = -1, .load = TRUNK},
    {.name = "8 kg on the trunk, from the start", .mass = 8, .attach_s = -1, .load = TRUNK},
    {.name = "2 kg on the trunk, later", .mass = 2, .attach_s = 4, .load = TRUNK},
    {.name = "8 kg on the trunk, later", .mass = 8, .attach_s = 4, .load = TRUNK},
    {.name = "2 kg in the hand, from the start",
     .scenario = "arm-swing",
     .amplitude = 0.5,
     .mass = 2,
     .attach_s = -1,
     .load = LEFT_HAND},
    {.name = "8 kg in the hand, from the start",
     SWINGING,
     .mass = 8,
     .attach_s = -1,
     .load = LEFT_HAND},
    {.name = "3 kg in the swinging hand", SWINGING, .mass = 3, .attach_s = 4, .load = LEFT_HAND},
    {.name = "5 kg in the swinging hand", SWINGING, .mass = 5, .attach_s = 4, .load = LEFT_HAND},
    {.name = "8 kg in the swinging hand", SWINGING, .mass = 8, .attach_s = 4, .load = LEFT_HAND},
    {.name = "5 kg in the hand, with torques",
     SWINGING,
     .mass = 5,
     .attach_s = 4,
     .load = LEFT_HAND,
     .torques = true},
    {.name = "5 kg in the hand, the trunk is estimated",
     SWINGING,
     .mass = 5,
     .attach_s = 4,
     .load = LEFT_HAND,
     .link = TRUNK},
    {.name = "3 kg that change hands, one estimated",
     SWINGING,
     .mass = 3,
     .attach_s = -1,
     .release_s = 5,
     .load = LEFT_HAND,
     .handed_to = RIGHT_HAND},
    {.name = "3 kg that change hands, both estimated",
     SWINGING,
     .mass = 3,
     .attach_s = -1,
     .release_s = 5,
     .load = LEFT_HAND,
     .handed_to = RIGHT_HAND,
     .second = RIGHT_HAND},
    {.name = "5 kg on the trunk in a walk, later",
     .scenario = "walk",
     .mass = 5,
     .attach_s = 5,
     .load = TRUNK},
    {.name = "no load, swinging arms", .scenario = "arm-swing", .seconds = 12, .link = TRUNK},
    {.name = "no load, walking", .scenario = "walk", .seconds = 15, .link = TRUNK},
    {.name = "no load, walking, 4 ms late",
     .scenario = "walk",
     .seconds = 15,
     .link = TRUNK,
     .late_s = 4e-3},
};
enum { CASES = sizeof(CASE) / sizeof(CASE[0]) };

static const char *name_of(enum place place, const struct robot *robot) {
  static const char *const name[] = {NULL, NULL, "left_hand", "right_hand"};
  return place == TRUNK ? weighing_trunk(robot) : name[place];
}

static void run(struct weighing *w, const struct load_case *c, const char *robot, bool skin,
                unsigned long seed) {
  const struct weighing_order order = {.robot = robot,
                                       .scenario = c->scenario != NULL ? c->scenario : "payload",
                                       .skin = skin,
                                       .torques = c->torques,
                                       .late_s = c->late_s,
                                       .model_wrong = 1.0,
                                       .amplitude = c->amplitude,
                                       .seconds = c->seconds > 0.0 ? c->seconds : 9.0,
                                       .seed = seed};
  struct sim_options options = weighing_options(w, &order);
  const struct robot *of = w->stock.robot;
  w->order.link[0] = name_of(c->link != NOWHERE ? c->link : c->load, of);
  w->order.link[1] = name_of(c->second, of);
  options.payload = (struct sim_payload){.link = name_of(c->load, of),
                                         .mass = c->mass,
                                         .com = {0.05, 0.02, 0.1},
                                         .size = {0.15, 0.15, 0.15},
                                         .attach_s = c->attach_s,
                                         .release_s = c->release_s,
                                         .handed_to = name_of(c->handed_to, of)};
  w->order.load = options.payload;
  weighing_begin(w, &options);
  while (weighing_step(w)) {
  }
}

static void tell(struct table *table, const struct weighing *w, const char *robot, bool skin) {
  const struct inertia_estimate *end = &w->estimates.inertia;
  for (size_t k = 0; k < w->n_links; k++) {
    const struct weighing_score *s = &w->score[k];
    char name[64];
    snprintf(name, sizeof(name), "%s%s%s, %lu%s", robot, skin ? ", skin" : "",
             k > 0 ? ", second" : "", (unsigned long)w->order.seed, w->fallen ? ", FALLEN" : "");
    table_row(table, name);
    table_number(table, "%.3f", weighing_mass_error(w, k));
    table_number(table, "%.3f", weighing_link(w, k)->mass_sd);
    table_number(table, "%.1f", 1e3 * vec3_norm(weighing_com_error(w, k)));
    table_number(table, "%.2f", s->last_off_s - fmax(0.0, w->order.load.attach_s));
    table_number(table, "%.2f", s->worst_sigmas);
    table_number(table, "%.2f", 100.0 * (double)s->beyond / (double)s->told);
    table_number(table, "%.0f", 100.0 * (double)s->ok / (double)s->told);
    table_number(table, "%.3f", s->longest_lie_s);
    table_number(table, "%.0f", (double)end->result.counters.changes);
    table_number(table, "%.2f", w->doubted_s);
    table_number(table, "%.2f", end->delay.known ? 1e3 * end->delay.s : (double)NAN);
  }
}

struct worst {
  double sigmas, lie_s, beyond, alarms;
};

static void take(struct worst *worst, const struct weighing *w) {
  for (size_t k = 0; k < w->n_links; k++) {
    const struct weighing_score *s = &w->score[k];
    worst->sigmas = fmax(worst->sigmas, s->worst_sigmas);
    worst->lie_s = fmax(worst->lie_s, s->longest_lie_s);
    worst->beyond = fmax(worst->beyond, (double)s->beyond / (double)s->told);
  }
  worst->alarms = fmax(worst->alarms, (double)w->estimates.inertia.result.counters.changes);
}

static void run_case(struct report *report, const struct load_case *c, unsigned long first,
                     unsigned long seeds) {
  static struct weighing w;
  struct worst worst = {0};
  struct table *table =
      table_create(c->name, "run", "mass error (kg)", "its sd", "CoM error (mm)",
                   "within 2 %, 50 g (s)", "worst (sd)", "beyond 3 sd (%)", "ok (%)",
                   "ok, beyond 5 sd (s)", "alarms", "doubted (s)", "delay (ms)", NULL);
  for (size_t r = 0; r < ROBOTS; r++) {
    for (unsigned long seed = first; seed < first + seeds; seed++) {
      for (int skin = 0; skin < 2; skin++) {
        run(&w, c, ROBOT[r], skin == 1, seed);
        tell(table, &w, ROBOT[r], skin == 1);
        take(&worst, &w);
        weighing_end(&w);
      }
    }
  }
  report_table(report, table);
  char name[128];
  snprintf(name, sizeof(name), "%s: ok and beyond five deviations", c->name);
  report_at_most(report, name, worst.lie_s, 0.02, "s");
  snprintf(name, sizeof(name), "%s: beyond three deviations", c->name);
  report_at_most(report, name, worst.beyond, 0.01, "of the time");
}

int main(int argc, char **argv) {
  if (argc < 2) {
    fprintf(stderr, "usage: %s FOLDER [WORD [SEEDS [FIRST_SEED]]]\n", argv[0]);
    return 2;
  }
  const char *word = argc > 2 ? argv[2] : "";
  const unsigned long seeds = argc > 3 ? strtoul(argv[3], NULL, 10) : SEEDS;
  const unsigned long first = argc > 4 ? strtoul(argv[4], NULL, 10) : FIRST_SEED;
  struct report *report = report_open(argv[1], "inertial_loads", "Loads on robots as they are");
  report_text(report,
              "Default settings; IMU biased by 0.3 m/s^2 and 0.015 rad/s an axis, wrenches by 1 N "
              "and 0.2 N m, the model 3 %% and 5 mm wrong; encoders told as 1e-4 rad.");
  for (size_t i = 0; i < CASES; i++) {
    if (strstr(CASE[i].name, word) != NULL) {
      run_case(report, &CASE[i], first, seeds);
    }
  }
  return report_close(report);
}
