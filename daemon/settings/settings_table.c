/* One row per option. A new option needs a member in its module's settings struct and a row here,
 * nothing else. Rows of one group (the words before the last dot) stand together. A row whose
 * default is NULL takes it from its module. */
#include "settings/settings.h"

#include <assert.h>

/* A place in struct settings of the wrong type does not compile. */
#define MEMBER(member)     (((struct settings *)0)->member)
#define IS(type, member)   _Generic(&MEMBER(member), type * : 1)
#define OFFSET(is, member) (offsetof(struct settings, member) * (size_t)(is))

#define BOOL(key_, member, fallback_, change_, sentence_)                                          \
  {                                                                                                \
    .key = key_, .type = SETTING_BOOL, .unit = "", .offset = OFFSET(IS(bool, member), member),     \
    .fallback = fallback_, .change = change_, .sentence = sentence_                                \
  }

#define INT(key_, member, unit_, fallback_, min_, max_, change_, sentence_)                        \
  {                                                                                                \
    .key = key_, .type = SETTING_INT, .unit = unit_, .offset = OFFSET(IS(int, member), member),    \
    .fallback = fallback_, .min = min_, .max = max_, .change = change_, .sentence = sentence_      \
  }

#define REAL(key_, member, unit_, fallback_, min_, max_, change_, sentence_)                       \
  {                                                                                                \
    .key = key_, .type = SETTING_REAL, .unit = unit_,                                              \
    .offset = OFFSET(IS(double, member), member), .fallback = fallback_, .min = min_, .max = max_, \
    .change = change_, .sentence = sentence_                                                       \
  }

#define TEXT(key_, member, fallback_, change_, sentence_)                                          \
  {                                                                                                \
    .key = key_, .type = SETTING_TEXT, .unit = "", .size = sizeof(MEMBER(member)),                 \
    .offset = OFFSET(IS(char, member[0]), member), .fallback = fallback_, .change = change_,       \
    .sentence = sentence_                                                                          \
  }

/* `words`, or NULL, are values that are not paths. */
#define PATH(key_, member, words_, fallback_, change_, sentence_)                                  \
  {                                                                                                \
    .key = key_, .type = SETTING_PATH, .unit = "", .size = sizeof(MEMBER(member)),                 \
    .offset = OFFSET(IS(char, member[0]), member), .choices = words_, .fallback = fallback_,       \
    .change = change_, .sentence = sentence_                                                       \
  }

/* `choices` names the values of the enum in order, from 0. */
#define CHOICE(key_, member, choices_, fallback_, change_, sentence_)                              \
  {                                                                                                \
    .key = key_, .type = SETTING_CHOICE, .unit = "",                                               \
    .offset = OFFSET(sizeof(MEMBER(member)) == sizeof(int), member), .choices = choices_,          \
    .fallback = fallback_, .change = change_, .sentence = sentence_                                \
  }

#define CAPACITY(member) (sizeof(MEMBER(member)) / sizeof(MEMBER(member)[0]))

/* char member[capacity][size] and size_t count_; the default is written "[a, b]". */
#define TEXTS(key_, member, count_, fallback_, change_, sentence_)                                 \
  {                                                                                                \
    .key = key_, .type = SETTING_TEXTS, .unit = "", .size = sizeof(MEMBER(member)[0]),             \
    .offset = OFFSET(IS(char, member[0][0]), member), .capacity = CAPACITY(member),                \
    .count_offset = OFFSET(IS(size_t, count_), count_), .fallback = fallback_, .change = change_,  \
    .sentence = sentence_                                                                          \
  }

/* double member[capacity] and size_t count_ */
#define REALS(key_, member, count_, unit_, fallback_, min_, max_, change_, sentence_)              \
  {                                                                                                \
    .key = key_, .type = SETTING_REALS, .unit = unit_,                                             \
    .offset = OFFSET(IS(double, member[0]), member), .capacity = CAPACITY(member),                 \
    .count_offset = OFFSET(IS(size_t, count_), count_), .fallback = fallback_, .min = min_,        \
    .max = max_, .change = change_, .sentence = sentence_                                          \
  }

#define RELOAD  SETTING_RELOAD
#define RESTART SETTING_RESTART

