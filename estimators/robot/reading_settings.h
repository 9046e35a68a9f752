/* Ranges of the sensors: rows of struct reading_settings. */
#ifndef READING_SETTINGS_H
#define READING_SETTINGS_H

#include "describe/setting.h"

extern const struct setting_rows reading_settings;

#endif
