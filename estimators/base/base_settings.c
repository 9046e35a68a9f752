#include "base/base_settings.h"

#include "base/base_estimator.h"

#define SETTINGS_OF struct base_estimator_settings

static const struct setting rows[] = {
    REAL("base.step_height", step_height, "m", 1e-3, 1,
         "A touch-down so far from the known ground is a step up or down."),
    REAL("base.slip_strain", slip_strain, "", 1, 1e4,
         "Normalised innovation of a sole that slips."),
    REAL("base.slip_time", slip_s, "s", 1e-3, 10,
         "So long after it last strained a sole still counts as slipping."),
    REAL("support.share_corner", support.share_hz, "Hz", 0.1, 1000,
         "Corner frequency of the feet's shares of the weight."),
    REAL("support.enter", support.enter, "", 0.01, 0.99,
         "Share at which a foot becomes the support foot."),
    REAL("support.leave", support.leave, "", 0.01, 0.99,
         "Share at which it ceases to be; at most support.enter."),
    REAL("support.loaded", support.loaded, "", 0.001, 0.499,
         "Share from which a foot counts as standing."),
    REAL("support.clearance", support.clearance, "m", 1e-4, 1,
         "A sole so much higher than the lowest one carries nothing."),
    REAL("support.flight", support.flight, "", 0.01, 0.99,
         "Part of the weight below which there is no support at all."),
    REAL("support.strike_time", support.strike_s, "s", 0, 1,
         "How long a touch-down counts as a strike."),
};
const struct setting_rows base_settings = SETTING_ROWS(rows);
