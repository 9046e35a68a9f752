#include "publish/encode_state.h"

#define FROM(member) offsetof(struct propriod_state, member)

static const struct field rows[] = {
    {"q", FIELD_JOINTS, "rad or m", "", FROM(q), PROPRIOD_STATE_Q, "joint position"},
    {"dq", FIELD_JOINTS, "rad/s or m/s", "", FROM(dq), PROPRIOD_STATE_DQ, "joint velocity"},
    {"ddq", FIELD_JOINTS, "rad/s^2 or m/s^2", "", FROM(ddq), PROPRIOD_STATE_DDQ,
     "joint acceleration"},
    {"jerk", FIELD_JOINTS, "rad/s^3 or m/s^3", "", FROM(jerk), PROPRIOD_STATE_JERK, "joint jerk"},
    {"q_sd", FIELD_JOINTS, "rad or m", "", FROM(q_sd), PROPRIOD_STATE_DEVIATIONS,
     "one standard deviation of q"},
    {"dq_sd", FIELD_JOINTS, "rad/s or m/s", "", FROM(dq_sd), PROPRIOD_STATE_DEVIATIONS,
     "one standard deviation of dq"},
    {"ddq_sd", FIELD_JOINTS, "rad/s^2 or m/s^2", "", FROM(ddq_sd), PROPRIOD_STATE_DEVIATIONS,
     "one standard deviation of ddq"},
    {"effort", FIELD_JOINTS, "N m or N", "", FROM(effort), PROPRIOD_STATE_EFFORT,
     "joint torque or force as measured"},
    {"joint_health", FIELD_JOINT_COUNTS, "", "", FROM(joint_health), 0,
     "0: the encoder is used; left out: 1 no number, 2 contradicts the estimate, 3 stuck; 4 used "
     "less a step that the joint did not make"},
    {"quat_xyzw", FIELD_QUAT, "", "world", FROM(quat_xyzw), PROPRIOD_STATE_BASE_ATTITUDE,
     "rotation of base_link coordinates into world coordinates"},
    {"base_position", FIELD_VEC3, "m", "world", FROM(base_position), PROPRIOD_STATE_BASE_POSITION,
     "origin of base_link"},
    {"base_velocity", FIELD_VEC3, "m/s", "world", FROM(base_velocity), PROPRIOD_STATE_BASE_VELOCITY,
     "velocity of the origin of base_link"},
    {"base_angular_velocity", FIELD_VEC3, "rad/s", "base_link", FROM(base_angular_velocity),
     PROPRIOD_STATE_BASE_RATE, "angular velocity of base_link"},
    {"base_angular_acceleration", FIELD_VEC3, "rad/s^2", "base_link",
     FROM(base_angular_acceleration), PROPRIOD_STATE_BASE_ANG_ACC,
     "angular acceleration of base_link"},
    {"base_specific_force", FIELD_VEC3, "m/s^2", "base_link", FROM(base_specific_force),
     PROPRIOD_STATE_BASE_FORCE,
     "acceleration of the origin of base_link less gravity, upwards at rest"},
    {"gyro_bias", FIELD_VEC3, "rad/s", "base_link", FROM(gyro_bias), PROPRIOD_STATE_GYRO_BIAS,
     "estimated bias of the gyroscope"},
    {"nis_encoders", FIELD_REAL, "", "", FROM(nis_encoders), PROPRIOD_STATE_INNOVATIONS,
     "normalised innovation squared per encoder row; 1 when consistent"},
    {"nis_imu", FIELD_REAL, "", "", FROM(nis_imu), PROPRIOD_STATE_INNOVATIONS,
     "normalised innovation squared per IMU row; 1 when consistent"},
    {"nis_skin", FIELD_REAL, "", "", FROM(nis_skin), PROPRIOD_STATE_INNOVATIONS,
     "normalised innovation squared per skin row; 1 when consistent"},
    {"imu_suspect", FIELD_COUNT, "", "", FROM(imu_suspect), 0,
     "0: the IMU is used; otherwise bits of what is wrong: 1, 2, 4 gyro x, y, z and 8, 16, 32 "
     "accelerometer x, y, z read another axis or sign; 64 frozen"},
    {"resets", FIELD_COUNT, "", "", FROM(resets), 0,
     "published jumps since the start; rises with each"},
};

const struct field_table state_fields = {"state", rows, sizeof(rows) / sizeof(rows[0])};

void encode_state(struct wire *wire, const struct propriod_state *state, int64_t epoch_ns) {
  const struct stamp stamp = {state->seq, state->t_ns, epoch_ns, state->status};
  fields_begin(wire, &stamp, fields_pairs(&state_fields, state->estimated));
  fields_encode(wire, &state_fields, state, state->estimated, state->n_joints);
}
