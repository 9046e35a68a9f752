/* The rules that join several options. */
#include "settings.h"

void settings_check(const struct settings *settings, struct settings_report *report) {
  if (settings->robot.urdf[0] == '\0') {
    settings_error(report, "robot.urdf", "must be given");
  }
  if (settings->service.runtime_directory[0] == '\0') {
    settings_error(report, "service.runtime_directory", "must name a folder");
  }
}
