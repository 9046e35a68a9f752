"""What a Python subscriber sees of a running propriod: publish_check.py PATH_OF_MODULE ENDPOINT TCP_ENDPOINT"""

import math
import os
import re
import sys
import time
import xml.etree.ElementTree as xml

import msgpack
import numpy as np
import zmq

sys.path.insert(0, sys.argv[1])
sys.dont_write_bytecode = True
import propriod  # noqa: E402
import results  # noqa: E402
from results import check  # noqa: E402

ENDPOINT, TCP = sys.argv[2], sys.argv[3]
SLOW = bool(os.environ.get("SANITIZE"))  # the daemon then needs many times as long for a cycle


ENOUGH = 20 if SLOW else 300  # messages
PATIENCE = 60.0  # s, of which only a machine without time needs much


def hear(endpoint):
    with propriod.Subscriber(endpoint, topics=("state", "centroidal")) as robot:
        robot.receive()
        seqs = {"state": [], "centroidal": []}
        end = time.monotonic() + PATIENCE
        while min(map(len, seqs.values())) < ENOUGH:
            assert time.monotonic() < end, {topic: len(seq) for topic, seq in seqs.items()}
            topic, message = robot.receive()
            if topic in seqs:
                seqs[topic].append(message["seq"])
        for topic, seq in seqs.items():
            assert seq == list(range(seq[0], seq[0] + len(seq))), f"{topic}: a gap in seq"
        assert robot.missing == {"state": 0, "centroidal": 0, "meta": 0}, robot.missing


@check("a Python subscriber hears state and centroidal of every cycle over ipc, with no gap in seq")
def _():
    hear(ENDPOINT)


@check("a Python subscriber hears the same over tcp")
def _():
    hear(TCP)


@check("latest gives the newest state to who has not listened for a while, and counts nothing as missing")
def _():
    with propriod.Subscriber(ENDPOINT) as robot, propriod.Subscriber(ENDPOINT) as other:
        first = robot.latest("state")
        for _ in range(5 if SLOW else 100):
            heard = other.receive()[1]
            while "q" not in heard or heard["seq"] <= first["seq"]:
                heard = other.receive()[1]
        second = robot.latest("state")
        # the two links may differ by some messages on their way, but not by all that waited
        missed, behind = heard["seq"] - first["seq"], heard["seq"] - second["seq"]
        assert 0 < missed and behind < missed / 2, (first["seq"], heard["seq"], second["seq"])
        assert robot.missing["state"] == 0


@check("meta gives name, unit and frame of all that state and centroidal carry")
def _():
    with propriod.Subscriber(ENDPOINT) as robot:
        for topic in ("state", "centroidal"):
            message = robot.latest(topic)
            described = robot.meta["topics"][topic]
            for key in set(message) - {"v", "seq", "timestamp", "t_mono_ns", "status", "not_estimated"}:
                assert set(described[key]) == {"shape", "unit", "frame", "meaning"}, key
                if described[key]["shape"] == "[joint]":
                    assert len(message[key]) == len(robot.joints), key
            assert set(message["not_estimated"]) == set(described) - set(message)
        assert robot.joints[robot.joint("left_knee_joint")] == "left_knee_joint"
        assert len(robot.meta["joint_units"]) == len(robot.joints)


@check("skin says of every cell whether it is used, in the order of meta's cell_links")
def _():
    with propriod.Subscriber(ENDPOINT, topics=("skin",)) as robot:
        skin = robot.latest("skin")
        assert len(skin["cell_state"]) == len(robot.meta["cell_links"]) == robot.meta["n_cells"] == 1260
        counts = {state: int((skin["cell_state"] == code).sum()) for code, state in enumerate(robot.meta["cell_states"])}
        assert counts == {state: skin["cells_" + state] for state in robot.meta["cell_states"]}, counts
        assert counts["ok"] + counts["suspect"] > 1000, counts


@check("timestamp is now in seconds since 1970, and no number is NaN")
def _():
    with propriod.Subscriber(ENDPOINT) as robot:
        state = robot.latest("state")
        since_boot = time.time() - time.clock_gettime(time.CLOCK_MONOTONIC)
        assert abs(state["timestamp"] - 1e-9 * state["t_mono_ns"] - since_boot) < 0.01
        assert not any(math.isnan(value) for value in state["q"])


