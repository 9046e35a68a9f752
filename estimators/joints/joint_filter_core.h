/* The parts of the joint filter that its own files share. */
#ifndef JOINT_FILTER_CORE_H
#define JOINT_FILTER_CORE_H

#include "joints/aftershock.h"
#include "joints/base_hanging.h"
#include "joints/carried_limb.h"
#include "joints/joint_base.h"
#include "joints/joint_feet.h"
#include "joints/joint_filter.h"
#include "joints/joint_limbs.h"
#include "joints/joint_preparation.h"
#include "joints/link_votes.h"
#include "joints/stance_slide.h"
#include "joints/stance_witness.h"
#include "process/base_liveliness.h"
#include "process/blows.h"
#include "process/motion_bank.h"
#include "robot/robot_part.h"
#include "sensors/base_lean.h"
#include "sensors/base_rest.h"
#include "sensors/encoder_guard.h"
#include "sensors/force_witness.h"
#include "sensors/imu_judge.h"
#include "sensors/imu_noise.h"
#include "sensors/imu_pull.h"
#include "sensors/joint_lean.h"
#include "sensors/sensor_scatter.h"
#include "sensors/unfelt_turn.h"
#include "skin/cell_health.h"
#include "skin/skin_fusion.h"
#include "update/base_rows.h"
#include "update/ground_memory.h"
#include "update/instants.h"
#include "update/joint_jump.h"
#include "update/joint_skin.h"
#include "update/joint_update.h"

enum { FILTER_STREAMS = 3 };
/* Joints that one filter has of those that only encoders see, and most such filters: as many as a
 * tile of the covariance takes (chain_covariance.h). None has anything to do with another. */
enum { APART_JOINTS = 8, APART_MAX = CARRIED_MAX + MODEL_MAX_JOINTS / APART_JOINTS };

/* Normalised innovations squared, per row but of `few`. */
struct filter_fit {
  double nis[FILTER_STREAMS]; /* of the newest update of each stream */
  double mean;                /* of all streams together, averaged over NIS_MEMORY updates */
  double stream_mean[FILTER_STREAMS]; /* of each stream's own rows */
  size_t few_rows;                    /* of the last instant without skin's, and their sum */
  double few_nis;
};

struct joint_filter {
  struct joint_filter_settings settings;

  /* the robot, and who estimates which part of it */
  struct robot_part part;      /* of the whole robot: the joints that are estimated here */
  const struct robot *robot;   /* that part; what is below counts its joints and links */
  const struct robot *skinned; /* the whole, whose skin is fused here, or a robot without any */
  size_t n_apart;
  struct joint_filter *apart[APART_MAX]; /* of the limbs that are carried, then of joints that only
                                            their encoders see, some in each */
  size_t n_carried;
  struct carried_limb carried[CARRIED_MAX];
  struct carried_limb *limb; /* that is estimated here, or NULL */
  bool is_apart;             /* it is one of another's `apart` */
  struct blow handed;        /* then: what the body's base has felt since its encoders were read */
  bool waits; /* encoders may wait for skin; where there is never any, each is taken at once */

  /* the estimate, and what makes it */
  struct joint_layout layout;
  struct instants instants;
  struct row_update rows;
  struct joint_update update;
  struct joint_jump jump;
  struct joint_preparation preparation;
  struct kinematics kin; /* behind `omega` */
  double *x, *variance;  /* [numbers], [size] what is published */
  double *jacobian;      /* [6][6 + n] of a sole */
  struct filter_fit fit;
  struct joint_filter_counters counters;
  struct joint_filter_counters all; /* with those of the joints that stand apart */

  /* what drives it: joints */
  struct motion_bank bank;
  struct blows blows;
  struct aftershock aftershock;
  double *density;        /* [n] (rad/s^4)^2 s in use */
  double *begins_density; /* [n] while the body begins to move: no less */
  double *bias_prior;     /* [n] (per s^2)^2: how large the joints' biases may be */

