#include "robot/reading_settings.h"

#include "robot/reading_check.h"

#define SETTINGS_OF struct reading_settings

static const struct setting rows[] = {
    REAL("motion.gyro_range", gyro_range, "rad/s", 0.1, 1000,
         "An axis of the gyroscope that reads this or more is saturated; 2000 deg/s are 34.9."),
    REAL(
        "motion.accelerometer_range", accelerometer_range, "m/s^2", 1, 10000,
        "An axis of the IMU's accelerometer that reads this or more is saturated; 16 g are 156.9."),
};
const struct setting_rows reading_settings = SETTING_ROWS(rows);
