#!/bin/bash
# A driver with joints in an order of its own, one of them turned round and with another zero, one that is held fast.
set -u
source "$(dirname "${BASH_SOURCE[0]}")/daemon.sh"
daemon_begin
cd "$project" || exit 1
config() { # JOINTS
  cat >"$daemon_config" <<CONFIG
robot:
  urdf: robots/tx40.urdf
  fixed_base: true
  locked: [joint_6]
  joints: [$1]
input: {segment: $daemon_segment, joints_limit: 1}
cycle: {period: 0.01}
service: {runtime_directory: $daemon_dir, state_directory: $daemon_dir}
CONFIG
}
config 'joint_6, -joint_5=0.25, joint_2, joint_1, joint_4, joint_3'
daemon_start
result a_robot_with_joints_in_another_order_starts $?
"$build/proprioctl" check "$daemon_config" >"$daemon_dir/log" 2>&1
grep -q '^  joints  *6, in this order: (ignored), -joint_5=0.25, joint_2, joint_1,' "$daemon_dir/log"
result check_shows_order_signs_and_zeros $?
"$build/propriod-sim" --config "$daemon_config" --scenario rest --rate 100 --quiet 2>"$daemon_dir/sim" &
simulator=$!
# joint_5, the last of the model, stands at zero where its driver reads 0.25
agree() {
  "$build/proprioctl" shm dump joints --segment "$daemon_segment" >"$daemon_dir/dump" 2>/dev/null
  timeout 10 "$build/proprioctl" echo state -n 1 --json --endpoint "ipc://$daemon_dir/pub.sock" >"$daemon_dir/state" 2>/dev/null
  cat "$daemon_dir/dump" "$daemon_dir/state" >"$daemon_dir/log"
  /usr/bin/python3 - "$daemon_dir" <<'PYTHON' 2>/dev/null
import json, re, sys
rows = re.findall(r"^q dq tau +(\d+) +(\S+)", open(sys.argv[1] + "/dump").read(), re.M)
read = {int(place): float(q) for place, q in rows}
q = json.load(open(sys.argv[1] + "/state"))["q"]
assert abs(read[1] - 0.25) < 0.05 and len(q) == 5 and max(map(abs, q)) < 0.05, (read, q)
PYTHON
}
eventually agree
result the_estimate_has_the_joints_of_the_model_with_their_zeros $?
kill -INT $simulator
wait $simulator
daemon_stop
result it_stops_cleanly $?
config 'joint_6, joint_5, joint_2, joint_1, joint_4'
"$build/proprioctl" check "$daemon_config" >"$daemon_dir/log" 2>&1
grep -qF "propriod.yaml:5:11: robot.joints: joint 'joint_3' has no place in the stream" "$daemon_dir/log"
result a_joint_that_is_forgotten_is_named_with_its_line $?
exit $bad
