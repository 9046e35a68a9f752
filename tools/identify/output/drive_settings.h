/* What a fit knows of the drives, as settings of propriod: offsets with their deviations, and the
 * noise of torques. Friction stands in the URDF. */
#ifndef DRIVE_SETTINGS_H
#define DRIVE_SETTINGS_H

#include "identify/fit/robot_fit.h"

#include <stdio.h>

/* Writes the paragraph `joints:` as YAML: offset (N m), offset_error (N m, one deviation: what the
 * fit itself says and what rows leave over a tenth of the log), noise (N m: what rows leave), and
 * where the log's torques were others, their gain. rows: all of the log, of a fixed base.
 * [start] */
void drive_settings_write(const struct unknowns *unknowns, const struct row_set *rows,
                          const struct robot_fit *fit, const struct log_map *map, FILE *file);

#endif
