/* Whether the IMU is believed: gyro and accelerometer, each by itself.
 *
 *   believed   a reading within what the estimate allows
 *   alone      one that jumps is left out until the next agrees: a blow lasts, a broken word does
 *              not; one of readings so far apart that a blow fits in between is followed at once
 *   on trial   two that agree are followed at once, and what the estimate holds is opened for them,
 *              by the first already, so that the second need not be far off. For some time after,
 *              others may speak against it: feet that ought to stand, encoders, the skin of many
 *              links
 *   refused    someone did, against it or the other that jumped with it and, as it is, is still
 *              off. It is listened to again when it is back within what the others allow, or after
 *              so long that the others may be wrong as well; where it is known that what it was
 *              refused for has ended, as soon as it does not contradict them; while that is known
 *              to go on, not at all
 *   denied     it reads nothing: refused for as long
 *
 * Biases do not learn from a trial that ends in refusal: the filter goes back to those from before.
 */
#ifndef IMU_JUDGE_H
#define IMU_JUDGE_H

#include "math/spatial.h"

#include <stdbool.h>
#include <stdint.h>

enum imu_triad { IMU_GYRO, IMU_ACCELEROMETER, IMU_TRIADS };

enum imu_verdict {
  IMU_USE,   /* take it */
  IMU_LEAVE, /* leave it out */
  IMU_ANEW,  /* take it again though it is as far off as before: its bias may be another */
};

/* What is known of the end of that for which a triad is refused. */
enum imu_cause { IMU_UNSAID, IMU_GOES_ON, IMU_OVER };

/* Of each triad, rad/s and m/s^2: smaller jumps do no harm that others should judge. */
extern const double imu_smallest_jump[IMU_TRIADS];

struct triad_judge {
  int64_t read_ns;      /* of the newest reading, 0 for none */
  int64_t far_ns;       /* since when all readings have been far off, 0: they are not */
  vec3 refused;         /* innovation of the reading left out just now, base axes; 0: none */
  int64_t first_ns;     /* when the trial began, by the first of its jumps; 0 for never */
  int64_t began_ns;     /* ... and by the largest, from which its time counts */
  vec3 jump;            /* the largest of the trial, rad/s or m/s^2, base axes */
  vec3 before;          /* what was expected when the first came, likewise */
  vec3 excess;          /* the newest reading that was followed, less that */
  vec3 off;             /* sum of the trial's jumps: the excess without how the base moves on */
  bool convicted;       /* it is refused */
  bool denied;          /* ... since it reads nothing */
  enum imu_cause cause; /* ... and whether what for is over */
  vec3 mean;            /* ... what it is off by of late, rad/s or m/s^2, base axes */
  unsigned quiet;       /* ... of so many readings in a row that have not jumped */
  int64_t convicted_ns;
  unsigned well, needs; /* readings in a row that would be believed, while it is refused, and how
                           many end that */
};

struct imu_judge {
  struct triad_judge triad[IMU_TRIADS];
  vec3 gyro_bias, accelerometer_bias; /* from before the trial */
};

/* Forgets all. [real-time] */
void imu_judge_reset(struct imu_judge *judge);

/* Judges one fresh reading. [real-time]
 *   nis         normalised innovation squared, per axis
 *   expected    base axes, rad/s or m/s^2: what it ought to be
 *   innovation  what it is more */
enum imu_verdict imu_judge_reading(struct imu_judge *judge, enum imu_triad triad, int64_t t_ns,
                                   double nis, vec3 expected, vec3 innovation);

/* True while a jump is on trial; of any triad. [real-time] */
bool imu_judge_on_trial(const struct imu_judge *judge, enum imu_triad triad, int64_t t_ns);
bool imu_judge_tries(const struct imu_judge *judge, int64_t t_ns);

/* True while a jump is on trial and the newest reading is still off by most of it, and by more than
 * a base moves in a step. [real-time] */
bool imu_judge_stays_off(const struct imu_judge *judge, enum imu_triad triad, int64_t t_ns);

/* All triads, as bits 1 << triad. */
enum { IMU_BOTH = (1u << IMU_TRIADS) - 1u };

/* Others have spoken against these: refuses which of them are on trial. [real-time] Returns those
 * that are refused from now on. */
unsigned imu_judge_convict(struct imu_judge *judge, unsigned accused, int64_t t_ns);

/* Those that are listened to, or are on trial, as bits. [any] */
unsigned imu_judge_believed(const struct imu_judge *judge);

/* Refuses a triad that is not on trial, for what has been found of the other. [real-time] */
void imu_judge_refuse(struct imu_judge *judge, enum imu_triad triad, int64_t t_ns);

/* Two jumps agree when they point within 60 degrees of each other and neither is `ratio` times the
 * other. [any] */
bool imu_jumps_agree(vec3 a, vec3 b, double ratio);

/* Refuses a triad that has jumped by less than is tried: one that reads nearly nothing now and then
 * must agree for long. [real-time] jump: rad/s or m/s^2, base axes. */
void imu_judge_refuse_jump(struct imu_judge *judge, enum imu_triad triad, vec3 jump, int64_t t_ns);

/* Whether what these are refused for, bits 1 << triad, is over. [real-time] */
void imu_judge_end(struct imu_judge *judge, unsigned triads, enum imu_cause cause);

/* These read nothing from now on, bits 1 << triad: they are refused, those that did so before are
 * believed again. [real-time] */
void imu_judge_deny(struct imu_judge *judge, unsigned triads);

#endif
