#include "support/panda_recording.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* rad: of these encoders, by what is above 50 Hz; and what the jitter of the stamps makes of it at
 * 1 rad/s. */
static const double PANDA_ENCODER_NOISE = 2e-6, PANDA_STAMPED_NOISE = 5e-4;

/* -- reading ---------------------------------------------------------------------------------- */

static size_t panda_read_numbers(const char *name, double *value, size_t most) {
  char path[256];
  snprintf(path, sizeof(path), "%s/exciting_traj_%s.txt", PANDA_FOLDER, name);
  FILE *file = fopen(path, "r");
  size_t n = 0;
  while (file != NULL && n < most && fscanf(file, "%lf", &value[n]) == 1) {
    n++;
  }
  if (file != NULL) {
    fclose(file);
  }
  return n;
}

/* The robot's periods from sample i - 1 to sample i, or -1 where the arm is too slow to tell. */
static int panda_periods(const struct panda_recording *r, size_t i) {
  static const double slow = 0.2, whole = 0.3; /* rad/s; share of a period */
  double along = 0.0, speed = 0.0;
  bool same = true;
  for (size_t j = 0; j < PANDA_JOINTS; j++) {
    const double v = 0.5 * (r->dq[i][j] + r->dq[i - 1][j]), step = r->q[i][j] - r->q[i - 1][j];
    along += step * v;
    speed += v * v;
    same = same && step == 0.0 && r->tau[i][j] == r->tau[i - 1][j];
  }
  if (same) {
    return 0;
  }
  const double periods = speed > slow * slow ? along / speed / PANDA_PERIOD : -1.0;
  return periods > -0.5 && fabs(periods - round(periods)) < whole ? (int)lround(periods) : -1;
}

static void panda_restore_clock(struct panda_recording *r) {
  static const double follow = 0.01; /* of the offset between the clocks, per sample */
  double offset = 0.0, squares = 0.0, sum = 0.0;
  for (size_t i = 1; i < r->n_samples; i++) {
    const int periods = panda_periods(r, i);
    const double expected = (r->stamp[i] + offset) / PANDA_PERIOD - (double)r->tick[i - 1];
    r->tick[i] = r->tick[i - 1] + (size_t)(periods >= 0 ? periods : lround(fmax(expected, 0.0)));
    const double error = (double)r->tick[i] * PANDA_PERIOD - r->stamp[i];
    offset += follow * (error - offset);
    sum += error;
    squares += error * error;
    r->twice += r->tick[i] == r->tick[i - 1];
  }
  const double n = (double)r->n_samples;
  r->missed = r->tick[r->n_samples - 1] + 1 - (r->n_samples - r->twice);
  r->jitter = sqrt(squares / n - sum / n * sum / n);
}

bool panda_read(struct panda_recording *r) {
  memset(r, 0, sizeof(*r));
  const size_t most = (size_t)PANDA_MOST * PANDA_JOINTS;
  r->n_samples = panda_read_numbers("time", r->stamp, PANDA_MOST);
  const size_t n = r->n_samples * PANDA_JOINTS;
  if (n == 0 || panda_read_numbers("positions", r->q[0], most) != n ||
      panda_read_numbers("velocity", r->dq[0], most) != n ||
      panda_read_numbers("torques", r->tau[0], most) != n) {
    return false;
  }
  panda_restore_clock(r);
  return r->tick[r->n_samples - 1] < PANDA_MOST;
}

void panda_slide(struct panda_motion *motion, const double travel[PANDA_SLIDERS]) {
  double slide[PANDA_SLIDERS][PANDA_JOINTS] = {{0.0}};
  for (size_t k = 1; k < motion->n; k++) {
    struct panda_instant *at = &motion->at[k];
    const double dt = at->valid ? at->t - motion->at[k - 1].t : 0.0;
    for (size_t i = 0; i < PANDA_SLIDERS; i++) {
      for (size_t j = 0; j < PANDA_JOINTS; j++) {
        const double step = at->dq[j] * dt, way = copysign(1.0, step);
        slide[i][j] = way - (way - slide[i][j]) * exp(-fabs(step) / travel[i]);
      }
    }
    memcpy(at->slide, slide, sizeof(slide));
  }
}

/* -- motion, offline -------------------------------------------------------------------------- */

/* Forwards and backwards through a low-pass, no phase. */
static void panda_smooth(const struct butterworth3 *low_pass, double *x, size_t n) {
  butterworth3_run(low_pass, x, x, n, 1);
  butterworth3_run(low_pass, x, x, n, -1);
}

