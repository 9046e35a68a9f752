/* Linear and angular part of the centroidal state, in three forms with one interface.
 *
 * All forms run a Kalman filter (point_filter.h) on the angles of the five masses' inertia
 * orientation and their acceleration, and the last two another on the centre of mass and its
 * acceleration. They differ in where the accelerations come from:
 *
 *   full      the whole rigid-body model with every term; the orientation's own second derivative.
 *             The centre of mass is that of the estimated motion, with no filter of its own
 *   paper     Ficht and Behnke (6)-(9): five masses, tangential terms only, gyro and encoder
 *             velocity differentiated, at the paper's 100 Hz
 *   imu_only  the accelerometer stands for the centre of mass, the differentiated gyro for rotation
 *
 * Everything here is [real-time] but init. */
#ifndef CENTROIDAL_FORM_H
#define CENTROIDAL_FORM_H

#include "body/centroidal.h"
#include "centroidal/five_mass.h"
#include "centroidal/point_filter.h"
#include "common/status.h"

#include <stdbool.h>

enum centroidal_form_kind {
  CENTROIDAL_FULL,
  CENTROIDAL_PAPER,
  CENTROIDAL_IMU_ONLY,
  CENTROIDAL_FORMS
};

struct centroidal_form_settings {
  enum centroidal_form_kind kind;
  /* m and rad, one set per form: what is measured differs, and so does its noise */
  struct point_filter_settings linear[CENTROIDAL_FORMS]; /* none of the full form */
  struct point_filter_settings angular[CENTROIDAL_FORMS];
  double paper_period_s; /* s: of the paper's form */
};

struct centroidal_form_settings centroidal_form_defaults(void);

/* What a step knows. Base axes; positions from the base origin. */
struct centroidal_form_input {
  double dt;                    /* s since the last step */
  struct pose X_WB;             /* the base in the world */
  vec3 velocity_W;              /* m/s: of its origin; read by the full form */
  vec3 imu_B;                   /* m: where the IMU sits */
  vec3 force_B, gyro_B;         /* m/s^2, rad/s: its readings without biases, base axes */
  const struct kinematics *kin; /* of this instant */
  const double *dq; /* [n_joints] rad/s: measured joint velocities, for the paper's form;
                     * NULL: those of `kin` */
  const struct centroidal *full;
  const struct five_mass_model *model; /* NULL: a robot without limbs, no angles */
  const struct five_mass *five;        /* of this instant; NULL with the model */
};

struct centroidal_motion {
  vec3 com_W, velocity_W, acceleration_W; /* m, m/s, m/s^2, gravity removed */
  bool angular;                           /* the next four are estimated */
  mat3 R_WI;                              /* the inertia's orientation, as measured */
  vec3 angles;                     /* rad: its roll, pitch, yaw, filtered; yaw does not wrap */
  vec3 rate, angular_acceleration; /* rad/s, rad/s^2: of the angles */
};

struct centroidal_form {
  struct centroidal_form_settings settings;
  struct point_filter linear, angular;
  /* of the differences that the paper's form and IMU only take */
  double since;                  /* s since the last of them */
  bool differenced;              /* `gyro_B` and `limb_v` hold */
  vec3 gyro_B, omegadot_B;       /* rad/s, rad/s^2 */
  vec3 limb_v[FIVE_MASS_LIMBS];  /* m/s: relative to the base */
  double yaw;                    /* rad: unwrapped */
  struct centroidal_motion last; /* of the last filter step */
};

/* [start] OUT_OF_RANGE: a setting that is not positive, or no such form. */
enum status centroidal_form_init(struct centroidal_form *form,
                                 const struct centroidal_form_settings *settings);

/* Filters one instant. NOT_FINITE, OUT_OF_RANGE (dt): nothing changes. */
enum status centroidal_form_step(struct centroidal_form *form,
                                 const struct centroidal_form_input *input,
                                 struct centroidal_motion *out);

/* Equations (6)-(8): acceleration of each mass, base axes, proper.
 *   omegadot_B  rad/s^2
 *   limb_acceleration  [n_limbs] m/s^2: of the masses relative to the base
 *   a           out, [1 + n_limbs] m/s^2 */
void paper_accelerations(const struct five_mass_model *model, const struct kinematics *kin,
                         const struct five_mass *five, vec3 force_B, vec3 imu_B, vec3 omegadot_B,
                         const vec3 *limb_acceleration, vec3 *a);

/* Equation (9): angular acceleration of the masses about their centre, weighed as in (3). */
vec3 paper_angular_acceleration(const struct five_mass *five, const vec3 *a);

#endif
