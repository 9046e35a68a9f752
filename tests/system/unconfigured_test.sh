#!/bin/bash
# A service without a robot runs, says what it waits for, refuses bad files, and begins with the first good one.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/daemon.sh"
daemon_begin
export PROPRIOD_ENDPOINT=ipc://$daemon_dir/pub.sock
cp "$daemon_config" "$daemon_dir/robot.yaml"
sed -i 's/^robot: .*/robot:/' "$daemon_config"

says() { # STATUS WORDS COMMAND...
  local wanted=$1 words=$2 got
  shift 2
  "$@" >"$daemon_dir/said" 2>&1
  got=$?
  [ $got = "$wanted" ] && tr -s ' \n' '  ' <"$daemon_dir/said" | grep -qF -- "$words" && return 0
  echo "# exit $got instead of $wanted"
  sed 's/^/# /' "$daemon_dir/said"
  return 1
}

daemon_start; result it_runs_without_a_robot $?
says 1 'waits for a robot' "$build/proprioctl" status; result status_says_what_it_waits_for_and_ends_with_1 $?
says 1 '{"healthy": false, "reasons": ["waits for a robot' "$build/proprioctl" status --json; result so_does_json $?
says 3 'propriod waits for a robot' "$build/proprioctl" echo state; result other_commands_say_it_too $?
says 78 'robot.urdf: no robot is named: proprioctl init ROBOT.urdf' "$build/propriod" --check-config -c "$daemon_config"
result a_check_says_how_to_begin $?
says 1 'robot.urdf: no robot is named' daemon_reload; result a_reload_that_names_none_is_refused $?
sed 's/imu_link/no_such_link/' "$daemon_dir/robot.yaml" >"$daemon_config"
says 1 'no_such_link' daemon_reload && says 1 'waits for a robot' "$build/proprioctl" status
result a_bad_file_is_refused_and_it_waits_on $?

pid=$daemon_pid
cp "$daemon_dir/robot.yaml" "$daemon_config"
says 0 'is taken: humanoid30, 30 joints; the service begins' daemon_reload; result a_reload_that_names_a_robot_is_taken $?
begun() { [ "$(daemon_value robot 2>/dev/null)" = humanoid30 ]; }
eventually begun && kill -0 "$pid" && grep -q 'ready: humanoid30, 30 joints' "$daemon_dir/log"; result the_same_process_then_runs_the_robot $?
daemon_stop; result it_ends_with_0 $?

# told to end while it waits
sed -i 's/^robot: .*/robot:/' "$daemon_config"
daemon_start && daemon_stop && [ ! -e "$daemon_dir/control.sock" ] && [ ! -e "$daemon_dir/lock" ]
result told_to_end_while_it_waits_it_leaves_nothing $?
exit $bad
