/* Steps of an encoder: readings that stand elsewhere than those before them lead to, by more than
 * any joint's velocity changes. What the filter predicts has no say.
 *
 * A step that the next reading goes on with is none: the joint is faster now. Steps that add up to
 * nothing have brought the encoder back to where it came from. */
#ifndef ENCODER_STEPS_H
#define ENCODER_STEPS_H

#include <stdbool.h>

struct encoder_steps {
  double before;    /* rad or m: reading before this one */
  double velocity;  /* rad/s or m/s: by readings alone, averaged over some of them */
  double lag;       /* rad/s or m/s: by how much a joint that accelerates is ahead of that */
  double pace;      /* rad/s or m/s: from the reading before that to it */
  bool heard;       /* there was one */
  double leap;      /* rad/s or m/s: how much faster than that the last reading came to where it
                       stands, when that was a step and the first; 0: it was none */
  bool away;        /* it has stepped since it was last believed */
  unsigned settled; /* readings since its last step */
  double sum;       /* rad or m: its steps since it was last believed */
  double farthest;  /* rad or m: the largest that this has been */
  double slipped;   /* rad or m: the same of the steps with which it was believed again */
  double since;     /* s: since the last of them all */
  unsigned flurry;  /* how many there were, each soon after the one before */
};

enum { STEPS_SETTLED = 3 }; /* readings after a step that tell where it has led to */

/* The next reading comes, dt s after the last. [real-time] noise: rad or m, one deviation; speed:
 * rad/s or m/s, by how much a strike just felt may have changed the velocity. */
void encoder_steps_next(struct encoder_steps *steps, double q, double noise, double speed,
                        double dt);

/* How fast it goes by its readings alone is not `velocity`, rad/s or m/s, but for what noise,
 * rad or m, makes of it. [real-time] */
bool encoder_steps_faster(const struct encoder_steps *steps, double velocity, double noise);

/* Its last step has led it most of the way back to where it was before it ever stepped, and it has
 * stayed there. [real-time] */
bool encoder_steps_towards(const struct encoder_steps *steps);

/* By its steps it is where it was before it ever stepped. [real-time] noise: as above. */
bool encoder_steps_back(const struct encoder_steps *steps, double noise);

/* Its last steps came so soon one after the other that they were noise: wherever it was believed
 * meanwhile is nowhere. [real-time] */
bool encoder_steps_flutter(const struct encoder_steps *steps);

/* It is believed again: where its steps have led it, or because it was right. [real-time] */
void encoder_steps_believe(struct encoder_steps *steps, bool slipped);

/* Readings to come are less so much more, rad or m. [real-time] */
void encoder_steps_rezero(struct encoder_steps *steps, double by);

/* Nothing before the next reading counts for where it leads to. [real-time] */
void encoder_steps_restart(struct encoder_steps *steps);

#endif
