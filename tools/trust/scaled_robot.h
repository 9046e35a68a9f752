/* A robot to try estimators on, by a word: a stock robot; one of another size, every length times a
 * factor, masses, inertias and torques as they follow ("humanoid30@0.6" is a humanoid of 99 cm and
 * 14 kg); or any, by its configuration ("robot.yaml"). */
#ifndef SCALED_ROBOT_H
#define SCALED_ROBOT_H

#include "stock_robot.h"

/* Loads NAME, NAME@FACTOR or FILE.yaml. [start] The scaled description lies in a folder of its own
 * under /tmp, which scaled_robot_free removes. Statuses of stock_robot_load and settings_load;
 * STATUS_BAD_ARGUMENT for a factor outside [0.2, 5]. */
enum status scaled_robot_load(const char *name, const char *folder, struct stock_robot *stock,
                              struct message *error);
void scaled_robot_free(struct stock_robot *stock);

#endif
