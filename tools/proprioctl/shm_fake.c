/* proprioctl shm fake: one stream of a robot that stands and sways a little. */
#include "commands.h"
#include "shm.h"

#include <math.h>
#include <signal.h>

static volatile sig_atomic_t interrupted;

static void on_interrupt(int signal_number) {
  (void)signal_number;
  interrupted = 1;
}

/* A little noise, of a size: what repeats exactly is taken for frozen. */
static double noise(double size) {
  static uint32_t state = 1;
  state = 1664525u * state + 1013904223u;
  return size * (2.0 * (double)state / (double)UINT32_MAX - 1.0);
}

/* Fills the arrays for `t` seconds since the start. */
static void fill(struct propriod_shm *shm, double t) {
  void *const arrays = propriod_shm_begin(shm);
  if (shm->kind == PROPRIOD_SHM_JOINTS) {
    const struct propriod_shm_joints v = propriod_shm_view_joints(arrays, shm->count);
    for (uint32_t j = 0; j < shm->count; j++) {
      v.q[j] = 0.01 * sin(t + j) + noise(1e-4);
    }
  } else if (shm->kind == PROPRIOD_SHM_IMU) {
    const struct propriod_shm_imu v = propriod_shm_view_imu(arrays, shm->count);
    for (uint32_t i = 0; i < 3 * shm->count; i++) {
      v.specific_force[i] = (i % 3 == 2 ? 9.81 : 0.0) + noise(0.02);
      v.angular_rate[i] = noise(1e-3);
    }
  } else if (shm->kind == PROPRIOD_SHM_SKIN) {
    const struct propriod_shm_skin v = propriod_shm_view_skin(arrays, shm->count);
    for (uint32_t i = 0; i < shm->count; i++) {
      for (int axis = 0; axis < 3; axis++) {
        v.acceleration[3 * i + axis] = (float)((axis == 2 ? 9.81 : 0.0) + noise(0.05));
      }
      v.flags[i] = propriod_shm_wanted(shm, i) ? PROPRIOD_SHM_CELL_VALID : 0;
    }
  } else {
    memset(arrays, 0, propriod_shm_used(shm->kind, shm->count, 0));
  }
}

/* The count that the segment asks for: a fake driver has whatever propriod is configured for. */
static int open_stream(struct propriod_shm *shm, const struct shm_options *options) {
  struct shm_view view;
  char why[PROPRIOD_SHM_REASON];
  const int result = shm_view_open(&view, options->segment);
  if (result != CTL_OK) {
    return result;
  }
  const uint32_t count = view.layout.stream[options->kind].count;
  if (propriod_shm_open(shm, options->segment, (enum propriod_shm_kind)options->kind, count, 0,
                        why) != 0) {
    fprintf(stderr, "proprioctl shm: %s\n", why);
    return CTL_FAILED;
  }
  return CTL_OK;
}

int shm_fake(const struct shm_options *options) {
  struct propriod_shm shm;
  const int result = open_stream(&shm, options);
  if (result != CTL_OK) {
    return result;
  }
  signal(SIGINT, on_interrupt);
  signal(SIGTERM, on_interrupt);
  const int64_t start_ns = propriod_shm_now_ns();
  const int64_t frames = (int64_t)(options->seconds * options->rate_hz);
  for (int64_t k = 0; !interrupted && (frames == 0 || k < frames); k++) {
    const int64_t t_ns = start_ns + llround((double)k * 1e9 / options->rate_hz);
    const struct timespec t = {.tv_sec = t_ns / 1000000000, .tv_nsec = t_ns % 1000000000};
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
    fill(&shm, (double)(t_ns - start_ns) * 1e-9);
    if (propriod_shm_commit(&shm, t_ns) != 0) {
      fprintf(stderr, "proprioctl shm: the segment was replaced or removed\n");
      return CTL_UNREACHABLE;
    }
  }
  propriod_shm_close(&shm);
  return CTL_OK;
}
