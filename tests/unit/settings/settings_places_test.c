/* Which member and which unit a key means, written a second time: a row that names another member
 * of the same type, or another unit, would be read and printed without complaint.
 *
 * An option that is not in this list needs no line here as long as its key ends with the name of
 * its member. */
#include "settings/settings.h"
#include "support/suite.h"

#include <string.h>

static const struct place {
  const char *key;
  size_t offset;
  const char *unit;
} places[] = {
    {"robot.urdf", offsetof(struct settings, robot.urdf), ""},
    {"robot.cells", offsetof(struct settings, robot.cells), ""},
    {"robot.calibration", offsetof(struct settings, robot.calibration), ""},
    {"robot.cell_mass", offsetof(struct settings, robot.cell_mass), "kg"},
    {"robot.cell_radius", offsetof(struct settings, robot.cell_radius), "m"},
    {"robot.cell_height", offsetof(struct settings, robot.cell_height), "m"},
    {"robot.imu", offsetof(struct settings, robot.imu), ""},
    {"robot.joints", offsetof(struct settings, robot.joint), ""},
    {"robot.limb_imus", offsetof(struct settings, robot.limb), ""},
    {"robot.feet", offsetof(struct settings, robot.foot), ""},
    {"robot.contact_switches", offsetof(struct settings, robot.contact_switch), ""},
    {"robot.wrenches", offsetof(struct settings, robot.wrench), ""},
    {"robot.fixed_base", offsetof(struct settings, robot.fixed_base), ""},
    {"input.segment", offsetof(struct settings, input.segment), ""},
    {"input.joints_limit", offsetof(struct settings, input.limit_s[PROPRIOD_SHM_JOINTS]), "s"},
    {"input.imu_limit", offsetof(struct settings, input.limit_s[PROPRIOD_SHM_IMU]), "s"},
    {"input.skin_limit", offsetof(struct settings, input.limit_s[PROPRIOD_SHM_SKIN]), "s"},
    {"input.wrench_limit", offsetof(struct settings, input.limit_s[PROPRIOD_SHM_WRENCH]), "s"},
    {"input.joints_stamp", offsetof(struct settings, input.stamp[PROPRIOD_SHM_JOINTS]), ""},
    {"input.imu_stamp", offsetof(struct settings, input.stamp[PROPRIOD_SHM_IMU]), ""},
    {"input.skin_stamp", offsetof(struct settings, input.stamp[PROPRIOD_SHM_SKIN]), ""},
    {"input.wrench_stamp", offsetof(struct settings, input.stamp[PROPRIOD_SHM_WRENCH]), ""},
    {"cycle.period", offsetof(struct settings, pipeline.period_s), "s"},
    {"cycle.trigger", offsetof(struct settings, cycle.trigger), ""},
    {"cycle.rt", offsetof(struct settings, cycle.realtime.wish), ""},
    {"cycle.priority", offsetof(struct settings, cycle.realtime.priority), ""},
    {"cycle.cpu", offsetof(struct settings, cycle.realtime.cpu), ""},
    {"motion.encoder_noise", offsetof(struct settings, pipeline.joints.encoder_noise), "rad"},
    {"motion.gyro_noise", offsetof(struct settings, pipeline.joints.gyro_noise), "rad/s"},
    {"motion.accelerometer_noise", offsetof(struct settings, pipeline.joints.accelerometer_noise),
     "m/s^2"},
    {"motion.cell_noise", offsetof(struct settings, pipeline.joints.cell_noise), "m/s^2"},
    {"motion.cell_common", offsetof(struct settings, pipeline.joints.cell_common), "m/s^2"},
    {"motion.cell_bias", offsetof(struct settings, pipeline.joints.cell_bias), "m/s^2"},
    {"motion.cell_range", offsetof(struct settings, pipeline.joints.cell_range), "m/s^2"},
    {"motion.gyro_range", offsetof(struct settings, pipeline.readings.gyro_range), "rad/s"},
    {"motion.accelerometer_range", offsetof(struct settings, pipeline.readings.accelerometer_range),
     "m/s^2"},
    {"motion.cells_per_link", offsetof(struct settings, pipeline.cells_per_link), "cells"},
    {"motion.link_bias", offsetof(struct settings, pipeline.joints.link_bias), ""},
    {"motion.link_bias_time", offsetof(struct settings, pipeline.joints.link_bias_time), "s"},
    {"motion.adapt", offsetof(struct settings, pipeline.joints.adapt_density), ""},
    {"motion.snap_density", offsetof(struct settings, pipeline.joints.joint_density),
     "(rad/s^4)^2 s"},
    {"motion.snap_density_min", offsetof(struct settings, pipeline.joints.joint_density_min),
     "(rad/s^4)^2 s"},
    {"motion.snap_density_max", offsetof(struct settings, pipeline.joints.joint_density_max),
     "(rad/s^4)^2 s"},
    {"motion.window", offsetof(struct settings, pipeline.joints.window_s), "s"},
    {"motion.timeout", offsetof(struct settings, pipeline.joints.timeout_s), "s"},
    {"base.gyro_bias", offsetof(struct settings, pipeline.joints.base.gyro_bias), "rad/s"},
    {"base.accelerometer_bias", offsetof(struct settings, pipeline.joints.base.accelerometer_bias),
     "m/s^2"},
    {"base.gyro_walk", offsetof(struct settings, pipeline.joints.base.gyro_walk), "rad/s/sqrt(s)"},
    {"base.accelerometer_walk", offsetof(struct settings, pipeline.joints.base.accelerometer_walk),
     "m/s^2/sqrt(s)"},
    {"base.velocity_walk", offsetof(struct settings, pipeline.joints.base.velocity_walk),
     "m/s/sqrt(s)"},
    {"base.foot_noise", offsetof(struct settings, pipeline.joints.base.foot_noise), "m"},
    {"base.foot_walk", offsetof(struct settings, pipeline.joints.base.foot_walk), "m/sqrt(s)"},
    {"base.sole_noise", offsetof(struct settings, pipeline.joints.base.sole_noise), "rad"},
    {"base.sole_walk", offsetof(struct settings, pipeline.joints.base.sole_walk), "rad/sqrt(s)"},
    {"base.sole_twist", offsetof(struct settings, pipeline.joints.base.sole_twist), "rad/sqrt(s)"},
    {"base.foot_slope", offsetof(struct settings, pipeline.joints.base.foot_slope), "rad"},
    {"base.foot_height", offsetof(struct settings, pipeline.joints.base.foot_height), "m"},
    {"base.stay_velocity", offsetof(struct settings, pipeline.joints.base.stay_velocity), "m/s"},
    {"base.orientation_noise", offsetof(struct settings, pipeline.joints.base.orientation), "rad"},
    {"base.step_height", offsetof(struct settings, pipeline.centroidal.base.step_height), "m"},
    {"base.slip_strain", offsetof(struct settings, pipeline.centroidal.base.slip_strain), ""},
    {"base.slip_time", offsetof(struct settings, pipeline.centroidal.base.slip_s), "s"},
    {"support.share_corner", offsetof(struct settings, pipeline.centroidal.base.support.share_hz),
     "Hz"},
    {"support.enter", offsetof(struct settings, pipeline.centroidal.base.support.enter), ""},
    {"support.leave", offsetof(struct settings, pipeline.centroidal.base.support.leave), ""},
    {"support.loaded", offsetof(struct settings, pipeline.centroidal.base.support.loaded), ""},
    {"support.clearance", offsetof(struct settings, pipeline.centroidal.base.support.clearance),
     "m"},
    {"support.flight", offsetof(struct settings, pipeline.centroidal.base.support.flight), ""},
    {"support.strike_time", offsetof(struct settings, pipeline.centroidal.base.support.strike_s),
     "s"},
    {"centroidal.form", offsetof(struct settings, pipeline.centroidal.posture.form.kind), ""},
    {"centroidal.corner", offsetof(struct settings, pipeline.centroidal.contacts.wrench.corner_hz),
     "Hz"},
    {"centroidal.mass_error", offsetof(struct settings, pipeline.centroidal.model.mass), ""},
    {"centroidal.centre_error", offsetof(struct settings, pipeline.centroidal.model.centre), "m"},
    {"motion.encoder_noise_of", offsetof(struct settings, pipeline.joints.encoder_noise_of.text),
     ""},
    {"centroidal.strike_noise",
     offsetof(struct settings, pipeline.centroidal.contacts.cop.strike_sd), "m"},
    {"centroidal.cop_reach", offsetof(struct settings, pipeline.centroidal.contacts.cop.reach), ""},
    {"centroidal.cop_time", offsetof(struct settings, pipeline.centroidal.contacts.cop.time_s),
     "s"},
    {"centroidal.least_vertical",
     offsetof(struct settings, pipeline.centroidal.contacts.wrench.least_vertical), ""},
    {"feet.sole_length", offsetof(struct settings, pipeline.centroidal.contacts.sole_length), "m"},
    {"feet.sole_width", offsetof(struct settings, pipeline.centroidal.contacts.sole_width), "m"},
    {"feet.sensor_noise", offsetof(struct settings, pipeline.centroidal.contacts.sensor_cop_sd),
     "m"},
    {"feet.torque_noise", offsetof(struct settings, pipeline.centroidal.contacts.feet.torque_sd),
     "N m"},
    {"push.least", offsetof(struct settings, pipeline.centroidal.contacts.push.least), ""},
    {"push.deviations", offsetof(struct settings, pipeline.centroidal.contacts.push.deviations),
     "standard deviations"},
    {"push.memory", offsetof(struct settings, pipeline.centroidal.contacts.push.memory_s), "s"},
    {"inertia.links", offsetof(struct settings, pipeline.inertial.link), ""},
    {"inertia.feed_centroidal", offsetof(struct settings, pipeline.inertial.feed_centroidal), ""},
    {"inertia.form", offsetof(struct settings, pipeline.inertial.filter.core.form), ""},
    {"inertia.iterations", offsetof(struct settings, pipeline.inertial.filter.core.iterations), ""},
    {"inertia.memory", offsetof(struct settings, pipeline.inertial.filter.core.memory), ""},
    {"inertia.prior_mass", offsetof(struct settings, pipeline.inertial.filter.core.prior.mass),
     "kg"},
    {"inertia.prior_com", offsetof(struct settings, pipeline.inertial.filter.core.prior.com), "m"},
    {"inertia.prior_shape", offsetof(struct settings, pipeline.inertial.filter.core.prior.shape),
     ""},
    {"inertia.drift_mass", offsetof(struct settings, pipeline.inertial.filter.core.drift.mass),
     "kg/sqrt(s)"},
    {"inertia.drift_com", offsetof(struct settings, pipeline.inertial.filter.core.drift.com),
     "m/sqrt(s)"},
    {"inertia.drift_shape", offsetof(struct settings, pipeline.inertial.filter.core.drift.shape),
     "1/sqrt(s)"},
    {"inertia.change_mass", offsetof(struct settings, pipeline.inertial.filter.change.mass), "kg"},
    {"inertia.change_com", offsetof(struct settings, pipeline.inertial.filter.change.com), "m"},
    {"inertia.change_shape", offsetof(struct settings, pipeline.inertial.filter.change.shape), ""},
    {"inertia.block", offsetof(struct settings, pipeline.inertial.filter.block_s), "s"},
    {"inertia.force_noise", offsetof(struct settings, pipeline.inertial.filter.force_noise), "N"},
    {"inertia.moment_noise", offsetof(struct settings, pipeline.inertial.filter.moment_noise),
     "N m"},
    {"inertia.torque_noise", offsetof(struct settings, pipeline.inertial.filter.torque_noise),
     "N m"},
    {"inertia.gate", offsetof(struct settings, pipeline.inertial.filter.gate), ""},
    {"inertia.calibration", offsetof(struct settings, pipeline.inertial.filter.calibration_s), "s"},
    {"inertia.bias_force", offsetof(struct settings, pipeline.inertial.filter.bias_force), "N"},
    {"inertia.bias_moment", offsetof(struct settings, pipeline.inertial.filter.bias_moment), "N m"},
    {"inertia.blank", offsetof(struct settings, pipeline.inertial.filter.blank_s), "s"},
    {"inertia.rest_rate", offsetof(struct settings, pipeline.inertial.filter.rest_rate), "rad/s"},
    {"inertia.mass_rate", offsetof(struct settings, pipeline.inertial.filter.publish.mass_rate),
     "kg/s"},
    {"inertia.com_rate", offsetof(struct settings, pipeline.inertial.filter.publish.com_rate),
     "m/s"},
    {"inertia.detector_window", offsetof(struct settings, pipeline.inertial.filter.detector.window),
     ""},
    {"inertia.detector_clip", offsetof(struct settings, pipeline.inertial.filter.detector.clip),
     ""},
    {"inertia.detector_quantile",
     offsetof(struct settings, pipeline.inertial.filter.detector.quantile), ""},
    {"inertia.refractory",
     offsetof(struct settings, pipeline.inertial.filter.detector.refractory_s), "s"},
    {"inertia.doubt", offsetof(struct settings, pipeline.inertial.filter.detector.doubt_s), "s"},
    {"inertia.wrench_delay", offsetof(struct settings, pipeline.inertial.filter.wrench_delay_s),
     "s"},
    {"inertia.torque_delay", offsetof(struct settings, pipeline.inertial.filter.torque_delay_s),
     "s"},
    {"inertia.rest_time", offsetof(struct settings, pipeline.inertial.filter.rest_s), "s"},
    {"inertia.rest_gain", offsetof(struct settings, pipeline.inertial.filter.least_gain), "nats"},
    {"joints.gain", offsetof(struct settings, pipeline.inertial.filter.drives.gain.value), "N m/A"},
    {"joints.gain_error",
     offsetof(struct settings, pipeline.inertial.filter.drives.gain_error.value), ""},
    {"joints.offset", offsetof(struct settings, pipeline.inertial.filter.drives.offset.value),
     "N m"},
    {"joints.offset_error",
     offsetof(struct settings, pipeline.inertial.filter.drives.offset_error.value), "N m"},
    {"joints.viscous", offsetof(struct settings, pipeline.inertial.filter.drives.viscous.value),
     "N m s/rad"},
    {"joints.coulomb", offsetof(struct settings, pipeline.inertial.filter.drives.coulomb.value),
     "N m"},
    {"joints.dead_zone", offsetof(struct settings, pipeline.inertial.filter.drives.dead_zone.value),
     "rad/s"},
    {"joints.noise", offsetof(struct settings, pipeline.inertial.filter.drives.noise.value), "N m"},
    {"joints.noise_of", offsetof(struct settings, pipeline.inertial.filter.drives.noise_of.text),
     ""},
    {"five_mass.masses", offsetof(struct settings, pipeline.centroidal.posture.five.mass), "kg"},
    {"five_mass.torso", offsetof(struct settings, pipeline.centroidal.posture.five.torso), "m"},
    {"five_mass.pelvis", offsetof(struct settings, pipeline.centroidal.posture.five.pelvis), "m"},
    {"five_mass.p_s", offsetof(struct settings, pipeline.centroidal.posture.five.p_s), ""},
    {"five_mass.p_l", offsetof(struct settings, pipeline.centroidal.posture.five.p_l), ""},
    {"five_mass.hands", offsetof(struct settings, pipeline.centroidal.posture.five.fit.hand), ""},
    {"five_mass.range", offsetof(struct settings, pipeline.centroidal.posture.five.fit.range),
     "rad"},
    {"publish.ipc", offsetof(struct settings, publish.ipc), ""},
    {"publish.tcp", offsetof(struct settings, publish.tcp), ""},
    {"publish.shared_memory", offsetof(struct settings, publish.shared_memory), ""},
    {"publish.curve_secret_key", offsetof(struct settings, publish.curve_secret_key), ""},
    {"publish.curve_clients", offsetof(struct settings, publish.curve_clients), ""},
    {"publish.high_water", offsetof(struct settings, publish.high_water), "messages"},
    {"publish.diag_rate", offsetof(struct settings, publish.diag_hz), "Hz"},
    {"publish.skin_rate", offsetof(struct settings, publish.skin_hz), "Hz"},
    {"publish.meta_rate", offsetof(struct settings, publish.meta_hz), "Hz"},
    {"publish.ring", offsetof(struct settings, publish.ring), "results"},
    {"record.flight", offsetof(struct settings, record.flight_s), "s"},
    {"record.flight_size", offsetof(struct settings, record.flight_mib), "MiB"},
    {"record.part", offsetof(struct settings, record.part_s), "s"},
    {"record.part_size", offsetof(struct settings, record.part_mib), "MiB"},
    {"record.keep", offsetof(struct settings, record.keep_mib), "MiB"},
    {"record.buffer", offsetof(struct settings, record.buffer_mib), "MiB"},
    {"service.runtime_directory", offsetof(struct settings, service.runtime_directory), ""},
    {"service.state_directory", offsetof(struct settings, service.state_directory), ""},
};
enum { PLACES = sizeof(places) / sizeof(places[0]) };