/* The recorded values of one joint at every period of the robot's clock; gaps are bridged. */
static void panda_on_clock(const struct panda_recording *r, double (*of)[PANDA_JOINTS], size_t j,
                           double *x) {
  x[0] = of[0][j];
  for (size_t i = 1; i < r->n_samples; i++) {
    const size_t from = r->tick[i - 1], to = r->tick[i];
    for (size_t k = from + 1; k <= to; k++) {
      const double share = (double)(k - from) / (double)(to - from);
      x[k] = of[i - 1][j] + share * (of[i][j] - of[i - 1][j]);
    }
  }
}

void panda_offline(struct panda_recording *r, double cutoff_hz, struct panda_motion *out) {
  static double q[PANDA_MOST], tau[PANDA_MOST];
  const size_t n = r->tick[r->n_samples - 1] + 1, margin = 200;
  const struct butterworth3 low_pass = butterworth3_design(cutoff_hz, 1.0 / PANDA_PERIOD);
  const double h = PANDA_PERIOD;
  memset(out, 0, sizeof(*out));
  out->n = n;
  for (size_t j = 0; j < PANDA_JOINTS; j++) {
    panda_on_clock(r, r->q, j, q);
    panda_on_clock(r, r->tau, j, tau);
    panda_smooth(&low_pass, q, n);
    panda_smooth(&low_pass, tau, n);
    for (size_t k = 1; k + 1 < n; k++) {
      out->at[k].q[j] = q[k];
      out->at[k].dq[j] = (q[k + 1] - q[k - 1]) / (2.0 * h);
      out->at[k].ddq[j] = (q[k + 1] - 2.0 * q[k] + q[k - 1]) / (h * h);
      out->at[k].tau[j] = tau[k];
    }
  }
  for (size_t k = 0; k < n; k++) {
    out->at[k].t = (double)k * h;
    out->at[k].valid = k >= margin && k + margin < n;
  }
}

/* -- motion, online --------------------------------------------------------------------------- */

static struct joint_filter *panda_joint_filter(const struct robot *robot, double noise,
                                               void **memory) {
  struct joint_filter_settings settings = joint_filter_defaults();
  struct joint_filter *filter = NULL;
  struct arena arena = {0};
  settings.encoder_noise = noise;
  joint_filter_init(&filter, robot, &settings, &arena);
  *memory = aligned_alloc(ARENA_ALIGN, arena.used);
  arena = arena_over(*memory, arena.used);
  return *memory != NULL && joint_filter_init(&filter, robot, &settings, &arena) == STATUS_OK
             ? filter
             : NULL;
}

/* One sample through the filter at time t_ns, into one instant; its torques are the recorded
 * ones. */
static void panda_take(struct panda_recording *r, size_t sample, int64_t t_ns,
                       struct joint_filter *filter, struct panda_instant *out) {
  static struct propriod_state state;
  const struct sensor_frame frame = {
      .t_ns = t_ns,
      .joints = {.stamp = {.present = true, .fresh = true, .seq = sample + 1, .t_ns = t_ns},
                 .q = r->q[sample]}};
  joint_filter_step(filter, &frame, &state);
  memcpy(out->q, state.q, sizeof(out->q));
  memcpy(out->dq, state.dq, sizeof(out->dq));
  memcpy(out->ddq, state.ddq, sizeof(out->ddq));
  memcpy(out->tau, r->tau[sample], sizeof(out->tau));
  out->t = 1e-9 * (double)(t_ns - 1000000000);
  out->valid = (state.estimated & PROPRIOD_STATE_DDQ) != 0;
}

bool panda_online(struct panda_recording *r, const struct robot *robot, bool as_stamped,
                  struct panda_motion *out) {
  void *memory;
  struct joint_filter *filter =
      panda_joint_filter(robot, as_stamped ? PANDA_STAMPED_NOISE : PANDA_ENCODER_NOISE, &memory);
  memset(out, 0, sizeof(*out));
  for (size_t i = 0; filter != NULL && i < r->n_samples; i++) {
    if (i == 0 || r->tick[i] > r->tick[i - 1]) {
      const double t = as_stamped ? r->stamp[i] : PANDA_PERIOD * (double)r->tick[i];
      panda_take(r, i, 1000000000 + (int64_t)llround(1e9 * t), filter, &out->at[out->n++]);
    }
  }
  free(memory);
  return filter != NULL;
}
