"""Robots as they are delivered: descriptions with the traits of well-known ones, made for the test.

delivered.py FOLDER writes one URDF for each row of ROBOTS below and prints NAME SCENARIO SECONDS, a line each; FOLDER/NAME.says
has what proprioctl check must say of it, a pattern a line. Humanoids are this project's own, changed."""
import copy
import math
import os
import sys
import xml.etree.ElementTree as xml

MODELS = "config/robots/"


def own(name):
    return xml.parse(f"{MODELS}{name}.urdf").getroot()


def add(parent, tag, **attributes):
    return xml.SubElement(parent, tag, {key: str(value) for key, value in attributes.items()})


def add_inertial(link, mass, size, centre="0 0 0"):
    inertial = add(link, "inertial")
    add(inertial, "origin", xyz=centre)
    add(inertial, "mass", value=mass)
    moment = [mass / 12 * (sum(s * s for s in size) - size[i] ** 2) for i in range(3)]
    add(inertial, "inertia", ixx=moment[0], iyy=moment[1], izz=moment[2], ixy=0, ixz=0, iyz=0)


def add_link(robot, name, mass=0.0, size=(0.1, 0.1, 0.1), centre="0 0 0"):
    link = add(robot, "link", name=name)
    if mass > 0:
        add_inertial(link, mass, size, centre)
    return link


def add_joint(robot, name, kind, parent, child, xyz="0 0 0", axis="0 0 1", limits=(-2, 2), speed=6, effort=200):
    joint = add(robot, "joint", name=name, type=kind)
    add(joint, "parent", link=parent)
    add(joint, "child", link=child)
    add(joint, "origin", xyz=xyz)
    if kind != "fixed":
        add(joint, "axis", xyz=axis)
        add(joint, "limit", lower=limits[0], upper=limits[1], velocity=speed, effort=effort)
    return joint


def joints(robot):
    return [joint for joint in robot.findall("joint") if joint.get("type") != "fixed"]


def move_imu(robot, link):
    joint = next(j for j in robot.findall("joint") if j.find("child").get("link") == "imu_link")
    joint.find("parent").set("link", link)


def talos():
    """A humanoid whose IMU is on the torso and whose grippers are one motor and six followers each."""
    robot = own("humanoid30")
    move_imu(robot, "torso_pitch_link")
    for side in ("left", "right"):
        hand = f"{side}_wrist_roll_link"
        add_link(robot, f"gripper_{side}_link", 0.1)
        add_joint(robot, f"gripper_{side}_joint", "revolute", hand, f"gripper_{side}_link", "0 0 -0.05", "0 1 0", (-0.9, 0))
        for finger in range(6):
            name = f"gripper_{side}_finger_{finger}"
            add_link(robot, f"{name}_link", 0.02, (0.02, 0.02, 0.05))
            joint = add_joint(robot, f"{name}_joint", "revolute", hand, f"{name}_link", f"0 {0.01 * finger} -0.08", "0 1 0",
                              (-1, 1))
            add(joint, "mimic", joint=f"gripper_{side}_joint", multiplier=1 if finger % 2 else -1, offset=0)
    return robot


def tocabi():
    """A humanoid of 33 joints: more moving links than there were places for."""
    robot = own("humanoid30")
    for number in range(3):
        parent = f"tail_{number - 1}_link" if number else "base_link"
        add_link(robot, f"tail_{number}_link", 0.3, (0.05, 0.05, 0.1), "-0.05 0 0")
        add_joint(robot, f"tail_{number}_joint", "revolute", parent, f"tail_{number}_link", "-0.1 0 0", "0 1 0")
    return robot


def reemc():
    """Two <dynamics> in each joint, of which the first counts."""
    robot = own("humanoid18")
    for joint in joints(robot):
        dynamics = copy.deepcopy(joint.find("dynamics"))
        dynamics.set("damping", "99")
        joint.append(dynamics)
    return robot


