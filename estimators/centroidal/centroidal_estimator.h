/* The base in the world, the centre of mass, the momentum and what the ground does: everything that
 * follows from the joints' motion, the base's accelerations and the IMU.
 *
 * One pass over the full model each cycle. World frame: z against gravity, origin below the base at
 * the start, yaw free (it drifts with the gyro unless the IMU gives its orientation). */
#ifndef CENTROIDAL_ESTIMATOR_H
#define CENTROIDAL_ESTIMATOR_H

#include "base/base_estimator.h"
#include "centroidal/contacts.h"
#include "centroidal/mass_posture.h"
#include "centroidal/model_doubt.h"
#include "common/arena.h"
#include "common/status.h"
#include "joints/joint_filter.h"
#include "propriod/state.h"
#include "robot/robot.h"
#include "robot/sensor_frame.h"

struct centroidal_settings {
  struct base_estimator_settings base;
  struct contact_settings contacts;
  struct mass_posture_settings posture;
  struct model_doubt_settings model;
};

struct centroidal_settings centroidal_defaults(void);

struct centroidal_estimator;

/* Builds an estimator over `arena`; `robot` must outlive it. On a counting arena only counts.
 * [start, worker] Statuses of its parts' init. */
enum status centroidal_init(struct centroidal_estimator **estimator, const struct robot *robot,
                            const struct centroidal_settings *settings, struct arena *arena);

/* Estimates at `frame->t_ns` from the joints' and the base's motion in `state`. [real-time]
 * Reads of `state` what its bits say is estimated, writes all of `out` but `seq`. Without joint
 * positions nothing but the mass; without accelerations the centre of mass and no force.
 *   inertia  [n_links] the model's, or learned ones; of a robot whose inertia is unknown nothing
 *            that needs it is estimated, and its soles are those that stand
 *   joints   the filter that `state` is of: covariances and the drag on each foot; NULL: neither
 *            is known, no deviation is published */
void centroidal_estimate_step(struct centroidal_estimator *estimator,
                              const struct sensor_frame *frame, const struct inertia *inertia,
                              const struct joint_filter *joints, const struct propriod_state *state,
                              struct propriod_centroidal *out);

/* The base estimator inside, for counters and tests. [any] */
const struct base_estimator *centroidal_base(const struct centroidal_estimator *estimator);

/* Takes over what `previous` knows of the same robot. [real-time] */
void centroidal_adopt(struct centroidal_estimator *estimator,
                      const struct centroidal_estimator *previous);

#endif
