"""Typical mistakes in configuration, robot description, cells, rights and keys.

Each must be answered with its place, its cause and a remedy; the table below says which words these are.
Prints `ok NAME` or `not ok NAME`, and with --show what was said of each.
"""
import os
import re
import subprocess
import sys
import tempfile

BUILD = os.environ.get("BUILD", "build")

URDF = """<robot name="arm">
<link name="base"><inertial><mass value="3"/><inertia ixx="0.02" iyy="0.02" izz="0.02" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="upper"><inertial><mass value="2"/><inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="lower"><inertial><mass value="1"/><inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/><axis xyz="0 1 0"/><limit lower="-2" upper="2" effort="9" velocity="9"/></joint>
<joint name="elbow" type="revolute"><parent link="upper"/><child link="lower"/><origin xyz="0 0 0.3"/><axis xyz="0 1 0"/><limit lower="-2" upper="2" effort="9" velocity="9"/></joint>
<link name="hand"/>
<joint name="hand_mount" type="fixed"><parent link="lower"/><child link="hand"/><origin xyz="0 0 0.2"/></joint>
<link name="imu_link"/>
<joint name="imu_mount" type="fixed"><parent link="base"/><child link="imu_link"/></joint>
</robot>
"""
CELLS = """cell,link,x,y,z,qx,qy,qz,qw
a,lower,0.03,0,0.1,0,0,0,1
b,lower,0,0.03,0.1,0,0,0,1
c,lower,-0.03,0,0.1,0,0,0,1
"""
YAML = """robot:
  urdf: arm.urdf
  cells: cells.csv
  imu: imu_link
  feet: [hand]
cycle:
  period: 0.002
publish:
  ipc: pub.sock
"""


def yaml(old, new):
    assert old in YAML, old
    return {"arm.yaml": YAML.replace(old, new, 1)}


def more(text):
    return {"arm.yaml": YAML + text}


def urdf(old, new):
    assert old in URDF, old
    return {"arm.urdf": URDF.replace(old, new, 1)}


def cells(old, new):
    assert old in CELLS, old
    return {"cells.csv": CELLS.replace(old, new, 1)}


