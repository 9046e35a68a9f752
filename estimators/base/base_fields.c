#include "base/base_fields.h"

#define ROW(member, unit, frame, part, meaning)                                                    \
  FIELD(struct propriod_state, member, unit, frame, part, meaning)

static const struct field base[] = {
    ROW(quat_xyzw, "", "world", PROPRIOD_STATE_BASE_ATTITUDE,
        "rotation of base_link coordinates into world coordinates"),
    ROW(base_position, "m", "world", PROPRIOD_STATE_BASE_POSITION, "origin of base_link"),
    ROW(base_velocity, "m/s", "world", PROPRIOD_STATE_BASE_VELOCITY,
        "velocity of the origin of base_link"),
    ROW(base_angular_velocity, "rad/s", "base_link", PROPRIOD_STATE_BASE_RATE,
        "angular velocity of base_link"),
    ROW(base_angular_acceleration, "rad/s^2", "base_link", PROPRIOD_STATE_BASE_ANG_ACC,
        "angular acceleration of base_link"),
    ROW(base_specific_force, "m/s^2", "base_link", PROPRIOD_STATE_BASE_FORCE,
        "acceleration of the origin of base_link less gravity, upwards at rest"),
    ROW(gyro_bias, "rad/s", "base_link", PROPRIOD_STATE_GYRO_BIAS,
        "estimated bias of the gyroscope"),
    ROW(imu_suspect, "", "", 0,
        "0: the IMU is used; otherwise bits of what is wrong: 1, 2, 4 gyro x, y, z and 8, 16, 32 "
        "accelerometer x, y, z read another axis or sign; 64 frozen"),
};
const struct field_rows base_fields = FIELD_ROWS(base);
