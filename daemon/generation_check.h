/* What of a configuration does not fit its files and its robot: every mistake is named by the
 * option that it is in, with what to do about it. */
#ifndef GENERATION_CHECK_H
#define GENERATION_CHECK_H

#include "common/message.h"
#include "generation.h"
#include "settings/robot_files.h"

#include <stdbool.h>

/* Files that are not there, or cannot be read. [start] [loader] STATUS_REFUSED: they are in
 * `report`. */
enum status generation_check_files(const struct robot_settings *robot,
                                   struct settings_report *report);

/* The path is in a folder of a user, of which services see nothing (ProtectHome). [any] */
bool generation_hides_from_services(const char *path);

/* All links whose inertia cannot be, so that they can be mended in one go. [start] [loader] */
void generation_report_inertias(const struct robot_settings *robot, struct settings_report *report);

/* What reading the robot complained of, under the option that it is about. [start] [loader] */
void generation_report_robot(const struct message *complaint, struct settings_report *report);

/* Links, joints, limbs and drives that options name or count must be the robot's. [start] [loader]
 * STATUS_REFUSED: not all are, or `report` had errors already. */
enum status generation_check_names(const struct generation *generation,
                                   struct settings_report *report);

#endif
