#include "support/arm_log.h"

#include "common/file.h"
#include "generation.h"
#include "inertia/pseudo_inertia.h"
#include "support/arm_load.h"
#include "support/give_up.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FOLDER "../shared/data/"

/* s: what is told then is noted, and the worst from then on. */
static const double TENTH_S = 10.0;

enum { JOINTS_MOST = ARM_LOAD_JOINTS, LINES_MOST = 22000, ARMS_MOST = 3 };

/* -- the arms --------------------------------------------------------------------------------- */

static const char ur10e_columns[] = "time: '1'\n"
                                    "position: ['2', '3', '4', '5', '6', '7']\n"
                                    "torque: ['14', '15', '16', '17', '18', '19']\n"
                                    "gain: [14.87, 13.26, 11.13, 10.62, 11.03, 11.47]\n";
static const double ur10e_gain[] = {14.87, 13.26, 11.13, 10.62, 11.03, 11.47};
static const char panda_columns[] = "time: t\n"
                                    "position: [q1, q2, q3, q4, q5, q6, q7]\n"
                                    "torque: [c1, c2, c3, c4, c5, c6, c7]\n";
static const char ur10e_settings[] = "cycle:\n  period: 0.01064\ninput:\n  joints_limit: 0.05\n"
                                     "motion:\n  encoder_noise: 1e-4\n"
                                     "inertia:\n  links: [wrist_3_link]\n  prior_mass: 0.2\n  "
                                     "drift_mass: 0.004\n  "
                                     "detector_quantile: 7.5\n  noise_time: 0.2\n";
static const char ur10e_drives[] = "  effort: current\n  gain_error: [0.05]\n";
#define PANDA_SETTINGS(noise)                                                                      \
  "cycle:\n  period: 0.001\n"                                                                      \
  "motion:\n  encoder_noise: " noise "\n"                                                          \
  "inertia:\n  links: [link_7]\n  prior_mass: 0.1\n  drift_mass: 0.002\n"                          \
  "  detector_quantile: 7.5\n  noise_time: 0.2\n"

const struct arm_log ARM_UR10E_EXCITE = {"ur10e_excite",
                                         "config/robots/ur10e.urdf",
                                         "wrist_3_link",
                                         ur10e_columns,
                                         FOLDER "ur10e_real/ptp_10_points.csv",
                                         FOLDER "ur10e_real/excite_30s_12harm.csv",
                                         6,
                                         13,
                                         5.0,
                                         ur10e_settings,
                                         ur10e_drives,
                                         ur10e_gain,
                                         {.m = 0.0},
                                         0.0,
                                         0.0};
const struct arm_log ARM_UR10E_POINTS = {"ur10e_points",
                                         "config/robots/ur10e.urdf",
                                         "wrist_3_link",
                                         ur10e_columns,
                                         FOLDER "ur10e_real/excite_30s_12harm.csv",
                                         FOLDER "ur10e_real/ptp_10_points.csv",
                                         6,
                                         13,
                                         5.0,
                                         ur10e_settings,
                                         ur10e_drives,
                                         ur10e_gain,
                                         {.m = 0.0},
                                         0.0,
                                         0.0};
#define PANDA(noise)                                                                               \
  {                                                                                                \
    "panda", "config/robots/panda.urdf", "link_7", panda_columns, NULL, NULL, 7, 0, 2.0,           \
        PANDA_SETTINGS(noise), "", NULL, {.m = 0.0}, 0.0, 0.0                                      \
  }
const struct arm_log ARM_PANDA = PANDA("1e-3"), ARM_PANDA_QUIET = PANDA("3e-4");

/* One log: stamps, positions and efforts; of the run. */
static struct log {
  size_t n;
  double t[LINES_MOST], q[LINES_MOST][JOINTS_MOST], tau[LINES_MOST][JOINTS_MOST];
} log_;

/* Arms that have been read and fitted, once for all of their runs. */
static struct known {
  const char *name; /* NULL: none any more */
  struct log log;   /* as it was read */
  bool fitted;
} known[ARMS_MOST];

static char scratch[] = "/tmp/arm_log.XXXXXX";

static void remove_scratch(void) {
  char command[64];
  snprintf(command, sizeof(command), "rm -r %s", scratch);
  if (system(command) != 0) {
    fprintf(stderr, "%s is left\n", scratch);
  }
}

static void path_of(char path[256], const char *arm, const char *what) {
  snprintf(path, 256, "%s/%s%s", scratch, arm, what);
}

/* -- the logs --------------------------------------------------------------------------------- */

static bool read_row(FILE *file, size_t columns, double *value) {
  for (size_t i = 0; i < columns; i++) {
    if (fscanf(file, i > 0 ? " ,%lf" : " %lf", &value[i]) != 1) {
      return false;
    }
  }
  return true;
}

