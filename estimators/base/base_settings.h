/* What can be configured of the base estimator: rows of struct base_estimator_settings. */
#ifndef BASE_SETTINGS_H
#define BASE_SETTINGS_H

#include "describe/setting.h"

extern const struct setting_rows base_settings;

#endif
