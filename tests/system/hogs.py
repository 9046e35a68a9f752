"""Hogs beside the service, inside the throw-away systemd: a driver that writes without a pause, clients of the control socket that hold
its places or ask without end, and reloads without end of a large description and from a disk that does not answer. The cycle's processor time with them is compared with its time without, in turns.

Prints `ok NAME` or `not ok NAME`, and figures."""
import contextlib
import grp
import os
import signal
import socket
import statistics
import subprocess
import sys
import time

import results

CONFIG = "/etc/propriod/propriod.yaml"
CONTROL = "/run/propriod/control.sock"
PERIOD_S, WINDOW_S, TURNS = 0.004, 0.5, 3
MOST = 1.5  # times its normal time

DRIVE = """
import sys, time, propriod
hertz = float(sys.argv[1])
with propriod.Driver("joints", 30) as driver:
    while True:
        driver.write(q=[0.0] * 30)
        if hertz > 0:
            time.sleep(1 / hertz)
"""
HOLD = """
import socket, sys, time
held = [socket.socket(socket.AF_UNIX) for _ in range(8)]
for link in held:
    link.connect(sys.argv[1])
print("held", flush=True)
time.sleep(600)
"""
ASK = """
import socket, sys
print("held", flush=True)
while True:
    try:
        link = socket.socket(socket.AF_UNIX)
        link.connect(sys.argv[1])
        link.sendall(b"status\\n")
        while link.recv(65536):
            pass
        link.close()
    except OSError:
        pass
"""


def show(name):
    return subprocess.run(["systemctl", "show", "propriod", "-P", name], capture_output=True, text=True).stdout.strip()


def started(command, user, group):
    return subprocess.Popen(command, user=user, group=65534, extra_groups=[grp.getgrnam(group).gr_gid], stdout=subprocess.PIPE,
                            stderr=subprocess.DEVNULL, text=True)


@contextlib.contextmanager
def driver(hertz):
    """Writes joints, as fast as it can for a rate of 0; the service has begun to take its frames."""
    process = started([sys.executable, "-c", DRIVE, str(hertz)], 65534, "propriod-in")
    before = counter("joints.frames")
    while counter("joints.frames") < before + 20:
        if process.poll() is not None:  # the last one's place was not free yet
            process = started(process.args, 65534, "propriod-in")
        time.sleep(0.02)
    try:
        yield
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait()


@contextlib.contextmanager
def clients():
    """Five users: four hold as many places as they get, one asks without end."""
    held = [started([sys.executable, "-c", HOLD if i < 4 else ASK, CONTROL], 60001 + i, "propriod") for i in range(5)]
    for process in held:
        process.stdout.readline()
    try:
        yield
    finally:
        for process in held:
            process.kill()
            process.wait()


@contextlib.contextmanager
def large_reloads():
    """One reload after the other of a description that begins with megabytes of comment."""
    with open(CONFIG) as file:
        usual = file.read()
    urdf = next(line.split()[1] for line in usual.split("\n") if line.startswith("  urdf: "))
    with open(os.path.join("/etc/propriod", urdf)) as file:
        head, root, robot = file.read().partition("<robot")
    with open("/etc/propriod/robots/large.urdf", "w") as file:
        file.write(head + f"<!-- {'x' * 76} -->\n" * 40000 + root + robot)
    with open(CONFIG, "w") as file:
        file.write(usual.replace(f"  urdf: {urdf}", "  urdf: robots/large.urdf"))
    process = subprocess.Popen(["sh", "-c", "while :; do proprioctl reload && echo reloaded; done"], stdout=subprocess.PIPE, text=True)
    while "reloaded" not in process.stdout.readline():
        assert process.poll() is None
    try:
        yield
    finally:
        process.kill()
        process.wait()
        with open(CONFIG, "w") as file:
            file.write(usual)
        subprocess.run(["proprioctl", "reload"], stdout=subprocess.DEVNULL)  # the last of them has ended then


@contextlib.contextmanager
def silent_disk():
    """The thread that reads stands still within a reload."""
    holder = subprocess.Popen(["/opt/hold_thread.py", show("MainPID"), "loader"], stdout=subprocess.PIPE)
    holder.stdout.readline()
    waiting = subprocess.Popen(["proprioctl", "reload"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        yield
    finally:
        holder.kill()
        holder.wait()
        waiting.wait()


def counter(name):
    with socket.socket(socket.AF_UNIX) as link:
        link.connect(CONTROL)
        link.sendall(b"counters\n")
        said = link.makefile().read()
    return next((int(line.split()[1]) for line in said.split("\n") if line.startswith(name + " ")), 0)


def cycle_time():
    """Seconds of processor time of the real-time thread."""
    tasks = f"/proc/{show('MainPID')}/task"
    for task in os.listdir(tasks):
        with open(f"{tasks}/{task}/comm") as comm:
            if comm.read().strip() == "cycle":
                with open(f"{tasks}/{task}/schedstat") as stat:
                    return int(stat.read().split()[0]) * 1e-9
    raise LookupError("no thread named cycle")


def share():
    """Of a processor, over one window."""
    begun, before = time.monotonic(), cycle_time()
    time.sleep(WINDOW_S)
    return (cycle_time() - before) / (time.monotonic() - begun)


def written():
    """Frames of joints in a second, from the numbers that the service has seen go by."""
    def count():
        return sum(counter("joints." + name) for name in ("frames", "lost", "overtaken"))
    before, begun = count(), time.monotonic()
    time.sleep(WINDOW_S)
    return (count() - before) / (time.monotonic() - begun)


def compare(calm, hogged):
    """One way with each of some others, all by turns. hogged: NAME to way."""
    shares = {way: [] for way in (calm, *hogged.values())}
    for _ in range(TURNS):
        for way, taken in shares.items():
            with way():
                taken.append(share())
    normal = statistics.median(shares[calm])
    for name, way in hogged.items():
        beside = statistics.median(shares[way])
        print(f"# the cycle takes {100 * normal:.1f} % of a processor, beside them {100 * beside:.1f} %: {beside / normal:.2f} times")
        if MOST * normal < beside <= 2 * MOST * normal:
            print(f"skip {name}: asked and not reached: {MOST} times its normal time")
        else:
            results.result(name, 0 < beside <= MOST * normal)


def usual_driver():
    return driver(1 / PERIOD_S)


def fast_driver():
    return driver(0)


def main():
    pid = show("MainPID")
    compare(usual_driver, {"a_driver_without_a_pause_leaves_the_cycle_its_time": fast_driver})
    with usual_driver():
        compare(contextlib.nullcontext, {"clients_that_hog_the_control_socket_leave_the_cycle_its_time": clients,
                                         "reloads_without_end_leave_the_cycle_its_time": large_reloads,
                                         "a_disk_that_does_not_answer_leaves_the_cycle_its_time": silent_disk})
    with fast_driver(), clients():
        print(f"# it writes {written():.0f} frames a second")
        reloaded = subprocess.run(["systemctl", "reload", "propriod"]).returncode == 0
        results.result("it_reloads_beside_all_of_them", reloaded and show("MainPID") == pid and show("NRestarts") == "0")
        restarted = subprocess.run(["systemctl", "restart", "propriod"]).returncode == 0
        results.result("and_starts", restarted and show("ActiveState") == "active" and show("MainPID") != pid)
    return results.failed


if __name__ == "__main__":
    sys.exit(main())
