"""Hears a running propriod for a while: memory, lost messages, counters. soak.py MODULE_FOLDER ENDPOINT PID SECONDS

Prints one JSON line per figure, and ends with 1 when memory grew, a message was lost or a number was not finite."""

import json
import math
import sys
import time

import numpy as np

sys.path.insert(0, sys.argv[1])
sys.dont_write_bytecode = True
import propriod  # noqa: E402

ENDPOINT, PID, SECONDS = sys.argv[2], int(sys.argv[3]), float(sys.argv[4])
SETTLING = min(10.0, SECONDS / 4)  # until every buffer has been used once
MOST_GROWTH_KIB = 8192  # what soak.sh lets wait for this listener: 2000 messages of up to 3 kB, and a margin
LOOK_AT = 16  # of so many messages at one, number by number: all would take longer than they come


def resident_kib():
    with open(f"/proc/{PID}/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS"))


def finite(value):
    if isinstance(value, np.ndarray):
        return bool(np.isfinite(value).all())
    if isinstance(value, list):
        return all(finite(element) for element in value)
    return not isinstance(value, float) or math.isfinite(value)


def hear(robot, seconds):
    """Messages heard, and how many of those looked at had a number that was not finite."""
    heard, bad = 0, 0
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        _, message = robot.receive()
        heard += 1
        if heard % LOOK_AT == 0:
            bad += not all(finite(value) for value in message.values())
    return heard, bad


def figure(name, value, unit):
    print(json.dumps({"name": name, "value": value, "unit": unit}), flush=True)


with propriod.Subscriber(ENDPOINT, topics=("state", "centroidal", "diag", "skin")) as robot:
    hear(robot, SETTLING)
    before, first = resident_kib(), robot.latest("diag")
    robot.missing = dict.fromkeys(robot.missing, 0)
    messages, not_finite = hear(robot, SECONDS - SETTLING)
    growth, last = resident_kib() - before, robot.latest("diag")
    lost = sum(robot.missing.values())

cycles = last["cycle"]["cycles"] - first["cycle"]["cycles"]
figure("soak_messages", messages, "messages")
figure("soak_lost", lost, "messages")
figure("soak_not_finite", not_finite, "messages")
figure("soak_memory_growth", growth, "KiB")
figure("soak_cycles", cycles, "cycles")
for counter in ("overruns", "skipped", "predicted", "dropped"):
    figure(f"soak_{counter}", last["cycle"][counter] - first["cycle"][counter], "cycles")
figure("soak_resets", last["filter"]["resets"] - first["filter"]["resets"], "resets")
sys.exit(1 if growth > MOST_GROWTH_KIB or lost or not_finite else 0)
