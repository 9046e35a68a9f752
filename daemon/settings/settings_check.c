/* The rules that join several options. */
#include "publish/endpoints.h"
#include "service/control.h"
#include "settings/settings.h"

#include <string.h>

static void check_motion(const struct settings *settings, struct settings_report *report) {
  const struct joint_filter_settings *joints = &settings->pipeline.joints;
  const int per_link = settings->pipeline.cells_per_link;
  if (!(joints->joint_density_min <= joints->joint_density &&
        joints->joint_density <= joints->joint_density_max)) {
    settings_error(report, "motion.snap_density",
                   "%g is not between motion.snap_density_min %g and motion.snap_density_max %g",
                   joints->joint_density, joints->joint_density_min, joints->joint_density_max);
  }
  if (per_link == 1 || per_link == 2) {
    settings_error(report, "motion.cells_per_link",
                   "%d cells do not tell how a link moves; 0 for all, or at least 3", per_link);
  }
}

static void check_support(const struct settings *settings, struct settings_report *report) {
  const struct support_settings *support = &settings->pipeline.centroidal.base.support;
  if (support->leave > support->enter) {
    settings_error(report, "support.leave", "%g is above support.enter %g", support->leave,
                   support->enter);
  }
}

static void check_imus(const struct settings *settings, struct settings_report *report) {
  const struct robot_settings *robot = &settings->robot;
  if (robot->n_limbs > 0 && robot->fixed_base && robot->imu[0] == '\0') {
    settings_error(report, "robot.limb_imus",
                   "the base is fixed and has no IMU: name the first of them in robot.imu");
  }
}

static void check_input(const struct settings *settings, struct settings_report *report) {
  const char *segment = settings->input.segment;
  char path[PROPRIOD_SHM_PATH];
  if (propriod_shm_path(segment, path) != 0) {
    settings_error(report, "input.segment", "\"%s\" is neither an absolute path nor a plain name",
                   segment);
  }
  const double timeout_s = CYCLE_TIMEOUT_PERIODS * settings->pipeline.period_s;
  if (settings->input.limit_s[PROPRIOD_SHM_JOINTS] < timeout_s) {
    settings_error(report, "input.joints_limit",
                   "%g s is shorter than the %d periods after which a cycle predicts, %g s",
                   settings->input.limit_s[PROPRIOD_SHM_JOINTS], CYCLE_TIMEOUT_PERIODS, timeout_s);
  }
}

static void check_service(const struct settings *settings, struct settings_report *report) {
  char path[CONTROL_PATH_SIZE];
  if (settings->service.runtime_directory[0] == '\0') {
    settings_error(report, "service.runtime_directory", "must name a folder");
  } else if (!settings_runtime_path(settings, CONTROL_SOCKET, path, sizeof(path))) {
    settings_error(report, "service.runtime_directory",
                   "with /" CONTROL_SOCKET " longer than the %zu bytes that a socket's path may "
                   "have",
                   sizeof(path) - 1);
  }
}

static void check_publish(const struct settings *settings, struct settings_report *report) {
  char path[PUBLISH_IPC_SIZE];
  if (!settings_runtime_path(settings, settings->publish.ipc, path, sizeof(path))) {
    settings_error(report, "publish.ipc",
                   "with its folder longer than the %zu bytes that a socket's path may have",
                   sizeof(path) - 1);
  }
  const struct publish_settings *publish = &settings->publish;
  const bool secret = publish->curve_secret_key[0] != '\0',
             clients = publish->curve_clients[0] != '\0';
  if (publish->tcp[0] != '\0' && !tcp_is_address(publish->tcp)) {
    settings_error(report, "publish.tcp", "%s is not ADDRESS:PORT", publish->tcp);
  } else if (publish->tcp[0] != '\0' && !secret && !tcp_is_loopback(publish->tcp)) {
    settings_error(report, "publish.tcp", "%s is beyond loopback; that needs %s", publish->tcp,
                   "publish.curve_secret_key and publish.curve_clients");
  }
  if (secret != clients) {
    settings_error(report, secret ? "publish.curve_secret_key" : "publish.curve_clients",
                   "works only together with publish.%s",
                   secret ? "curve_clients" : "curve_secret_key");
  }
}

/* All of them are given, and fit each other, or none. That they fit the robot is known when it is
 * built. */
static void check_five_mass(const struct settings *settings, struct settings_report *report) {
  const struct five_mass_settings *five = &settings->pipeline.centroidal.posture.five;
  const size_t limbs = five->n_masses > 0 ? five->n_masses - 1 : 0;
  const size_t point = five->n_masses > 0 ? 3 : 0;
  const struct {
    const char *key;
    size_t has, needs;
  } list[] = {{"five_mass.torso", five->n_torso, point},
              {"five_mass.pelvis", five->n_pelvis, point},
              {"five_mass.p_s", five->n_p_s, limbs},
              {"five_mass.p_l", five->n_p_l, limbs}};
  for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++) {
    if (list[i].has != list[i].needs) {
      settings_error(report, list[i].key, "%zu elements; with %zu five_mass.masses it has %zu",
                     list[i].has, five->n_masses, list[i].needs);
    }
  }
}

void settings_check(const struct settings *settings, struct settings_report *report) {
  check_service(settings, report);
  check_motion(settings, report);
  check_support(settings, report);
  check_imus(settings, report);
  check_input(settings, report);
  check_publish(settings, report);
  check_five_mass(settings, report);
}
