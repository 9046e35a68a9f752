"""What was exported from one recording in all formats says the same: export_check.py FOLDER TRUTH_CSV [LINES_OF_THE_OTHER_READER]"""

import csv
import json
import os
import sys

import numpy as np

sys.path.insert(0, os.path.dirname(__file__))
sys.dont_write_bytecode = True
import results  # noqa: E402
from mcap_reader import Mcap  # noqa: E402
from results import check  # noqa: E402

folder, truth = sys.argv[1:3]
npz = np.load(f"{folder}/all.npz")
about = json.loads(npz["about.json"])


def same(a, b):
    assert np.array_equal(np.asarray(a, dtype=float), np.asarray(b, dtype=float), equal_nan=True), (a, b)


def table(series):
    with open(f"{folder}/csv/{series}.csv") as file:
        names, units, *rows = csv.reader(file)
    return names, units, np.array([[float(word or "nan") for word in row] for row in rows])


@check("the archive has every series, with rows of one length")
def _():
    series = {}
    for key in npz.files:
        if "/" in key:
            series.setdefault(key.split("/")[0], set()).add(len(npz[key]))
    assert set(series) == {"joints", "imu", "skin", "state", "centroidal"}, set(series)
    assert all(len(lengths) == 1 for lengths in series.values()), series
    assert npz["joints/q"].shape[1] == len(about["joints"]) == 30 and npz["skin/acceleration"].shape[1:] == (1260, 3)
    assert npz["skin/acceleration"].dtype == np.float32 and npz["skin/flags"].dtype == np.uint8 and npz["joints/t_ns"].dtype == np.int64


@check("what is exported is what was recorded: joints lie near the simulation's truth, the estimates too")
def _():
    with open(truth) as file:
        rows = csv.reader(file)
        names = next(rows)
        true = np.array([[float(word) for word in row] for row in rows])
    columns = [names.index(f"q_{joint}") for joint in about["joints"]]
    t = true[:, names.index("t_ns")] * 1e-9
    for series, bound in (("joints", 1e-4), ("state", 5e-3)):
        at = npz[f"{series}/t_ns"] * 1e-9
        q = np.array([np.interp(at, t, true[:, c]) for c in columns]).T
        worst = np.abs(npz[f"{series}/q"] - q)[200:].max()
        assert worst < bound, (series, worst)


@check("CSV names its columns, has units in the second line, and every number to the bit")
def _():
    for series in ("joints", "imu", "state", "centroidal", "skin"):
        names, units, rows = table(series)
        assert len(names) == len(units) == rows.shape[1] and len(set(names)) == len(names)
        same(np.round(rows[:, 0] * 1e9), npz[f"{series}/t_ns"])
        at = 1
        for array in about["series"][series]:
            values = npz[f"{series}/{array}"]
            values = values.reshape(len(values), -1)
            same(rows[:, at : at + values.shape[1]].astype(values.dtype), values)
            assert names[at].startswith(array), (names[at], array)
            at += values.shape[1]
        assert at == len(names)
    names, units, _ = table("state")
    assert names[2] == f"q_{about['joints'][0]}" and units[names.index(names[2])] == "rad" and units[0] == "s"


@check("MAT has a struct for each series, with the same numbers")
def _():
    import scipy.io

    mat = scipy.io.loadmat(f"{folder}/all.mat")
    for key in (key for key in npz.files if "/" in key):
        series, array = key.split("/")
        values = npz[key].reshape(len(npz[key]), -1)
        assert np.array_equal(mat[series][array][0, 0], values, equal_nan=values.dtype.kind == "f"), key
    assert json.loads(mat["about"][0]) == about


