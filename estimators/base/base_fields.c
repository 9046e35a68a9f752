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
    ROW(gyro_bias, "rad/s", "base_link", PROPRIOD_STATE_IMU_BIASES,
        "estimated bias of the gyroscope"),
    ROW(accelerometer_bias, "m/s^2", "base_link", PROPRIOD_STATE_IMU_BIASES,
        "estimated bias of the accelerometer"),
    ROW(base_orientation_sd, "rad", "base_link", PROPRIOD_STATE_BASE_SD,
        "one standard deviation of quat_xyzw, about the axes of base_link"),
    ROW(base_position_sd, "m", "world", PROPRIOD_STATE_BASE_SD,
        "one standard deviation of base_position"),
    ROW(base_velocity_sd, "m/s", "world", PROPRIOD_STATE_BASE_SD,
        "one standard deviation of base_velocity"),
    ROW(base_angular_velocity_sd, "rad/s", "base_link", PROPRIOD_STATE_BASE_SD,
        "one standard deviation of base_angular_velocity"),
    ROW(base_angular_acceleration_sd, "rad/s^2", "base_link", PROPRIOD_STATE_BASE_SD,
        "one standard deviation of base_angular_acceleration"),
    ROW(base_specific_force_sd, "m/s^2", "base_link", PROPRIOD_STATE_BASE_SD,
        "one standard deviation of base_specific_force"),
    ROW(gyro_bias_sd, "rad/s", "base_link", PROPRIOD_STATE_BASE_SD,
        "one standard deviation of gyro_bias"),
    ROW(accelerometer_bias_sd, "m/s^2", "base_link", PROPRIOD_STATE_BASE_SD,
        "one standard deviation of accelerometer_bias"),
    ROW(tilt_sd, "rad", "world", PROPRIOD_STATE_BASE_SD,
        "one standard deviation of the tilt, about the worse of the horizontal axes"),
    ROW(imu_suspect, "", "", 0,
        "0: the IMU is used; otherwise bits of what is wrong: 1, 2, 4 gyro x, y, z and 8, 16, 32 "
        "accelerometer x, y, z read another axis or sign; 64 frozen"),
};
const struct field_rows base_fields = FIELD_ROWS(base);
