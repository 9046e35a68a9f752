"""What the Python package does with a running propriod: python_check.py ENDPOINT SEGMENT PROPRIOCTL"""

import json
import math
import re
import subprocess
import sys
import time

import msgpack
import numpy as np
import zmq

import propriod

import results
from results import check

ENDPOINT, SEGMENT, PROPRIOCTL = sys.argv[1:4]
JOINTS = 30
FRAMES = 2000


def refused(kind, words, function):
    try:
        function()
    except kind as error:
        assert words in str(error), str(error)
        return
    raise AssertionError(f"no {kind.__name__}: {words}")


def shm(*words):
    said = subprocess.run([PROPRIOCTL, "shm", "dump", *words, "--segment", SEGMENT], capture_output=True, text=True, check=True)
    return said.stdout


def frames_committed(stream):
    """Since the segment was made."""
    return json.loads(shm(stream, "--json"))["frames"]


def shm_dump(stream):
    """The newest frame as proprioctl reads it: an array of rows."""
    lines = shm(stream).split("sampled at")[1].splitlines()[1:]
    return [[float(word) for word in re.sub(r"^[a-z ]+[0-9]+ ", "", line).split()] for line in lines]


@check("a driver writes a thousand frames a second of 30 joints, and none is torn, damaged, repeated or lost")
def _():
    with propriod.Subscriber(ENDPOINT, topics=("diag", "state")) as robot, propriod.Driver("joints", JOINTS, ("dq",), SEGMENT) as driver:
        q, dq = np.zeros(JOINTS), np.zeros(JOINTS)
        driver.write(q=q, dq=dq)
        before, committed = robot.latest("diag")["streams"]["joints"], frames_committed("joints")
        begun = next_ns = time.monotonic_ns()
        for _ in range(FRAMES):
            t = (next_ns - begun) * 1e-9
            q[:], dq[:] = 0.1 * math.sin(t), 0.1 * math.cos(t)
            driver.write(next_ns, q=q, dq=dq)
            next_ns += 1_000_000
            time.sleep(max(0.0, (next_ns - time.monotonic_ns()) * 1e-9))
        took = (time.monotonic_ns() - begun) * 1e-9
        total = frames_committed("joints") - committed
        dq[:] = 0 # it stands there until the estimate, which a busy machine has late, says so
        deadline = time.monotonic() + 60
        while not np.allclose(robot.latest("state")["q"], q, atol=0.02) and time.monotonic() < deadline:
            driver.write(q=q, dq=dq)
            time.sleep(0.01)
        after = robot.latest("diag")["streams"]["joints"]
        wrong = {key: after[key] - before[key] for key in ("torn", "corrupt", "duplicate", "reordered", "future", "unstamped")}
        # a daemon without real time, on a machine at work, takes the newest of what has come meanwhile
        print(f"# {FRAMES} frames in {took:.2f} s, {after['frames'] - before['frames']} met a cycle, {wrong}")
        assert total == FRAMES and not any(wrong.values()), (total, wrong)
        assert np.allclose(robot.latest("state")["q"], q, atol=0.02)


@check("writing a frame of 30 joints takes a small part of a millisecond")
def _():
    with propriod.Driver("joints", JOINTS, segment=SEGMENT) as driver:
        q, took = np.zeros(JOINTS), []
        for _ in range(2000):
            begun = time.perf_counter_ns()
            driver.write(q=q)
            took.append(time.perf_counter_ns() - begun)
        print(f"# median {np.median(took) * 1e-3:.1f} us")
        assert np.median(took) < 200_000


@check("a frame that is not whole is refused before anything is written")
def _():
    with propriod.Driver("joints", JOINTS, ("tau",), SEGMENT) as driver:
        refused(ValueError, "carries q, tau", lambda: driver.write(q=np.zeros(JOINTS)))
        refused(ValueError, "shape (29,), expected (30,)", lambda: driver.write(q=np.zeros(JOINTS), tau=np.zeros(29)))
        refused(ValueError, "shape (1,), expected (30,)", lambda: driver.write(q=[0.0], tau=np.zeros(JOINTS)))


