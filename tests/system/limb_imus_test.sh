#!/bin/bash
# A robot without skin, its IMU on the torso and one on each forearm: simulator, daemon, recording, replay.
set -u
source "$(dirname "${BASH_SOURCE[0]}")/daemon.sh"
daemon_begin
cd "$project" || exit 1
cat >"$daemon_config" <<CONFIG
robot:
  urdf: robots/humanoid30.urdf
  imu: torso_pitch_link
  limb_imus: [left_elbow_link, right_elbow_link]
  feet: [left_sole, right_sole]
input: {segment: $daemon_segment, joints_limit: 1, imu_limit: 1}
cycle: {period: 0.01}
service: {runtime_directory: $daemon_dir, state_directory: $daemon_dir}
CONFIG
endpoint="ipc://$daemon_dir/pub.sock"

daemon_start
result a_robot_with_imus_on_limbs_starts $?
"$build/propriod-sim" --config "$daemon_config" --scenario arm-swing --rate 100 --quiet 2>"$daemon_dir/sim" &
simulator=$!
becomes_ok() {
  "$build/proprioctl" status --endpoint "$endpoint" >"$daemon_dir/status" 2>&1
  grep -q 'state ok,' "$daemon_dir/status"
}
eventually becomes_ok || { cat "$daemon_dir/status"; false; }
result it_is_ok_without_an_imu_on_the_base $?
rows=$("$build/proprioctl" shm dump imu --segment "$daemon_segment" | grep -c 'specific force\|angular rate')
[ "$rows" = 6 ]
result the_stream_carries_three_imus $?
kill -INT $simulator
wait $simulator
daemon_stop
result it_stops_cleanly $?

"$build/propriod-sim" --config "$daemon_config" --scenario arm-swing --rate 100 --headless --duration 4 \
  --record "$daemon_dir/limbs.rec" >"$daemon_dir/log" 2>&1 &&
  "$build/proprioctl" replay "$daemon_dir/limbs.rec" >"$daemon_dir/replayed" 2>&1
replayed=$?
cat "$daemon_dir/replayed" >>"$daemon_dir/log"
[ $replayed = 0 ] && grep -qE '^40[01] frames: .* degraded 0.0 %, diverged 0.0 %' "$daemon_dir/replayed"
result what_was_recorded_of_them_is_replayed $?
exit $bad
