/* Sensor frames in a file: what the daemon saw, to be replayed through the same estimators.
 *
 * Little-endian, no padding. The file begins with
 *
 *   char     magic[8]     "PPRDREC1"
 *   uint32_t n_joints, n_cells, n_wrench
 *   uint32_t fields       RECORDING_* bits: optional arrays that are there
 *   uint64_t model_hash   robot.h: belongs to that model; 0 when unknown
 *
 * and goes on with one record per frame:
 *
 *   int64_t  t_ns         instant of the cycle
 *   uint8_t  present      bit i: stream i (joints, imu, skin, wrench) has delivered
 *   uint8_t  fresh        bit i: it has brought something new, which follows below
 *   for each fresh stream, in this order:
 *     uint64_t seq; int64_t t_ns of sampling; then its arrays:
 *       joints  double q[n_joints], dq[n_joints] if any, tau[n_joints] if any
 *       imu     double specific_force[3], angular_rate[3], orientation[4] (x y z w) if any
 *       skin    float acceleration[n_cells][3], uint8_t flags[n_cells], float proximity[n_cells]
 *               if any, float force[n_cells] if any
 *       wrench  double [n_wrench][6]: moment, force */
#ifndef RECORDING_H
#define RECORDING_H

#include "common/message.h"
#include "common/status.h"
#include "robot/robot.h"
#include "robot/sensor_frame.h"

#define RECORDING_VELOCITY    1u
#define RECORDING_EFFORT      2u
#define RECORDING_ORIENTATION 4u
#define RECORDING_PROXIMITY   8u
#define RECORDING_FORCE       16u

/* What a recording holds. */
struct recording_header {
  uint32_t n_joints, n_cells, n_wrench;
  uint32_t fields; /* RECORDING_* bits */
  uint64_t model_hash;
};

struct recording;

/* Begins a file. [start] `header` as it will be written. STATUS_REFUSED with path and reason. */
enum status recording_create(struct recording **recording, const char *path,
                             const struct recording_header *header, struct message *error);

/* Adds a frame whose sizes and optional arrays are those of the header. [any] STATUS_REFUSED
 * when the disk is full or a needed array is missing. */
enum status recording_write(struct recording *recording, const struct sensor_frame *frame);

/* Opens a file. [start] STATUS_REFUSED with path and reason for anything that is not a
 * recording. */
enum status recording_open(struct recording **recording, const char *path, struct message *error);

/* [any] */
const struct recording_header *recording_header(const struct recording *recording);

/* Reads the next frame; `*frame` stays valid until the next call. [any]
 * STATUS_OUT_OF_RANGE at the end of the file, STATUS_REFUSED when it ends within a frame or makes
 * no sense. */
enum status recording_read(struct recording *recording, const struct sensor_frame **frame);

/* Ends reading or writing. [start] STATUS_REFUSED when what was written did not reach the disk.
 * NULL is allowed. */
enum status recording_close(struct recording *recording);

#endif