def op2x():
    """Sixteen moving joints with nothing but something to look at behind them."""
    robot = own("humanoid18")
    for number in range(16):
        parent = joints(robot)[number].find("child").get("link")
        add_link(robot, f"display_{number}")
        add_joint(robot, f"display_{number}_joint", "continuous", parent, f"display_{number}")
    return robot


def tiago():
    """A mobile arm: wheels, a lift, casters, a gripper, and moments two percent beyond the triangle."""
    robot = xml.Element("robot", name="tiago")
    add_link(robot, "base_footprint")
    add_link(robot, "base_link", 28, (0.5, 0.5, 0.3))
    add_joint(robot, "base_footprint_joint", "fixed", "base_footprint", "base_link", "0 0 0.1")
    for side, y in (("left", 0.2), ("right", -0.2)):
        add_link(robot, f"wheel_{side}_link", 1.8, (0.2, 0.05, 0.2))
        add_joint(robot, f"wheel_{side}_joint", "continuous", "base_link", f"wheel_{side}_link", f"0 {y} 0", "0 1 0")
    add_link(robot, "torso_lift_link", 11, (0.2, 0.2, 0.5), "0 0 0.2")
    add_joint(robot, "torso_lift_joint", "prismatic", "base_link", "torso_lift_link", "-0.06 0 0.2", "0 0 1", (0, 0.35), 0.1,
              2000)
    above, at = "torso_lift_link", "0.15 0 0.3"
    for number, axis in enumerate(("0 0 1", "0 1 0", "1 0 0", "0 1 0", "1 0 0", "0 1 0", "1 0 0"), 1):
        link = add_link(robot, f"arm_{number}_link", 2.2 - 0.25 * number, (0.15, 0.08, 0.08), "0.07 0 0")
        add_joint(robot, f"arm_{number}_joint", "revolute", above, f"arm_{number}_link", at, axis)
        above, at = f"arm_{number}_link", "0.15 0 0"
        if number == 3:
            inertia = link.find("inertial/inertia")
            inertia.set("izz", str(1.02 * (float(inertia.get("ixx")) + float(inertia.get("iyy")))))
    for side, y in (("left", 0.02), ("right", -0.02)):
        add_link(robot, f"gripper_{side}_finger_link", 0.05, (0.05, 0.01, 0.02))
        add_joint(robot, f"gripper_{side}_finger_joint", "prismatic", above, f"gripper_{side}_finger_link", f"0.1 {y} 0",
                  "0 1 0" if y > 0 else "0 -1 0", (0, 0.04), 0.1)
    return robot


def go1():
    """A quadruped: a massless root, legs of three joints on point feet, knees that cannot stretch, rotors as links."""
    robot = xml.Element("robot", name="go1")
    add_link(robot, "base")
    add_link(robot, "trunk", 5.2, (0.37, 0.11, 0.1))
    add_joint(robot, "floating_base", "fixed", "base", "trunk")
    add_link(robot, "imu_link", 0.001, (0.01, 0.01, 0.01))
    add_joint(robot, "imu_joint", "fixed", "trunk", "imu_link", "-0.01 -0.002 0")
    for name, x, y in (("FR", 1, -1), ("FL", 1, 1), ("RR", -1, -1), ("RL", -1, 1)):
        add_link(robot, f"{name}_hip", 0.68, (0.06, 0.06, 0.06))
        add_joint(robot, f"{name}_hip_joint", "revolute", "trunk", f"{name}_hip", f"{0.188 * x} {0.047 * y} 0", "1 0 0",
                  (-0.86, 0.86), 30, 24)
        add_link(robot, f"{name}_hip_rotor", 0.09, (0.03, 0.03, 0.03))
        add_joint(robot, f"{name}_hip_rotor_joint", "fixed", "trunk", f"{name}_hip_rotor", f"{0.112 * x} {0.047 * y} 0")
        add_link(robot, f"{name}_thigh", 1.0, (0.03, 0.04, 0.21), "0 0 -0.04")
        add_joint(robot, f"{name}_thigh_joint", "revolute", f"{name}_hip", f"{name}_thigh", f"0 {0.08 * y} 0", "0 1 0",
                  (-0.69, 4.5), 30, 24)
        add_link(robot, f"{name}_calf", 0.2, (0.02, 0.02, 0.21), "0 0 -0.1")
        add_joint(robot, f"{name}_calf_joint", "revolute", f"{name}_thigh", f"{name}_calf", "0 0 -0.213", "0 1 0",
                  (-2.82, -0.89), 20, 36)
        foot = add_link(robot, f"{name}_foot", 0.06, (0.03, 0.03, 0.03))
        add(add(add(foot, "collision"), "geometry"), "sphere", radius=0.02)
        add_joint(robot, f"{name}_foot_fixed", "fixed", f"{name}_calf", f"{name}_foot", "0 0 -0.213")
    return robot


