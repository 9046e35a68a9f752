/* The writer of propriod/shm.h, for driver.py. Each function is that of the same name in shm.h. */
#include "propriod/shm.h"

#include <stdlib.h>

struct propriod_shm *segment_open(const char *name, unsigned kind, uint32_t count, uint32_t fields,
                                  char why[PROPRIOD_SHM_REASON]);
void *segment_begin(struct propriod_shm *shm);
void segment_arrays(const struct propriod_shm *shm, uint64_t offset[4]);
int segment_commit(struct propriod_shm *shm, int64_t t_ns);
int segment_beat(struct propriod_shm *shm);
int segment_wanted(const struct propriod_shm *shm, uint32_t cell);
void segment_close(struct propriod_shm *shm);

/* NULL: `why` says why. The caller closes it. */
struct propriod_shm *segment_open(const char *name, unsigned kind, uint32_t count, uint32_t fields,
                                  char why[PROPRIOD_SHM_REASON]) {
  struct propriod_shm *shm = malloc(sizeof(*shm));
  if (shm == NULL) {
    snprintf(why, PROPRIOD_SHM_REASON, "out of memory");
  } else if (propriod_shm_open(shm, name, (enum propriod_shm_kind)kind, count, fields, why) != 0) {
    free(shm);
    shm = NULL;
  }
  return shm;
}

/* Where the arrays of the next frame begin. */
void *segment_begin(struct propriod_shm *shm) {
  return propriod_shm_begin(shm);
}

/* Bytes from there to the optional and the further arrays, in the order of the stream's struct. */
void segment_arrays(const struct propriod_shm *shm, uint64_t offset[4]) {
  unsigned char *const at = shm->base;
  memset(offset, 0, 4 * sizeof(*offset));
  if (shm->kind == PROPRIOD_SHM_JOINTS) {
    const struct propriod_shm_joints view = propriod_shm_view_joints(at, shm->count);
    offset[1] = (uint64_t)((unsigned char *)view.dq - at);
    offset[2] = (uint64_t)((unsigned char *)view.tau - at);
  } else if (shm->kind == PROPRIOD_SHM_IMU) {
    const struct propriod_shm_imu view = propriod_shm_view_imu(at, shm->count);
    offset[1] = (uint64_t)((unsigned char *)view.angular_rate - at);
    offset[2] = (uint64_t)((unsigned char *)view.orientation - at);
  } else if (shm->kind == PROPRIOD_SHM_SKIN) {
    const struct propriod_shm_skin view = propriod_shm_view_skin(at, shm->count);
    offset[1] = (uint64_t)(view.flags - at);
    offset[2] = (uint64_t)((unsigned char *)view.proximity - at);
    offset[3] = (uint64_t)((unsigned char *)view.force - at);
  }
}

int segment_commit(struct propriod_shm *shm, int64_t t_ns) {
  return propriod_shm_commit(shm, t_ns);
}
int segment_beat(struct propriod_shm *shm) {
  return propriod_shm_beat(shm);
}
int segment_wanted(const struct propriod_shm *shm, uint32_t cell) {
  return propriod_shm_wanted(shm, cell);
}
void segment_close(struct propriod_shm *shm) {
  propriod_shm_close(shm);
  free(shm);
}
