/* All options: the rows of each room, and those of the daemon. */
#include "base/base_settings.h"
#include "centroidal/centroidal_settings.h"
#include "inertial/inertial_settings.h"
#include "joints/joint_settings.h"
#include "robot/reading_settings.h"
#include "settings/settings.h"

#include <assert.h>
#include <string.h>

#define SETTINGS_OF struct settings

static const char *const cells_words[] = {"urdf", NULL};
static const char *const urdf_repairs[] = {"refuse", "nearest", NULL};
static const char *const urdf_inertias[] = {"given", "unknown", NULL};
static const char *const stamp_meanings[] = {"sampled", "arrival", NULL};
static const char *const cycle_triggers[] = {"frame", "timer", NULL};
static const char *const realtime_wishes[] = {"off", "preferred", "required", NULL};

/* robot and sensors */
static const struct setting input[] = {
    SETTING_PATH(
        "robot.urdf", robot.urdf, NULL, "", SETTING_RELOAD,
        "Robot model: links with inertia, joints, and named frames. Without, the service waits."),
    SETTING_PATH(
        "robot.cells", robot.cells, cells_words, "", SETTING_RELOAD,
        "Skin cells: a CSV file, urdf for the accelerometers of the URDF, or empty for no skin."),
    SETTING_PATH(
        "robot.calibration", robot.calibration, NULL, "", SETTING_RELOAD,
        "Calibration of the skin cells, a CSV file that proprioctl calibrate wrote; empty for "
        "none."),
    SETTING_REAL(
        "robot.cell_mass", robot.cell_mass, "kg", "0", 0, 1, SETTING_RELOAD,
        "Mass of one skin cell with its share of wires and glue, added to its link; 0 when the "
        "URDF "
        "has it."),
    SETTING_REAL("robot.cell_radius", robot.cell_radius, "m", "0.015", 1e-3, 0.2, SETTING_RELOAD,
                 "Radius of a skin cell, a flat cylinder, for its inertia."),
    SETTING_REAL("robot.cell_height", robot.cell_height, "m", "0.005", 1e-4, 0.1, SETTING_RELOAD,
                 "Height of a skin cell, along its outward normal."),
    SETTING_TEXT(
        "robot.imu", robot.imu, "", SETTING_RELOAD,
        "Frame of the IMU, on the base or on another link; empty for the base link's. Where the "
        "URDF has no frame, a place beside one: FRAME@x,y,z (m) or "
        "FRAME@x,y,z,roll,pitch,yaw (rad), for all frames."),
    SETTING_TEXTS("robot.limb_imus", robot.limb, robot.n_limbs, "[]", SETTING_RELOAD,
                  "Frames of further IMUs, on limbs, in the order of the stream after the first."),
    SETTING_TEXTS(
        "robot.feet", robot.foot, robot.n_feet, "[]", SETTING_RELOAD,
        "Frames in the middle of the soles, z up out of the ground, as left_ankle@0.03,0,-0.05; "
        "none for a robot without feet."),
    SETTING_CHOICE(
        "robot.repair", robot.choices.repair, urdf_repairs, "refuse", SETTING_RELOAD,
        "What becomes of inertias that no body has: refuse, or nearest makes them possible."),
    SETTING_CHOICE(
        "robot.inertia", robot.choices.inertia, urdf_inertias, "given", SETTING_RELOAD,
        "Masses and inertias: as the URDF gives them, or unknown: what needs them is not "
        "estimated."),
    SETTING_TEXTS(
        "robot.locked", robot.choices.locked, robot.choices.n_locked, "[]", SETTING_RELOAD,
        "Joints held fast, without encoder: names or patterns, at 0 or as name=0.3 (rad or m)."),
    SETTING_TEXTS(
        "robot.joints", robot.joint, robot.n_joints, "[]", SETTING_RESTART,
        "Joints in the order of their stream: name, -name (turned round), name=0.1 (where "
        "its zero is); those held fast are ignored; empty for the order of the URDF."),
    SETTING_TEXTS("robot.wrenches", robot.wrench, robot.n_wrench, "[]", SETTING_RELOAD,
                  "Frames of the force and torque sensors in the order of their stream."),
    SETTING_TEXTS("robot.contact_switches", robot.contact_switch, robot.n_switches, "[]",
                  SETTING_RELOAD,
                  "Feet that have a contact switch, in the order of the wrench stream behind the "
                  "sensors: force z is 1 for contact, 0 for none, NaN for not known."),
    SETTING_BOOL("robot.fixed_base", robot.fixed_base, "false", SETTING_RELOAD,
                 "True when the base link is bolted to the ground."),
    SETTING_TEXT(
        "input.segment", input.segment, PROPRIOD_SHM_DEFAULT, SETTING_RESTART,
        "Shared memory that drivers write: a path, or a plain name for a file in /dev/shm."),
};
static const struct setting_rows input_rows = SETTING_ROWS(input);

