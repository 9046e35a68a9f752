#include "inertial/inertial_settings.h"

#include "inertial/inertial_estimator.h"

#define SETTINGS_OF struct inertial_settings

static const char *const inertia_forms[] = {"rucker", "foster", "linear", NULL};
static const char *const inertia_gates[] = {"none", "huber", "hard", NULL};
static const char *const inertia_paths[] = {"log_cholesky", "geodesic", NULL};

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
    REAL("inertia.prior_stretch", filter.core.prior.stretch, "", 1e-6, 3,
         "How wrong the model's radii of gyration may be, logarithm."),
    REAL("inertia.prior_shear", filter.core.prior.shear, "", 1e-6, 3,
         "How wrong the model's axes of inertia may be, share of the radius."),
    REAL("inertia.drift_mass", filter.core.drift.mass, "kg/sqrt(s)", 0, 1000,
         "Drift of masses without an alarm; about 10 for loads that vary all the time."),
    REAL("inertia.drift_com", filter.core.drift.com, "m/sqrt(s)", 0, 10,
         "Drift of centres of mass without an alarm; about 0.1 for loads that vary all the time."),
    REAL("inertia.drift_stretch", filter.core.drift.stretch, "1/sqrt(s)", 0, 3,
         "Drift of the radii of gyration without an alarm, logarithm."),
    REAL("inertia.drift_shear", filter.core.drift.shear, "1/sqrt(s)", 0, 3,
         "Drift of the axes of inertia without an alarm."),
    REAL("inertia.change_mass", filter.change.mass, "kg", 1e-6, 1000,
         "What a change that was found may amount to: mass."),
    REAL("inertia.change_com", filter.change.com, "m", 1e-6, 10, "The same: centre of mass."),
    REAL("inertia.change_stretch", filter.change.stretch, "", 1e-6, 3,
         "The same: radii of gyration, logarithm."),
    REAL("inertia.change_shear", filter.change.shear, "", 1e-6, 3,
         "The same: axes of inertia, share of the radius."),
    REAL("inertia.block", filter.block_s, "s", 1e-4, 1,
         "Rows are averaged over this; as short as a cycle for loads that change all the time."),
    REAL("inertia.force_noise", filter.force_noise, "N", 1e-6, 1e6,
         "Noise of a block's force rows beside what is learned at rest."),
    REAL("inertia.moment_noise", filter.moment_noise, "N m", 1e-6, 1e6,
         "Noise of a block's moment rows."),
    REAL("inertia.torque_noise", filter.torque_noise, "N m", 1e-6, 1e6,
         "Noise of a block's joint rows."),
    CHOICE("inertia.gate", filter.gate, inertia_gates,
           "Rows beyond the chi-square bound: used, weighed down, or left out."),
    REAL("inertia.calibration", filter.calibration_s, "s", 0, 1000,
         "Time from the start in which the mean residual becomes the bias; 0 for none."),
    REAL("inertia.bias_force", filter.bias_force, "N", 1e-6, 1e6,
         "A residual beyond this is no bias but a load, there from the start."),
    REAL("inertia.bias_moment", filter.bias_moment, "N m", 1e-6, 1e6,
         "The same: moments, and joint torques."),
    REAL("inertia.blank", filter.blank_s, "s", 0, 1, "Time after a foot strike without rows."),
    REAL("inertia.rest_rate", filter.rest_rate, "rad/s", 1e-6, 10,
         "The robot rests when nothing turns faster than this."),
    REAL("inertia.mass_rate", filter.publish.mass_rate, "kg/s", 1e-6, 1e6,
         "Fastest change of a published mass."),
    REAL("inertia.com_rate", filter.publish.com_rate, "m/s", 1e-6, 1e3,
         "Fastest change of a published centre of mass."),
    CHOICE("inertia.path", filter.publish.path, inertia_paths,
           "Way from one published value to the next."),
};
const struct setting_rows inertial_settings = SETTING_ROWS(rows);