/* The UR10E's: t, q1..6, dq1..6, i1..6. */
static bool read_table(const struct arm_log *arm) {
  double row[32];
  FILE *file = fopen(arm->log, "r");
  log_.n = 0;
  while (file != NULL && log_.n < LINES_MOST &&
         read_row(file, arm->first_effort + arm->joints, row)) {
    log_.t[log_.n] = row[0];
    memcpy(log_.q[log_.n], row + 1, arm->joints * sizeof(double));
    memcpy(log_.tau[log_.n++], row + arm->first_effort, arm->joints * sizeof(double));
    for (int c = 0; c != '\n' && c != EOF;) {
      c = fgetc(file);
    }
  }
  if (file != NULL) {
    fclose(file);
  }
  return log_.n > 0;
}

/* One value per line, `columns` per sample. */
static size_t read_values(const char *name, size_t columns, double *out, size_t stride) {
  char path[256];
  size_t n = 0;
  snprintf(path, sizeof(path), "%s%s", FOLDER "panda_real/", name);
  FILE *file = fopen(path, "r");
  while (file != NULL && n < LINES_MOST * columns &&
         fscanf(file, "%lf", &out[n / columns * stride + n % columns]) == 1) {
    n++;
  }
  if (file != NULL) {
    fclose(file);
  }
  return n / columns;
}

static bool read_panda(const struct arm_log *arm) {
  log_.n = read_values("exciting_traj_time.txt", 1, log_.t, 1);
  return log_.n > 0 &&
         read_values("exciting_traj_positions.txt", arm->joints, log_.q[0], JOINTS_MOST) >=
             log_.n &&
         read_values("exciting_traj_torques.txt", arm->joints, log_.tau[0], JOINTS_MOST) >= log_.n;
}

static struct known *known_of(const struct arm_log *arm) {
  size_t i = 0;
  while (i < ARMS_MOST && known[i].name != NULL && strcmp(known[i].name, arm->name) != 0) {
    i++;
  }
  if (i == ARMS_MOST) {
    give_up("arm_log", "there are more arms than are kept");
  }
  return &known[i];
}

/* NULL: it is not here. */
static struct known *read_log(const struct arm_log *arm) {
  struct known *of = known_of(arm);
  if (of->name != NULL) {
    log_ = of->log;
  } else if (arm->first_effort > 0 ? read_table(arm) : read_panda(arm)) {
    of->name = arm->name;
    of->log = log_;
  }
  return of->name != NULL ? of : NULL;
}

/* The log as propriod-identify takes it, where it does not as it is. */
static void write_log(const struct arm_log *arm, const char *path) {
  FILE *file = fopen(path, "w");
  if (file == NULL) {
    give_up("arm_log", path);
  }
  fprintf(file, "t");
  for (size_t j = 0; j < 2 * arm->joints; j++) {
    fprintf(file, ",%c%zu", j < arm->joints ? 'q' : 'c', j % arm->joints + 1);
  }
  double last = -HUGE_VAL;
  for (size_t i = 0; i < log_.n; i++) {
    if (!(log_.t[i] > last)) {
      continue; /* a sample that came twice */
    }
    last = log_.t[i];
    fprintf(file, "\n%.9g", log_.t[i]);
    for (size_t j = 0; j < 2 * arm->joints; j++) {
      fprintf(file, ",%.9g", j < arm->joints ? log_.q[i][j] : log_.tau[i][j - arm->joints]);
    }
  }
  fputc('\n', file);
  fclose(file);
}

/* -- the product ------------------------------------------------------------------------------ */

static void write_text(const char *path, const char *text) {
  FILE *file = fopen(path, "w");
  if (file == NULL || fputs(text, file) < 0 || fclose(file) != 0) {
    give_up("arm_log", path);
  }
}

/* The URDF with what propriod-identify finds in the log, and the settings of its drives. */
static bool identify(const struct arm_log *arm, struct known *of, char urdf[256],
                     char drives[256]) {
  char columns[256], log[256], command[1600];
  path_of(columns, arm->name, ".yaml");
  path_of(log, arm->name, ".csv");
  path_of(urdf, arm->name, ".urdf");
  path_of(drives, arm->name, "_drives.yaml");
  if (of->fitted) {
    return true;
  }
  write_text(columns, arm->columns);
  if (arm->fitted == NULL) {
    write_log(arm, log);
  }
  snprintf(command, sizeof(command),
           "build/propriod-identify fit --robot %s --log %s --columns %s --output %s --settings %s"
           " > /dev/null",
           arm->robot, arm->fitted != NULL ? arm->fitted : log, columns, urdf, drives);
  of->fitted = system(command) == 0;
  return of->fitted;
}

static struct generation *build(const struct arm_log *arm, const char *urdf, const char *drives) {
  static struct settings_report errors;
  struct message kept;
  struct generation *generation;
  char path[256], text[4096], *found;
  size_t size;
  if (file_read(drives, sizeof(text) / 2, &found, &size, &kept) != STATUS_OK) {
    give_up("arm_log", kept.text);
  }
  path_of(path, arm->name, "_propriod.yaml");
  snprintf(text, sizeof(text), "robot:\n  urdf: %s\n  fixed_base: true\n%s%s%s", urdf,
           arm->settings, found, arm->drives);
  free(found);
  write_text(path, text);
  if (generation_build(path, NULL, NULL, &generation, &errors, &kept) != STATUS_OK) {
    settings_print_errors(stderr, &errors);
    exit(EXIT_FAILURE);
  }
  return generation;
}

