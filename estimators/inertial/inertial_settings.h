/* What can be configured of the inertial estimator: rows of struct inertial_settings. */
#ifndef INERTIAL_SETTINGS_H
#define INERTIAL_SETTINGS_H

#include "describe/setting.h"

extern const struct setting_rows inertial_settings;

#endif
