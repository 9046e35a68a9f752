/* What touches the robot: the net wrench, the feet's part of it, the centre of pressure, pushes.
 *
 * Without force sensors the centre of pressure comes from the net wrench (net_wrench.h), weighed
 * with where such points ordinarily are (cop_filter.h). Where all feet have sensors theirs is fused
 * with it, weighed by variance, and how far the two disagree is published: after an unnoticed push,
 * a wrong mass or a drifted sensor they do, and the deviation covers both. */
#ifndef CONTACTS_H
#define CONTACTS_H

#include "base/base_estimator.h"
#include "centroidal/carrying_legs.h"
#include "centroidal/cop_filter.h"
#include "centroidal/foot_wrench.h"
#include "centroidal/motion_deviations.h"
#include "centroidal/net_history.h"
#include "centroidal/net_wrench.h"
#include "centroidal/push.h"
#include "centroidal/sensed_cop.h"
#include "centroidal/support_polygon.h"
#include "common/arena.h"
#include "propriod/state.h"

struct contact_settings {
  struct net_wrench_settings wrench;
  struct cop_filter_settings cop;
  struct foot_wrench_settings feet;
  struct push_settings push;
  double sensor_cop_sd;           /* m: centre of pressure from foot sensors */
  double sole_length, sole_width; /* m: 0 for point feet, or when not known */
};

struct contact_settings contact_defaults(void);

struct contacts {
  struct contact_settings settings;
  const struct robot *robot;
  struct net_wrench wrench;
  struct cop_filter cop;
  struct foot_wrench foot_wrench;
  struct foot_wrenches feet; /* of this step */
  int64_t felt_ns;           /* when they were felt */
  struct net_history motion; /* what it said then */
  struct sensed_cop sensed;
  int64_t feet_ns;    /* when what is in feet_W was */
  vec3 feet_W;        /* N: all of them, smoothed as the net wrench is */
  vec3 feet_unrest_W; /* N^2: mean square of what that hid of late */
  bool feet_started;
  double read;   /* N and N m: sum of all that sensors read; seen.measured once it has varied */
  double beside; /* what sensors feel beside the motion's force, of the weight, of late */
  bool denied;   /* ... and are not believed for */
  struct carrying_legs legs;
  double lifted_s;                 /* s: for how long legs have borne hardly anything */
  double effort[MODEL_MAX_JOINTS]; /* N m or N: the newest ... */
  int64_t effort_ns;               /* ... and since when they are so */
  struct push push;
  struct base_contacts seen; /* for the next step's support */
  double foot_f_z[ROBOT_MAX_FEET];
  double carried; /* N: mean of what the feet felt, of a robot of unknown mass; 0: nothing yet */
};

/* [start] Statuses of its parts; OUT_OF_RANGE: a negative size or a deviation that is not positive.
 */
enum status contacts_init(struct contacts *contacts, const struct robot *robot,
                          const struct contact_settings *settings, struct arena *arena);

/* What feet's sensors read, and how they stand. */
struct contact_reading {
  const struct wrench_reading *reading;
  const struct kinematics *kin; /* of this instant */
  const mat3 *R_WB;
  double weight;     /* N: of the robot, by its model; 1: unknown */
  bool motion_known; /* nothing speaks against the IMU: what feet bear follows from the motion */
  int64_t t_ns;      /* of the frame */
  double dt;         /* s: since the last time */
};

/* Feet's sensors, before support is found: what is there of vertical forces goes into `seen`; of
 * sensors that feel another robot than the one that moves nothing. Without any: what the legs'
 * torques have told last. [real-time] */
void contacts_sense(struct contacts *contacts, const struct contact_reading *reading);

/* In its place for a robot of unknown mass: it weighs what its sensors have felt on the mean;
 * without any its feet carry it, whatever it weighs. [real-time] */
void contacts_sense_unweighed(struct contacts *contacts, const struct contact_reading *reading);

/* What a step knows. */
struct contact_input {
  const struct kinematics *kin;
  const struct centroidal *centroidal;
  const struct inertia *inertia;      /* [n_links] */
  const struct propriod_state *state; /* deviations and effort */
  const struct base_estimator *base;  /* support and ground */
  const struct motion_deviations *sure;
  struct pose X_WB;
  int64_t t_ns, effort_ns; /* of this step, and of the torques */
  double dt;               /* s */
  bool begins;             /* the body begins to move: its motion lags behind the feet */
};

/* Net wrench, feet, centre of pressure, support's margin, push. [real-time] Writes those members of
 * `out`, and their bits. */
void contacts_step(struct contacts *contacts, const struct contact_input *in,
                   struct propriod_centroidal *out);

/* [real-time] */
void contacts_adopt(struct contacts *contacts, const struct contacts *previous);

#endif
