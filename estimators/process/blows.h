/* Blows: a foot that lands, a hand that hits. For a millisecond or two all joints accelerate as no
 * smooth motion does, and then go on at other velocities.
 *
 * Encoders show that late: followed as smooth motion a blow asks for a process some ten thousand
 * times as lively, and the joints' accelerations drown in what that makes of encoder noise, long
 * after the blow. But the base feels it at once, in acceleration that its IMU reads and nobody
 * foresaw, of square s for a time T. So velocities are opened there, and accelerations by part of
 * what they have been meanwhile; the process between blows stays as calm as the motion is. Joint j
 * gains in velocity
 *
 *   g_j^2 s T^2,   with g_j the size of what it has gained in blows over that of what the base has,
 *
 * learned from the velocities before and after; a mean of sizes, not of squares, which the hardest
 * blow alone would be. What is felt may be no blow, but an accelerometer that is noisier than told:
 * then joints gain little in it, and little is opened. */
#ifndef BLOWS_H
#define BLOWS_H

#include "common/arena.h"
#include "common/status.h"
#include "process/joint_process.h"

#include <stdint.h>

/* What the IMU felt between two readings. */
struct blow {
  double square; /* (m/s^2)^2: of the acceleration beyond what was to be expected; 0: none */
  double lasts;  /* s: since the reading before */
};

/* One blow that does to velocities and accelerations what `first` and `next` do together. [any] */
struct blow blow_joined(struct blow first, struct blow next);

/* Variances that a blow adds to one joint. */
struct knock {
  double q, dq, ddq; /* rad or m, per s, per s^2, squared: to what is estimated */
  double pulse;      /* (per s^2)^2: of the acceleration during the blow */
};

struct blows {
  size_t n;
  double *gained;   /* [n] rad/s or m/s: sums over blows, older ones forgotten */
  double given;     /* m/s: likewise, of the base */
  double *dq, *ddq; /* [n] before the blow at hand */
  double strength;  /* (m/s)^2: of it so far */
  int64_t begun_ns; /* its first reading; 0: there is none at hand */
};

/* [start] */
enum status blows_init(struct blows *blows, size_t n_joints, struct arena *arena);

/* Forgets what was learned. [real-time] */
void blows_reset(struct blows *blows);

/* What was learned by a filter of the same joints stays. [any] */
void blows_adopt(struct blows *blows, const struct blows *previous);

/* Takes what the IMU felt at t_ns, which may be nothing, and learns from a blow that is over.
 * [real-time] x: [numbers], predicted for then. */
void blows_step(struct blows *blows, const struct joint_layout *layout, int64_t t_ns,
                struct blow blow, const double *x);

/* What it does to joint j. [real-time] */
struct knock blows_knock(const struct blows *blows, size_t j, struct blow blow);

#endif
