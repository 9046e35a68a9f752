/* Messages of ROS 2 put together from plain numbers, as CDR. Each clears the buffer first. */
#ifndef ROS_MESSAGES_H
#define ROS_MESSAGES_H

#include "exchange/byte_buffer.h"
#include "math/spatial.h"
#include "model/model.h"

#include <stddef.h>
#include <stdint.h>

struct ros_transform {
  const char *parent, *child;
  struct pose pose; /* of the child in the parent */
};

/* [start] Arrays [n_joints]; NULL: the message has none. */
void ros_joint_state(struct byte_buffer *to, int64_t t_ns, const struct model *model,
                     const double *q, const double *dq, const double *tau);

/* [start] `orientation` x y z w, or NULL: unknown. */
void ros_imu(struct byte_buffer *to, int64_t t_ns, const char *frame, const double *specific_force,
             const double *angular_rate, const double *orientation);

void ros_wrench(struct byte_buffer *to, int64_t t_ns, const char *frame, const double *force,
                const double *moment);
void ros_point(struct byte_buffer *to, int64_t t_ns, const char *frame, const double *point);

/* The base in the world; velocities in the base, deviations on the covariance's diagonal. [start]
 * Arrays of three; the orientation x y z w. NaN where something is unknown. */
struct ros_odometry {
  const double *position, *orientation, *velocity, *angular_velocity;
  const double *position_sd, *orientation_sd, *velocity_sd, *angular_velocity_sd;
};
void ros_odometry(struct byte_buffer *to, int64_t t_ns, const char *frame, const char *child,
                  const struct ros_odometry *odometry);

void ros_transforms(struct byte_buffer *to, int64_t t_ns, const struct ros_transform *transform,
                    size_t count);
void ros_text(struct byte_buffer *to, const char *text, size_t length);

enum ros_log_level { ROS_INFO = 20, ROS_WARN = 30, ROS_ERROR = 40 };
void ros_log(struct byte_buffer *to, int64_t t_ns, enum ros_log_level level, const char *name,
             const char *text);

/* Pose of a joint's child link in its parent link, at q. [start] */
struct pose joint_pose(const struct joint *joint, double q);

#endif
