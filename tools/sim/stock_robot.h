/* The robots that come with the project, by name: humanoid30, humanoid18, quadruped12, tx40,
 * chain9; and each without its skin, as humanoid30-bare. */
#ifndef STOCK_ROBOT_H
#define STOCK_ROBOT_H

#include "settings/robot_files.h"

#define STOCK_ROBOT_BARE "-bare" /* behind a name: the robot has no skin */

struct stock_robot {
  struct robot *robot;        /* robot_destroy frees it */
  char urdf[ROBOT_PATH_SIZE]; /* path of its file, for sim_options */
};

/* Files and frames of a stock robot, as a configuration would name them, relative to the folder
 * `config/robots`. [start] STATUS_BAD_ARGUMENT for a name that is not one of them. */
enum status stock_robot_settings(const char *name, struct robot_settings *settings);

/* Reads a stock robot from `folder`, usually "config/robots". [start] Statuses of robot_load. */
enum status stock_robot_load(const char *name, const char *folder, struct stock_robot *stock,
                             struct message *error);

/* The name of stock robot `i`, or NULL beyond the last. [any] */
const char *stock_robot_name(size_t i);

#endif
