/* From one sensor frame to everything that is published: the estimators in their order.
 *
 * Pure: numbers in, numbers out. The daemon steps it in the real-time cycle; evaluations and
 * replays step the same code offline. A second pipeline can be built beside a running one and
 * swapped in between two cycles. */
#ifndef PIPELINE_H
#define PIPELINE_H

#include "centroidal/centroidal_estimator.h"
#include "common/arena.h"
#include "common/status.h"
#include "inertial/inertial_estimator.h"
#include "joints/joint_filter.h"
#include "propriod/state.h"
#include "robot/reading_check.h"
#include "robot/robot.h"
#include "robot/sensor_frame.h"

/* One member per estimator; each estimator's header defines its own settings. */
struct pipeline_settings {
  double period_s; /* nominal cycle period */
  struct reading_settings readings;
  struct joint_filter_settings joints; /* its period is the pipeline's */
  struct centroidal_settings centroidal;
  struct inertial_settings inertial; /* its period is the pipeline's */
  int cells_per_link; /* most skin cells to use on a link, 0 for all; who chooses is not the
                         pipeline */
};

/* What one step produces. */
struct estimates {
  struct propriod_state state;
  struct propriod_centroidal centroidal;
  struct inertia_estimate inertia;
};

/* Every estimator's own defaults. [any] */
struct pipeline_settings pipeline_defaults(void);

struct pipeline;
struct link_skin;

/* Builds a pipeline over `arena`; `robot` must outlive it. [start, worker] On a counting arena only
 * counts. */
enum status pipeline_init(struct pipeline **pipeline, const struct robot *robot,
                          const struct pipeline_settings *settings, struct arena *arena);

/* Estimates the body at `frame->t_ns`. Always writes all of `out`; parts that cannot be estimated
 * have their bit cleared and the status says why. [real-time] */
void pipeline_step(struct pipeline *pipeline, const struct sensor_frame *frame,
                   struct estimates *out);

/* What happened since init, and the health of every skin cell. [real-time] */
const struct joint_filter_counters *pipeline_counters(const struct pipeline *pipeline);
const struct reading_counters *pipeline_readings(const struct pipeline *pipeline);
const struct cell_health *pipeline_cells(const struct pipeline *pipeline);

/* The skin of a link as it was fused last, or NULL when the link has none. [real-time] */
const struct link_skin *pipeline_skin(const struct pipeline *pipeline, size_t link);

/* Uses the cells that are chosen, [n_cells] in the order of the skin stream, and no others. All are
 * used at first. [real-time] */
void pipeline_choose_cells(struct pipeline *pipeline, const bool *chosen);
bool pipeline_uses_cell(const struct pipeline *pipeline, size_t cell);

/* What it was built from. [any] */
const struct robot *pipeline_robot(const struct pipeline *pipeline);
const struct pipeline_settings *pipeline_settings_of(const struct pipeline *pipeline);

/* Takes over what a running pipeline of the same robot has learned (state, biases, covariances), as
 * far as both have it. Called between two cycles when a new configuration is swapped in.
 * [real-time] */
void pipeline_adopt(struct pipeline *pipeline, const struct pipeline *previous);

/* The inertial estimator inside, for what outlives a pipeline. [any] */
struct inertial_estimator *pipeline_inertial(struct pipeline *pipeline);

/* The motion as it was some milliseconds ago, for other estimators beside the pipeline's. [any] */
struct joint_history *pipeline_history(struct pipeline *pipeline);

#endif