@check("every message is a topic and one map that begins with v, seq, timestamp, t_mono_ns and status")
def _():
    known = ("state", "centroidal", "inertia", "skin", "diag", "event", "meta")
    assert not any(a != b and b.startswith(a) for a in known for b in known), "a topic is the beginning of another"
    link = zmq.Context.instance().socket(zmq.SUB)
    link.linger = 0
    link.subscribe("")
    link.connect(ENDPOINT)
    heard = {}
    end = time.monotonic() + PATIENCE
    wanted = {"meta": 4, "diag": 25, "skin": 25}
    while any(len(heard.get(topic, [])) < n for topic, n in wanted.items()):
        assert time.monotonic() < end, {topic: len(stamps) for topic, stamps in heard.items()}
        assert link.poll(5000), "silence"
        frames = link.recv_multipart()
        assert len(frames) == 2, f"{len(frames)} frames"
        topic, message = frames[0].decode(), msgpack.unpackb(frames[1])
        assert topic in known, topic
        assert list(message)[:5] == ["v", "seq", "timestamp", "t_mono_ns", "status"], list(message)[:5]
        assert message["v"] == 1 and isinstance(message["timestamp"], float), topic
        assert message["status"] in ("init", "ok", "degraded", "diverged", "stale"), message["status"]
        heard.setdefault(topic, []).append(message["t_mono_ns"])
    link.close()
    # meta comes with the subscription and then once a second, diag and skin ten times: seldom enough that nobody drowns
    for topic, hz in (("meta", 1), ("diag", 10), ("skin", 10)):
        span = 1e-9 * (heard[topic][-1] - heard[topic][0])
        assert len(heard[topic]) <= 1.5 * hz * span + 3, (topic, len(heard[topic]), span)


@check("meta describes every topic that is published")
def _():
    with propriod.Subscriber(ENDPOINT, topics=()) as robot:
        described = set(robot.meta["topics"])
        assert described == set(propriod.TOPICS) - {"meta"}, described


@check("who does not hear enough is told by Silent, and who asks for what he did not subscribe by ValueError")
def _():
    with propriod.Subscriber("ipc:///nowhere.sock") as robot:
        try:
            robot.receive(timeout=0.1)
            raise AssertionError("heard something from nowhere")
        except propriod.Silent:
            pass
        try:
            robot.latest("skin")
            raise AssertionError("latest() of a topic that was not subscribed")
        except ValueError:
            pass


def curves_of(topic, message, described, feet):
    """Names that PlotJuggler gives to a message's numbers, and to those that are described and not estimated."""
    names = set()

    def flatten(prefix, value):
        if isinstance(value, dict):
            for key, inner in value.items():
                flatten(f"{prefix}/{key}", inner)
        elif isinstance(value, (list, np.ndarray)):
            for i, inner in enumerate(value):
                flatten(f"{prefix}[{i}]", inner)
        elif isinstance(value, (int, float, np.number)):
            names.add(prefix)

    flatten(topic, message)
    length = {"[x,y,z]": 3, "[x,y,z,w]": 4, "[joint]": len(message.get("q", [])), "[foot]": feet, "number": 0, "integer": 0}
    for key in message.get("not_estimated", []):
        flatten(f"{topic}/{key}", [0.0] * length.get(described[key]["shape"], 0) or 0.0)
    return names


@check("every curve of the PlotJuggler layout is something that is published")
def _():
    layout = xml.parse(sys.argv[1] + "/../plotjuggler/propriod.xml").getroot()
    curves = {curve.get("name") for curve in layout.iter("curve")}
    assert len(curves) > 40
    topics = ("state", "centroidal", "inertia", "diag")
    with propriod.Subscriber(ENDPOINT, topics=topics) as robot:
        names = set()
        for topic in topics:
            names |= curves_of(topic, robot.latest(topic), robot.meta["topics"][topic], len(robot.meta["feet"]))
    # the age of a stream that was never heard has no curve yet
    unknown = {name for name in curves - names if not re.fullmatch(r"diag/streams/\w+/age", name)}
    assert not unknown, sorted(unknown)


sys.exit(results.failed)