#define LIMIT(constant, name, things, stale_s)                                                     \
  SETTING_REAL("input." #name "_limit", input.limit_s[PROPRIOD_SHM_##constant], "s", stale_s,      \
               1e-4, 10, SETTING_RESTART,                                                          \
               "Age of the newest frame of " things " beyond which the stream is stale."),

static const struct setting limits[] = {PROPRIOD_SHM_STREAM_TABLE(LIMIT)};
static const struct setting_rows limit_rows = SETTING_ROWS(limits);

#define STAMP(constant, name, things, stale_s)                                                     \
  SETTING_CHOICE(                                                                                  \
      "input." #name "_stamp", input.stamp[PROPRIOD_SHM_##constant], stamp_meanings, "sampled",    \
      SETTING_RESTART,                                                                             \
      "What the stamps of " things                                                                 \
      " are: the instants of sampling, or those of arrival, to which a clock is fitted."),

static const struct setting stamps[] = {PROPRIOD_SHM_STREAM_TABLE(STAMP)};
static const struct setting_rows stamp_rows = SETTING_ROWS(stamps);

/* the cycle */
static const struct setting cycle[] = {
    SETTING_REAL("cycle.period", pipeline.period_s, "s", "0.001", 1e-4, 0.1, SETTING_RESTART,
                 "Time from one estimate to the next, the period of the joints stream."),
    SETTING_CHOICE(
        "cycle.trigger", cycle.trigger, cycle_triggers, "frame", SETTING_RESTART,
        "What starts a cycle: a new joints frame (two periods without one: predict), or a "
        "timer."),
    SETTING_CHOICE("cycle.rt", cycle.realtime.wish, realtime_wishes, "preferred", SETTING_RESTART,
                   "SCHED_FIFO and locked memory: required to start, preferred, or off."),
    SETTING_INT("cycle.priority", cycle.realtime.priority, "", "80", 1, 98, SETTING_RESTART,
                "SCHED_FIFO priority of the cycle."),
    SETTING_INT("cycle.cpu", cycle.realtime.cpu, "", "-1", -1, 1023, SETTING_RESTART,
                "Processor that the cycle stays on; -1 for any."),
};
static const struct setting_rows cycle_rows = SETTING_ROWS(cycle);

static const struct setting cells[] = {
    SETTING_INT("motion.cells_per_link", pipeline.cells_per_link, "cells", "0", 0, 512,
                SETTING_RELOAD,
                "Most skin cells to use on a link, those that tell most; 0 for all. At least 3."),
};
static const struct setting_rows cells_rows = SETTING_ROWS(cells);

