#include "centroidal/centroidal_settings.h"

#include "centroidal/centroidal_estimator.h"

#define SETTINGS_OF struct centroidal_settings

static const char *const centroidal_forms[] = {"full", "paper", "imu", NULL};

static const struct setting rows[] = {
    CHOICE("centroidal.form", posture.form.kind, centroidal_forms,
           "Where the centre of mass' acceleration comes from: the full model, the paper's five "
           "masses at its 100 Hz, or the IMU alone."),
    REAL("centroidal.corner", contacts.wrench.corner_hz, "Hz", 0, 1000,
         "Corner frequency of the net force's smoothing; 0 for none."),
    REAL("centroidal.mass_error", model.mass, "", 0, 1,
         "By what part of it a link's mass may be wrong in the model, one standard deviation."),
    REAL("centroidal.centre_error", model.centre, "m", 0, 1,
         "By how much a link's centre of mass may be off in the model, along each axis."),
    REAL("centroidal.strike_noise", contacts.cop.strike_sd, "m", 0, 10,
         "Added to the centre of pressure's deviation while a foot strikes."),
    REAL("centroidal.cop_reach", contacts.cop.reach, "", 0, 10,
         "How far from below the centre of mass the centre of pressure ordinarily is, as part of "
         "that centre's height, one standard deviation; 0 to publish what the motion says."),
    REAL("centroidal.cop_time", contacts.cop.time_s, "s", 0, 100,
         "Within how long it ordinarily returns there."),
    REAL("centroidal.least_vertical", contacts.wrench.least_vertical, "", 0, 0.99,
         "Part of the weight below which there is no centre of pressure."),
    REAL("feet.sole_length", contacts.sole_length, "m", 0, 2,
         "Length of a sole along its x, for support_margin; 0 for point feet."),
    REAL("feet.sole_width", contacts.sole_width, "m", 0, 2, "Width of a sole along its y."),
    REAL("feet.sensor_noise", contacts.sensor_cop_sd, "m", 1e-5, 1,
         "Centre of pressure from force sensors on the feet, one standard deviation."),
    REAL("feet.torque_noise", contacts.feet.torque_sd, "N m", 1e-4, 1000,
         "Error of a leg's measured torque, friction that the model misses included. Where more "
         "than "
         "two feet have no sensors, legs tell which of them carry."),
    REAL("push.least", contacts.push.least, "", 1e-4, 1,
         "Part of the weight: smaller external forces are no push."),
    REAL("push.deviations", contacts.push.deviations, "standard deviations", 1, 100,
         "Beyond so much of the recent past, a force is a push."),
    REAL("push.memory", contacts.push.memory_s, "s", 0.05, 60, "How long the recent past is."),
    REALS("five_mass.masses", posture.five.mass, posture.five.n_masses, "kg", 1e-4, 1e4,
          "Masses of the torso, the legs in the order of their feet, and the arms; empty to fit "
          "them to the robot."),
    REALS("five_mass.torso", posture.five.torso, posture.five.n_torso, "m", -10, 10,
          "Where the torso's mass sits on the chest link, x y z."),
    REALS("five_mass.pelvis", posture.five.pelvis, posture.five.n_pelvis, "m", -10, 10,
          "Where the pelvis' mass sits on the base link, x y z."),
    REALS("five_mass.p_s", posture.five.p_s, posture.five.n_p_s, "", -1, 2,
          "For each limb, where its mass lies from the middle joint (0) to the end (1)."),
    REALS("five_mass.p_l", posture.five.p_l, posture.five.n_p_l, "", -1, 2,
          "For each limb, where its mass lies from the root (0) out to that point (1)."),
    TEXTS("five_mass.hands", posture.five.fit.hand, posture.five.fit.n_hands,
          "Frames or links at the arms' ends; empty to find them in the tree."),
    REAL("five_mass.range", posture.five.fit.range, "rad", 0.01, 3.2,
         "Joints are within this of zero in the postures that are fitted."),
};
const struct setting_rows centroidal_settings = SETTING_ROWS(rows);
