/* The rules that join several options. */
#include "settings.h"

void settings_check(const struct settings *settings, struct settings_report *report) {
  if (settings->robot.urdf[0] == '\0') {
    settings_error(report, "robot.urdf", "must be given");
  }
  if (settings->service.runtime_directory[0] == '\0') {
    settings_error(report, "service.runtime_directory", "must name a folder");
  }
  char path[PUBLISH_IPC_SIZE];
  if (!settings_runtime_path(settings, settings->publish.ipc, path, sizeof(path))) {
    settings_error(report, "publish.ipc",
                   "with its folder longer than the %zu bytes that a socket's path may have",
                   sizeof(path) - 1);
  }
}
