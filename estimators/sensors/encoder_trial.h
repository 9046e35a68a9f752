/* A step of an encoder on trial: whether the encoder goes along with its joint meanwhile, and what
 * ends it. */
#ifndef ENCODER_TRIAL_H
#define ENCODER_TRIAL_H

#include "sensors/encoder_steps.h"

struct encoder_trial {
  double since;    /* s: since its last step; 0: none is on trial */
  double away_s;   /* s: since the first of those that have led it away; 0: it is not */
  double off;      /* rad or m: mean innovation of the readings left out since then */
  unsigned agrees; /* readings in a row that are as predicted */
  bool along;      /* its last reading went along with its joint */
};

enum { TRIAL_READINGS = 15 }; /* tell an encoder's pace: from its joint's, or from having frozen */

/* The next reading has come, dt s after the last. [real-time] since_again: s, since a joint last
 * stepped while a step of it was on trial; written when this one does. */
void encoder_trial_next(struct encoder_trial *trial, const struct encoder_steps *steps, double dt,
                        double *since_again);

/* A reading is left out that is off by so much, rad or m. [real-time] */
void encoder_trial_leave(struct encoder_trial *trial, const struct encoder_steps *steps,
                         double innovation);

/* The step stays, as of a zero that has moved: the encoder goes at the joint's pace. Skin that sees
 * the joint tells that for long, and better than one that goes nearly as fast the other way; a
 * pace that is hardly known agrees by chance. [real-time] innovation: rad or m; dq, dq_sd: rad/s
 * or m/s, as predicted; noise: rad or m. */
bool encoder_trial_goes_along(const struct encoder_trial *trial, const struct encoder_steps *steps,
                              double innovation, double dq, double dq_sd, double noise, bool seen);

/* It stepped away with one that did so `away_s` ago, s. [real-time] */
bool encoder_trial_together(const struct encoder_trial *trial, double away_s);

/* The step came some time after another, of its own or of one that stepped together with it: a
 * fault has ended, wherever the joints have gone meanwhile. [real-time] since_again: as above. */
bool encoder_trial_has_ended(const struct encoder_trial *trial, double since_again);

#endif
