/* Messages of ROS 2 read from CDR, into samples. */
#ifndef ROS_READER_H
#define ROS_READER_H

#include "exchange/samples.h"

#include <stddef.h>

#define ROS_JOINT_STATE "sensor_msgs/msg/JointState"
#define ROS_IMU         "sensor_msgs/msg/Imu"

/* Adds a message's sample. [start] Joints are found by name; those of others are passed over, and a
 * joint that is not named has NaN. STATUS_REFUSED: it ends too early, or is not little-endian
 * CDR. */
enum status ros_read_joint_state(struct samples *samples, const void *data, size_t size);
enum status ros_read_imu(struct samples *samples, const void *data, size_t size);

#endif
