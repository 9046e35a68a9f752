/* Messages of ROS 2 by name: their definitions, as a file that carries them must have them. */
#ifndef ROS_SCHEMAS_H
#define ROS_SCHEMAS_H

/* The definition of "sensor_msgs/msg/Imu" and of all that it is made of; NULL: not known here. */
const char *ros_schema(const char *name);

#endif
