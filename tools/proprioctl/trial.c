#include "trial.h"

#include "body/kinematics.h"
#include "common/arena.h"
#include "cycle/realtime.h"

#include <cblas.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { WARM_UP = 200, CYCLES = 400 };

static const double SKIN_PERIOD_S = 4e-3; /* as skins of today speak, 250 Hz */
static const vec3 UPWARDS = {0.0, 0.0, 9.81};

/* The readings and what they live in. */
struct stillness {
  const struct robot *robot;
  struct kinematics kin;
  struct sensor_frame frame;
  double *q, *tau;      /* [n_joints] */
  float *rest;          /* [n_cells][3] without noise */
  float *acceleration;  /* [n_cells][3] */
  uint8_t *flags;       /* [n_cells] */
  struct force *wrench; /* [n_wrench] */
  struct imu_triads limb[ROBOT_MAX_LIMBS];
  uint32_t noise;
};

/* Uniform in -1 .. 1. No sensor says the same thing twice. */
static double noise(struct stillness *s) {
  s->noise = s->noise * 1664525u + 1013904223u;
  return (double)(s->noise >> 8) / 8388608.0 - 1.0;
}

static double middle_of(const struct joint *joint) {
  return isfinite(joint->q_min) && isfinite(joint->q_max)
             ? fmin(fmax(0.0, joint->q_min), joint->q_max)
             : 0.0;
}

/* Where `f_B` lies in the frame placed on a link. */
static vec3 seen_from(const struct stillness *s, size_t link, const struct pose *placement,
                      vec3 f_B) {
  const vec3 f_L = mat3_tmul_vec3(&s->kin.X_BL[link].R, f_B);
  return mat3_tmul_vec3(&placement->R, f_L);
}

static enum status lay_out(struct stillness *s, struct arena *arena) {
  const struct robot *robot = s->robot;
  const size_t n = robot->model.n_joints, cells = robot->n_cells;
  s->q = ARENA_ARRAY(arena, double, n);
  s->tau = ARENA_ARRAY(arena, double, n);
  s->rest = ARENA_ARRAY(arena, float, 3 * cells);
  s->acceleration = ARENA_ARRAY(arena, float, 3 * cells);
  s->flags = ARENA_ARRAY(arena, uint8_t, cells);
  s->wrench = ARENA_ARRAY(arena, struct force, robot->n_wrench);
  return kinematics_init(&s->kin, &robot->model, arena);
}

static enum status stand_still(struct stillness *s) {
  const struct robot *robot = s->robot;
  for (size_t j = 0; j < robot->model.n_joints; j++) {
    s->q[j] = middle_of(&robot->model.joint[j]);
  }
  const enum status status = kinematics_update_position(&s->kin, s->q);
  for (size_t i = 0; status == STATUS_OK && i < robot->n_cells; i++) {
    const struct skin_cell *cell = &robot->cell[i];
    const vec3 f = seen_from(s, cell->link, &cell->placement, UPWARDS);
    s->rest[3 * i] = (float)f.x;
    s->rest[3 * i + 1] = (float)f.y;
    s->rest[3 * i + 2] = (float)f.z;
  }
  memset(s->flags, CELL_VALID, robot->n_cells);
  return status;
}

static void stamp(struct stream_stamp *stamp, int64_t t_ns) {
  stamp->present = stamp->fresh = true;
  stamp->seq++;
  stamp->t_ns = t_ns;
}

/* The readings of one instant. */
static void speak(struct stillness *s, int64_t t_ns, bool skin_speaks) {
  const struct robot *robot = s->robot;
  struct sensor_frame *frame = &s->frame;
  frame->t_ns = t_ns;
  frame->joints.q = s->q;
  frame->joints.tau = s->tau;
  stamp(&frame->joints.stamp, t_ns);
  for (size_t j = 0; j < robot->model.n_joints; j++) {
    s->q[j] = middle_of(&robot->model.joint[j]) + 1e-4 * noise(s);
  }
  stamp(&frame->imu.stamp, t_ns);
  const vec3 sway = {0.02 * noise(s), 0.02 * noise(s), 0.02 * noise(s)};
  const vec3 turn = {1e-3 * noise(s), 1e-3 * noise(s), 1e-3 * noise(s)};
  frame->imu.specific_force =
      seen_from(s, robot->imu_link, &robot->imu_placement, vec3_add(UPWARDS, sway));
  frame->imu.angular_rate = turn;
  frame->imu.n_limbs = robot->n_limbs;
  frame->imu.limb = s->limb;
  for (size_t k = 0; k < robot->n_limbs; k++) {
    s->limb[k] = (struct imu_triads){
        seen_from(s, robot->limb[k].link, &robot->limb[k].placement, vec3_add(UPWARDS, sway)),
        turn};
  }
  frame->wrench.n_sensors = robot->n_wrench;
  frame->wrench.wrench = s->wrench;
  if (robot->n_wrench > 0) {
    stamp(&frame->wrench.stamp, t_ns);
  }
  frame->skin.stamp.fresh = false;
  if (skin_speaks && robot->n_cells > 0) {
    stamp(&frame->skin.stamp, t_ns);
    frame->skin.n_cells = robot->n_cells;
    frame->skin.acceleration = s->acceleration;
    frame->skin.flags = s->flags;
    for (size_t i = 0; i < 3 * robot->n_cells; i++) {
      s->acceleration[i] = s->rest[i] + 0.1f * (float)noise(s);
    }
  }
}

/* s of processor time of this thread: what else the machine does is not counted. */
static double spent(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int by_size(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void run(struct generation *generation, struct stillness *s, struct trial *trial) {
  static struct estimates out;
  double took[CYCLES];
  const double period_s = generation->settings.pipeline.period_s;
  const int skin_every = (int)fmax(1.0, round(SKIN_PERIOD_S / period_s));
  double sum = 0.0;
  for (int k = 0; k < WARM_UP + CYCLES; k++) {
    speak(s, 1000000000 + llround(1e9 * period_s * k), k % skin_every == 0);
    const double before = spent();
    pipeline_step(generation->pipeline, &s->frame, &out);
    if (k >= WARM_UP) {
      took[k - WARM_UP] = spent() - before;
      sum += took[k - WARM_UP];
    }
  }
  qsort(took, CYCLES, sizeof(took[0]), by_size);
  *trial = (struct trial){.mean_s = sum / CYCLES, .worst_s = took[CYCLES - 1 - CYCLES / 100]};
}

enum status trial_run(struct generation *generation, struct trial *trial) {
  struct stillness s = {.robot = generation->robot, .noise = 1};
  struct arena arena = {0};
  lay_out(&s, &arena);
  void *memory = aligned_alloc(ARENA_ALIGN, arena.used);
  if (memory == NULL) {
    return STATUS_NO_MEMORY;
  }
  arena = arena_over(memory, arena.used);
  openblas_set_num_threads(1);
  denormals_become_zero();
  enum status status = lay_out(&s, &arena);
  if (status == STATUS_OK) {
    status = stand_still(&s);
  }
  if (status == STATUS_OK) {
    run(generation, &s, trial);
  }
  free(memory);
  return status;
}
