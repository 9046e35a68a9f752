#!/bin/bash
# propriod-sim as its user meets it: words, files, the clock, and the shared memory that it feeds.
set -u
source "$(dirname "${BASH_SOURCE[0]}")/daemon.sh"
daemon_begin
cd "$project" || exit 1
sim=$build/propriod-sim
out=$daemon_dir/out

check() { # NAME COMMAND...
  local name=$1
  shift
  "$@"
  result "$name" $?
}
code() { # EXPECTED COMMAND...
  local expected=$1
  shift
  "$@" >"$out" 2>&1
  [ $? = "$expected" ]
}
says() { # WORDS COMMAND...
  local words=$1
  shift
  "$@" 2>&1 | grep -q -- "$words"
}
milliseconds() { echo $(($(date +%s%N) / 1000000)); }

# words
every_name_in_the_list_is_a_scenario() {
  local name names
  names=$("$sim" --list | awk '{print $1}')
  [ "$(wc -w <<<"$names")" -ge 20 ] || return 1
  for name in $names; do
    says "unknown" "$sim" --scenario "$name" --headless --robot humanoid18 --duration 0.01 && return 1
  done
  return 0
}
check help_is_answered code 0 "$sim" --help
check every_name_in_the_list_is_a_scenario every_name_in_the_list_is_a_scenario
check an_unknown_scenario_is_a_usage_error code 2 "$sim" --scenario dance
check an_unknown_robot_is_refused_by_name says "unicorn" "$sim" --robot unicorn --headless
check a_number_beyond_its_limit_is_told_with_the_limit says "within 0 and 1" "$sim" --skin-dead 2
check a_stream_that_is_no_stream_is_a_usage_error code 2 "$sim" --skin 250:late
check a_missing_configuration_is_named says "/nowhere/propriod.yaml" "$sim" --config /nowhere/propriod.yaml
check a_robot_that_is_bolted_down_does_not_walk says "bolted down" "$sim" --robot tx40 --headless

# files
headless() { # FILE SEED
  "$sim" --robot chain9 --scenario medium --headless --duration 2 --seed "$2" --truth "$daemon_dir/$1.csv" \
    --record "$daemon_dir/$1.rec" 2>"$out"
}
headless a 1 && headless b 1 && headless c 2
# arms, as `proprioctl init` finds them
moves_within_its_limits() { # URDF: held at rest, moved by sines and from pose to pose
  local scenario yaml=$daemon_dir/arm.yaml
  "$build/proprioctl" init "$1" >"$yaml" || return 1
  for scenario in rest medium held-poses; do
    "$sim" --config "$yaml" --scenario $scenario --headless --duration 3 --truth "$daemon_dir/arm.csv" --quiet || return 1
    /usr/bin/python3 - "$1" "$daemon_dir/arm.csv" $scenario <<'PYTHON' || return 1
import csv, math, sys
import xml.etree.ElementTree as xml

urdf, truth, scenario = sys.argv[1:]
rows = list(csv.DictReader(open(truth)))
joints = [key[2:] for key in rows[0] if key.startswith("q_")]
limits = {j.get("name"): j.find("limit").attrib for j in xml.parse(urdf).getroot().iter("joint")
          if j.get("type") in ("revolute", "prismatic") and j.find("limit") is not None}
assert joints
for name in joints:
    q, dq = ([float(row[key + name]) for row in rows] for key in ("q_", "dq_"))
    limit = limits.get(name, {})
    low, high = float(limit.get("lower", -math.inf)), float(limit.get("upper", math.inf))
    assert low - 1e-3 <= min(q) and max(q) <= high + 1e-3, f"{scenario}: {name} at {min(q)} .. {max(q)}"
    assert max(map(abs, dq)) <= 1.01 * float(limit.get("velocity", math.inf)), f"{scenario}: {name} too fast"
    moved = max(q) - min(q)
    assert moved < 1e-3 if scenario == "rest" else moved > 0.02 or high - low < 0.2, f"{scenario}: {name} by {moved}"
PYTHON
  done
}
for arm in panda tx40 ur10e; do
  check "an_arm_${arm}_is_held_and_moved_within_its_limits" moves_within_its_limits "config/robots/$arm.urdf"
