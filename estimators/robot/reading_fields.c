#include "robot/reading_fields.h"

#include "robot/reading_check.h"

#define COUNT(member, meaning) FIELD(struct reading_counters, member, "", "", 0, meaning)

static const struct field counters[] = {
    COUNT(gyro_refused, "axes of the gyro not given or saturated"),
    COUNT(accelerometer_refused, "axes of the IMU's accelerometer not given or saturated"),
    COUNT(imu_repeated,
          "gyros and accelerometers read that had not measured since the last, or have frozen"),
    COUNT(frames_repeated, "frames of joints and skin written once more while their bus hung"),
    COUNT(orientation_refused, "orientations of the IMU that are no rotation"),
    COUNT(torque_refused, "joint torques not given or beyond any robot's"),
    COUNT(wrench_refused, "readings of a wrench sensor not given, frozen or beyond any robot's"),
};
const struct field_rows reading_fields = FIELD_ROWS(counters);
