#include "identify/log/recorded_log.h"

#include "body/rnea.h"
#include "recording/recording_layout.h"
#include "replay/recorded_generation.h"
#include "replay/replayer.h"

#include <fenv.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Periods: cycles that lie further apart have a hole between them. */
static const double HOLE = 20.0;
/* s: the filter settles; cut at the beginning, and as much at the end, where nothing is asked. */
static const double SETTLES = 0.5;
/* s, at least. */
static const double SHORTEST = 1.0;

/* What one cycle gives: numbers in a row. */
enum { AT_TIME, AT_OMEGA, AT_ALPHA = 4, AT_FORCE = 7, AT_WRENCH = 10, AT_JOINTS = 16 };
enum { PER_JOINT = 4 /* q, dq, ddq, tau */ };

struct taker {
  const struct model *model;
  const char *path;
  struct message *error;
  bool floating;
  size_t joint[MODEL_MAX_JOINTS]; /* of the recording's robot, by the model's */
  struct kinematics kin;          /* of the recording's robot */
  void *memory;
  size_t width, n, room; /* numbers in a row, rows */
  double *row;           /* [n][width] */
  int64_t first_ns;
};

/* -- the robot -------------------------------------------------------------------------------- */

bool is_recording(const char *path) {
  char magic[sizeof(RECORDING_MAGIC)] = "";
  FILE *file = fopen(path, "rb");
  const size_t got = file != NULL ? fread(magic, 1, sizeof(magic) - 1, file) : 0;
  if (file != NULL) {
    fclose(file);
  }
  return got == sizeof(magic) - 1 && memcmp(magic, RECORDING_MAGIC, got) == 0;
}

enum status recorded_robot(const char *path, struct generation **generation,
                           struct message *error) {
  struct recording *recording = NULL;
  struct message note, why;
  enum status status = recording_open(&recording, path, error);
  if (status == STATUS_OK) {
    status = recorded_generation(recording, 1, generation, &note, &why);
    if (status != STATUS_OK) {
      message_set(error, "%.200s: %.300s", path, why.text);
    }
  }
  recording_close(recording);
  return status;
}

static enum status find_joints(struct taker *t, const struct robot *robot) {
  for (size_t j = 0; j < t->model->n_joints; j++) {
    size_t at = 0;
    while (at < robot->model.n_joints &&
           strcmp(robot->model.joint[at].name, t->model->joint[j].name) != 0) {
      at++;
    }
    if (at == robot->model.n_joints) {
      message_set(t->error, "%s: joint '%s' was not recorded", t->path, t->model->joint[j].name);
      return STATUS_BAD_ARGUMENT;
    }
    t->joint[j] = at;
  }
  return STATUS_OK;
}

/* Base rows hold only when all that touches the ground is measured. */
static enum status check_feet(const struct taker *t, const struct robot *robot) {
  if (robot->n_wrench == 0) {
    message_set(t->error,
                "%s: a floating base is weighed by its feet's wrenches, and none was recorded "
                "(robot.wrenches)",
                t->path);
    return STATUS_REFUSED;
  }
  for (size_t f = 0; f < robot->n_feet; f++) {
    bool measured = false;
    for (size_t k = 0; k < robot->n_wrench; k++) {
      measured = measured || robot->wrench[k].link == robot->foot[f].link;
    }
    if (!measured) {
      message_set(t->error, "%s: foot '%s' has no wrench sensor (robot.wrenches)", t->path,
                  robot->foot[f].name);
      return STATUS_REFUSED;
    }
  }
  return STATUS_OK;
}

static enum status taker_init(struct taker *t, const struct robot *robot) {
  struct arena arena = {0};
  t->floating = !robot->fixed_base;
  t->width = AT_JOINTS + PER_JOINT * t->model->n_joints;
  enum status status = find_joints(t, robot);
  if (status == STATUS_OK && t->floating) {
    status = check_feet(t, robot);
  }
  for (int pass = 0; pass < 2 && status == STATUS_OK; pass++) {
    status = kinematics_init(&t->kin, &robot->model, &arena);
    if (status == STATUS_OK && pass == 0) {
      t->memory = aligned_alloc(ARENA_ALIGN, arena.used);
      arena = arena_over(t->memory, arena.used);
      status = t->memory != NULL ? STATUS_OK : STATUS_NO_MEMORY;
    }
  }
  return status;
}

/* -- cycles ----------------------------------------------------------------------------------- */

