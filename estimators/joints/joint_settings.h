/* What can be configured of the joint filter: rows of struct joint_filter_settings. */
#ifndef JOINT_SETTINGS_H
#define JOINT_SETTINGS_H

#include "describe/setting.h"

extern const struct setting_rows joint_settings;

#endif
