/* One simulation, estimated in several ways at once: by the product's pipeline with skin and
 * without, and by what others do, a centroidal estimator of its own form on motion that an
 * encoder-only filter gives. */
#ifndef CENTROIDAL_RUN_H
#define CENTROIDAL_RUN_H

#include "centroidal/centroidal_estimator.h"
#include "pipeline.h"
#include "sim.h"
#include "stock_robot.h"
#include "support/encoder_motion.h"
#include "support/give_up.h"

enum way { WAY_IMU, WAY_PAPER, WAY_ENCODERS, WAY_SKIN, WAYS };

extern const char *const way_name[WAYS];

struct centroidal_run {
  struct stock_robot stock;
  struct sim *sim;
  struct sim_options options;
  struct encoder_motion encoders;
  struct pipeline *pipeline[WAYS];        /* WAY_ENCODERS sees no skin; NULL: another's way */
  struct centroidal_estimator *way[WAYS]; /* of the other ways */
  struct propriod_state state[WAYS];
  struct propriod_centroidal out[WAYS];
  void *memory;
  double dt, t; /* s: period, and time since the start */
};

/* Sensors of a good research robot: white encoder noise of 2e-4 rad, or 12 bits on servos. */
struct sim_options centroidal_run_options(const struct stock_robot *stock, const char *scenario,
                                          double rate_hz, uint64_t seed);

/* Begins a simulation. `skin` false: without WAY_SKIN; `tuning` NULL: with WAY_SKIN alone. */
void centroidal_run_begin(struct centroidal_run *run, const struct stock_robot *stock,
                          const struct sim_options *options, bool skin,
                          const struct encoder_tuning *tuning);

/* One frame through all ways; false at the end. */
bool centroidal_run_step(struct centroidal_run *run);

void centroidal_run_end(struct centroidal_run *run);

/* A world vector of the estimate in the truth's world: yaw is free. */
vec3 to_true_world(const struct centroidal_run *run, int way, vec3 v);

/* A point of the estimate's world less the true one, as both are seen from the base. */
vec3 point_error(const struct centroidal_run *run, int way, vec3 estimate_W, vec3 true_W);

/* Tunes the encoder-only filters on a run that is evaluated by nobody. */
struct encoder_tuning tune_encoders(const struct stock_robot *stock,
                                    const struct sim_options *options);

#endif
