/* The rows from which inertial parameters are estimated: what sensors say the chosen links weigh.
 *
 * Inverse dynamics of the whole robot with the chosen links' parameters zeroed gives the nominal
 * forces; what the sensors measured beyond them is carried by the chosen links:
 *
 *   z = measured - nominal = Y pi + noise                    Foster (13)-(15)
 *
 * Rows, in this order: six base rows, moment then force about the base origin in base coordinates
 * (floating base; every foot's wrench must be measured), then one row per joint that carries a
 * chosen link (its torque must be measured; a torque that is no number leaves its row out; a joint
 * that also carries a foot needs the feet's wrenches). Rotor inertia and the drives' friction are
 * taken out. [real-time] unless said otherwise. */
#ifndef INERTIAL_MEASUREMENT_H
#define INERTIAL_MEASUREMENT_H

#include "body/regressor.h"
#include "inertial/inertial_core.h"
#include "inertial/inertial_drives.h"
#include "robot/robot.h"

/* Everything of one instant, equally filtered: a sample of delay between motion and forces looks
 * like mass at every foot strike. */
struct inertial_inputs {
  const struct kinematics *kin; /* updated with the accelerations of this instant */
  const double *tau;            /* [n_joints] efforts as the drives send them, or NULL */
  const struct force *wrench;   /* [n_wrench] sensor frames, force on the robot, or NULL */
};

/* Rows of the whole robot: 0 to 2 the base's moment, 3 to 5 its force, 6 + j joint j. */
enum { ROBOT_BASE_ROWS = 6 };
static inline bool robot_row_is_force(size_t row) {
  return row >= 3 && row < ROBOT_BASE_ROWS;
}

/* Sensors without which rows are missing. */
#define INERTIAL_NEEDS_TORQUE (1u << 0) /* no joint torques, or not of every joint */
#define INERTIAL_NEEDS_WRENCH (1u << 1) /* a foot without a measured wrench */

struct inertial_measurement {
  const struct robot *robot;
  struct regressor regressor;
  struct inertial_drive drive[MODEL_MAX_JOINTS]; /* set before the first step */
  bool feet_measured;                            /* every foot's link has a wrench sensor */
  size_t n_joints;                               /* joints that carry a chosen link ... */
  size_t joint[MODEL_MAX_JOINTS];
  bool carries_foot[MODEL_MAX_JOINTS];             /* ... and a foot, ... */
  bool carries_sensor[MODEL_MAX_JOINTS];           /* ... a foot or a wrench sensor */
  size_t n_slots;                                  /* rows that there may be */
  size_t slot[ROBOT_BASE_ROWS + MODEL_MAX_JOINTS]; /* place of a row of the robot among them */
  struct force external[MODEL_MAX_JOINTS + 1];     /* [n_links] */
  double tau_nominal[MODEL_MAX_JOINTS];

  /* written by inertial_measure */
  size_t n_rows;
  size_t row[INERTIAL_MAX_ROWS];   /* of the whole robot */
  double *Y;                       /* [n_rows][10 n_chosen] */
  double z[INERTIAL_MAX_ROWS];     /* N m, N */
  double force[INERTIAL_MAX_ROWS]; /* N m, N: what was measured, wrenches on the base or torque */
  double rate[INERTIAL_MAX_ROWS];  /* rad/s or m/s of the row's joint; base rows 0 */
  double friction[INERTIAL_MAX_ROWS]; /* N m: how far friction and gain may be off; base rows 0 */
  unsigned missing;                   /* INERTIAL_NEEDS_* */
};

/* Prepares for the chosen links. [start] `robot` must outlive it. On a counting arena only counts.
 * STATUS_BAD_ARGUMENT: no such link, or too many rows; STATUS_NO_MEMORY. */
enum status inertial_measurement_init(struct inertial_measurement *measurement,
                                      const struct robot *robot, const size_t *link, size_t n_links,
                                      struct arena *arena);

/* Fills the rows of this instant, by the model's parameters of all other links.
 * STATUS_TOO_FEW: no row can be had; `missing` says why. Statuses of regressor_nominal. */
enum status inertial_measure(struct inertial_measurement *measurement,
                             const struct inertial_inputs *inputs);

/* Whether the row at a slot tells of stamps: the base's of the wrenches', a joint's of the
 * torques', unless it depends on a wrench sensor too. [any] */
bool inertial_measurement_is_stamped(const struct inertial_measurement *measurement, size_t slot);

#endif