@check("MCAP obeys its specification in every record, checksum and index")
def _():
    mcap = Mcap(f"{folder}/all.mcap")
    assert len(mcap.chunks) > 1
    topics = {topic for _, topic, _ in mcap.channels.values()}
    assert {"/joint_states", "/measured/joint_states", "/measured/imu", "/odom", "/tf", "/tf_static", "/state", "/com"} <= topics, topics
    for topic, series in (("/state", "state"), ("/centroidal", "centroidal"), ("/joint_states", "state"), ("/measured/imu", "imu")):
        same([time for time, _ in mcap.topic(topic)], npz[f"{series}/t_ns"])
    for _, data in mcap.topic("/state")[::500]:
        json.loads(data)
    same([[np.nan if v is None else v for v in json.loads(data)["ddq"]] for _, data in mcap.topic("/state")], npz["state/ddq"])


def other_reader():
    with open(sys.argv[3]) as file:
        messages = [json.loads(line) for line in file]
    by_topic = {}
    for message in messages:
        by_topic.setdefault(message["topic"], []).append(message)

    def column(topic, *path):
        found = []
        for message in by_topic[topic]:
            value = message["content"]
            for key in path:
                value = value[key]
            found.append([np.nan if v is None else v for v in value] if isinstance(value, list) else [value[a] for a in "xyzw" if a in value])
        return found

    mine = Mcap(f"{folder}/all.mcap")
    assert len(messages) == len(mine.messages)
    for topic, ours in by_topic.items():
        assert sorted(int(m["time"]) for m in ours) == sorted(time for time, _ in mine.topic(topic)), topic
    same(column("/joint_states", "position"), npz["state/q"])
    same(column("/joint_states", "velocity"), npz["state/dq"])
    same(column("/measured/joint_states", "position"), npz["joints/q"])
    same(column("/measured/imu", "linear_acceleration"), npz["imu/specific_force"])
    same(column("/measured/imu", "angular_velocity"), npz["imu/angular_rate"])
    same(column("/state", "q_sd"), npz["state/q_sd"])
    com = npz["centroidal/com_position"]
    same(column("/com", "point"), com[~np.isnan(com[:, 0])])
    for message in by_topic["/joint_states"]:
        assert message["content"]["name"] == about["joints"]
        stamp = message["content"]["header"]["stamp"]
        assert stamp["sec"] * 10**9 + stamp["nsec" if "nsec" in stamp else "nanosec"] == int(message["time"])
    tree_is_whole(by_topic)


def tree_is_whole(by_topic):
    """Every frame hangs on the world, and the feet are where the joints put them: at equal height, standing."""
    parent = {}
    for message in by_topic["/tf_static"] + by_topic["/tf"][:1]:
        for t in message["content"]["transforms"]:
            parent[t["child_frame_id"]] = (t["header"]["frame_id"], t["transform"])
    heights = {}
    for name in parent:
        frame, p, steps = name, np.zeros(3), 0
        while frame != "world":
            frame, transform = parent[frame]
            x, y, z, w = (transform["rotation"][a] for a in "xyzw")
            v = np.array([x, y, z])
            p = p + 2 * np.cross(v, np.cross(v, p) + w * p) + [transform["translation"][a] for a in "xyz"]
            steps += 1
            assert steps < 100, "a circle"
        heights[name] = p[2]
    assert abs(heights["left_sole"] - heights["right_sole"]) < 0.01, (heights["left_sole"], heights["right_sole"])
    assert heights["left_sole"] < heights["left_knee_joint" if "left_knee_joint" in heights else "imu_link"] - 0.2, heights