def pr2():
    """Two arms on a lift, the IMU up there, wheels on casters, a head, grippers of four coupled fingers."""
    robot = xml.Element("robot", name="pr2")
    add_link(robot, "base_footprint")
    add_link(robot, "base_link", 116, (0.6, 0.6, 0.3))
    add_joint(robot, "base_footprint_joint", "fixed", "base_footprint", "base_link", "0 0 0.05")
    for number in range(4):
        angle = math.pi / 4 + number * math.pi / 2
        add_link(robot, f"caster_{number}_rotation_link", 3.5)
        add_joint(robot, f"caster_{number}_rotation_joint", "continuous", "base_link", f"caster_{number}_rotation_link",
                  f"{0.3 * math.cos(angle)} {0.3 * math.sin(angle)} 0")
        add_link(robot, f"caster_{number}_wheel_link", 0.44)
        add_joint(robot, f"caster_{number}_wheel_joint", "continuous", f"caster_{number}_rotation_link",
                  f"caster_{number}_wheel_link", "0 0.05 0", "0 1 0")
    add_link(robot, "torso_lift_link", 36, (0.3, 0.3, 0.5))
    add_joint(robot, "torso_lift_joint", "prismatic", "base_link", "torso_lift_link", "-0.05 0 0.7", "0 0 1", (0.01, 0.33), 0.1,
              10000)
    add_link(robot, "imu_link")
    add_joint(robot, "imu_joint", "fixed", "torso_lift_link", "imu_link", "-0.03 -0.16 0.16")
    for side, y in (("l", 1), ("r", -1)):
        above, at = "torso_lift_link", f"0 {0.19 * y} 0"
        chain = (("shoulder_pan", "0 0 1", 5), ("shoulder_lift", "0 1 0", 3), ("upper_arm_roll", "1 0 0", 3),
                 ("elbow_flex", "0 1 0", 2), ("forearm_roll", "1 0 0", 1.5), ("wrist_flex", "0 1 0", 0.6),
                 ("wrist_roll", "1 0 0", 0.6))
        for name, axis, mass in chain:
            add_link(robot, f"{side}_{name}_link", mass, (0.2, 0.1, 0.1), "0.08 0 0")
            add_joint(robot, f"{side}_{name}_joint", "continuous" if "roll" in name else "revolute", above,
                      f"{side}_{name}_link", at, axis)
            above, at = f"{side}_{name}_link", "0.16 0 0"
        for finger in ("l_finger", "r_finger", "l_finger_tip", "r_finger_tip"):
            add_link(robot, f"{side}_gripper_{finger}_link", 0.05, (0.05, 0.02, 0.02))
            joint = add_joint(robot, f"{side}_gripper_{finger}_joint", "revolute", above, f"{side}_gripper_{finger}_link",
                              "0.08 0 0", "0 0 1", (0, 0.55))
            if finger != "l_finger":
                add(joint, "mimic", joint=f"{side}_gripper_l_finger_joint")
    return robot


def human():
    """A model of a person: joints of two and three axes are drawn with links in between that have no mass."""
    robot = own("humanoid30")
    for link in robot.findall("link"):
        if any(word in link.get("name") for word in ("hip_yaw", "hip_roll", "shoulder_pitch", "shoulder_roll", "ankle_pitch")):
            link.remove(link.find("inertial"))
    return robot


