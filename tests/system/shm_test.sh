#!/bin/bash
# The sensors' shared memory as a driver author sees it: the example driver, proprioctl shm, and the daemon between them.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/eventually.sh"
. "$(dirname "${BASH_SOURCE[0]}")/result.sh"
build=${BUILD:-build}
segment=propriod-test-$$
folder=$(mktemp -d)
pids=()

finish() {
  kill "${pids[@]}" 2>/dev/null
  wait 2>/dev/null
  rm -rf "$folder" "/dev/shm/$segment"*
  exit $bad
}
trap finish EXIT

ctl() { "$build/proprioctl" shm "$@" --segment "$segment"; }
code() { # EXPECTED COMMAND...
  local expected=$1
  shift
  "$@" >"$folder/out" 2>&1
  [ $? = "$expected" ]
}
says() { # WORDS COMMAND...
  local words=$1
  shift
  "$@" 2>&1 | grep -q -- "$words"
}

check without_a_daemon_the_answer_is_unreachable code 3 ctl dump
check a_word_that_is_none_is_a_usage_error code 2 ctl dmup
check a_stream_that_is_none_is_a_usage_error code 2 ctl dump feet

"$build/propriod" -c config/propriod.yaml -s input.segment="$segment" -s service.runtime_directory="$folder/run" \
  -s service.state_directory="$folder/state" -s publish.tcp= >"$folder/log" 2>&1 &
pids+=($!)
daemon=$!
eventually grep -q ready: "$folder/log"
writes() { ctl dump joints --json 2>/dev/null | grep -q "\"writer\": $1"; }

check the_segment_belongs_to_its_user_and_group_alone test "$(stat -c %a "/dev/shm/$segment")" = 660
"$build/examples/driver" 30 "$segment" 2>"$folder/driver" &
pids+=($!)
driver=$!
ctl fake skin --rate 250 &
pids+=($!)
ctl fake imu &
pids+=($!)
three_are_written() { [ "$(ctl dump --json | grep -c '"writer": true.*"newest": "good"')" = 3 ]; }
check every_written_stream_shows_its_writer eventually three_are_written
check a_second_writer_is_refused_with_a_reason says "another writer" ctl fake joints
check a_stream_that_the_robot_lacks_is_refused_with_a_reason says "without this stream" ctl fake wrench
check the_values_of_a_frame_can_be_read says "q dq tau   29" ctl dump joints
reaches_its_rate() { # in one second of twenty: others may have the processors meanwhile
  local hz
  for _ in {1..10}; do
    hz=$(ctl watch joints --seconds 2 --json | sed 's/.*"hz": \([0-9]*\).*/\1/' | sort -n | tail -1)
    [ "$hz" -gt 800 ] && return
  done
  return 1
}
reaches_its_rate
timely a_driver_of_thirty_lines_reaches_its_rate $?

rm "/dev/shm/$segment"
check a_removed_segment_is_made_anew_and_the_driver_finds_it eventually writes true
check the_daemon_says_why_in_its_log grep -q "segment $segment: .*made anew" "$folder/log"

kill -9 "$driver"
check a_killed_driver_is_seen_to_be_gone eventually writes false
"$build/examples/driver" 30 "$segment" 2>"$folder/driver" &
pids+=($!)
eventually writes true
kill -9 "$daemon"
wait "$daemon" 2>/dev/null
"$build/propriod" -c config/propriod.yaml -s input.segment="$segment" -s service.runtime_directory="$folder/run" \
  -s service.state_directory="$folder/state" -s publish.tcp= >"$folder/log2" 2>&1 &
pids+=($!)
eventually grep -q ready: "$folder/log2"
check a_writer_lives_through_a_crash_of_the_daemon writes true
check after_a_crash_the_new_daemon_goes_on_with_the_same_segment \
  test "$(ctl dump | sed -n 's/.*propriod is process \([0-9]*\),.*/\1/p')" = "${pids[-1]}"
check the_segment_was_not_made_anew test "$(grep -c 'made anew' "$folder/log2")" = 0
