/* Logs of other programs, read into samples. */
#ifndef IMPORT_H
#define IMPORT_H

#include "exchange/samples.h"

enum { IMPORT_MOST_FILES = 8 };

/* Which columns or topics are what; NULL: found by their usual names. A pattern has @ in the place
 * of a joint's name (of x, y, z for an IMU); or it is a list of columns between commas. */
struct import_map {
  const char *time;  /* column of stamps */
  double time_scale; /* s per unit of it */
  const char *position, *velocity, *effort;
  double position_scale; /* rad or m per unit */
  const char *specific_force, *angular_rate;
  const char *joints, *imu; /* topics */
};

/* Tables: fields between commas, semicolons, tabs or blanks (log_table.h); columns of several files
 * stand beside each other. [start] STATUS_REFUSED or that of log_table_read, with file, line and
 * column. */
enum status import_table(const char *const *paths, size_t n_paths, const struct import_map *map,
                         struct samples *samples, struct message *error);

/* ROS 2: sensor_msgs/msg/JointState and sensor_msgs/msg/Imu of a rosbag2 (SQLite), or of an MCAP
 * file. Stamps are those of the messages' headers. [start] Statuses as above. */
enum status import_rosbag(const char *path, const struct import_map *map, struct samples *samples,
                          struct message *error);
enum status import_mcap(const char *path, const struct import_map *map, struct samples *samples,
                        struct message *error);

#endif
