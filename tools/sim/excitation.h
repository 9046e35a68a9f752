/* Joint motions that excite estimators, as exact functions of time.
 *
 * The classes are those in which the estimators' accuracy is stated: sines of varying amplitude in
 * three bands, sines with saturated velocity, runs ended by a stop within 10 ms, static poses.
 * Each joint has its own frequency, amplitude and phase, drawn from the seed; all begin at rest.
 * One that mimics another moves with it. */
#ifndef EXCITATION_H
#define EXCITATION_H

#include "followers.h"
#include "jet.h"

#include <stdint.h>

enum excitation_kind {
  EXCITE_REST,
  EXCITE_SLOW,       /* 0.15 to 0.5 Hz */
  EXCITE_MEDIUM,     /* 0.3 to 1 Hz */
  EXCITE_FAST,       /* 1 to 2.5 Hz */
  EXCITE_SATURATION, /* 0.3 to 1 Hz, velocity clipped at 60 % of its peak */
  EXCITE_STOPS,
  EXCITE_POSES
};

#define EXCITATION_STOP_SECONDS 0.010 /* from full speed to rest */
#define EXCITATION_POSE_SECONDS 2.5   /* one pose with the way to it */
#define EXCITATION_POSE_MOVE    1.0   /* s, the way */

struct excitation {
  enum excitation_kind kind;
  size_t n_joints;
  uint64_t seed;
  double start_s; /* at rest until then */
  struct joint_excitation {
    double centre, amplitude; /* rad or m */
    double omega, phase;      /* rad/s, rad: of the main sine, or of the cycle of runs */
    double omega2, phase2;    /* of the second sine */
    double omega_a, phase_a;  /* of the amplitude */
    double low, high;         /* rad or m, range of poses */
    struct follower follower; /* of which joint, and how: of itself when it mimics none */
  } joint[MODEL_MAX_JOINTS];
};

/* Draws the motions. [start] `scale` multiplies amplitudes; ranges and speeds stay inside the
 * model's limits. */
void excitation_init(struct excitation *excitation, const struct model *model,
                     enum excitation_kind kind, double scale, uint64_t seed, double start_s);

/* Position, velocity and acceleration of joint j at `t` seconds: rad or m. [any] */
struct jet excitation_at(const struct excitation *excitation, size_t j, double t);

#endif
