#include "sensors/imu_pull.h"

#include "math/spatial.h"

#include <math.h>

/* Nothing pulls a body to the ground, m/s^2; what is turned round would have to be pulled to read
 * that something carries it. */
static const double PULLED = -5.0, CARRIED = 5.0;
/* A body that rings from a strike is pulled downwards for no longer, as a rule; legs that are
 * struck hard pull it for up to 9 ms, and never for so long. */
static const int64_t RINGS_NS = 5000000, LONGEST_RING_NS = 10000000;

bool imu_pull_is(double up) {
  return up <= PULLED;
}

/* Since when it has been so, 0: it is not. */
static int64_t since(int64_t since_ns, bool so, int64_t t_ns) {
  return !so ? 0 : since_ns > 0 ? since_ns : t_ns;
}

void imu_pull_read(struct imu_pull *pull, double up, int64_t t_ns) {
  if (isfinite(up)) {
    const double dt = 1e-9 * (double)(t_ns - pull->read_ns);
    pull->fell = pull->pulled_ns > 0 ? pull->fell + dt * (STANDARD_GRAVITY - up) : 0.0;
    pull->read_ns = t_ns;
    pull->pulled_ns = since(pull->pulled_ns, imu_pull_is(up), t_ns);
    pull->carried_ns = since(pull->carried_ns, up >= CARRIED, t_ns);
  }
}

/* It has been read for so long. */
static bool is_read(int64_t since_ns, int64_t t_ns, int64_t for_ns) {
  return since_ns > 0 && t_ns - since_ns >= for_ns;
}

bool imu_pull_lasts(const struct imu_pull *pull, bool along, int64_t t_ns) {
  return is_read(pull->pulled_ns, t_ns, along ? RINGS_NS : LONGEST_RING_NS);
}

void imu_pull_refuse(struct imu_pull *pull, struct imu_judge *judge, unsigned accused, bool soles,
                     int64_t t_ns) {
  const bool lasts = imu_pull_lasts(pull, true, t_ns);
  pull->refused = lasts ? pull->refused | accused : pull->refused & ~accused;
  if (lasts && judge->triad[IMU_ACCELEROMETER].convicted && soles) {
    imu_judge_refuse(judge, IMU_GYRO, t_ns);
    pull->refused |= 1u << IMU_GYRO;
  }
  for (unsigned t = 0; t < IMU_TRIADS; t++) {
    pull->refused &= ~((unsigned)!judge->triad[t].convicted << t);
  }
  const bool goes_on = pull->goes_on || is_read(pull->pulled_ns, t_ns, LONGEST_RING_NS);
  pull->goes_on = goes_on && !is_read(pull->carried_ns, t_ns, LONGEST_RING_NS);
  imu_judge_end(judge, pull->refused,
                pull->goes_on          ? IMU_GOES_ON
                : pull->pulled_ns == 0 ? IMU_OVER
                                       : IMU_UNSAID);
}