def as_exported(robot, arm):
    """What tools write around a robot that has nothing to do with how it moves."""
    robot.set("version", "1.0")
    for colour in ("0.2 0.2 0.2 1.0", "0.2 0.2 0.2 1.0", "1 0 0 1"):
        add(add(robot, "material", name="dark"), "color", rgba=colour)
    for link in robot.findall("link"):
        for kind in ("visual", "collision"):
            shape = add(link, kind)
            add(shape, "origin", xyz="0 0 0", rpy="0 0 0")
            add(add(shape, "geometry"), "mesh", filename=f"package://nowhere/meshes/{link.get('name')}.dae", scale="1e-3 1e-3 1e-3")
            if kind == "visual":
                add(shape, "material", name="dark")
    for joint in joints(robot):
        add(joint, "calibration", rising="0.0")
        add(joint, "safety_controller", k_position="100", k_velocity="1.5", soft_lower_limit="-2.8", soft_upper_limit="2.8")
        transmission = add(robot, "transmission", name=f"{joint.get('name')}_trans")
        add(transmission, "type").text = "transmission_interface/SimpleTransmission"
        add(add(transmission, "joint", name=joint.get("name")), "hardwareInterface").text = "PositionJointInterface"
        add(add(transmission, "actuator", name=f"{joint.get('name')}_motor"), "mechanicalReduction").text = "1e2"
    gazebo = add(robot, "gazebo", reference=arm)
    add(gazebo, "selfCollide").text = "true"
    sensor = add(gazebo, "sensor", name="imu", type="imu")
    add(add(sensor, "plugin", filename="libgazebo_ros_imu.so", name="imu_plugin"), "topicName").text = "imu/data"
    add(add(robot, "gazebo"), "plugin", filename="libgazebo_ros_control.so", name="control")
    control = add(robot, "ros2_control", name="system", type="system")
    add(add(control, "hardware"), "plugin").text = "fake_components/GenericSystem"
    add(add(control, "joint", name=joints(robot)[0].get("name")), "command_interface", name="position")
    return robot


def exported_arm():
    """An arm on a cart, names with a namespace, roots without mass, all that exporters write, a wheel's limits."""
    robot = xml.Element("robot", name="r1/cobot")
    add_link(robot, "world")
    add_link(robot, "r1/base_footprint")
    add_joint(robot, "r1/world_joint", "fixed", "world", "r1/base_footprint")
    add_link(robot, "r1/base_link", 2.5e1, (0.5, 0.4, 0.3))
    add_joint(robot, "r1/footprint_joint", "fixed", "r1/base_footprint", "r1/base_link", "0 0 1.0e-1")
    above, at = "r1/base_link", "1.5E-1 0.0 +2.e-1"
    for number, axis in enumerate(("0 0 1", "0 1 0", "0 -1 0", "0 0 1", "0 1 0", "0 0 1"), 1):
        add_link(robot, f"r1/link-{number}", 4.0 - 0.5 * number, (0.1, 0.1, 0.3), "0 0 1e-1")
        kind = "continuous" if number in (1, 6) else "revolute"
        joint = add_joint(robot, f"r1/joint_{number}", kind, above, f"r1/link-{number}", at, axis)
        if number == 1:
            joint.remove(joint.find("limit"))  # the others have limits, and one that turns without end has them too
        above, at = f"r1/link-{number}", "0 0 2.5e-1"
    add_link(robot, "r1/tool0")
    add_joint(robot, "r1/tool0_fixed", "fixed", above, "r1/tool0", "0 0 0.1")
    flat = add_link(robot, "r1/sticker", 1e-5)  # a camera's mount, a sticker: moments of nothing
    for key in ("ixx", "iyy", "izz"):
        flat.find("inertial/inertia").set(key, "0")
    add_joint(robot, "r1/sticker_fixed", "fixed", above, "r1/sticker", "0 0 0.05")
    return as_exported(robot, above)


