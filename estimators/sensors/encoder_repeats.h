/* Repetitions of an encoder: it comes in steps and rests, it is read more often than it measures,
 * it is stuck while its joint moves, it has frozen together with others, or by itself, where its
 * noise would have it change. */
#ifndef ENCODER_REPEATS_H
#define ENCODER_REPEATS_H

#include "robot/sensor_hold.h"
#include "sensors/repeat_chance.h"

#include <stdbool.h>

struct encoder_repeats {
  double last;          /* rad or m: last reading */
  unsigned times;       /* how often in a row it has come again */
  double contradiction; /* deviations: sum of innovations meanwhile */
  bool stuck;           /* that row was told to be */
  bool coarse;          /* its noise is that of its steps: it repeats itself and is well */
  double change;        /* rad or m: its last one */
  double pace;          /* rad/s or m/s: its velocity of late, before it began to repeat itself */
  struct repeat_chance chance;
  struct sensor_hold hold; /* of readings as they come */
  double read;             /* rad or m: last reading, as it came */
  double held;             /* s: for how long it has been frozen; 0: it is not */
};

/* Whether reading q, rad or m, as it came dt s after the last, is a measurement; else it is the
 * last one once more, of an encoder that is read more often than it measures: its noise would have
 * it change, or its pace. [real-time] First of all, once for each reading. One whose noise stops
 * for much longer than ordinarily has frozen, and is judged again. away: it has stepped, and how
 * often it repeats a wrong word is not how often it measures. */
bool encoder_repeats_measured(struct encoder_repeats *repeats, double q, double dt, bool away);

/* The next reading comes, dt s after the last, and stands so far from the prediction, rad or m, sd
 * one deviation; away: it has stepped, which is no motion. [real-time] Returns true when the
 * encoder is stuck: its joint moves. */
bool encoder_repeats_next(struct encoder_repeats *repeats, double q, double off, double sd,
                          double dt, bool away);

/* Readings to come are less so much more, rad or m: that is no motion. [real-time] */
void encoder_repeats_rezero(struct encoder_repeats *repeats, double by);

/* One of a row of equal readings that is better left out: used each time it would hold the filter
 * where a frozen encoder says, and hide that the joint moves on. [real-time] */
bool encoder_repeats_mislead(const struct encoder_repeats *repeats);

/* So far off that one who has repeated itself for long is stuck. [real-time] off, noise: rad or m.
 */
bool encoder_repeats_far(double off, double noise);

/* It has just repeated itself so often that it may have frozen, with others that did since the same
 * reading. [real-time] */
bool encoder_repeats_begin(const struct encoder_repeats *repeats);

/* ... and out of motion: it would have come by several of its steps in as many readings dt s
 * apart. [real-time] */
bool encoder_repeats_in_motion(const struct encoder_repeats *repeats, double dt);

/* ... and out of a change by several of its steps: smooth motion ends in smaller ones.
 * [real-time] */
bool encoder_repeats_abruptly(const struct encoder_repeats *repeats);

/* It has frozen, dt s ago. [real-time] */
void encoder_repeats_freeze(struct encoder_repeats *repeats, double dt);

/* Whether reading q, dt s after the last, goes on with being frozen; false too when it was not.
 * [real-time] */
bool encoder_repeats_frozen(struct encoder_repeats *repeats, double q, double dt);

#endif