# name: what is written differently, place, cause, remedy
MISTAKES = {
    # the file itself
    "a_tab_in_the_file": (yaml("  urdf", "\turdf"), r"arm.yaml:2:1", "tab", "blank"),
    "a_colon_without_a_blank": (yaml("period: 0.002", "period:0.002"), r"arm.yaml:7:3", "cycle: a value, where a group of settings is needed", "a blank belongs behind a key's colon"),
    "a_bracket_that_is_not_closed": (yaml("[hand]", "[hand"), r"arm.yaml:[56]:", "not well-formed YAML", "is a bracket, quote or colon missing before it"),
    "a_group_given_twice": (more("cycle: {cpu: 0}\n"), r"arm.yaml:10:1", "cycle: given twice", "first in line 6"),
    "an_option_given_twice": (yaml("period: 0.002", "period: 0.002\n  period: 0.001"), r"arm.yaml:8:3", "given twice", "first in line 7; keep one"),
    "two_documents": (more("---\nrobot: {}\n"), r"arm.yaml:10:1", "second document", "without its --- it is one"),
    "an_empty_file": ({"arm.yaml": ""}, r"arm.yaml:1:1", "empty: no settings", "proprioctl init"),
    "no_robot": (yaml("  urdf: arm.urdf\n", ""), r"arm.yaml", "robot.urdf: no robot is named", "proprioctl init"),
    "a_file_that_is_not_there": ({"arm.yaml": None}, r"arm.yaml", "No such file", "proprioctl init ROBOT.urdf"),
    "a_urdf_in_place_of_a_configuration": ({"arm.yaml": URDF}, r"arm.yaml:1:1", "XML, not settings", "proprioctl init ROBOT.urdf"),
    # keys and values
    "a_misspelt_key": (yaml("period", "perod"), r"arm.yaml:7:3", "cycle.perod: unknown key", "did you mean cycle.period?"),
    "a_misspelt_group": (yaml("cycle:", "cycel:"), r"arm.yaml:6:1", "cycel: unknown key", "did you mean cycle?"),
    "a_key_in_the_wrong_group": (more("motion:\n  gyro_bias: 0.1\n"), r"arm.yaml:11:3", "motion.gyro_bias: unknown key", "did you mean base.gyro_bias?"),
    "a_unit_behind_the_number": (yaml("0.002", "2 ms"), r"arm.yaml:7:11", "'2 ms'", "write the number alone; it is taken in s"),
    "milliseconds_for_seconds": (yaml("0.002", "2"), r"arm.yaml:7:11", "2 is above", "the maximum 0.1 s"),
    "a_decimal_comma": (yaml("0.002", "0,002"), r"arm.yaml:7:11", "'0,002' is not a number", "the decimal mark is a point"),
    "nan": (yaml("0.002", ".nan"), r"arm.yaml:7:11", "'.nan' is not a finite number", "0.0001 .. 0.1 s"),
    "a_negative_noise": (more("motion: {encoder_noise: -0.1}\n"), r"arm.yaml:10:25", "-0.1 is below", "the minimum 1e-09 rad"),
    "no_value": (yaml("period: 0.002", "period:"), r"arm.yaml:7:10", "has no value", "give one, or leave the key out"),
    "a_list_for_a_value": (yaml("0.002", "[0.002]"), r"arm.yaml:7:11", "a list", "a single value is needed"),
    "a_value_for_a_list": (yaml("[hand]", "hand"), r"arm.yaml:5:9", "a single value", "a list is needed"),
    "a_value_for_a_group": (yaml("cycle:\n  period: 0.002", "cycle: 0.002"), r"arm.yaml:6:8", "a value", "a group of settings is needed"),
    "a_word_that_is_no_choice": (more("inertia: {form: fast}\n"), r"arm.yaml:10:17", "'fast' is not one of", "rucker, foster, linear"),
    "yes_for_true": (yaml("urdf: arm.urdf", "urdf: arm.urdf\n  fixed_base: yes"), r"arm.yaml:3:15", "'yes' is neither", "true nor false"),
    "half_a_processor": (yaml("period: 0.002", "cpu: 0.5"), r"arm.yaml:7:8", "0.5 is not a whole number", "-1 .. 1023"),
    "a_processor_that_is_not_there": (yaml("period: 0.002", "cpu: 900"), r"arm.yaml", "there is no processor 900", "this machine has 0 .."),
    "limits_the_wrong_way_round": (more("motion: {snap_density: 1, snap_density_min: 10}\n"), r"arm.yaml:10:24", "motion.snap_density: 1 is not between", "snap_density_min 10"),
    "two_cells_a_link": (more("motion: {cells_per_link: 2}\n"), r"arm.yaml:10:26", "2 cells do not tell", "0 for all, or at least 3"),
    "a_stale_limit_below_a_period": (more("input: {joints_limit: 0.001}\n"), r"arm.yaml:10:23", "0.001 s is shorter than", "0.004 s"),
    # the network and its keys
    "an_address_without_a_port": (yaml("ipc: pub.sock", "tcp: 127.0.0.1"), r"arm.yaml:9:8", "127.0.0.1 is not", "ADDRESS:PORT"),
    "a_public_address_without_keys": (yaml("ipc: pub.sock", "tcp: 0.0.0.0:9872"), r"arm.yaml:9:8", "beyond loopback", "needs publish.curve_secret_key"),
    "one_key_file_of_two": (yaml("ipc: pub.sock", "curve_secret_key: key"), r"arm.yaml:9:21", "works only together with", "publish.curve_clients"),
    "a_key_file_that_is_not_there": (yaml("ipc: pub.sock", "curve_secret_key: key\n  curve_clients: key"), r"key: ", "No such file", "proprioctl keys"),
    "a_key_that_others_may_read": ({**yaml("ipc: pub.sock", "curve_secret_key: key\n  curve_clients: key"), "key": "x\n"}, r"key: ", "mode 644", "chmod 600"),
    "a_key_file_with_something_else": ({**yaml("ipc: pub.sock", "curve_secret_key: key\n  curve_clients: key"), "key!": "secret\n"}, r"key:1", "not a key of 40", "proprioctl keys"),
    # names of frames and joints
    "a_misspelt_imu": (yaml("imu: imu_link", "imu: imu_lnk"), r"arm.yaml:4:8", "robot.imu", "did you mean 'imu_link'?"),
    "a_misspelt_foot": (yaml("[hand]", "[hnad]"), r"arm.yaml:5:9", "robot.feet", "did you mean 'hand'?"),
    "a_foot_twice": (yaml("[hand]", "[hand, hand]"), r"arm.yaml:5:9", "robot.feet", "twice"),
    "a_misspelt_wrench_sensor": (yaml("imu: imu_link", "wrenches: [hnad]"), r"arm.yaml:4:13", "robot.wrenches", "did you mean 'hand'?"),
    "a_switch_on_no_foot": (yaml("imu: imu_link", "contact_switches: [imu_link]"), r"arm.yaml:4:21", "'imu_link' is none of the feet", "robot.feet"),
    "a_misspelt_limb": (yaml("feet: [hand]", "limb_imus: [hnad]"), r"arm.yaml:5:14", "robot.limb_imus", "did you mean 'hand'?"),
    "three_misspelt_frames": ({"arm.yaml": YAML.replace("imu_link", "imu_lnk").replace("[hand]", "[hnad]\n  wrenches: [lowr]")},
                              r"arm.yaml:4:8: robot.imu", r"arm.yaml:5:9: robot.feet", r"arm.yaml:6:13: robot.wrenches.*did you mean 'lower'?"),
    "a_joint_left_out_of_the_order": (yaml("imu: imu_link", "joints: [shoulder]"), r"arm.yaml:4:11", "'elbow' has no place in the stream", "name it here, or hold it fast"),
    "a_joint_that_is_none": (yaml("imu: imu_link", "joints: [shoulder, elbwo]"), r"arm.yaml:4:11", "'elbwo' is no joint", "did you mean 'elbow'?"),
    "a_locked_joint_that_is_none": (yaml("imu: imu_link", "locked: [elbwo]"), r"arm.yaml:4:11", "robot.locked: 'elbwo'", "did you mean 'elbow'?"),
    "noise_of_a_joint_that_is_none": (more("motion: {encoder_noise_of: [elbwo=1e-3]}\n"), r"arm.yaml:10:28", "elbwo fits no joint", "did you mean 'elbow'?"),
    "a_link_to_weigh_that_is_none": (more("inertia: {links: [lowr]}\n"), r"arm.yaml:10:18", "lowr is neither a link nor a frame", "did you mean 'lower'?"),
    # the description
    "a_description_that_is_not_there": (yaml("arm.urdf", "amr.urdf"), r"arm.yaml:2:9", "amr.urdf: No such file", "paths begin at the folder of the configuration"),
    "a_tag_that_is_not_closed": (urdf("</inertial></link>\n<link name=\"upper\">", "</link>\n<link name=\"upper\">"), r"arm.urdf:2:", "mismatched tag", "close the element"),
    "xacro_in_place_of_urdf": (urdf("<robot name=\"arm\">", "<robot name=\"arm\" xmlns:xacro=\"x\"><xacro:include filename=\"a\"/>"), r"arm.urdf:1:", "xacro", "xacro"),
    "an_expression_of_xacro": (urdf("<mass value=\"1\"/>", "<mass value=\"${m/2}\"/>"), r"arm.urdf:4:30", "is not a number", "expand the file"),
    "a_comma_for_a_point": (urdf("<mass value=\"1\"/>", "<mass value=\"1,5\"/>"), r"arm.urdf:4:30", "is not a number", "mark is a point"),
    "an_ampersand_in_a_name": (urdf("name=\"elbow\"", "name=\"el&bow\""), r"arm.urdf:6:", "not well-formed", "& is written &amp;"),
    "an_entity_that_is_declared": ({"arm.urdf": "<!DOCTYPE robot [<!ENTITY up '0 0 0.3'>]>\n" + URDF.replace("0 0 0.3", "&up;")}, r"arm.urdf:7:", "undefined entity", "xmllint --noent FILE"),
    "two_trees": (urdf("</robot>", "<link name=\"table\"/></robot>"), r"arm.urdf:11:1", "'table': a second root beside 'base'", "join them by fixed joints"),
    "two_descriptions_in_one_file": (urdf("</robot>", "</robot>\n<?xml version=\"1.0\"?>\n<robot name=\"b\"/>"), r"arm.urdf:12:1", "junk after document element", "are these two\\?"),
    "a_pointer_of_git_lfs": (urdf("<robot", "version https://git-lfs.github.com/spec/v1\n<robot"), r"arm.urdf:1:1", "not well-formed", "git lfs pull"),
    "a_link_without_mass": (urdf("<mass value=\"1\"/>", ""), r"arm.urdf:4:", "link 'lower'.*<mass> is missing", "robot.inertia: unknown"),
    "a_negative_mass": (urdf("<mass value=\"1\"/>", "<mass value=\"-1\"/>"), r"arm.urdf:4:30", "-1 is below", "the minimum 0 kg"),
    "moments_of_no_body": (urdf("<mass value=\"1\"/><inertia ixx=\"0.01\"", "<mass value=\"1\"/><inertia ixx=\"0.1\""), r"arm.urdf:4:", "triangle inequality", "robot.repair: nearest"),
    "grams_for_kilograms": (urdf("<mass value=\"1\"/>", "<mass value=\"1e9\"/>"), r"arm.urdf:4:", "1e\\+?0?9|1000000000", "kg"),
    "a_child_that_is_not_there": (urdf("<child link=\"lower\"/>", "<child link=\"lwer\"/>"), r"arm.urdf:6:", "lwer", "did you mean 'lower'?"),
    "two_parents_for_a_link": (urdf("<child link=\"imu_link\"/>", "<child link=\"hand\"/>"), r"arm.urdf:", "hand|imu_link", "a link has one parent"),
    "an_axis_of_zero": (urdf("<axis xyz=\"0 1 0\"/>", "<axis xyz=\"0 0 0\"/>"), r"arm.urdf:5:", "axis", "at least 1e-06"),
    "two_numbers_for_three": (urdf("<origin xyz=\"0 0 0.3\"/>", "<origin xyz=\"0 0.3\"/>"), r"arm.urdf:6:", "xyz: .0 0.3. is not three numbers", "divided by blanks"),
    "a_type_of_joint_that_is_none": (urdf("type=\"revolute\"", "type=\"hinge\""), r"arm.urdf:5:", "hinge", "revolute"),
    "two_joints_of_one_name": (urdf("name=\"elbow\"", "name=\"shoulder\""), r"arm.urdf:6:", "the name is taken by the joint at 5:", "give one of them another"),
    # the cells
    "cells_that_are_not_there": (yaml("cells.csv", "cell.csv"), r"arm.yaml:3:10", "cell.csv: No such file", "paths begin at the folder of the configuration"),
    "cells_without_a_header": (cells("cell,link,x,y,z,qx,qy,qz,qw\n", ""), r"cells.csv:1:", "header", "cell,link,x,y,z"),
    "a_cell_on_a_link_that_is_none": (cells("b,lower", "b,lowr"), r"cells.csv:3:", "lowr", "did you mean 'lower'?"),
    "a_cell_of_the_same_name": (cells("b,lower", "a,lower"), r"cells.csv:3:", "'a' is taken in line 2", "give one another"),
    "a_quaternion_of_another_length": (cells("0.1,0,0,0,1\nb", "0.1,0,0,0,2\nb"), r"cells.csv:2:", "qw: 2 is beyond", "the limit of"),
    "a_column_too_few": (cells("a,lower,0.03,0,0.1,0,0,0,1", "a,lower,0.03,0,0.1,0,0,0"), r"cells.csv:2:", "fewer than 9 columns", "cell,link,x,y,z,qx,qy,qz,qw"),
    # rights
    "a_description_that_may_not_be_read": ({"arm.urdf-": URDF}, r"arm.yaml:2:9", "arm.urdf: Permission denied", "must be allowed to read it"),
    "a_folder_in_place_of_a_file": (yaml("arm.urdf", "."), r"arm.yaml:2:9", "directory", "name the file in it"),
}


