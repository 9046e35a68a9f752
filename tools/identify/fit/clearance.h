/* Whether a posture keeps links from each other and from the ground, by simple shapes.
 *
 * Every box, cylinder and sphere of a URDF's <collision> is taken as the bar with round ends that
 * encloses it; a link without any has bars from its origin to its joints. Neighbours, and whatever
 * is within the margin and a centimetre where all joints are at zero (or the nearest that limits
 * allow), are not looked at: shapes overlap at joints, and a robot stands on something. */
#ifndef CLEARANCE_H
#define CLEARANCE_H

#include "body/kinematics.h"
#include "common/message.h"

struct clearance_settings {
  double margin;    /* m: to be kept */
  double thickness; /* m: radius of a bar in the place of a missing shape, at most a quarter of its
                       length */
  double ground;    /* m along `up` from the base's origin; -infinity: none */
  vec3 up;          /* unit vector, base coordinates */
};

struct clearance_settings clearance_defaults(void);

struct bar {
  size_t link;
  vec3 a, b; /* m, link coordinates: ends of the middle line */
  double radius;
};

struct clearance {
  const struct model *model;
  struct clearance_settings settings;
  struct kinematics kin;
  void *memory;
  size_t n_bars, stand_ins; /* bars, and of them those in the place of a missing shape */
  struct bar *bar;          /* [n_bars] */
  vec3 *a, *b;              /* [n_bars] m, base coordinates */
  size_t n_pairs;
  size_t (*pair)[2]; /* [n_pairs] looked at */
  bool *grounded;    /* [n_bars] it is where the ground is when all joints are at zero */
};

/* [start] `urdf`: the text of `model`, called `name` in messages. STATUS_NO_MEMORY; statuses of
 * shapes_of_urdf. Only with STATUS_OK is there something to free. */
enum status clearance_make(const char *urdf, const char *name, const struct model *model,
                           const struct clearance_settings *settings, struct clearance *clearance,
                           struct message *error);
void clearance_free(struct clearance *clearance);

/* The least distance of what is looked at less the margin, m; infinite when nothing is. q:
 * [n_joints] rad, m. */
double clearance_at(struct clearance *clearance, const double *q);

/* The posture in which clearance_make looked: zero, or the nearest allowed. q: [n_joints] */
void clearance_neutral(const struct model *model, double *q);

#endif
