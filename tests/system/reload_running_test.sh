#!/bin/bash
# A reload while a robot moves: the estimate goes on as if nothing had happened, without a gap, a new start or a jump.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/daemon.sh"
[ -x "$build/propriod-sim" ] || { echo "skip reload_running: no simulated robot was built"; exit 77; }
daemon_begin
# at a quarter of the usual rate, which a busy machine can keep
sed -i 's/trigger: timer/trigger: frame, period: 0.004/' "$daemon_config"
daemon_start; result the_daemon_starts $?
"$build/propriod-sim" --config "$daemon_config" --segment "$daemon_segment" --scenario arm-swing --rest 0.5 --rate 250 --joints 250 --imu 250 --quiet \
  >"$daemon_dir/sim.log" 2>&1 &
simulator=$!
/usr/bin/python3 - "$daemon_dir" "$build/proprioctl" <<'PYTHON'
import os, subprocess, sys, time
import msgpack, zmq

folder, proprioctl = sys.argv[1:]
link = zmq.Context().socket(zmq.SUB)
link.setsockopt(zmq.RCVHWM, 0)
link.connect(f"ipc://{folder}/pub.sock")
link.subscribe("state")


def listen(seconds):
    until, heard = time.monotonic() + seconds, []
    while time.monotonic() < until:
        if link.poll(20):
            heard.append(msgpack.unpackb(link.recv_multipart()[1]))
    return heard


def until_ok(seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        heard = listen(0.2)
        if heard and heard[-1]["status"] == "ok":
            return True
    return False


def ok(name, good, note=""):
    print("ok" if good else "not ok", name, note)
    return bool(good)


started = ok("the_moving_robot_is_estimated", until_ok(15))
heard, starts = [], []
for _ in range(10):
    heard += listen(0.2)
    starts.append(heard[-1]["seq"])
    process = subprocess.Popen([proprioctl, "reload", "--socket", folder + "/control.sock"], stdout=subprocess.DEVNULL)
    heard += listen(0.2)
    started &= process.wait() == 0
if os.environ.get("SANITIZE"):
    print("skip estimates_at_a_reload: a sanitizer is slower than the robot")
    sys.exit(not started)
gaps = sum(b["seq"] - a["seq"] != 1 for a, b in zip(heard, heard[1:]))
good = ok("ten_reloads_leave_no_gap", gaps == 0 and len(heard) > 250, f"# {len(heard)} states, {gaps} gaps")


def is_after(state, start):
    """Within 100 ms of the reload."""
    return 0 <= state["seq"] - start < 25


def is_near(state):
    return any(is_after(state, start) for start in starts)


# a reload that starts the filter anew does so every time
anew = [b for a, b in zip(heard, heard[1:]) if b["resets"] != a["resets"] or b["status"] in ("init", "diverged")]
hit = sum(any(is_after(s, start) for s in anew) for start in starts)
good &= ok("no_reload_starts_the_estimate_anew", hit <= 2, f"# after {hit} of 10 reloads; {len(anew)} in all")


def largest_step(states, field):
    """Between states of neighbouring cycles: a machine that stands still moves the robot on meanwhile."""
    return max((max(abs(x - y) for x, y in zip(a[field], b[field])) for a, b in zip(states, states[1:])
                if field in a and field in b and b["seq"] - a["seq"] == 1 and b["t_mono_ns"] - a["t_mono_ns"] < 12e6),
               default=0.0)


away = [s for s in heard if not is_near(s)]
for field in ("q", "dq", "ddq"):
    if field in heard[-1]:
        after = sorted(largest_step([s for s in heard if is_after(s, start)], field) for start in starts)
        a, b = after[len(after) // 2], largest_step(away, field)
        good &= ok(f"{field}_steps_no_further_at_a_reload", a <= 3 * b, f"# {a:.2g} at reloads, {b:.2g} elsewhere")
sys.exit(not (started and good))
PYTHON
[ $? = 0 ] || bad=1
kill $simulator
wait $simulator 2>/dev/null
daemon_stop; result it_ends_with_0 $?
exit $bad