def lay_out(folder, changes):
    files = {"arm.yaml": YAML, "arm.urdf": URDF, "cells.csv": CELLS}
    files.update(changes)
    for name, text in files.items():
        if text is None:
            continue
        path = os.path.join(folder, name.rstrip("!-"))
        with open(path, "w") as file:
            file.write(text)
        os.chmod(path, 0o600 if name.endswith("!") else 0 if name.endswith("-") else 0o644)


def said_of(changes):
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        lay_out(folder, changes)
        if any(name.endswith("-") for name in changes) and os.geteuid() == 0:
            command = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
        else:
            command = []
        run = subprocess.run([*command, f"{BUILD}/proprioctl", "check", f"{folder}/arm.yaml"],
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=60)
        return run.returncode, run.stderr.replace(folder + "/", "")


def main():
    show = "--show" in sys.argv
    failed = 0
    for name, (changes, *wanted) in MISTAKES.items():
        assert all(wanted), f"{name}: place, cause and remedy, please"
        status, said = said_of(changes)
        missing = [words for words in wanted if not re.search(words, said)]
        if show or status != 1 or missing:
            print("\n".join("# " + line for line in said.splitlines()))
        if status == 1 and not missing:
            print("ok", name)
        else:
            print(f"not ok {name}: exit {status}, without {missing}")
            failed += 1
    print(f"# {len(MISTAKES)} mistakes")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
