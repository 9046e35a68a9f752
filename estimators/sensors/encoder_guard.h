/* Whether each encoder can be believed at this instant.
 *
 * An encoder cannot drift: what is left out is a reading that steps as no joint can, one that
 * stands alone, or one that repeats itself while its joint moves. A step that the next reading
 * goes on with is none: the joint is faster now. A reading that leaves the prediction step by
 * step is right and the prediction wrong, whatever its deviation says: it is used, and the filter
 * opens what it believed of the joint. When several joints leave together the inertial sensors
 * are in doubt, and no encoder is left out for what they say. Several that stop together, from
 * one reading to the next, have frozen.
 *
 * What was predicted may rest on readings that were far off themselves and believed: noise. When
 * its readings then go on at quite another pace, they are right about that, and about their place;
 * so they are when steps have come one after the other, and have come to an end.
 *
 * A step is on trial: no joint can have made it, so readings at the pace that is predicted count
 * less the step, and others not at all: where the pace is known, and of joints that have stepped
 * together all or none, since readings of the wrong sign pass by at any pace. Mostly it is a fault
 * that passes. When it has stayed for long it is a slip or a new zero: the encoder is believed
 * where it is, once, with a jump that the filter publishes; or, where the skin knows that the joint
 * has not moved, goes on less the step. One that steps back to where it came from is believed at
 * once, whatever is predicted by then, and so is one that steps most of the way to where it is
 * predicted. With it the fault of what had stepped away together is over. */
#ifndef ENCODER_GUARD_H
#define ENCODER_GUARD_H

#include "common/arena.h"
#include "common/status.h"
#include "sensors/encoder_health.h"
#include "sensors/encoder_repeats.h"
#include "sensors/encoder_steps.h"
#include "sensors/encoder_trial.h"

struct encoder_record {
  struct encoder_steps steps;
  struct encoder_repeats repeats;
  struct encoder_trial trial;
  double apart;   /* s: since its last measurement */
  double offset;  /* rad or m: taken out of its readings: a step on trial, or by how much its zero
                     has moved */
  double since;   /* s: since a reading was last accepted */
  double shaken;  /* s: for so long what is predicted rests on a reading that was far off */
  double unheard; /* s: since one was last used: a repetition may be accepted and left out */
  unsigned gated; /* refused readings in a row */
  int lean;       /* readings in a row that stood off to one side, with its sign */
};

struct encoder_guard {
  size_t n;
  int64_t t_ns;        /* of the newest readings */
  double step_stays_s; /* s: a step that has stayed for so long is no passing fault */
  double since_again;  /* s: since an encoder last stepped again, while a step of it was on trial */
  double back_away_s;  /* s: since one that is back stepped away; HUGE_VAL: none is */
  struct encoder_record *joint; /* [n] */
  uint8_t *health;              /* [n] enum encoder_health */
};

enum { KICK_READINGS = 3 }; /* readings that tell a kick */

/* s: an encoder that has not been used for so long tells nothing of its joint. */
#define ENCODER_UNHEARD_S 0.05

enum encoder_verdict { ENCODER_USE, ENCODER_LEAVE, ENCODER_SLIPPED, ENCODER_REZEROED };

/* [start] */
enum status encoder_guard_init(struct encoder_guard *guard, size_t n, struct arena *arena);

/* Forgets all. [real-time] */
void encoder_guard_reset(struct encoder_guard *guard);

/* Readings of t_ns come to be judged: s since those before them, period_s at least. [real-time] */
double encoder_guard_interval(struct encoder_guard *guard, int64_t t_ns, double period_s);

/* Time since joint j was judged before, s, if this is a reading to be judged; 0: it is the last
 * measurement once more, or has not been given, which is a fault after ENCODER_UNHEARD_S only.
 * [real-time] reading: rad or m, its offset taken out; dt: s since the readings before. */
double encoder_guard_apart(struct encoder_guard *guard, size_t j, double reading, double dt);

/* Encoders that came to repeat themselves with the same reading, several of them out of motion,
 * have frozen. They are left out while they repeat themselves, and believed at once when they go
 * on. [real-time] Before the readings of an instant are judged, dt s since those before. */
void encoder_guard_hold(struct encoder_guard *guard, double dt);

/* A number that an encoder can deliver at all. [any] */
bool encoder_is_plausible(double q);

/* What is known about a reading before it comes. */
struct encoder_expectation {
  double q, sd; /* rad or m: prediction, and one standard deviation of the reading from it */
  double dq;    /* rad/s or m/s: likewise */
  double dq_sd; /* rad/s or m/s: one standard deviation of that */
  double noise; /* rad or m: the encoder's own */
  bool noisy;   /* it scatters more than it is said to: its steps are none */
  bool doubt;   /* something speaks against the inertial sensors: the prediction proves nothing */
  double dt;    /* s since the previous reading */
  double speed; /* rad/s or m/s: by how much a strike just felt may have changed the velocity */
  double unseen_slip; /* rad or m: with a larger one it is the encoder's zero that has moved: skin
                         feels gravity, and knows the joint's true place */
};

/* Judges joint j's reading, its offset taken out. [real-time] ENCODER_SLIPPED: start this joint
 * again from the reading, which has no offset any more. ENCODER_REZEROED: leave it out; the next
 * ones come less another offset. */
enum encoder_verdict encoder_guard_judge(struct encoder_guard *guard, size_t j, double reading,
                                         const struct encoder_expectation *expected);

/* True when joint j's readings have stood off to one side so often that its velocity must have
 * changed unseen: an impact between two looks of the skin. [real-time] innovation, sd: as above, of
 * a reading that was believed. */
bool encoder_guard_kicked(struct encoder_guard *guard, size_t j, double innovation, double sd);

#endif
