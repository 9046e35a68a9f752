#!/bin/bash
# A storm of reloads, a third of them bad: what is published comes no later than without it.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/daemon.sh"
[ -z "${SANITIZE:-}" ] || { echo "skip reload_storm: a sanitizer makes everything late"; exit 77; }
daemon_begin
cp "$daemon_config" "$daemon_dir/good"
sed 's/trigger: timer/triger: timer/' "$daemon_config" >"$daemon_dir/bad"
daemon_start; result the_daemon_starts $?
/usr/bin/python3 - "$daemon_dir" <<'PYTHON'
import os, shutil, socket, sys, threading, time
import msgpack, zmq

folder = sys.argv[1]
LATE_MS = 50
lag, ending = [], False


def hear():
    link = zmq.Context().socket(zmq.SUB)
    link.setsockopt(zmq.RCVHWM, 0)
    link.connect(f"ipc://{folder}/pub.sock")
    link.subscribe("state")
    while not ending:
        if link.poll(50):
            body = link.recv_multipart()[1]
            now = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
            lag.append((now - msgpack.unpackb(body)["t_mono_ns"]) / 1e6)


def reload(name):
    shutil.copy(f"{folder}/{name}", folder + "/next")
    os.rename(folder + "/next", folder + "/propriod.yaml")
    link = socket.socket(socket.AF_UNIX)
    link.settimeout(20)
    link.connect(folder + "/control.sock")
    link.sendall(b"reload\n")
    said = link.makefile().read()
    assert said.startswith("failed\n" if name == "bad" else "ok\n"), said


def window(seconds, stormy):
    """States that came more than LATE_MS late, and how many reloads there were meanwhile."""
    lag.clear()
    reloads, end = 0, time.monotonic() + seconds
    while time.monotonic() < end:
        if stormy:
            reload("good" if reloads % 3 else "bad")
            reloads += 1
        else:
            time.sleep(0.02)
    return sum(x > LATE_MS for x in lag), max(lag, default=1e3 * seconds), len(lag), reloads


listener = threading.Thread(target=hear, daemon=True)
listener.start()
time.sleep(0.5)
late, worst, heard, reloads = {True: 0, False: 0}, {True: 0.0, False: 0.0}, 0, 0
for _ in range(3):
    for stormy in (False, True):
        n, most, states, count = window(2, stormy)
        late[stormy] += n
        worst[stormy] = max(worst[stormy], most)
        heard += states
        reloads += count
ending = True
listener.join()
print(f"# {reloads} reloads: {late[True]} states more than {LATE_MS} ms late, at worst {worst[True]:.1f} ms; "
      f"without reloads {late[False]} and {worst[False]:.1f} ms")
# a machine that is busy elsewhere makes them late with and without reloads
sys.exit(late[True] > 2 * late[False] or reloads < 60 or heard < 3000)
PYTHON
timely a_storm_of_reloads_makes_no_state_late $?
daemon_stop; result it_ends_with_0 $?
exit $bad
