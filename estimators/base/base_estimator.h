/* Which feet stand, on which ground, and whether they slip: what the filter of the base is told
 * about contacts (joint_filter_contacts).
 *
 * Heights do not accumulate: a foot that comes down within `step_height` of the ground that is
 * known stands on that ground. Beyond, on a step or up a ramp, ground is as high as the foot has
 * found it, which tells nothing of the base, nor does any ground that is known by that. A foot
 * that strains against the estimate for some time slips: it is taken as coming to stand anew
 * where it is now, until it strains no more. One whose sole turns meanwhile, or is steep, tips
 * over an edge: it says no more how it is turned. Something else carries the robot, it hangs or
 * lies, when all feet slide, for long or two and more of them, or all soles lie; from the start
 * when one lies unlike the other. What sensors of the feet say counts from when they have felt
 * the robot. */
#ifndef BASE_ESTIMATOR_H
#define BASE_ESTIMATOR_H

#include "base/support.h"
#include "body/kinematics.h"
#include "robot/robot.h"
#include "update/instants.h"

struct base_estimator_settings {
  struct support_settings support;
  double step_height; /* m: a touch-down this far from the known ground is a step up or down */
  double slip_strain; /* normalised innovation per degree of freedom of a foot that slips */
  double slip_s;      /* s: for so long after it last strained it still counts as slipping */
};

struct base_estimator_settings base_estimator_defaults(void);

struct base_estimator {
  struct base_estimator_settings settings;
  const struct robot *robot;
  struct support support;
  double ground[ROBOT_MAX_FEET];               /* m: height of the ground under each foot */
  bool found[ROBOT_MAX_FEET];                  /* ... as feet have found it */
  bool unseen[ROBOT_MAX_FEET];                 /* it has landed while nobody knew where */
  struct base_contact contact[ROBOT_MAX_FEET]; /* for the filter */
  vec3 rolled_W[ROBOT_MAX_FEET];               /* m: of its ball's centre since it landed */
  double slipping_s[ROBOT_MAX_FEET];           /* s: how much longer it counts as slipping */
  bool turns[ROBOT_MAX_FEET];                  /* its sole turns about an edge */
  bool steep[ROBOT_MAX_FEET];                  /* it stands on an edge */
  bool tips[ROBOT_MAX_FEET];                   /* it turns where it stands, or is steep */
  bool lies[ROBOT_MAX_FEET];                   /* nobody stands on a sole so steep */
  double standing_s[ROBOT_MAX_FEET];           /* s: since it came to stand */
  double landed_s[ROBOT_MAX_FEET];             /* s: of that, when it last landed */
  bool hanging;     /* all feet that ought to stand slip, and nothing measures that they do; or none
                     is felt to stand, for longer than in a leap */
  double still_s;   /* s: for how long a sole has rested while it hung */
  double lowered_s; /* s: still so long it has hung, and soles that do not bear all lie on edges */
  double unfelt_s;  /* s: for how long the feet's sensors have felt no robot */
  double sliding_s; /* s: for how long all feet that stand have slid */
  bool felt;        /* sensors of the feet tell, and are seen to measure or have felt the robot */
  bool parallel;    /* soles that stand are: there can be one level ground under them */
  bool slips;       /* a standing foot slips now, or all do */
  bool unsure;      /* of a foot it is not known where it is */
  uint64_t slip_count, step_count, touch_downs;
};

/* [start] Statuses of support_init; OUT_OF_RANGE also for our own settings; BAD_ARGUMENT: the IMU
 * does not sit on the base link. */
enum status base_estimator_init(struct base_estimator *base, const struct robot *robot,
                                const struct base_estimator_settings *settings);

/* What the torques of all legs together tell. */
enum leg_load {
  LEGS_SILENT, /* nothing */
  LEGS_CARRY,
  LEGS_HANG /* something else carries the robot */
};

/* What is known of the contacts from the step before. */
struct base_contacts {
  bool cop_known;
  vec3 cop_W;             /* m */
  double f_z;             /* N: vertical force of all contacts */
  double weight;          /* N */
  const double *foot_f_z; /* [n_feet] N: measured, or NULL */
  bool measured;          /* ... by sensors that are seen to measure */
  bool at_once;           /* ... and that says at once which feet stand */
  bool late;              /* ... of torques so old that feet may have been struck since: less than
                             heights tell, where these do */
  bool awaited;           /* legs are about to tell: until then nobody knows where a foot is */
  enum leg_load legs;
  double borne; /* what part of the weight feet bear, as sensors or legs tell: a crane the rest */
  bool tried;   /* the IMU may be wrong: that all feet slide is no sign of hanging */
  bool held;    /* nor is anything else known of the feet but what they are measured to bear */
  bool unknown[ROBOT_MAX_FEET]; /* nobody knows where the foot is (known_feet.h) */
};

/* A silence of all streams has ended, that lasted so long, s. [real-time] Before the next step. */
void base_estimator_resume(struct base_estimator *base, double silence_s);

/* The base begins anew, on the ground: what was known of that is forgotten, and it stands there
 * until its feet tell otherwise. [real-time] Before the next step. */
void base_estimator_begin(struct base_estimator *base);

/* Takes the feet of this instant and writes `contact`. [real-time]
 *   kin        updated with the joints' motion
 *   X_WB       pose of the base
 *   v_W        m/s, velocity of its origin
 *   height_sd  m: how well its height is known
 *   tilt_sd    rad: ... and its tilt
 *   strain     [n_feet] normalised innovation of each foot (joint_filter_foot_drag)
 *   contacts   of the step before
 *   dt         s since the last step */
void base_estimator_step(struct base_estimator *base, const struct kinematics *kin,
                         const struct pose *X_WB, vec3 v_W, double height_sd, double tilt_sd,
                         const double *strain, const struct base_contacts *contacts, double dt);

/* Height of the ground under the support foot, m; of the first foot in flight. [real-time] */
double base_estimator_ground(const struct base_estimator *base);

/* Takes over what `previous` knows of the same robot. [real-time] */
void base_estimator_adopt(struct base_estimator *base, const struct base_estimator *previous);

#endif
