#include "inertial/inertial_settings.h"

#include "inertial/inertial_estimator.h"

#define SETTINGS_OF struct inertial_settings

static const char *const inertia_forms[] = {"rucker", "foster", "linear", NULL};
static const char *const inertia_gates[] = {"none", "huber", "hard", NULL};
static const char *const drive_efforts[] = {"torque", "current", NULL};

#define DRIVE(key, list, unit, min, max, sentence)                                                 \
  REALS(key, filter.drives.list.value, filter.drives.list.n, unit, min, max, sentence)

static const struct setting rows[] = {
    TEXTS("inertia.links", link, n_links,
          "Links, or frames on them, whose inertial parameters are estimated; none for no "
          "estimation."),
    BOOL("inertia.feed_centroidal", feed_centroidal,
         "Use what is published in centre of mass and momentum, too."),
    CHOICE("inertia.form", filter.core.form, inertia_forms,
           "Coordinates of the filter; foster and linear are for comparison."),
    INT("inertia.iterations", filter.core.iterations, "", 1, 8, "Most iterations of an update."),
    BOOL("inertia.memory", filter.core.memory,
         "Keep measured rows until the next change; false for loads that change all the time."),
    REAL("inertia.prior_mass", filter.core.prior.mass, "kg", 1e-6, 1000,
         "How wrong the model's masses may be, one standard deviation."),
    REAL("inertia.prior_com", filter.core.prior.com, "m", 1e-6, 10,
         "How wrong the model's centres of mass may be."),
    REAL("inertia.prior_shape", filter.core.prior.shape, "", 1e-6, 3,
         "How wrong the model's radii of gyration may be, logarithm, and their axes, a share."),
    REAL(
        "inertia.reluctance", filter.core.reluctance, "", 0, 100,
        "Estimates leave the model as if it were better known by 1 + this; their deviations do not "
        "believe it. 0 for a link that is weighed for the first time."),
    REAL("inertia.drift_mass", filter.core.drift.mass, "kg/sqrt(s)", 0, 1000,
         "Drift of masses without an alarm; about 10 for loads that vary all the time."),
    REAL("inertia.drift_com", filter.core.drift.com, "m/sqrt(s)", 0, 10,
         "Drift of centres of mass without an alarm; about 0.1 for loads that vary all the time."),
    REAL("inertia.drift_shape", filter.core.drift.shape, "1/sqrt(s)", 0, 3,
         "Drift of the radii of gyration, logarithm, and of their axes without an alarm."),
    REAL("inertia.change_mass", filter.change.mass, "kg", 1e-6, 1000,
         "What a change that was found may amount to: mass."),
    REAL("inertia.change_com", filter.change.com, "m", 1e-6, 10, "The same: centre of mass."),
    REAL("inertia.change_shape", filter.change.shape, "", 1e-6, 3,
         "The same: radii of gyration, logarithm, and their axes."),
    REAL("inertia.block", filter.block_s, "s", 1e-4, 1,
         "Rows are averaged over this; as short as a cycle for loads that change all the time."),
    REAL("inertia.force_noise", filter.force_noise, "N", 1e-6, 1e6,
         "Noise of a block's force rows; more is learned at rest and in motion."),
    REAL("inertia.moment_noise", filter.moment_noise, "N m", 1e-6, 1e6,
         "Noise of a block's moment rows."),
    REAL("inertia.torque_noise", filter.torque_noise, "N m", 1e-6, 1e6,
         "Noise of a block's joint rows, where joints.noise tells none."),
    REAL(
        "inertia.model_error", filter.model_error, "", 0, 1,
        "Share by which the model of all other links may be off, of how far forces and torques are "
        "from where the robot stood at first."),
    REAL("inertia.noise_time", filter.noise_time, "s", 0, 10,
         "How long noise of rows lasts in motion until that is learned; about 0.1 for drives with "
         "friction."),
    REAL("inertia.noise_gain", filter.noise_gain, "", 0.01, 100,
         "Variances that were learned at rest count this much."),
    CHOICE("inertia.gate", filter.gate, inertia_gates,
           "Rows beyond the chi-square bound: used, weighed down, or left out."),
    REAL("inertia.gate_quantile", filter.gate_quantile, "", 0.1, 10,
         "Normal quantile of that bound."),
    INT("inertia.detector_window", filter.detector.window, "", 0, 64,
        "Blocks over which changes are looked for, and over five times as many. 0: a change is "
        "never looked for."),
    REAL("inertia.detector_clip", filter.detector.clip, "", 0.1, 100,
         "Deviations beyond which a sample counts no more in these windows."),
    REAL("inertia.detector_quantile", filter.detector.quantile, "", 0.1, 10,
         "Normal quantile of the bound of a change."),
    REAL("inertia.refractory", filter.detector.refractory_s, "s", 0, 1000,
         "Time after a change in which there is no other."),
    REAL("inertia.doubt", filter.detector.doubt_s, "s", 0, 1000,
         "Four changes within this, and no load explains what is measured."),
    REAL("inertia.calibration", filter.calibration_s, "s", 0, 1000,
         "Time from the start in which the mean residual says where biases are; 0 for none."),
    REAL("inertia.bias_force", filter.bias_force, "N", 1e-6, 1e6,
         "Deviation of the bias of force rows: cables, sensors and what the model misses for "
         "good. What the start leaves beyond is a load, there from the start."),
    REAL("inertia.bias_moment", filter.bias_moment, "N m", 1e-6, 1e6, "The same: moments."),
    REAL("inertia.bias_torque", filter.bias_torque, "N m", 1e-6, 1e6,
         "The same: joint rows, where joints.offset_error tells none."),
    REAL("inertia.wrench_delay", filter.wrench_delay_s, "s", -0.01, 0.01,
         "By how much the stamps of wrenches are known to be late."),
    REAL("inertia.torque_delay", filter.torque_delay_s, "s", -0.01, 0.01,
         "By how much those of efforts are known to be late."),
    BOOL("inertia.correct_delay", filter.correct_delay,
         "Make good a delay that is found beyond that, up to 10 ms in all."),
    BOOL("inertia.correct_regressor", filter.correct_regressor,
         "Take out what noise in accelerations does to the estimate."),
    REAL("inertia.blank", filter.blank_s, "s", 0, 1,
         "Time after a foot strike without rows; feet that strike often leave few."),
    REAL("inertia.rest_rate", filter.rest_rate, "rad/s", 1e-6, 10,
         "The robot rests when nothing turns faster than this."),
    REAL("inertia.rest_time", filter.rest_s, "s", 1e-3, 1000, "Nor for as long as this."),
    REAL("inertia.rest_gain", filter.least_gain, "nats", 0, 100,
         "At rest rows that bring less than this are passed over."),
    REAL("inertia.creep_force", filter.creep_force, "N/s", 0, 1000,
         "At rest force rows that creep no faster than this are followed."),
    REAL("inertia.creep_moment", filter.creep_moment, "N m/s", 0, 1000, "The same: moments."),
    REAL("inertia.mass_rate", filter.publish.mass_rate, "kg/s", 1e-6, 1e6,
         "Fastest change of a published mass."),
    REAL("inertia.com_rate", filter.publish.com_rate, "m/s", 1e-6, 1e3,
         "Fastest change of a published centre of mass."),
    CHOICE("joints.effort", filter.drives.effort, drive_efforts,
           "What the effort of the joints stream is; currents need joints.gain."),
    DRIVE("joints.gain", gain, "N m/A", -1e6, 1e6,
          "Torque at the joint side for one unit of effort. Here and below: a list of one number "
          "for all joints, or of one for each in the order of the robot."),
    DRIVE("joints.gain_error", gain_error, "", 0, 1,
          "Share by which gains may be off, mostly all together; deviations of masses contain it."),
    DRIVE("joints.offset", offset, "N m", -1e6, 1e6, "Torque that is shown where there is none."),
    DRIVE("joints.offset_error", offset_error, "N m", 1e-6, 1e6,
          "By how much that may be off, and what the model misses; none: inertia.bias_torque."),
    DRIVE("joints.viscous", viscous, "N m s/rad", 0, 1e6,
          "Viscous friction; none: the <dynamics damping> of the URDF."),
    DRIVE("joints.coulomb", coulomb, "N m", 0, 1e6,
          "Coulomb friction; none: the <dynamics friction> of the URDF."),
    DRIVE("joints.dead_zone", dead_zone, "rad/s", 1e-6, 100,
          "Slower than this a drive may stick, and its row weighs little; none: 0.05."),
    DRIVE("joints.noise", noise, "N m", 1e-6, 1e6,
          "Noise of a block's torque; none: inertia.torque_noise."),
    TEXTS("joints.noise_of", filter.drives.noise_of.text, filter.drives.noise_of.n,
          "The same of some joints, N m or N: name=number, or a pattern, such as *_gripper=0.5."),
};
const struct setting_rows inertial_settings = SETTING_ROWS(rows);