static const char *const realtime_wishes[] = {"off", "preferred", "required", NULL};
static const char *const cycle_triggers[] = {"frame", "timer", NULL};
static const char *const inertia_forms[] = {"rucker", "foster", "linear", NULL};
static const char *const inertia_gates[] = {"none", "huber", "hard", NULL};
static const char *const inertia_paths[] = {"log_cholesky", "geodesic", NULL};
static const char *const centroidal_forms[] = {"full", "paper", "imu", NULL};
static const char *const cells_words[] = {"urdf", NULL};

const struct setting settings_table[] = {
    /* the robot */
    PATH("robot.urdf", robot.urdf, NULL, "", RELOAD,
         "Robot model, must be given: links with inertia, joints, and named frames."),
    PATH("robot.cells", robot.cells, cells_words, "", RELOAD,
         "Skin cells: a CSV file, urdf for the accelerometers of the URDF, or empty for no skin."),
    PATH("robot.calibration", robot.calibration, NULL, "", RELOAD,
         "Calibration of the skin cells, a CSV file that proprioctl calibrate wrote; empty for "
         "none."),
    REAL("robot.cell_mass", robot.cell_mass, "kg", "0", 0, 1, RELOAD,
         "Mass of one skin cell with its share of wires and glue, added to its link; 0 when the "
         "URDF "
         "has it."),
    REAL("robot.cell_radius", robot.cell_radius, "m", "0.015", 1e-3, 0.2, RELOAD,
         "Radius of a skin cell, a flat cylinder, for its inertia."),
    REAL("robot.cell_height", robot.cell_height, "m", "0.005", 1e-4, 0.1, RELOAD,
         "Height of a skin cell, along its outward normal."),
    TEXT("robot.imu", robot.imu, "", RELOAD,
         "Frame of the base IMU; empty for the frame of the base link."),
    TEXTS("robot.feet", robot.foot, robot.n_feet, "[]", RELOAD,
          "Frames of the soles, z up out of the ground; none for a robot without feet."),
    TEXTS("robot.wrenches", robot.wrench, robot.n_wrench, "[]", RELOAD,
          "Frames of the force and torque sensors in the order of their stream."),
    BOOL("robot.fixed_base", robot.fixed_base, "false", RELOAD,
         "True when the base link is bolted to the ground."),

    /* the sensors */
    TEXT("input.segment", input.segment, PROPRIOD_SHM_DEFAULT, RESTART,
         "Shared memory that drivers write: a path, or a plain name for a file in /dev/shm."),
    REAL("input.joints_limit", input.limit_s[PROPRIOD_SHM_JOINTS], "s", "0.02", 1e-4, 10, RESTART,
         "Age of the newest joints frame beyond which the stream is stale."),
    REAL("input.imu_limit", input.limit_s[PROPRIOD_SHM_IMU], "s", "0.02", 1e-4, 10, RESTART,
         "Age of the newest IMU frame beyond which the stream is stale."),
    REAL("input.skin_limit", input.limit_s[PROPRIOD_SHM_SKIN], "s", "0.05", 1e-4, 10, RESTART,
         "Age of the newest skin frame beyond which the stream is stale."),
    REAL("input.wrench_limit", input.limit_s[PROPRIOD_SHM_WRENCH], "s", "0.05", 1e-4, 10, RESTART,
         "Age of the newest wrench frame beyond which the stream is stale."),

    /* the cycle */
    REAL("cycle.period", pipeline.period_s, "s", "0.001", 1e-4, 0.1, RESTART,
         "Time from one estimate to the next, the period of the joints stream."),
    CHOICE("cycle.trigger", cycle.trigger, cycle_triggers, "frame", RESTART,
           "What starts a cycle: a new joints frame (two periods without one: predict), or a "
           "timer."),
    CHOICE("cycle.rt", cycle.realtime.wish, realtime_wishes, "preferred", RESTART,
           "SCHED_FIFO and locked memory: required to start, preferred, or off."),
    INT("cycle.priority", cycle.realtime.priority, "", "80", 1, 98, RESTART,
        "SCHED_FIFO priority of the cycle."),
    INT("cycle.cpu", cycle.realtime.cpu, "", "-1", -1, 1023, RESTART,
        "Processor that the cycle stays on; -1 for any."),

    /* joint positions, velocities and accelerations */
    REAL("motion.encoder_noise", pipeline.joints.encoder_noise, "rad", "0.001", 1e-9, 1, RELOAD,
         "White noise of an encoder, one standard deviation; metres for prismatic joints."),
    REAL("motion.gyro_noise", pipeline.joints.gyro_noise, "rad/s", "0.005", 1e-6, 10, RELOAD,
         "White noise of the gyroscope per sample and axis."),
    REAL("motion.accelerometer_noise", pipeline.joints.accelerometer_noise, "m/s^2", "0.05", 1e-5,
         100, RELOAD, "White noise of the IMU's accelerometer per sample and axis."),
    REAL("motion.cell_noise", pipeline.joints.cell_noise, "m/s^2", "0.34", 1e-4, 100, RELOAD,
         "White noise of a skin cell's accelerometer per sample and axis."),
    REAL("motion.cell_bias", pipeline.joints.cell_bias, "m/s^2", "0.15", 1e-4, 100, RELOAD,
         "Slow error of a skin cell: bias, and gravity through a mounting that is off."),
    REAL("motion.cell_range", pipeline.joints.cell_range, "m/s^2", "75", 1, 10000, RELOAD,
         "A skin cell that reads this or more is saturated."),
    REAL("motion.gyro_range", pipeline.readings.gyro_range, "rad/s", NULL, 0.1, 1000, RELOAD,
         "An axis of the gyroscope that reads this or more is saturated; 2000 deg/s are 34.9."),
    REAL(
        "motion.accelerometer_range", pipeline.readings.accelerometer_range, "m/s^2", NULL, 1,
        10000, RELOAD,
        "An axis of the IMU's accelerometer that reads this or more is saturated; 16 g are 156.9."),
    INT("motion.cells_per_link", pipeline.cells_per_link, "cells", "0", 0, 512, RELOAD,
        "Most skin cells to use on a link, those that tell most; 0 for all. At least 3."),
    BOOL("motion.link_bias", pipeline.joints.link_bias, "true", RELOAD,
         "Learn six slow errors of each skinned link."),
    REAL("motion.link_bias_time", pipeline.joints.link_bias_time, "s", "4", 0.1, 10000, RELOAD,
         "Correlation time of the errors of a link."),
    BOOL("motion.gyro_bias", pipeline.joints.gyro_bias, "true", RELOAD,
         "Learn the bias of the gyroscope when the robot is at rest."),
    BOOL("motion.adapt", pipeline.joints.adapt_density, "true", RELOAD,
         "Follow how lively each joint moves, and jumps of its acceleration."),
    REAL("motion.snap_density", pipeline.joints.joint_density, "(rad/s^4)^2 s", "100", 1e-6, 1e15,
         RELOAD, "How lively joints are taken to move at the start: white snap."),
    REAL("motion.snap_density_min", pipeline.joints.joint_density_min, "(rad/s^4)^2 s", "0.1", 1e-6,
         1e15, RELOAD, "Least value that motion.adapt gives to a joint."),
    REAL("motion.snap_density_max", pipeline.joints.joint_density_max, "(rad/s^4)^2 s", "1e9", 1e-6,
         1e15, RELOAD, "Largest value that motion.adapt gives to a joint."),
    REAL("motion.window", pipeline.joints.window_s, "s", "0.01", 0, 0.05, RELOAD,
         "How late a sample may come and still be put in its place."),
    REAL("motion.timeout", pipeline.joints.timeout_s, "s", "0.25", 0.01, 10, RELOAD,
         "A gap of all sensors longer than this starts the filter anew."),

    /* attitude, velocity and position of the base */
    REAL("base.gyro_noise", pipeline.centroidal.base.filter.gyro_noise, "rad/s/sqrt(Hz)", NULL,
         1e-7, 1, RELOAD, "White noise of the gyroscope, density."),
    REAL("base.accelerometer_noise", pipeline.centroidal.base.filter.accelerometer_noise,
         "m/s^2/sqrt(Hz)", NULL, 1e-6, 10, RELOAD, "White noise of the accelerometer, density."),
    REAL("base.gyro_walk", pipeline.centroidal.base.filter.gyro_walk, "rad/s^2/sqrt(Hz)", NULL,
         1e-10, 1, RELOAD, "Random walk of the gyroscope's bias."),
    REAL("base.accelerometer_walk", pipeline.centroidal.base.filter.accelerometer_walk,
         "m/s^3/sqrt(Hz)", NULL, 1e-8, 1, RELOAD, "Random walk of the accelerometer's bias."),
    REAL("base.gyro_bias", pipeline.centroidal.base.filter.gyro_bias, "rad/s", NULL, 1e-6, 1,
         RELOAD, "What a calibration at rest leaves of the gyroscope's bias."),
    REAL("base.accelerometer_bias", pipeline.centroidal.base.filter.accelerometer_bias, "m/s^2",
         NULL, 1e-5, 10, RELOAD, "Bias of the accelerometer, one standard deviation."),
    REAL("base.foot_velocity", pipeline.centroidal.base.filter.foot_velocity, "m/s", NULL, 1e-4, 10,
         RELOAD, "Velocity of a sole that stands: rolling, and noise of the encoders."),
    REAL("base.foot_height", pipeline.centroidal.base.filter.foot_height, "m", NULL, 1e-4, 1,
         RELOAD, "Height of a sole over its ground, one standard deviation."),
    REAL("base.stay_velocity", pipeline.centroidal.base.filter.stay_velocity, "m/s", NULL, 1e-4,
         100, RELOAD, "Velocity of a base without feet, one standard deviation."),
    REAL("base.orientation_noise", pipeline.centroidal.base.filter.orientation, "rad", NULL, 1e-5,
         1, RELOAD, "Error of the orientation of an IMU that gives one."),
    REAL("base.huber", pipeline.centroidal.base.filter.huber, "standard deviations", NULL, 0.5, 100,
         RELOAD, "Beyond this an innovation counts less."),
    REAL("base.rest_time", pipeline.centroidal.base.rest_s, "s", NULL, 0.05, 60, RELOAD,
         "Rest that is waited for at the start."),
    REAL("base.rest_rate", pipeline.centroidal.base.rest_rate, "rad/s", NULL, 1e-4, 10, RELOAD,
         "Deviation of the gyroscope from its mean that is still rest."),
    REAL("base.rest_force", pipeline.centroidal.base.rest_force, "m/s^2", NULL, 1e-3, 100, RELOAD,
         "Deviation of the accelerometer from its mean that is still rest."),
    REAL("base.patience", pipeline.centroidal.base.patience_s, "s", NULL, 0.1, 600, RELOAD,
         "Without rest for so long, the start takes the mean force and no bias."),
    REAL("base.step_height", pipeline.centroidal.base.step_height, "m", NULL, 1e-3, 1, RELOAD,
         "A touch-down so far from the known ground is a step up or down."),
    REAL("base.slip_speed", pipeline.centroidal.base.slip_speed, "m/s", NULL, 1e-3, 10, RELOAD,
         "Speed of a sole that ought to stand, that means slipping."),
    REAL("base.slip_time", pipeline.centroidal.base.slip_s, "s", NULL, 1e-3, 10, RELOAD,
         "Over so long that speed is averaged."),
    REAL("base.slip_longest", pipeline.centroidal.base.slip_most_s, "s", NULL, 0.1, 60, RELOAD,
         "After so long the foot is believed again."),

    REAL("support.share_corner", pipeline.centroidal.base.support.share_hz, "Hz", NULL, 0.1, 1000,
         RELOAD, "Corner frequency of the feet's shares of the weight."),
    REAL("support.enter", pipeline.centroidal.base.support.enter, "", NULL, 0.01, 0.99, RELOAD,
         "Share at which a foot becomes the support foot."),
    REAL("support.leave", pipeline.centroidal.base.support.leave, "", NULL, 0.01, 0.99, RELOAD,
         "Share at which it ceases to be; at most support.enter."),
    REAL("support.loaded", pipeline.centroidal.base.support.loaded, "", NULL, 0.001, 0.499, RELOAD,
         "Share from which a foot counts as standing."),
    REAL("support.clearance", pipeline.centroidal.base.support.clearance, "m", NULL, 1e-4, 1,
         RELOAD, "A sole so much higher than the lowest one carries nothing."),
    REAL("support.flight", pipeline.centroidal.base.support.flight, "", NULL, 0.01, 0.99, RELOAD,
         "Part of the weight below which there is no support at all."),
    REAL("support.strike_time", pipeline.centroidal.base.support.strike_s, "s", NULL, 0, 1, RELOAD,
         "How long a touch-down counts as a strike."),

    /* momentum and the net force */
    CHOICE("centroidal.form", pipeline.centroidal.posture.form.kind, centroidal_forms, NULL, RELOAD,
           "Where the centre of mass' acceleration comes from: the full model, the paper's five "
           "masses at its 100 Hz, or the IMU alone."),
    REAL("centroidal.corner", pipeline.centroidal.contacts.wrench.corner_hz, "Hz", NULL, 0, 1000,
         RELOAD, "Corner frequency of the net force's smoothing; 0 for none."),
    REAL("centroidal.base_linear_noise", pipeline.centroidal.contacts.wrench.base_linear_sd,
         "m/s^2", NULL, 0, 100, RELOAD,
         "Error of the base's acceleration, one standard deviation."),
    REAL("centroidal.base_angular_noise", pipeline.centroidal.contacts.wrench.base_angular_sd,
         "rad/s^2", NULL, 0, 1000, RELOAD, "Error of the base's angular acceleration."),
    REAL("centroidal.joint_noise", pipeline.centroidal.contacts.wrench.joint_sd, "rad/s^2", NULL, 0,
         1e4, RELOAD, "Error of a joint's acceleration whose deviation is not estimated."),
    REAL("centroidal.strike_noise", pipeline.centroidal.contacts.wrench.strike_sd, "m", NULL, 0, 10,
         RELOAD, "Added to the centre of pressure's deviation while a foot strikes."),
    REAL("centroidal.least_vertical", pipeline.centroidal.contacts.wrench.least_vertical, "", NULL,
         0, 0.99, RELOAD, "Part of the weight below which there is no centre of pressure."),

    REAL("feet.sole_length", pipeline.centroidal.contacts.sole_length, "m", NULL, 0, 2, RELOAD,
         "Length of a sole along its x, for support_margin; 0 for point feet."),
    REAL("feet.sole_width", pipeline.centroidal.contacts.sole_width, "m", NULL, 0, 2, RELOAD,
         "Width of a sole along its y."),
    REAL("feet.sensor_noise", pipeline.centroidal.contacts.sensor_cop_sd, "m", NULL, 1e-5, 1,
         RELOAD, "Centre of pressure from force sensors on the feet, one standard deviation."),
    REAL("feet.torque_noise", pipeline.centroidal.contacts.feet.torque_sd, "N m", NULL, 1e-4, 1000,
         RELOAD, "Error of a leg's measured torque, friction that the model misses included."),

    REAL("push.least", pipeline.centroidal.contacts.push.least, "", NULL, 1e-4, 1, RELOAD,
         "Part of the weight: smaller external forces are no push."),
    REAL("push.deviations", pipeline.centroidal.contacts.push.deviations, "standard deviations",
         NULL, 1, 100, RELOAD, "Beyond so much of the recent past, a force is a push."),
    REAL("push.memory", pipeline.centroidal.contacts.push.memory_s, "s", NULL, 0.05, 60, RELOAD,
         "How long the recent past is."),

    /* what links weigh */
    TEXTS("inertia.links", pipeline.inertial.link, pipeline.inertial.n_links, "[]", RELOAD,
          "Links, or frames on them, whose inertial parameters are estimated; none for no "
          "estimation."),
    BOOL("inertia.feed_centroidal", pipeline.inertial.feed_centroidal, "false", RELOAD,
         "Use what is published in centre of mass and momentum, too."),
    CHOICE("inertia.form", pipeline.inertial.filter.core.form, inertia_forms, "rucker", RELOAD,
           "Coordinates of the filter; foster and linear are for comparison."),
    INT("inertia.iterations", pipeline.inertial.filter.core.iterations, "", "8", 1, 8, RELOAD,
        "Most iterations of an update."),
    BOOL("inertia.memory", pipeline.inertial.filter.core.memory, "true", RELOAD,
         "Keep measured rows until the next change; false for loads that change all the time."),
    REAL("inertia.prior_mass", pipeline.inertial.filter.core.prior.mass, "kg", NULL, 1e-6, 1000,
         RELOAD, "How wrong the model's masses may be, one standard deviation."),
    REAL("inertia.prior_com", pipeline.inertial.filter.core.prior.com, "m", NULL, 1e-6, 10, RELOAD,
         "How wrong the model's centres of mass may be."),
    REAL("inertia.prior_stretch", pipeline.inertial.filter.core.prior.stretch, "", NULL, 1e-6, 3,
         RELOAD, "How wrong the model's radii of gyration may be, logarithm."),
    REAL("inertia.prior_shear", pipeline.inertial.filter.core.prior.shear, "", NULL, 1e-6, 3,
         RELOAD, "How wrong the model's axes of inertia may be, share of the radius."),
    REAL("inertia.drift_mass", pipeline.inertial.filter.core.drift.mass, "kg/sqrt(s)", NULL, 0,
         1000, RELOAD,
         "Drift of masses without an alarm; about 10 for loads that vary all the time."),
    REAL("inertia.drift_com", pipeline.inertial.filter.core.drift.com, "m/sqrt(s)", NULL, 0, 10,
         RELOAD,
         "Drift of centres of mass without an alarm; about 0.1 for loads that vary all the time."),
    REAL("inertia.drift_stretch", pipeline.inertial.filter.core.drift.stretch, "1/sqrt(s)", NULL, 0,
         3, RELOAD, "Drift of the radii of gyration without an alarm, logarithm."),
    REAL("inertia.drift_shear", pipeline.inertial.filter.core.drift.shear, "1/sqrt(s)", NULL, 0, 3,
         RELOAD, "Drift of the axes of inertia without an alarm."),
    REAL("inertia.change_mass", pipeline.inertial.filter.change.mass, "kg", NULL, 1e-6, 1000,
         RELOAD, "What a change that was found may amount to: mass."),
    REAL("inertia.change_com", pipeline.inertial.filter.change.com, "m", NULL, 1e-6, 10, RELOAD,
         "The same: centre of mass."),
    REAL("inertia.change_stretch", pipeline.inertial.filter.change.stretch, "", NULL, 1e-6, 3,
         RELOAD, "The same: radii of gyration, logarithm."),
    REAL("inertia.change_shear", pipeline.inertial.filter.change.shear, "", NULL, 1e-6, 3, RELOAD,
         "The same: axes of inertia, share of the radius."),
    REAL("inertia.block", pipeline.inertial.filter.block_s, "s", NULL, 1e-4, 1, RELOAD,
         "Rows are averaged over this; as short as a cycle for loads that change all the time."),
    REAL("inertia.force_noise", pipeline.inertial.filter.force_noise, "N", NULL, 1e-6, 1e6, RELOAD,
         "Noise of a block's force rows beside what is learned at rest."),
    REAL("inertia.moment_noise", pipeline.inertial.filter.moment_noise, "N m", NULL, 1e-6, 1e6,
         RELOAD, "Noise of a block's moment rows."),
    REAL("inertia.torque_noise", pipeline.inertial.filter.torque_noise, "N m", NULL, 1e-6, 1e6,
         RELOAD, "Noise of a block's joint rows."),
    CHOICE("inertia.gate", pipeline.inertial.filter.gate, inertia_gates, "huber", RELOAD,
           "Rows beyond the chi-square bound: used, weighed down, or left out."),
    REAL("inertia.calibration", pipeline.inertial.filter.calibration_s, "s", NULL, 0, 1000, RELOAD,
         "Time from the start in which the mean residual becomes the bias; 0 for none."),
    REAL("inertia.bias_force", pipeline.inertial.filter.bias_force, "N", NULL, 1e-6, 1e6, RELOAD,
         "A residual beyond this is no bias but a load, there from the start."),
    REAL("inertia.bias_moment", pipeline.inertial.filter.bias_moment, "N m", NULL, 1e-6, 1e6,
         RELOAD, "The same: moments, and joint torques."),
    REAL("inertia.blank", pipeline.inertial.filter.blank_s, "s", NULL, 0, 1, RELOAD,
         "Time after a foot strike without rows."),
    REAL("inertia.rest_rate", pipeline.inertial.filter.rest_rate, "rad/s", NULL, 1e-6, 10, RELOAD,
         "The robot rests when nothing turns faster than this."),
    REAL("inertia.mass_rate", pipeline.inertial.filter.publish.mass_rate, "kg/s", NULL, 1e-6, 1e6,
         RELOAD, "Fastest change of a published mass."),
    REAL("inertia.com_rate", pipeline.inertial.filter.publish.com_rate, "m/s", NULL, 1e-6, 1e3,
         RELOAD, "Fastest change of a published centre of mass."),
    CHOICE("inertia.path", pipeline.inertial.filter.publish.path, inertia_paths, "log_cholesky",
           RELOAD, "Way from one published value to the next."),

    /* the five-mass model, as proprioctl fit-five-mass writes it */
    REALS("five_mass.masses", pipeline.centroidal.posture.five.mass,
          pipeline.centroidal.posture.five.n_masses, "kg", NULL, 1e-4, 1e4, RELOAD,
          "Masses of the torso, the legs in the order of their feet, and the arms; empty to fit "
          "them to the robot."),
    REALS("five_mass.torso", pipeline.centroidal.posture.five.torso,
          pipeline.centroidal.posture.five.n_torso, "m", NULL, -10, 10, RELOAD,
          "Where the torso's mass sits on the chest link, x y z."),
    REALS("five_mass.pelvis", pipeline.centroidal.posture.five.pelvis,
          pipeline.centroidal.posture.five.n_pelvis, "m", NULL, -10, 10, RELOAD,
          "Where the pelvis' mass sits on the base link, x y z."),
    REALS("five_mass.p_s", pipeline.centroidal.posture.five.p_s,
          pipeline.centroidal.posture.five.n_p_s, "", NULL, -1, 2, RELOAD,
          "For each limb, where its mass lies from the middle joint (0) to the end (1)."),
    REALS("five_mass.p_l", pipeline.centroidal.posture.five.p_l,
          pipeline.centroidal.posture.five.n_p_l, "", NULL, -1, 2, RELOAD,
          "For each limb, where its mass lies from the root (0) out to that point (1)."),
    TEXTS("five_mass.hands", pipeline.centroidal.posture.five.fit.hand,
          pipeline.centroidal.posture.five.fit.n_hands, NULL, RELOAD,
          "Frames or links at the arms' ends; empty to find them in the tree."),
    REAL("five_mass.range", pipeline.centroidal.posture.five.fit.range, "rad", NULL, 0.01, 3.2,
         RELOAD, "Joints are within this of zero in the postures that are fitted."),

    /* the publisher */
    TEXT("publish.ipc", publish.ipc, "pub.sock", RESTART,
         "Unix socket, in the runtime directory unless it begins with /; empty for none."),
    TEXT("publish.tcp", publish.tcp, "", RESTART,
         "ADDRESS:PORT, such as 127.0.0.1:9872; beyond loopback only with both key files; empty "
         "for none."),
    BOOL(
        "publish.shared_memory", publish.shared_memory, "true", RESTART,
        "Show the state in shared memory too, under the name of input.segment with -state behind."),
    PATH("publish.curve_secret_key", publish.curve_secret_key, NULL, "", RESTART,
         "File with the CURVE secret key of this server, readable by its user only."),
    PATH("publish.curve_clients", publish.curve_clients, NULL, "", RESTART,
         "File with the public keys of the clients that may subscribe, one a line."),
    INT("publish.high_water", publish.high_water, "messages", "64", 1, 100000, RESTART,
        "Messages kept for a subscriber that does not keep up."),
    REAL("publish.diag_rate", publish.diag_hz, "Hz", "10", 0.1, 100, RESTART,
         "How often diag is published."),
    REAL("publish.skin_rate", publish.skin_hz, "Hz", "10", 0.1, 100, RESTART,
         "How often skin is published, and the estimators' counters in diag are renewed."),
    REAL("publish.meta_rate", publish.meta_hz, "Hz", "1", 0.1, 10, RESTART,
         "How often meta is published, beside every new subscription."),
    INT("publish.ring", publish.ring, "results", "256", 4, 4096, RESTART,
        "Results that may wait between the cycle and the publisher."),

    /* the process */
    PATH("service.runtime_directory", service.runtime_directory, NULL, "/run/propriod", RESTART,
         "Folder of the sockets and of the lock that keeps a second daemon away."),
    PATH("service.state_directory", service.state_directory, NULL, "/var/lib/propriod", RESTART,
         "Folder of what survives a restart: learned inertial parameters."),
};

const size_t settings_count = sizeof(settings_table) / sizeof(settings_table[0]);

static_assert(sizeof(settings_table) / sizeof(settings_table[0]) <= SETTINGS_MAX_ROWS,
              "SETTINGS_MAX_ROWS is too small");
