#!/usr/bin/python3
"""propriod in ROS 2: publishes what it estimates as joint states, odometry, IMU, contact wrench and tf.

    python3 ros2_node.py [--rate HZ] [--endpoint E]        in a terminal where ROS 2 is set up

    /joint_states   sensor_msgs/JointState            q, dq, and the torques where the drives give them
    /odom           nav_msgs/Odometry                 the base in `world`, with covariances; twist in base_link
    /imu            sensor_msgs/Imu                   orientation, rate and specific force of base_link
    /contact        geometry_msgs/WrenchStamped       force of all contacts, about the centre of pressure
    /tf             world -> base_link

The functions below fill any object with the fields of the message, so that they can be read, and tried, without ROS.
What propriod does not estimate is left as it is, and where ROS knows a sign for it (-1 in a covariance) that is set.
"""

import argparse
import sys

import propriod

WORLD, BASE = "world", "base_link"


def stamp(header, frame, message):
    header.frame_id = frame
    header.stamp.sec = int(message["timestamp"])
    header.stamp.nanosec = int(1e9 * (message["timestamp"] % 1.0))


def vector(to, numbers):
    to.x, to.y, to.z = (float(number) for number in numbers)


def quaternion(to, numbers):
    to.x, to.y, to.z, to.w = (float(number) for number in numbers)


def diagonal(deviations, size=3):
    """A covariance, row by row, of numbers whose errors are taken for independent."""
    covariance = [0.0] * (size * size)
    for i, deviation in enumerate(deviations):
        covariance[i * (size + 1)] = float(deviation) ** 2
    return covariance


def world_to_base(orientation, v):
    """R_WB transposed times v."""
    x, y, z, w = orientation
    r = [[1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
         [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
         [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)]]
    return [sum(r[row][column] * v[row] for row in range(3)) for column in range(3)]


def joint_state(to, state, joints):
    stamp(to.header, "", state)
    to.name = list(joints)
    to.position = [float(q) for q in state["q"]]
    to.velocity = [float(dq) for dq in state.get("dq", [])]
    to.effort = [float(tau) for tau in state.get("effort", [])]


def odometry(to, state):
    """Covariances of ROS: position then rotation. The velocity's deviations are of world axes: as a robot stands
    upright its axes differ by the yaw, and the larger of the two horizontal ones is taken for both."""
    stamp(to.header, WORLD, state)
    to.child_frame_id = BASE
    vector(to.pose.pose.position, state["base_position"])
    quaternion(to.pose.pose.orientation, state["quat_xyzw"])
    to.pose.covariance = diagonal([*state["base_position_sd"], *state["base_orientation_sd"]], 6)
    vector(to.twist.twist.linear, world_to_base(state["quat_xyzw"], state["base_velocity"]))
    vector(to.twist.twist.angular, state["base_angular_velocity"])
    x, y, z = state["base_velocity_sd"]
    to.twist.covariance = diagonal([max(x, y), max(x, y), z, *state["base_angular_velocity_sd"]], 6)


def imu(to, state):
    stamp(to.header, BASE, state)
    if "quat_xyzw" in state:
        quaternion(to.orientation, state["quat_xyzw"])
        to.orientation_covariance = diagonal(state["base_orientation_sd"])
    else:
        to.orientation_covariance = [-1.0] + [0.0] * 8
    vector(to.angular_velocity, state["base_angular_velocity"])
    to.angular_velocity_covariance = diagonal(state["base_angular_velocity_sd"])
    vector(to.linear_acceleration, state["base_specific_force"])
    to.linear_acceleration_covariance = diagonal(state["base_specific_force_sd"])


def contact(to, centroidal):
    """About the centre of pressure, where the ground's force has no moment but about the vertical."""
    stamp(to.header, WORLD, centroidal)
    vector(to.wrench.force, centroidal["contact_force"])
    vector(to.wrench.torque, (0.0, 0.0, 0.0))


def transform(to, state):
    stamp(to.header, WORLD, state)
    to.child_frame_id = BASE
    vector(to.transform.translation, state["base_position"])
    quaternion(to.transform.rotation, state["quat_xyzw"])


# which keys each message needs, beside those that every one has
NEEDS = {
    "joint_states": ("state", ("q",)),
    "odom": ("state", ("base_position", "quat_xyzw", "base_velocity", "base_angular_velocity", "base_position_sd",
                       "base_velocity_sd", "base_orientation_sd", "base_angular_velocity_sd")),
    "imu": ("state", ("base_angular_velocity", "base_specific_force", "base_angular_velocity_sd", "base_specific_force_sd")),
    "contact": ("centroidal", ("contact_force",)),
    "tf": ("state", ("base_position", "quat_xyzw")),
}


def is_there(name, messages):
    """True when all that the message needs is estimated now."""
    topic, keys = NEEDS[name]
    return all(key in messages[topic] for key in keys)


def run(rate, endpoint):
    import rclpy  # only here: the rest is for who has no ROS, too
    from geometry_msgs.msg import TransformStamped, WrenchStamped
    from nav_msgs.msg import Odometry
    from sensor_msgs.msg import Imu, JointState
    from tf2_msgs.msg import TFMessage

    rclpy.init()
    node = rclpy.create_node("propriod")
    kinds = {"joint_states": JointState, "odom": Odometry, "imu": Imu, "contact": WrenchStamped}
    publishers = {name: node.create_publisher(kind, name, 10) for name, kind in kinds.items()}
    tf = node.create_publisher(TFMessage, "/tf", 10)
    with propriod.Subscriber(endpoint, topics=("state", "centroidal")) as robot:
        fill = {"joint_states": lambda to, m: joint_state(to, m["state"], robot.joints),
                "odom": lambda to, m: odometry(to, m["state"]), "imu": lambda to, m: imu(to, m["state"]),
                "contact": lambda to, m: contact(to, m["centroidal"])}

        def turn():
            messages = {topic: robot.latest(topic) for topic in ("state", "centroidal")}
            for name, kind in kinds.items():
                if is_there(name, messages):
                    message = kind()
                    fill[name](message, messages)
                    publishers[name].publish(message)
            if is_there("tf", messages):
                message = TransformStamped()
                transform(message, messages["state"])
                tf.publish(TFMessage(transforms=[message]))

        node.create_timer(1.0 / rate, turn)
        rclpy.spin(node)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rate", type=float, default=100.0, help="messages of each kind a second (100)")
    parser.add_argument("--endpoint", help="where propriod publishes")
    options = parser.parse_args()
    try:
        run(options.rate, options.endpoint)
    except ImportError as missing:
        sys.exit(f"ros2_node.py: {missing}; is ROS 2 set up in this terminal?")
    except (propriod.Silent, KeyboardInterrupt) as end:
        sys.exit(str(end) or 0)
