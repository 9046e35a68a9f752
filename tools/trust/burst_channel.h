/* What one channel of a sensor says while a burst is on: finite and believable, but wrong. */
#ifndef BURST_CHANNEL_H
#define BURST_CHANNEL_H

#include "math/spatial.h"
#include "sim_random.h"

#include <stddef.h>

enum burst_kind {
  BURST_ZERO,
  BURST_FULL_SCALE,
  BURST_NEGATED,
  BURST_OFFSET, /* + 20 m/s^2, + 5 rad/s, + 0.2 rad, + 200 N */
  BURST_FROZEN,
  BURST_NOISE,  /* thirty times its own */
  BURST_SILENT, /* nothing comes */
  BURST_SLIGHT, /* a tenth of the offset: any one reading could be right */
  BURST_KINDS
};

struct burst_channel {
  double full, offset, noise;
};

/* What a sensor says at the end of its range, and by how much it is offset. */
#define BURST_FULL_ACCELEROMETER 156.9 /* m/s^2: 16 g */
#define BURST_FULL_GYRO          34.9  /* rad/s: 2000 degrees a second */
#define BURST_FULL_CELL          39.2  /* m/s^2: 4 g, below what is taken for saturated */
#define BURST_FULL_ENCODER       M_PI  /* rad */
#define BURST_FULL_FORCE         2e3   /* N */
#define BURST_OFFSET_FORCE       20.0  /* m/s^2 */
#define BURST_OFFSET_RATE        5.0   /* rad/s */
#define BURST_OFFSET_ENCODER     0.2   /* rad */
#define BURST_OFFSET_WRENCH      200.0 /* N */

/* Its word as the command line has it: "full"; NULL beyond the last. [any] */
const char *burst_kind_name(size_t kind);

/* What comes instead of `right`, frozen at `held`. [any] `random` is drawn from by noise alone. */
double burst_spoil(enum burst_kind kind, const struct burst_channel *channel, double right,
                   double held, struct sim_random *random);

/* The same of three axes; the offset goes onto one of them, the rest onto all. [any] */
vec3 burst_spoil3(enum burst_kind kind, const struct burst_channel *channel, vec3 right, vec3 held,
                  int offset_axis, struct sim_random *random);

#endif
