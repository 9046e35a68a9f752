#!/bin/bash
# The world is placed while a robot stands: all topics and the state in shared memory change together, meta and an event
# say so, a reload keeps it, and who may not is refused.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/daemon.sh"
[ -x "$build/propriod-sim" ] || { echo "skip origin: no simulated robot was built"; exit 77; }
daemon_begin
sed -i 's/trigger: timer/trigger: frame, period: 0.004/' "$daemon_config"
# with patience: an estimate that begins anew, as on a machine that starves the robot, has a world of its own again
daemon_start -s input.joints_limit=1 -s input.imu_limit=1 -s input.skin_limit=1 -s motion.timeout=1
result the_daemon_starts $?
"$build/propriod-sim" --config "$daemon_config" --segment "$daemon_segment" --scenario stand --rate 250 --quiet \
  >"$daemon_dir/sim.log" 2>&1 &
simulator=$!
/usr/bin/python3 - "$daemon_dir" "$build/proprioctl" <<'PYTHON'
import math, os, subprocess, sys, time
import msgpack, zmq

folder, proprioctl = sys.argv[1:]
link = zmq.Context().socket(zmq.SUB)
link.setsockopt(zmq.RCVHWM, 0)
link.connect(f"ipc://{folder}/pub.sock")
for topic in ("state", "centroidal", "event", "meta"):
    link.subscribe(topic)
bad = False


def hear():
    if not link.poll(20000):
        sys.exit("not ok nothing_is_heard")
    topic, body = link.recv_multipart()
    return topic.decode(), msgpack.unpackb(body)


def until(wanted, tries=60000):
    """The first message for which `wanted` holds."""
    for _ in range(tries):
        topic, content = hear()
        if wanted(topic, content):
            return content
    return None


def origin(*words):
    command = [proprioctl, "origin", "--socket", folder + "/control.sock", *words]
    return subprocess.run(command, capture_output=True, text=True)


def as_nobody(request):
    """The answer to a request by another user, who may not see into the folder of the programs."""
    ask = """import socket, sys
link = socket.socket(socket.AF_UNIX)
link.settimeout(20)
link.connect(sys.argv[1])
link.sendall(sys.argv[2].encode() + b"\\n")
print(link.makefile().read())"""
    return subprocess.run(["/usr/bin/python3", "-c", ask, folder + "/control.sock", request], capture_output=True,
                          text=True, user=65534, cwd="/").stdout


def ok(name, good, note=""):
    global bad
    bad |= not good
    print("ok" if good else "not ok", name, note)


def heading(state):
    x, y, z, w = state["quat_xyzw"]
    return math.atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z))


def stands(topic, content):
    return topic == "state" and content["status"] in ("ok", "degraded") and "base_position" in content


def stands_at(state, x, y, yaw):
    p = state["base_position"]
    turned = math.remainder(heading(state) - yaw, 2 * math.pi)
    return max(abs(p[0] - x), abs(p[1] - y), abs(turned)) < 0.05


ok("the_robot_is_estimated", until(stands) is not None)
height = until(stands)["base_position"][2]
done = origin("12.5", "-3", "2")
ok("the_world_is_placed", done.returncode == 0, done.stderr)
moved = until(lambda topic, c: stands(topic, c) and stands_at(c, 12.5, -3, 2))
ok("the_base_stands_where_it_was_told", moved is not None)
ok("its_height_stays", abs(moved["base_position"][2] - height) < 0.05)
com = until(lambda topic, c: topic == "centroidal" and c["seq"] >= moved["seq"] and "com_position" in c)
ok("the_centre_of_mass_is_there_too", math.dist(com["com_position"][:2], (12.5, -3)) < 0.3, com["com_position"])
told = until(lambda topic, c: topic == "meta" and c["origin"][2] != 0)
ok("meta_tells_the_place_of_the_own_origin", told is not None and len(told["origin"]) == 3)
reload = subprocess.run([proprioctl, "reload", "--socket", folder + "/control.sock"], capture_output=True)
ok("a_reload_keeps_it", reload.returncode == 0 and stands_at(until(stands), 12.5, -3, 2))
ok("it_is_shown", "of the published world" in origin().stdout)
for words in (("nowhere",), ("1",), ("1", "x"), ("nan", "0", "0"), ("1", "2", "3", "4"), ("here", "now")):
    ok(f"{'_'.join(words)}_is_refused", origin(*words).returncode == 2)
if os.getuid() == 0:
    os.chmod(folder, 0o755)
    os.chmod(folder + "/control.sock", 0o666)
    ok("a_subscriber_may_look", as_nobody("origin").startswith("ok"))
    other = as_nobody("origin 0 0 0")
    ok("a_subscriber_may_not_move_the_world", other.startswith("failed") and "only root" in other, other)
origin("own")
back = until(lambda topic, c: stands(topic, c) and math.hypot(*c["base_position"][:2]) < 1)
ok("the_own_world_comes_back", back is not None)
ok("it_is_told_as_an_event",
   origin("here").returncode == 0 and until(lambda topic, c: topic == "event" and c["kind"] == "origin") is not None)
sys.exit(bad)
PYTHON
[ $? = 0 ] || bad=1
kill $simulator
wait $simulator 2>/dev/null
daemon_stop; result it_ends_with_0 $?
exit $bad