/* Whether a cycle has all that a row needs. */
static bool is_whole(const struct taker *t, const struct replayed *now) {
  const struct propriod_state *state = &now->estimates->state;
  const uint64_t joints = PROPRIOD_STATE_Q | PROPRIOD_STATE_DQ | PROPRIOD_STATE_DDQ;
  const uint64_t base =
      PROPRIOD_STATE_BASE_RATE | PROPRIOD_STATE_BASE_ANG_ACC | PROPRIOD_STATE_BASE_FORCE;
  const uint64_t needed = joints | (t->floating ? base : PROPRIOD_STATE_EFFORT);
  const bool believed =
      state->status == PROPRIOD_STATUS_OK || state->status == PROPRIOD_STATUS_DEGRADED;
  return believed && (state->estimated & needed) == needed &&
         (!t->floating || now->cycle->frame.wrench.stamp.present);
}

/* The wrench of the world on all feet, about the base's origin. @eq Leboutet22 191 */
static enum status carried(struct taker *t, const struct robot *robot, const struct replayed *now,
                           struct force *sum) {
  *sum = (struct force){{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
  const enum status status = kinematics_update_position(&t->kin, now->estimates->state.q);
  for (size_t k = 0; k < robot->n_wrench && status == STATUS_OK; k++) {
    const struct wrench_sensor *sensor = &robot->wrench[k];
    const struct force on_link =
        force_to_base(&sensor->placement, &now->cycle->frame.wrench.wrench[k]);
    const struct force on_base = force_to_base(&t->kin.X_BL[sensor->link], &on_link);
    *sum = force_add(sum, &on_base);
  }
  return status;
}

static void put(double *to, vec3 v) {
  to[0] = v.x;
  to[1] = v.y;
  to[2] = v.z;
}
static vec3 get(const double *from) {
  return (vec3){from[0], from[1], from[2]};
}
static vec3 from_wire(propriod_vec3 v) {
  return (vec3){v.x, v.y, v.z};
}

static double *add_row(struct taker *t) {
  if (t->n == t->room) {
    const size_t room = t->room > 0 ? 2 * t->room : 4096;
    double *grown = realloc(t->row, room * t->width * sizeof(double));
    if (grown == NULL) {
      return NULL;
    }
    t->row = grown;
    t->room = room;
  }
  return t->row + t->width * t->n;
}

static enum status take_cycle(struct taker *t, const struct robot *robot,
                              const struct replayed *now) {
  const struct propriod_state *state = &now->estimates->state;
  struct force wrench = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
  if (!is_whole(t, now) || (t->floating && carried(t, robot, now, &wrench) != STATUS_OK)) {
    return STATUS_OK; /* a hole, if there are more of them */
  }
  double *row = add_row(t);
  if (row == NULL) {
    return STATUS_NO_MEMORY;
  }
  t->first_ns = t->n == 0 ? state->t_ns : t->first_ns;
  row[AT_TIME] = 1e-9 * (double)(state->t_ns - t->first_ns);
  put(row + AT_OMEGA, from_wire(state->base_angular_velocity));
  put(row + AT_ALPHA, from_wire(state->base_angular_acceleration));
  put(row + AT_FORCE, from_wire(state->base_specific_force));
  put(row + AT_WRENCH, wrench.ang);
  put(row + AT_WRENCH + 3, wrench.lin);
  bool finite = true;
  for (size_t j = 0; j < t->model->n_joints; j++) {
    const size_t from = t->joint[j];
    const double value[PER_JOINT] = {state->q[from], state->dq[from], state->ddq[from],
                                     t->floating ? 0.0 : state->effort[from]};
    memcpy(row + AT_JOINTS + PER_JOINT * j, value, sizeof(value));
  }
  for (size_t i = 0; i < t->width; i++) {
    finite = finite && isfinite(row[i]);
  }
  t->n += finite && (t->n == 0 || row[AT_TIME] > row[AT_TIME - (long)t->width]);
  return STATUS_OK;
}

static enum status take_cycles(struct taker *t, struct replayer *replayer) {
  struct recording_item item;
  struct replayed now;
  enum status status = replayer_next(replayer, &item, &now, t->error);
  while (status == STATUS_OK) {
    if (item.kind == RECORDING_CYCLE) {
      status = take_cycle(t, replayer_generation(replayer)->robot, &now);
    }
    status = status == STATUS_OK ? replayer_next(replayer, &item, &now, t->error) : status;
  }
  return status == STATUS_OUT_OF_RANGE ? STATUS_OK : status;
}

/* -- even samples ----------------------------------------------------------------------------- */

/* The longest stretch without a hole: its first row, and how many. */
static size_t longest_stretch(const struct taker *t, size_t *first) {
  const double *row = t->row;
  const double mean = t->n > 1 ? row[(t->n - 1) * t->width] / (double)(t->n - 1) : 0.0;
  size_t begin = 0, most = 0;
  *first = 0;
  for (size_t k = 0; k < t->n; k++) {
    if (k > 0 && row[k * t->width] - row[(k - 1) * t->width] > HOLE * mean) {
      begin = k;
    }
    if (k + 1 - begin > most) {
      most = k + 1 - begin;
      *first = begin;
    }
  }
  return most;
}

/* Row between rows, along lines, into sample k. */
static void put_sample(const struct taker *t, const double *below, double share, size_t k,
                       struct log_motion *motion) {
  double at[AT_JOINTS + PER_JOINT * MODEL_MAX_JOINTS];
  for (size_t i = 0; i < t->width; i++) {
    at[i] = below[i] + share * (below[t->width + i] - below[i]);
  }
  for (size_t j = 0; j < motion->n_joints; j++) {
    const double *joint = at + AT_JOINTS + PER_JOINT * j;
    const size_t to = k * motion->n_joints + j;
    motion->q[to] = joint[0];
    motion->dq[to] = joint[1];
    motion->ddq[to] = joint[2];
    motion->tau[to] = joint[3];
  }
  if (t->floating) {
    struct base_sample *base = &motion->base[k];
    base->omega = get(at + AT_OMEGA);
    base->a = (struct motion){get(at + AT_ALPHA), get(at + AT_FORCE)};
    memcpy(base->wrench, at + AT_WRENCH, sizeof(base->wrench));
  }
}

static enum status make_even(const struct taker *t, struct log_motion *motion) {
  size_t first, at = 0;
  const size_t rows = longest_stretch(t, &first);
  const double *row = t->row + first * t->width;
  const double length = rows > 1 ? row[(rows - 1) * t->width] - row[0] : 0.0;
  if (length < SHORTEST + 2.0 * SETTLES) {
    message_set(t->error,
                "%s: %.3g s without a hole in which joints%s are estimated, at least %g s are "
                "needed",
                t->path, length, t->floating ? ", base and feet" : " and torques",
                SHORTEST + 2.0 * SETTLES);
    return STATUS_TOO_FEW;
  }
  motion->dt = length / (double)(rows - 1);
  const size_t cut = (size_t)ceil(SETTLES / motion->dt);
  motion->n = rows - 2 * cut;
  const size_t size = motion->n * motion->n_joints;
  motion->q = calloc(size, sizeof(double));
  motion->dq = calloc(size, sizeof(double));
  motion->ddq = calloc(size, sizeof(double));
  motion->tau = calloc(size, sizeof(double));
  motion->base = t->floating ? calloc(motion->n, sizeof(*motion->base)) : NULL;
  if (motion->q == NULL || motion->dq == NULL || motion->ddq == NULL || motion->tau == NULL ||
      (t->floating && motion->base == NULL)) {
    return STATUS_NO_MEMORY;
  }
  motion->start = row[0] + motion->dt * (double)cut;
  for (size_t k = 0; k < motion->n; k++) {
    const double time = motion->start + motion->dt * (double)k;
    while (at + 2 < rows && row[(at + 1) * t->width] < time) {
      at++;
    }
    const double *below = row + at * t->width;
    const double share = (time - below[0]) / (below[t->width] - below[0]);
    put_sample(t, below, fmin(fmax(share, 0.0), 1.0), k, motion);
  }
  return STATUS_OK;
}

enum status recorded_log_read(const char *const *paths, size_t n, const struct model *model,
                              const struct log_settings *settings, struct log_motion *motion,
                              struct message *error) {
  const struct replay_plan plan = {.paths = paths, .n_paths = n};
  struct taker t = {.model = model, .path = paths[0], .error = error};
  struct log_motion made = {.n_joints = model->n_joints, .resampled = true};
  struct replayer *replayer = NULL;
  fenv_t arithmetic;
  fegetenv(&arithmetic); /* denormals are zero only while cycles are replayed */
  enum status status = replayer_open(&replayer, &plan, error);
  if (status == STATUS_OK) {
    status = taker_init(&t, replayer_generation(replayer)->robot);
  }
  if (status == STATUS_OK) {
    status = take_cycles(&t, replayer);
  }
  fesetenv(&arithmetic);
  if (status == STATUS_OK) {
    status = make_even(&t, &made);
  }
  if (status == STATUS_OK) {
    made.cutoff_hz = log_motion_cutoff(&made, settings);
    *motion = made;
  } else {
    log_motion_free(&made);
  }
  if (status == STATUS_NO_MEMORY) {
    message_set(error, "%s: no memory for %zu cycles", paths[0], t.n);
  }
  replayer_close(replayer);
  free(t.memory);
  free(t.row);
  return status;
}