/* the publisher and the process */
static const struct setting output[] = {
    SETTING_TEXT("publish.ipc", publish.ipc, "pub.sock", SETTING_RESTART,
                 "Unix socket, in the runtime directory unless it begins with /; empty for none."),
    SETTING_TEXT(
        "publish.tcp", publish.tcp, "", SETTING_RESTART,
        "ADDRESS:PORT, such as 127.0.0.1:9872; beyond loopback only with both key files; empty "
        "for none."),
    SETTING_BOOL(
        "publish.shared_memory", publish.shared_memory, "true", SETTING_RESTART,
        "Show the state in shared memory too, under the name of input.segment with -state behind."),
    SETTING_PATH("publish.curve_secret_key", publish.curve_secret_key, NULL, "", SETTING_RESTART,
                 "File with the CURVE secret key of this server, readable by its user only."),
    SETTING_PATH("publish.curve_clients", publish.curve_clients, NULL, "", SETTING_RESTART,
                 "File with the public keys of the clients that may subscribe, one a line."),
    SETTING_INT("publish.high_water", publish.high_water, "messages", "64", 1, 100000,
                SETTING_RESTART, "Messages kept for a subscriber that does not keep up."),
    SETTING_REAL("publish.diag_rate", publish.diag_hz, "Hz", "10", 0.1, 100, SETTING_RESTART,
                 "How often diag is published."),
    SETTING_REAL("publish.skin_rate", publish.skin_hz, "Hz", "10", 0.1, 100, SETTING_RESTART,
                 "How often skin is published, and the estimators' counters in diag are renewed."),
    SETTING_REAL("publish.meta_rate", publish.meta_hz, "Hz", "1", 0.1, 10, SETTING_RESTART,
                 "How often meta is published, beside every new subscription."),
    SETTING_INT("publish.ring", publish.ring, "results", "256", 4, 4096, SETTING_RESTART,
                "Results that may wait between the cycle and the publisher."),
    SETTING_PATH("record.folder", record.folder, NULL, "", SETTING_RESTART,
                 "Folder of recordings; empty for recordings in service.state_directory."),
    SETTING_BOOL("record.start", record.start, "false", SETTING_RESTART,
                 "Record from the start on; otherwise proprioctl record start begins."),
    SETTING_REAL("record.flight", record.flight_s, "s", "30", 0, 3600, SETTING_RESTART,
                 "Length of the flight record, which is kept all the time and saved when the "
                 "estimate diverges or jumps; 0 for none. Half a minute of 30 joints and 1260 "
                 "cells is 23 MB, or 92 where readings are not whole steps of a converter."),
    SETTING_INT("record.flight_size", record.flight_mib, "MiB", "64", 4, 65536, SETTING_RESTART,
                "Largest flight record; it lies in service.runtime_directory, in memory."),
    SETTING_REAL("record.part", record.part_s, "s", "600", 1, 86400, SETTING_RESTART,
                 "Longest part of a recording, a file of its own."),
    SETTING_INT("record.part_size", record.part_mib, "MiB", "1024", 1, 1048576, SETTING_RESTART,
                "Largest part of a recording."),
    SETTING_INT("record.keep", record.keep_mib, "MiB", "16384", 0, 16777216, SETTING_RESTART,
                "Largest recording, all parts together: beyond it the oldest parts are removed; 0 "
                "for no limit."),
    SETTING_INT("record.buffer", record.buffer_mib, "MiB", "8", 1, 1024, SETTING_RESTART,
                "Cycles that wait between the cycle and the disk."),
    SETTING_INT("record.level", record.level, "", "1", 0, 19, SETTING_RESTART,
                "Compression of recordings by zstd: 1 is fast, 19 small; 0 for none."),
    SETTING_BOOL("record.results", record.results, "false", SETTING_RESTART,
                 "Record what is published, too, and not only a digest of it. Replaying gives it "
                 "to the bit without; with it plots and pages come without replaying."),
    SETTING_BOOL("record.mcap", record.mcap, "false", SETTING_RESTART,
                 "An MCAP file beside each part, for Foxglove, PlotJuggler and ROS 2. Cells are "
                 "left out, /state and /centroidal come at 100 Hz. 30 joints at 1 kHz take a tenth "
                 "of a processor and 110 MB a minute; proprioctl export --mcap makes it later, "
                 "too."),
    SETTING_PATH("service.runtime_directory", service.runtime_directory, NULL, "/run/propriod",
                 SETTING_RESTART,
                 "Folder of the sockets and of the lock that keeps a second daemon away."),
    SETTING_PATH("service.state_directory", service.state_directory, NULL, "/var/lib/propriod",
                 SETTING_RESTART,
                 "Folder of what survives a restart: learned inertial parameters."),
};
static const struct setting_rows output_rows = SETTING_ROWS(output);

/* Where the struct of each room's rows lies. */
static const struct {
  const struct setting_rows *rows;
  size_t offset;
} rooms[] = {
    {&input_rows, 0},
    {&limit_rows, 0},
    {&stamp_rows, 0},
    {&cycle_rows, 0},
    {&reading_settings, offsetof(struct settings, pipeline.readings)},
    {&cells_rows, 0},
    {&joint_settings, offsetof(struct settings, pipeline.joints)},
    {&base_settings, offsetof(struct settings, pipeline.centroidal.base)},
    {&centroidal_settings, offsetof(struct settings, pipeline.centroidal)},
    {&inertial_settings, offsetof(struct settings, pipeline.inertial)},
    {&output_rows, 0},
};
enum { ROOMS = sizeof(rooms) / sizeof(rooms[0]) };

size_t settings_count(void) {
  size_t count = 0;
  for (size_t r = 0; r < ROOMS; r++) {
    count += rooms[r].rows->count;
  }
  assert(count <= SETTINGS_MAX_ROWS);
  return count;
}

const struct setting *settings_row(size_t index) {
  size_t r = 0;
  while (r + 1 < ROOMS && index >= rooms[r].rows->count) {
    index -= rooms[r++].rows->count;
  }
  return &rooms[r].rows->row[index];
}

static bool is_of(const struct setting_rows *rows, const struct setting *row) {
  return row >= rows->row && row < rows->row + rows->count;
}

size_t settings_index(const struct setting *row) {
  size_t before = 0, r = 0;
  while (r + 1 < ROOMS && !is_of(rooms[r].rows, row)) {
    before += rooms[r++].rows->count;
  }
  return before + (size_t)(row - rooms[r].rows->row);
}

size_t settings_offset(const struct setting *row) {
  size_t r = 0;
  while (r + 1 < ROOMS && !is_of(rooms[r].rows, row)) {
    r++;
  }
  return rooms[r].offset;
}

const struct setting *settings_find(const char *key) {
  const size_t count = settings_count();
  for (size_t i = 0; i < count; i++) {
    if (strcmp(settings_row(i)->key, key) == 0) {
      return settings_row(i);
    }
  }
  return NULL;
}