def linkage_gripper():
    """A pole on a base whose gripper is a linkage: followers with offsets, in a chain, one sliding; a joint named with =."""
    robot = xml.Element("robot", name="linkage")
    dummy = add_link(robot, "base_link", 1e-3, (1, 1, 1))
    dummy.find("inertial/mass").set("value", "0.001")
    add_link(robot, "pole", 3, (0.1, 0.1, 0.5), "0 0 0.2")
    add_joint(robot, "pan", "revolute", "base_link", "pole")
    add_link(robot, "neck", 0.5)
    add_joint(robot, "neck=1", "revolute", "pole", "neck", "0 0 0.5", "0 1 0")
    above = "pole"
    for number, (multiplier, offset) in enumerate(((None, 0), (-1, 0.1), (1, -0.1), (0.5, 0.02))):
        add_link(robot, f"bar_{number}", 0.1, (0.02, 0.02, 0.1), "0 0 0.05")
        kind, axis = ("prismatic", "1 0 0") if number == 3 else ("revolute", "0 1 0")
        joint = add_joint(robot, f"bar_{number}_joint", kind, above, f"bar_{number}", "0.05 0 0.1", axis)
        if multiplier is not None:
            leader = "bar_0_joint" if number < 3 else "bar_2_joint"
            add(joint, "mimic", joint=leader, multiplier=multiplier, offset=offset)
        above = f"bar_{number}" if number < 2 else "pole"
    return as_exported(robot, "pole")


def two_hands():
    """More than a hundred joints: a torso with two arms and two hands of which each last phalanx follows the one before."""
    robot = xml.Element("robot", name="hands")
    add_link(robot, "base_link", 20, (0.3, 0.3, 0.5))
    for side, y in (("left", 1), ("right", -1)):
        above, at = "base_link", f"0 {0.2 * y} 0.2"
        for number, axis in enumerate(("0 1 0", "1 0 0", "0 0 1", "0 1 0", "0 0 1", "0 1 0", "1 0 0")):
            add_link(robot, f"{side}_arm_{number}", 2.0 - 0.2 * number, (0.1, 0.1, 0.2), "0 0 -0.08")
            add_joint(robot, f"{side}_arm_{number}_joint", "revolute", above, f"{side}_arm_{number}", at, axis)
            above, at = f"{side}_arm_{number}", "0 0 -0.15"
        for finger in range(15):
            below = above
            for phalanx in range(3):
                name = f"{side}_finger_{finger}_{phalanx}"
                add_link(robot, name, 0.02, (0.015, 0.015, 0.03), "0 0 -0.015")
                joint = add_joint(robot, f"{name}_joint", "revolute", below, name,
                                  "0 0 -0.03" if phalanx else f"0.03 {0.004 * finger - 0.03} -0.05", "0 1 0", (0, 1.6))
                if phalanx == 2:
                    add(joint, "mimic", joint=f"{side}_finger_{finger}_1_joint", multiplier=1, offset=0)
                below = name
    return robot


# before the text of the file: what editors and generators put there
HEADS = {
    "exported_arm": "\ufeff<?xml version='1.0' encoding='utf-8'?>\n<!-- ===== | This document was autogenerated by xacro | ===== -->\n",
    "linkage_gripper": "<!-- (c) somebody -->\n<?xml version='1.0' ?>\n",
}


def written(make):
    """The file's text; as xacro leaves it, with name spaces that nothing uses."""
    text = xml.tostring(make(), encoding="unicode")
    if make.__name__ in HEADS:
        text = HEADS[make.__name__] + text.replace("<robot ", '<robot xmlns:xacro="http://ros.org/wiki/xacro" ', 1)
    return text


def remove(robot, *names):
    """Links, and the joints that lead to them."""
    for link in [link for link in robot.findall("link") if link.get("name") in names]:
        robot.remove(link)
    for joint in [joint for joint in robot.findall("joint") if joint.find("child").get("link") in names]:
        robot.remove(joint)


