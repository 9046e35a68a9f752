/* What can be configured of the centroidal estimator: rows of struct centroidal_settings. */
#ifndef CENTROIDAL_SETTINGS_H
#define CENTROIDAL_SETTINGS_H

#include "describe/setting.h"

extern const struct setting_rows centroidal_settings;

#endif
