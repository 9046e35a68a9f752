/* What propriod knows about the body at one instant: plain numbers of fixed layout, ready to hand
 * from thread to thread.
 *
 * Every part says with a bit whether it is estimated at all; a part whose bit is not set holds no
 * meaning and is not published. Frames: W world (z against gravity), B base link. */
#ifndef ESTIMATE_H
#define ESTIMATE_H

#include "math/spatial.h"
#include "model/model.h"

#include <stdint.h>

enum estimate_status {
  ESTIMATE_INIT, /* not yet converged, or no input yet */
  ESTIMATE_OK,
  ESTIMATE_DEGRADED, /* valid with fewer or worse sensors; covariance says how much */
  ESTIMATE_DIVERGED, /* lost consistency; recovering */
  ESTIMATE_STALE     /* input stopped; values are predictions or older */
};

/* Parts of a joint and base estimate. */
#define STATE_Q             (1u << 0)
#define STATE_DQ            (1u << 1)
#define STATE_DDQ           (1u << 2)
#define STATE_JERK          (1u << 3)
#define STATE_DEVIATIONS    (1u << 4) /* q_sd, dq_sd, ddq_sd */
#define STATE_BASE_RATE     (1u << 5) /* omega_B */
#define STATE_BASE_ANG_ACC  (1u << 6) /* omegadot_B */
#define STATE_BASE_FORCE    (1u << 7) /* specific_force_B */
#define STATE_BASE_ATTITUDE (1u << 8) /* orientation */
#define STATE_BASE_VELOCITY (1u << 9)
#define STATE_BASE_POSITION (1u << 10)
#define STATE_EFFORT        (1u << 11)
#define STATE_GYRO_BIAS     (1u << 12)
#define STATE_INNOVATIONS   (1u << 13) /* nis_* */

struct state_estimate {
  uint64_t seq; /* cycle number, no gaps */
  int64_t t_ns; /* CLOCK_MONOTONIC instant the estimate is for */
  enum estimate_status status;
  uint32_t estimated; /* STATE_* bits */
  uint32_t resets;    /* count of published jumps */
  uint32_t n_joints;
  double q[MODEL_MAX_JOINTS], dq[MODEL_MAX_JOINTS], ddq[MODEL_MAX_JOINTS], jerk[MODEL_MAX_JOINTS];
  double q_sd[MODEL_MAX_JOINTS], dq_sd[MODEL_MAX_JOINTS],
      ddq_sd[MODEL_MAX_JOINTS];           /* one standard deviation */
  double effort[MODEL_MAX_JOINTS];        /* N m or N, as measured */
  uint8_t joint_health[MODEL_MAX_JOINTS]; /* enum encoder_health: 0 ok */
  uint32_t imu_suspect;                   /* IMU_* bits (imu_check.h): the IMU is left out; 0 ok */
  quat orientation;                       /* R_WB */
  vec3 position_W;                        /* m, base origin */
  vec3 velocity_W;                        /* m/s, base origin */
  vec3 omega_B;                           /* rad/s */
  vec3 omegadot_B;                        /* rad/s^2 */
  vec3 specific_force_B;                  /* m/s^2, proper acceleration of the base origin */
  vec3 gyro_bias_B;                       /* rad/s */
  double nis_encoders, nis_imu,
      nis_skin; /* normalised innovation squared per degree of freedom, 1 when consistent */
};

#define CENTROIDAL_COM_B         (1u << 0)
#define CENTROIDAL_COM_W         (1u << 1)
#define CENTROIDAL_COM_VELOCITY  (1u << 2)
#define CENTROIDAL_COM_ACC       (1u << 3)
#define CENTROIDAL_MOMENTUM      (1u << 4)
#define CENTROIDAL_MOMENTUM_RATE (1u << 5)
#define CENTROIDAL_COP           (1u << 6)
#define CENTROIDAL_DCM           (1u << 7)
#define CENTROIDAL_MASS          (1u << 8)

#define CENTROIDAL_SUPPORT (1u << 9)  /* phase, support_foot, share, slips */
#define CENTROIDAL_WRENCH  (1u << 10) /* contact_force_W */

#define CENTROIDAL_FIVE_MASS (1u << 11) /* five_* */
#define CENTROIDAL_POSTURE   (1u << 12) /* inertia_* */

#define CENTROIDAL_PUSH       (1u << 13) /* push_* */
#define CENTROIDAL_FEET       (1u << 14) /* foot_force: sensors on the feet, or torques */
#define CENTROIDAL_COP_SENSED (1u << 15) /* cop_disagreement_W: sensors on the feet */
#define CENTROIDAL_MARGIN     (1u << 16) /* support_margin */

#define ESTIMATE_MAX_FEET 8

struct centroidal_estimate {
  uint64_t seq;
  int64_t t_ns;
  enum estimate_status status;
  uint32_t estimated;           /* CENTROIDAL_* bits */
  double mass;                  /* kg */
  vec3 com_B;                   /* m, base frame */
  vec3 com_W;                   /* m */
  vec3 com_velocity_W;          /* m/s */
  vec3 com_acceleration_W;      /* m/s^2, gravity removed */
  vec3 angular_momentum_W;      /* kg m^2/s about the centre of mass */
  vec3 angular_momentum_rate_W; /* N m */
  vec3 cop_W;                   /* m, on the ground; not clipped to the feet */
  vec3 cop_sd_W;                /* m, one standard deviation along x and y; z is 0 */
  vec3 dcm_W;                   /* m, divergent component of motion */
  vec3 com_support;             /* m, centre of mass from the support foot's sole, world axes */
  vec3 contact_force_W;         /* N, all contacts together */
  uint32_t n_feet;
  uint32_t phase;        /* enum support_phase: 0 none, 1 single, 2 double, 3 strike */
  uint32_t support_foot; /* index of the foot that carries most, in the configuration's order */
  uint32_t slips;        /* 1 while a standing foot slips */
  double share[ESTIMATE_MAX_FEET]; /* 0 .. 1, of the weight on each foot */
  vec3 capture_point_W;            /* m: dcm_W on the ground; where to step to come to rest */
  double support_margin;           /* m: centre of pressure inside of the standing soles' hull;
                                    * negative outside */
  vec3 cop_disagreement_W;         /* m: centre of pressure of foot sensors less that of motion */
  double foot_force[ESTIMATE_MAX_FEET]; /* N: vertical, of each foot */

  /* external forces beside the ground's (push.h) */
  uint32_t push_active, push_observable; /* 0, 1 */
  uint64_t push_count;
  vec3 push_force_W, push_impulse_W; /* N, N s; lower bounds unless push_observable */

  /* the five masses (five_mass.h), beside the full model */
  vec3 five_com_W;          /* m */
  vec3 five_acceleration_W; /* m/s^2 of five_com_W, gravity removed */
  vec3 five_momentum_W;     /* kg m^2/s about five_com_W, own inertias included */
  quat inertia_orientation; /* R_WI: an angle of posture, no integral of angular momentum */
  vec3 inertia_angles;      /* rad: its roll, pitch, yaw, filtered; yaw does not wrap */
  vec3 inertia_rate, inertia_acceleration; /* rad/s, rad/s^2: of inertia_angles */
  vec3 inertia_moments;                    /* kg m^2: about its axes */
};

#endif
