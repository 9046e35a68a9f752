#include "joints/joint_settings.h"

#include "joints/joint_filter.h"

#define SETTINGS_OF struct joint_filter_settings

static const struct setting rows[] = {
    REAL("motion.encoder_noise", encoder_noise, "rad", 1e-9, 1,
         "White noise of an encoder, one standard deviation; metres for prismatic joints."),
    REAL("motion.gyro_noise", gyro_noise, "rad/s", 1e-6, 10,
         "White noise of the gyroscope per sample and axis."),
    REAL("motion.accelerometer_noise", accelerometer_noise, "m/s^2", 1e-5, 100,
         "White noise of the IMU's accelerometer per sample and axis."),
    REAL("motion.cell_noise", cell_noise, "m/s^2", 1e-4, 100,
         "White noise of a skin cell's accelerometer per sample and axis."),
    REAL("motion.cell_bias", cell_bias, "m/s^2", 1e-4, 100,
         "Slow error of a skin cell: bias, and gravity through a mounting that is off."),
    REAL("motion.cell_range", cell_range, "m/s^2", 1, 10000,
         "A skin cell that reads this or more is saturated."),
    BOOL("motion.link_bias", link_bias, "Learn six slow errors of each skinned link."),
    REAL("motion.link_bias_time", link_bias_time, "s", 0.1, 10000,
         "Correlation time of the errors of a link."),
    BOOL("motion.gyro_bias", gyro_bias,
         "Learn the bias of the gyroscope when the robot is at rest."),
    BOOL("motion.adapt", adapt_density,
         "Follow how lively each joint moves, and jumps of its acceleration."),
    REAL("motion.snap_density", joint_density, "(rad/s^4)^2 s", 1e-6, 1e15,
         "How lively joints are taken to move at the start: white snap."),
    REAL("motion.snap_density_min", joint_density_min, "(rad/s^4)^2 s", 1e-6, 1e15,
         "Least value that motion.adapt gives to a joint."),
    REAL("motion.snap_density_max", joint_density_max, "(rad/s^4)^2 s", 1e-6, 1e15,
         "Largest value that motion.adapt gives to a joint."),
    REAL("motion.window", window_s, "s", 0, 0.05,
         "How late a sample may come and still be put in its place."),
    REAL("motion.timeout", timeout_s, "s", 0.01, 10,
         "A gap of all sensors longer than this starts the filter anew."),
};
const struct setting_rows joint_settings = SETTING_ROWS(rows);