/* The load, and gains that are not as they were, into the efforts. */
static void take_load(const struct arm_log *arm, const struct robot *robot) {
  const struct arm_motion motion = {log_.n, log_.t, log_.q, log_.tau};
  const size_t link = (size_t)inertial_link(robot, arm->link);
  if (arm->load.m > 0.0 && !arm_load_add(robot, link, &arm->load, arm->gain, &motion)) {
    give_up(arm->name, "it cannot carry a load");
  }
  for (size_t i = 0; i < log_.n; i++) {
    for (size_t j = 0; j < arm->joints; j++) {
      log_.tau[i][j] *= 1.0 + arm->gain_wrong;
    }
  }
}

/* -- streaming -------------------------------------------------------------------------------- */

/* How long it has been ok and beyond three deviations. */
static void note_lie(double t, const struct inertia_estimate *now, double error,
                     struct arm_course *course) {
  const double sd = now->result.link[0].mass_sd;
  if (now->status == PROPRIOD_STATUS_INIT) {
    return;
  }
  course->told++;
  if (t < TENTH_S) {
    course->error = error;
    course->sd = sd;
  }
  const bool lies = now->status == PROPRIOD_STATUS_OK && fabs(error) > 3.0 * sd;
  course->wrong_since_s = !lies ? t : course->wrong_since_s;
  course->longest_wrong_s = fmax(course->longest_wrong_s, t - course->wrong_since_s);
}

static void note(const struct arm_log *arm, double t, const struct inertia_estimate *now,
                 struct arm_course *course) {
  const struct inertial_link_estimate *link = &now->result.link[0];
  const double error = link->estimate.m - course->reference;
  course->lowest = fmin(course->lowest, link->estimate.m / course->reference);
  course->highest = fmax(course->highest, link->estimate.m / course->reference);
  course->unphysical += inertia_consistency(&link->estimate, 0.0, NULL) != STATUS_OK;
  note_lie(t, now, error, course);
  course->last = *now;
  if (t >= arm->judged_s) {
    course->judged++;
    course->worst = fmax(course->worst, fabs(error) / course->reference);
    course->worst_later = t >= TENTH_S ? fmax(course->worst_later, fabs(error) / course->reference)
                                       : course->worst_later;
    course->sigmas = fmax(course->sigmas, fabs(error) / link->mass_sd);
    course->not_ok += now->status != PROPRIOD_STATUS_OK;
    if (now->status == PROPRIOD_STATUS_OK) {
      course->sigmas_ok = fmax(course->sigmas_ok, fabs(error) / link->mass_sd);
      course->wrong_and_ok += fabs(error) > 3.0 * link->mass_sd;
    }
  }
  if (course->frames++ % (log_.n / ARM_PLOTTED + 1) == 0 && course->n < ARM_PLOTTED) {
    course->t[course->n] = t;
    course->mass[course->n] = link->estimate.m;
    course->low[course->n] = link->estimate.m - 2.0 * link->mass_sd;
    course->high[course->n++] = link->estimate.m + 2.0 * link->mass_sd;
  }
}

/* The log as it was stamped, through the pipeline. */
static void stream(const struct arm_log *arm, struct generation *generation,
                   struct arm_course *course) {
  static struct estimates estimates;
  const int link = inertial_link(generation->robot, arm->link);
  *course = (struct arm_course){.reference = generation->robot->model.inertia[link].m + arm->load.m,
                                .lowest = HUGE_VAL};
  int64_t last_ns = 0;
  uint64_t seq = 0;
  for (size_t i = 0; i < log_.n; i++) {
    const double t = log_.t[i] - log_.t[0] - arm->from_s;
    if (t < 0.0) {
      continue;
    }
    const int64_t t_ns = 1000000000 + (int64_t)(1e9 * t);
    if (t_ns <= last_ns) {
      continue;
    }
    last_ns = t_ns;
    const struct stream_stamp stamp = {true, true, ++seq, t_ns};
    const struct sensor_frame frame = {
        .t_ns = t_ns, .joints = {.stamp = stamp, .q = log_.q[i], .tau = log_.tau[i]}};
    pipeline_step(generation->pipeline, &frame, &estimates);
    note(arm, t, &estimates.inertia, course);
  }
}

bool arm_log_run(const struct arm_log *arm, struct arm_course *course, char why[200]) {
  char urdf[256], drives[256];
  struct known *of = read_log(arm);
  if (of == NULL) {
    snprintf(why, 200, "%s: the recording is not here", arm->name);
    return false;
  }
  if (strstr(scratch, "XXXXXX") != NULL) {
    if (mkdtemp(scratch) == NULL || atexit(remove_scratch) != 0) {
      give_up("arm_log", scratch);
    }
  }
  if (!identify(arm, of, urdf, drives)) {
    snprintf(why, 200, "%s: propriod-identify did not fit it", arm->name);
    return false;
  }
  struct generation *generation = build(arm, urdf, drives);
  take_load(arm, generation->robot);
  stream(arm, generation, course);
  generation_free(generation);
  return true;
}
