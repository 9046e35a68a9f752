"""An MCAP file that the recorder wrote, against what export made of the recording beside it.

mcap_beside_check.py LIVE EXPORTED LEFT_OUT   every message is to the byte one of the export, and of those with the
                                              rate of cycles at most so many are missing as were left out
"""
import collections
import sys

from mcap_reader import Mcap

EVERY_CYCLE = ["/joint_states", "/odom"]
OFTEN = ["/state", "/centroidal", "/tf", "/com"]


def topics(mcap):
    return {topic for _, topic, _ in mcap.channels.values()}


live, exported, left_out = Mcap(sys.argv[1]), Mcap(sys.argv[2]), int(sys.argv[3])
assert topics(live) == topics(exported), (topics(live), topics(exported))
for topic in topics(live):
    there = collections.defaultdict(set)
    for time, data in exported.topic(topic):
        there[time].add(bytes(data))
    strange = [time for time, data in live.topic(topic) if bytes(data) not in there[time]]
    assert not strange, f"{topic}: {len(strange)} messages that the export does not have, first at {strange[0]}"
for topic in EVERY_CYCLE:
    counts = len(live.topic(topic)), len(exported.topic(topic))
    assert counts[0] <= counts[1] <= counts[0] + left_out and counts[1] > 200, f"{topic}: {counts}, {left_out} left out"
for topic in OFTEN:
    assert len(live.topic(topic)) > 20, f"{topic}: {len(live.topic(topic))} messages"
print(f"# {sum(len(live.topic(topic)) for topic in topics(live))} messages the same, {left_out} cycles left out")
