/* Whether each encoder can be believed at this instant.
 *
 * An encoder is left out alone: the others go on. It is compared with what the filter predicts, and
 * the bound allows for what a joint can really do between two samples, so that an abrupt stop is
 * not mistaken for a fault. One that stays away but agrees with itself has slipped or was
 * re-zeroed: it is believed again, once, with a jump that the filter publishes; or, where the skin
 * knows that the joint has not moved, less the step, so that position and skin stay one. */
#ifndef ENCODER_GUARD_H
#define ENCODER_GUARD_H

#include "common/arena.h"
#include "joints/joint_filter.h"

struct encoder_record {
  double last;          /* rad or m: last reading */
  double contradiction; /* deviations: sum of innovations since it last changed */
  double offset;        /* rad or m: by how much its zero has moved; taken out of its readings */
  double since;         /* s: since a reading was last accepted */
  double drift, spread; /* rad or m: mean innovation while gated, and its mean deviation */
  unsigned frozen;      /* equal readings in a row */
  bool steps;           /* its noise is that of its steps: it repeats itself and is well */
  unsigned gated;       /* refused readings in a row */
  int lean;             /* readings in a row that stood off to one side, with its sign */
};

struct encoder_guard {
  size_t n;
  double slip_after_s;          /* s: a consistent contradiction of this length is a slip */
  struct encoder_record *joint; /* [n] */
  uint8_t *health;              /* [n] enum encoder_health */
};

enum { KICK_READINGS = 3 }; /* readings that tell a kick */

enum encoder_verdict { ENCODER_USE, ENCODER_LEAVE, ENCODER_SLIPPED, ENCODER_REZEROED };

/* [start] */
enum status encoder_guard_init(struct encoder_guard *guard, size_t n, struct arena *arena);

/* Forgets all. [real-time] */
void encoder_guard_reset(struct encoder_guard *guard);

/* A number that an encoder can deliver at all. [any] */
bool encoder_is_plausible(double q);

/* What is known about a reading before it comes. */
struct encoder_expectation {
  double q, sd; /* rad or m: prediction, and one standard deviation of the reading from it */
  double dt;    /* s since the previous reading */
  double speed; /* rad/s or m/s: by how much a strike just felt may have changed the velocity */
  double unseen_slip; /* rad or m: with a larger one it is the encoder's zero that has moved: skin
                         feels gravity, and knows the joint's true place */
};

/* Judges joint j's reading q, its offset taken out. [real-time] ENCODER_SLIPPED: start this joint
 * again from q. ENCODER_REZEROED: leave it out; the next ones come less another offset. */
enum encoder_verdict encoder_guard_judge(struct encoder_guard *guard, size_t j, double q,
                                         const struct encoder_expectation *expected);

/* True when joint j's readings have stood off to one side so often that its velocity must have
 * changed unseen: an impact between two looks of the skin. [real-time] innovation, sd: as above, of
 * a reading that was believed. */
bool encoder_guard_kicked(struct encoder_guard *guard, size_t j, double innovation, double sd);

#endif