@check("every curve and topic of the Foxglove layout is in the file, and a joint's under its name")
def _():
    import re

    with open("tools/foxglove/propriod.json") as file:
        layout = json.load(file)
    mcap = Mcap(f"{folder}/all.mcap")
    topics = {topic for _, topic, _ in mcap.channels.values()}
    panels, placed = layout["configById"], re.findall(r'"([A-Za-z0-9]+![a-z]+)"', json.dumps(layout["layout"]))
    assert sorted(placed) == sorted(panels), (placed, list(panels))
    robot = panels["3D!robot"]
    wanted = set(robot["topics"]) | {layer["topic"] for layer in robot["layers"].values() if "topic" in layer}
    assert wanted <= topics, wanted - topics
    curves = [curve for panel in panels.values() for curve in panel.get("paths", [])]
    assert len(curves) > 20, len(curves)
    rows = {topic: json.loads(mcap.topic(topic)[0][1]) for topic in ("/state", "/centroidal")}
    for curve in curves:
        topic, array, index = re.fullmatch(r"(/\w+)\.(\w+)\[(\d+)\]", curve["value"]).groups()
        assert int(index) < len(rows[topic][array]), curve["value"]
        if len(rows[topic][array]) == len(about["joints"]):
            assert about["joints"][int(index)] == curve["label"].replace(" ", "_") + "_joint", curve


@check("Python loads and replays the recording to the same arrays, and pandas gets the same columns")
def _():
    import propriod

    config, recording = os.environ["CONFIG"], f"{folder}/squat.rec"
    log = propriod.replay(recording, config)
    assert log.joints == about["joints"] and set(log) == set(about["series"])
    for series, stream in log.items():
        same(stream.t_ns, npz[f"{series}/t_ns"])
        for array, values in stream.items():
            same(values, npz[f"{series}/{array}"])
    same(log["state"].joint("ddq", about["joints"][4]), npz["state/ddq"][:, 4])
    for series in log:
        names, _, rows = table(series)
        assert list(log.table(series).columns) == names[1:], series
    part = propriod.load(recording, config, only=("imu",), begin=0.5, end=1.0)
    assert set(part) == {"imu"} and len(part["imu"].t_ns) == 501 and part["imu"].t[0] == 0.5, part
    for wrong, words in ((("none.rec", config), "none.rec"), ((recording, "none.yaml"), "none.yaml")):
        try:
            propriod.replay(*wrong)
            raise AssertionError("no error")
        except ValueError as error:
            assert words in str(error), error


@check("the page of plots shows each curve where its numbers are, with bands, measurements and status")
def _():
    import re

    with open(f"{folder}/plot.html") as file:
        page = file.read()
    assert not re.search(r"(src|href)=|https?://", page), "something is loaded"
    panels = {}
    for svg in re.findall(r"<svg viewBox.*?</svg>", page):
        panels[re.search(r'class="title">([^<]*)<', svg)[1]] = svg
    wanted = {f"q_{j} / rad" for j in about["joints"]} | {"com_position_z / m"}
    assert set(panels) == wanted, set(panels) ^ wanted
    knee = next(j for j in about["joints"] if "knee" in j)
    for title, values in ((f"q_{knee} / rad", npz["state/q"][:, about["joints"].index(knee)]), ("com_position_z / m", npz["centroidal/com_position"][:, 2])):
        svg = panels[title]
        ticks = [(float(y) - 4.0, float(v)) for y, v in re.findall(r'y="([0-9.]+)" class="v">([-0-9.e]+)<', svg)]
        (y1, v1), (y2, v2) = ticks[0], ticks[-1]
        path = re.search(r'class="estimated" d="([^"]*)"', svg)[1]
        heights = [float(y) for y in re.findall(r"[ V]([0-9.]+)", path)]
        drawn = [v1 + (y - y1) * (v2 - v1) / (y2 - y1) for y in heights]
        pixel = abs((v2 - v1) / (y2 - y1))
        known = values[~np.isnan(values)]
        assert abs(max(drawn) - known.max()) < pixel and abs(min(drawn) - known.min()) < pixel, (title, max(drawn), known.max())
        assert abs(drawn[len(drawn) // 2] - known[len(known) // 2]) < 0.2 * np.ptp(known), title
        assert "s-ok" in svg
    joint = panels[f"q_{knee} / rad"]
    assert 'class="band"' in joint and 'class="measured"' in joint and 'class="measured"' not in panels["com_position_z / m"]


if len(sys.argv) > 3:
    check("the format's own reader decodes every message to the same number")(other_reader)
sys.exit(results.failed)
