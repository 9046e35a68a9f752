"""Makes logs as other programs write them, and compares what was imported: import_check.py make|compare FOLDER"""

import json
import shutil
import sqlite3
import struct
import sys

import numpy as np

import results
from results import result

what, folder = sys.argv[1:3]


class Cdr:
    """Little-endian CDR, by the book: XTypes, plain, version 1."""

    def __init__(self):
        self.body = b""

    def put(self, kind, *values):
        size = struct.calcsize(kind)
        self.body += bytes(-len(self.body) % size) + struct.pack(f"<{len(values)}{kind}", *values)
        return self

    def text(self, word):
        self.put("I", len(word) + 1)
        self.body += word.encode() + b"\0"
        return self

    def header(self, t_ns):
        return self.put("i", t_ns // 10**9).put("I", t_ns % 10**9).text("base")

    def done(self):
        return b"\0\1\0\0" + self.body


def joint_state(t_ns, names, q, dq=()):
    message = Cdr().header(t_ns).put("I", len(names))
    for name in names:
        message.text(name)
    for array in (q, dq, ()):
        message.put("I", len(array))
        if len(array):
            message.put("d", *array)
    return message.done()


def imu(t_ns, force, rate):
    return Cdr().header(t_ns).put("d", 0, 0, 0, 1, -1, *[0] * 8, *rate, *[0] * 9, *force, *[0] * 9).done()


def uneven():
    """Stamps of the time of day, at uneven distances, and numbers for them."""
    random = np.random.default_rng(7)
    t_ns = 1_700_000_000_000_000_000 + np.cumsum(random.integers(1_000_000, 30_000_000, 200))
    return t_ns, random.normal(size=(200, 9)), random.normal(size=(200, 9)), random.normal(size=(200, 6))


def make():
    names = json.loads(np.load(f"{folder}/chain.npz")["about.json"])["joints"]
    t_ns, q, dq, m = uneven()
    bag = sqlite3.connect(f"{folder}/bag.db3")
    bag.execute("CREATE TABLE topics(id INTEGER PRIMARY KEY, name TEXT, type TEXT, serialization_format TEXT, offered_qos_profiles TEXT)")
    bag.execute("CREATE TABLE messages(id INTEGER PRIMARY KEY, topic_id INTEGER, timestamp INTEGER, data BLOB)")
    topics = [(1, "/other", "std_msgs/msg/String"), (2, "/joint_states", "sensor_msgs/msg/JointState"), (3, "/imu/data", "sensor_msgs/msg/Imu")]
    bag.executemany("INSERT INTO topics VALUES(?, ?, ?, 'cdr', '')", topics)
    order = [4, 0, 8, 1, 2, 3, 7, 6, 5]  # the joints of others come in an order of their own, with some that this robot has not
    for i in range(len(t_ns)):
        message = joint_state(int(t_ns[i]), ["wheel", *(names[j] for j in order)], [9.0, *q[i][order]], [9.0, *dq[i][order]])
        bag.execute("INSERT INTO messages(topic_id, timestamp, data) VALUES(2, ?, ?)", (int(t_ns[i]) + 5_000_000, message))
        bag.execute("INSERT INTO messages(topic_id, timestamp, data) VALUES(3, ?, ?)", (int(t_ns[i]), imu(int(t_ns[i]), m[i][:3], m[i][3:])))
    bag.execute("INSERT INTO messages(topic_id, timestamp, data) VALUES(1, 0, x'00010000')")
    bag.commit()
    bag.close()
    shutil.copy(f"{folder}/bag.db3", f"{folder}/cut.db3")
    cut = sqlite3.connect(f"{folder}/cut.db3")
    cut.execute("UPDATE messages SET data = substr(data, 1, 40) WHERE id = 101")
    cut.commit()
    cut.close()
    # milliseconds from zero and degrees, columns without names, in two files
    with open(f"{folder}/t.txt", "w") as times, open(f"{folder}/q.txt", "w") as values:
        for t, row in zip(t_ns - t_ns[0], q):
            times.write(f"{t / 1e6!r}\n")
            values.write(" ".join(repr(float(np.degrees(v))) for v in row) + "\n")


def same(a, b, tolerance=0.0):
    return a.shape == b.shape and np.allclose(a, b, rtol=0, atol=tolerance, equal_nan=True)


def compare():
    original, mcap, bag, table = (np.load(f"{folder}/{name}.npz") for name in ("chain", "mcap", "bag", "table"))
    arrays = ("joints/q", "imu/specific_force", "imu/angular_rate")
    result("what_was_exported_as_mcap_is_imported_to_the_same_bits", all(same(original[a], mcap[a]) for a in arrays))
    # the simulation begins at zero
    result("and_its_stamps", all(same(original[a] + 10**9, mcap[a]) for a in ("joints/t_ns", "imu/t_ns")))
    t_ns, q, dq, m = uneven()
    result("a_rosbag_is_imported_by_names_of_joints_to_the_same_bits", same(bag["joints/q"], q) and same(bag["joints/dq"], dq))
    result("the_imu_of_a_rosbag_too", same(bag["imu/specific_force"], m[:, :3]) and same(bag["imu/angular_rate"], m[:, 3:]))
    result("uneven_stamps_are_kept", same(bag["joints/t_ns"], t_ns) and same(bag["imu/t_ns"], t_ns))
    result("a_table_in_two_files_in_degrees_and_milliseconds_is_imported", same(table["joints/q"], q, 1e-15))
    result("a_log_from_zero_begins_at_a_second", same(table["joints/t_ns"], t_ns - t_ns[0] + 10**9, 1))


make() if what == "make" else compare()
sys.exit(results.failed)
