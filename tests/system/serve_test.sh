#!/bin/bash
# The live page: what is served and to whom, and what a browser makes of it. Its pictures stay in the tests' folder.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/system/daemon.sh
export BUILD=$build
daemon_begin
export PROPRIOD_ENDPOINT=ipc://$daemon_dir/pub.sock
pictures=$build/tests/pictures
mkdir -p "$pictures"
children=()
end() {
  kill "${children[@]}" 2>/dev/null
  daemon_end
}
trap end EXIT

refuses() { # STATUS TEXT OPTION...
  local wanted=$1 text=$2
  shift 2
  "$build/proprioctl" serve "$@" >"$daemon_dir/said" 2>&1
  [ $? = "$wanted" ] && grep -qF -- "$text" "$daemon_dir/said"
}
refuses 3 pub.sock "$daemon_config"; result without_a_daemon_it_ends_with_3 $?
refuses 1 nothing.yaml "$daemon_dir/nothing.yaml"; result without_a_configuration_with_1 $?
refuses 2 '--rate 0' --rate 0; result a_rate_of_nothing_is_a_usage_error $?

# 250 Hz and much patience: what is shown is tested here, not how fast this machine is
daemon_start -s cycle.period=0.004 -s input.joints_limit=1 -s input.imu_limit=1 -s input.skin_limit=1 -s cycle.rt=off
result the_daemon_starts $?
"$build/propriod-sim" -c config/propriod.yaml --segment "$daemon_segment" -s stand --rate 250 --quiet >"$daemon_dir/sim.log" 2>&1 &
children+=($!)
"$build/proprioctl" serve --port 0 --wait 10 "$daemon_config" >"$daemon_dir/address" 2>"$daemon_dir/log.serve" &
children+=($!)
server=$!
serving() { grep -qs '^http://127' "$daemon_dir/${1:-address}"; }
eventually serving; result it_says_where $?
url=$(head -n 1 "$daemon_dir/address")
refuses 1 'is it taken' --port "${url##*:}" "$daemon_config"; result a_port_that_is_taken_is_said_to_be $?
/usr/bin/python3 tests/system/serve_check.py server "$url" || bad=1

# the same robot, whose URDF has meshes
/usr/bin/python3 tests/system/serve_meshes.py make "$daemon_dir" "$daemon_config"
"$build/proprioctl" serve --port 0 --wait 10 "$daemon_dir/meshes.yaml" >"$daemon_dir/address.meshes" 2>"$daemon_dir/said" &
children+=($!)
eventually serving address.meshes
meshes=$(head -n 1 "$daemon_dir/address.meshes")
grep -q '2 of 6 meshes are not found' "$daemon_dir/said"; result meshes_that_are_missing_are_said_once $?
/usr/bin/python3 tests/system/serve_meshes.py served "$meshes" || bad=1
if ! command -v chromium >/dev/null; then
  echo 'skip the page in a browser: there is no chromium'
else
  /usr/bin/python3 tests/system/serve_meshes.py page "$meshes" "$pictures" || bad=1
  /usr/bin/python3 tests/system/serve_check.py page "$url" "$pictures" "$daemon_pid" || bad=1
fi
kill "$server"
wait "$server"; result it_ends_with_0 $?
exit $bad