  /* ... and the base */
  struct base_liveliness liveliness[IMU_TRIADS]; /* by gyro and accelerometer */
  double bias_ang_prior;                         /* (rad/s^2)^2: how large its biases may be */
  double bias_lin_prior[3];                      /* (m/s^2)^2: likewise, along its axes */
  vec3 fixed_force;                              /* m/s^2: specific force of a fixed one */
  mat3 fixed_attitude;                           /* R_WB that it tells */

  /* encoders */
  struct encoder_guard guard;
  struct joint_lean lean;
  struct sensor_scatter *scatter; /* [n] */
  double *encoder_told;           /* [n] rad or m: noise as it is said to be */
  double *encoder_sd;             /* [n] rad or m: as it is */
  int64_t doubt_ns;               /* when they last spoke against the inertial sensors */

  /* skin */
  struct skin_fusion fusion;
  struct cell_health health;
  struct joint_skin skin;
  struct link_votes links;
  double *q_enough;        /* [n] rad or m: it is asked for a joint's q that is known worse */
  double rate_error;       /* rad/s: that its gain feigns (joint_skin.h), of all parts */
  struct link_rows *block; /* [n_links + 1] of the instant at hand, biases taken out */
  vec3 *omega;             /* [n_links of `skinned`] rad/s, link coordinates, to screen cells */
  struct motion *expected; /* [n_links of `skinned`] rad/s^2, m/s^2: likewise */
  int64_t skin_ns;         /* of the instant whose skin this cycle brought; 0: none */
  bool skin_ready;         /* velocities are known well enough for it, */
  bool turn_known;         /* and how the base turns */

  /* IMUs */
  struct joint_limbs limbs;
  bool base_imu;   /* the base is floating, and the robot's first IMU tells how it moves */
  struct pose imu; /* pose of that in the base, by the newest joints that it was asked with */
  struct imu_noise noise;
  struct imu_judge judge;
  struct imu_pull pull;
  struct unfelt_turn unfelt_turn;
  struct base_lean base_lean;
  struct force_witness witness;
  struct felt_force felt;
  struct base_rest rest;
  int64_t imu_judged_ns;  /* newest reading that was judged */
  bool imu_refused;       /* something of the instant at hand was */
  int64_t convicted_ns;   /* when a triad was last refused */
  int64_t force_doubt_ns; /* when the accelerometer was last doubted by `witness`; 0: never */
  int64_t rate_ns;        /* newest reading of the base's rate that was believed */
  int64_t back_ns;        /* when such readings came back after a while without */

  /* feet, and where the base is */
  struct base_contact contact[ROBOT_MAX_FEET]; /* for the instants to come */
  struct foot_memory foot[ROBOT_MAX_FEET];
  struct ground_memory ground;
  struct stance_witness stance; /* of soles */
  struct stance_slide slide;    /* of points */
  struct base_hanging hanging;
  bool base_started; /* attitude and position have begun */

  /* when, and how it goes on */
  bool running;       /* a first instant exists */
  bool lost;          /* the estimate contradicts too much */
  int64_t started_ns; /* the first instant */
  int64_t sought_ns;  /* since when velocities have had to be found: that, or a silence */
  int64_t last_ns[FILTER_STREAMS]; /* newest sample taken of each stream, by index of its bit */
  int64_t decided_ns;   /* of the last instant that is not filtered again (joint_doubt_decide) */
  int64_t settled_ns;   /* newest instant that the slow stages have seen */
  int64_t woken_ns;     /* when an acceleration last jumped */
  int64_t begins_ns;    /* until then the body has just begun to move */
  int64_t struck_ns;    /* last strike felt */
  int64_t disturbed_ns; /* last reset or slip */
  double interval_s;    /* between two instants, averaged, silences apart */
  double silence_s;     /* of all streams, that this cycle has ended; 0: none has */
};

/* What drives the process now. [real-time] */
struct joint_densities joint_filter_densities(const struct joint_filter *filter);

/* Whether skin is heard. [real-time] */
static inline bool joint_filter_hears_skin(const struct joint_filter *filter) {
  return filter->skin_ready && filter->turn_known;
}

/* Rotation into the base of the axes of the IMU's biases: the base's own, or those of an IMU that
 * sits on another link. [real-time] */
mat3 joint_filter_bias_axes(const struct joint_filter *filter);

#endif
