#include "sensors/unfelt_turn.h"

#include <math.h>

/* Normalised innovation, per axis, of a gyro that jumps: three times what strikes make of it; of
 * an accelerometer that feels something, two. */
static const double JUMPS = 30.0, FELT = 4.0;
/* So long before and after it is felt by an accelerometer whose filter is another than the gyro's,
 * ns; readings further apart do not see a blow. */
static const int64_t BEFORE_NS = 5000000, AFTER_NS = 3000000, FOLLOWS_NS = 2000000;
/* Two readings agree when their innovations are not so many times larger or smaller. */
static const double AGREE_SIZE = 2.0;

/* One that jumps again, otherwise, is noise. */
static void note_jump(struct unfelt_turn *turn, int64_t t_ns, bool jumps, bool follows, vec3 rate) {
  const bool goes_on =
      jumps && follows && turn->readings > 0 && imu_jumps_agree(rate, turn->jump, AGREE_SIZE);
  const bool small = fmax(vec3_norm(rate), vec3_norm(turn->jump)) < imu_smallest_jump[IMU_GYRO];
  turn->readings = !jumps ? 0 : goes_on ? turn->readings + 1 : 1;
  if (turn->readings == 2 && small) {
    turn->jumped_ns = t_ns;
  } else if (turn->readings == 1) {
    turn->jumped_ns = 0;
  }
  turn->jump = jumps ? rate : turn->jump;
}

bool unfelt_turn_next(struct unfelt_turn *turn, int64_t t_ns, const double nis[IMU_TRIADS],
                      vec3 rate) {
  const bool follows = turn->read_ns > 0 && t_ns - turn->read_ns <= FOLLOWS_NS;
  turn->read_ns = t_ns;
  turn->felt_ns = nis[IMU_ACCELEROMETER] > FELT ? t_ns : turn->felt_ns;
  note_jump(turn, t_ns, nis[IMU_GYRO] > JUMPS, follows, rate);
  if (turn->jumped_ns == 0 || t_ns - turn->jumped_ns < AFTER_NS) {
    return false;
  }
  const bool unfelt = turn->felt_ns == 0 || turn->felt_ns < turn->jumped_ns - BEFORE_NS;
  turn->jumped_ns = 0;
  return unfelt;
}