done
check a_truth_file_has_a_line_a_frame test "$(wc -l <"$daemon_dir/a.csv")" = 2002
check the_same_seed_gives_the_same_files eval 'cmp -s $daemon_dir/a.csv $daemon_dir/b.csv && cmp -s $daemon_dir/a.rec $daemon_dir/b.rec'
check another_seed_gives_others eval '! cmp -s $daemon_dir/a.csv $daemon_dir/c.csv && ! cmp -s $daemon_dir/a.rec $daemon_dir/c.rec'
check a_file_that_cannot_be_written_is_named says "/nowhere/t.csv" "$sim" --robot chain9 -s rest --headless -t /nowhere/t.csv
# 1260 cells of 12 bits over 4 g at 250 Hz, encoders of 19 bits, 16 bits for torques, IMU and forces: a walk of 8 s
converters=(--skin-quantum 0.019153 --skin-range 39.2266 --torque-quantum 0.02 --imu-quantum 0.0023942
  --gyro-quantum 5.326e-4 --force-quantum 0.1 --moment-quantum 0.01)
a_minute_takes() { # MB
  "$sim" --robot humanoid30 --headless --duration 8 --seed 11 --quiet --record "$daemon_dir/walk.rec" "${converters[@]}" >"$out" 2>&1 &&
    [ "$(stat -c %s "$daemon_dir/walk.rec")" -le $(($1 * 1000000 * 8 / 60)) ]
}
check a_minute_of_a_walk_seen_by_converters_takes_40_mb a_minute_takes 40

# the clock
live_run_takes_its_time() {
  local before after
  for _ in {1..5}; do # where others have the processors it falls behind
    before=$(milliseconds)
    "$sim" --robot chain9 --scenario medium --segment "$daemon_segment" --duration 2 2>"$out" || return 1
    after=$(milliseconds)
    [ $((after - before)) -ge 2000 ] || return 1
    [ $((after - before)) -gt 3500 ] || return 0
  done
  return 1
}
live_run_takes_its_time
timely a_live_run_of_two_seconds_takes_two_seconds $?
check without_a_daemon_it_says_so_and_moves_on grep -q "is propriod running" "$out"

hears_sigterm() { # PID: is the simulator, no shell about to become it, and blocks or catches it
  local mask
  [ "$(readlink -f "/proc/$1/exe")" = "$(readlink -f "$sim")" ] || return 1
  for mask in $(awk '/^Sig(Blk|Cgt):/ { print $2 }' "/proc/$1/status"); do
    ((0x$mask >> 14 & 1)) && return
  done
  return 1
}
ends_cleanly_by() { # SIGNAL
  "$sim" --robot humanoid18 --segment "$daemon_segment" 2>"$out" &
  local pid=$!
  eventually hears_sigterm $pid
  kill "-$1" $pid
  wait $pid && grep -q "frames" "$out"
}
check sigterm_ends_it_with_status_0 ends_cleanly_by TERM

# the shared memory
check the_daemon_starts daemon_start
"$sim" --config "$daemon_config" 2>"$out" &
pid=$!
three_are_written() {
  "$build/proprioctl" shm dump --segment "$daemon_segment" --json >"$daemon_dir/dump" 2>&1
  [ "$(grep -c '"writer": true.*"newest": "good"' "$daemon_dir/dump")" = 3 ]
}
check the_daemon_sees_three_streams eventually three_are_written
says_another_writer() { says "another writer" "$sim" --config "$daemon_config" --duration 0.5; }
check a_second_simulator_is_told_of_the_first says_another_writer
quiet_one_fails() { code 1 "$sim" --config "$daemon_config" --duration 0.5 --quiet && grep -q 'nothing was written to shared memory: .*another writer' "$out"; }
check and_fails_since_it_could_write_nothing_also_when_quiet quiet_one_fails
kill -TERM $pid
wait $pid
check told_to_end_it_ends_with_0 test $? = 0
check it_found_every_stream_open eval '! grep -q "propriod running\|configured for" "$out"'
check the_daemon_stops_cleanly daemon_stop
exit $bad
