#!/bin/bash
# A hundred reloads waited for and a thousand that nobody waits for, good and bad, on a busy machine: no missed tick.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/daemon.sh"
daemon_begin
cp "$daemon_config" "$daemon_dir/good"
sed 's/trigger: timer/triger: timer/' "$daemon_config" >"$daemon_dir/bad"
use() { cp "$daemon_dir/$1" "$daemon_dir/next" && mv "$daemon_dir/next" "$daemon_config"; }

# load: two processes that never sleep and one that keeps the disk's cache busy
busy=()
begin_load() {
  local i
  for i in 1 2; do
    (while :; do :; done) &
    busy+=($!)
  done
  (while :; do cat "$daemon_dir"/robots/* >/dev/null; done) &
  busy+=($!)
}
end_load() { kill "${busy[@]}" 2>/dev/null; }

# Runs COMMAND and tells how many periods of the 1 kHz timer were left out meanwhile.
missed_during() {
  local before
  before=$(daemon_value skipped)
  "$@" || return 1
  missed=$(($(daemon_value skipped) - before))
}

reload_fifty_times_each() {
  local i
  for i in $(seq 50); do
    use good && daemon_reload >"$daemon_dir/said" 2>&1 || { cat "$daemon_dir/said"; return 1; }
    use bad && ! daemon_reload >"$daemon_dir/said" 2>&1 || return 1
    grep -q 'cycle.triger: unknown key, did you mean cycle.trigger?' "$daemon_dir/said" || return 1
  done
}

signal_a_thousand_times() {
  local i
  for i in $(seq 1000); do
    [ $((i % 100)) = 1 ] && use bad
    [ $((i % 100)) = 51 ] && use good
    kill -HUP "$daemon_pid" || return 1
    [ $((i % 10)) = 0 ] && sleep 0.01
  done
  use good
  kill -HUP "$daemon_pid"
  sleep 0.3
}

# The machine itself may miss a tick (another virtual machine, no real time): a reload that costs one does so every time.
no_tick_is_missed_by() {
  local try
  for try in 1 2 3 4; do
    missed_during "$@" || return 1
    echo "# $1: $missed ticks missed"
    [ "$missed" = 0 ] && return 0
  done
  return 1
}

daemon_start; result the_daemon_starts $?
pid=$daemon_pid
begin_load
no_tick_is_missed_by reload_fifty_times_each; result a_hundred_good_and_bad_reloads_under_load_miss_no_tick $?
no_tick_is_missed_by signal_a_thousand_times; result a_thousand_signals_under_load_miss_no_tick $?
end_load

accepted=$(daemon_value reloads_accepted) refused=$(daemon_value reloads_refused) swapped=$(daemon_value swapped)
echo "# $accepted accepted, $refused refused, $swapped swapped"
[ "$accepted" = "$swapped" ] && [ "$refused" -ge 50 ]; result every_good_reload_was_swapped_in_and_no_bad_one $?
[ $((accepted + refused)) -lt 1900 ]; result signals_that_come_together_are_one_reload $?

use bad
! daemon_reload 2>/dev/null; result a_bad_reload_is_refused $?
daemon_ask status | grep -q '^reload_last refused .*propriod.yaml:3:9: cycle.triger: unknown key'
result the_error_of_a_bad_reload_stays_in_the_status $?
grep -q 'propriod: reload refused: .*propriod.yaml:3:9: cycle.triger' "$daemon_dir/log"
result the_error_of_a_bad_reload_is_in_the_log $?
[ "$(grep -c 'reload refused: ' "$daemon_dir/log")" -lt 60 ]; result a_thousand_bad_reloads_are_a_line_a_second $?

sed 's/trigger: timer/trigger: frame/; s/feet: .*]/feet: []/' "$daemon_dir/good" >"$daemon_config"
daemon_reload >"$daemon_dir/said"; result what_needs_a_restart_does_not_stop_the_rest $?
grep -q '^these changes wait for a restart: cycle.trigger$' "$daemon_dir/said"
result what_needs_a_restart_is_named $?
sed 's/humanoid30/tx40/; s/cells: [^,]*/cells: urdf/; s/imu: [^,]*/imu: base_link/; s/feet: .*]/feet: []/' \
  "$daemon_dir/good" >"$daemon_config"
! daemon_reload 2>"$daemon_dir/said" && grep -q 'robot.urdf: 6 joints instead of the running 30; this needs a restart' \
  "$daemon_dir/said"; result a_robot_with_other_joints_is_refused $?
rm "$daemon_config"
! daemon_reload 2>"$daemon_dir/said" && grep -q 'propriod.yaml: cannot be read: No such file' "$daemon_dir/said"
result a_missing_configuration_is_refused $?

[ "$(daemon_value pid)" = "$pid" ]; result it_is_still_the_same_process $?
daemon_stop; result it_ends_with_0 $?
exit $bad
