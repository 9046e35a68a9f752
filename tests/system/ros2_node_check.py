"""What the ROS 2 node puts into messages, tried on objects with their fields: ros2_node_check.py; ROS is not needed."""

import sys
from types import SimpleNamespace as Fields

import numpy as np

sys.dont_write_bytecode = True
sys.path.insert(0, "tools/examples")
import results  # noqa: E402
import ros2_node as node  # noqa: E402
from results import check  # noqa: E402

RANDOM = np.random.default_rng(7)


def header():
    return Fields(frame_id=None, stamp=Fields(sec=None, nanosec=None))


def three():
    return Fields(x=0.0, y=0.0, z=0.0)


def four():
    return Fields(x=0.0, y=0.0, z=0.0, w=1.0)


def some_state():
    q = RANDOM.normal(size=4)
    numbers = {key: RANDOM.normal(size=3) for key in (
        "base_position", "base_velocity", "base_angular_velocity", "base_specific_force")}
    deviations = {key: RANDOM.uniform(0.1, 1.0, size=3) for key in (
        "base_position_sd", "base_velocity_sd", "base_orientation_sd", "base_angular_velocity_sd", "base_specific_force_sd")}
    return {"timestamp": 1795347930.25, "quat_xyzw": q / np.linalg.norm(q), "q": RANDOM.normal(size=4),
            "dq": RANDOM.normal(size=4), **numbers, **deviations}


def turned(q, v):
    """v by the unit quaternion q, as it is defined: q v q*."""
    u, w = q[:3], q[3]
    return v + 2 * np.cross(u, np.cross(u, v) + w * v)


@check("joint states have names, positions and velocities, and no efforts where there are none")
def _():
    state, to = some_state(), Fields(header=header())
    node.joint_state(to, state, ["a", "b", "c", "d"])
    assert to.name == ["a", "b", "c", "d"] and to.effort == []
    assert np.array_equal(to.position, state["q"]) and np.array_equal(to.velocity, state["dq"])
    assert (to.header.stamp.sec, to.header.stamp.nanosec) == (1795347930, 250000000), to.header.stamp


@check("odometry has the base in the world, and its velocity in its own axes")
def _():
    for _ in range(20):
        state = some_state()
        to = Fields(header=header(), pose=Fields(pose=Fields(position=three(), orientation=four())),
                    twist=Fields(twist=Fields(linear=three(), angular=three())))
        node.odometry(to, state)
        p, v, q = to.pose.pose.position, to.twist.twist.linear, to.pose.pose.orientation
        assert (to.header.frame_id, to.child_frame_id) == ("world", "base_link")
        assert np.array_equal([p.x, p.y, p.z], state["base_position"])
        assert np.array_equal([q.x, q.y, q.z, q.w], state["quat_xyzw"])
        assert np.allclose(turned(state["quat_xyzw"], np.array([v.x, v.y, v.z])), state["base_velocity"], atol=1e-12)
        pose = np.reshape(to.pose.covariance, (6, 6))
        assert np.allclose(np.diag(pose), np.concatenate([state["base_position_sd"], state["base_orientation_sd"]]) ** 2)
        assert np.count_nonzero(pose - np.diag(np.diag(pose))) == 0 and len(to.twist.covariance) == 36


@check("the IMU says with -1 that its orientation is not known")
def _():
    state = some_state()
    to = Fields(header=header(), orientation=four(), angular_velocity=three(), linear_acceleration=three())
    node.imu(to, state)
    assert np.allclose(np.diag(np.reshape(to.orientation_covariance, (3, 3))), state["base_orientation_sd"] ** 2)
    assert np.isclose(to.linear_acceleration.z, state["base_specific_force"][2])
    del state["quat_xyzw"]
    node.imu(to, state)
    assert to.orientation_covariance[0] == -1.0 and len(to.orientation_covariance) == 9


@check("contact and tf are in the world")
def _():
    state = some_state()
    to = Fields(header=header(), wrench=Fields(force=three(), torque=three()))
    node.contact(to, {"timestamp": 2.5, "contact_force": [1.0, 2.0, 600.0]})
    assert (to.wrench.force.z, to.header.frame_id, to.header.stamp.sec) == (600.0, "world", 2)
    to = Fields(header=header(), transform=Fields(translation=three(), rotation=four()))
    node.transform(to, state)
    assert to.transform.rotation.w == state["quat_xyzw"][3] and to.transform.translation.x == state["base_position"][0]


@check("what is not estimated is not published")
def _():
    state = some_state()
    messages = {"state": state, "centroidal": {}}
    assert node.is_there("odom", messages) and not node.is_there("contact", messages)
    del state["base_position"]
    assert not node.is_there("odom", messages) and not node.is_there("tf", messages) and node.is_there("imu", messages)


sys.exit(results.failed)