@check("another number of joints, a second writer, a wrong name are refused with the reason of the segment")
def _():
    refused(propriod.Refused, "configured for 30, this driver has 29", lambda: propriod.Driver("joints", 29, segment=SEGMENT))
    refused(propriod.Refused, "is propriod running?", lambda: propriod.Driver("joints", JOINTS, segment="nowhere-at-all"))
    refused(ValueError, "no such stream", lambda: propriod.Driver("joint", JOINTS, segment=SEGMENT))
    refused(ValueError, "no optional force", lambda: propriod.Driver("joints", JOINTS, ("force",), SEGMENT))
    with propriod.Driver("joints", JOINTS, segment=SEGMENT):
        refused(propriod.Refused, "another writer has this stream", lambda: propriod.Driver("joints", JOINTS, segment=SEGMENT))
    propriod.Driver("joints", JOINTS, segment=SEGMENT).close()


@check("what is written of every stream arrives where a reader in C looks for it")
def _():
    cells = 1260
    with propriod.Driver("imu", optional=("orientation",), segment=SEGMENT) as imu:
        imu.write(specific_force=[1, 2, 3], angular_rate=[4, 5, 6], orientation=[0, 0, 0, 1])
        assert shm_dump("imu") == [[1, 2, 3], [4, 5, 6], [0, 0, 0, 1]], shm_dump("imu")
    with propriod.Driver("skin", cells, ("proximity", "force"), SEGMENT) as skin:
        frame = skin.begin()
        rows = np.arange(6.0 * cells).reshape(cells, 6)
        rows[:, 3] = propriod.CELL_VALID
        frame["acceleration"][:], frame["flags"][:] = rows[:, :3], rows[:, 3]
        frame["proximity"][:], frame["force"][:] = rows[:, 4], rows[:, 5]
        skin.commit()
        assert skin.wanted(0) and not skin.wanted(cells)
        assert np.array_equal(shm_dump("skin"), rows), shm_dump("skin")[:4]


@check("a backlog of messages is dropped in milliseconds, and none of it is counted as missing")
def _():
    link = zmq.Context.instance().socket(zmq.PUB)
    link.sndhwm = 0
    endpoint = "inproc://backlog"
    link.bind(endpoint)
    with propriod.Subscriber(endpoint, topics=("state",)) as robot:
        robot._socket.rcvhwm = 0
        packed = {"v": 1, "timestamp": 0.0, "q": [0.1] * JOINTS, "dq": [0.1] * JOINTS, "ddq": [None] * JOINTS}
        deadline = time.monotonic() + 5
        while not robot._socket.poll(10) and time.monotonic() < deadline:
            link.send_multipart([b"state", msgpack.packb({"seq": 0, **packed})])
        robot.latest("state")
        n = 900
        for seq in range(1, n + 1):
            link.send_multipart([b"state", msgpack.packb({"seq": seq, **packed})])
        begun = time.perf_counter()
        newest = robot.latest("state")
        took = time.perf_counter() - begun
        print(f"# {n} messages dropped in {1e3 * took:.1f} ms")
        assert newest["seq"] == n and robot.missing["state"] == 0 and took < 0.1, (newest["seq"], robot.missing, took)
        assert isinstance(newest["q"], np.ndarray) and np.isnan(newest["ddq"]).all()
        # what did not come is
        link.send_multipart([b"state", msgpack.packb({"seq": n + 4, **packed})])
        assert robot.latest("state")["seq"] == n + 4 and robot.missing["state"] == 3, robot.missing
    link.close()


@check("joints are found by name")
def _():
    with propriod.Subscriber(ENDPOINT, topics=("state",)) as robot:
        state = robot.latest("state")
        assert robot.named(state["q"])["left_knee_joint"] == state["q"][robot.joint("left_knee_joint")]


sys.exit(results.failed)
