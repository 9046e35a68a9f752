/* One simulated robot that takes something up, and several inertial estimators on it at once.
 *
 * The motion comes from the pipeline as the daemon runs it; beside it stand the same estimator on
 * true motion, and on finite differences as Foster et al. have it. Each way is a whole inertial
 * estimator with settings and history of its own. */
#ifndef INERTIAL_RUN_H
#define INERTIAL_RUN_H

#include "inertia/pseudo_inertia.h"
#include "pipeline.h"
#include "sim.h"
#include "stock_robot.h"
#include "support/give_up.h"
#include "support/inertial_score.h"

enum { RUN_WAYS = 12, RUN_RING = 32, RUN_SPAN = 6, RUN_PLOT_EVERY = 4, RUN_PLOTTED = 4000 };

enum motion_source { FROM_FILTER, FROM_TRUTH, FROM_DIFFERENCES, MOTION_SOURCES };

extern const char *const motion_source_name[MOTION_SOURCES];

struct inertial_way {
  const char *name;
  enum motion_source source;
  double wrench_late_s; /* wrenches stamped as of now that are older by this */
  struct inertial_filter_settings settings;
};

struct inertial_case {
  const char *name, *title;
  const char *scenario;
  const char *link; /* that carries the load and is estimated */
  bool torques, wrenches;
  struct sim_payload load;
  double end_s, strike_speed, amplitude;
  double encoder_white; /* rad, beside the encoders' 19 bits */
};

struct way_state {
  struct inertial_estimator *estimator;
  struct inertia_estimate out;
  struct inertial_score score;
  float *mass, *published; /* [RUN_PLOTTED] kg, NaN before there is one */
};

/* What second differences need of one instant. */
struct raw_instant {
  int64_t t_ns;
  double q[MODEL_MAX_JOINTS];
  vec3 rate_B, force_B;
  struct force wrench[ROBOT_MAX_WRENCH];
};

struct inertial_run {
  const struct inertial_case *what;
  const struct inertial_way *way;
  size_t n_ways, link;
  struct stock_robot stock;
  struct sim *sim;
  struct pipeline *pipeline; /* its own inertial estimator is idle */
  struct estimates estimates;
  struct joint_history history[MOTION_SOURCES]; /* FROM_FILTER: the pipeline's is used */
  struct way_state state[RUN_WAYS];
  struct raw_instant ring[RUN_RING];
  size_t taken, plotted;
  double t, *time, *truth;
  void *memory;
  bool fallen, loaded;
  double low[MODEL_MAX_JOINTS], high[MODEL_MAX_JOINTS]; /* rad: of joints in the 5 s of the load */
  double swing; /* rad: largest range of a joint that carries the link */
};

/* The paper's filter: printed form, one step, random walk; nothing else that ours has. */
struct inertial_filter_settings as_printed(enum inertial_form form, enum inertial_gate gate);

void inertial_run_begin(struct inertial_run *run, const struct inertial_case *what,
                        const struct inertial_way *way, size_t n_ways, uint64_t seed);

void inertial_run_end(struct inertial_run *run);

/* One frame through all ways; false at the end. */
bool inertial_run_step(struct inertial_run *run);

#endif
