"""Laws that the descriptions under config/robots keep. Prints `ok NAME` or `not ok NAME: why`."""
import csv
import math
import subprocess
import sys
import xml.etree.ElementTree as xml

ROBOTS = "config/robots/"
TOOL = "tools/skin_layout/skin_layout.py"
MASS = {"humanoid30": 67.0, "humanoid18": 19.0, "tx40": 27.21, "chain9": 32.4,
        "panda": 18.1, "quadruped12": 16.0}  # kg
JOINTS = {"humanoid30": 30, "humanoid18": 18, "tx40": 6, "chain9": 9, "panda": 7, "quadruped12": 12}
CELLS = {"humanoid30": 1260, "humanoid18": 300, "chain9": 312}
BASE_HEIGHT = {"humanoid30": 0.86, "humanoid18": 0.70}  # m, legs straight


def urdf(robot):
    return xml.parse(f"{ROBOTS}{robot}.urdf").getroot()


def cells(robot):
    with open(f"{ROBOTS}{robot}_cells.csv", newline="") as file:
        return list(csv.DictReader(file))


def lay_out(*arguments):
    return subprocess.run([sys.executable, TOOL, *arguments], check=True, capture_output=True,
                          text=True).stdout


def text(path):
    with open(ROBOTS + path) as file:
        return file.read()


def skin_layouts_come_out_the_same_when_made_again():
    for robot in ("humanoid30", "humanoid18"):
        made = lay_out(f"{ROBOTS}{robot}.urdf", f"{ROBOTS}{robot}_skin.csv")
        assert made == text(f"{robot}_cells.csv"), robot
    made = lay_out(f"{ROBOTS}humanoid30.urdf", f"{ROBOTS}humanoid30_skin.csv",
                   f"{ROBOTS}chain9.urdf")
    assert made == text("chain9_cells.csv"), "chain9"
    made = lay_out("--sensors", f"{ROBOTS}tx40.urdf", f"{ROBOTS}tx40_skin.csv")
    assert made in text("tx40.urdf"), "tx40"


def every_robot_has_its_joints_its_mass_and_its_cells():
    for robot in MASS:
        root = urdf(robot)
        moving = [j for j in root.findall("joint") if j.get("type") != "fixed"]
        mass = sum(float(m.get("value")) for m in root.iter("mass"))
        assert len(moving) == JOINTS[robot], f"{robot}: {len(moving)} joints"
        assert abs(mass - MASS[robot]) < 1e-9, f"{robot}: {mass} kg"
        if robot in CELLS:
            assert len(cells(robot)) == CELLS[robot], robot


def every_moving_link_of_the_large_humanoid_carries_at_least_twenty_cells():
    links = [link.get("name") for link in urdf("humanoid30").findall("link")
             if link.find("inertial") is not None]
    assert len(links) == 31, len(links)
    carried = [cell["link"] for cell in cells("humanoid30")]
    for link in links:
        assert carried.count(link) >= 20, f"{link}: {carried.count(link)}"


def cells_have_unit_quaternions_and_names_of_their_own():
    for robot in CELLS:
        rows = cells(robot)
        assert len({row["cell"] for row in rows}) == len(rows), robot
        for row in rows:
            norm = math.hypot(*(float(row[q]) for q in ("qx", "qy", "qz", "qw")))
            assert abs(norm - 1) < 1e-6, row


def standing_with_straight_legs_both_soles_are_level_below_the_base():
    for robot, height in BASE_HEIGHT.items():
        above = {joint.find("child").get("link"): joint for joint in urdf(robot).findall("joint")}
        for sole in ("left_sole", "right_sole"):
            link, z = sole, 0.0
            while link in above:
                z += float(above[link].find("origin").get("xyz").split()[2])
                link = above[link].find("parent").get("link")
            assert abs(z + height) < 1e-9, f"{robot} {sole}: {z}"


def is_mirrored(a, b):
    """Two points on either side of the x-z plane."""
    a, b = [float(x) for x in a.split()], [float(x) for x in b.split()]
    return a[0] == b[0] and a[1] == -b[1] and a[2] == b[2]


def left_links_joints_and_cells_mirror_the_right_ones():
    sign = {"ixy": -1, "iyz": -1}
    for robot in BASE_HEIGHT:
        named = {(e.tag, e.get("name")): e for e in urdf(robot) if e.get("name")}
        pairs = [(element, named[tag, name.replace("left_", "right_")])
                 for (tag, name), element in named.items() if name.startswith("left_")]
        assert len(pairs) > 18, robot
        for left, right in pairs:
            for a, b in zip(left.iter("origin"), right.iter("origin")):
                assert is_mirrored(a.get("xyz"), b.get("xyz")), f"{robot} {left.get('name')}"
            for a, b in zip(left.iter("inertia"), right.iter("inertia")):
                for key, value in a.attrib.items():
                    assert float(value) == sign.get(key, 1) * float(b.get(key)), left.get("name")
        points = {row["cell"]: " ".join(row[k] for k in "xyz") for row in cells(robot)}
        for name, point in points.items():
            if name.startswith("left_"):
                assert is_mirrored(point, points[name.replace("left_", "right_")]), name


def the_chain_is_a_part_of_the_large_humanoid():
    whole = {(e.tag, e.get("name")): xml.tostring(e).strip() for e in urdf("humanoid30")}
    for element in urdf("chain9"):
        key = element.tag, element.get("name")
        assert whole[key] == xml.tostring(element).strip(), key


LAWS = (skin_layouts_come_out_the_same_when_made_again,
        every_robot_has_its_joints_its_mass_and_its_cells,
        every_moving_link_of_the_large_humanoid_carries_at_least_twenty_cells,
        cells_have_unit_quaternions_and_names_of_their_own,
        standing_with_straight_legs_both_soles_are_level_below_the_base,
        left_links_joints_and_cells_mirror_the_right_ones,
        the_chain_is_a_part_of_the_large_humanoid)


def main():
    failed = 0
    for law in LAWS:
        try:
            law()
            print("ok", law.__name__)
        except (AssertionError, OSError, KeyError, subprocess.CalledProcessError) as error:
            print(f"not ok {law.__name__}: {error}")
            failed += 1
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
