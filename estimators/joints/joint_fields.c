#include "joints/joint_fields.h"

#include "joints/joint_filter.h"

#define ROW(member, unit, frame, part, meaning)                                                    \
  FIELD(struct propriod_state, member, unit, frame, part, meaning)

static const struct field joints[] = {
    ROW(q, "rad or m", "", PROPRIOD_STATE_Q, "joint position"),
    ROW(dq, "rad/s or m/s", "", PROPRIOD_STATE_DQ, "joint velocity"),
    ROW(ddq, "rad/s^2 or m/s^2", "", PROPRIOD_STATE_DDQ, "joint acceleration"),
    ROW(jerk, "rad/s^3 or m/s^3", "", PROPRIOD_STATE_JERK, "joint jerk"),
    ROW(q_sd, "rad or m", "", PROPRIOD_STATE_DEVIATIONS, "one standard deviation of q"),
    ROW(dq_sd, "rad/s or m/s", "", PROPRIOD_STATE_DEVIATIONS, "one standard deviation of dq"),
    ROW(ddq_sd, "rad/s^2 or m/s^2", "", PROPRIOD_STATE_DEVIATIONS, "one standard deviation of ddq"),
    ROW(effort, "N m or N", "", PROPRIOD_STATE_EFFORT, "joint torque or force as measured"),
    ROW(joint_health, "", "", 0,
        "0: the encoder is used; left out: 1 no number, 2 contradicts the estimate, 3 stuck; used: "
        "4 less a step that the joint did not make, 5 noisier than told, 6 the joint is beyond "
        "its limits, 7 less a step that is on trial"),
};
const struct field_rows joint_fields = FIELD_ROWS(joints);

static const struct field filter[] = {
    ROW(nis_encoders, "", "", PROPRIOD_STATE_INNOVATIONS,
        "normalised innovation squared per encoder row; 1 when consistent"),
    ROW(nis_imu, "", "", PROPRIOD_STATE_INNOVATIONS,
        "normalised innovation squared per IMU row; 1 when consistent"),
    ROW(nis_skin, "", "", PROPRIOD_STATE_INNOVATIONS,
        "normalised innovation squared per skin row; 1 when consistent"),
    ROW(resets, "", "", 0, "published jumps since the start; rises with each"),
};
const struct field_rows joint_filter_fields = FIELD_ROWS(filter);

#define COUNT(member, meaning) FIELD(struct joint_filter_counters, member, "", "", 0, meaning)

static const struct field counters[] = {
    COUNT(steps, "cycles of the joint filter"),
    COUNT(updates, "instants at which it took measurements"),
    COUNT(replays, "instants taken again because something came late"),
    COUNT(prepared, "skin samples for which everything was ready when they came"),
    COUNT(time_refused, "stamps of zero or ahead of the clock"),
    COUNT(late_dropped, "samples older than the window"),
    COUNT(duplicates, "samples with a stamp already taken"),
    COUNT(encoder_repeated, "readings of encoders that had not measured since the last"),
    COUNT(encoder_rejected, "encoder readings that failed a gate"),
    COUNT(imu_rejected, "IMU readings that failed a gate"),
    COUNT(link_rejected, "links' fused accelerations that failed a gate"),
    COUNT(cell_rejected, "cells' readings invalid, saturated or not finite"),
    COUNT(slips, "encoders taken back after a lasting step"),
    COUNT(jumps, "steps of acceleration found and followed"),
    COUNT(silences, "silences of all sensors, after which motion was found anew"),
    COUNT(repairs, "factorisations that needed help"),
    COUNT(resets, "divergences and gaps after which the filter began again"),
};
const struct field_rows joint_counter_fields = FIELD_ROWS(counters);
