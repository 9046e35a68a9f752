/* Short faults put into the log of a real robot's walk, and what they did to the estimate, held
 * against the same pipeline's on the log as it is. */
#ifndef WALK_BURST_H
#define WALK_BURST_H

#include "support/walk_score.h"
#include "trust/burst_channel.h"

enum walk_sensor {
  WALK_GYRO,
  WALK_ACCELEROMETER,
  WALK_IMU,
  WALK_UPPER_BODY, /* the encoders of torso, neck and arms */
  WALK_LEG,        /* the left leg's */
  WALK_KNEE,       /* one */
  WALK_SENSORS
};

/* "gyro"; NULL beyond the last. [any] */
const char *walk_sensor_name(size_t sensor);

struct walk_burst {
  enum walk_sensor sensor;
  enum burst_kind kind;
  double start_s, length_s; /* s; one row at least is hit */
};

/* Spoils the log. [start] */
void walk_burst_apply(const struct walk_burst *burst, struct walk_log *log);

#define WALK_BURST_TILT 0.05 /* rad: further off is wrong */
#define WALK_BURST_Q    0.05 /* rad */

/* From the first bad row until two seconds after the last. */
struct walk_harm {
  double tilt, q; /* rad: farthest off; of all joints */
  double right_s; /* s after the last bad row: right from then on, and ok wherever it would be */
  double lie_s;   /* s: longest stretch of ok and wrong */
};

/* [any] said, sound: of the spoilt log and of the log as it was. */
struct walk_harm walk_burst_harm(const struct walk_burst *burst, const struct walk_log *log,
                                 const struct robot *robot, const struct walk_said *said,
                                 const struct walk_said *sound);

/* Right within a second, and never ok for more than .1 s where it was not. [any] */
bool walk_harm_passes(const struct walk_harm *harm);

#endif
