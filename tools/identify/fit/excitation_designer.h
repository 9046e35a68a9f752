/* A motion being designed: what the files that design it share, and nobody else sees. */
#ifndef EXCITATION_DESIGNER_H
#define EXCITATION_DESIGNER_H

#include "body/rnea.h"
#include "identify/fit/excitation_design.h"
#include "identify/fit/triangle.h"

#include <stdint.h>

struct designer {
  const struct unknowns *u;
  const struct base_parameters *base;
  const struct design_settings *settings;
  vec3 up;
  const double *x; /* [n] the robot as it is known */
  uint64_t random;
  double noise[MODEL_MAX_JOINTS]; /* N m (N) */
  double home[MODEL_MAX_JOINTS];  /* a posture that is clear: smaller motions come near it */
  double *A, *b, *W;              /* [n][n], [n], [n_base][n_base] */
  double *value;                  /* [n_base] eigenvalues of W */
  struct triangle triangle[MODEL_MAX_JOINTS];
  struct kinematics kin;
  struct rnea rnea;
  void *memory;
};

/* Uniform in [-1, 1]. */
static inline double designer_draw(struct designer *d) {
  d->random = d->random * 6364136223846793005ULL + 1442695040888963407ULL;
  return (double)(int32_t)(d->random >> 32) / 2147483648.0;
}

/* The first harmonics take what the others leave of velocity and acceleration at the ends. [any] */
void designer_rest_at_ends(struct excitation_design *design, size_t j);

/* Makes joint j as large as position, velocity and acceleration allow, its middle in the middle of
 * its range. [any] */
void designer_fill_range(const struct designer *d, struct excitation_design *design, size_t j);

/* Joint j smaller by a factor, about its own centre, and with that drawn home. Limits that held
 * still do. [any] */
void designer_scale(struct excitation_design *design, size_t j, double scale);
void designer_shrink_joint(const struct designer *d, struct excitation_design *design, size_t j,
                           double scale);

/* Memory of inverse dynamics, free(d->memory). [start] */
enum status designer_dynamics(struct designer *d);

/* Finds d->home: the middle of all ranges, else where joints are at zero, else one that is drawn.
 * [start] False: none is clear. */
bool designer_find_home(struct designer *d);

/* Nothing is nearer than the margin and `beside`, m, looked at every dt, s. [any] */
bool designer_is_clear(const struct designer *d, const struct excitation_design *design, double dt,
                       double beside);

/* The greatest share of its limit that a torque takes, at every dt, from inverse dynamics alone:
 * many instants, no regressor. [any] */
double designer_torque_share(struct designer *d, const struct excitation_design *design, double dt);

/* What a motion that keeps every limit is worth, by what is aimed at; -infinity otherwise.
 * [start] */
double designer_judge(struct designer *d, const struct excitation_design *design);

/* Deviations, information, condition and (154) of the final motion. [start] */
void designer_describe(struct designer *d, struct excitation_design *design, double *sd);

#endif