def g1():
    """A humanoid without frames of its soles: four small spheres below each ankle, as light as their drives' rotors are not told."""
    robot = own("humanoid18")
    remove(robot, "left_sole", "right_sole", "left_ankle_ft", "right_ankle_ft")
    for joint in joints(robot):
        joint.remove(joint.find("rotor"))
    for link in robot.findall("link"):
        if link.get("name").endswith("_ankle_roll_link"):
            for collision in link.findall("collision"):
                link.remove(collision)
            for x, y in ((-0.06, 0.04), (-0.06, -0.04), (0.12, 0.04), (0.12, -0.04)):
                collision = add(link, "collision")
                add(collision, "origin", xyz=f"{x} {y} -0.065")
                add(add(collision, "geometry"), "sphere", radius=0.005)
    return robot


def icub():
    """A humanoid whose base's x points back, and whose elbows cannot be straight."""
    robot = own("humanoid18")
    for joint in robot.findall("joint"):
        if joint.find("parent").get("link") == "base_link":
            x, y, z = (float(word) for word in joint.find("origin").get("xyz").split())
            joint.find("origin").set("xyz", f"{-x} {-y} {z}")
            joint.find("origin").set("rpy", f"0 0 {math.pi}")
    base = next(link for link in robot.findall("link") if link.get("name") == "base_link")
    base.find("inertial").find("origin").set("rpy", f"0 0 {math.pi}")
    for joint in joints(robot):
        if "elbow" in joint.get("name"):
            lower, upper = (float(joint.find("limit").get(end)) for end in ("lower", "upper"))
            joint.find("limit").set("upper" if upper <= -lower else "lower", "-0.3" if upper <= -lower else "0.3")
    return robot


# what it does for how many seconds, and what proprioctl check says of it
ROBOTS = {
    talos: ("stand 2", [r"joints +32, in this order", r"imu +imu_link on torso_pitch_link",
                        r"finger_0_joint follows gripper_left_joint"]),
    tocabi: ("walk 3", [r"joints +33, in this order", r"feet +left_sole on .*right_sole on"]),
    reemc: ("walk 3", [r"<dynamics> stands there twice; the first counts", r"joints +18, in this order"]),
    op2x: ("stand 2", [r"display_15_joint': moves nothing that has mass", r"joints +18, in this order"]),
    tiago: ("medium 2", [r"link 'arm_3_link': its moments are changed by 0.98 %", r"feet +none"]),
    go1: ("stand 2", [r"joints +12, in this order", r"feet +FR_foot on FR_calf, FL_foot on FL_calf", r"imu +imu_link on base"]),
    human: ("walk 3", [r"link 'left_hip_yaw_link': moves and has no mass: 0.001 kg is taken", r"mass +[45][0-9.]+ kg in 31 links"]),
    g1: ("walk 4", [r"feet +left_ankle_roll_link on left_ankle_roll_link, right_ankle_roll_link on right_ankle_roll_link"]),
    icub: ("walk 4", [r"feet +left_sole on .*right_sole on"]),
    exported_arm: ("medium 2", [r"joints +6, in this order", r"mass +[0-9.]+ kg"]),
    linkage_gripper: ("medium 2", [r"joints +3, in this order", r"neck=1", r"bar_3_joint follows bar_0_joint"]),
    two_hands: ("medium 2", [r"joints +74, in this order", r"left_finger_14_2_joint follows left_finger_14_1_joint"]),
    pr2: ("medium 2", [r"imu +imu_link on torso_lift_link", r"l_gripper_r_finger_joint follows l_gripper_l_finger_joint"]),
}


def main():
    folder = sys.argv[1]
    for make, (scenario, said) in ROBOTS.items():
        name = make.__name__
        with open(os.path.join(folder, f"{name}.urdf"), "w", encoding="utf-8") as file:
            file.write(written(make))
        with open(os.path.join(folder, f"{name}.says"), "w") as file:
            file.write("\n".join(said) + "\n")
        print(name, scenario)


if __name__ == "__main__":
    main()