static const struct place *place_of(const char *key) {
  for (size_t i = 0; i < PLACES; i++) {
    if (strcmp(places[i].key, key) == 0) {
      return &places[i];
    }
  }
  return NULL;
}

static const char *last_word(const char *key) {
  const char *dot = strrchr(key, '.');
  return dot != NULL ? dot + 1 : key;
}

START_TEST(every_row_holds_the_member_that_its_key_means_in_its_unit) {
  size_t listed = 0;
  for (size_t i = 0; i < settings_count(); i++) {
    const struct setting *row = settings_row(i);
    const struct place *place = place_of(row->key);
    if (place == NULL) {
      ck_assert_msg(strcmp(last_word(row->key), last_word(row->variable)) == 0,
                    "%s holds %s: a key that ends otherwise than its member is listed here",
                    row->key, row->variable);
      continue;
    }
    listed++;
    ck_assert_msg(settings_offset(row) + row->offset == place->offset, "%s holds another member",
                  row->key);
    ck_assert_msg(strcmp(row->unit, place->unit) == 0, "%s: unit %s", row->key, row->unit);
  }
  ck_assert_uint_eq(listed, PLACES);
}
END_TEST

START_TEST(a_list_has_its_own_count_beside_it) {
  struct settings settings;
  settings_defaults(&settings);
  const struct {
    const char *key;
    const size_t *count;
  } lists[] = {{"robot.joints", &settings.robot.n_joints},
               {"robot.limb_imus", &settings.robot.n_limbs},
               {"robot.feet", &settings.robot.n_feet},
               {"robot.wrenches", &settings.robot.n_wrench},
               {"robot.contact_switches", &settings.robot.n_switches},
               {"motion.encoder_noise_of", &settings.pipeline.joints.encoder_noise_of.n},
               {"joints.noise_of", &settings.pipeline.inertial.filter.drives.noise_of.n},
               {"inertia.links", &settings.pipeline.inertial.n_links},
               {"joints.gain", &settings.pipeline.inertial.filter.drives.gain.n},
               {"joints.gain_error", &settings.pipeline.inertial.filter.drives.gain_error.n},
               {"joints.offset", &settings.pipeline.inertial.filter.drives.offset.n},
               {"joints.offset_error", &settings.pipeline.inertial.filter.drives.offset_error.n},
               {"joints.viscous", &settings.pipeline.inertial.filter.drives.viscous.n},
               {"joints.coulomb", &settings.pipeline.inertial.filter.drives.coulomb.n},
               {"joints.dead_zone", &settings.pipeline.inertial.filter.drives.dead_zone.n},
               {"joints.noise", &settings.pipeline.inertial.filter.drives.noise.n},
               {"five_mass.masses", &settings.pipeline.centroidal.posture.five.n_masses},
               {"five_mass.torso", &settings.pipeline.centroidal.posture.five.n_torso},
               {"five_mass.pelvis", &settings.pipeline.centroidal.posture.five.n_pelvis},
               {"five_mass.p_s", &settings.pipeline.centroidal.posture.five.n_p_s},
               {"five_mass.p_l", &settings.pipeline.centroidal.posture.five.n_p_l},
               {"five_mass.hands", &settings.pipeline.centroidal.posture.five.fit.n_hands}};
  for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
    const struct setting *row = settings_find(lists[i].key);
    ck_assert_ptr_nonnull(row);
    ck_assert_ptr_eq((const char *)&settings + settings_offset(row) + row->count_offset,
                     lists[i].count);
  }
}
END_TEST

SUITE(every_row_holds_the_member_that_its_key_means_in_its_unit, a_list_has_its_own_count_beside_it)
